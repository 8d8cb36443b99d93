//! The feed as a stream: server-sent events (HTML standard, section 9.2), after a snapshot to
//! begin with.

use std::time::Duration;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Deserialize;
use tokio::sync::mpsc;

use super::answers::UnreadableRecord;
use super::problem::{self, Problem};
use super::query::Query;
use super::route::{self, Route};
use super::routes::{ApiContext, host_of, read};
use super::stream::{self, AnswerPieces};
use tsrec_store::{Change, ChangeKind, Cursor, Store};

/// Snapshots sent at a time; the API refuses more. A snapshot takes as long as its client lets
/// it, so snapshots delay only each other. Judgement: an indexer or two begin at a time.
pub const SNAPSHOTS: usize = 4;

/// Streams at a time. Judgement: a quarter of the default number of connections.
pub const FOLLOWERS: usize = 32;

/// How often an idle stream sends a comment. Judgement: proxies give up after a minute.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Changes read at a time.
const BATCH: usize = 100;

/// Pages of a snapshot looked up at a time.
const SNAPSHOT_BATCH: usize = 100;

/// The header in which a returning browser sends its cursor.
const LAST_EVENT_ID: &str = "last-event-id";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct From {
    since: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Of {
    host: Option<String>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/changes/stream", "The feed as server-sent events", follow)
            .about(
                "Each change is an event named upsert or delete, with the change as its data. The daemon may send \
                several events together. The last of them has the cursor as its id, and a browser sends it back in \
                Last-Event-ID. The stream does not end by itself. 503: too many streams are open.",
            )
            .may("since", route::cursor(), "The cursor to begin after. Without it, the stream begins at the start.")
            .gives_as("text/event-stream", "The changes, as they become durable.")
            .refuses(&[410, 503]),
        Route::get("/v1/snapshot", "All records, as JSON lines", snapshot)
            .about(
                "The first line has the number of pages in the store, and the cursor from which to read the feed next. \
                Each other line is a record. A record that cannot be read is an object with url and \
                unreadable, which says why. 503: the daemon is sending too many snapshots.",
            )
            .may("host", route::host(), "Only records of this host.")
            .gives_as("application/x-ndjson", "The records.")
            .refuses(&[503]),
    ]
}

/// Sends changes as they become durable, until the client goes or the daemon stops.
async fn follow(
    State(context): State<ApiContext>,
    headers: HeaderMap,
    Query(query): Query<From>,
) -> Result<Response, Problem> {
    let came_back = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let since: Option<Cursor> = came_back.or(query.since).map(|cursor| cursor.parse()).transpose()?;
    let Ok(permit) = context.followers.clone().try_acquire_owned() else {
        let detail = format!("{FOLLOWERS} streams are open already; ask for changes with wait=max instead");
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, problem::NOT_READY, detail));
    };
    // A refusal must get its status, so this read comes before the stream begins.
    let first = read(&context, move |store| events(store, since)).await?;
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let _permit = permit;
        send_events(&context, first, sender).await;
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    Ok((headers, axum::body::Body::new(AnswerPieces(receiver))).into_response())
}

/// Ends when the client has gone, the daemon stops, or the feed cannot be read on. In the last
/// case the client comes back, and the answer gives the reason.
async fn send_events(context: &ApiContext, first: (Bytes, Cursor), sender: mpsc::Sender<std::io::Result<Bytes>>) {
    let (mut events_now, mut since) = first;
    let mut closing = context.closing.subscribe();
    loop {
        let is_end = events_now.is_empty();
        if !is_end && sender.send(Ok(events_now)).await.is_err() {
            return;
        }
        if is_end {
            tokio::select! {
                changed = context.api.store().changed(since.sequence()) => if changed.is_none() { return },
                () = tokio::time::sleep(HEARTBEAT) => {
                    if sender.send(Ok(Bytes::from_static(b":\n\n"))).await.is_err() {
                        return;
                    }
                }
                () = sender.closed() => return,
                () = async { drop(closing.wait_for(|closed| *closed).await) } => return,
            }
        }
        match read(context, move |store| events(store, Some(since))).await {
            Ok((events, next)) => (events_now, since) = (events, next),
            Err(_) => return,
        }
    }
}

/// The next events, none at the end, and the cursor after them; the last event carries it.
fn events(store: &Store, since: Option<Cursor>) -> Result<(Bytes, Cursor), tsrec_store::Error> {
    let feed = store.changes(since, BATCH)?;
    let mut text = String::new();
    for (index, change) in feed.changes.iter().enumerate() {
        if index + 1 == feed.changes.len() {
            text += &format!("id: {}\n", feed.next);
        }
        text += &event(change);
    }
    Ok((text.into(), feed.next))
}

/// JSON has no line break, so it is one line.
fn event(change: &Change) -> String {
    let name = match change.kind {
        ChangeKind::Upsert => "upsert",
        ChangeKind::Delete => "delete",
    };
    // A change has only strings and numbers, so encoding cannot fail.
    format!("event: {name}\ndata: {}\n\n", serde_json::to_string(change).unwrap_or_default())
}

/// All records, or those of a host, one JSON object a line. The first line is the cursor where
/// the feed continues.
async fn snapshot(State(context): State<ApiContext>, Query(query): Query<Of>) -> Result<Response, Problem> {
    let host = query.host.as_deref().map(host_of).transpose()?;
    let Some(permit) = context.snapshots.try_enter() else {
        let detail = format!(
            "{SNAPSHOTS} snapshots are being sent already; come again later, or read /v1/changes from its start"
        );
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, problem::NOT_READY, detail));
    };
    let store = context.api.store().clone();
    Ok(stream::lines(permit, move |out| {
        // Taken first: changes during the snapshot come again in the feed.
        let cursor = store.end();
        writeln!(out, "{}", serde_json::json!({ "cursor": cursor, "pages": store.counts().pages }))?;
        let mut after: Option<String> = None;
        loop {
            let failed = std::io::Error::other;
            let pages = store.list(host.as_deref(), after.as_deref(), SNAPSHOT_BATCH).map_err(failed)?;
            let Some(last) = pages.last() else { return Ok(()) };
            after = Some(last.url.clone());
            for page in &pages {
                // If a page has gone meanwhile, the feed has its deletion.
                let Some(record) = store.get_stored(&page.url).map_err(failed)? else { continue };
                match record.check() {
                    Ok(()) => stream::copy(record, out)?,
                    Err(error) => {
                        tracing::error!(url = page.url, %error, "a record cannot be read");
                        let row = UnreadableRecord { unreadable: error.to_string(), url: page.url.clone() };
                        serde_json::to_writer(&mut *out, &row)?;
                    }
                }
                out.write_all(b"\n")?;
            }
        }
    }))
}
