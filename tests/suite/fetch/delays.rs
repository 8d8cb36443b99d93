use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tsrec_crawl::fetch::{Cause, Config, Delays, FetchRequest, Fetcher};

use crate::fetch::server::{Server, fetcher, ok, page, redirect, status};

const MS: Duration = Duration::from_millis(1);

fn polite(set: impl FnOnce(&mut Config), origin: Duration, address: Duration) -> Fetcher {
    let mut config = Config { allow_private_addresses: true, ..Config::default() };
    set(&mut config);
    Fetcher::with_delays(&config, "examplebot/1.0", Delays { origin, address }).unwrap()
}

/// From the first to the last, plus a margin: the test records when requests arrive, not when they
/// leave.
fn span(times: &[Instant]) -> Duration {
    *times.iter().max().unwrap() - *times.iter().min().unwrap() + 50 * MS
}

#[tokio::test]
async fn robots_txt_and_the_page_behind_it_keep_the_hosts_delay() {
    let server = Server::with_robots("").await;
    let fetcher = polite(|_| (), 200 * MS, Duration::ZERO);
    for path in ["/a", "/b"] {
        fetcher.fetch(&server.url(path)).await.unwrap();
    }
    assert_eq!(server.paths(), ["/robots.txt", "/a", "/b"]);
    assert!(span(&server.times()) >= 400 * MS, "{:?}", server.times());
}

/// An operator may request a host more often or less often than others.
#[tokio::test]
async fn a_requests_own_delay_goes_before_that_of_all() {
    for (all, own) in [(1_000 * MS, 20 * MS), (20 * MS, 300 * MS)] {
        let server = Server::without_robots(|_| page()).await;
        let fetcher = polite(|_| (), all, Duration::ZERO);
        let mut waited = Vec::new();
        for path in ["/a", "/b", "/c"] {
            let url = server.url(path);
            let visit = fetcher.visit(&FetchRequest::new(&url).with_delay(own)).await;
            visit.result.unwrap();
            waited.push(visit.waited);
            assert!(visit.took >= visit.waited);
        }
        // The first page follows robots.txt, whose request does not have this delay.
        let times = server.times();
        let gap = times[times.len() - 1] - times[times.len() - 2];
        assert!(gap + 50 * MS >= own && gap < own + 500 * MS && waited[2] <= gap, "{gap:?} {waited:?}");
        assert!(own < 100 * MS || waited[2] > 100 * MS, "{waited:?}");
    }
}

/// Fault 9: ten hosts could aim ten requests at one.
#[tokio::test]
async fn ten_hosts_cannot_aim_ten_requests_at_one() {
    let victim = Server::with_robots("").await;
    let to = victim.url("/robots.txt").to_string();
    let fetcher = polite(|_| (), 100 * MS, Duration::ZERO);
    let mut hosts = Vec::new();
    for n in 0..10 {
        let to = to.clone();
        let at = format!("127.0.0.{}", n + 2);
        let host = Server::start_at(&at, move |path| match path {
            "/robots.txt" => redirect("302 Found", &to),
            _ => page(),
        });
        let host = host.await;
        let mut url = host.url("/");
        url.set_host(Some(&at)).unwrap();
        hosts.push((host, url));
    }
    let pages = hosts.iter().map(|(_, url)| {
        let (fetcher, url) = (fetcher.clone(), url.clone());
        tokio::spawn(async move { fetcher.fetch(&url).await })
    });
    for page in pages.collect::<Vec<_>>() {
        page.await.unwrap().unwrap();
    }
    assert_eq!(victim.paths().len(), 10);
    assert!(span(&victim.times()) >= 900 * MS, "{:?}", victim.times());
}

#[tokio::test]
async fn hosts_on_one_address_keep_its_delay() {
    let servers = [Server::with_robots("").await, Server::with_robots("").await, Server::with_robots("").await];
    let fetcher = polite(|_| (), 300 * MS, 100 * MS);
    let fetches = servers.each_ref().map(|server| {
        let (fetcher, url) = (fetcher.clone(), server.url("/"));
        tokio::spawn(async move { fetcher.fetch(&url).await })
    });
    for fetch in fetches {
        fetch.await.unwrap().unwrap();
    }
    let times: Vec<_> = servers.iter().flat_map(Server::times).collect();
    assert_eq!(times.len(), 6);
    assert!(span(&times) >= 500 * MS, "{times:?}");
}

#[tokio::test]
async fn who_would_have_to_wait_too_long_is_told_and_asks_nothing() {
    let server = Server::with_robots("User-agent: *\nCrawl-delay: 30").await;
    let fetcher = polite(|_| (), Duration::ZERO, Duration::ZERO);
    let url = server.url("/page");
    for _ in 0..2 {
        let visit = fetcher.visit(&FetchRequest::new(&url)).await;
        let error = visit.result.unwrap_err();
        assert_eq!((error.cause(), error.fault()), (Cause::Busy, None));
        let wait = error.busy().unwrap();
        assert!(wait > 28_000 * MS && wait <= 30_000 * MS, "{wait:?}");
        assert_eq!(visit.crawl_delay, Some(30_000 * MS));
    }
    assert_eq!(server.paths(), ["/robots.txt"]);
}

/// Fault 9: the client read a delay once per origin and process.
#[tokio::test]
async fn a_delay_is_the_one_that_robots_txt_asks_for_now() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let server = Server::start(move |path| match path {
        "/robots.txt" => match count.fetch_add(1, Ordering::Relaxed) {
            0 => status("503 Service Unavailable"),
            1 | 4 => ok("text/plain", "User-agent: *\nDisallow:"),
            n => ok("text/plain", format!("User-agent: *\nCrawl-delay: 0.0{n}")),
        },
        _ => page(),
    })
    .await;
    let url = server.url("/page");
    // Unreachable: the client knows no rules, and caches that for minutes.
    let first = fetcher(|config| config.robots_ttl = Duration::ZERO);
    assert_eq!(first.visit(&FetchRequest::new(&url)).await.crawl_delay, None);
    let fetcher = fetcher(|config| config.robots_ttl = Duration::ZERO);
    for expect in [None, Some(20 * MS), Some(30 * MS), None, Some(50 * MS)] {
        let visit = fetcher.visit(&FetchRequest::new(&url)).await;
        visit.result.unwrap();
        assert_eq!(visit.crawl_delay, expect);
    }
}

#[tokio::test]
async fn two_ports_of_a_host_have_a_delay_each() {
    let slow = Server::with_robots("User-agent: *\nCrawl-delay: 0.1").await;
    let fast = Server::with_robots("").await;
    let fetcher = fetcher(|_| ());
    for (server, expect) in [(&slow, Some(100 * MS)), (&fast, None), (&slow, Some(100 * MS))] {
        let url = server.url("/");
        assert_eq!(fetcher.visit(&FetchRequest::new(&url)).await.crawl_delay, expect);
    }
}

#[tokio::test]
async fn a_visit_says_where_it_went_how_long_it_took_and_what_it_cost() {
    let server = Server::start(|path| match path {
        "/robots.txt" => ok("text/plain", "User-agent: *\nDisallow: /private"),
        _ => crate::fetch::server::Reply::Late(100 * MS, crate::fetch::server::response("200 OK", &[], b"<p>Hello")),
    })
    .await;
    let fetcher = fetcher(|_| ());
    for (path, requests) in [("/a", 2), ("/b", 1), ("/private", 0)] {
        let url = server.url(path);
        let visit = fetcher.visit(&FetchRequest::new(&url)).await;
        assert_eq!(visit.requests, requests, "{path}");
        if requests > 0 {
            let took = visit.response_time.unwrap();
            assert!(took >= 100 * MS && took <= visit.took, "{took:?} of {:?}", visit.took);
            assert_eq!(visit.address, Some("127.0.0.1".parse().unwrap()));
        }
    }
    assert_eq!(fetcher.locate(&server.url_by_name("/")).await.unwrap(), std::net::Ipv4Addr::LOCALHOST);
}
