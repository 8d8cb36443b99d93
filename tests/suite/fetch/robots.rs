use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tsrec_crawl::fetch::FetchRequest;
use url::Url;

use crate::fetch::server::{Reply, Server, fetcher, ok, page, redirect, response, status};

#[tokio::test]
async fn rules_are_obeyed() {
    let server = Server::with_robots("User-agent: examplebot/9\nDisallow: /private\nAllow: /private/*.html$\n").await;
    let fetcher = fetcher(|_| ());
    for (path, allowed) in [("/", true), ("/private/a", false), ("/private/a.html", true), ("/private/a.html?b", false)]
    {
        match fetcher.follow(&server.url(path)).await {
            Ok(_) => assert!(allowed, "{path}"),
            Err(error) => {
                assert!(!allowed && error.is_disallowed() && !error.is_transient(), "{path}: {error}");
                assert!(error.to_string().contains("`examplebot`"), "{error}");
            }
        }
    }
    assert_eq!(server.paths(), ["/robots.txt", "/", "/private/a.html"]);
}

#[tokio::test]
async fn without_a_robots_txt_everything_is_allowed() {
    for line in ["404 Not Found", "410 Gone", "401 Unauthorized", "403 Forbidden", "304 Not Modified", "204 No Content"]
    {
        let server = Server::start(move |path| if path == "/robots.txt" { status(line) } else { page() }).await;
        fetcher(|_| ()).follow(&server.url("/")).await.unwrap();
    }
}

#[tokio::test]
async fn an_unreachable_robots_txt_forbids_everything_for_now_and_is_left_alone() {
    for (line, headers, retry_after) in [
        ("500 Internal Server Error", &[][..], None),
        ("503 Service Unavailable", &["Retry-After: 30"][..], Some(30)),
        ("429 Too Many Requests", &["Retry-After: 60"][..], Some(60)),
        ("408 Request Timeout", &[][..], None),
    ] {
        let server = Server::start(move |_| Reply::Send(response(line, headers, b""))).await;
        let fetcher = fetcher(|config| config.robots_ttl = Duration::ZERO);
        for _ in 0..2 {
            let error = fetcher.follow(&server.url("/page")).await.unwrap_err();
            assert!(error.is_transient() && !error.is_disallowed() && error.status().is_none(), "{line}: {error}");
            assert_eq!(error.retry_after(), retry_after.map(Duration::from_secs), "{line}");
            assert!(std::error::Error::source(&error).unwrap().to_string().contains(line));
        }
        assert_eq!(fetcher.crawl_delay(&server.url("/page")).await, None);
        assert_eq!(server.paths(), ["/robots.txt"]);
    }
}

#[tokio::test]
async fn a_robots_txt_that_cannot_be_read_forbids_everything_for_now() {
    let packed = b"\x1F\x9D\x90\x55\xE6\x94\x01\x02";
    let server = Server::start(move |path| match path {
        "/robots.txt" => Reply::Send(response("200 OK", &["Content-Encoding: compress"], packed)),
        _ => page(),
    });
    let error = fetcher(|_| ()).follow(&server.await.url("/private")).await.unwrap_err();
    assert!(error.is_transient() && !error.is_disallowed(), "{error}");
}

#[tokio::test]
async fn a_server_that_is_silent_or_down_is_unreachable() {
    let silent = Server::start(|_| Reply::Stall(Vec::new())).await;
    let endless = Server::start(|_| Reply::Stall(response("200 OK", &[], b"User-agent: *\n")[..60].to_vec())).await;
    let closed_port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let down = Url::parse(&format!("http://127.0.0.1:{closed_port}/")).unwrap();
    for url in [silent.url("/"), endless.url("/"), down] {
        let error = fetcher(|config| config.timeout = Duration::from_millis(300)).follow(&url).await.unwrap_err();
        assert!(error.is_transient() && error.to_string().contains("robots.txt"), "{url}: {error}");
    }
}

#[tokio::test]
async fn redirects_are_followed_to_other_hosts_and_their_rules_apply_here() {
    let other = Server::with_robots("User-agent: *\nDisallow: /private").await;
    let to = other.url("/robots.txt").to_string();
    let server =
        Server::start(move |path| if path == "/robots.txt" { redirect("301 Moved", &to) } else { page() }).await;
    let fetcher = fetcher(|_| ());
    fetcher.follow(&server.url("/page")).await.unwrap();
    assert!(fetcher.follow(&server.url("/private")).await.unwrap_err().is_disallowed());
    assert_eq!(other.paths(), ["/robots.txt"]);
}

#[tokio::test]
async fn five_redirects_are_followed_and_a_sixth_means_that_there_is_none() {
    // /5 redirects to /4, and so on down to /0, which forbids everything.
    fn hop(left: &str) -> Reply {
        match left.parse::<u32>().unwrap() {
            0 => ok("text/plain", "User-agent: *\nDisallow: /"),
            left => redirect("302 Found", &format!("/{}", left - 1)),
        }
    }
    for (first, allowed) in [("/4", false), ("/5", true)] {
        let server = Server::start(move |path| match path {
            "/robots.txt" => redirect("302 Found", first),
            "/page" => page(),
            path => hop(&path[1..]),
        })
        .await;
        assert_eq!(fetcher(|_| ()).follow(&server.url("/page")).await.is_ok(), allowed, "{first}");
    }
}

#[tokio::test]
async fn a_redirect_to_what_is_refused_is_unreachable_not_absent() {
    let server =
        Server::start(|path| if path == "/robots.txt" { redirect("302 Found", "ftp://example.org/") } else { page() });
    let error = fetcher(|_| ()).follow(&server.await.url("/page")).await.unwrap_err();
    assert!(error.is_transient() && !error.is_refused(), "{error}");
}

#[tokio::test]
async fn the_file_itself_is_always_allowed() {
    let server =
        Server::start(
            |path| {
                if path == "/robots.txt" { ok("text/html", "User-agent: *\nDisallow: /") } else { page() }
            },
        );
    let server = server.await;
    fetcher(|_| ()).follow(&server.url("/robots.txt")).await.unwrap();
    assert_eq!(server.paths(), ["/robots.txt"]);
}

#[tokio::test]
async fn a_long_file_is_cut_and_not_read_to_its_end() {
    let rules = format!("User-agent: *\nDisallow: /a\n#{}\nDisallow: /b\n", "x".repeat(600 << 10));
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 1 << 30);
    let server = Server::start(move |path| match path {
        "/robots.txt" => Reply::Stall([head.as_bytes(), rules.as_bytes()].concat()),
        _ => page(),
    })
    .await;
    let fetcher = fetcher(|_| ());
    assert!(fetcher.follow(&server.url("/a")).await.unwrap_err().is_disallowed());
    fetcher.follow(&server.url("/b")).await.unwrap();
}

#[tokio::test]
async fn a_file_is_kept_for_its_time_and_asked_for_once() {
    for (ttl, expect) in [(Duration::from_secs(3600), 1), (Duration::ZERO, 3)] {
        let server = Server::with_robots("").await;
        let fetcher = fetcher(|config| config.robots_ttl = ttl);
        for path in ["/a", "/b", "/c"] {
            fetcher.clone().follow(&server.url(path)).await.unwrap();
        }
        assert_eq!(server.paths().iter().filter(|path| *path == "/robots.txt").count(), expect, "{ttl:?}");
    }
}

/// If a delay is longer than the client waits, the page comes later. The client must still know the
/// robots.txt then, however many sites it reads in between and however short the cache time is.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_asks_for_a_delay_is_still_known_when_the_turn_has_come() {
    const DELAY: Duration = Duration::from_secs(3);
    for (sites, ttl) in [(5_000, Duration::from_secs(3600)), (20, Duration::ZERO)] {
        let server = Server::start_at("0.0.0.0", |path| match path {
            "/robots.txt" => ok("text/plain", format!("User-agent: *\nCrawl-delay: {}", DELAY.as_secs())),
            _ => page(),
        })
        .await;
        let fetcher = fetcher(|config| config.robots_ttl = ttl);
        let mut stored = 0;
        for _round in 0..2 {
            let began = Instant::now();
            let mut visits = JoinSet::new();
            for site in 0..sites {
                let mut url = server.url("/page");
                url.set_host(Some(&format!("127.1.{}.{}", site / 250, 1 + site % 250))).unwrap();
                let fetcher = fetcher.clone();
                visits.spawn(async move { fetcher.visit(&FetchRequest::new(&url)).await.result });
                if visits.len() >= 64 {
                    stored += usize::from(visits.join_next().await.unwrap().unwrap().is_ok());
                }
            }
            stored += visits.join_all().await.iter().filter(|result| result.is_ok()).count();
            tokio::time::sleep((DELAY + Duration::from_millis(100)).saturating_sub(began.elapsed())).await;
        }
        let files = server.paths().iter().filter(|path| *path == "/robots.txt").count();
        assert_eq!((stored, files), (sites, sites), "{ttl:?}");
    }
}

#[tokio::test]
async fn pages_asked_for_at_the_same_time_share_one_request_for_it() {
    let server = Server::with_robots("").await;
    let fetcher = fetcher(|_| ());
    let urls = ["/a", "/b", "/c"].map(|path| server.url(path));
    let (a, b, c) = tokio::join!(fetcher.follow(&urls[0]), fetcher.follow(&urls[1]), fetcher.follow(&urls[2]));
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert_eq!(server.paths().iter().filter(|path| *path == "/robots.txt").count(), 1);
}

#[tokio::test]
async fn crawl_delays_are_told_and_bounded() {
    for (robots, expect) in [
        ("User-agent: *\nCrawl-delay: 2.5", Some(2.5)),
        ("User-agent: examplebot\nCrawl-delay: 1\n\nUser-agent: *\nCrawl-delay: 9", Some(1.0)),
        ("User-agent: *\nCrawl-delay: 86400", Some(300.0)),
        ("User-agent: otherbot\nCrawl-delay: 5", None),
    ] {
        let server = Server::with_robots(robots).await;
        let fetcher = fetcher(|_| ());
        for _ in 0..2 {
            let delay = fetcher.crawl_delay(&server.url("/page")).await;
            assert_eq!(delay, expect.map(Duration::from_secs_f64), "{robots:?}");
        }
        assert_eq!(server.paths(), ["/robots.txt"]);
    }
}
