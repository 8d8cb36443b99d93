//! Heads and bodies that browsers read: odd encodings, types, redirects and dates.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use tsrec_crawl::fetch::{Cause, Error, FetchedPage};

use crate::fetch::server::{Reply, Server, fetcher, ok, page, response, status};

const PAGE: &[u8] = b"<!DOCTYPE html><title>Hello</title><p>Hello";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

async fn fetch(headers: &[String], body: &[u8]) -> Result<FetchedPage, Error> {
    let (headers, body) = (headers.to_vec(), body.to_vec());
    let reply = move |_: &str| {
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        Reply::Send(response("200 OK", &headers, &body))
    };
    let server = Server::without_robots(reply).await;
    fetcher(|_| ()).follow(&server.url("/page")).await
}

fn header(name: &str, value: &str) -> String {
    format!("{name}: {value}")
}

#[tokio::test]
async fn an_encoding_that_is_none_counts_as_none_where_the_bytes_are_text() {
    for encoding in
        ["none", "", "utf-8", "UTF-8", "binary", "8bit", "text/html", "identity, identity", ",", "gzip, none", "x-none"]
    {
        let headers = [header("Content-Type", "text/html"), header("Content-Encoding", encoding)];
        let page = fetch(&headers, PAGE).await.unwrap_or_else(|error| panic!("{encoding}: {error}"));
        assert_eq!(page.body, PAGE, "{encoding}");
    }
    for (encoding, body) in
        [("compress", &b"\x1F\x9D\x90\x00\x01"[..]), ("dcz", b"\x5E\x2A\x4D\x18\x20\x00"), ("none", &gzip(PAGE))]
    {
        let error = fetch(&[header("Content-Encoding", encoding)], body).await.unwrap_err();
        assert!(error.is_not_html(), "{encoding}: {error}");
    }
    for encoding in ["gzip, identity", "identity, gzip", "GZIP", "x-gzip", " gzip ,"] {
        let page = fetch(&[header("Content-Encoding", encoding)], &gzip(PAGE)).await.unwrap();
        assert_eq!(page.body, PAGE, "{encoding}");
    }
}

#[tokio::test]
async fn every_encoding_that_is_offered_is_read() {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(PAGE).unwrap();
    let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
    bare.write_all(PAGE).unwrap();
    // Not compressed: a head with the length, and the empty last block (RFC 7932, section 9.2).
    let head = (u16::try_from(PAGE.len() - 1).unwrap() << 7 | 0x0B).to_le_bytes();
    let brotli = [&head[..], &[0x80], PAGE, &[0x03]].concat();
    let bodies = [
        ("gzip", gzip(PAGE)),
        ("br", brotli),
        ("deflate", zlib.finish().unwrap()),
        ("deflate", bare.finish().unwrap()),
        ("zstd", zstd::encode_all(PAGE, 3).unwrap()),
        ("ZSTD", [zstd::encode_all(&PAGE[..9], 3).unwrap(), zstd::encode_all(&PAGE[9..], 3).unwrap()].concat()),
    ];
    for (encoding, body) in bodies {
        let page = fetch(&[header("Content-Encoding", encoding)], &body).await;
        assert_eq!(page.unwrap_or_else(|error| panic!("{encoding}: {error}")).body, PAGE, "{encoding}");
    }
    let server = Server::start_hearing(|_, head| {
        let offered = head.to_ascii_lowercase().contains("accept-encoding: gzip, br, zstd, deflate\r\n");
        if offered { page() } else { status("406 Not Acceptable") }
    })
    .await;
    fetcher(|_| ()).follow(&server.url("/page")).await.unwrap();
}

#[tokio::test]
async fn a_robots_txt_is_read_like_that_and_forbids_where_it_is_no_text() {
    let disallow = b"User-agent: *\nDisallow: /private\n";
    let wide: Vec<u8> =
        "\u{feff}User-agent: *\nDisallow: /private\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let gzipped = gzip(disallow);
    for (headers, body, page, private) in [
        (&["Content-Encoding: none"][..], &disallow[..], true, false),
        (&["Content-Encoding: "], disallow, true, false),
        (&["Content-Encoding: utf-8"], disallow, true, false),
        (&["Content-Encoding: gzip"], &gzipped, true, false),
        (&["Content-Type: text/html"], disallow, true, false),
        (&[], &wide, true, false),
        (&[], b"<!DOCTYPE html><p>Not here", true, true),
        (&[], b"", true, true),
        (&["Content-Encoding: none"], &gzipped, false, false),
        (&["Content-Encoding: compress"], b"\x1F\x9D\x90\x00\x01\x02", false, false),
        (&[], &gzipped, false, false),
        (&["Content-Type: image/png"], b"\x89PNG\r\n\x1A\n\x00\x00\x00\x0D", false, false),
    ] {
        let (headers, body) = (headers.to_vec(), body.to_vec());
        let shown = format!("{headers:?} {:?}", String::from_utf8_lossy(&body));
        let server = Server::start(move |path| match path {
            "/robots.txt" => Reply::Send(response("200 OK", &headers, &body)),
            _ => self::page(),
        })
        .await;
        let fetcher = fetcher(|_| ());
        assert_eq!(fetcher.fetch(&server.url("/page")).await.is_ok(), page, "{shown}");
        assert_eq!(fetcher.fetch(&server.url("/private")).await.is_ok(), private, "{shown}");
        if !page {
            assert!(fetcher.fetch(&server.url("/page")).await.unwrap_err().is_transient(), "{shown}");
        }
    }
}

#[tokio::test]
async fn gzip_bodies_are_read_as_far_as_they_go() {
    let story: String = (0..400).map(|n| format!("<p>Hello {n}, and so on, for {} whiles. ", n * n * n)).collect();
    let story = story.into_bytes();
    let (one, other) = (gzip(PAGE), gzip(&story));
    let both = [PAGE, &story].concat();
    let without = |bytes: &[u8], end: usize| bytes[..bytes.len() - end].to_vec();
    for (body, expect, cut) in [
        ([&one[..], &other].concat(), both.clone(), false),
        ([&one[..], &gzip(b""), &other].concat(), both.clone(), false),
        ([&one[..], b"\0\0\0\0"].concat(), PAGE.to_vec(), false),
        ([&one[..], b"\x1Fother"].concat(), PAGE.to_vec(), false),
        ([&one[..], b"\x1F"].concat(), PAGE.to_vec(), false),
        ([&one[..], b"<p>more"].concat(), PAGE.to_vec(), false),
        (without(&one, 8), PAGE.to_vec(), true),
        (without(&one, 1), PAGE.to_vec(), true),
        (without(&one, 4), PAGE.to_vec(), true),
        (without(&[&one[..], &other].concat(), 8), both, true),
        (without(&[&one[..], &other].concat(), other.len() - 11), PAGE.to_vec(), false),
    ] {
        let page = fetch(&[header("Content-Encoding", "gzip")], &body).await.unwrap();
        assert_eq!((page.body == expect, page.truncated), (true, cut), "{:?}", String::from_utf8_lossy(&page.body));
    }
    let page = fetch(&[header("Content-Encoding", "gzip")], &other[..other.len() / 2]).await.unwrap();
    assert!(
        page.truncated && story.starts_with(&page.body) && page.body.len() > story.len() / 4,
        "{}",
        page.body.len()
    );
    // One of which nothing can be read, or whose checksum is another one, is damaged.
    let mut damaged = other.clone();
    let at = damaged.len() - 6;
    damaged[at] ^= 1;
    for body in [&other[..11], &damaged] {
        let error = fetch(&[header("Content-Encoding", "gzip")], body).await.unwrap_err();
        assert_eq!(error.cause(), Cause::BadCompression, "{error}");
    }
}

#[tokio::test]
async fn types_are_read_as_browsers_read_them() {
    let xhtml = b"<?xml version='1.0' encoding='utf-8'?><html xmlns='http://www.w3.org/1999/xhtml'><body><p>Hello</p></body></html>";
    for types in [
        &["text/html,charset=utf-8"][..],
        &["text/html, text/html"],
        &["text/html; charset=utf-8", "text/html"],
        &["text/plain", "text/html"],
        &["\"text/html\""],
        &["\"text/html; charset=utf-8\""],
        &["text/html; charset=\"utf-8\""],
        &["TEXT/HTML;"],
        &["text/html;;charset"],
        &[""],
        &[],
        &["unknown/unknown"],
        &["application/unknown"],
        &["*/*"],
        &["html"],
        &["text/html", "*/*"],
    ] {
        let headers: Vec<String> = types.iter().map(|value| header("Content-Type", value)).collect();
        fetch(&headers, PAGE).await.unwrap_or_else(|error| panic!("{types:?}: {error}"));
        let error = fetch(&headers, b"%PDF-1.7\n\0").await.unwrap_err();
        assert!(error.is_not_html(), "{types:?}: {error}");
    }
    for (content_type, body, expect) in [
        ("application/xml", &xhtml[..], true),
        ("text/xml; charset=utf-8", xhtml, true),
        ("application/xhtml+xml", xhtml, true),
        ("application/vnd.wap.xhtml+xml", xhtml, true),
        ("text/xml", b"<!DOCTYPE html><html><p>Hello</html>", true),
        ("application/xml", b"<rss><channel/></rss>", false),
        ("text/xml", b"<?xml version='1.0'?><note>Hello</note>", false),
        ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>", false),
        ("application/xml", PAGE.split_at(15).1, false),
        ("text/plain", PAGE, false),
        ("text/html, text/plain", PAGE, false),
        ("application/octet-stream", PAGE, false),
    ] {
        let fetched = fetch(&[header("Content-Type", content_type)], body).await;
        assert_eq!(fetched.is_ok(), expect, "{content_type} {:?}", String::from_utf8_lossy(body));
    }
}

#[tokio::test]
async fn two_hundred_and_fifty_header_fields_are_read_and_a_thousand_are_not() {
    let fields = |count: usize| (0..count).map(|n| header(&format!("X-Field-{n}"), "x")).collect::<Vec<_>>();
    for count in [100, 150, 250] {
        fetch(&fields(count), PAGE).await.unwrap_or_else(|error| panic!("{count}: {error}"));
    }
    assert_eq!(fetch(&fields(1_000), PAGE).await.unwrap_err().cause(), Cause::HeaderFlood);
}

#[tokio::test]
async fn all_three_forms_of_a_date_are_waited_for() {
    let in_an_hour = jiff::Timestamp::now() + Duration::from_secs(3_600);
    for form in ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"] {
        let date = in_an_hour.strftime(form).to_string();
        let retry = header("Retry-After", &date);
        let server =
            Server::without_robots(move |_| Reply::Send(response("503 Service Unavailable", &[&retry], b""))).await;
        let wait = fetcher(|_| ()).follow(&server.url("/page")).await.unwrap_err().retry_after();
        assert!(wait.is_some_and(|wait| (3_500..=3_600).contains(&wait.as_secs())), "{date}: {wait:?}");
    }
}

/// A server that redirects to the same URL, with these headers, until a request has this cookie.
async fn asks_for_cookie(
    headers: &'static [&'static str],
    wanted: &'static str,
) -> (Result<FetchedPage, Error>, Vec<String>) {
    let server = Server::start_hearing(move |path, head| match path {
        "/robots.txt" => status("404 Not Found"),
        _ if !wanted.is_empty() && head.to_ascii_lowercase().contains(&format!("cookie: {wanted}\r\n")) => page(),
        path => {
            let location = format!("Location: {path}#top");
            Reply::Send(response("302 Found", &[headers, &[&*location]].concat(), b""))
        }
    })
    .await;
    let fetched = fetcher(|_| ()).follow(&server.url("/page?a=1")).await;
    (fetched, server.requests())
}

#[tokio::test]
async fn a_redirect_to_itself_with_a_cookie_is_followed_once() {
    for (headers, wanted, requests, expect) in [
        (&["Set-Cookie: seen=1; Path=/; HttpOnly"][..], "seen=1", 3, true),
        (&["Set-Cookie: a=1", "Set-Cookie: b=2; Max-Age=60"], "a=1; b=2", 3, true),
        (&["Set-Cookie: seen=1"], "", 3, false),
        (&["Set-Cookie: nonsense"], "", 2, false),
        (&["Set-Cookie: =x"], "", 2, false),
        (&[], "", 2, false),
    ] {
        let (fetched, heads) = asks_for_cookie(headers, wanted).await;
        assert_eq!(heads.len(), requests, "{headers:?}: {heads:?}");
        match fetched {
            Ok(_) => assert!(expect, "{headers:?}"),
            Err(error) => assert!(!expect && error.cause() == Cause::RedirectLoop, "{headers:?}: {error}"),
        }
    }
    // It is kept for no other request.
    let (_, heads) = asks_for_cookie(&["Set-Cookie: seen=1"], "seen=1").await;
    assert_eq!(heads.iter().filter(|head| head.to_ascii_lowercase().contains("cookie:")).count(), 1, "{heads:?}");
}

#[tokio::test]
async fn what_heads_say_of_canonical_and_next_pages_is_kept() {
    let headers =
        [header("Link", "</style.css>; rel=preload, </page>; rel=\"canonical\""), header("Refresh", "0; url=/next")];
    let server = Server::without_robots(move |_| {
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        Reply::Send(response("200 OK", &headers, PAGE))
    })
    .await;
    let page = fetcher(|_| ()).follow(&server.url("/view")).await.unwrap();
    assert_eq!(page.canonical, Some(server.url("/page")));
    assert_eq!(page.refresh.map(|refresh| (refresh.seconds, refresh.to)), Some((0, server.url("/next"))));
    let plain = Server::without_robots(|_| ok("text/html", PAGE)).await;
    let page = fetcher(|_| ()).follow(&plain.url("/view")).await.unwrap();
    assert_eq!((page.canonical, page.refresh), (None, None));
}
