use std::time::Duration;

use tsrec_crawl::fetch::{Cause, Config, Error, FetchedPage, Validators};

use crate::fetch::server::{Reply, Server, fetcher, ok, page, response, status};

/// 100,000 times the letter a, gzipped by another program: 133 bytes, mostly zeros.
fn gzipped() -> Vec<u8> {
    let head =
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xed, 0xc1, 0x31, 1, 0, 0, 0, 0xc2, 0xa0, 0xac, 0xeb, 0x5f, 0xc2, 0x1a];
    let tail = [0xaf, 0x06, 0x87, 0xfa, 0xe2, 0x1b, 0xa0, 0x86, 1, 0];
    [&head[..], &[0x1e, 0x40, 1], &[0; 96], &tail[..]].concat()
}

/// Fetches a page with this `reply` from a server without robots.txt.
async fn fetch_with(
    set: impl FnOnce(&mut Config),
    reply: impl Fn() -> Reply + Send + Sync + 'static,
) -> Result<FetchedPage, Error> {
    let server = Server::without_robots(move |_| reply()).await;
    fetcher(set).follow(&server.url("/page")).await
}

async fn fetch(reply: impl Fn() -> Reply + Send + Sync + 'static) -> Result<FetchedPage, Error> {
    fetch_with(|_| (), reply).await
}

#[tokio::test]
async fn a_page_is_given_as_it_came() {
    let server = Server::without_robots(|_| ok("Text/HTML; Charset=\"koi8-r\"", b"<p>\xF0\xD2")).await;
    let page = fetcher(|_| ()).follow(&server.url("/a?b#c")).await.unwrap();
    let expect = FetchedPage {
        url: server.url("/a?b"),
        status: 200,
        content_type: Some("text/html".to_owned()),
        charset: Some("koi8-r".to_owned()),
        body: b"<p>\xF0\xD2".to_vec(),
        truncated: false,
        validators: Validators::default(),
        directives: Default::default(),
        canonical: None,
        refresh: None,
        exchange: None,
        via: Vec::new(),
    };
    assert_eq!(page, expect);
    assert_eq!(server.paths(), ["/robots.txt", "/a?b"]);
}

#[tokio::test]
async fn requests_say_who_asks_and_what_for_and_nothing_else() {
    let server = Server::without_robots(|_| page()).await;
    fetcher(|_| ()).follow(&server.url("/page")).await.unwrap();
    for request in server.requests() {
        let request = request.to_ascii_lowercase();
        assert!(request.contains("user-agent: examplebot/1.0 (+https://example.org/bot)\r\n"), "{request}");
        assert!(request.contains("accept-encoding: gzip"), "{request}");
        assert!(!request.contains("cookie") && !request.contains("referer"), "{request}");
    }
    assert!(server.requests()[0].contains("accept: text/plain"));
    assert!(server.requests()[1].contains("accept: text/html"));
}

#[tokio::test]
async fn types_that_are_not_html_are_refused_by_name() {
    for content_type in ["application/pdf", "text/plain", "image/png", "application/xml", "text/html2"] {
        let error = fetch(move || ok(content_type, "<p>Hello")).await.unwrap_err();
        assert!(error.is_not_html() && error.to_string().contains(content_type), "{error}");
    }
    for content_type in ["text/html", "application/xhtml+xml; charset=utf-8", "TEXT/HTML"] {
        fetch(move || ok(content_type, "<p>Hello")).await.unwrap();
    }
}

#[tokio::test]
async fn the_body_of_another_type_is_not_waited_for() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 1000000\r\n\r\n";
    assert!(fetch(|| Reply::Stall(head.to_vec())).await.unwrap_err().is_not_html());
}

#[tokio::test]
async fn without_a_content_type_the_first_bytes_decide() {
    let far = [&b"<p>"[..], &[b'a'; 2000], b"\0"].concat();
    for (headers, body, expect) in [
        (&[][..], &b"<p>Hello"[..], true),
        (&["Content-Type: html"], b"<p>Hello", true),
        (&[], b"%PDF-1.7\n\0", false),
        (&["Content-Type: "], b"\x89PNG\r\n\x1A\n", false),
        (&[], &far, true),
    ] {
        let (body, headers) = (body.to_vec(), headers.to_vec());
        match fetch(move || Reply::Send(response("200 OK", &headers, &body))).await {
            Ok(page) => assert!(expect && page.content_type.is_none() && page.charset.is_none()),
            Err(error) => assert!(!expect && error.is_not_html(), "{error}"),
        }
    }
}

#[tokio::test]
async fn a_body_is_cut_at_its_decoded_length() {
    let gzip = || Reply::Send(response("200 OK", &["Content-Type: text/html", "Content-Encoding: gzip"], &gzipped()));
    let plain = || ok("text/html", [b'a'; 100_000]);
    let untyped = || Reply::Send(response("200 OK", &[], &[b'a'; 100_000]));
    for (cap, length, truncated) in [
        (10, 10, true),
        (10_000, 10_000, true),
        (99_999, 99_999, true),
        (100_000, 100_000, false),
        (1 << 20, 100_000, false),
    ] {
        for reply in [gzip, plain, untyped] {
            let page = fetch_with(|config| config.max_body_bytes = cap, reply).await.unwrap();
            assert_eq!((page.body.len(), page.truncated), (length, truncated), "cap {cap}");
            assert!(page.body.iter().all(|byte| *byte == b'a'));
        }
    }
}

#[tokio::test]
async fn an_encoding_that_was_not_offered_is_not_html() {
    let reply =
        || Reply::Send(response("200 OK", &["Content-Type: text/html", "Content-Encoding: compress"], b"\x1F\x9D"));
    let error = fetch(reply).await.unwrap_err();
    assert!(error.is_not_html() && error.to_string().contains("`compress`"), "{error}");
}

#[tokio::test]
async fn an_answer_without_a_page_is_no_page() {
    for (line, body) in [
        ("202 Accepted", &b"<p>Your page is being made."[..]),
        ("204 No Content", b""),
        ("205 Reset Content", b""),
        ("206 Partial Content", b"<p>The first half of"),
        ("200 OK", b""),
        ("200 OK", b" \r\n\t\n"),
        ("200 OK", b"\xEF\xBB\xBF"),
        ("200 OK", b"\xEF\xBB\xBF\n"),
        ("200 OK", b"\xFF\xFE"),
        ("203 Non-Authoritative Information", b"\n"),
    ] {
        for headers in [&["Content-Type: text/html"][..], &[]] {
            let error = fetch(move || Reply::Send(response(line, headers, body))).await.unwrap_err();
            assert_eq!(error.cause(), Cause::NoContent, "{line} {body:?}: {error}");
            assert_eq!(error.status(), line[..3].parse().ok(), "{error}");
            assert!(error.is_transient() && error.to_string().contains(&line[..3]), "{error}");
        }
    }
    for line in ["200 OK", "201 Created", "203 Non-Authoritative Information", "226 IM Used", "299 Odd"] {
        fetch(move || Reply::Send(response(line, &["Content-Type: text/html"], b"<p>Hello"))).await.unwrap();
    }
}

#[tokio::test]
async fn statuses_become_errors_of_their_kind() {
    for (line, gone, transient) in [
        ("404 Not Found", true, false),
        ("410 Gone", true, false),
        ("403 Forbidden", false, false),
        ("300 Multiple Choices", false, false),
        ("408 Request Timeout", false, true),
        ("429 Too Many Requests", false, true),
        ("500 Internal Server Error", false, true),
        ("503 Service Unavailable", false, true),
    ] {
        let error = fetch(move || status(line)).await.unwrap_err();
        assert_eq!(error.status(), line[..3].parse().ok());
        assert_eq!((error.is_gone(), error.is_transient(), error.retry_after()), (gone, transient, None), "{error}");
        assert!(error.to_string().ends_with(&format!("/page answered {line}")), "{error}");
    }
}

#[tokio::test]
async fn servers_that_ask_for_a_pause_are_heard() {
    for (line, value, expect) in [
        ("429 Too Many Requests", "120", Some(120)),
        ("503 Service Unavailable", "7", Some(7)),
        ("503 Service Unavailable", "Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
        ("429 Too Many Requests", "999999999", Some(24 * 60 * 60)),
        ("429 Too Many Requests", "soon", None),
        ("500 Internal Server Error", "120", None),
    ] {
        let header = format!("Retry-After: {value}");
        let error = fetch(move || Reply::Send(response(line, &[&header], b""))).await.unwrap_err();
        assert_eq!(error.retry_after(), expect.map(Duration::from_secs), "{line}, {value}");
    }
}

#[tokio::test]
async fn silence_ends_in_a_transient_error() {
    let short = |config: &mut Config| config.timeout = Duration::from_millis(300);
    let nothing = || Reply::Stall(Vec::new());
    let half_a_page =
        || Reply::Stall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>".to_vec());
    for reply in [nothing, half_a_page] {
        let error = fetch_with(short, reply).await.unwrap_err();
        assert!(error.is_transient() && error.status().is_none(), "{error}");
        assert_eq!(error.cause(), Cause::Timeout);
    }
}

#[tokio::test]
async fn broken_connections_are_transient() {
    let cut = || Reply::Send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>".to_vec());
    let broken_gzip = || {
        let mut body = gzipped();
        // Nothing can be decoded.
        body.truncate(11);
        Reply::Send(response("200 OK", &["Content-Type: text/html", "Content-Encoding: gzip"], &body))
    };
    let no_http = || Reply::Send(b"220 mail.example.org ESMTP\r\n".to_vec());
    for reply in [cut, broken_gzip, no_http] {
        assert!(fetch(reply).await.unwrap_err().is_transient());
    }
}
