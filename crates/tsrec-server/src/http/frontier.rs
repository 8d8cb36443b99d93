//! The frontier over HTTP: shows URLs and hosts, and lets an operator change them while the crawl
//! runs.
//!
//! Changes use PUT or DELETE, or a media type of their own. A page of another site cannot make a
//! browser send these without asking first.

mod add;

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::add::{Added, AddedUrl, RefusedLine, RefusedLines};
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
    /// The URLs, ordered by host, then URL.
    pub urls: Vec<ListedUrl>,
    /// The URL to send as `after` to get more URLs; null at the end.
    pub next: Option<String>,
}

/// Hosts of the frontier, as `/v1/frontier/hosts` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Hosts {
    /// The hosts, ordered by name. The list is empty past the last host.
    pub hosts: Vec<KeptHost>,
}

/// Sections of hosts, as `/v1/frontier/sections` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sections {
    /// The sections, ordered by host, then section.
    pub sections: Vec<Section>,
    /// The host and section to send as `after` to get more sections; null at the end.
    pub next: Option<String>,
}

/// How many URLs or hosts a request changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Changed {
    /// The number of URLs or hosts.
    pub changed: u64,
}

/// Everything that tsrec knows about a URL, as `/v1/why` answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Why {
    /// The URL, as the URL standard serialises it.
    pub url: String,
    /// What the frontier knows: where the crawl found the URL, its state, and the result of its
    /// last visit.
    pub frontier: Option<UrlStatus>,
    /// The health of its host.
    pub host: Option<HostStatus>,
    /// Whether an operator stopped the host.
    pub host_stopped: bool,
    /// The sections of its host that contain the URL: how full they are, what they refused, and
    /// whether they are traps. If the host as a whole refused links, it is in the list too.
    #[serde(default)]
    pub sections: Vec<Section>,
    /// How tsrec found its content, if the page is stored.
    pub extraction: Option<HowFound>,
}

/// How tsrec found the content of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HowFound {
    /// The sequence number of its latest change.
    pub seq: u64,
    /// When the crawl last fetched the page.
    pub fetched_at: Timestamp,
    /// When its content last changed.
    pub changed_at: Timestamp,
    /// The name of the method that found the content.
    pub method: String,
    /// How sure the method is, from 0 to 1.
    pub confidence: f64,
    /// The number of words of content.
    pub words: u64,
    /// The sibling: the page that tsrec compared it with.
    pub sibling: Option<String>,
    /// The page's template in its site, and what tsrec knew about that template.
    #[serde(default)]
    pub template: Option<OfTemplate>,
    /// The gates that the page passed or failed.
    pub gates: serde_json::Value,
    /// The names of the limits that cut the page.
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
    /// Reads everything known about a URL.
    ///
    /// # Errors
    ///
    /// The errors of the frontier or the store.
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

impl Why {
    /// Whether nothing is known of the URL itself.
    pub fn is_unknown(&self) -> bool {
        self.frontier.is_none() && self.extraction.is_none()
    }
}

/// An operator's change to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostChange {
    /// Stop requests.
    Pause,
    /// Start requests again, at once. If the host was dropped, accept new URLs again.
    Resume,
    /// Set the delay between its requests; `None` for the configured one.
    Delay(Option<Duration>),
}

impl HostChange {
    /// Makes the change if the frontier knows the host. Returns whether it does.
    ///
    /// # Errors
    ///
    /// The frontier's errors.
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

/// Forgets the URLs of a host. Returns their number, or `None` if the frontier does not know the
/// host.
///
/// # Errors
///
/// The frontier's errors.
fn drop_host(frontier: &Embedded, host: &str) -> Result<Option<u64>, tsrec_crawl::frontier::Error> {
    frontier.host(host).map(|_| frontier.drop_queue(host)).transpose()
}

/// The message that the frontier does not know a host, with the command that lists known hosts.
fn no_such_host(host: &str) -> String {
    format!(
        "the frontier knows no host {host}: tsrec frontier sections, or GET /v1/frontier/hosts, shows those that it knows"
    )
}

/// Reads a delay between two requests.
///
/// # Errors
///
/// If it is no time, or longer than allowed.
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
            .about(
                "Gives where the crawl found the URL and what robots.txt said. Lists its last requests with cause and \
                time. Says whether its section is full or a trap, and how tsrec found its content.",
            )
            .must("url", route::url(), "The URL.")
            .gives::<Why>("What tsrec knows. Unknown parts are null.")
            .refuses(&[404]),
        Route::get("/v1/frontier", "URLs of the frontier", list)
            .about("The URLs are ordered by host, then URL.")
            .may("state", route::one_of(Filter::NAMES.map(|(name, _)| name)), "Only URLs in this state.")
            .may("host", route::host(), "Only URLs of this host.")
            .may("after", route::any(), "Only URLs past this one. Take it from next in the previous answer.")
            .may("limit", route::limit(MAX_LIMIT), "The most URLs to return.")
            .gives::<Urls>("The URLs.")
            .refuses(&[404]),
        Route::put("/v1/frontier", "Makes a URL due at once", requeue)
            .must("url", route::url(), "The URL.")
            .gives::<Changed>("The number of URLs made due: 0 if the frontier does not know the URL.")
            .refuses(&[404, 409]),
        Route::post("/v1/frontier", "Puts URLs into the crawl", add::add)
            .about(
                "Takes JSON lines, one URL each, of any number. URLs of hosts that the crawl does not have are \
                refused, unless seed is true.",
            )
            .may("seed", route::flag(), "If true, the crawl takes in the hosts of the URLs.")
            .takes_one_of(vec![route::lines_of::<AddedUrl>()], usize::MAX)
            .gives::<Added>("The number of new, known and refused URLs. They are on disk.")
            .refuses(&[404, 409, 415]),
        Route::get("/v1/frontier/sections", "Sections of hosts, and the links they refused", sections)
            .about(
                "A section is the URLs of one pattern or below one folder. A host may have \
                frontier.max_urls_per_section URLs in each. The sections are ordered by host, then section.",
            )
            .may(
                "refusing",
                route::flag(),
                "If true, only traps and sections that refused links. A section refuses links if it or its host is \
                full, or if the host was dropped. The pages of a trap are copies of each other.",
            )
            .may("host", route::host(), "Only sections of this host.")
            .may("after", route::any(), "Only sections past this one. Take it from next in the previous answer.")
            .may("limit", route::limit(MAX_LIMIT), "The most sections to return.")
            .gives::<Sections>("The sections.")
            .refuses(&[404]),
        Route::get("/v1/frontier/hosts", "Hosts of the frontier", hosts)
            .about("Lists hosts as in backups: what an operator set, and what their answers taught.")
            .paged(route::any(), "Only hosts past this one.")
            .gives::<Hosts>("The hosts, ordered by name. The list is empty past the last host.")
            .refuses(&[404]),
        of_host(Route::get("/v1/frontier/hosts/{host}", "The health of a host", host))
            .about("If an operator dropped the host, the answer is 404 until it is resumed.")
            .gives::<HostStatus>("The host's health."),
        of_host(Route::put("/v1/frontier/hosts/{host}", "Stops a host's requests, or sets their delay", change_host))
            .about("Give either paused or delay.")
            .may("paused", route::flag(), "true stops requests. false restarts them, and checks traps again.")
            .may("delay", route::text(), "The time between two requests, such as 2s. default: the configured time.")
            .gives::<Changed>("The number of changed hosts: 1.")
            .refuses(&[404, 409]),
        of_host(Route::delete("/v1/frontier/hosts/{host}", "Forgets the URLs of a host", forget_host))
            .about("The frontier refuses new URLs of the host until it is resumed (paused=false).")
            .gives::<Changed>("The number of forgotten URLs.")
            .refuses(&[404, 409]),
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
    crawled(&context)?;
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
    let is_known = change.make(&*crawled(&context)?, &host).await.map_err(|error| Problem::internal(&error))?;
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
    crawled(&context)?;
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
    Why::read(&frontier, context.api.store(), &query.url).await.map(Json).map_err(|error| {
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

/// The frontier, if a crawl uses it.
fn crawled(context: &ApiContext) -> Result<Arc<Embedded>, Problem> {
    let frontier = frontier(context)?;
    match context.api.is_crawling {
        true => Ok(frontier),
        false => {
            let detail = "no crawl runs here: tsrec serve only extracts, and tsrec crawl changes its frontier";
            Err(Problem::new(StatusCode::CONFLICT, problem::NO_CRAWL, detail))
        }
    }
}

/// Calls the frontier on a thread that may block.
pub(super) async fn ask<T: Send + 'static>(
    context: &ApiContext,
    call: impl FnOnce(&Embedded) -> Result<T, tsrec_crawl::frontier::Error> + Send + 'static,
) -> Result<T, Problem> {
    let frontier = frontier(context)?;
    let asked = tokio::task::spawn_blocking(move || call(&frontier)).await;
    asked.map_err(|error| Problem::internal(&error))?.map_err(|error| Problem::internal(&error))
}
