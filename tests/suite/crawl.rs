//! The pipeline in this process, against scripted hosts, with a paused clock. Each kind of answer
//! has a test. `pipeline/outcome.rs` has the table of outcomes; these tests check that the crawl
//! acts on it.

mod addresses;
mod discovery;
mod doubtful;
mod gone;
mod months;
mod numbers;
mod ports;
mod reextract;
mod steps;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::script::{Bench, Reply, html, not_modified, page, page_with, redirect, say, url};
use tsrec_core::evidence::favor::Favor;
use tsrec_core::html::directives::Directives;
use tsrec_crawl::fetch::Validators;
use tsrec_crawl::frontier::{Filter, Frontier, UrlState};
use tsrec_crawl::pipeline::outcome::NoPage;
use tsrec_crawl::pipeline::{CrawlMethod, ExtractConfig, Fate, FetchResponse, ParseSettings, Parsed, Until, Visited};
use tsrec_crawl::warc::{NewRecord, Packing, WarcWriter};
use tsrec_server::http::Why;
use tsrec_store::DeletionReason;
use url::Url;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn fates(visited: &[Visited], of: &str) -> Vec<&'static str> {
    visited.iter().filter(|one| one.url.as_str() == of).map(|one| one.fate.as_str()).collect()
}

/// A page for the first request, and another answer from the second request on.
fn first_a_page_then(then: impl Fn() -> Reply + Send + Sync + 'static) -> Bench {
    let mut bench = Bench::new(move |_, before| if before == 0 { page(html("First", &[])) } else { then() });
    bench.config.refetch_after = HOUR;
    bench.config.refetch_least = HOUR;
    bench.config.refetch_most = HOUR;
    bench
}

const PAGE: &str = "http://a.example/";

#[tokio::test(start_paused = true)]
async fn a_site_is_crawled_to_its_end() {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/one", "/two", "/gone", "http://elsewhere.example/"])),
        "/gone" => say(NoPage::Gone),
        path => page(html(path, &[])),
    });
    let visited = bench.run(&[PAGE], None).await;
    assert_eq!(fates(&visited, "http://a.example/one")[0], "stored");
    assert_eq!(fates(&visited, "http://a.example/gone"), ["not-stored"]);
    assert!(bench.record("http://a.example/two").is_some() && bench.record("http://a.example/gone").is_none());
    assert_eq!(bench.asked().len(), 4, "{:?}", bench.asked());
    let found_on = bench.status("http://a.example/one").await.found_on;
    assert_eq!(found_on.as_deref(), Some(PAGE));
}

#[tokio::test(start_paused = true)]
async fn what_all_pages_of_a_site_state_is_the_sites() {
    let mut bench = Bench::new(|url, _| {
        let (path, links) = (url.path(), (1..12).map(|n| format!("<a href=/{n}>{n}</a>")).collect::<String>());
        let story =
            format!("<p>Of {path} one thing is told, which nobody on the quay would have believed. </p>").repeat(9);
        page(format!(
            "<html><head><title>Story {path} :: Tidings from Sallowmouth</title><meta name=author content='Harbour Press'>\
             </head><body><nav>{links}</nav><h1>Story {path}</h1>{story}</body></html>"
        ))
    });
    bench.run(&[PAGE], None).await;
    let records: Vec<_> = (1..12).map(|n| bench.record(&format!("{PAGE}{n}")).unwrap().page.metadata).collect();
    let named = |name: Option<&str>| records.iter().filter(|said| said.site_name.as_deref() == name).count();
    let authorless = records.iter().filter(|said| said.authors.is_empty()).count();
    // The crawl must know three pages before it sees this.
    assert!(named(Some("Tidings from Sallowmouth")) >= 8 && authorless >= 8, "{records:?}");
    assert!(records.iter().all(|said| said.title.as_deref().unwrap().starts_with("Story /")));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_turns_noindex_is_deleted() {
    let noindex =
        "<html><head><meta name=robots content=noindex><title>x</title></head><body><p>Text.</p></body></html>";
    let mut bench = first_a_page_then(move || page(noindex));
    let visited = bench.run(&[PAGE], Some(2 * HOUR)).await;
    assert_eq!(fates(&visited, PAGE)[..2], ["stored", "deleted"]);
    assert_eq!(bench.feed(), [(PAGE.to_owned(), Some(DeletionReason::Noindex))]);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_gone_or_disallowed_is_deleted() {
    for (what, reason) in [(NoPage::Gone, DeletionReason::Gone), (NoPage::Disallowed, DeletionReason::Disallowed)] {
        let mut bench = first_a_page_then(move || say(what));
        bench.run(&[PAGE], Some(2 * HOUR)).await;
        assert_eq!(bench.feed(), [(PAGE.to_owned(), Some(reason))]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_permanent_redirect_moves_the_record() {
    let mut bench = Bench::new(|url, before| match (url.path(), before) {
        ("/", 0) => page(html("First", &[])),
        ("/", _) => redirect("http://a.example/new", true),
        _ => say(NoPage::TimedOut),
    });
    (bench.config.refetch_after, bench.config.refetch_least) = (HOUR, HOUR);
    let before = bench.run(&[PAGE], Some(HOUR / 2)).await;
    assert_eq!(fates(&before, PAGE), ["stored"]);
    bench.run(&[PAGE], Some(HOUR)).await;
    assert!(bench.record(PAGE).is_none());
    let moved = bench.record("http://a.example/new").unwrap();
    assert!(moved.text.contains("the council met"), "{}", moved.text);
    let feed = bench.feed();
    assert_eq!(feed, [("http://a.example/new".to_owned(), None), (PAGE.to_owned(), Some(DeletionReason::Redirected))]);
}

/// The wait for a turn at robots.txt or at the page is no sign of a slow host. Other requests may
/// have taken the turn.
#[tokio::test(start_paused = true)]
async fn waiting_for_a_turn_is_none_of_the_hosts_time() {
    for (after, expect) in [(8, "stored"), (12, "failed")] {
        let mut bench = Bench::new(move |_, _| {
            let mut reply = page(html("Slow", &[]));
            (reply.after, reply.response.waited) = (Duration::from_secs(after), Duration::from_secs(4));
            reply
        });
        let visited = bench.run(&[PAGE], Some(Duration::from_secs(30))).await;
        assert_eq!(fates(&visited, PAGE)[0], expect, "after {after} s, of which 4 are a wait");
    }
}

/// Otherwise a site could have its own text stored as another site's while that one does not
/// answer.
#[tokio::test(start_paused = true)]
async fn a_record_does_not_move_to_another_site() {
    let mut bench = Bench::new(|url, before| match (url.host_str(), url.path(), before) {
        (Some("a.example"), "/", 0) => page(html("First", &[])),
        (Some("a.example"), "/", _) => redirect("http://b.example/new", true),
        (Some("b.example"), "/", _) => page(html("Another", &[])),
        _ => say(NoPage::TimedOut),
    });
    (bench.config.refetch_after, bench.config.refetch_least) = (HOUR, HOUR);
    bench.run(&[PAGE, "http://b.example/"], Some(3 * HOUR)).await;
    assert_eq!(bench.record(PAGE), None);
    assert!(bench.record("http://b.example/new").is_none());
    assert!(!bench.times("http://b.example/new").is_empty(), "it is asked for itself");
}

/// Otherwise a host that can make the program fail could fill the disk.
#[tokio::test(start_paused = true)]
async fn the_bytes_of_so_many_quarantined_pages_are_kept_of_a_host_and_no_more() {
    let links: Vec<String> = (0..60).map(|n| format!("/bad/{n}")).collect();
    let mut bench = Bench::new(move |url, _| match url.path() {
        "/" => page(html("Front", &links.iter().map(String::as_str).collect::<Vec<_>>())),
        path => page(html(path, &[])),
    });
    (bench.parse, bench.config.no_traps) = (fails_on_bad_pages, vec!["*".to_owned()]);
    bench.run(&[PAGE], None).await;
    let frontier = bench.frontier();
    assert_eq!(frontier.stats().await.unwrap().quarantined, 60);
    let kept = bench.store().list_parked(None, None, 100).unwrap().len();
    assert!((20..=40).contains(&kept), "{kept}");
    // Another version fetches the pages without stored bytes again.
    (bench.version, bench.parse) = ("2", Parsed::new);
    drop(frontier);
    bench.close();
    bench.run(&[PAGE], None).await;
    assert_eq!(bench.frontier().stats().await.unwrap().quarantined, 0);
    assert!((0..60).all(|n| bench.record(&format!("{PAGE}bad/{n}")).is_some()));
}

/// The visited page has no record for a reason, and the server would call its version unchanged.
#[tokio::test(start_paused = true)]
async fn a_record_does_not_move_to_a_page_that_asks_not_to_be_stored() {
    const LOGIN: &str = "http://a.example/login";
    let login = "<html><head><title>Log in</title></head><body><p>Name and password, please.</p></body></html>";
    let mut bench = Bench::that_hears(move |asked, before| match (asked.url.path(), before) {
        ("/", 0) => page(html("First", &["/login"])),
        ("/", _) => redirect(LOGIN, true),
        _ if asked.unless.is_some() => not_modified(),
        _ => page_with(login, "\"1\"", "noindex"),
    });
    (bench.config.refetch_after, bench.config.refetch_least) = (HOUR, HOUR);
    bench.run(&[PAGE], Some(HOUR / 2)).await;
    assert!(bench.record(PAGE).is_some() && bench.record(LOGIN).is_none());
    bench.run(&[PAGE], Some(5 * HOUR)).await;
    assert_eq!([bench.record(PAGE), bench.record(LOGIN)], [None, None]);
}

#[tokio::test(start_paused = true)]
async fn a_temporary_redirect_keeps_the_record_and_the_login_is_not_asked_for() {
    let mut bench = first_a_page_then(|| redirect("http://a.example/login", false));
    let visited = bench.run(&[PAGE], Some(3 * HOUR)).await;
    assert_eq!(fates(&visited, PAGE)[..2], ["stored", "failed"]);
    assert!(bench.record(PAGE).is_some());
    assert!(bench.asked().iter().all(|asked| asked == PAGE), "{:?}", bench.asked());
}

#[tokio::test(start_paused = true)]
async fn what_fails_for_days_is_deleted_and_not_before() {
    for (what, seen) in [(NoPage::Denied, true), (NoPage::TimedOut, false)] {
        let mut bench = first_a_page_then(move || say(what));
        bench.run(&[PAGE], Some(5 * DAY)).await;
        assert!(bench.record(PAGE).is_some(), "{what:?}");
        bench.run(&[PAGE], Some(5 * DAY)).await;
        let reason = seen.then_some(DeletionReason::Unavailable);
        assert_eq!(bench.feed(), [(PAGE.to_owned(), reason)], "{what:?}");
        assert!(bench.times(PAGE).len() < 40, "{what:?}: {} requests", bench.times(PAGE).len());
    }
}

#[tokio::test(start_paused = true)]
async fn html_that_was_something_else_for_once_is_fetched_again() {
    let mut bench = Bench::new(|_, before| if before == 1 { say(NoPage::NotHtml) } else { page(html("A", &[])) });
    (bench.config.refetch_after, bench.config.refetch_least) = (HOUR, HOUR);
    let visited = bench.run(&[PAGE], Some(2 * HOUR)).await;
    assert_eq!(fates(&visited, PAGE)[..3], ["stored", "failed", "unchanged"]);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_says_429_is_left_alone_and_then_asked_less_often() {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/1", "/2", "/3", "/4"])),
        "/1" => say(NoPage::Strained { retry_after: None }),
        path => page(html(path, &[])),
    });
    bench.run(&[PAGE], Some(30 * MINUTE)).await;
    let asked = bench.script.asked.lock().unwrap().clone();
    let paths: Vec<&str> = asked.iter().map(|(url, _)| url.path()).collect();
    assert_eq!(paths[..3], ["/", "/1", "/2"]);
    let gap = |n: usize| asked[n + 1].1.duration_since(asked[n].1).as_secs_f64();
    assert!((1.0..2.0).contains(&gap(0)) && gap(1) > 44.0 && gap(2) >= 2.0, "{} {} {}", gap(0), gap(1), gap(2));
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_kept() {
    let retry_after = Some(20 * MINUTE);
    let mut bench = Bench::new(move |_, before| match before {
        0 => say(NoPage::Strained { retry_after }),
        _ => page(html("A", &[])),
    });
    let visited = bench.run(&[PAGE], Some(HOUR)).await;
    assert_eq!(fates(&visited, PAGE), ["failed", "stored"]);
    let times = bench.times(PAGE);
    assert!(times[1].duration_since(times[0]).unsigned_abs() >= 20 * MINUTE, "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_our_own_counts_against_nobody() {
    let mut bench = Bench::new(|_, before| if before < 5 { say(NoPage::OwnFault) } else { page(html("A", &[])) });
    let visited = bench.run(&[PAGE], Some(HOUR)).await;
    let fates = fates(&visited, PAGE);
    assert_eq!((fates.len(), fates[0], fates[5]), (6, "returned", "stored"));
    let times = bench.times(PAGE);
    assert!(times[5].duration_since(times[0]).unsigned_abs() < 3 * MINUTE, "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn when_all_good_hosts_fail_at_once_the_fault_is_our_own() {
    let down = Arc::new(AtomicBool::new(false));
    let is_down = Arc::clone(&down);
    let mut bench = Bench::new(move |url, _| match is_down.load(Ordering::SeqCst) {
        true => say(NoPage::Unreachable { retry_after: None }),
        false => page(html(url.as_str(), &[])),
    });
    (bench.config.refetch_after, bench.config.refetch_least) = (HOUR, HOUR);
    let seeds: Vec<String> = (0..20).map(|n| format!("http://h{n}.example/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    bench.run(&seeds, Some(HOUR / 2)).await;
    down.store(true, Ordering::SeqCst);
    let visited = bench.run(&seeds, Some(40 * MINUTE)).await;
    let failed = visited.iter().filter(|one| one.fate.as_str() == "failed").count();
    assert!(failed < 5 && visited.iter().any(|one| one.fate.as_str() == "returned"), "{failed} failed");
    // The crawl asks these hosts less and less often. A caller that waits for the end gets an
    // error.
    let more: Vec<String> = (0..20).map(|n| format!("http://h{n}.example/more")).collect();
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let before = bench.asked().len();
    let error = bench.drain(&more).await.unwrap_err().to_string();
    assert!(error.contains("no server has answered") && error.contains("the same command"), "{error}");
    let asked = bench.asked().len() - before;
    assert!((10..=200).contains(&asked), "{asked}");
    down.store(false, Ordering::SeqCst);
    let visited = bench.run(&seeds, Some(2 * MINUTE)).await;
    assert!(visited.iter().filter(|one| one.fate.as_str() == "unchanged").count() >= 15, "{visited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_refused_address_is_looked_at_again() {
    let mut bench = Bench::new(|_, before| match before {
        0 => say(NoPage::RefusedAddress),
        _ => page(html("A", &[])),
    });
    let visited = bench.run(&[PAGE], Some(HOUR)).await;
    assert_eq!(fates(&visited, PAGE), ["failed", "stored"]);
}

#[tokio::test(start_paused = true)]
async fn disallowed_urls_cost_no_delay() {
    let links: Vec<String> = (0..20).map(|n| format!("/private/{n}")).collect();
    let mut bench = Bench::new(move |url, _| match url.path() {
        "/" => page(html("Front", &links.iter().map(String::as_str).collect::<Vec<_>>())),
        _ => Reply { after: Duration::ZERO, ..say(NoPage::Disallowed) },
    });
    bench.run(&[PAGE], None).await;
    let asked = bench.script.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 21);
    let took = asked[20].1.duration_since(asked[1].1).as_secs_f64();
    assert!(took < 1.0, "{took} s for 20 URLs that were not asked for");
}

/// Two articles of one section that link to each other, and a front page.
fn section(url: &Url) -> String {
    let other = if url.path().ends_with("one") { "/news/2026/story-two" } else { "/news/2026/story-one" };
    let own = "A report of its own with enough words to be told from what stands around it on every page here. ";
    format!(
        "<html><head><title>{0}</title></head><body><div class=nav><a href=/>Home</a> <a href={other}>Next</a> \
         <p>Everything about the harbour, every day, for everybody who lives near it.</p></div><div class=story>\
         <h1>{0}</h1><p>{0}. {1}</p><p>{1} {0}!</p></div><div class=foot><p>All rights with those who wrote it, of \
         course, and with their heirs.</p></div></body></html>",
        url.path(),
        own.repeat(3),
    )
}

#[tokio::test(start_paused = true)]
async fn a_page_is_stored_at_once_and_again_when_its_sibling_has_come() {
    let mut bench = Bench::new(|url, _| page(section(url)));
    bench.frontier_config.delay = 10 * MINUTE;
    let one = "http://a.example/news/2026/story-one";
    let early = bench.run(&[one], Some(MINUTE)).await;
    assert_eq!(fates(&early, one), ["stored"]);
    let first = bench.record(one).unwrap();
    assert!(first.sibling.is_none(), "{first:?}");
    let waiting = bench.frontier().list(Filter::Waiting, None, None, 9).unwrap().0;
    assert_eq!(waiting[0].waits_for.as_deref(), Some("http://a.example/news/2026/story-two"));
    assert_eq!(bench.store().counts().parked, 1);

    bench.close();
    bench.run(&[one], Some(30 * MINUTE)).await;
    let second = bench.record(one).unwrap();
    assert_eq!(second.sibling.as_deref(), Some("http://a.example/news/2026/story-two"));
    assert_eq!((second.method.as_str(), second.fetched_at), ("template", first.fetched_at));
    assert_eq!(bench.times(one).len(), 1, "it was asked for once");
    assert_eq!(bench.frontier().stats().await.unwrap().waiting, 0);
    // The store keeps the others until it knows their template, or for one day.
    assert_eq!(bench.store().counts().parked, 3);
    bench.close();
    bench.run(&[one], Some(2 * 24 * 60 * MINUTE)).await;
    assert_eq!(bench.store().counts().parked, 0);
}

/// No URL is due, but stored page bytes wait.
#[tokio::test(start_paused = true)]
async fn a_crawl_that_ends_when_it_is_drained_looks_at_what_is_kept_first() {
    let mut bench = Bench::new(|url, _| page(section(url)));
    let one = "http://a.example/news/2026/story-one";
    bench.run(&[one], None).await;
    assert_eq!(bench.store().counts().parked, 3);
    bench.close();
    tokio::time::advance(2 * DAY).await;
    assert!(bench.run(&[one], None).await.is_empty(), "nothing is due");
    assert_eq!(bench.store().counts().parked, 0, "they have waited for too long");
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_sibling_that_fails_waits_no_more() {
    let mut bench = Bench::new(|url, _| match url.path().ends_with("two") {
        true => say(NoPage::Gone),
        false => page(section(url)),
    });
    bench.run(&["http://a.example/news/2026/story-one"], None).await;
    assert!(bench.record("http://a.example/news/2026/story-one").is_some());
    assert_eq!(bench.frontier().stats().await.unwrap().waiting, 0);
}

#[tokio::test(start_paused = true)]
async fn a_record_over_its_limit_leaves_nothing_parked() {
    let mut bench = Bench::new(|url, _| page(section(url)));
    bench.store_config.max_record_bytes = 500;
    let visited = bench.run(&["http://a.example/news/2026/story-one"], None).await;
    assert!(visited.iter().any(|one| matches!(&one.fate, Fate::NotStored(why) if why.contains("max_record_bytes"))));
    assert_eq!((bench.store().counts().parked, bench.store().counts().pages), (0, 0));
}

/// A parser that fails on one page.
fn fails_on_bad_pages(body: &[u8], charset: Option<&str>, url: &Url, manner: &ParseSettings<'_>) -> Parsed {
    assert!(!url.path().contains("bad"), "it had to be that page");
    Parsed::new(body, charset, url, manner)
}

#[tokio::test(start_paused = true)]
async fn a_page_that_the_parser_panics_on_goes_to_quarantine_until_an_upgrade() {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/bad", "/good"])),
        path => page(html(path, &[])),
    });
    bench.parse = fails_on_bad_pages;
    let bad = "http://a.example/bad";
    let visited = bench.run(&[PAGE], None).await;
    assert_eq!((fates(&visited, bad)[0], fates(&visited, "http://a.example/good")[0]), ("quarantined", "stored"));
    let listed = bench.frontier().list(Filter::Quarantined, None, None, 9).unwrap().0;
    assert_eq!(listed.len(), 1);
    let said = listed[0].status.last.clone().unwrap().said;
    assert!(said.contains("parsing") && said.contains("it had to be that page"), "{said}");
    assert_eq!(bench.store().parked(bad).unwrap().unwrap().body, html("/bad", &[]).into_bytes());

    bench.close();
    bench.run(&[PAGE], None).await;
    assert!(bench.record(bad).is_none(), "the same version does not try it again");
    bench.close();
    (bench.version, bench.parse) = ("2", Parsed::new);
    bench.run(&[PAGE], None).await;
    assert!(bench.record(bad).is_some());
    assert_eq!(bench.times(bad).len(), 1, "from the bytes that were kept");
    assert!(matches!(bench.status(bad).await.state, UrlState::Known { .. }));
}

#[tokio::test]
async fn a_page_of_an_archive_that_the_parser_panics_on_goes_to_quarantine_as_well() {
    let mut bench = Bench::new(|_, _| say(NoPage::Gone));
    let (good, bad) = ("http://a.example/good", "http://a.example/bad");
    let mut archive = WarcWriter::new(Vec::new(), Packing::Gzip);
    for url in [bad, good] {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", html(url, &[])).into_bytes();
        let record = NewRecord::new("response", "2020-05-01T00:00:00Z".parse().unwrap());
        let content_type = "application/http;msgtype=response";
        archive.write(&NewRecord { target: Some(url), content_type, block: block.into(), ..record }).unwrap();
    }
    let file = bench.path().join("a.warc.gz");
    std::fs::write(&file, archive.into_inner()).unwrap();
    bench.parse = fails_on_bad_pages;
    bench.crawl_archive(&file).await;
    assert!(bench.record(good).is_some() && bench.record(bad).is_none());
    let listed = bench.frontier().list(Filter::Quarantined, None, None, 9).unwrap().0;
    assert_eq!(listed.iter().map(|listed| listed.url.as_str()).collect::<Vec<_>>(), [bad]);
    assert!(listed[0].status.last.clone().unwrap().said.contains("it had to be that page"));
    bench.close();
    // Another version of the program finds the page with its bytes, although the archive is done.
    (bench.version, bench.parse) = ("2", Parsed::new);
    bench.run(&[], None).await;
    assert!(bench.record(bad).is_some() && bench.asked().is_empty(), "{:?}", bench.asked());
}

#[tokio::test(start_paused = true)]
async fn a_panic_on_the_async_side_ends_neither_the_crawl_nor_a_lease() {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/bad", "/good"])),
        "/bad" => panic!("the client fell over"),
        path => page(html(path, &[])),
    });
    let visited = bench.run(&[PAGE], None).await;
    let fate = |path: &str| fates(&visited, &format!("http://a.example{path}"))[0];
    assert_eq!((fate("/bad"), fate("/good")), ("quarantined", "stored"));
    assert_eq!(bench.frontier().stats().await.unwrap().leased, 0);
}

#[tokio::test(start_paused = true)]
async fn a_hundred_tarpits_do_not_stop_the_others() {
    let mut bench = Bench::new(|url, _| match url.host_str() {
        Some(host) if host.starts_with("a-tar") => Reply { after: DAY, ..page("never") },
        _ => page(html(url.path(), &["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"])),
    });
    let tarpits = (0..100).map(|n| format!("http://a-tar{n}.example/"));
    let good = (0..10).map(|n| format!("http://good{n}.example/"));
    let seeds: Vec<String> = tarpits.chain(good).collect();
    bench.run(&seeds.iter().map(String::as_str).collect::<Vec<_>>(), Some(Duration::from_secs(90))).await;
    let stored = bench.store().counts().pages;
    assert_eq!(stored, 100, "all ten pages of the ten good hosts");
}

#[tokio::test(start_paused = true)]
async fn hosts_on_one_address_are_asked_apart() {
    let address: IpAddr = "192.0.2.1".parse().unwrap();
    let hosts: Vec<String> = (0..10).map(|n| format!("h{n}.example")).collect();
    let addresses: Vec<(String, IpAddr)> = hosts.iter().map(|host| (host.clone(), address)).collect();
    let mut bench = Bench::with_addresses(&addresses, |url, _| page(html(url.as_str(), &[])));
    let seeds: Vec<String> = hosts.iter().map(|host| format!("http://{host}/")).collect();
    bench.run(&seeds.iter().map(String::as_str).collect::<Vec<_>>(), None).await;
    let asked = bench.script.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 10);
    for pair in asked.windows(2) {
        let gap = pair[1].1.duration_since(pair[0].1).unsigned_abs();
        assert!(gap >= Duration::from_millis(200), "{gap:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn large_pages_stay_within_the_memory() {
    let large = "<p>A paragraph among very many others of a very long page.</p>\n".repeat(3_000);
    let mut bench = Bench::new(move |_, _| page(large.clone()));
    bench.config.memory = 128 << 20;
    bench.store_config.max_record_bytes = 1_000;
    let seeds: Vec<String> = (0..12).map(|n| format!("http://h{n}.example/")).collect();
    let urls: Vec<Url> = seeds.iter().map(|seed| url(seed)).collect();
    let crawl = Arc::new(bench.crawl(&seeds.iter().map(String::as_str).collect::<Vec<_>>()));
    crawl.seed(&urls).await.unwrap();
    let (most, watched) = (Arc::new(AtomicUsize::new(0)), Arc::clone(&crawl));
    let seen = Arc::clone(&most);
    let watch = tokio::spawn(async move {
        loop {
            seen.fetch_max(watched.memory_taken(), Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    let until = Until { drained: true, pages: None };
    let summary = Arc::clone(&crawl).run(until, std::future::pending()).await.unwrap();
    watch.abort();
    assert_eq!(summary.visited, 12);
    let most = most.load(Ordering::Relaxed);
    assert!((16 << 20..=128 << 20).contains(&most), "{most}");
    assert_eq!(crawl.memory_taken(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_endless_calendar_ends_and_what_was_dropped_is_listed() {
    let mut bench = Bench::new(|url, _| match url.path().strip_prefix("/day/") {
        None => page(html("Front", &["/day/1"])),
        Some(day) => {
            let next = day.parse::<u64>().unwrap() + 1;
            let link = |day: u64| format!("<a href=/day/{day}>{day}</a>");
            let text = "There are no events on this day. Look at another day, or add an event of your own to it.";
            page(format!("<html><body><h1>{day}</h1><p>{text}</p>{} {}</body></html>", link(next), link(next + 7)))
        }
    });
    bench.run(&[PAGE], None).await;
    let asked = bench.asked().len();
    assert!((20..60).contains(&asked), "{asked} of endlessly many");
    let postponed = bench.frontier().list(Filter::Failed, None, None, 100).unwrap().0;
    assert!(!postponed.is_empty());
    assert!(postponed[0].status.last.clone().unwrap().said.contains("/day/#"), "{postponed:?}");
    // `Why` also reports the trap for a URL that the frontier never accepted.
    for day in ["1", "100000"] {
        let why = Why::read(&bench.frontier(), &bench.store(), &format!("{PAGE}day/{day}")).await.unwrap();
        let why = serde_json::to_value(&why).unwrap();
        assert_eq!(why["sections"][0]["section"], "/day/#", "{why}");
        assert!(why["sections"][0]["trap"]["until"].is_string(), "{why}");
    }
}

/// The site lists stories that are gone and answers them with status 200. After a restart the crawl
/// has seen none of the others again, but they are stored.
#[tokio::test(start_paused = true)]
async fn stories_that_are_gone_make_no_trap_of_a_section_of_which_others_are_stored() {
    const WORDS: [&str; 8] = ["ferry", "harbour", "council", "winter", "choir", "bridge", "market", "school"];
    let story = |n: usize| {
        let words: Vec<&str> =
            (0..40).map(|at| WORDS[(n * 5 + at * (n % 7 + 1) + at * at / (n % 5 + 2)) % 8]).collect();
        format!("<h1>{} and {}</h1><p>{}.</p>", WORDS[n % 8], WORDS[n / 8 % 8], words.join(" "))
    };
    let links =
        |numbers: std::ops::Range<usize>| numbers.map(|n| format!("<a href=/news/{n}>{n}</a>")).collect::<String>();
    let mut bench = Bench::new(move |url, before| match (url.path(), before) {
        ("/", 0) => page(links(1..40)),
        ("/", _) => page(links(100..130) + "<a href=/late>More</a>"),
        ("/late", _) => page(links(60..61)),
        (path, _) => match path.strip_prefix("/news/").and_then(|n| n.parse().ok()) {
            Some(n) if n < 100 => page(story(n)),
            _ => page(
                "<h1>Sorry</h1><p>The story that you are looking for is not here any more. Try the front page.</p>",
            ),
        },
    });
    (bench.config.refetch_after, bench.config.refetch_least) = (DAY, DAY);
    bench.run(&[PAGE], Some(HOUR)).await;
    bench.close();
    bench.run(&[PAGE], Some(2 * DAY)).await;
    assert!(bench.record("http://a.example/news/129").is_some(), "it is taken for a page");
    assert!(bench.record("http://a.example/news/60").is_some(), "{:?}", bench.status("http://a.example/news/60").await);
}

/// The trap stops all new URLs. The crawl still requests URLs that it has fetched before.
#[tokio::test(start_paused = true)]
async fn a_page_of_a_trap_that_was_gone_and_comes_back_is_stored_again() {
    let mut bench = Bench::new(|url, before| match (url.path(), before) {
        ("/", _) => page(html(
            "Front",
            &(0..40).map(|n| format!("/day/{n}")).collect::<Vec<_>>().iter().map(|link| &**link).collect::<Vec<_>>(),
        )),
        ("/day/1", 1) => say(NoPage::Gone),
        _ => page(
            "<h1>Day</h1><p>There are no events on this day. Look at another day, or add an event of your own to it.</p>",
        ),
    });
    (bench.config.refetch_after, bench.config.refetch_least, bench.config.refetch_most) = (2 * HOUR, HOUR, 2 * HOUR);
    bench.run(&[PAGE], Some(HOUR)).await;
    let stored = |bench: &mut Bench| (0..40).filter(|n| bench.record(&format!("{PAGE}day/{n}")).is_some()).count();
    let (first, day) = (stored(&mut bench), "http://a.example/day/1");
    assert!((15..30).contains(&first), "{first}");
    assert!(bench.record(day).is_some());
    bench.run(&[PAGE], Some(12 * HOUR)).await;
    assert!(bench.times(day).len() > 2, "{:?}", bench.times(day));
    assert!(bench.record(day).is_some());
    assert_eq!(stored(&mut bench), first);
}

/// For the first minutes all pages of a section have the same text, as in a trap.
#[tokio::test(start_paused = true)]
async fn a_section_that_was_closed_for_a_while_loses_no_page() {
    let asked = AtomicUsize::new(0);
    let words = ["ferry", "harbour", "council", "winter", "choir", "bridge", "market", "school", "boat", "museum"];
    let mut bench = Bench::new(move |url, _| match url.path().strip_prefix("/item/") {
        None => page(html(
            "Front",
            &(0..60).map(|n| format!("/item/{n}")).collect::<Vec<_>>().iter().map(|link| &**link).collect::<Vec<_>>(),
        )),
        Some(_) if asked.fetch_add(1, Ordering::SeqCst) < 30 => page(
            "<h1>Closed</h1><p>We are closed for a short time and back soon, with all that you know and more of it.</p>",
        ),
        Some(n) => {
            let n: usize = n.parse().unwrap();
            let story: Vec<&str> = (0..40).map(|at| words[(n * 7 + at * (n % 9 + 1) + n / 10) % words.len()]).collect();
            page(format!("<h1>{n}</h1><p>{} {}</p>", story.join(" "), "x".repeat(n + 1)))
        }
    });
    bench.run(&[PAGE], Some(HOUR)).await;
    let stored = |bench: &mut Bench| (0..60).filter(|n| bench.record(&format!("{PAGE}item/{n}")).is_some()).count();
    assert!(stored(&mut bench) < 40, "it looks like a trap: {}", stored(&mut bench));
    bench.run(&[PAGE], Some(8 * DAY)).await;
    assert_eq!(stored(&mut bench), 60);
}

/// The host answers 200 with the same text for every missing page, and then one of its pages is
/// removed.
#[tokio::test(start_paused = true)]
async fn a_soft_404_is_not_stored_and_deletes_what_was() {
    let mut bench = Bench::new(|url, before| match (url.path(), before) {
        ("/", _) => {
            page(html("Front", &["/gone", "/shop/gone?item=7", "/old/2025/gone", "/talk/8/gone", "/talk/9/here"]))
        }
        ("/talk/9/here", 0) => page(html("Here", &[])),
        _ => page(
            "<title>Sorry</title><h1>Sorry</h1><p>The page that you were looking for is not here any more, or it never was. Look at our front page instead.",
        ),
    });
    bench.config.refetch_after = DAY;
    bench.config.refetch_least = DAY;
    bench.run(&[PAGE], Some(HOUR)).await;
    let here = "http://a.example/talk/9/here";
    assert!(bench.record(here).is_some());
    let missing = ["gone", "shop/gone?item=7", "old/2025/gone", "talk/8/gone"].map(|path| format!("{PAGE}{path}"));
    let stored = missing.iter().filter(|url| bench.record(url).is_some()).count();
    assert_eq!(stored, 2, "two of other patterns tell that it is no page");
    bench.run(&[PAGE], Some(3 * DAY)).await;
    assert_eq!(bench.record(here), None, "it is gone, whatever the host says");
    assert!(bench.status(here).await.last.unwrap().said.contains("soft 404"));
    assert_eq!(missing.iter().filter(|url| bench.record(url).is_some()).count(), 2, "what was stored first stays");
}

#[tokio::test(start_paused = true)]
async fn the_interval_follows_the_changes_of_the_content() {
    let bench = |body: fn(usize) -> String| {
        let mut bench = Bench::new(move |_, before| page(body(before)));
        bench.config.refetch_after = 4 * HOUR;
        bench.config.refetch_least = HOUR;
        bench.config.refetch_most = 8 * HOUR;
        bench
    };
    let gaps = |bench: &Bench| -> Vec<i64> {
        bench.times(PAGE).windows(2).map(|pair| pair[1].duration_since(pair[0]).as_secs().div_euclid(60)).collect()
    };
    let mut changing = bench(|before| html(&format!("Number {before}"), &[]));
    changing.run(&[PAGE], Some(10 * HOUR)).await;
    assert_eq!(gaps(&changing)[..4], [240, 120, 60, 60]);
    // The template changes, the content does not.
    let mut still = bench(|before| html("Still", &[]).replace("<ul>", &format!("<ul data-n={before}>")));
    still.run(&[PAGE], Some(30 * HOUR)).await;
    assert_eq!(gaps(&still)[..4], [240, 360, 480, 480]);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_modified_is_no_change() {
    let mut bench = first_a_page_then(not_modified);
    let visited = bench.run(&[PAGE], Some(2 * HOUR)).await;
    assert_eq!(fates(&visited, PAGE)[..2], ["stored", "unchanged"]);
    assert_eq!(bench.feed(), [(PAGE.to_owned(), None)]);
}

/// A new method applies at the next visit: the crawl fetches the page whole.
#[tokio::test(start_paused = true)]
async fn a_page_is_extracted_by_the_new_method_at_its_next_visit() {
    let mut bench = Bench::that_hears(|asked, _| match asked.unless {
        Some(_) => not_modified(),
        None => page_with(html("A", &[]), "\"1\"", ""),
    });
    (bench.config.refetch_after, bench.config.refetch_least, bench.config.refetch_most) = (DAY, DAY, DAY);
    let mut methods = Vec::new();
    for method in [CrawlMethod::Auto, CrawlMethod::Mss, CrawlMethod::Auto] {
        bench.extract = ExtractConfig { method, ..Default::default() };
        bench.run(&[PAGE], Some(3 * DAY)).await;
        methods.push(bench.record(PAGE).unwrap().method.clone());
    }
    assert_eq!(methods, ["blocks", "mss", "blocks"]);
}

/// What the crawl favours applies at the next visit, too.
#[tokio::test(start_paused = true)]
async fn a_page_is_extracted_as_the_crawl_now_favours_at_its_next_visit() {
    let page = include_str!("../../fixtures/languages/fi.html");
    let mut bench = Bench::that_hears(move |asked, _| match asked.unless {
        Some(_) => not_modified(),
        None => page_with(page, "\"1\"", ""),
    });
    (bench.config.refetch_after, bench.config.refetch_least, bench.config.refetch_most) = (DAY, DAY, DAY);
    let mut words = Vec::new();
    for favor in [Favor::Recall, Favor::Balance, Favor::Precision] {
        bench.extract = ExtractConfig { favor, ..Default::default() };
        bench.run(&[PAGE], Some(3 * DAY)).await;
        words.push(bench.record(PAGE).unwrap().text.split_whitespace().count());
    }
    assert!(words[0] > words[1] && words[1] > words[2], "{words:?}");
}

/// If a page has not changed, the headers of its answer apply all the same.
#[tokio::test(start_paused = true)]
async fn a_page_that_has_not_changed_may_ask_to_go() {
    let mut bench = first_a_page_then(|| {
        let mut directives = Directives::default();
        directives.add("noindex");
        Reply::new(FetchResponse::not_modified(Validators::default(), directives))
    });
    let visited = bench.run(&[PAGE], Some(2 * HOUR)).await;
    assert_eq!(fates(&visited, PAGE)[..2], ["stored", "deleted"]);
    assert_eq!(bench.feed(), [(PAGE.to_owned(), Some(DeletionReason::Noindex))]);
}

/// If a page has an expiry date, the crawl makes no conditional request. A 304 would not repeat the
/// date.
#[tokio::test(start_paused = true)]
async fn a_page_with_a_date_in_its_markup_goes_on_that_day() {
    let page =
        html("For a while", &[]).replace("<head>", "<head><meta name=robots content='unavailable_after: 2026-01-03'>");
    let mut bench = Bench::that_hears(move |asked, _| match asked.unless {
        Some(_) => not_modified(),
        None => page_with(&*page, "\"1\"", ""),
    });
    (bench.config.refetch_after, bench.config.refetch_least) = (HOUR, HOUR);
    bench.run(&[PAGE], Some(HOUR / 2)).await;
    assert!(bench.record(PAGE).is_some());
    bench.run(&[PAGE], Some(4 * DAY)).await;
    assert!(bench.record(PAGE).is_none());
}

#[tokio::test(start_paused = true)]
async fn durations_of_twenty_thousand_years_are_durations() {
    let long = Duration::from_secs(20_000 * 366 * 86_400);
    let mut bench = Bench::new(|_, _| Reply { after: Duration::ZERO, ..say(NoPage::Gone) });
    let config = &mut bench.config;
    (config.refetch_after, config.refetch_most, config.keep_tombstones) = (long, long, long);
    (config.sibling_wait, config.grace) = (long, long);
    let frontier = &mut bench.frontier_config;
    (frontier.retry_cap, frontier.give_up_after, frontier.address_delay) = (long, long, long);
    bench.run(&[PAGE], Some(2 * HOUR)).await;
    assert!(matches!(bench.status(PAGE).await.state, UrlState::Gone { .. }));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_fetched_while_the_disk_has_no_room() {
    let free = Arc::new(AtomicUsize::new(999));
    let mut bench = Bench::new(|url, _| page(html(url.path(), &["/one"])));
    bench.config.least_free = 1_000;
    let seen = Arc::clone(&free);
    let crawl = bench.crawl(&[PAGE]).with_free_space(move || Some(seen.load(Ordering::SeqCst) as u64));
    let crawl = Arc::new(crawl);
    crawl.seed(&[url(PAGE)]).await.unwrap();
    let run = tokio::spawn(Arc::clone(&crawl).run(Until { drained: true, pages: None }, std::future::pending()));
    tokio::time::sleep(HOUR).await;
    assert_eq!((bench.asked().len(), crawl.disk_low()), (0, Some(999)));
    assert!(crawl.turns() < 2 * 3_600, "{} turns: it does not spin", crawl.turns());
    free.store(2_000, Ordering::SeqCst);
    run.await.unwrap().unwrap();
    assert_eq!((bench.asked().len(), crawl.disk_low()), (2, None));
}

#[tokio::test(start_paused = true)]
async fn a_crawl_that_ends_when_it_is_drained_waits_for_a_host_that_is_slow() {
    // The delay follows the host's response time and is longer than the configured one.
    let mut bench = Bench::new(|_, _| Reply { after: Duration::from_secs(2), ..page(html("A", &[])) });
    bench.frontier_config.delay = Duration::from_millis(1);
    bench.run(&[PAGE], None).await;
    tokio::time::sleep(MINUTE).await;
    assert!(bench.frontier().requeue(PAGE).unwrap());
    bench.close();
    let visited = bench.run(&[PAGE], None).await;
    assert_eq!(fates(&visited, PAGE), ["unchanged"]);
}

/// Ends the parsers below.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// A parser that does not end on some pages.
fn hangs_on_bad_pages(body: &[u8], charset: Option<&str>, url: &Url, manner: &ParseSettings<'_>) -> Parsed {
    while url.path().contains("bad") && !IS_OVER.load(Ordering::Relaxed) {
        std::hint::black_box(body);
    }
    Parsed::new(body, charset, url, manner)
}

/// More such pages than there are slots, and many good hosts.
#[tokio::test(flavor = "multi_thread")]
async fn pages_that_hold_their_threads_stop_no_other_host() {
    let mut bench = Bench::new(|url, _| page(html(url.as_str(), &[])));
    bench.parse = hangs_on_bad_pages;
    bench.config.grace = Duration::from_secs(2);
    let bad: Vec<String> = (0..6).map(|n| format!("http://bad{n}.example/bad")).collect();
    let good: Vec<String> = (0..20).map(|n| format!("http://good{n}.example/")).collect();
    let seeds: Vec<&str> = bad.iter().chain(&good).map(String::as_str).collect();
    let crawl = std::sync::Arc::new(bench.crawl(&seeds).with_most_cpu(Duration::from_millis(500)));
    let urls: Vec<Url> = seeds.iter().map(|seed| seed.parse().unwrap()).collect();
    crawl.seed(&urls).await.unwrap();
    // Told to stop only if it hangs.
    let mut is_hung = false;
    let stop = async {
        tokio::time::sleep(Duration::from_secs(120)).await;
        is_hung = true;
    };
    crawl.run(Until { drained: true, pages: None }, stop).await.unwrap();
    IS_OVER.store(true, Ordering::Relaxed);
    assert!(!is_hung, "the pages that hold their threads hold the crawl");
    for url in &good {
        assert!(bench.record(url).is_some(), "{url}");
    }
    let listed = bench.frontier().list(Filter::Quarantined, None, None, 9).unwrap().0;
    assert_eq!(listed.len(), bad.len());
    assert!(listed[0].status.last.clone().unwrap().said.contains("processor time"));
    for url in &bad {
        assert!(bench.store().parked(url).unwrap().is_some(), "its bytes are kept");
    }
}
