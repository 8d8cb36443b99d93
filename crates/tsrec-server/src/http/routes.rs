//! Requests and what answers them.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use schemars::JsonSchema;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use super::accept::RecordFormat;
use super::answers::CONTENT_BYTES;
use super::guard::{self, Guard};
use super::inspect::Catalogue;
use super::problem::{self, Problem};
use super::query::{self, MAX_LIMIT, PagesOf, Query};
use super::reference::Reference;
use super::route::{self, Route};
use super::{Api, Config, Feed, Listing, stream, validators};
use tsrec_store::{Cursor, PageRecord, Store};

/// The media type of Prometheus' text format.
const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4";

/// What every request may use. Clones share it.
#[derive(Clone)]
pub(super) struct ApiContext {
    pub(super) api: Api,
    /// Turns true when the shutdown begins.
    pub(super) closing: watch::Sender<bool>,
    pub(super) readers: Arc<Semaphore>,
    pub(super) streams: Arc<Semaphore>,
    pub(super) snapshots: Arc<Semaphore>,
    pub(super) followers: Arc<Semaphore>,
    pub(super) reference: Arc<Reference>,
    pub(super) catalogue: Arc<Catalogue>,
}

/// Every request that is answered, in the order of the reference.
pub(super) fn table(config: &Config) -> Vec<Route> {
    let mut table = records(config);
    table.extend(super::follow::routes());
    table.extend(super::consumers::routes());
    table.extend(super::templates::routes());
    table.extend(super::frontier::routes());
    table.extend(health());
    table.extend(super::reference::routes());
    table.extend(super::inspect::routes());
    table
}

pub(super) fn router(table: Vec<Route>, context: ApiContext, guard: Guard) -> Router {
    route::router(table)
        .fallback(unknown_path)
        .method_not_allowed_fallback(unknown_method)
        .with_state(context)
        .layer(axum::middleware::from_fn(validators::check))
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .layer(axum::middleware::from_fn_with_state(guard, guard::check))
}

/// A page's record or a listing, by what is asked for.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "it is there to be described")]
enum RecordOrListing {
    Record(Box<PageRecord>),
    Listing(Listing),
}

fn records(config: &Config) -> Vec<Route> {
    vec![
        Route::get("/v1/pages", "A page's record, or pages of all hosts", pages)
            .about("With url the page's record; with after or limit a listing, ordered by host, then URL. One or the other must be there. A record comes as Accept asks for it.")
            .may("url", route::url(), "The page.")
            .paged(route::url(), "Pages past this one: what the listing before had as next.")
            .gives::<RecordOrListing>("The record, or the listing, which is JSON alone.")
            .or_gives_as(RecordFormat::others())
            .refuses(&[404, 406]),
        Route::get("/v1/hosts/{host}/pages", "Pages of a host", host_pages)
            .about("Ordered by URL.")
            .with_path("host", route::host(), "The host.")
            .paged(route::url(), "Pages past this one: what the listing before had as next.")
            .gives::<Listing>("The listing."),
        Route::get("/v1/changes", "The change feed", changes)
            .about("The latest change of each URL past a cursor, or from the start, oldest first. What changes is title or text: of other metadata that change alone the record tells, and the feed does not. Only an empty answer means that the end is reached. 410: the cursor's past is forgotten; drop the index, and read from the start.")
            .may("since", route::cursor(), "What the answer before had as next.")
            .may("limit", route::limit(MAX_LIMIT), "So many at most; with content no more than 100.")
            .may("wait", route::wait(config.max_wait), "Seconds for which an answer that would be empty is held back, as far as http.max_wait allows; or max.")
            .may("content", route::flag(), "Whether each upsert has its record, as page.")
            .gives::<Feed>("Changes, and the cursor behind them.")
            .refuses(&[410]),
    ]
}

fn health() -> Vec<Route> {
    vec![
        Route::get("/healthz", "Whether the process serves", async || "serving\n")
            .gives_as("text/plain", "It does.")
            .open(),
        Route::get("/readyz", "Whether the daemon is ready", readyz)
            .about("503 while it starts or stops.")
            .gives_as("text/plain", "It is, with a line that says so where nothing is fetched.")
            .refuses(&[503])
            .open(),
        Route::get("/metrics", "Metrics for Prometheus", metrics).gives_as("text/plain", "Text format, version 0.0.4."),
    ]
}

async fn pages(
    State(context): State<ApiContext>,
    headers: HeaderMap,
    Query(query): Query<query::PagesQuery>,
) -> Result<Response, Problem> {
    match query.check()? {
        PagesOf::Url(url) => page(&context, url, RecordFormat::wanted(&headers)?).await,
        PagesOf::AllHosts(listed) => listing(&context, None, listed).await,
    }
}

async fn host_pages(
    State(context): State<ApiContext>,
    host: Result<Path<String>, PathRejection>,
    Query(query): Query<query::HostPages>,
) -> Result<Response, Problem> {
    listing(&context, Some(host_in(host)?), query.check()?).await
}

/// The host that a path names, as the URL standard writes it.
pub(super) fn host_in(path: Result<Path<String>, PathRejection>) -> Result<String, Problem> {
    let Path(host) = path.map_err(|rejection| Problem::invalid(rejection.body_text()))?;
    host_of(&host)
}

/// A host as the URL standard writes it, since pages are filed under that.
pub(super) fn host_of(host: &str) -> Result<String, Problem> {
    let parsed = url::Host::parse(host).map_err(|error| Problem::invalid(format!("{host:?} is no host: {error}")))?;
    Ok(parsed.to_string())
}

async fn page(context: &ApiContext, url: String, format: RecordFormat) -> Result<Response, Problem> {
    let absent = Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, format!("{url} is not in the store"));
    let permit = stream_permit(context).await?;
    if format != RecordFormat::Json {
        let written = read(context, move |store| Ok(store.get(&url)?.map(|record| format.answer(&record)))).await?;
        drop(permit);
        return written.ok_or(absent);
    }
    let found = read(context, move |store| store.get_stored(&url)).await?;
    let mut response = found.map(|record| stream::record(record, permit)).ok_or(absent)?;
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}

async fn listing(context: &ApiContext, host: Option<String>, listed: query::ListingQuery) -> Result<Response, Problem> {
    let query::ListingQuery { after, limit } = listed;
    read(context, move |store| {
        let listing = Listing::read(store, host.as_deref(), after.as_deref(), limit)?;
        Ok(Json(listing).into_response())
    })
    .await
}

/// Gives what is newer than the cursor, and waits for it if nothing is.
async fn changes(
    State(context): State<ApiContext>,
    Query(query): Query<query::ChangesQuery>,
) -> Result<Response, Problem> {
    let query::ChangesWanted { mut since, limit, wait, content } = query.check(context.api.config.max_wait)?;
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
        // What became durable since the reading counts as changed, so that nothing falls between
        // the two.
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
    context: &ApiContext,
    since: Option<Cursor>,
    limit: usize,
) -> Result<(bool, Cursor, Response), Problem> {
    let permit = stream_permit(context).await?;
    let (rows, next) = read(context, move |store| store.changes_with_records(since, limit, CONTENT_BYTES)).await?;
    Ok((rows.is_empty(), next, stream::feed(rows, next, permit)))
}

async fn readyz(State(context): State<ApiContext>) -> Result<String, Problem> {
    let not_ready = |why| Problem::new(StatusCode::SERVICE_UNAVAILABLE, problem::NOT_READY, why);
    (context.api.ready)().map(|said| format!("{said}\n")).map_err(not_ready)
}

async fn metrics(State(context): State<ApiContext>) -> impl IntoResponse {
    ([(CONTENT_TYPE, PROMETHEUS_TEXT)], (context.api.metrics)())
}

async fn unknown_path(uri: Uri) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, problem::BLANK, format!("there is nothing at {}", uri.path()))
}

async fn unknown_method(method: Method, uri: Uri) -> Problem {
    let detail =
        format!("{} cannot be asked with {method}: the header Allow says with what, /docs all that can be", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, problem::BLANK, detail)
}

/// Leave to send records.
pub(super) async fn stream_permit(context: &ApiContext) -> Result<OwnedSemaphorePermit, Problem> {
    context.streams.clone().acquire_owned().await.map_err(|error| Problem::internal(&error))
}

/// Runs a store call, and what turns its result into JSON, where it may block.
pub(super) async fn read<T: Send + 'static>(
    context: &ApiContext,
    call: impl FnOnce(&Store) -> Result<T, tsrec_store::Error> + Send + 'static,
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
