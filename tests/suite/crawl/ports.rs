//! Back-off belongs to host, scheme and port: a port where nobody listens costs its host nothing.

use std::time::Duration;

use super::{HOUR, PAGE};
use crate::support::script::{Bench, Reply, html, page, say};
use tsrec_crawl::pipeline::outcome::NoPage;

const PAGES: usize = 400;
const TIME: Duration = Duration::from_secs(180);

/// How many pages of a host of 400 are stored in three minutes, beside a stranger with these links.
async fn stored(links: Vec<String>, on_the_host: bool, dead: fn() -> Reply) -> usize {
    let own: Vec<String> = (0..PAGES).map(|n| format!("/page/{n}")).collect();
    let mut bench = Bench::new(move |url, _| match (url.host_str(), url.scheme(), url.port(), url.path()) {
        (Some("stranger.example"), ..) => page(html("Links", &links.iter().map(String::as_str).collect::<Vec<_>>())),
        (_, "http", None, "/") => {
            let links = own.iter().chain(links.iter().filter(|_| on_the_host));
            page(html("Front", &links.map(String::as_str).collect::<Vec<_>>()))
        }
        (_, "http", None, path) => page(html(path, &[])),
        _ => dead(),
    });
    (bench.config.no_traps, bench.config.max_links) = (vec!["*".to_owned()], 2_000);
    bench.run(&["http://stranger.example/", PAGE], Some(TIME)).await;
    bench.store().list(Some("a.example"), None, 1_000).unwrap().len()
}

fn refused() -> Reply {
    say(NoPage::Unreachable { retry_after: None })
}

fn silent() -> Reply {
    Reply { after: Duration::from_secs(5), ..say(NoPage::TimedOut) }
}

#[tokio::test(start_paused = true)]
async fn links_to_dead_ports_leave_a_host_its_time() {
    let without = stored(Vec::new(), false, refused).await;
    assert!(without > 120, "{without}");
    let ports = |count: usize| (0..count).map(|n| format!("http://a.example:{}/", 1_000 + n)).collect::<Vec<_>>();
    let paths = |origin: &str, count: usize| (0..count).map(|n| format!("{origin}/x/{n}")).collect::<Vec<_>>();
    for (name, links) in [
        ("900 closed ports", ports(900)),
        ("one closed port", ports(1)),
        ("900 links to one closed port", paths("http://a.example:81", 900)),
        ("https where nobody listens", paths("https://a.example", 400)),
        ("https and closed ports", [paths("https://a.example", 300), ports(300)].concat()),
        ("https on closed ports", paths("https://a.example:8443", 300)),
    ] {
        for on_the_host in [false, true] {
            for dead in [refused, silent] {
                let with = stored(links.clone(), on_the_host, dead).await;
                assert!(with * 10 >= without * 9, "{name}, on the host: {on_the_host}: {with} of {without}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_origin_that_answers_is_no_stranger_any_more() {
    let mut bench = Bench::new(|url, before| match (url.scheme(), url.path()) {
        ("http", "/") => {
            let links: Vec<String> =
                (0..60).flat_map(|n| [format!("/{n}"), format!("https://a.example/s/{n}")]).collect();
            page(html("Front", &links.iter().map(String::as_str).collect::<Vec<_>>()))
        }
        ("https", _) if before == 0 && url.path() == "/s/0" => say(NoPage::Unreachable { retry_after: None }),
        (_, path) => page(html(path, &[])),
    });
    bench.config.no_traps = vec!["*".to_owned()];
    bench.run(&[PAGE], None).await;
    let secure = (0..60).filter(|n| bench.record(&format!("https://a.example/s/{n}")).is_some()).count();
    let plain = (0..60).filter(|n| bench.record(&format!("{PAGE}{n}")).is_some()).count();
    assert_eq!((secure, plain), (60, 60));
}

#[tokio::test(start_paused = true)]
async fn a_host_with_no_good_origin_backs_off_each() {
    let mut bench = Bench::new(|_, _| say(NoPage::Unreachable { retry_after: None }));
    bench.run(&["http://a.example/", "https://a.example/"], Some(HOUR)).await;
    for url in ["http://a.example/", "https://a.example/"] {
        let times = bench.times(url);
        assert!((3..9).contains(&times.len()), "{url}: {times:?}");
        assert!(times[1].duration_since(times[0]).unsigned_abs() >= Duration::from_secs(44), "{url}: {times:?}");
    }
    let first = [bench.times("http://a.example/")[0], bench.times("https://a.example/")[0]];
    assert!(first[1].duration_since(first[0]).unsigned_abs() < Duration::from_secs(5), "{first:?}");
}
