use tsrec_crawl::fetch::Fetched;

use crate::fetch::server::{Reply, Server, fetcher, ok, page, redirect, response, status};

#[tokio::test]
async fn one_hop_tells_where_to() {
    for (line, location, expect) in [
        ("301 Moved Permanently", "/b", "/b"),
        ("302 Found", "b#fragment", "/dir/b"),
        ("303 See Other", "?q", "/dir/a?q"),
        ("307 Temporary Redirect", "../c", "/c"),
        ("308 Permanent Redirect", "/ü", "/%C3%BC"),
    ] {
        let server = Server::without_robots(move |_| redirect(line, location)).await;
        let fetched = fetcher(|_| ()).fetch(&server.url("/dir/a")).await.unwrap();
        assert_eq!(fetched, Fetched::Redirect { to: server.url(expect), status: line[..3].parse().unwrap() });
    }
}

#[tokio::test]
async fn redirects_are_followed_to_their_page() {
    let server = Server::without_robots(|path| match path {
        "/a" => redirect("301 Moved Permanently", "/b"),
        "/b" => redirect("302 Found", "/c"),
        _ => page(),
    })
    .await;
    let page = fetcher(|_| ()).follow(&server.url("/a")).await.unwrap();
    assert_eq!(page.url, server.url("/c"));
    assert_eq!(server.paths(), ["/robots.txt", "/a", "/b", "/c"]);
}

#[tokio::test]
async fn circles_are_noticed() {
    let server = Server::without_robots(|path| match path {
        "/self" => redirect("302 Found", "/self#again"),
        "/a" => redirect("302 Found", "/b"),
        _ => redirect("302 Found", "/a"),
    })
    .await;
    for (path, requests) in [("/self#fragment", 1), ("/a", 2)] {
        let before = server.paths().iter().filter(|path| *path != "/robots.txt").count();
        let error = fetcher(|_| ()).follow(&server.url(path)).await.unwrap_err();
        assert!(error.to_string().contains("in a circle") && !error.is_transient(), "{error}");
        let after = server.paths().iter().filter(|path| *path != "/robots.txt").count();
        assert_eq!(after - before, requests);
    }
}

#[tokio::test]
async fn redirects_are_followed_up_to_their_limit() {
    // /3 redirects to /2, and so on down to /0, which is a page.
    let server = Server::without_robots(|path| match path[1..].parse::<u32>().unwrap() {
        0 => page(),
        left => redirect("302 Found", &format!("/{}", left - 1)),
    })
    .await;
    for (path, limit, expect) in [("/0", 0, true), ("/1", 0, false), ("/3", 3, true), ("/3", 2, false)] {
        match fetcher(|config| config.max_redirects = limit).follow(&server.url(path)).await {
            Ok(page) => assert!(expect && page.url == server.url("/0")),
            Err(error) => {
                assert!(!expect && error.to_string().contains(&format!("more than {limit} times")), "{error}")
            }
        }
    }
}

#[tokio::test]
async fn a_redirect_to_nowhere_names_its_location() {
    let nowhere = |line, headers: &'static [&str]| Reply::Send(response(line, headers, b""));
    let server = Server::without_robots(move |path| match path {
        "/missing" => nowhere("302 Found", &[]),
        _ => nowhere("301 Moved Permanently", &["Location: http://[broken/"]),
    })
    .await;
    for (path, expect, code) in [("/missing", "no Location", 302), ("/broken", "http://[broken/", 301)] {
        let error = fetcher(|_| ()).follow(&server.url(path)).await.unwrap_err();
        assert!(error.to_string().contains(expect) && error.status() == Some(code), "{error}");
        assert!(!error.is_transient() && !error.is_gone() && !error.is_refused(), "{error}");
    }
}

#[tokio::test]
async fn the_robots_txt_of_every_hop_is_obeyed() {
    let other = Server::start(|path| match path {
        "/robots.txt" => ok("text/plain", "User-agent: examplebot\nDisallow: /private"),
        _ => status("500 Internal Server Error"),
    })
    .await;
    let to = other.url("/private/page").to_string();
    let server = Server::without_robots(move |_| redirect("302 Found", &to)).await;
    let error = fetcher(|_| ()).follow(&server.url("/a")).await.unwrap_err();
    assert!(error.is_disallowed(), "{error}");
    assert_eq!(other.paths(), ["/robots.txt"]);
}
