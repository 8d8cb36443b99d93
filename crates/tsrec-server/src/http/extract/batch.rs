//! Many pages as JSON lines. Answers come in order, while lines still arrive.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Request;
use axum::http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::sync::watch;

use super::page::{PageForm, Work};
use super::spool::{Spool, Unspooled};
use super::{NDJSON, PostQuery, longest_body, media_type};
use crate::http::lines::Lines;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::routes::ApiContext;

pub(super) async fn extract(
    State(context): State<ApiContext>,
    query: Result<Query<PostQuery>, Problem>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let Query(query) = query?;
    if query.url.is_some() {
        return Err(Problem::invalid("a batch names the URL of each page in its line: leave url out"));
    }
    let (head, body) = request.into_parts();
    media_type(&head.headers, &[NDJSON])?;
    let place = context.room.batch()?;
    let dir = context.api.store().database().path().to_owned();
    let most = context.api.config.max_answers_bytes;
    // So that the last line is sent before the connection counts as silent.
    let patience = context.api.config.idle_timeout / 2;
    let spool = tokio::task::spawn_blocking(move || Spool::open(&dir, most, patience)).await;
    let spool = spool.map_err(|error| Problem::internal(&error))?.map_err(|error| Problem::internal(&error))?;
    let answers = spool.body();
    let closing = context.closing.subscribe();
    tokio::spawn(async move {
        let lines = Lines::new(body, longest_body(context.api.limits.bytes), ": raise html.bytes of the configuration");
        let work = Work::new(&context, query.asked());
        answer(lines, &context, &work, &spool, closing).await;
        spool.end();
        drop(place);
    });
    Ok(([(CONTENT_TYPE, NDJSON), (X_CONTENT_TYPE_OPTIONS, "nosniff")], answers).into_response())
}

/// The last line of a batch that ends before its lines do.
fn last_line(why: &str, resume_at: u64) -> Vec<u8> {
    (json!({ "error": why, "resume_at": resume_at }).to_string() + "\n").into_bytes()
}

/// How long the service, when it stops, reads on from a client that still sends: otherwise the
/// client's system may drop the last line unread. Judgement: less than a stop may take.
const LAST_READS: Duration = Duration::from_secs(2);

/// Answers lines until they end, the client goes, its answers do not fit on the disk, or the
/// service stops.
async fn answer(
    mut lines: Lines,
    context: &ApiContext,
    work: &Work,
    spool: &Spool,
    mut closing: watch::Receiver<bool>,
) {
    let mut next = 1;
    loop {
        let line = tokio::select! {
            biased;
            _ = closing.wait_for(|closing| *closing) => break,
            line = lines.next() => line,
        };
        let Some((number, line)) = line else { return };
        let mut answer = match line {
            Ok(line) => page(context, work, number, line).await,
            Err(why) => error_line(number, None, &why),
        };
        answer.push(b'\n');
        next = number;
        let added = tokio::select! {
            biased;
            added = spool.add(&answer) => added,
            _ = closing.wait_for(|closing| *closing) => break,
        };
        match added {
            Ok(()) => next = number + 1,
            Err(Unspooled::Gone) => return,
            Err(Unspooled::Full) => {
                let why = "more answers wait than http.max_answers_bytes allows: read while you send, or send less, \
                           and go on with line resume_at";
                spool.add_last(&last_line(why, number));
                // A client that reads nothing before it has sent everything gets to read then.
                return lines.skip_all().await;
            }
        }
    }
    spool.add_last(&last_line("the service stops: go on with line resume_at", next));
    let _ = tokio::time::timeout(LAST_READS, lines.skip_all()).await;
}

/// The answer to a line: the page's, or an error.
async fn page(context: &ApiContext, work: &Work, number: u64, line: Bytes) -> Vec<u8> {
    let worker = context.room.worker().await;
    let work = work.clone();
    let done = tokio::task::spawn_blocking(move || {
        let _worker = worker;
        let mut page = PageForm::parse(&line).map_err(|why| error_line(number, None, &why))?;
        drop(line);
        let id = page.id.get_or_insert_with(|| format!("line-{number}")).clone();
        if work.needs_url() && page.url.is_none() {
            return Err(error_line(number, Some(&id), "store=true needs the page's URL: add a member url"));
        }
        let answer = work.run(page, |_, line| line.to_string().into_bytes());
        answer.map_err(|problem| error_line(number, Some(&id), &problem.detail))
    });
    match done.await {
        Ok(Ok(answer) | Err(answer)) => answer,
        Err(_) => error_line(number, None, "the program failed on this page; please report it"),
    }
}

fn error_line(number: u64, id: Option<&str>, why: &str) -> Vec<u8> {
    json!({ "line": number, "id": id, "error": why }).to_string().into_bytes()
}
