use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::net::TcpListener;
use tsrec_crawl::Fault;
use tsrec_crawl::fetch::{Cause, Config, Error, FetchedPage};
use url::Url;

use crate::fetch::server::{Reply, Server, fetcher, ok, redirect, response, status};

const MS: Duration = Duration::from_millis(1);

fn head(headers: &[&str]) -> Vec<u8> {
    let mut head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n".to_owned();
    headers.iter().for_each(|header| head.extend([header, "\r\n"]));
    head.into_bytes()
}

/// A complete head.
fn whole_head(headers: &[&str]) -> Vec<u8> {
    [&head(headers)[..], b"\r\n"].concat()
}

/// Short deadlines, all different, so that a test can tell which one passed.
fn impatient(config: &mut Config) {
    config.connect_timeout = 200 * MS;
    config.response_timeout = 400 * MS;
    config.slow_grace = 300 * MS;
    config.timeout = 1_500 * MS;
}

/// Fetches a page from a server with this reply. Returns the result, the time it took, and how many
/// bytes the server sent.
async fn attack(reply: impl Fn() -> Reply + Send + Sync + 'static) -> (Result<FetchedPage, Error>, Duration, usize) {
    let server = Server::without_robots(move |_| reply()).await;
    let fetcher = fetcher(impatient);
    let start = Instant::now();
    let result = fetcher.follow(&server.url("/page")).await;
    (result, start.elapsed(), server.sent())
}

async fn check(name: &str, reply: impl Fn() -> Reply + Send + Sync + 'static, expect: Cause) {
    let (result, took, sent) = attack(reply).await;
    let error = result.expect_err(name);
    assert_eq!(error.cause(), expect, "{name}: {error}");
    assert!(took < 3_000 * MS, "{name} took {took:?}");
    // The server also sends what the socket buffers hold.
    assert!(sent < 32 << 20, "{name} sent {sent} bytes");
    assert!(error.to_string().contains("/page"), "{error}");
}

#[tokio::test]
async fn interim_answers_without_end() {
    let interim = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n".repeat(100);
    // Time alone bounds them: FAULTS.md (15) has the bytes.
    let (result, took, sent) = attack(move || Reply::Flood(Vec::new(), interim.clone())).await;
    let error = result.unwrap_err();
    assert_eq!(error.cause(), Cause::ResponseTimeout, "103 for ever: {error}");
    assert!(took < 3_000 * MS, "103 for ever took {took:?}, {sent} bytes");
    let slow = b"HTTP/1.1 100 Continue\r\n\r\n".to_vec();
    check("100, slowly", move || Reply::Drip(Vec::new(), slow.clone(), 20 * MS), Cause::ResponseTimeout).await;
    let few = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(20);
    let page = response("200 OK", &["Content-Type: text/html"], b"<p>Hello");
    let (result, ..) = attack(move || Reply::Send([&few[..], &page].concat())).await;
    assert_eq!(result.unwrap().body, b"<p>Hello");
}

#[tokio::test]
async fn heads_without_end() {
    check("headers for ever", || Reply::Flood(head(&[]), b"X-A: 0123456789\r\n".repeat(100)), Cause::HeaderFlood).await;
    check("one header for ever", || Reply::Flood(head(&[]), vec![b'a'; 4096]), Cause::HeaderFlood).await;
    let many: Vec<String> = (0..500).map(|n| format!("X-{n}: y")).collect();
    let many = whole_head(&many.iter().map(String::as_str).collect::<Vec<_>>());
    check("five hundred headers", move || Reply::Send(many.clone()), Cause::HeaderFlood).await;
    let drip = || Reply::Drip(head(&[]), b"X-A: b\r\n".to_vec(), 20 * MS);
    check("headers, slowly", drip, Cause::ResponseTimeout).await;
    check("nothing", || Reply::Stall(Vec::new()), Cause::ResponseTimeout).await;
    check("half a head", || Reply::Stall(b"HTTP/1.1 200".to_vec()), Cause::ResponseTimeout).await;
}

#[tokio::test]
async fn bodies_that_drip() {
    let length = &["Content-Length: 1000000"];
    let drip = || Reply::Drip(whole_head(length), b"a".to_vec(), 20 * MS);
    check("a byte at a time", drip, Cause::TooSlow).await;
    let chunks = || Reply::Drip(whole_head(&["Transfer-Encoding: chunked"]), b"1\r\na\r\n".to_vec(), 20 * MS);
    check("a chunk at a time", chunks, Cause::TooSlow).await;
    check("half a body", || Reply::Stall(whole_head(length)), Cause::TooSlow).await;
    // 100 bytes in 20 ms are five times the minimum rate: only the total deadline ends it.
    let steady = || Reply::Drip(whole_head(length), vec![b'a'; 100], 20 * MS);
    check("steadily, for ever", steady, Cause::Timeout).await;
}

#[tokio::test]
async fn a_slow_page_that_keeps_its_rate_is_read() {
    let body = || Reply::Late(300 * MS, response("200 OK", &["Content-Type: text/html"], &[b'a'; 10_000]));
    assert_eq!(attack(body).await.0.unwrap().body.len(), 10_000);
}

#[tokio::test]
async fn bodies_without_end_are_cut() {
    let flood = || Reply::Flood(whole_head(&[]), vec![b'a'; 1 << 16]);
    let (result, took, sent) = attack(flood).await;
    let page = result.unwrap();
    assert!(page.truncated && page.body.len() == Config::default().max_body_bytes);
    assert!(took < 1_500 * MS && sent < 32 << 20, "{took:?}, {sent} bytes");
}

/// Compressed bytes that expand to nothing, sent as fast as the client reads, and more of them
/// after the end of the stream.
#[tokio::test]
async fn compressed_bodies_without_end_are_cut() {
    let gzip = whole_head(&["Content-Encoding: gzip"]);
    let begun = [&gzip[..], b"\x1F\x8B\x08\0\0\0\0\0\0\xFF"].concat();
    let empty_blocks = b"\x00\x00\x00\xFF\xFF".repeat(10_000);
    check("gzip of nothing", move || Reply::Flood(begun.clone(), empty_blocks.clone()), Cause::BadCompression).await;
    let brotli = whole_head(&["Content-Encoding: br"]);
    // An empty metadata block (RFC 7932, section 9.2), repeated: six bits each.
    let metadata = [&brotli[..], b"\x0C"].concat();
    let nothing = || b"\x06\x03\x00".repeat(10_000);
    let (.., sent) = attack(move || Reply::Flood(metadata.clone(), nothing())).await;
    assert!(sent < 32 << 20, "brotli of nothing sent {sent} bytes");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(b"<p>Hello").unwrap();
    let whole = [gzip, encoder.finish().unwrap()].concat();
    let (result, took, sent) = attack(move || Reply::Flood(whole.clone(), vec![b'x'; 1 << 16])).await;
    assert_eq!(result.unwrap().body, b"<p>Hello");
    assert!(took < 1_000 * MS && sent < 32 << 20, "{took:?}, {sent} bytes");
}

#[tokio::test]
async fn connections_that_break() {
    let length = &["Content-Length: 100"];
    check("reset at once", || Reply::Reset(Vec::new()), Cause::Reset).await;
    check("reset in the head", || Reply::Reset(head(&[])), Cause::Reset).await;
    check("reset in the body", || Reply::Reset(whole_head(length)), Cause::Reset).await;
    check("closed at once", || Reply::Send(Vec::new()), Cause::Incomplete).await;
    check("closed in the head", || Reply::Send(head(&[])), Cause::Incomplete).await;
    check("closed in the body", || Reply::Send(whole_head(length)), Cause::Incomplete).await;
    check("not HTTP", || Reply::Send(b"220 mail.example.org ESMTP\r\n".to_vec()), Cause::BadHttp).await;
    check("two lengths", || Reply::Send(whole_head(&["Content-Length: 1", "Content-Length: 2"])), Cause::BadHttp).await;
    let gzip = &["Content-Encoding: gzip", "Content-Length: 5"];
    let lie = || Reply::Send([&whole_head(gzip)[..], b"<p>Hi"].concat());
    check("gzip that is none", lie, Cause::BadCompression).await;
}

#[tokio::test]
async fn answers_that_are_no_page() {
    for (line, expect) in [
        ("404 Not Found", Cause::Gone),
        ("429 Too Many Requests", Cause::RateLimited),
        ("403 Forbidden", Cause::ClientError),
        ("502 Bad Gateway", Cause::ServerError),
        ("304 Not Modified", Cause::OddStatus),
        ("300 Multiple Choices", Cause::OddStatus),
        ("302 Found", Cause::BadRedirect),
    ] {
        check(line, move || status(line), expect).await;
    }
    check("a circle", || redirect("302 Found", "/page"), Cause::RedirectLoop).await;
    check("a PDF that says so", || ok("application/pdf", "%PDF-1.7"), Cause::NotHtml).await;
}

/// Fault 12 of the review: the crawl stored these with confidence 0.999.
#[tokio::test]
async fn bytes_that_are_not_what_they_are_called() {
    let noise: Vec<u8> = (0..50_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let disguised = [b"<!DOCTYPE html><html><body>", &noise[..]].concat();
    for (name, body) in [
        ("PDF", b"%PDF-1.7\n1 0 obj <</Type /Catalog>> endobj".to_vec()),
        ("ZIP", b"PK\x03\x04\x14\x00\x08\x00words words".to_vec()),
        ("PNG", b"\x89PNG\r\n\x1A\n\x00\x00\x00\rIHDR".to_vec()),
        ("JPEG", b"\xFF\xD8\xFF\xE0 JFIF".to_vec()),
        ("gzip in gzip", b"\x1F\x8B\x08 and so on".to_vec()),
        ("noise", noise),
        ("noise after a doctype", disguised),
    ] {
        check(name, move || ok("text/html; charset=utf-8", &body), Cause::NotHtml).await;
    }
    let utf_16: Vec<u8> = "<p>Grüße</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [b"\xFF\xFE", &utf_16[..]].concat();
    for (content_type, body) in [("text/html", marked), ("text/html; charset=UTF-16LE", utf_16)] {
        assert_eq!(
            attack({
                let body = body.clone();
                move || ok(content_type, &body)
            })
            .await
            .0
            .unwrap()
            .body,
            body
        );
    }
}

#[tokio::test]
async fn nobody_listens() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let url = Url::parse(&format!("http://127.0.0.1:{port}/page")).unwrap();
    let error = fetcher(impatient).follow(&url).await.unwrap_err();
    assert_eq!((error.cause(), error.robots_cause()), (Cause::RobotsUnreachable, Some(Cause::ConnectionRefused)));
    assert_eq!(error.fault(), Some(Fault::Host));
    let https = Url::parse(&format!("https://127.0.0.1:{port}/robots.txt")).unwrap();
    assert_eq!(fetcher(impatient).follow(&https).await.unwrap_err().cause(), Cause::ConnectionRefused);
}

#[tokio::test]
async fn tls_that_is_none() {
    let server = Server::start(|_| status("200 OK")).await;
    let mut url = server.url("/robots.txt");
    url.set_scheme("https").unwrap();
    assert_eq!(fetcher(impatient).follow(&url).await.unwrap_err().cause(), Cause::ConnectTimeout);
    // This server answers with plain HTTP instead of TLS, as a server does that reads the client's
    // bytes as HTTP.
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    url.set_port(Some(plain.local_addr().unwrap().port())).unwrap();
    let answer = async {
        let (stream, _) = plain.accept().await.unwrap();
        stream.writable().await.unwrap();
        stream.try_write(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        tokio::time::sleep(200 * MS).await;
    };
    let fetcher = fetcher(impatient);
    let (result, ()) = tokio::join!(fetcher.follow(&url), answer);
    assert_eq!(result.unwrap_err().cause(), Cause::Tls);
}

#[tokio::test]
async fn a_name_that_does_not_resolve() {
    let url = Url::parse("http://no-such-name.invalid/robots.txt").unwrap();
    let error = fetcher(|_| ()).follow(&url).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::NoSuchName | Cause::NameService), "{error}");
    assert_eq!(error.fault(), Some(Fault::Host));
}

#[tokio::test]
async fn passwords_are_neither_sent_nor_shown() {
    let server = Server::without_robots(|path| match path {
        "/a" => redirect("302 Found", "//user:secret@127.0.0.1:1/b"),
        "/broken" => redirect("302 Found", "http://user:secret@[broken/"),
        _ => redirect("302 Found", "http://user:secret@127.0.0.1:1/"),
    })
    .await;
    for path in ["/a", "/b", "/broken"] {
        let error = fetcher(impatient).follow(&server.url(path)).await.unwrap_err();
        let mut text = format!("{error} {error:?}");
        let mut source = std::error::Error::source(&error);
        while let Some(error) = source {
            text.push_str(&error.to_string());
            source = error.source();
        }
        assert!(!text.contains("secret"), "{text}");
    }
    let url = Url::parse("http://user:secret@127.0.0.1/").unwrap();
    assert!(!format!("{:?}", fetcher(|_| ()).follow(&url).await).contains("secret"));
}

#[tokio::test]
async fn a_connection_is_used_again_and_one_that_was_closed_is_made_anew() {
    let page = || response("200 OK", &["Content-Type: text/html"], b"<p>Hello");
    let keep = move || {
        let text = String::from_utf8(page()).unwrap().replace("Connection: close\r\n", "");
        Reply::KeepAlive(text.into_bytes())
    };
    let server = Server::start(move |path| if path == "/last" { Reply::Send(page()) } else { keep() }).await;
    let fetcher = fetcher(|_| ());
    for path in ["/a", "/b", "/last", "/c"] {
        fetcher.follow(&server.url(path)).await.unwrap();
        tokio::time::sleep(20 * MS).await; // The connection becomes idle in its own time.
    }
    assert_eq!(server.paths(), ["/robots.txt", "/a", "/b", "/last", "/c"]);
    assert!((2..=3).contains(&server.connections()), "{}", server.connections());
}

/// The server promises to keep the connection open and closes it. The next request notices this and
/// is sent again.
#[tokio::test]
async fn a_connection_closed_while_idle_is_no_failure() {
    let lie = || {
        let text = String::from_utf8(response("200 OK", &["Content-Type: text/html"], b"<p>Hello")).unwrap();
        Reply::Send(text.replace("Connection: close\r\n", "").into_bytes())
    };
    let server = Server::start(move |_| lie()).await;
    let fetcher = fetcher(|_| ());
    for n in 0..20 {
        fetcher.follow(&server.url(&format!("/{n}"))).await.unwrap();
    }
}
