//! The API's description of itself, and answers that are not repeated (304) or are compressed.

use std::collections::BTreeSet;
use std::io::Read;

use serde_json::{Value, json};
use tsrec_store::Parked;

use super::{Bench, ask, ask_for, ask_with};
use crate::support::serving::page;

/// Every operation of the document: method, path, and description.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let of = |path: &String, operations: &Value| {
        let operations = operations.as_object().unwrap().clone();
        operations.into_iter().map(|(method, said)| (method, path.clone(), said)).collect::<Vec<_>>()
    };
    paths.iter().flat_map(|(path, operations)| of(path, operations)).collect()
}

#[test]
fn what_is_described_is_served() {
    let bench = Bench::new(&["http://a/1"]);
    let document = bench.json("/openapi.json");
    assert_eq!(document["openapi"], "3.1.0");
    let operations = operations(&document);
    assert!(operations.len() > 25, "{}", operations.len());
    let mut names = BTreeSet::new();
    for (method, path, said) in &operations {
        assert!(names.insert(said["operationId"].to_string()), "{path}");
        let target = path.replace("{host}", "a").replace("{name}", "n").replace("{number}", "1");
        // The stream never ends.
        if path == "/v1/changes/stream" {
            continue;
        }
        let status = ask(bench.serving.address, &method.to_uppercase(), &target).status;
        assert!(said["responses"].get(status.to_string()).is_some(), "{method} {path} answers {status}");
        let unknown = ask(bench.serving.address, &method.to_uppercase(), &target).body.contains("there is nothing at");
        assert!(!unknown && status != 405, "{method} {path}");
    }
    // References have a target.
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(document.pointer(reference).is_some(), "{reference}");
    }
}

/// The description names each format of a record, and the API serves it on request.
#[test]
fn the_formats_of_a_record_are_described_and_served() {
    let bench = Bench::new(&["http://a/1"]);
    let document = bench.json("/openapi.json");
    let content = document["paths"]["/v1/pages"]["get"]["responses"]["200"]["content"].as_object().unwrap();
    let described: Vec<&str> = content.keys().map(String::as_str).collect();
    assert_eq!(described, ["application/json", "application/tei+xml", "text/html", "text/markdown", "text/plain"]);
    for media_type in described {
        let accept = format!("Accept: {media_type}\r\n");
        let answer = ask_for(bench.serving.address, "GET", "/v1/pages?url=http://a/1", &accept);
        assert!(answer.status == 200 && answer.header("content-type").unwrap().starts_with(media_type), "{media_type}");
        assert!(answer.body.contains("what the page says"), "{media_type}");
    }
}

#[test]
fn a_record_has_the_fields_that_are_described() {
    let bench = Bench::new(&["http://a/1"]);
    let document = bench.json("/openapi.json");
    let schema = &document["components"]["schemas"]["PageRecord"];
    let described: BTreeSet<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let record = bench.json("/v1/pages?url=http://a/1");
    assert_eq!(described, record.as_object().unwrap().keys().collect());
    let required = schema["required"].as_array().unwrap();
    assert!(required.contains(&json!("text")) && required.contains(&json!("title")));
}

#[test]
fn people_find_every_request_in_the_reference_and_nothing_from_elsewhere() {
    let bench = Bench::new(&[]);
    let answer = bench.get("/docs");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(answer.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    for (method, path, said) in operations(&bench.json("/openapi.json")) {
        assert!(answer.body.contains(&format!("<b>{}</b> <code>{path}</code>", method.to_uppercase())), "{path}");
        assert!(answer.body.contains(said["summary"].as_str().unwrap()), "{path}");
    }
    for foreign in ["http:", "https:", "<script", " on"] {
        let found = answer
            .body
            .match_indices(foreign)
            .find(|(at, _)| foreign != " on" || answer.body[at + 3..].starts_with("click"));
        assert!(found.is_none(), "{foreign}");
    }
    assert_eq!(bench.get("/docs/style.css").header("content-type"), Some("text/css; charset=utf-8"));
}

/// The status of an answer and one of its header fields.
fn conditional(bench: &Bench, target: &str, tag: &str) -> (u16, String) {
    let bytes = ask_with(bench.serving.address, "GET", target, &format!("If-None-Match: {tag}\r\n"));
    let text = String::from_utf8(bytes).unwrap();
    (text[9..12].parse().unwrap(), text)
}

#[test]
fn who_has_an_answer_is_not_sent_it_again() {
    let bench = Bench::new(&["http://a/1"]);
    for target in ["/v1/pages?url=http://a/1", "/v1/pages?limit=5", "/v1/changes", "/openapi.json", "/docs"] {
        let tag = bench.get(target).header("etag").unwrap().to_owned();
        assert!(tag.starts_with("W/\""), "{tag}");
        for known in [tag.as_str(), &format!("\"other\", {tag}"), "*", tag.trim_start_matches("W/")] {
            let (status, answer) = conditional(&bench, target, known);
            assert_eq!(status, 304, "{target} {known}");
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(
                body.is_empty() && head.to_lowercase().contains(&format!("etag: {}", tag.to_lowercase())),
                "{answer}"
            );
        }
        assert_eq!(conditional(&bench, target, "\"other\"").0, 200);
    }
    // Errors, and answers that always change, have none.
    for target in ["/v1/pages?url=http://a/2", "/metrics", "/healthz", "/v1/snapshot"] {
        assert_eq!(bench.get(target).header("etag"), None, "{target}");
    }
    // A page that is stored again has a new tag, even with the same content.
    let tag = bench.get("/v1/pages?url=http://a/1").header("etag").unwrap().to_owned();
    let mut again = page("http://a/1", "what the page says");
    again.fetched_at = "2026-11-22T00:00:00Z".parse().unwrap();
    bench.store.put(&again).unwrap();
    bench.database.durable().unwrap();
    assert_eq!(conditional(&bench, "/v1/pages?url=http://a/1", &tag).0, 200);
}

#[test]
fn answers_are_packed_where_that_is_understood() {
    let bench = Bench::new(&[]);
    let text = "The ferry sails again, and nobody on the quay minded. ".repeat(500);
    bench.store.put(&page("http://a/1", &text)).unwrap();
    bench.database.durable().unwrap();
    let target = "/v1/pages?url=http://a/1";
    let plain = bench.get(target).body;
    for (coding, unpack) in [("gzip", ungzip as fn(&[u8]) -> String), ("br", unbrotli)] {
        let answer = ask_with(bench.serving.address, "GET", target, &format!("Accept-Encoding: {coding}\r\n"));
        let at = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..at].to_vec()).unwrap().to_lowercase();
        assert!(
            head.contains(&format!("content-encoding: {coding}")) && head.contains("vary: accept-encoding"),
            "{head}"
        );
        assert!(answer.len() < plain.len() / 5, "{} of {}", answer.len(), plain.len());
        assert_eq!(unpack(&unchunked(&answer[at + 4..])), plain);
    }
}

fn ungzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

fn unbrotli(bytes: &[u8]) -> String {
    let mut text = String::new();
    brotli_decompressor::Decompressor::new(bytes, 4096).read_to_string(&mut text).unwrap();
    text
}

/// The bytes of a chunked answer (RFC 9112, section 7.1).
fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n").unwrap();
        let len = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        body.extend_from_slice(&rest[end + 2..][..len]);
        rest = &rest[end + 2 + len + 2..];
        if len == 0 {
            return body;
        }
    }
}

#[test]
fn a_snapshot_can_be_of_one_host() {
    let bench = Bench::new(&["http://a/1", "http://a/2", "http://b/1"]);
    let lines = |target: &str| -> Vec<Value> {
        bench.get(target).body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let urls = |target: &str| {
        lines(target)[1..].iter().map(|page| page["url"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(urls("/v1/snapshot?host=a"), ["http://a/1", "http://a/2"]);
    assert_eq!(urls("/v1/snapshot").len(), 3);
    assert!(lines("/v1/snapshot?host=a")[0]["cursor"].is_string());
    assert_eq!(bench.get("/v1/snapshot?host=%20").status, 400);
}

#[test]
fn the_inspector_shows_the_store_and_nothing_of_it_can_run() {
    let bench = Bench::new(&["http://a/1", "http://b/1"]);
    let mut hostile =
        page("http://a/<script>alert(1)</script>", "</pre><script>alert(2)</script><img src=x onerror=alert(3)>");
    hostile.metadata.title = Some("</title><script>alert(4)</script>\" onload=\"alert(5)".to_owned());
    hostile.sibling = Some("javascript:alert(6)".to_owned());
    bench.store.put(&hostile).unwrap();
    bench.database.durable().unwrap();
    let record = format!("/page?url={}", "http://a/%3Cscript%3Ealert(1)%3C/script%3E");
    for target in ["/", "/?q=script", "/?host=a", &record] {
        let answer = bench.get(target);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/html; charset=utf-8")), "{target}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
        for live in ["<img", " onload=\"", "href=\"javascript"] {
            assert!(!answer.body.contains(live), "{target}: {live}");
        }
        // A page's view has our one script, and its policy allows no other.
        let scripts = usize::from(target.starts_with("/page"));
        let counted = (answer.body.matches("<script").count(), policy.matches("script-src 'sha256-").count());
        assert_eq!(counted, (scripts, scripts), "{target}");
        assert!(answer.body.contains("&lt;script&gt;alert("), "{target}");
    }
    let of_a = bench.get("/?host=a").body;
    assert!(of_a.contains("http://a/1") && !of_a.contains("<small>http://b/1"));
    assert!(!bench.get("/?q=Title").body.contains("<small>http://a/&lt;"));
    assert_eq!(bench.get("/page?url=http://nowhere/").status, 404);
    // A client that reads HTML gets errors as HTML.
    let absent = ask_for(bench.serving.address, "GET", "/page?url=http://nowhere/", "Accept: text/html,*/*;q=0.8\r\n");
    assert!(absent.status == 404 && absent.body.contains("<p role=alert>http://nowhere/ is not in the store"));
    assert_eq!(bench.get("/template?host=a&number=1").status, 404);
}

/// If the store keeps a page's bytes, the inspector shows its elements, and the page in a frame
/// without any permissions.
#[test]
fn the_inspector_shows_what_a_kept_page_is_made_of() {
    let bench = Bench::new(&["http://a/1"]);
    let story = "<p>The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch.".repeat(5);
    let body = format!("<h1>The ferry</h1>{story}<script>alert(1)</script><p onclick=alert(2)>It came back at ten.")
        .into_bytes();
    let fetched_at = "2026-11-21T00:00:00Z".parse().unwrap();
    let parked = Parked { body, status: 200, charset: None, fetched_at, truncated: false };
    let mut imported = page("http://a/1", "what the page says");
    imported.sibling = Some("javascript:alert(6)".to_owned());
    bench.store.put(&imported).unwrap();
    // The page's bytes are kept or not: what cannot be a sibling's URL is refused, and a record
    // that names such a one is shown.
    let refused = |sibling: &str| bench.get(&format!("/page?url=http://a/1&sibling={sibling}")).status;
    let no_urls = ["", "%C2%80%F2%8E%94%8CM", "b.html", "//a/1", "data:,a", "javascript:alert(1)", "http://"];
    assert!(no_urls.iter().all(|sibling| refused(sibling) == 400));
    bench.store.park("http://a/1", &parked).unwrap();
    assert!(no_urls.iter().all(|sibling| refused(sibling) == 400));
    let shown = bench.get("/page?url=http://a/1").body;
    assert!(shown.contains("class=\"content") && shown.contains("what the page says"));
    // The inspector gives evidence only for the opened block, and only for the bytes that it
    // showed.
    assert!(!shown.contains("<th>evidence"));
    let (_, why) = shown.split_once("<div class=why><a href=\"").unwrap();
    let why = why.split('"').next().unwrap().replace("&amp;", "&");
    let told = bench.get(&why);
    assert!(told.status == 200 && told.body.contains("<th>evidence<th>value<th>moves"), "{}", told.body);
    let policy = told.header("content-security-policy").unwrap();
    assert!(!policy.contains("script-src") && !told.body.contains("<script"));
    let (before, digest) = why.split_once("sha256=").unwrap();
    let digest = digest.split('&').next().unwrap();
    for (target, status) in [
        (format!("{before}sha256={digest}&block=99"), 404),
        (format!("{before}sha256={digest}&block=-1"), 400),
        (format!("{before}sha256={}&block=0", "0".repeat(64)), 409),
        (format!("/evidence?url=http://nowhere/&sha256={digest}&block=0"), 404),
    ] {
        assert_eq!(bench.get(&target).status, status, "{target}");
    }
    assert!(shown.contains("name=m1 value=\"content\"") && shown.contains("action=/teach"));
    assert!(shown.contains("No page of the same template near this one"));
    assert!(shown.contains("<iframe sandbox title=") && !shown.contains("alert(1)") && !shown.contains("onclick"));
}

/// With many pages, the inspector lists some at a time. Each can be reached.
#[test]
fn the_inspector_lists_page_by_page() {
    let urls: Vec<String> = (0..120).map(|n| format!("http://a/{n:03}")).collect();
    let bench = Bench::new(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    let (mut target, mut seen) = ("/?q=title".to_owned(), Vec::new());
    loop {
        let body = bench.get(&target).body;
        assert!(body.contains("120 pages found"));
        seen.extend(body.split("<small>").skip(1).map(|rest| rest.split('<').next().unwrap().to_owned()));
        let Some((_, next)) = body.split_once("<a rel=next href=\"") else { break };
        target = next.split('"').next().unwrap().replace("&amp;", "&");
    }
    assert_eq!(seen, urls);
}
