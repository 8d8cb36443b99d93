//! Site memories over HTTP: list, show, export, import and drop templates.
//!
//! Changes use PUT or DELETE, or POST of JSON. A page of another site cannot make a browser send
//! these without asking first.

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use super::frontier::Changed;
use super::problem::{self, Problem};
use super::query::{self, MAX_LIMIT, Query};
use super::route::{self, Route};
use super::routes::{ApiContext, host_in, host_of, read_memories};
use super::teach::{self, FollowingPages, Lesson, Taught};
use tsrec_core::extract::scored::Scored;
use tsrec_core::template::{Site, Template};
use tsrec_crawl::memories::SiteMemories;

/// The longest body of a request, in bytes: a page with its labels, or a memory. Judgement: the
/// longest parked page, in base64.
const LONGEST_BODY: usize = 32 << 20;

/// The templates that tsrec remembers of a host, as `/v1/hosts/{host}/templates` answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Templates {
    /// The host.
    pub host: String,
    /// The number of its pages that tsrec learned or saw again. `first` and `last` count these
    /// pages.
    pub pages: u64,
    /// Its templates, in the order in which tsrec first saw them.
    pub templates: Vec<TemplateRow>,
}

/// A template of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TemplateRow {
    /// Its number. The records of its pages have it too.
    pub number: u32,
    /// The number of pages that it remembers. If it has had many, it remembers the last 256 to 512.
    pub pages: u32,
    /// The number of places on these pages.
    pub places: usize,
    /// Its size in the store, in bytes before compression.
    pub bytes: usize,
    /// The position of its first page among the pages of the host; `last` is that of its last page.
    pub first: u64,
    /// See `first`.
    pub last: u64,
    /// Whether tsrec uses it to extract pages. These pages need no sibling.
    pub serves: bool,
    /// Whether a person labelled its content.
    pub taught: bool,
    /// The template that replaced it, if tsrec noticed a redesign.
    pub replaced_by: Option<u32>,
}

impl TemplateRow {
    /// The row of a site's template.
    pub fn new(site: &Site, template: &Template) -> TemplateRow {
        TemplateRow {
            number: template.number,
            pages: template.memory.pages(),
            places: template.memory.places().len(),
            bytes: site.bytes_of(template.number),
            first: template.first,
            last: template.last,
            serves: template.serves(),
            taught: template.memory.is_taught(),
            replaced_by: template.replaced_by(),
        }
    }
}

impl Templates {
    /// The templates of a host.
    pub fn new(host: &str, site: &Site) -> Templates {
        let templates = site.templates().iter().map(|template| TemplateRow::new(site, template)).collect();
        Templates { host: host.to_owned(), pages: site.pages(), templates }
    }
}

/// Hosts with remembered templates, as `/v1/templates` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RememberedHosts {
    /// The hosts, ordered by name.
    pub hosts: Vec<String>,
    /// The last of these hosts if more may follow, else null.
    pub next: Option<String>,
}

impl RememberedHosts {
    /// At most `limit` hosts past one. Blocks.
    ///
    /// # Errors
    ///
    /// The store's errors.
    fn read(memories: &SiteMemories, after: Option<&str>, limit: usize) -> Result<RememberedHosts, tsrec_store::Error> {
        let hosts = memories.remembered_hosts(after, limit)?;
        let next = hosts.last().filter(|_| hosts.len() == limit).cloned();
        Ok(RememberedHosts { hosts, next })
    }
}

/// Replaces a host's site memory with a memory file. Blocks.
///
/// # Errors
///
/// The store's errors. The inner error says why the file is refused: it is no memory file, or the
/// host has a memory already and `replace` is not set.
fn import(
    memories: &SiteMemories,
    host: &str,
    file: &[u8],
    replace: bool,
) -> Result<Result<Templates, String>, tsrec_store::Error> {
    let new = match Site::from_file(file, Scored::shipped_digest()) {
        Ok(new) => new,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let changed = memories.change_site(host, |site| {
        if !site.templates().is_empty() && !replace {
            let count = site.templates().len();
            return Err(format!(
                "{count} templates of {host} are remembered already: they go only if you say so (replace)"
            ));
        }
        *site = new;
        Ok(Templates::new(host, site))
    });
    changed.inspect(|changed| {
        if changed.is_ok() {
            memories.look_again(host);
        }
    })
}

/// Forgets a template; `false` if there is none of that number. Blocks.
///
/// # Errors
///
/// The store's errors.
fn forget(memories: &SiteMemories, host: &str, number: u32) -> Result<bool, tsrec_store::Error> {
    let forgotten = memories.change_site(host, |site| if site.forget(number) { Ok(()) } else { Err(()) })?;
    Ok(forgotten.is_ok())
}

pub(super) fn routes() -> Vec<Route> {
    let of_host = |route: Route| route.with_path("host", route::host(), "The host.");
    let of_template =
        |route: Route| of_host(route).with_path("number", route::number(), "The template.").refuses(&[404]);
    vec![
        Route::get("/v1/templates", "Hosts with remembered templates", hosts)
            .paged(route::any(), "Only hosts past this one. Take it from next in the previous answer.")
            .gives::<RememberedHosts>("The hosts."),
        of_host(Route::get("/v1/hosts/{host}/templates", "A host's templates", templates))
            .about("Gives their pages, places and bytes, and which serve, were taught, or were replaced by a redesign.")
            .gives::<Templates>("The templates. The list is empty if tsrec remembers nothing of the host."),
        of_template(Route::delete("/v1/hosts/{host}/templates/{number}", "Forgets a template", drop_one))
            .gives::<Changed>("The number of forgotten templates: 1."),
        of_template(Route::delete(
            "/v1/hosts/{host}/templates/{number}/taught",
            "Removes what a template was taught",
            undo,
        ))
        .gives::<FollowingPages>("The number of pages that follow."),
        of_host(Route::get("/v1/hosts/{host}/memory", "Exports the memory of a host as a file", export))
            .about("tsrec extract --memory reads this file.")
            .gives_as("application/octet-stream", "The memory file."),
        of_host(Route::put("/v1/hosts/{host}/memory", "Imports a memory file for a host", put))
            .may("replace", route::flag(), "If true, the file replaces the memory that the host has.")
            .takes_bytes(LONGEST_BODY)
            .gives::<Templates>("The host's templates after the import."),
        of_host(Route::post(
            "/v1/hosts/{host}/teach",
            "Enters a lesson: the labels of a person on a page",
            take_lesson,
        ))
        .about(
            "Answers 409 if there are objections to the lesson and force is not set. If the lesson has a url, it must \
            be of this host.",
        )
        .may("force", route::flag(), "If true, the lesson is entered despite objections.")
        .may("preview", route::flag(), "If true, nothing is entered. The answer says what the lesson would change.")
        .takes::<Lesson>(LONGEST_BODY)
        .gives::<Taught>("What the lesson changes.")
        .refuses(&[409]),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateHostsQuery {
    after: Option<String>,
    limit: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportQuery {
    #[serde(default)]
    replace: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TeachQuery {
    #[serde(default)]
    force: bool,
    #[serde(default)]
    preview: bool,
}

async fn hosts(
    State(context): State<ApiContext>,
    Query(query): Query<TemplateHostsQuery>,
) -> Result<Json<RememberedHosts>, Problem> {
    let limit = query::limit(query.limit.as_deref(), MAX_LIMIT)?;
    read_memories(&context, move |memories| Ok(Json(RememberedHosts::read(memories, query.after.as_deref(), limit)?)))
        .await
}

async fn templates(
    State(context): State<ApiContext>,
    host: Result<Path<String>, PathRejection>,
) -> Result<Json<Templates>, Problem> {
    let host = host_in(host)?;
    read_memories(&context, move |memories| Ok(Json(Templates::new(&host, &*memories.site(&host)?)))).await
}

async fn export(
    State(context): State<ApiContext>,
    host: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let host = host_in(host)?;
    // A body of bytes is application/octet-stream.
    read_memories(&context, move |memories| Ok(memories.site(&host)?.to_file(Scored::shipped_digest()).into_response()))
        .await
}

async fn put(
    State(context): State<ApiContext>,
    host: Result<Path<String>, PathRejection>,
    Query(query): Query<ImportQuery>,
    file: Result<Bytes, BytesRejection>,
) -> Result<Json<Templates>, Problem> {
    let host = host_in(host)?;
    let file = file.map_err(|rejection| Problem::invalid(rejection.body_text()))?;
    let done = read_memories(&context, move |memories| {
        let imported = import(memories, &host, &file, query.replace)?;
        Ok(imported.map(|templates| (host, templates)))
    });
    let (host, templates) = done.await?.map_err(Problem::invalid)?;
    tracing::info!(host, templates = templates.templates.len(), "an operator imported what is remembered of a host");
    Ok(Json(templates))
}

async fn drop_one(
    State(context): State<ApiContext>,
    path: Result<Path<(String, u32)>, PathRejection>,
) -> Result<Json<Changed>, Problem> {
    let (host, number) = parse_both(path)?;
    let absent = no_such_template(&host, number);
    let name = host.clone();
    if !read_memories(&context, move |memories| forget(memories, &name, number)).await? {
        return Err(absent);
    }
    tracing::info!(host, number, "an operator dropped a template");
    Ok(Json(Changed { changed: 1 }))
}

async fn undo(
    State(context): State<ApiContext>,
    path: Result<Path<(String, u32)>, PathRejection>,
) -> Result<Json<FollowingPages>, Problem> {
    let (host, number) = parse_both(path)?;
    let absent = nothing_taught(&host, number);
    let (frontier, name) = (context.api.frontier.clone(), host.clone());
    let done =
        with_errors(&context, move |memories| teach::take_back(memories, frontier.as_deref(), &name, number)).await?;
    let done = done.ok_or(absent)?;
    tracing::info!(host, number, "an operator took back what a template was taught");
    Ok(Json(done))
}

async fn take_lesson(
    State(context): State<ApiContext>,
    host: Result<Path<String>, PathRejection>,
    Query(TeachQuery { force, preview }): Query<TeachQuery>,
    lesson: Result<Json<Lesson>, JsonRejection>,
) -> Result<Json<Taught>, Problem> {
    let host = host_in(host)?;
    let Json(lesson) = lesson.map_err(|rejection| Problem::invalid(rejection.body_text()))?;
    let (frontier, name) = (context.api.frontier.clone(), host.clone());
    let how = teach::How { force, preview, limits: context.api.limits.clone() };
    let taught =
        with_errors(&context, move |memories| teach::teach(memories, frontier.as_deref(), &name, &lesson, how));
    let taught = taught.await?.map_err(Problem::invalid)?;
    if !taught.applied && !preview {
        return Err(Problem::new(StatusCode::CONFLICT, problem::LESSON_REFUSED, taught.refusal()));
    }
    if taught.applied {
        tracing::info!(host, template = taught.template, objections = ?taught.objections, "a template was taught by a page");
    }
    Ok(Json(taught))
}

/// Runs a call that also uses the frontier, on a thread that may block.
pub(super) async fn with_errors<T: Send + 'static>(
    context: &ApiContext,
    call: impl FnOnce(&SiteMemories) -> Result<T, Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
) -> Result<T, Problem> {
    let done = read_memories(context, move |memories| Ok(call(memories))).await?;
    done.map_err(|error| match error.downcast_ref::<tsrec_store::Error>() {
        Some(invalid) if invalid.is_invalid() => Problem::invalid(invalid.to_string()),
        _ => Problem::internal(&*error),
    })
}

pub(super) fn no_such_template(host: &str, number: u32) -> Problem {
    let detail = format!("{host} has no template {number}: GET /v1/hosts/{host}/templates lists those that there are");
    Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, detail)
}

pub(super) fn nothing_taught(host: &str, number: u32) -> Problem {
    let detail = format!(
        "{host} has no template {number} that was taught anything: GET /v1/hosts/{host}/templates says which were"
    );
    Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, detail)
}

fn parse_both(path: Result<Path<(String, u32)>, PathRejection>) -> Result<(String, u32), Problem> {
    let Path((host, number)) = path.map_err(|rejection| Problem::invalid(rejection.body_text()))?;
    Ok((host_of(&host)?, number))
}
