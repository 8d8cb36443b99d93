//! The feed as a stream: server-sent events (HTML standard, section 9.2), and a snapshot to begin
//! with.

use std::time::Duration;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Deserialize;
use tokio::sync::mpsc;

use super::problem::{self, Problem};
use super::query::Query;
use super::route::{self, Route};
use super::routes::{ApiContext, host_of, read};
use super::stream::{self, AnswerPieces};
use tsrec_store::{Change, ChangeKind, Cursor, Store};

/// Snapshots that are sent at a time; more are refused. They take as long as their clients let
/// them, so that they are in each other's way at most. Judgement: an indexer or two begin at a
/// time.
pub const SNAPSHOTS: usize = 4;

/// Streams at a time. Judgement: a quarter of the connections, by default.
pub const FOLLOWERS: usize = 32;

/// How often a stream says that it lives, while nothing happens. Judgement: proxies give up after a
/// minute.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Changes that are read at a time.
const BATCH: usize = 100;

/// Pages of a snapshot that are looked up at a time.
const SNAPSHOT_BATCH: usize = 100;

/// The header in which a browser says how far it was when it comes back.
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
            .about("An event upsert or delete a change, with the change as its data; the last of those that are sent together has the cursor as its id, which a browser gives back in Last-Event-ID. The stream does not end by itself. 503: too many are open.")
            .may("since", route::cursor(), "Where to begin; from the start where it is left out.")
            .gives_as("text/event-stream", "Changes as they become durable.")
            .refuses(&[410, 503]),
        Route::get("/v1/snapshot", "All records, as JSON lines", snapshot)
            .about("The first line has the cursor from which the feed goes on, and the number of pages of the store; each other line is a record. 503: too many are being sent.")
            .may("host", route::host(), "Records of this host alone.")
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
    // What is refused is refused with its status, before the stream begins.
    let first = read(&context, move |store| events(store, since)).await?;
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let _permit = permit;
        send_events(&context, first, sender).await;
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    Ok((headers, axum::body::Body::new(AnswerPieces(receiver))).into_response())
}

/// Ends when the client has gone, the daemon stops, or the feed cannot be read on: then the client
/// comes back, and is told why.
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
                changed = context.api.store.changed(since.sequence()) => if changed.is_none() { return },
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

/// The next events, none at the end, and the cursor behind them: the last one carries it.
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

/// JSON holds no line break, so it is one line.
fn event(change: &Change) -> String {
    let name = match change.kind {
        ChangeKind::Upsert => "upsert",
        ChangeKind::Delete => "delete",
    };
    // A change is made of strings and numbers, which can be written.
    format!("event: {name}\ndata: {}\n\n", serde_json::to_string(change).unwrap_or_default())
}

/// All records, or those of a host, a JSON object a line, behind a line with the cursor from which
/// the feed goes on.
async fn snapshot(State(context): State<ApiContext>, Query(query): Query<Of>) -> Result<Response, Problem> {
    let host = query.host.as_deref().map(host_of).transpose()?;
    let Ok(permit) = context.snapshots.clone().try_acquire_owned() else {
        let detail = format!(
            "{SNAPSHOTS} snapshots are being sent already; come again later, or read /v1/changes from its start"
        );
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, problem::NOT_READY, detail));
    };
    let store = context.api.store.clone();
    Ok(stream::lines(permit, move |out| {
        // Taken first: what changes while we send comes once more with the feed.
        let cursor = store.end();
        writeln!(out, "{}", serde_json::json!({ "cursor": cursor, "pages": store.counts().pages }))?;
        let mut after: Option<String> = None;
        loop {
            let failed = std::io::Error::other;
            let pages = store.list(host.as_deref(), after.as_deref(), SNAPSHOT_BATCH).map_err(failed)?;
            let Some(last) = pages.last() else { return Ok(()) };
            after = Some(last.url.clone());
            for page in &pages {
                // One that is gone meanwhile is deleted in the feed.
                if let Some(record) = store.get_stored(&page.url).map_err(failed)? {
                    stream::copy(record, out)?;
                    out.write_all(b"\n")?;
                }
            }
        }
    }))
}
