//! Many pages as JSON lines. Answers come in order, while lines still arrive.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Request;
use axum::http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use serde_json::json;

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
    let dir = context.api.store.database().path().to_owned();
    let most = context.api.config.max_answers_bytes;
    let spool = tokio::task::spawn_blocking(move || Spool::open(&dir, most)).await;
    let spool = spool.map_err(|error| Problem::internal(&error))?.map_err(|error| Problem::internal(&error))?;
    let answers = spool.body();
    let mut closing = context.closing.subscribe();
    tokio::spawn(async move {
        let lines = Lines::new(body, longest_body(context.api.limits.bytes), ": raise html.bytes of the configuration");
        let work = Work::new(&context, query.asked());
        tokio::select! {
            () = answer(lines, &context, &work, &spool) => {}
            // A client that has no last line sends the rest again.
            _ = closing.wait_for(|closing| *closing) => {}
        }
        spool.end();
        drop(place);
    });
    Ok(([(CONTENT_TYPE, NDJSON), (X_CONTENT_TYPE_OPTIONS, "nosniff")], answers).into_response())
}

/// Answers lines until they end, the client goes, or its answers do not fit on the disk.
async fn answer(mut lines: Lines, context: &ApiContext, work: &Work, spool: &Spool) {
    while let Some((number, line)) = lines.next().await {
        let mut answer = match line {
            Ok(line) => page(context, work, number, line).await,
            Err(why) => error_line(number, None, &why),
        };
        answer.push(b'\n');
        match spool.add(&answer).await {
            Ok(()) => {}
            Err(Unspooled::Gone) => return,
            Err(Unspooled::Full) => {
                let why = "more answers wait than http.max_answers_bytes allows: read while you send, or send less, \
                           and go on with line resume_at";
                let last = json!({ "error": why, "resume_at": number }).to_string() + "\n";
                spool.add_last(last.as_bytes());
                // A client that reads nothing before it has sent everything gets to read then.
                return lines.skip_all().await;
            }
        }
    }
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
