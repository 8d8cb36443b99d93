//! The API over a socket: the answer to each request, and its timing.
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};
use tsrec_crawl::frontier::{Embedded, Frontier, Trap};
use tsrec_server::http::{Config, Feed, Listing};
use tsrec_store::{Database, DeletionReason, NewPage, PageRecord, Store};

/// Consumers, the event stream, the snapshot.
mod follow;
/// The API's description, and conditional and compressed answers.
mod reference;
use crate::support::serving;

use serving::{Serving, open, page};

/// A store with an API. The fields are dropped in this order.
struct Bench {
    serving: Serving,
    ready: Arc<AtomicBool>,
    store: Store,
    database: Database,
    _dir: tempfile::TempDir,
}

impl Bench {
    fn new(urls: &[&str]) -> Bench {
        let dir = tempfile::tempdir().unwrap();
        let (database, store) = open(dir.path());
        for url in urls {
            store.put(&page(url, "what the page says")).unwrap();
        }
        database.durable().unwrap();
        let ready = Arc::new(AtomicBool::new(false));
        Bench { serving: Serving::start(&store, ready.clone()), ready, store, database, _dir: dir }
    }

    fn get(&self, target: &str) -> Answer {
        ask(self.serving.address, "GET", target)
    }

    /// The body of an answer that must be a success.
    fn json(&self, target: &str) -> Value {
        let answer = self.get(target);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")), "{target}");
        serde_json::from_str(&answer.body).unwrap()
    }

    /// The detail of a problem. Its other members must be right.
    fn problem(&self, target: &str, status: u16, kind: &str) -> String {
        let answer = self.get(target);
        problem(&answer, status, kind)
    }
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut fields = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

fn ask(address: SocketAddr, method: &str, target: &str) -> Answer {
    ask_for(address, method, target, "")
}

/// The answer to a request with extra header fields, each with its line break.
fn ask_for(address: SocketAddr, method: &str, target: &str, fields: &str) -> Answer {
    let text = String::from_utf8(ask_with(address, method, target, fields)).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut answer = Answer { status, head: head.to_owned(), body: body.to_owned() };
    if answer.header("transfer-encoding") == Some("chunked") {
        answer.body = unchunked(body);
    }
    answer
}

/// The complete answer to a request with extra header fields, each with its line break.
pub(crate) fn ask_with(address: SocketAddr, method: &str, target: &str, fields: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{fields}\r\n").unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    bytes
}

/// The body of a chunked answer (RFC 9112, section 7.1), which must end correctly.
pub(crate) fn unchunked(mut rest: &str) -> String {
    let mut body = String::new();
    loop {
        let (len, chunk) = rest.split_once("\r\n").unwrap();
        let len = usize::from_str_radix(len, 16).unwrap();
        body.push_str(&chunk[..len]);
        rest = &chunk[len + 2..];
        if len == 0 {
            return body;
        }
    }
}

fn problem(answer: &Answer, status: u16, kind: &str) -> String {
    assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{}", answer.head);
    let problem: Value = serde_json::from_str(&answer.body).unwrap();
    let titles =
        [(400, "Bad Request"), (404, "Not Found"), (405, "Method Not Allowed"), (406, "Not Acceptable"), (410, "Gone")];
    let title = titles.iter().find(|(of, _)| *of == status).map_or("Service Unavailable", |(_, title)| title);
    let detail = problem["detail"].as_str().unwrap().to_owned();
    let kind = if kind == "about:blank" { kind.to_owned() } else { format!("urn:tsrec:problem:{kind}") };
    assert_eq!(problem, json!({ "type": kind, "title": title, "status": status, "detail": detail }));
    assert_eq!(answer.status, status, "{detail}");
    detail
}

fn now() -> Timestamp {
    "2026-11-21T00:00:05Z".parse().unwrap()
}

#[test]
fn a_page_is_its_record() {
    let bench = Bench::new(&["http://a.example/x?y=1&z"]);
    let record = bench.store.get("http://a.example/x?y=1&z").unwrap().unwrap();
    for url in ["http://a.example/x?y=1%26z", "HTTP%3A%2F%2FA.EXAMPLE%2Fx%3Fy%3D1%26z"] {
        let found: PageRecord = serde_json::from_value(bench.json(&format!("/v1/pages?url={url}"))).unwrap();
        assert_eq!(found, record);
    }
    let mut keys: Vec<_> =
        bench.json("/v1/pages?url=http://a.example/x?y=1%26z").as_object().unwrap().keys().cloned().collect();
    keys.sort();
    let expect = "authors canonical_url changed_at charset comments confidence content_hash cut description fetched_at gates host html image kind \
                  kind_probability labels language language_confidence license method modified published seq sibling simhash site_name status tags template text title \
                  url words";
    assert_eq!(keys.join(" "), expect);
    let detail = bench.problem("/v1/pages?url=http://a.example/y", 404, "no-such-page");
    assert_eq!(detail, "http://a.example/y is not in the store");
}

#[test]
fn a_record_comes_as_its_reader_asks_for_it() {
    let bench = Bench::new(&[]);
    let html = Some("<h2>A &amp; B</h2>\n<p>One <em>two</em></p>".to_owned());
    bench.store.put(&NewPage { html, ..page("http://a.example/", "A & B\n\nOne two") }).unwrap();
    let get = |accept: &str| {
        ask_for(bench.serving.address, "GET", "/v1/pages?url=http://a.example/", &format!("Accept: {accept}\r\n"))
    };
    for (accept, content_type, part) in [
        ("*/*", "application/json", "\"html\":\"<h2>A &amp; B</h2>"),
        (
            "text/markdown",
            "text/markdown; charset=utf-8",
            "kind: \"article\"\nconfidence: 0.43691936321504876\n---\n\n## A & B\n\nOne *two*\n",
        ),
        (
            "text/html;q=0.9, text/markdown;q=0.8",
            "text/html; charset=utf-8",
            "<title>Title of http://a.example/</title></head>\n<body>\n<h2>A &amp; B</h2>",
        ),
        ("text/plain", "text/plain; charset=utf-8", "A & B\n\nOne two\n"),
        ("application/tei+xml", "application/tei+xml", "<head>A &amp; B</head>"),
    ] {
        let answer = get(accept);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(content_type)), "{accept}");
        assert!(answer.body.contains(part), "{accept}: {}", answer.body);
        let vary: Vec<&str> = answer.head.lines().filter_map(|line| line.strip_prefix("vary: ")).collect();
        assert!(
            vary.iter().any(|names| names.to_lowercase().split(',').any(|name| name.trim() == "accept")),
            "{vary:?}"
        );
    }
    let answer = get("text/html");
    assert_eq!(answer.header("content-security-policy"), Some("default-src 'none'; sandbox"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    let detail = problem(&get("image/png"), 406, "about:blank");
    assert!(detail.contains("text/markdown"), "{detail}");
    let absent = ask_for(bench.serving.address, "GET", "/v1/pages?url=http://a.example/no", "Accept: text/plain\r\n");
    problem(&absent, 404, "no-such-page");
}

#[test]
fn the_front_page_shows_traps_where_a_frontier_is_served() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    let frontier = Arc::new(Embedded::new(&database, &Default::default()).unwrap());
    let trap = Trap { until: "2099-01-01T00:00:00Z".parse().unwrap(), times: 3, prints: Vec::new() };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(frontier.set_trap("a.example", "/day/#", Some(trap))).unwrap();
    let serving = Serving::over(&store, Some(frontier), Arc::default(), Config::default(), None);
    let of = |target: &str| ask(serving.address, "GET", target).body;
    for target in ["/", "/?host=a.example"] {
        assert!(of(target).contains("a.example/day/#</b> a trap, found 3 times"), "{target}: {}", of(target));
    }
    let other = of("/?host=b.example");
    assert!(other.contains("Traps and full sections</h2><p>None."), "{other}");
    // A store without a frontier shows no frontier figures.
    assert!(!Bench::new(&[]).get("/").body.contains("Traps"));
}

#[test]
fn what_cannot_be_served_is_refused_with_its_reason() {
    let bench = Bench::new(&[]);
    let since = |cursor: &str| format!("/v1/changes?since={cursor}");
    let next = bench.json("/v1/changes")["next"].as_str().unwrap().to_owned();
    let epoch = next.split(':').next().unwrap();
    for (target, expect) in [
        ("/v1/pages", "url is missing"),
        ("/v1/pages?url=nowhere", "\"nowhere\" cannot be a key"),
        ("/v1/pages?url=mailto:a@b", "names no host"),
        ("/v1/pages?url=http://a/&limit=3", "one or the other"),
        ("/v1/pages?limit=0", "limit is \"0\", it must be a whole number from 1 to 1000"),
        ("/v1/pages?limit=1001", "from 1 to 1000"),
        ("/v1/pages?limit=", "limit is \"\""),
        ("/v1/pages?after=nowhere", "\"nowhere\" cannot be a key"),
        ("/v1/pages?URL=http://a/", "unknown field `URL`"),
        ("/v1/pages?url=http://a/&url=http://b/", "duplicate field `url`"),
        ("/v1/hosts/a%20b/pages", "\"a b\" is no host"),
        ("/v1/hosts/%ff/pages", "UTF-8"),
        ("/v1/frontier/hosts/127.0.0.1%00%01", "is no host"),
        ("/v1/hosts/a/pages?limit=-1", "limit is \"-1\""),
        ("/v1/hosts/a/pages?url=http://a/", "unknown field `url`"),
        ("/v1/changes?limit=many", "limit is \"many\""),
        ("/v1/changes?limit=101&content=true", "from 1 to 100"),
        ("/v1/changes?content=yes", "content is \"yes\", it must be true or false"),
        ("/v1/changes?wait=31", "wait is \"31\", it must be a whole number of seconds from 0 to 30, or max"),
        ("/v1/changes?wait=0.5", "wait is \"0.5\""),
        ("/v1/changes?wait=-1", "wait is \"-1\""),
        (&since("then"), "\"then\" is not a cursor"),
        (&since(""), "\"\" is not a cursor"),
        (&since(&format!("{epoch}:1")), "is past the newest change, which is 0"),
    ] {
        let detail = bench.problem(target, 400, "invalid-request");
        assert!(detail.contains(expect), "{target}: {detail}");
    }
    for (method, query) in [("PUT", "?paused=true"), ("PUT", "?delay=1s"), ("DELETE", "")] {
        let answer = ask(bench.serving.address, method, &format!("/v1/frontier/hosts/127.0.0.1%00%01{query}"));
        let detail = problem(&answer, 400, "invalid-request");
        assert!(detail.contains("is no host"), "{method}{query}: {detail}");
    }
}

#[test]
fn a_host_that_the_frontier_does_not_know_is_not_found() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    let frontier = Arc::new(Embedded::new(&database, &Default::default()).unwrap());
    let serving = Serving::over(&store, Some(Arc::clone(&frontier)), Arc::default(), Config::default(), None);
    for (method, query) in [("GET", ""), ("PUT", "?paused=true"), ("PUT", "?delay=1s"), ("DELETE", "")] {
        let answer = ask(serving.address, method, &format!("/v1/frontier/hosts/b.example{query}"));
        let detail = problem(&answer, 404, "no-such-page");
        assert!(detail.contains("knows no host b.example"), "{method}{query}: {detail}");
    }
    assert!(frontier.host("b.example").is_none(), "nothing is made of it");

    frontier.pause("b.example", false).unwrap();
    for (method, query, expect) in
        [("GET", "", 200), ("DELETE", "", 200), ("GET", "", 404), ("PUT", "?paused=false", 200), ("GET", "", 200)]
    {
        let answer = ask(serving.address, method, &format!("/v1/frontier/hosts/b.example{query}"));
        assert_eq!(answer.status, expect, "{method}{query}");
    }
    let answer = ask(serving.address, "PUT", "/v1/frontier/hosts/b.example?delay=500000000000years");
    assert!(problem(&answer, 400, "invalid-request").contains("at most 100years"));
}

#[test]
fn the_inspector_is_shown_in_no_frame() {
    let bench = Bench::new(&[]);
    for path in ["/", "/docs"] {
        let answer = bench.get(path);
        let policy = answer.header("content-security-policy").unwrap_or_default();
        assert!(policy.ends_with("; frame-ancestors 'none'"), "{path}: {policy}");
    }
}

#[test]
fn unknown_paths_and_methods_are_problems_too() {
    let bench = Bench::new(&[]);
    for path in ["/v1", "/v1/pages/", "/v2/changes?limit=1"] {
        let expect = format!("there is nothing at {}", path.split('?').next().unwrap());
        assert_eq!(bench.problem(path, 404, "about:blank"), expect);
    }
    for method in ["POST", "DELETE", "PUT"] {
        for path in ["/v1/changes", "/healthz"] {
            let answer = ask(bench.serving.address, method, path);
            let detail = problem(&answer, 405, "about:blank");
            let expect = "the header Allow says with what, /docs all that can be";
            assert_eq!(detail, format!("{path} cannot be asked with {method}: {expect}"));
            // RFC 9110, section 15.5.6: the answer must list the allowed methods.
            assert_eq!(answer.header("allow"), Some("GET,HEAD"), "{}", answer.head);
        }
    }
}

#[test]
fn health_readiness_and_metrics() {
    let bench = Bench::new(&[]);
    assert_eq!((bench.get("/healthz").status, bench.get("/healthz").body.as_str()), (200, "serving\n"));
    bench.problem("/readyz", 503, "not-ready");
    bench.ready.store(true, Ordering::SeqCst);
    assert_eq!((bench.get("/readyz").status, bench.get("/readyz").body.as_str()), (200, "ready\n"));
    let metrics = bench.get("/metrics");
    assert_eq!((metrics.status, metrics.body.as_str()), (200, "pages 3\n"));
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4"));
}

/// The pages of a listing, read to its end, and how many each answer had.
fn listed(bench: &Bench, path: &str, limit: usize) -> (Vec<String>, Vec<usize>) {
    let (mut urls, mut sizes, mut after) = (Vec::new(), Vec::new(), None::<String>);
    loop {
        let after_query = after.map(|after| format!("&after={after}")).unwrap_or_default();
        let listing: Listing =
            serde_json::from_value(bench.json(&format!("{path}?limit={limit}{after_query}"))).unwrap();
        sizes.push(listing.pages.len());
        urls.extend(listing.pages.into_iter().map(|page| page.url));
        match listing.next {
            Some(next) => after = Some(next),
            None => return (urls, sizes),
        }
    }
}

#[test]
fn two_hundred_and_fifty_pages_are_listed_and_followed_without_gap_or_repetition() {
    let mut urls: Vec<_> = (0..250).map(|n| format!("http://{}.example/{n:03}", ["a", "b"][n % 2])).collect();
    let bench = Bench::new(&urls.iter().map(String::as_str).collect::<Vec<_>>());

    let mut followed = Vec::new();
    let mut since = String::new();
    for (content, expect) in [(true, 100), (false, 100), (true, 50), (false, 0)] {
        let feed = bench.json(&format!("/v1/changes?limit=100&content={content}{since}"));
        let feed: Feed = serde_json::from_value(feed).unwrap();
        assert_eq!(feed.changes.len(), expect);
        since = format!("&since={}", feed.next);
        followed.extend(feed.changes.into_iter().map(|row| row.change.url));
    }
    assert_eq!(followed, urls);

    urls.sort();
    assert_eq!(listed(&bench, "/v1/pages", 100), (urls.clone(), vec![100, 100, 50]));
    assert_eq!(listed(&bench, "/v1/pages", 125), (urls.clone(), vec![125, 125]));
    for (host, of) in [("a.example", &urls[..125]), ("B.Example", &urls[125..]), ("c.example", &[])] {
        let answers = if of.is_empty() { vec![0] } else { vec![60, 60, 5] };
        assert_eq!(listed(&bench, &format!("/v1/hosts/{host}/pages"), 60), (of.to_vec(), answers), "{host}");
    }
    assert_eq!(bench.json("/v1/pages?after=http://a.example/000")["pages"].as_array().unwrap().len(), 100);
    assert_eq!(
        bench.json("/v1/hosts/b.example/pages?limit=1"),
        json!({
            "pages": [{
                "url": "http://b.example/001", "seq": 2, "title": "Title of http://b.example/001", "method": "template",
                "confidence": 0.43691936321504876, "kind": "article", "language": null, "words": 4, "fetched_at": "2026-11-21T00:00:00Z",
            }],
            "next": "http://b.example/001",
        })
    );
}

#[test]
fn changes_carry_their_pages_where_asked_and_reasons_where_deleted() {
    let bench = Bench::new(&["http://a/1", "http://a/2"]);
    bench.store.delete("http://a/1", DeletionReason::Gone, now()).unwrap();
    bench.database.durable().unwrap();
    // Not durable, so not visible yet, with or without its page.
    bench.store.put(&page("http://a/3", "new")).unwrap();
    let record = bench.store.get("http://a/2").unwrap().unwrap();
    let plain = bench.json("/v1/changes");
    let expect = json!([
        {
            "seq": 2, "url": "http://a/2", "kind": "upsert", "reason": null, "content_hash": record.content_hash,
            "at": "2026-11-21T00:00:00Z",
        },
        {
            "seq": 3, "url": "http://a/1", "kind": "delete", "reason": "gone", "content_hash": null,
            "at": "2026-11-21T00:00:05Z",
        },
    ]);
    assert_eq!(plain["changes"], expect);
    assert_eq!(plain, bench.json("/v1/changes?content=false"));

    let mut full = bench.json("/v1/changes?content=true");
    let pages: Vec<_> = (0..2).map(|n| full["changes"][n].as_object_mut().unwrap().remove("page")).collect();
    assert_eq!(pages, [Some(serde_json::to_value(&record).unwrap()), None]);
    assert_eq!(full, plain);
}

#[test]
fn forgotten_cursors_are_gone_and_told_the_way_out() {
    let bench = Bench::new(&["http://a/1", "http://a/2", "http://a/3"]);
    let cursor = bench.json("/v1/changes?limit=1")["next"].as_str().unwrap().to_owned();
    bench.store.delete("http://a/2", DeletionReason::Gone, now()).unwrap();
    bench.database.durable().unwrap();
    assert_eq!(bench.json(&format!("/v1/changes?since={cursor}"))["changes"].as_array().unwrap().len(), 2);

    assert_eq!(bench.store.prune_tombstones("2026-12-01T00:00:00Z".parse().unwrap()).unwrap(), 1);
    for since in [cursor.as_str(), "0123456789abcdef:1"] {
        for wait in ["", "&wait=30"] {
            let detail = bench.problem(&format!("/v1/changes?since={since}{wait}"), 410, "cursor-gone");
            assert!(detail.contains("read the feed from its start"), "{detail}");
        }
    }
    assert_eq!(bench.json("/v1/changes")["changes"].as_array().unwrap().len(), 2);
}

/// Asks in a separate thread. Returns the URLs of the changes, and how long it took.
fn follow(bench: &Bench, target: String) -> std::thread::JoinHandle<(Vec<String>, Duration)> {
    let address = bench.serving.address;
    std::thread::spawn(move || {
        let begin = Instant::now();
        let answer = ask(address, "GET", &target);
        let feed: Feed = serde_json::from_str(&answer.body).unwrap();
        (feed.changes.into_iter().map(|row| row.change.url).collect(), begin.elapsed())
    })
}

#[test]
fn a_long_poll_is_answered_when_a_change_is_durable_and_not_before() {
    let bench = Bench::new(&["http://a/1"]);
    for wait in ["30", "max"] {
        let next = bench.json("/v1/changes")["next"].as_str().unwrap().to_owned();
        let following = follow(&bench, format!("/v1/changes?since={next}&wait={wait}"));
        let url = format!("http://a/new/{wait}");
        bench.store.put(&page(&url, "new")).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        assert!(!following.is_finished(), "a change was told before it was durable");
        bench.database.durable().unwrap();
        let (urls, took) = following.join().unwrap();
        assert!(urls == [url] && took < Duration::from_secs(10), "{urls:?} after {took:?}");
    }
}

#[test]
fn a_long_poll_in_the_middle_of_the_feed_is_answered_at_once_and_never_with_nothing() {
    let bench = Bench::new(&["http://a/1", "http://a/2", "http://a/3"]);
    let first = bench.json("/v1/changes?limit=1")["next"].as_str().unwrap().to_owned();
    bench.store.put(&page("http://a/2", "newer, and not durable")).unwrap();
    let begin = Instant::now();
    let (urls, _) = follow(&bench, format!("/v1/changes?since={first}&wait=2")).join().unwrap();
    assert_eq!(urls, ["http://a/2", "http://a/3"]);
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
}

#[test]
fn no_wake_up_is_lost_between_a_reading_and_the_wait() {
    let bench = Bench::new(&[]);
    let (store, database) = (bench.store.clone(), bench.database.clone());
    let rounds = 100;
    let writing = std::thread::spawn(move || {
        for n in 0..rounds {
            store.put(&page(&format!("http://a/{n}"), "new")).unwrap();
            database.durable().unwrap();
        }
    });
    let (mut seen, mut since) = (Vec::new(), String::new());
    while seen.len() < rounds {
        let feed: Feed = serde_json::from_value(bench.json(&format!("/v1/changes?wait=10{since}"))).unwrap();
        assert!(!feed.changes.is_empty(), "the wait ended with nothing, after {} changes", seen.len());
        since = format!("&since={}", feed.next);
        seen.extend(feed.changes.into_iter().map(|row| row.change.seq));
    }
    writing.join().unwrap();
    assert_eq!(seen, (1..=rounds as u64).collect::<Vec<_>>());
}

#[test]
fn a_wait_that_is_over_is_answered_with_nothing_and_the_same_cursor() {
    let bench = Bench::new(&["http://a/1"]);
    let next = bench.json("/v1/changes")["next"].clone();
    let begin = Instant::now();
    let answer = bench.json(&format!("/v1/changes?wait=1&since={}", next.as_str().unwrap()));
    assert_eq!(answer, json!({ "changes": [], "next": next }));
    assert!(begin.elapsed() >= Duration::from_secs(1) && begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_shutdown_answers_long_polls_at_once() {
    let mut bench = Bench::new(&["http://a/1"]);
    let next = bench.json("/v1/changes")["next"].as_str().unwrap().to_owned();
    let following = follow(&bench, format!("/v1/changes?since={next}&wait=30"));
    std::thread::sleep(Duration::from_millis(200));
    let begin = Instant::now();
    bench.serving.stop();
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    let (urls, _) = following.join().unwrap();
    assert_eq!(urls, Vec::<String>::new());
    assert!(TcpStream::connect(bench.serving.address).is_err());
}

#[test]
fn settings_are_read_checked_and_written() {
    for (text, expect) in [
        ("", Ok("127.0.0.1:7717")),
        ("listen = 'none'", Ok("none")),
        ("listen = '[::1]:80'\nmax_wait = '10s'", Ok("[::1]:80")),
        ("listen = 'here'", Err("\"here\" is not where one can listen")),
        ("max_wait = '10m 1s'", Err("`max_wait` is 10m 1s, it must be from 1s to 10m")),
        ("max_wait = '0s'", Err("must be from 1s to 10m")),
        ("idle_timeout = '1ms'", Err("`idle_timeout` is 1ms, it must be from 100ms to 10m")),
        ("max_connections = 0", Err("it must be at least 1")),
        ("listen = '0.0.0.0:80'", Err("set `token_file` to a file that holds a token")),
        ("listen = '0.0.0.0:80'\ntoken_file = 'token'", Ok("0.0.0.0:80")),
        ("port = 80", Err("unknown field `port`")),
    ] {
        let config = toml::from_str::<Config>(text).map_err(|error| error.to_string());
        let checked = config.and_then(|config| config.check().map(|()| config).map_err(|error| error.to_string()));
        match (checked, expect) {
            (Ok(config), Ok(listen)) => {
                assert_eq!(config.listen.to_string(), listen);
                assert_eq!(toml::from_str::<Config>(&toml::to_string(&config).unwrap()).unwrap(), config);
            }
            (Err(error), Err(part)) => assert!(error.contains(part), "{text}: {error}"),
            (checked, _) => panic!("{text}: {checked:?}"),
        }
    }
}
