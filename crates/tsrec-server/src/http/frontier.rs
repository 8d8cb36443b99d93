//! The frontier over HTTP: what is known of URLs and hosts, and what an operator does about them
//! while the crawl runs.
//!
//! What changes something is PUT or DELETE, which no page of another site can make a browser send
//! without asking first.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::problem::{self, Problem};
use super::query::{self, MAX_LIMIT, Query};
use super::route::{self, Route};
use super::routes::{ApiContext, host_in, host_of};
use tsrec_crawl::frontier::{
    Embedded, Filter, Frontier, HostStatus, KeptHost, LONGEST_TIME, ListedUrl, Section, UrlStatus,
};
use tsrec_store::{NewPage, OfTemplate, PageRecord, Store};

/// URLs of the frontier, as `/v1/frontier` answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Urls {
    /// In the order of host and URL.
    pub urls: Vec<ListedUrl>,
    /// The URL to go on after; none at the end.
    pub next: Option<String>,
}

/// Hosts of the frontier, as `/v1/frontier/hosts` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Hosts {
    /// In the order of their names; none past the last.
    pub hosts: Vec<KeptHost>,
}

/// Sections of hosts, as `/v1/frontier/sections` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sections {
    /// In the order of host and section.
    pub sections: Vec<Section>,
    /// The host and section to go on after; none at the end.
    pub next: Option<String>,
}

/// How many URLs or hosts a request changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Changed {
    /// So many.
    pub changed: u64,
}

/// All that is known of a URL, as `/v1/why` answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Why {
    /// The URL, as the URL standard serialises it.
    pub url: String,
    /// What the frontier knows: found where, in which state, what came of it the last time.
    pub frontier: Option<UrlStatus>,
    /// How its host does.
    pub host: Option<HostStatus>,
    /// Whether an operator has stopped the host.
    pub host_stopped: bool,
    /// The sections of its host that it is in, and the host as a whole where that has refused
    /// links: how full they are, what they refused, and whether they are traps.
    #[serde(default)]
    pub sections: Vec<Section>,
    /// How its content was found, if it is stored.
    pub extraction: Option<HowFound>,
}

/// How the content of a record was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HowFound {
    /// The sequence number of its latest change.
    pub seq: u64,
    /// When the page was fetched last.
    pub fetched_at: Timestamp,
    /// When its content changed last.
    pub changed_at: Timestamp,
    /// The method.
    pub method: String,
    /// How sure it is.
    pub confidence: f64,
    /// Words of content.
    pub words: u64,
    /// The page it was compared with.
    pub sibling: Option<String>,
    /// The template of its site that it is of, and what was known of that.
    #[serde(default)]
    pub template: Option<OfTemplate>,
    /// The gates it passed or failed.
    pub gates: serde_json::Value,
    /// The limits that cut it.
    pub cut: Vec<String>,
}

impl From<PageRecord> for HowFound {
    fn from(record: PageRecord) -> Self {
        let PageRecord { page, seq, changed_at, .. } = record;
        let NewPage { fetched_at, method, confidence, words, sibling, template, gates, cut, .. } = page;
        HowFound { seq, fetched_at, changed_at, method, confidence, words, sibling, template, gates, cut }
    }
}

impl Why {
    /// Reads what there is of a URL.
    ///
    /// # Errors
    ///
    /// The frontier's or the store's.
    pub async fn read(
        frontier: &Embedded,
        store: &Store,
        url: &str,
    ) -> Result<Why, Box<dyn std::error::Error + Send + Sync>> {
        let parsed = url::Url::parse(url)?;
        let host = parsed.host_str().unwrap_or_default();
        Ok(Why {
            frontier: frontier.status(parsed.as_str()).await?,
            host: frontier.host(host),
            host_stopped: frontier.is_stopped(host),
            sections: frontier.sections_of(&parsed)?,
            extraction: store.get(parsed.as_str())?.map(HowFound::from),
            url: parsed.to_string(),
        })
    }
}

/// What is to become of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostChange {
    /// No more requests.
    Pause,
    /// Requests again, and at once; new URLs again, if it was dropped.
    Resume,
    /// This delay between its requests; `None` for the configured one.
    Delay(Option<Duration>),
}

impl HostChange {
    /// Does it, where the frontier knows the host; says whether it does.
    ///
    /// # Errors
    ///
    /// The frontier's.
    async fn make(self, frontier: &Embedded, host: &str) -> Result<bool, tsrec_crawl::frontier::Error> {
        if frontier.host(host).is_none() {
            return Ok(false);
        }
        match self {
            HostChange::Pause => frontier.pause(host, true)?,
            HostChange::Resume => frontier.pause(host, false)?,
            HostChange::Delay(delay) => frontier.set_delay(host, delay).await?,
        }
        Ok(true)
    }
}

/// Forgets the URLs of a host; gives their number, or nothing where the frontier does not know it.
///
/// # Errors
///
/// The frontier's.
fn drop_host(frontier: &Embedded, host: &str) -> Result<Option<u64>, tsrec_crawl::frontier::Error> {
    frontier.host(host).map(|_| frontier.drop_queue(host)).transpose()
}

/// That the frontier does not know a host, and what shows those that it knows.
fn no_such_host(host: &str) -> String {
    format!(
        "the frontier knows no host {host}: tsrec frontier sections, or GET /v1/frontier/hosts, shows those that it knows"
    )
}

/// Reads a delay between two requests.
///
/// # Errors
///
/// It is no time, or longer than any may be.
pub fn delay(given: &str) -> Result<Duration, String> {
    match humantime::parse_duration(given) {
        Ok(delay) if delay > LONGEST_TIME => {
            Err(format!("{given} is too long: at most {}", humantime::format_duration(LONGEST_TIME)))
        }
        Ok(delay) => Ok(delay),
        Err(error) => Err(format!("{given:?} is no time such as 2s: {error}")),
    }
}

pub(super) fn routes() -> Vec<Route> {
    let of_host = |route: Route| route.with_path("host", route::host(), "The host.").refuses(&[404]);
    vec![
        Route::get("/v1/why", "All that is known of a URL", why)
            .about("Where it was found, what robots.txt said, its last requests with cause and time, whether it is in a section that is full or a trap, how its content was found.")
            .must("url", route::url(), "The URL.")
            .gives::<Why>("What is known; null where nothing is.")
            .refuses(&[404]),
        Route::get("/v1/frontier", "URLs of the frontier", list)
            .about("In the order of host and URL.")
            .may("state", route::one_of(Filter::NAMES.map(|(name, _)| name)), "Only those in this state.")
            .may("host", route::host(), "Only those of this host.")
            .may("after", route::any(), "URLs past this one: what the answer before had as next.")
            .may("limit", route::limit(MAX_LIMIT), "So many at most.")
            .gives::<Urls>("The URLs.")
            .refuses(&[404]),
        Route::put("/v1/frontier", "Makes a URL due at once", requeue)
            .must("url", route::url(), "The URL.")
            .gives::<Changed>("How many are due: 0 where it is unknown.")
            .refuses(&[404]),
        Route::get("/v1/frontier/sections", "Sections of hosts, and the links that they refused", sections)
            .about("URLs of one pattern or below one folder, of which a host may have frontier.max_urls_per_section. In the order of host and section.")
            .may("refusing", route::flag(), "Only those that refused links, since they or the host were full, or the host was dropped, and traps: their pages are copies of each other.")
            .may("host", route::host(), "Only those of this host.")
            .may("after", route::any(), "Sections past this one: what the answer before had as next.")
            .may("limit", route::limit(MAX_LIMIT), "So many at most.")
            .gives::<Sections>("The sections.")
            .refuses(&[404]),
        Route::get("/v1/frontier/hosts", "Hosts of the frontier", hosts)
            .about("As backups keep them: what an operator set, what their answers taught.")
            .paged(route::any(), "Hosts past this one.")
            .gives::<Hosts>("In the order of their names; none past the last.")
            .refuses(&[404]),
        of_host(Route::get("/v1/frontier/hosts/{host}", "How a host does", host))
            .about("One that was dropped is not found until it is resumed.")
            .gives::<HostStatus>("How it does."),
        of_host(Route::put("/v1/frontier/hosts/{host}", "Stops requests to a host, or sets their delay", change_host))
            .about("One of paused and delay must be there.")
            .may("paused", route::flag(), "Whether no more requests are made; false also looks anew at what was taken for traps.")
            .may("delay", route::text(), "The time between two requests, such as 2s; default: the configured one.")
            .gives::<Changed>("Done."),
        of_host(Route::delete("/v1/frontier/hosts/{host}", "Forgets the URLs of a host", forget_host))
            .about("New ones are not taken until it is resumed (paused=false).")
            .gives::<Changed>("How many were forgotten."),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    state: Option<String>,
    host: Option<String>,
    after: Option<String>,
    limit: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SectionsQuery {
    refusing: Option<bool>,
    host: Option<String>,
    after: Option<String>,
    limit: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostsQuery {
    after: Option<String>,
    limit: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UrlQuery {
    url: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostQuery {
    paused: Option<bool>,
    delay: Option<String>,
}

impl HostQuery {
    fn check(self) -> Result<HostChange, Problem> {
        match (self.paused, self.delay.as_deref()) {
            (Some(true), None) => Ok(HostChange::Pause),
            (Some(false), None) => Ok(HostChange::Resume),
            (None, Some("default")) => Ok(HostChange::Delay(None)),
            (None, Some(given)) => match delay(given) {
                Ok(delay) => Ok(HostChange::Delay(Some(delay))),
                Err(why) => Err(Problem::invalid(format!("delay: {why}"))),
            },
            _ => Err(Problem::invalid("give either paused=true, paused=false, or delay=2s (or delay=default)")),
        }
    }
}

async fn list(State(context): State<ApiContext>, Query(query): Query<ListQuery>) -> Result<Response, Problem> {
    let ListQuery { state, host, after, limit } = query;
    let filter: Filter = state.as_deref().unwrap_or("all").parse().map_err(Problem::invalid)?;
    let limit = query::limit(limit.as_deref(), MAX_LIMIT)?;
    let host = host.as_deref().map(host_of).transpose()?;
    let (urls, next) =
        ask(&context, move |frontier| frontier.list(filter, host.as_deref(), after.as_deref(), limit)).await?;
    Ok(Json(Urls { urls, next }).into_response())
}

async fn sections(
    State(context): State<ApiContext>,
    Query(query): Query<SectionsQuery>,
) -> Result<Json<Sections>, Problem> {
    let SectionsQuery { refusing, host, after, limit } = query;
    let refusing = refusing.unwrap_or(false);
    let limit = query::limit(limit.as_deref(), MAX_LIMIT)?;
    let host = host.as_deref().map(host_of).transpose()?;
    let list = move |frontier: &Embedded| frontier.list_sections(refusing, host.as_deref(), after.as_deref(), limit);
    let (sections, next) = ask(&context, list).await?;
    Ok(Json(Sections { sections, next }))
}

async fn hosts(State(context): State<ApiContext>, Query(query): Query<HostsQuery>) -> Result<Json<Hosts>, Problem> {
    let HostsQuery { after, limit } = query;
    let limit = super::query::limit(limit.as_deref(), MAX_LIMIT)?;
    let hosts = ask(&context, move |frontier| frontier.kept_hosts(after.as_deref(), limit)).await?;
    Ok(Json(Hosts { hosts }))
}

async fn requeue(State(context): State<ApiContext>, Query(query): Query<UrlQuery>) -> Result<Response, Problem> {
    check_url(&query.url)?;
    let done = ask(&context, move |frontier| frontier.requeue(&query.url)).await?;
    Ok(Json(Changed { changed: u64::from(done) }).into_response())
}

async fn host(
    State(context): State<ApiContext>,
    host: Result<Path<String>, PathRejection>,
) -> Result<Json<HostStatus>, Problem> {
    let (host, frontier) = (host_in(host)?, frontier(&context)?);
    if frontier.is_dropped(&host) {
        let said = format!(
            "an operator dropped {host}: tsrec frontier resume {host}, or PUT with paused=false, takes it in again"
        );
        return Err(Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, said));
    }
    frontier.host(&host).map(Json).ok_or_else(|| absent_host(&host))
}

async fn change_host(
    State(context): State<ApiContext>,
    host: Result<Path<String>, PathRejection>,
    Query(query): Query<HostQuery>,
) -> Result<Json<Changed>, Problem> {
    let host = host_in(host)?;
    let change = query.check()?;
    let is_known = change.make(&*frontier(&context)?, &host).await.map_err(|error| Problem::internal(&error))?;
    if !is_known {
        return Err(absent_host(&host));
    }
    tracing::info!(host, ?change, "an operator changed a host");
    Ok(Json(Changed { changed: 1 }))
}

async fn forget_host(
    State(context): State<ApiContext>,
    host: Result<Path<String>, PathRejection>,
) -> Result<Json<Changed>, Problem> {
    let host = host_in(host)?;
    let name = host.clone();
    let changed = ask(&context, move |frontier| drop_host(frontier, &name)).await?;
    let changed = changed.ok_or_else(|| absent_host(&host))?;
    tracing::info!(host, urls = changed, "an operator dropped a host");
    Ok(Json(Changed { changed }))
}

fn absent_host(host: &str) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, no_such_host(host))
}

async fn why(State(context): State<ApiContext>, Query(query): Query<UrlQuery>) -> Result<Json<Why>, Problem> {
    check_url(&query.url)?;
    let frontier = frontier(&context)?;
    Why::read(&frontier, &context.api.store, &query.url).await.map(Json).map_err(|error| {
        match error.downcast_ref::<tsrec_store::Error>() {
            Some(invalid) if invalid.is_invalid() => Problem::invalid(invalid.to_string()),
            _ => Problem::internal(&*error),
        }
    })
}

fn check_url(url: &str) -> Result<(), Problem> {
    match url::Url::parse(url) {
        Ok(_) => Ok(()),
        Err(error) => Err(Problem::invalid(format!("{url:?} is no URL: {error}"))),
    }
}

fn frontier(context: &ApiContext) -> Result<Arc<Embedded>, Problem> {
    let absent = || Problem::new(StatusCode::NOT_FOUND, problem::BLANK, "no frontier is served here");
    context.api.frontier.clone().ok_or_else(absent)
}

/// Asks the frontier where it may block.
pub(super) async fn ask<T: Send + 'static>(
    context: &ApiContext,
    call: impl FnOnce(&Embedded) -> Result<T, tsrec_crawl::frontier::Error> + Send + 'static,
) -> Result<T, Problem> {
    let frontier = frontier(context)?;
    let asked = tokio::task::spawn_blocking(move || call(&frontier)).await;
    asked.map_err(|error| Problem::internal(&error))?.map_err(|error| Problem::internal(&error))
}
