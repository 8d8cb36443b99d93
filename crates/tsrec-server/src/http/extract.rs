//! Extraction as a service, for crawlers of others: one page, or many as JSON lines.
//!
//! A page without siblings is extracted from the memory of its host, which learns from it. Nothing
//! is stored unless the client asks for it. The service has room of its own: see [`room`].

mod batch;
pub(super) mod page;
mod room;
mod spool;

use std::sync::Arc;

use axum::extract::State;
use axum::extract::rejection::QueryRejection;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

use self::page::{PageForm, PostedPage, Work};
pub(super) use self::room::Room;
use super::accept::RecordFormat;
use super::problem::{self, Problem};
use super::query::Query;
use super::route::{self, Route, body_of, json_of};
use super::routes::ApiContext;
use axum::body::{Body, to_bytes};
use tsrec_core::evidence::favor::Favor;
use tsrec_crawl::fetch::MediaType;

/// The most bytes of a page and its siblings as JSON, as a multiple of the most bytes of a page.
/// Judgement: JSON escapes make a page up to three times as long.
const JSON_TIMES: usize = 4;

/// The JSON lines of a batch.
pub(super) const NDJSON: &str = "application/x-ndjson";

const HTML: &str = "text/html";
const XHTML: &str = "application/xhtml+xml";
const JSON: &str = "application/json";

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PostQuery {
    url: Option<String>,
    learn: Option<bool>,
    store: Option<bool>,
    favor: Option<Favor>,
}

/// What to do with a page besides its extraction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Whether the memory of its host learns from it.
    pub(super) learn: bool,
    /// Whether it is stored.
    pub(super) store: bool,
    /// What the extraction favours. `None` for what a crawl favours here.
    pub(super) favor: Option<Favor>,
}

impl PostQuery {
    fn asked(&self) -> Asked {
        Asked { learn: self.learn.unwrap_or(true), store: self.store.unwrap_or(false), favor: self.favor }
    }
}

/// The most bytes of a request with one page.
pub(super) fn longest_body(page: usize) -> usize {
    page.saturating_mul(JSON_TIMES)
}

pub(super) fn routes(page_bytes: usize) -> Vec<Route> {
    let may = |route: Route| {
        let learn = "If false, the memory of the page's host only reads. By default true.";
        let store = "If true, the page is stored as a page fetched now with status 200. It needs a URL.";
        let favor =
            "What to favour where precision and recall conflict. By default extract.favor of the configuration.";
        let favors = route::one_of(Favor::ALL.map(Favor::as_str));
        route.may("learn", route::flag(), learn).may("store", route::flag(), store).may("favor", favors, favor)
    };
    let one = Route::post("/v1/extract", "Extracts a page", extract)
        .about(
            "With siblings, the page is compared with them. Without, it is extracted from the memory of its host, \
            which learns from it. Without a URL nothing is learned. A URL that was posted before is not learned \
            again. The Accept header selects the format of the answer. The JSON is the line of `tsrec extract \
            --batch --sites`. 503: no room now, come again after the seconds of Retry-After.",
        )
        .may("url", route::url(), "The page's URL. A JSON body may name it instead.")
        .takes_one_of(vec![body_of(HTML), body_of(XHTML), json_of::<PostedPage>()], longest_body(page_bytes))
        .gives::<Map<String, Value>>("The content and everything else that is known of the page.")
        .or_gives_as(RecordFormat::others())
        .refuses(&[406, 415, 422, 503]);
    let many = Route::post("/v1/extract/batch", "Extracts many pages", batch::extract)
        .about(
            "Takes JSON lines, each an object as for POST /v1/extract, and answers with a line for each, in order, \
            while they come. A line that cannot be used gets an object with line, id and error. Answers that the \
            client does not read yet wait on disk, up to http.max_answers_bytes. Beyond that, and when the service \
            stops, the last line has error and resume_at, the number of the first line without an answer.",
        )
        .takes_one_of(vec![route::lines_of::<PostedPage>()], usize::MAX)
        .gives_as(NDJSON, "A JSON object a line.")
        .refuses(&[415, 503]);
    vec![may(one), may(many)]
}

/// Refuses other content types, so that no web page can make a browser post to a loopback address:
/// browsers ask first (CORS) for all types that are taken here.
pub(super) fn media_type(headers: &HeaderMap, taken: &[&str]) -> Result<MediaType, Problem> {
    let unsupported = |detail: String| Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, problem::BLANK, detail);
    if let Some(coding) = headers.get(CONTENT_ENCODING).filter(|coding| *coding != "identity") {
        return Err(unsupported(format!("the body is encoded as {coding:?}: send it without a Content-Encoding")));
    }
    let found = MediaType::parse(headers.get_all(CONTENT_TYPE).iter().map(|value| value.as_bytes()));
    let given = found.as_ref().map_or("none", |found| &found.essence);
    let wants = || format!("the Content-Type is {given}, it must be {}", taken.join(", or "));
    match &found {
        Some(known) if taken.contains(&known.essence.as_str()) => {}
        _ => return Err(unsupported(wants())),
    }
    found.ok_or_else(|| unsupported(String::new()))
}

async fn extract(
    State(context): State<ApiContext>,
    query: Result<Query<PostQuery>, Problem>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let Query(query) = query?;
    let (head, body) = request.into_parts();
    let format = RecordFormat::wanted(&head.headers)?;
    let kind = media_type(&head.headers, &[HTML, XHTML, JSON])?;
    let page_bytes = context.api.limits.bytes;
    let most = if kind.essence == JSON { longest_body(page_bytes) } else { page_bytes };
    let room = context.room.enter(&head.headers, most)?;
    let bytes = to_bytes(body, most).await.map_err(|error| unread(&error, most))?;
    let url = query.url.as_deref().map(|url| url_of(url).map_err(Problem::invalid)).transpose()?;
    let page = match kind.essence.as_str() {
        JSON => PageForm::of_json(&bytes, url)?,
        _ => PageForm::of_html(bytes.into(), kind.charset, (query.url.clone(), url)),
    };
    let asked = query.asked();
    if asked.store && page.url.is_none() {
        return Err(Problem::invalid("store=true needs the page's URL: add url=https://example.org/page"));
    }
    let work = Work::new(&context, asked);
    let worker = context.room.worker().await;
    let answer = tokio::task::spawn_blocking(move || {
        let _places = (room, worker);
        work.run(page, |found, line| format.answer_found(found, line))
    });
    // A panic is the page's: the service goes on.
    answer.await.map_err(|error| Problem::internal(&error))?
}

/// An http or https URL with a host.
pub(super) fn url_of(text: &str) -> Result<Url, String> {
    let shown: String = text.chars().take(200).collect();
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        Ok(_) => Err(format!("{shown:?} is no http or https URL, such as https://example.org/page")),
        Err(error) => Err(format!("{shown:?} is no URL such as https://example.org/page: {error}")),
    }
}

fn unread(error: &axum::Error, most: usize) -> Problem {
    let is_long =
        std::error::Error::source(error).is_some_and(|source| source.is::<http_body_util::LengthLimitError>());
    match is_long {
        true => {
            let detail = format!("the body has more than {most} bytes: raise html.bytes of the configuration");
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, problem::BLANK, detail)
        }
        false => Problem::invalid(format!("the body cannot be read: {error}")),
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Problem {
        Problem::invalid(rejection.body_text())
    }
}

pub(super) fn room(context: &super::Config) -> Arc<Room> {
    Arc::new(Room::new(context.max_extractions))
}
