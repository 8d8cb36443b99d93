use tsrec_crawl::fetch::{FetchRequest, Fetched, Hop, Validators, is_permanent};

use crate::fetch::server::{Reply, Server, fetcher, page, redirect, response};

const TAG: &str = "\"v1\"";
const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

fn known() -> Validators {
    Validators { etag: Some(TAG.to_owned()), last_modified: Some(DATE.to_owned()) }
}

#[tokio::test]
async fn a_page_is_known_by_its_validators_and_not_sent_again() {
    let server = Server::without_robots(|path| match path {
        "/new" => {
            Reply::Send(response("200 OK", &[&format!("ETag: {TAG}"), &format!("Last-Modified: {DATE}")], b"<p>"))
        }
        "/same" => Reply::Send(response("304 Not Modified", &["ETag: W/\"v1\"", "X-Robots-Tag: noindex"], b"")),
        _ => page(),
    })
    .await;
    let fetcher = fetcher(|_| ());
    let Fetched::Page(page) = fetcher.fetch(&server.url("/new")).await.unwrap() else { panic!("no page") };
    assert_eq!(page.validators, known());

    let url = server.url("/same");
    let same = fetcher.visit(&FetchRequest::new(&url).unless(&page.validators)).await.result.unwrap();
    let expect = Validators { etag: Some("W/\"v1\"".to_owned()), last_modified: None };
    let Fetched::NotModified { validators, directives } = same else { panic!("{same:?}") };
    assert!(validators == expect && directives.noindex && !directives.nofollow);
    let asked = server.requests().pop().unwrap().to_ascii_lowercase();
    assert!(asked.contains("if-none-match: \"v1\"\r\n"), "{asked}");
    assert!(asked.contains(&format!("if-modified-since: {}\r\n", DATE.to_ascii_lowercase())), "{asked}");

    // A server may send the page all the same. A 304 to an unconditional request is an error.
    let url = server.url("/other");
    assert!(matches!(fetcher.visit(&FetchRequest::new(&url).unless(&known())).await.result, Ok(Fetched::Page(_))));
    assert_eq!(fetcher.fetch(&server.url("/same")).await.unwrap_err().status(), Some(304));
    let none = Validators::default();
    let url = server.url("/same");
    assert_eq!(fetcher.visit(&FetchRequest::new(&url).unless(&none)).await.result.unwrap_err().status(), Some(304));
}

#[tokio::test]
async fn validators_cannot_smuggle_headers() {
    let server = Server::without_robots(|_| page()).await;
    let evil = Validators { etag: Some("\"a\"\r\nX-Evil: 1".to_owned()), last_modified: Some("\0".to_owned()) };
    let url = server.url("/");
    fetcher(|_| ()).visit(&FetchRequest::new(&url).unless(&evil)).await.result.unwrap();
    let asked = server.requests().pop().unwrap().to_ascii_lowercase();
    assert!(!asked.contains("x-evil") && !asked.contains("if-"), "{asked}");
}

/// Fault 13: the client ignored it.
#[tokio::test]
async fn x_robots_tag_is_heard() {
    let server = Server::without_robots(|path| {
        let value = path[1..].replace('_', " ");
        Reply::Send(response("200 OK", &[&format!("X-Robots-Tag: {value}"), "X-Robots-Tag: noarchive"], b"<p>"))
    })
    .await;
    for (value, noindex, nofollow) in [
        ("noindex", true, false),
        ("none", true, true),
        ("examplebot:_nofollow", false, true),
        ("otherbot:_noindex", false, false),
        ("unavailable_after:2020-01-01", false, false), // The path's underscore became a blank: no such word.
        ("all", false, false),
    ] {
        let page = fetcher(|_| ()).follow(&server.url(&format!("/{value}"))).await.unwrap();
        assert_eq!((page.directives.noindex, page.directives.nofollow), (noindex, nofollow), "{value}");
        assert!(page.directives.noarchive, "{value}");
    }
    assert_eq!(fetcher(|_| ()).product_token(), "examplebot");
}

#[tokio::test]
async fn the_way_to_a_page_is_told_with_what_is_for_good() {
    let server = Server::without_robots(|path| match path {
        "/a" => redirect("301 Moved Permanently", "/b"),
        "/b" => redirect("307 Temporary Redirect", "/c"),
        _ => page(),
    })
    .await;
    let page = fetcher(|_| ()).follow(&server.url("/a")).await.unwrap();
    let expect = [(server.url("/a"), 301, true), (server.url("/b"), 307, false)];
    assert_eq!(page.via, expect.clone().map(|(url, status, _)| Hop { url, status }));
    assert!(expect.iter().all(|(_, status, permanent)| is_permanent(*status) == *permanent));
    assert!(is_permanent(308) && !is_permanent(302) && !is_permanent(303));
}
