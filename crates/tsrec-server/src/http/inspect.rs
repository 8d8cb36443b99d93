//! The inspector: the store for people, as HTML pages at `/`. They load nothing from elsewhere.
//! Their only script asks for an element's evidence.
//!
//! ```text
//! /          overview   hosts, newest changes, a search, plots ── catalogue  the search index
//!                                                              └─ sections   traps, full sections
//! /page      record     a record beside its page and a sibling of that
//! /evidence  evidence   why a block of the page was kept or not
//! /teach     lesson     a person's marks on the page: shown first, then entered
//! /template  template   the memory of a template, place by place
//! ```
//!
//! `annotate` serves a page for labelling at an address of its own: a file.
//!
//! The inspector shows only the escaped text of stored pages. It shows their markup from a closed
//! list of elements, in a frame that may do nothing. Every change is a form, accepted only from
//! our own pages: browsers say where a form comes from.

pub mod annotate;
mod catalogue;
mod evidence;
mod lesson;
mod overview;
mod plot;
mod record;
mod sections;
mod template;

use axum::http::header::{ACCEPT, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, ORIGIN, REFERRER_POLICY};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use url::form_urlencoded::byte_serialize;

use super::problem::{self, Problem};
use super::route::{self, Route};
use crate::inspector::{self, May, escaped};
use tsrec_core::taught::Mark;

pub(super) use catalogue::Catalogue;

const HTML: (HeaderName, &str) = (CONTENT_TYPE, "text/html; charset=utf-8");

/// The longest form, in bytes. Judgement: a field for each of 50,000 elements.
const LONGEST_FORM: usize = 1 << 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/", "The inspector: the store as web pages", overview::overview)
            .may("q", route::any(), "Only pages whose URL or title has these words. Upper and lower case are the same.")
            .may("host", route::any(), "Only pages of this host.")
            .may("after", route::any(), "Only pages past this one.")
            .gives_as("text/html", "A web page with hosts, newest changes, a search, plots and traps."),
        Route::get("/page", "A record beside its page, as a web page", record::record)
            .must("url", route::url(), "The page.")
            .may("sibling", route::url(), "The sibling to show. Default: the page with the most similar URL.")
            .gives_as(
                "text/html",
                "The record. If the page's bytes are kept, also its labelled elements with evidence.",
            )
            .refuses(&[404]),
        Route::get("/evidence", "Why a block of a page is content or not, as a web page", evidence::evidence)
            .about(
                "The view of a page shows this when you open an element. Give the url, the sha256 of the shown bytes, \
                and the block.",
            )
            .must("url", route::url(), "The page.")
            .must("sha256", route::text(), "The digest of its bytes, in hexadecimal.")
            .must("block", route::count(), "The block, counted from 0.")
            .gives_as("text/html", "The evidence that changed the block's probability most.")
            .refuses(&[404, 409]),
        Route::post("/teach", "Teaches a site with marks on a page's elements, from a form", lesson::lesson)
            .about(
                "The form in the view of a page sends url, sha256 and do (preview, enter or force). For marked \
                elements it sends m1 and so on, with content or other. The daemon accepts it from the inspector's own \
                pages only. Programs use POST /v1/hosts/{host}/teach.",
            )
            .takes_form(LONGEST_FORM)
            .gives_as("text/html", "What the lesson would change, or what it changed.")
            .refuses(&[403, 404, 409]),
        Route::get("/template", "A template, place by place, as a web page", template::template)
            .must("host", route::host(), "The host.")
            .must("number", route::number(), "The template.")
            .may("from", route::number(), "The first place to show. Places are ordered by their number of words.")
            .gives_as("text/html", "What tsrec remembers of the template.")
            .refuses(&[404]),
        Route::post("/teach/undo", "Removes what a template was taught, from a form", template::undo)
            .about(
                "The form in the view of a template sends host and number. The daemon accepts it from the inspector's \
                own pages only. Programs use DELETE /v1/hosts/{host}/templates/{number}/taught.",
            )
            .takes_form(LONGEST_FORM)
            .gives_as("text/html", "The number of pages that follow.")
            .refuses(&[403, 404]),
    ]
}

/// A page of ours. It may only use its style sheet and send its forms to us.
fn answer(title: &str, body: &str) -> Response {
    answer_that(May::Send, title, body)
}

fn answer_that(may: May, title: &str, body: &str) -> Response {
    // A site that shows our page in a frame could trick a person into clicking. Only a header can
    // forbid frames; the page's own policy cannot.
    let policy = format!("{}; frame-ancestors 'none'", inspector::policy(may));
    let headers = [HTML, (CONTENT_SECURITY_POLICY, &policy), (REFERRER_POLICY, "same-origin")];
    (headers, inspector::page(title, may, body)).into_response()
}

/// The same, with an error page if the client asks for HTML, and problem details (RFC 9457)
/// otherwise.
fn for_people(headers: &HeaderMap, given: Result<Response, Problem>) -> Response {
    let wants_html = |headers: &HeaderMap| {
        let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
        accept.is_some_and(|accept| accept.contains("text/html"))
    };
    match given {
        Err(problem) if wants_html(headers) => {
            let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let body = format!(
                "{}<main class=narrow><h1>{}</h1><p role=alert>{}</main>",
                trail(&[]),
                escaped(&problem.title),
                escaped(&problem.detail)
            );
            (status, answer(&problem.title, &body)).into_response()
        }
        given => given.into_response(),
    }
}

/// Checks that one of our own pages sent a form. Browsers name the origin of every form, and no
/// other site can forge it.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_ours = match text(&HeaderName::from_static("sec-fetch-site")) {
        Some(site) => site == "same-origin",
        // Browsers omit the header if the connection is neither loopback nor TLS.
        None => {
            let origin = text(&ORIGIN).and_then(|origin| origin.split_once("://"));
            origin.is_some_and(|(_, authority)| text(&HOST) == Some(authority))
        }
    };
    let detail = "this form is taken from tsrec's own pages only: open the page that has it in a browser";
    is_ours.then_some(()).ok_or_else(|| Problem::new(StatusCode::FORBIDDEN, problem::BLANK, detail))
}

/// A field of a form; if there are several, the last.
fn field<'f>(form: &'f [(String, String)], name: &str) -> Result<&'f str, Problem> {
    let found = form.iter().rev().find(|(key, _)| key == name);
    found.map(|(_, value)| &**value).ok_or_else(|| Problem::invalid(format!("the form has no field {name}")))
}

fn fields(body: &[u8]) -> Vec<(String, String)> {
    url::form_urlencoded::parse(body).into_owned().collect()
}

/// The elements that a form marks.
fn marks(form: &[(String, String)]) -> Result<Vec<Mark>, Problem> {
    let mut marks = Vec::new();
    for (name, value) in form {
        let Some(element) = name.strip_prefix('m').and_then(|number| number.parse().ok()) else { continue };
        match value.as_str() {
            "" => {}
            "content" => marks.push(Mark { element, content: true }),
            "other" => marks.push(Mark { element, content: false }),
            _ => return Err(Problem::invalid(format!("{name} is {value:?}, it must be content, other or nothing"))),
        }
    }
    Ok(marks)
}

/// Navigation links from the store down to this page.
fn trail(steps: &[(&str, String)]) -> String {
    let steps: String = steps
        .iter()
        .map(|(name, to)| format!(" / <a href=\"{}\" dir=auto>{}</a>", escaped(to), escaped(name)))
        .collect();
    format!("<nav aria-label=Path><a href=/>tsrec</a>{steps}</nav>")
}

/// Encodes a parameter for a URL of ours.
fn encoded(value: &str) -> String {
    byte_serialize(value.as_bytes()).collect()
}

fn to_host(host: &str) -> String {
    format!("/?host={}", encoded(host))
}

fn to_page(url: &str) -> String {
    format!("/page?url={}", encoded(url))
}

fn to_template(host: &str, number: u32) -> String {
    format!("/template?host={}&number={number}", encoded(host))
}

/// A link to a page's record.
fn link(url: &str, name: &str) -> String {
    format!("<a href=\"{}\" dir=auto>{}</a>", escaped(&to_page(url)), escaped(name))
}

/// A list of named facts; the values are markup.
fn facts(facts: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let facts: String =
        facts.into_iter().map(|(name, value)| format!("<div><dt>{name}<dd dir=auto>{value}</div>")).collect();
    format!("<dl>{facts}</dl>")
}
