//! The inspector: the store for people, as pages of HTML at `/`, without anything from elsewhere,
//! and with no script but the one that asks for an element's evidence.
//!
//! ```text
//! /          overview   hosts, newest changes, a search, plots ── catalogue  what is searched, in memory
//!                                                              └─ sections   traps, and where hosts are full
//! /page      record     a record beside the page that it was made from and a sibling of that
//! /evidence  evidence   why a block of that page was kept or not
//! /teach     lesson     what a person marked there: shown first, then entered
//! /template  template   what is remembered of a template, place by place
//! ```
//!
//! `annotate` serves another page at an address of its own: a file, to be labelled.
//!
//! Of stored pages there is text alone, escaped; their markup is shown from a closed list of
//! elements, in a frame that may do nothing. What changes something is a form, and taken from our
//! own pages only: browsers say where a form was sent from.

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
        Route::get("/", "The inspector: the store for people", overview::overview)
            .may("q", route::any(), "Pages whose URL or title has these words, in any case of letters.")
            .may("host", route::any(), "Pages of this host alone.")
            .may("after", route::any(), "Pages past this one.")
            .gives_as("text/html", "Hosts, newest changes, a search, plots, traps."),
        Route::get("/page", "A record for people, beside its page", record::record)
            .must("url", route::url(), "The page.")
            .may("sibling", route::any(), "The page to lay beside it; left out, the one that its URL is most like.")
            .gives_as("text/html", "The record; its elements with labels and evidence where the page's bytes are kept.")
            .refuses(&[404]),
        Route::get("/evidence", "Why a block of a page is kept or not, for people", evidence::evidence)
            .about("What an element of a page's view shows when it is opened: url, the sha256 of the bytes that were shown, and the block.")
            .must("url", route::url(), "The page.")
            .must("sha256", route::text(), "The digest of its bytes, in hexadecimal.")
            .must("block", route::count(), "The block, counted from 0.")
            .gives_as("text/html", "What moved its probability most.")
            .refuses(&[404, 409]),
        Route::post("/teach", "Teaches a site by marks of a page's elements, for people", lesson::lesson)
            .about("What the form of a page's view sends: url, sha256, do (preview, enter or force), and m1 and so on with content or other. It is taken from the inspector's own pages only; programs have POST /v1/hosts/{host}/teach.")
            .takes_form(LONGEST_FORM)
            .gives_as("text/html", "What would change, or what was entered.")
            .refuses(&[403, 404, 409]),
        Route::get("/template", "A template for people, place by place", template::template)
            .must("host", route::host(), "The host.")
            .must("number", route::number(), "The template.")
            .may("from", route::number(), "The first place that is shown, counted by words.")
            .gives_as("text/html", "What is remembered of it.")
            .refuses(&[404]),
        Route::post("/teach/undo", "Takes back what a template was taught, for people", template::undo)
            .about("What the form of a template's view sends: host and number. It is taken from the inspector's own pages only; programs have DELETE /v1/hosts/{host}/templates/{number}/taught.")
            .takes_form(LONGEST_FORM)
            .gives_as("text/html", "How many pages follow.")
            .refuses(&[403, 404]),
    ]
}

/// A page of ours, which may do nothing but look as it does and send its forms to us.
fn answer(title: &str, body: &str) -> Response {
    answer_that(May::Send, title, body)
}

fn answer_that(may: May, title: &str, body: &str) -> Response {
    // Whoever could show it in a frame could have it clicked on unseen. A page's own policy cannot
    // say so: only a header can.
    let policy = format!("{}; frame-ancestors 'none'", inspector::policy(may));
    let headers = [HTML, (CONTENT_SECURITY_POLICY, &policy), (REFERRER_POLICY, "same-origin")];
    (headers, inspector::page(title, may, body)).into_response()
}

/// The same with a problem, for who asks for pages to read; problem details (RFC 9457) for all
/// others.
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

/// That a form was sent by one of our own pages: no page of another site can say so, and browsers
/// say it of all.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_ours = match text(&HeaderName::from_static("sec-fetch-site")) {
        Some(site) => site == "same-origin",
        // Left out where the connection is neither loopback nor TLS.
        None => {
            let origin = text(&ORIGIN).and_then(|origin| origin.split_once("://"));
            origin.is_some_and(|(_, authority)| text(&HOST) == Some(authority))
        }
    };
    let detail = "this form is taken from tsrec's own pages only: open the page that has it in a browser";
    is_ours.then_some(()).ok_or_else(|| Problem::new(StatusCode::FORBIDDEN, problem::BLANK, detail))
}

/// A field of a form; the last of its name.
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

/// Where one is, from the store down.
fn trail(steps: &[(&str, String)]) -> String {
    let steps: String = steps
        .iter()
        .map(|(name, to)| format!(" / <a href=\"{}\" dir=auto>{}</a>", escaped(to), escaped(name)))
        .collect();
    format!("<nav aria-label=Path><a href=/>tsrec</a>{steps}</nav>")
}

/// A parameter of an address of ours.
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

/// A link to where a page's record is shown.
fn link(url: &str, name: &str) -> String {
    format!("<a href=\"{}\" dir=auto>{}</a>", escaped(&to_page(url)), escaped(name))
}

/// Facts, each with its name; the values are markup.
fn facts(facts: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let facts: String =
        facts.into_iter().map(|(name, value)| format!("<div><dt>{name}<dd dir=auto>{value}</div>")).collect();
    format!("<dl>{facts}</dl>")
}
