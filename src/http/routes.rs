//! Requests and what answers them.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

use super::answers::CONTENT_BYTES;
use super::guard::{self, Guard};
use super::problem::{self, Problem};
use super::query::{self, PagesOf, Query};
use super::{Api, Feed, Lessons, Listing, stream};
use crate::store::{self, Cursor, Store};

/// The media type of Prometheus' text format.
const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4";

/// What every request may use. Clones share it.
#[derive(Clone)]
pub(super) struct Context {
    pub(super) api: Api,
    /// Turns true when the shutdown begins.
    pub(super) closing: watch::Sender<bool>,
    pub(super) readers: Arc<Semaphore>,
    pub(super) streams: Arc<Semaphore>,
    pub(super) followers: Arc<Semaphore>,
}

pub(super) fn router(context: Context, guard: Guard) -> Router {
    Router::new()
        .route("/v1/pages", get(pages))
        .route("/v1/hosts/{host}/pages", get(host_pages))
        .route("/v1/lessons", get(lessons))
        .route("/v1/changes", get(changes))
        .route("/healthz", get(async || "serving\n"))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .merge(super::consumers::routes())
        .merge(super::follow::routes())
        .merge(super::frontier::routes())
        .merge(super::templates::routes())
        .fallback(unknown_path)
        .method_not_allowed_fallback(unknown_method)
        .with_state(context)
        .layer(axum::middleware::from_fn_with_state(guard, guard::check))
}

async fn pages(State(context): State<Context>, Query(query): Query<query::Pages>) -> Result<Response, Problem> {
    match query.check()? {
        PagesOf::Url(url) => page(&context, url).await,
        PagesOf::AllHosts(listed) => listing(&context, None, listed).await,
    }
}

async fn lessons(State(context): State<Context>, Query(query): Query<query::Pages>) -> Result<Response, Problem> {
    match query.check()? {
        PagesOf::Url(url) => lesson(&context, url).await,
        PagesOf::AllHosts(query::Listed { after, limit }) => {
            read(&context, move |store| Ok(Json(Lessons::read(store, after.as_deref(), limit)?).into_response())).await
        }
    }
}

async fn lesson(context: &Context, url: String) -> Result<Response, Problem> {
    let absent =
        Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, format!("{url} has no lesson in the store"));
    // A body of bytes is application/octet-stream.
    let found = read(context, move |store| Ok(store.lesson(&url)?.map(IntoResponse::into_response))).await?;
    found.ok_or(absent)
}

async fn host_pages(
    State(context): State<Context>,
    host: Result<Path<String>, PathRejection>,
    Query(query): Query<query::HostPages>,
) -> Result<Response, Problem> {
    let Path(host) = host.map_err(|rejection| Problem::invalid(rejection.body_text()))?;
    // As the URL standard writes it, since pages are filed under that.
    let parsed = url::Host::parse(&host).map_err(|error| Problem::invalid(format!("{host:?} is no host: {error}")))?;
    listing(&context, Some(parsed.to_string()), query.check()?).await
}

async fn page(context: &Context, url: String) -> Result<Response, Problem> {
    let absent = Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, format!("{url} is not in the store"));
    let permit = stream_permit(context).await?;
    let found = read(context, move |store| store.get_stored(&url)).await?;
    found.map(|record| stream::record(record, permit)).ok_or(absent)
}

async fn listing(context: &Context, host: Option<String>, listed: query::Listed) -> Result<Response, Problem> {
    let query::Listed { after, limit } = listed;
    read(context, move |store| {
        let listing = Listing::read(store, host.as_deref(), after.as_deref(), limit)?;
        Ok(Json(listing).into_response())
    })
    .await
}

/// Gives what is newer than the cursor, and waits for it if nothing is.
async fn changes(State(context): State<Context>, Query(query): Query<query::Changes>) -> Result<Response, Problem> {
    let query::Wanted { mut since, limit, wait, content } = query.check(context.api.config.max_wait)?;
    let deadline = Instant::now() + wait;
    let mut closed = context.closing.subscribe();
    loop {
        let (is_empty, next, response) = match content {
            true => changes_with_records(&context, since, limit).await?,
            false => {
                read(&context, move |store| {
                    let feed = Feed::read(store, since, limit, false)?;
                    Ok((feed.changes.is_empty(), feed.next, Json(feed).into_response()))
                })
                .await?
            }
        };
        if !is_empty {
            return Ok(response);
        }
        // What became durable since the reading counts as changed, so that nothing falls between the two.
        tokio::select! {
            changed = context.api.store.changed(next.sequence()) => if changed.is_none() { return Ok(response) },
            () = tokio::time::sleep_until(deadline) => return Ok(response),
            _ = closed.wait_for(|closed| *closed) => return Ok(response),
        }
        since = Some(next);
    }
}

/// Whether there are any, the cursor behind them, and the answer, which is made while it is sent.
async fn changes_with_records(
    context: &Context,
    since: Option<Cursor>,
    limit: usize,
) -> Result<(bool, Cursor, Response), Problem> {
    let permit = stream_permit(context).await?;
    let (rows, next) = read(context, move |store| store.changes_with_records(since, limit, CONTENT_BYTES)).await?;
    Ok((rows.is_empty(), next, stream::feed(rows, next, permit)))
}

async fn readyz(State(context): State<Context>) -> Result<String, Problem> {
    let not_ready = |why| Problem::new(StatusCode::SERVICE_UNAVAILABLE, problem::NOT_READY, why);
    (context.api.ready)().map(|said| format!("{said}\n")).map_err(not_ready)
}

async fn metrics(State(context): State<Context>) -> impl IntoResponse {
    ([(CONTENT_TYPE, PROMETHEUS_TEXT)], (context.api.metrics)())
}

async fn unknown_path(uri: Uri) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, problem::BLANK, format!("there is nothing at {}", uri.path()))
}

async fn unknown_method(method: Method, uri: Uri) -> Problem {
    let detail = format!("{} can be asked with GET, not with {method}", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, problem::BLANK, detail)
}

/// Leave to send records.
pub(super) async fn stream_permit(context: &Context) -> Result<OwnedSemaphorePermit, Problem> {
    context.streams.clone().acquire_owned().await.map_err(|error| Problem::internal(&error))
}

/// Runs a store call, and what turns its result into JSON, where it may block.
pub(super) async fn read<T: Send + 'static>(
    context: &Context,
    call: impl FnOnce(&Store) -> Result<T, store::Error> + Send + 'static,
) -> Result<T, Problem> {
    let permit = context.readers.clone().acquire_owned().await.map_err(|error| Problem::internal(&error))?;
    let store = context.api.store.clone();
    let calling = tokio::task::spawn_blocking(move || {
        // Kept by the call, since a client that goes away does not end it.
        let _permit = permit;
        call(&store)
    });
    Ok(calling.await.map_err(|error| Problem::internal(&error))??)
}
