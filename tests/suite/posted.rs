//! `tsrec serve`: pages that other crawlers post for extraction.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// A running service. It is killed when dropped.
struct Service {
    child: Child,
    address: String,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.head, self.body))
    }
}

impl Service {
    fn start(dir: &Path) -> Service {
        Service::with(dir, "")
    }

    /// With these lines in `[http]` of its configuration.
    fn with(dir: &Path, http: &str) -> Service {
        Service::run(dir, http, &["serve"])
    }

    fn run(dir: &Path, http: &str, args: &[&str]) -> Service {
        let (config, address) = (dir.join("config.toml"), dir.join("data/http.address"));
        std::fs::write(&config, format!("[http]\n{http}")).unwrap();
        let _ = std::fs::remove_file(&address);
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
        command.args(args).args(["--listen", "127.0.0.1:0", "--config"]).arg(config);
        let child = command.arg("--data-dir").arg(dir.join("data")).stderr(Stdio::null()).spawn().unwrap();
        let mut service = Service { child, address: String::new() };
        for _ in 0..3_000 {
            let text = std::fs::read_to_string(&address).unwrap_or_default();
            if let Some(line) = text.lines().next() {
                service.address = line.to_owned();
                return service;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the service does not start");
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
        stream
    }

    /// The head of a request whose connection ends with it.
    fn head(&self, request: &str, fields: &str) -> String {
        format!("{request} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{fields}\r\n", self.address)
    }

    fn ask(&self, request: &str, fields: &str, body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let fields = format!("{fields}Content-Length: {}\r\n", body.len());
        stream.write_all(self.head(request, &fields).as_bytes()).unwrap();
        // The service may answer before it has read all.
        let _ = stream.write_all(body);
        read(&mut stream)
    }

    fn post(&self, target: &str, kind: &str, body: &[u8]) -> Answer {
        self.ask(&format!("POST {target}"), &format!("Content-Type: {kind}\r\n"), body)
    }

    fn get(&self, target: &str) -> Answer {
        self.ask(&format!("GET {target}"), "", b"")
    }

    /// Number of pages of a host's templates.
    fn known(&self, host: &str) -> u64 {
        let templates = self.get(&format!("/v1/hosts/{host}/templates")).json();
        templates["templates"].as_array().unwrap().iter().map(|one| one["pages"].as_u64().unwrap()).sum()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = if head.contains("transfer-encoding: chunked") { crate::http::unchunked(body) } else { body.to_owned() };
    Answer { status, head: head.to_owned(), body }
}

const HTML: &str = "text/html; charset=utf-8";
const NDJSON: &str = "application/x-ndjson";

/// A page of a site: every page has the menu and footer, and each story is different.
fn page(site: &str, number: usize) -> String {
    let words = ["ferry", "harbour", "lantern", "orchard", "parcel", "quarry", "ribbon", "saddle", "timber", "violin"];
    let word = |at: usize| words[(number * 7 + at * 3 + at * at) % words.len()];
    let sentence = |at: usize| {
        format!("The {} of {site} saw the {} near the {} at {at}, gladly. ", word(at), word(at + 1), word(at + 2))
    };
    let paragraph = |at: usize| format!("<p>{}</p>", (at..at + 4).map(sentence).collect::<String>());
    let story: String = (number..number + 4).map(paragraph).collect();
    format!(
        "<!DOCTYPE html><title>Story {number} | Tidings</title><ul class=menu><li><a href=/>Home of {site}</a><li><a href=/about>About</a></ul>\
         <main class=story><h1>Story {number} of {site}</h1>{story}</main><p class=note>All of this was written for {site} and may be read aloud.</p>"
    )
}

fn url(site: &str, number: usize) -> String {
    format!("https://{site}/story/{number}")
}

/// The lines of a batch of pages of three hosts, with a site each as the service names it.
fn lines(pages: usize) -> Vec<String> {
    let sites = ["a.example", "www.a.example", "b.example"];
    let line = |number: usize| {
        let site = sites[number % 3];
        // The answer names the page as the client wrote it.
        let url = url(site, number).replace("story/7", "story/\u{fc}");
        json!({ "url": url, "site": site, "html": page(site, number) }).to_string()
    };
    (0..pages).map(line).collect()
}

/// What `tsrec extract --batch --sites` makes of lines.
fn batch(dir: &Path, lines: &[String]) -> String {
    std::fs::write(dir.join("list.jsonl"), lines.join("\n")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    let output = command.args(["extract", "--sites", "--batch"]).arg(dir.join("list.jsonl")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn answers_are_the_lines_of_a_batch() {
    let [one, many] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let lines = lines(60);
    let expect = batch(one.path(), &lines);
    assert!(expect.lines().filter(|line| line.contains("\"method\":\"memory\"")).count() > 40);
    let service = Service::start(one.path());
    for (line, expect) in lines.iter().zip(expect.lines()) {
        let page: Value = serde_json::from_str(line).unwrap();
        let target = format!("/v1/extract?url={}", page["url"].as_str().unwrap().replace('\u{fc}', "%C3%BC"));
        let answer = service.post(&target, HTML, page["html"].as_str().unwrap().as_bytes());
        assert_eq!((answer.status, answer.body.as_str()), (200, expect), "{}", answer.head);
    }
    let service = Service::start(many.path());
    let answer = service.post("/v1/extract/batch", NDJSON, lines.join("\n").as_bytes());
    assert_eq!((answer.status, answer.body.as_str()), (200, expect.as_str()));
}

#[test]
fn a_url_is_learned_once_even_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(dir.path());
    let post = |service: &Service, query: &str, numbers: std::ops::Range<usize>, edition: usize| {
        for number in numbers {
            // The page has other text each time, so that its URL alone tells.
            let html = page("a.example", number).replace("</main>", &format!("<p>Edition {edition} of it.</p></main>"));
            let target = format!("/v1/extract?url={}{query}", url("a.example", number));
            assert_eq!(service.post(&target, HTML, html.as_bytes()).status, 200);
        }
    };
    post(&service, "&learn=false", 0..5, 0);
    assert_eq!(service.post("/v1/extract", HTML, page("a.example", 0).as_bytes()).status, 200);
    assert_eq!(service.get("/v1/hosts/a.example/templates").json()["templates"], json!([]));
    post(&service, "", 0..40, 1);
    post(&service, "", 0..40, 2);
    // With a fragment it is the same page.
    post(&service, "%23top", 0..5, 3);
    assert_eq!(service.known("a.example"), 40);
    // It is written within five seconds; a busy machine may need some more.
    std::thread::sleep(Duration::from_secs(12));
    post(&service, "", 40..45, 3);
    drop(service);
    let service = Service::start(dir.path());
    let known = service.known("a.example");
    assert!((40..=45).contains(&known), "{known}");
    post(&service, "", 0..45, 4);
    assert_eq!(service.known("a.example"), 45);
}

#[test]
fn a_page_is_stored_only_if_asked() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(dir.path());
    let target = format!("/v1/extract?url={}", url("a.example", 1));
    let get = format!("/v1/pages?url={}", url("a.example", 1));
    assert_eq!(service.post(&target, HTML, page("a.example", 1).as_bytes()).status, 200);
    assert_eq!(service.get(&get).status, 404);
    let store = format!("{target}&store=true");
    for (html, stored) in
        [(page("a.example", 1), "changed"), (page("a.example", 1), "unchanged"), (page("a.example", 2), "changed")]
    {
        let answer = service.post(&store, HTML, html.as_bytes()).json();
        let record = service.get(&get).json();
        assert_eq!((&answer["stored"], &answer["text"]), (&json!(stored), &record["text"]));
        assert_eq!((&record["status"], &record["title"]), (&json!(200), &answer["title"]));
    }
    let kinds = |service: &Service| {
        let feed = service.get("/v1/changes").json();
        feed["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["kind"].clone(), one["reason"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(&service), [(json!("upsert"), Value::Null)]);
    let noindex = page("a.example", 1).replace("<title>", "<meta name=robots content=noindex><title>");
    assert_eq!(service.post(&store, HTML, noindex.as_bytes()).json()["stored"], "noindex");
    assert_eq!((service.get(&get).status, kinds(&service)), (404, vec![(json!("delete"), json!("noindex"))]));
    // The frontier knows nothing of it.
    assert_eq!(service.get("/v1/frontier").json()["urls"], json!([]));
}

/// As in a crawl, a page that says nothing does not replace a record, and no content is stored
/// under many addresses.
#[test]
fn what_a_crawl_would_not_store_is_not_stored() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(dir.path());
    let stored = |url: &str, html: &str| {
        let target = format!("/v1/extract?store=true&url={url}");
        service.post(&target, HTML, html.as_bytes()).json()["stored"].clone()
    };
    let text = |url: &str| service.get(&format!("/v1/pages?url={url}")).json()["text"].clone();
    let story = url("a.example", 1);
    assert_eq!(stored(&story, &page("a.example", 1)), "changed");
    let before = text(&story);
    for nothing in [
        "<title>Just a moment...</title><h1>a.example</h1><p>Enable JavaScript and cookies to continue</p>",
        "<meta name=robots content='noindex,nofollow'><title>Just a moment...</title><p>Checking your browser.</p>",
        "<title>Database Error</title><h1>Error establishing a database connection</h1>",
        "<title>Error 500</title><h1>Internal Server Error</h1><p>Please try again later.</p>",
        "<!DOCTYPE html><title></title>",
    ] {
        assert_eq!((stored(&story, nothing), text(&story)), (json!("doubtful"), before.clone()), "{nothing}");
    }
    // Without a record there is nothing to lose.
    assert_eq!(stored("http://b.example/", "<title>Error 500</title><h1>Internal Server Error</h1>"), "changed");

    let print = page("a.example", 1).replace("<title>", &format!("<link rel=canonical href='{story}'><title>"));
    assert_eq!(stored("http://a.example/print?of=1", &print), "duplicate");
    let other = page("a.example", 9).replace("<title>", &format!("<link rel=canonical href='{story}'><title>"));
    assert_eq!(stored("http://a.example/print?of=9", &other), "changed");

    let gone = page("c.example", 3).replace("Story", "Sorry");
    for (at, expect) in [("old/page", "changed"), ("shop?item=x", "changed"), ("about/us/team", "duplicate")] {
        assert_eq!(stored(&format!("http://c.example/{at}"), &gone), expect, "{at}");
    }
}

#[test]
fn siblings_and_formats() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(dir.path());
    let siblings: Vec<Value> =
        (2..5).map(|n| json!({ "url": url("a.example", n), "html": page("a.example", n) })).collect();
    let body = json!({ "url": url("a.example", 1), "html": page("a.example", 1), "siblings": siblings }).to_string();
    let answer = service.post("/v1/extract", "application/json", body.as_bytes()).json();
    assert!(answer["sibling"].as_str().unwrap().starts_with("https://a.example/story/"), "{answer}");
    assert!(!answer["text"].as_str().unwrap().contains("read aloud"));
    assert_eq!(service.get("/v1/hosts/a.example/templates").json()["templates"], json!([]), "nothing is learned");
    for (accept, kind, begin) in [
        ("text/plain", "text/plain; charset=utf-8", "Story 1 of"),
        ("text/markdown", "text/markdown; charset=utf-8", "---\ntitle: \"Story 1"),
        ("text/html", "text/html; charset=utf-8", "<!DOCTYPE html>"),
        ("application/tei+xml", "application/tei+xml", "<"),
        ("*/*", "application/json", "{"),
    ] {
        let fields = format!("Content-Type: application/json\r\nAccept: {accept}\r\n");
        let answer = service.ask("POST /v1/extract", &fields, body.as_bytes());
        assert!(
            answer.head.contains(&format!("content-type: {kind}")) && answer.body.starts_with(begin),
            "{accept}: {}",
            answer.body
        );
    }
    // A charset of the header is heard.
    let answer =
        service.post("/v1/extract", "text/html; charset=koi8-r", b"<p>\xcd\xc9\xd2 \xcd\xc9\xd2 \xcd\xc9\xd2.");
    assert_eq!((&answer.json()["charset"], answer.status), (&json!("KOI8-R"), 200));
}

#[test]
fn a_request_says_what_to_favour() {
    let page = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/pairs/inline-tags/page.html")).unwrap();
    let words = |service: &Service, query: &str| {
        service.post(&format!("/v1/extract{query}"), "text/html", &page).json()["words"].as_u64().unwrap()
    };
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(dir.path());
    let [less, plain, more] = ["?favor=precision", "", "?favor=recall"].map(|query| words(&service, query));
    assert!(less < plain && plain < more, "{less}, {plain} and {more} words");
    let line = json!({ "html": String::from_utf8_lossy(&page) }).to_string() + "\n";
    let answer = service.post("/v1/extract/batch?favor=recall", "application/x-ndjson", line.as_bytes());
    assert_eq!(serde_json::from_str::<Value>(&answer.body).unwrap()["words"], more);
    let refused = service.post("/v1/extract?favor=speed", "text/html", &page);
    assert!(refused.status == 400 && refused.body.contains("precision"), "{}", refused.body);
    drop(service);

    // A request that says nothing gets what the crawl favours.
    let other = tempfile::tempdir().unwrap();
    let service = Service::with(other.path(), "[extract]\nfavor = 'recall'\n");
    assert_eq!([words(&service, ""), words(&service, "?favor=balance")], [more, plain]);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(dir.path());
    let long = vec![b'x'; (10 << 20) + 1];
    let json = "application/json";
    for (target, kind, body, status, said) in [
        ("/v1/extract", "text/plain", &b"<p>x"[..], 415, "text/html, or application/xhtml+xml, or application/json"),
        ("/v1/extract", "application/x-www-form-urlencoded", b"a=b", 415, "must be"),
        ("/v1/extract", "multipart/form-data; boundary=x", b"", 415, "must be"),
        ("/v1/extract", "", b"<p>x", 415, "must be"),
        ("/v1/extract", NDJSON, b"{}", 415, "must be"),
        ("/v1/extract/batch", json, b"{}", 415, "application/x-ndjson"),
        ("/v1/extract/batch", HTML, b"<p>x", 415, "application/x-ndjson"),
        ("/v1/extract?url=nowhere", HTML, b"<p>x", 400, "is no URL such as"),
        ("/v1/extract?url=ftp://a.example/", HTML, b"<p>x", 400, "no http or https URL"),
        ("/v1/extract?store=true", HTML, b"<p>x", 400, "store=true needs the page's URL"),
        ("/v1/extract?learn=no", HTML, b"<p>x", 400, "learn"),
        ("/v1/extract?save=true", HTML, b"<p>x", 400, "save"),
        ("/v1/extract/batch?url=http://a.example/", NDJSON, b"", 400, "leave url out"),
        ("/v1/extract", json, b"{", 400, "no JSON object such as"),
        ("/v1/extract", json, b"[]", 400, "no JSON object such as"),
        ("/v1/extract", json, b"{\"url\": \"http://a.example/\"}", 400, "html"),
        ("/v1/extract", json, b"{\"url\": \"x\", \"html\": \"\"}", 400, "is no URL such as"),
        (
            "/v1/extract?url=http://a.example/",
            json,
            b"{\"url\": \"http://b.example/\", \"html\": \"\"}",
            400,
            "one of them",
        ),
        ("/v1/extract", HTML, b"%PDF-1.4 x", 422, "no HTML but"),
        ("/v1/extract", HTML, b"\x89PNG\r\n\x1a\n\0\0\0", 422, "no HTML but"),
        ("/v1/extract", HTML, &long, 413, "raise html.bytes"),
    ] {
        let answer = service.post(target, kind, body);
        assert!(
            answer.status == status && answer.body.contains(said),
            "{target} {kind}: {} {}",
            answer.head,
            answer.body
        );
    }
    let answer = service.ask("POST /v1/extract", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", b"\x1f\x8b");
    assert!(answer.status == 415 && answer.body.contains("Content-Encoding"), "{}", answer.body);
    for body in [&b""[..], b"<", b"\0", b"\xff\xfe", b"plain words"] {
        assert!(matches!(service.post("/v1/extract", HTML, body).status, 200 | 422), "{body:?}");
    }
    // No crawl uses the frontier.
    for request in [
        "PUT /v1/frontier?url=http://a.example/",
        "PUT /v1/frontier/hosts/a.example?paused=true",
        "DELETE /v1/frontier/hosts/a.example",
    ] {
        let answer = service.ask(request, "", b"");
        assert!(answer.status == 409 && answer.body.contains("no-crawl"), "{request}: {}", answer.body);
    }
}

#[test]
fn a_crawl_extracts_posted_pages_too() {
    let dir = tempfile::tempdir().unwrap();
    // Its seed does not answer.
    let args = ["crawl", "http://127.0.0.1:9/", "--user-agent", "test-crawler (a test)"];
    let service = Service::run(dir.path(), "", &args);
    let lines = lines(9);
    let answer = service.post("/v1/extract/batch", NDJSON, lines.join("\n").as_bytes());
    assert_eq!((answer.status, answer.body), (200, batch(dir.path(), &lines)));
    let added = service.post("/v1/frontier", NDJSON, b"{\"url\": \"http://127.0.0.1:9/a\"}\n{\"uri\": 1}\n").json();
    assert_eq!(
        (&added["new"], &added["refused"]["invalid"], &added["examples"][0]["line"]),
        (&json!(1), &json!(1), &json!(2))
    );
    assert_eq!(service.post("/v1/frontier", "application/json", b"{}").status, 415);
}

#[test]
fn a_token_is_needed_here_too() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("token"), "0123456789abcdef0123").unwrap();
    let token = format!("token_file = {:?}", dir.path().join("token"));
    let service = Service::with(dir.path(), &token);
    for target in ["/v1/extract", "/v1/extract/batch", "/v1/frontier"] {
        assert_eq!(service.post(target, HTML, b"<p>x").status, 401, "{target}");
    }
    let fields = "Content-Type: text/html\r\nAuthorization: Bearer 0123456789abcdef0123\r\n";
    assert_eq!(service.ask("POST /v1/extract", fields, b"<p>Some words.").status, 200);
    let fields = format!("{fields}Host: elsewhere.example\r\n");
    assert_eq!(service.ask("POST /v1/extract", &fields, b"<p>Some words.").status, 400, "two hosts");
}

#[test]
fn a_bad_line_fails_alone() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(dir.path());
    let good = |n: usize| json!({ "url": url("a.example", n), "html": page("a.example", n) }).to_string();
    let lines = [
        good(1),
        "{".to_owned(),
        String::new(),
        good(2),
        json!({ "html": "%PDF-1.4" }).to_string(),
        json!({ "id": "7", "html": "<p>Some words, and more." }).to_string(),
        "\u{0}".to_owned(),
        json!({ "url": "nowhere", "html": "" }).to_string(),
        "\"<p>x\"".to_owned(),
        good(3),
    ];
    let answer = service.post("/v1/extract/batch", NDJSON, lines.join("\r\n").as_bytes());
    let answers: Vec<Value> = answer.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let short: Vec<_> = answers.iter().map(|one| (one["line"].as_u64(), one["id"].as_str().unwrap_or(""))).collect();
    let (first, second, third) = (url("a.example", 1), url("a.example", 2), url("a.example", 3));
    let expect = [
        (None, first.as_str()),
        (Some(2), ""),
        (None, &second),
        (Some(5), "line-5"),
        (None, "7"),
        (Some(7), ""),
        (Some(8), ""),
        (Some(9), ""),
        (None, &third),
    ];
    assert_eq!(short, expect);
    assert!(answers.iter().all(|one| one["line"].is_null() == one["error"].is_null()));
    let answer = service.post("/v1/extract/batch?store=true", NDJSON, b"{\"html\": \"<p>x\"}\n");
    assert!(answer.body.contains("add a member url"), "{}", answer.body);
}

/// A client that reads nothing before it has sent everything.
fn sent_before_read(service: &Service, lines: &str) -> Vec<Value> {
    let mut stream = service.connect();
    let fields = format!("Content-Type: {NDJSON}\r\nContent-Length: {}\r\n", lines.len());
    stream.write_all(service.head("POST /v1/extract/batch", &fields).as_bytes()).unwrap();
    stream.write_all(lines.as_bytes()).unwrap();
    read(&mut stream).body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn answers_wait_on_disk_for_who_sends_everything_first() {
    let dir = tempfile::tempdir().unwrap();
    let words = "The ferry of the harbour saw a lantern in the orchard and was glad of it. ".repeat(2_000);
    // Some 150 KB each: far more than sockets hold.
    let line =
        |n: usize| json!({ "id": n.to_string(), "html": format!("<h1>Page {n}</h1><p>{words}") }).to_string() + "\n";
    let lines: String = (1..=120).map(line).collect();
    let service = Service::start(dir.path());
    let answers = sent_before_read(&service, &lines);
    let ids: Vec<_> = answers.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, (1..=120).map(|n| n.to_string()).collect::<Vec<_>>());
    drop(service);
    let service = Service::with(dir.path(), "max_answers_bytes = 1048576");
    let answers = sent_before_read(&service, &lines);
    let (last, before) = answers.split_last().unwrap();
    let resume = last["resume_at"].as_u64().unwrap() as usize;
    assert!((2..120).contains(&resume) && before.len() == resume - 1, "{last} after {}", before.len());
    assert!(before.iter().zip(1..).all(|(one, n)| one["id"].as_str() == Some(&*format!("{n}"))));
}

#[test]
fn a_service_that_stops_says_with_which_line_to_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut service = Service::start(dir.path());
    let mut stream = service.connect();
    let fields = format!("Content-Type: {NDJSON}\r\nContent-Length: 10000000\r\n");
    stream.write_all(service.head("POST /v1/extract/batch", &fields).as_bytes()).unwrap();
    for n in 1..=3 {
        let line = json!({ "url": url("a.example", n), "html": page("a.example", n) }).to_string() + "\n";
        stream.write_all(line.as_bytes()).unwrap();
    }
    let (mut answer, mut piece) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&answer).contains("\"Story 3") {
        let read = stream.read(&mut piece).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&piece[..read]);
    }
    assert!(Command::new("kill").arg(service.child.id().to_string()).status().unwrap().success());
    stream.read_to_end(&mut answer).unwrap();
    let text = String::from_utf8_lossy(&answer);
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    let lines: Vec<Value> =
        crate::http::unchunked(body).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[3]["resume_at"]), (4, &json!(4)), "{}", lines[3]);
    assert!(service.child.wait().unwrap().success());
}

#[test]
fn a_full_service_says_when_to_come_again() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::with(dir.path(), "idle_timeout = '10m'");
    // Bodies that are announced and do not come: 256 MiB are room for 26 of them.
    let fields = "Content-Type: text/html\r\nContent-Length: 10000000\r\n";
    let announce = || {
        let mut stream = service.connect();
        stream.write_all(service.head("POST /v1/extract", fields).as_bytes()).unwrap();
        stream
    };
    let mut waiting: Vec<TcpStream> = (0..26).map(|_| announce()).collect();
    let refused = (0..100).find_map(|_| {
        let mut stream = announce();
        stream.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
        if stream.peek(&mut [0]).is_ok() {
            return Some(read(&mut stream));
        }
        waiting.push(stream);
        None
    });
    let refused = refused.unwrap();
    assert!(refused.status == 503 && refused.head.contains("retry-after: 1"), "{}", refused.head);
    assert_eq!(service.get("/healthz").status, 200);
    let metrics = service.get("/metrics").body;
    assert!(metrics.lines().any(|line| line.starts_with("tsrec_service_refused_total ")), "{metrics}");
}
