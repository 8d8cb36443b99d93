//! The search page. Its templates escape their input. The page runs no script and loads nothing
//! from elsewhere.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;

use crate::index::Pages;
use crate::search::{Found, Hit, Snippet, search};

/// Hits per page, and the most that a request can ask for.
const HITS: (usize, usize) = (20, 200);
/// The longest query, in bytes. A person types less.
const LONGEST: usize = 1_000;
/// The page runs nothing, and loads only its own style sheet.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
form { display: flex; gap: .5rem; }
input { flex: 1; min-width: 0; font: inherit; padding: .4rem .6rem; }
button { font: inherit; padding: .4rem 1rem; }
ol { list-style: none; padding: 0; }
li { margin: 1.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0; }
p { margin: 0; }
mark { background: none; color: inherit; font-weight: bold; }
.about, .hint { font-size: .85rem; opacity: .75; }
";

#[derive(Debug, Default, Deserialize)]
struct Asked {
    #[serde(default)]
    q: String,
    n: Option<usize>,
}

/// The routes: the search page at `/`.
pub fn routes(pages: Pages) -> Router {
    Router::new()
        .route("/", get(answer))
        .route("/style.css", get(|| async { ([(CONTENT_TYPE, "text/css; charset=utf-8")], STYLE) }))
        .with_state(Arc::new(pages))
}

async fn answer(State(pages): State<Arc<Pages>>, Query(asked): Query<Asked>) -> Response {
    let query = asked.q.trim().to_owned();
    let most = asked.n.unwrap_or(HITS.0).clamp(1, HITS.1);
    if query.len() > LONGEST {
        let why = format!("The query is longer than {LONGEST} bytes: take fewer words.");
        return respond(StatusCode::BAD_REQUEST, &page("", html! { p { (why) } }));
    }
    let (asked, count) = (query.clone(), pages.reader.searcher().num_docs());
    if query.is_empty() {
        return respond(StatusCode::OK, &page("", html! { p.hint { (count) " pages. " (HINT) } }));
    }
    match tokio::task::spawn_blocking(move || search(&pages, &asked, most)).await {
        Ok(Ok(found)) => respond(StatusCode::OK, &page(&query, results(&query, &found, most))),
        failed => {
            eprintln!("tsrec-indexer: {query:?} cannot be searched for: {failed:?}");
            let sorry = html! { p { "The index cannot be read; the log says why." } };
            respond(StatusCode::INTERNAL_SERVER_ERROR, &page(&query, sorry))
        }
    }
}

const HINT: &str =
    "\"a phrase\", -without, this OR that, host:example.org, kind:article, language:en, published:[2026-01 TO 2026-04]";

fn respond(status: StatusCode, page: &Markup) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    (status, headers, page.0.clone()).into_response()
}

fn page(query: &str, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { @if !query.is_empty() { (query) " – " } "Search" }
                link rel="stylesheet" href="/style.css";
            }
            body {
                form action="/" role="search" {
                    input type="search" name="q" aria-label="Search for" value=(query) autofocus[query.is_empty()];
                    button { "Search" }
                }
                main { (body) }
            }
        }
    }
}

fn results(query: &str, found: &Found, most: usize) -> Markup {
    html! {
        p.hint role="status" {
            @match found.count { 0 => "No page.", 1 => "One page.", count => { (count) " pages." } }
            @for unclear in &found.unclear { " Left out: " (unclear) "." }
        }
        ol { @for hit in &found.hits { (row(hit)) } }
        @let all_shown = found.hits.iter().map(|hit| 1 + hit.copies).sum::<usize>() >= found.count;
        @if !all_shown && most < HITS.1 { (more(query, most)) }
    }
}

fn more(query: &str, most: usize) -> Markup {
    html! {
        form action="/" {
            input type="hidden" name="q" value=(query);
            input type="hidden" name="n" value=((most * 3).min(HITS.1));
            button { "More" }
        }
    }
}

fn row(hit: &Hit) -> Markup {
    // The store has only http and https URLs. Any other URL must not become a link.
    let is_link = hit.url.starts_with("https://") || hit.url.starts_with("http://");
    html! {
        li {
            h2 { @if is_link { a href=(hit.url) rel="noreferrer" { (hit.title) } } @else { (hit.title) } }
            p.about {
                (hit.url)
                @for about in hit.about.iter().filter(|about| !about.is_empty()) { " · " (about) }
                @if hit.copies > 0 { " · " (hit.copies) " more with the same content" }
            }
            p { (marked(&hit.snippet)) }
        }
    }
}

/// A piece of text with the search words marked.
fn marked(snippet: &Snippet) -> Markup {
    let text = |from: usize, to: usize| snippet.text.get(from..to).unwrap_or_default();
    let begins = std::iter::once(0).chain(snippet.found.iter().map(|found| found.end));
    html! {
        @for (begin, found) in begins.zip(&snippet.found) {
            (text(begin, found.start)) mark { (text(found.start, found.end)) }
        }
        (text(snippet.found.last().map_or(0, |found| found.end), snippet.text.len()))
    }
}
