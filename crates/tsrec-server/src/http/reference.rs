//! The API's description of itself: `/openapi.json` for programs, `/docs` for people. `/docs` has
//! no script and loads nothing from elsewhere.

use std::fmt::Write;

use axum::extract::State;
use axum::http::HeaderName;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::IntoResponse;
use serde_json::Value;

use super::openapi::{document, statuses};
use super::route::{Parameter, Route};
use super::routes::ApiContext;

/// Both documents, made once, since nothing in them changes.
pub(super) struct Reference {
    openapi: String,
    docs: String,
}

impl Reference {
    pub(super) fn new(table: &[Route]) -> Reference {
        Reference { openapi: document(table).to_string(), docs: docs(table) }
    }
}

/// The content security policy of our page: only its own style sheet.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: (HeaderName, &str) = (CONTENT_TYPE, "text/html; charset=utf-8");

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/openapi.json", "This API as OpenAPI 3.1", openapi)
            .gives::<serde_json::Map<String, Value>>("The document.")
            .open(),
        Route::get("/docs", "This API as a web page", people).gives_as("text/html", "The reference.").open(),
        Route::get("/docs/style.css", "The style sheet of the API reference", style)
            .gives_as("text/css", "The style sheet.")
            .open(),
    ]
}

async fn openapi(State(context): State<ApiContext>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], context.reference.openapi.clone())
}

async fn people(State(context): State<ApiContext>) -> impl IntoResponse {
    ([HTML, (CONTENT_SECURITY_POLICY, POLICY)], context.reference.docs.clone())
}

async fn style() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("reference/style.css"))
}

/// The reference.
fn docs(table: &[Route]) -> String {
    let contents: String = table.iter().map(entry).collect();
    let requests: String = table.iter().map(section).collect();
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>tsrec: the API</title>\
         <link rel=stylesheet href=/docs/style.css><header><h1>The API of tsrec {version}</h1>\
         <p>For programs: <a href=/openapi.json>openapi.json</a> (OpenAPI 3.1). Problems are told as RFC 9457 has it, as <code>application/problem+json</code> with \
         <code>type</code>, <code>title</code>, <code>status</code> and <code>detail</code>. Where a token is set, requests bear it: <code>Authorization: Bearer TOKEN</code>. \
         What has an <code>ETag</code> can be asked for with <code>If-None-Match</code>; gzip and brotli are understood.</header>\
         <nav aria-label=Requests><ul>{contents}</ul></nav><main>{requests}</main>",
        version = env!("CARGO_PKG_VERSION"),
    )
}

fn anchor(route: &Route) -> String {
    let path: String =
        route.path.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    format!("{}{path}", route.method.as_str().to_lowercase())
}

fn entry(route: &Route) -> String {
    format!("<li><a href=\"#{}\"><b>{}</b> <code>{}</code></a>", anchor(route), route.method, route.path)
}

fn section(route: &Route) -> String {
    let mut html = format!(
        "<section id=\"{}\"><h2><b>{}</b> <code>{}</code></h2><p>{}. {}",
        anchor(route),
        route.method,
        route.path,
        route.summary,
        escaped(route.about)
    );
    if !route.parameters.is_empty() {
        let rows: String = route.parameters.iter().map(row).collect();
        let _ = write!(html, "<table><thead><tr><th>parameter<th>in<th>takes<th>what it is<tbody>{rows}</table>");
    }
    if !route.bodies.is_empty() {
        let bodies: Vec<String> = route.bodies.iter().map(|body| format!("<code>{}</code>", body.media_type)).collect();
        let _ = write!(html, "<p>Body: {}.", bodies.join(" or "));
    }
    let types: Vec<String> =
        route.contents.iter().map(|content| format!("<code>{}</code>", content.media_type)).collect();
    let problems: Vec<String> = statuses(route).iter().map(|status| format!("<code>{status}</code>")).collect();
    let _ = write!(html, "<p><code>{}</code> {} {}", route.status(), types.join(" or "), escaped(route.answer));
    let _ = write!(html, "<p>Problems: {}.</section>", problems.join(", "));
    html
}

fn row(parameter: &Parameter) -> String {
    let Parameter { name, in_path, is_required, schema, about } = parameter;
    let place = match (in_path, is_required) {
        (true, _) => "path",
        (false, true) => "query, needed",
        (false, false) => "query",
    };
    format!("<tr><th scope=row><code>{name}</code><td>{place}<td>{}<td>{}", escaped(&takes(schema)), escaped(about))
}

/// A parameter's schema in words.
fn takes(schema: &Value) -> String {
    if let Some(either) = schema["anyOf"].as_array() {
        return either.iter().map(takes).collect::<Vec<_>>().join(" or ");
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
    }
    let default = schema.get("default").map(|value| format!(", by default {value}")).unwrap_or_default();
    match (schema["type"].as_str(), &schema["minimum"], &schema["maximum"]) {
        (Some("integer"), least, most) if most.is_number() => format!("{least} to {most}{default}"),
        (Some("boolean"), ..) => "true or false".to_owned(),
        _ => match (schema["format"].as_str(), schema["pattern"].as_str()) {
            (Some("uri"), _) => "a URL".to_owned(),
            (_, Some(pattern)) => format!("what matches {pattern}"),
            _ => "text".to_owned(),
        },
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
