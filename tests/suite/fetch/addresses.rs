use tsrec_crawl::fetch::Fetcher;
use url::Url;

use crate::fetch::server::{Server, fetcher, page, redirect};

/// A fetcher that enforces the address rules.
fn strict() -> Fetcher {
    fetcher(|config| config.allow_private_addresses = false)
}

/// `expect` is a part of the refusal.
async fn check(url: &Url, expect: &str) {
    let error = strict().follow(url).await.unwrap_err();
    let text = error.to_string();
    assert!(error.is_refused() && !error.is_transient() && text.contains(expect), "{url}: {text}");
    assert_eq!(strict().crawl_delay(url).await, None, "{url}");
}

#[tokio::test]
async fn what_the_url_shows_is_refused_without_a_connection() {
    let server = Server::with_robots("").await;
    let port = server.url("/").port().unwrap();
    for (url, expect) in [
        (format!("http://127.0.0.1:{port}/"), "127.0.0.1 is a loopback address"),
        (format!("http://0:{port}/"), "0.0.0.0 is the unspecified address"),
        (format!("http://[::1]:{port}/"), "::1 is the loopback address"),
        (format!("http://[::ffff:127.0.0.1]:{port}/"), "is a loopback address"),
        (format!("http://user:secret@127.0.0.1:{port}/"), "user name"),
        ("ftp://example.org/".to_owned(), "only http and https"),
        ("mailto:someone@example.org".to_owned(), "only http and https"),
    ] {
        check(&Url::parse(&url).unwrap(), expect).await;
    }
    assert_eq!(server.paths(), [""; 0]);
}

#[tokio::test]
async fn a_name_that_resolves_to_loopback_is_refused_without_a_connection() {
    let server = Server::with_robots("").await;
    check(&server.url_by_name("/"), "loopback address").await;
    check(&server.url_by_name("/robots.txt"), "set `allow_private_addresses`").await;
    assert_eq!(server.paths(), [""; 0]);
}

#[tokio::test]
async fn names_resolve_when_private_addresses_are_allowed() {
    let server = Server::with_robots("").await;
    assert_eq!(fetcher(|_| ()).follow(&server.url_by_name("/")).await.unwrap().body, b"<p>Hello");
}

#[tokio::test]
async fn a_redirect_to_what_is_refused_is_refused() {
    let server = Server::without_robots(|path| match path {
        "/ftp" => redirect("302 Found", "ftp://example.org/"),
        "/mail" => redirect("302 Found", "mailto:someone@example.org"),
        _ => page(),
    })
    .await;
    for path in ["/ftp", "/mail"] {
        let error = fetcher(|_| ()).follow(&server.url(path)).await.unwrap_err();
        assert!(error.is_refused(), "{path}: {error}");
    }
}
