//! The routes and their handlers.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use schemars::JsonSchema;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use super::accept::RecordFormat;
use super::answers::CONTENT_BYTES;
use super::extract::Room;
use super::flusher::Flusher;
use super::guard::{self, Guard};
use super::inspect::Catalogue;
use super::problem::{self, Problem};
use super::query::{self, MAX_LIMIT, PagesOf, Query};
use super::reference::Reference;
use super::route::{self, Route};
use super::stream::Lane;
use super::{Api, Config, Feed, Listing, stream, validators};
use tsrec_crawl::memories::SiteMemories;
use tsrec_crawl::pipeline::StoredTexts;
use tsrec_store::{Cursor, PageRecord, Store, StoredRecord};

/// The media type of Prometheus' text format.
const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4";

/// State shared by all requests. Clones share it.
#[derive(Clone)]
pub(super) struct ApiContext {
    pub(super) api: Api,
    /// Becomes true when the shutdown begins.
    pub(super) closing: watch::Sender<bool>,
    pub(super) readers: Arc<Semaphore>,
    pub(super) streams: Arc<Lane>,
    pub(super) records: Arc<Lane>,
    pub(super) snapshots: Arc<Lane>,
    pub(super) followers: Arc<Semaphore>,
    pub(super) reference: Arc<Reference>,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) room: Arc<Room>,
    pub(super) flusher: Flusher,
    /// The texts of posted pages that were stored.
    pub(super) texts: StoredTexts,
}

/// Every route, in the order of the reference.
pub(super) fn table(config: &Config, page_bytes: usize) -> Vec<Route> {
    let mut table = records(config);
    table.extend(super::extract::routes(page_bytes));
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

/// A page's record or a listing, depending on the request.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "it is there to be described")]
enum RecordOrListing {
    Record(Box<PageRecord>),
    Listing(Listing),
}

fn records(config: &Config) -> Vec<Route> {
    vec![
        Route::get("/v1/pages", "A page's record, or a listing of all pages", pages)
            .about(
                "Give url for the page's record. Give any other parameter for a listing, ordered by host, then URL, \
                or as sort says. One of the two is needed. The Accept header selects the format of a record.",
            )
            .may("url", route::url(), "The page.")
            .paged(route::url(), "Only pages past this one. Take it from next in the previous listing.")
            .may("host", route::host(), "Only pages of this host.")
            .may("kind", route::any(), "Only pages of this kind, such as article.")
            .may("method", route::any(), "Only pages whose content this method found, such as memory.")
            .may("language", route::any(), "Only pages in this language, such as en.")
            .may("least_confidence", route::share(), "Only pages with at least this confidence.")
            .may("most_confidence", route::share(), "Only pages with at most this confidence.")
            .may("from", route::date(), "Only pages fetched at this time or later.")
            .may("before", route::date(), "Only pages fetched before this time.")
            .may("sort", route::one_of(query::ORDERS), "The order. A minus reverses it.")
            .gives::<RecordOrListing>("The record or the listing. A listing is always JSON.")
            .or_gives_as(RecordFormat::others())
            .refuses(&[404, 406]),
        Route::get("/v1/hosts/{host}/pages", "Pages of a host", host_pages)
            .about("The pages are ordered by URL.")
            .with_path("host", route::host(), "The host.")
            .paged(route::url(), "Only pages past this one. Take it from next in the previous listing.")
            .gives::<Listing>("The listing."),
        Route::get("/v1/changes", "The change feed", changes)
            .about(
                "Gives the latest change of each URL past a cursor, or from the start, oldest first. A page changes if \
                its title or text changes. If only other metadata changes, the record has it but the feed does not. \
                Only an empty answer marks the end. 410: the store no longer has all changes past this cursor. Drop \
                your index and read from the start.",
            )
            .may("since", route::cursor(), "The cursor from next in the previous answer.")
            .may("limit", route::limit(MAX_LIMIT), "The most changes to return. With content, at most 100.")
            .may("wait", route::wait(config.max_wait), "Seconds to wait for a change, at most http.max_wait; or max.")
            .may("content", route::flag(), "If true, each upsert has its record, as page.")
            .gives::<Feed>("The changes, and the cursor after them.")
            .refuses(&[410]),
    ]
}

fn health() -> Vec<Route> {
    vec![
        Route::get("/healthz", "Whether the process answers requests", async || "serving\n")
            .gives_as("text/plain", "The process answers requests.")
            .open(),
        Route::get("/readyz", "Whether the daemon is ready", readyz)
            .about("Answers 503 while the daemon starts or stops.")
            .gives_as("text/plain", "The daemon is ready. If it fetches nothing, a line says so.")
            .refuses(&[503])
            .open(),
        Route::get("/metrics", "Metrics for Prometheus", metrics)
            .gives_as("text/plain", "Prometheus text format, version 0.0.4."),
    ]
}

async fn pages(
    State(context): State<ApiContext>,
    headers: HeaderMap,
    Query(query): Query<query::PagesQuery>,
) -> Result<Response, Problem> {
    match query.check()? {
        PagesOf::Url(url) => page(&context, url, RecordFormat::wanted(&headers)?).await,
        PagesOf::Listing(listed) => listing(&context, listed).await,
    }
}

async fn host_pages(
    State(context): State<ApiContext>,
    host: Result<Path<String>, PathRejection>,
    Query(query): Query<query::HostPages>,
) -> Result<Response, Problem> {
    listing(&context, query.check(host_in(host)?)?).await
}

/// The host in a path, as the URL standard writes it.
pub(super) fn host_in(path: Result<Path<String>, PathRejection>) -> Result<String, Problem> {
    let Path(host) = path.map_err(|rejection| Problem::invalid(rejection.body_text()))?;
    host_of(&host)
}

/// A host as the URL standard writes it, since pages are stored under that.
pub(super) fn host_of(host: &str) -> Result<String, Problem> {
    let parsed = url::Host::parse(host).map_err(|error| Problem::invalid(format!("{host:?} is no host: {error}")))?;
    Ok(parsed.to_string())
}

async fn page(context: &ApiContext, url: String, format: RecordFormat) -> Result<Response, Problem> {
    let absent = Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, format!("{url} is not in the store"));
    let permit = context.records.enter().await;
    if format != RecordFormat::Json {
        let written = read(context, move |store| Ok(store.get(&url)?.map(|record| format.answer(&record)))).await?;
        drop(permit);
        return written.ok_or(absent);
    }
    // Checked first: an answer that has begun can only break off.
    let checked = |record: StoredRecord| record.check().map(|()| record);
    let found = read(context, move |store| store.get_stored(&url)?.map(checked).transpose()).await?;
    let mut response = found.map(|record| stream::record(record, permit)).ok_or(absent)?;
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}

async fn listing(context: &ApiContext, listed: query::ListingQuery) -> Result<Response, Problem> {
    read(context, move |store| Ok(Json(Listing::read(store, &listed)?).into_response())).await
}

/// Returns changes newer than the cursor, and waits if there are none.
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
        // Changes that became durable since the read count, so that none is missed in between.
        tokio::select! {
            changed = context.api.store().changed(next.sequence()) => if changed.is_none() { return Ok(response) },
            () = tokio::time::sleep_until(deadline) => return Ok(response),
            _ = closed.wait_for(|closed| *closed) => return Ok(response),
        }
        since = Some(next);
    }
}

/// Whether there are changes, the cursor after them, and the answer, which is built while it is
/// sent.
async fn changes_with_records(
    context: &ApiContext,
    since: Option<Cursor>,
    limit: usize,
) -> Result<(bool, Cursor, Response), Problem> {
    let permit = context.streams.enter().await;
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

/// Runs a store call and encodes its result as JSON, on a thread that may block.
pub(super) async fn read<T: Send + 'static>(
    context: &ApiContext,
    call: impl FnOnce(&Store) -> Result<T, tsrec_store::Error> + Send + 'static,
) -> Result<T, Problem> {
    read_memories(context, move |memories| call(memories.store())).await
}

/// The same with what the sites of the store have taught.
pub(super) async fn read_memories<T: Send + 'static>(
    context: &ApiContext,
    call: impl FnOnce(&SiteMemories) -> Result<T, tsrec_store::Error> + Send + 'static,
) -> Result<T, Problem> {
    let permit = context.readers.clone().acquire_owned().await.map_err(|error| Problem::internal(&error))?;
    let memories = context.api.memories.clone();
    let calling = tokio::task::spawn_blocking(move || {
        // The call keeps the permit, since it continues when a client goes away.
        let _permit = permit;
        let answer = call(&memories);
        if answer.as_ref().is_err_and(tsrec_store::Error::is_damaged) {
            memories.store().database().doubt();
        }
        answer
    });
    Ok(calling.await.map_err(|error| Problem::internal(&error))??)
}
