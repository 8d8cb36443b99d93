//! Another version of the program extracts stored page bytes again.

use std::sync::Arc;

use tsrec_crawl::pipeline::{ParseSettings, Parsed, Reextracted};
use tsrec_store::{DeletionReason, HeldSibling};
use url::Url;

use crate::support::script::{Bench, html, page, page_with};

const FRONT: &str = "http://a.example/";

/// A parser of an earlier version that reads only the first half of one page.
fn half_blind(body: &[u8], charset: Option<&str>, url: &Url, manner: &ParseSettings<'_>) -> Parsed {
    let seen = if url.path() == "/cut" { &body[..body.len() * 2 / 3] } else { body };
    Parsed::new(seen, charset, url, manner)
}

fn site() -> Bench {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/cut", "/whole", "/bad"])),
        path => page(html(path, &[])),
    });
    bench.store_config.bodies_bytes = 1 << 20;
    bench
}

/// The newest sequence number.
fn newest(bench: &mut Bench) -> u64 {
    bench.store().counts().last_sequence
}

#[tokio::test(start_paused = true)]
async fn an_upgrade_extracts_again_without_a_request_and_only_what_differs_is_a_change() {
    let mut bench = site();
    bench.parse = half_blind;
    bench.run(&[FRONT], None).await;
    let (asked, before) = (bench.asked().len(), newest(&mut bench));
    assert!(!bench.record("http://a.example/cut").unwrap().text.contains("its winter"));
    bench.close();

    bench.parse = Parsed::new;
    let done = Arc::new(bench.crawl(&[])).reextract().await.unwrap();
    assert_eq!(done, Reextracted { pages: 4, changed: 1, ..Reextracted::default() });
    assert!(bench.record("http://a.example/cut").unwrap().text.contains("its winter"));
    assert_eq!((bench.asked().len(), newest(&mut bench)), (asked, before + 1));
    let cut = bench.store().changes(None, 100).unwrap().changes.pop().unwrap();
    assert_eq!((cut.url.as_str(), cut.seq), ("http://a.example/cut", before + 1));

    let again = Arc::new(bench.crawl(&[])).reextract().await.unwrap();
    assert_eq!(again, Reextracted { pages: 4, ..Reextracted::default() });
    assert_eq!(newest(&mut bench), before + 1);
}

/// With another model, all sites are learned anew.
#[tokio::test(start_paused = true)]
async fn what_a_site_learns_from_its_pages_is_kept() {
    let links: Vec<String> = (1..=30).map(|n| format!("/{}", "p".repeat(n))).collect();
    let mut bench = Bench::new(move |url, _| match url.path() {
        "/" => page(html("Front", &links.iter().map(String::as_str).collect::<Vec<_>>())),
        path => page(html(path, &[])),
    });
    bench.store_config.bodies_bytes = 1 << 20;
    bench.run(&[FRONT], None).await;
    assert!(bench.memories().forget_site("a.example").unwrap());
    let done = Arc::new(bench.crawl(&[])).reextract().await.unwrap();
    bench.close();
    assert_eq!((done.pages, bench.memories().site("a.example").unwrap().pages()), (31, 31));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_asks_for_no_copy_is_stored_and_not_kept_as_it_came() {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/head", "/meta"])),
        "/head" => page_with(html("Head", &[]), "", "noarchive"),
        path => page(html(path, &[]).replace("<head>", "<head><meta name=robots content=noarchive>")),
    });
    bench.store_config.bodies_bytes = 1 << 20;
    bench.run(&[FRONT], None).await;
    assert_eq!(kept(&mut bench), [FRONT]);
    let store = bench.store();
    for url in ["http://a.example/head", "http://a.example/meta"] {
        assert!(store.get(url).unwrap().is_some());
        // It waits for its template to be known.
        assert!(store.unpark(url).unwrap() && store.bytes_of(url).unwrap().is_none());
        assert!(matches!(store.sibling(url).unwrap(), Some(HeldSibling::Sequence(_))), "{url}");
    }
    assert!(matches!(store.sibling(FRONT).unwrap(), Some(HeldSibling::Page(_))));
}

/// A parser that fails on one page.
fn fails_on_bad_pages(body: &[u8], charset: Option<&str>, url: &Url, manner: &ParseSettings<'_>) -> Parsed {
    assert!(!url.path().contains("bad"), "it had to be that page");
    Parsed::new(body, charset, url, manner)
}

#[tokio::test(start_paused = true)]
async fn a_page_that_the_new_version_fails_on_keeps_its_record() {
    let mut bench = site();
    bench.run(&[FRONT], None).await;
    let before = bench.record("http://a.example/bad").unwrap();
    bench.parse = fails_on_bad_pages;
    let done = Arc::new(bench.crawl(&[])).reextract().await.unwrap();
    assert_eq!(done, Reextracted { pages: 3, quarantined: 1, ..Reextracted::default() });
    assert_eq!(bench.record("http://a.example/bad").unwrap(), before);
}

#[tokio::test(start_paused = true)]
async fn a_sibling_that_the_new_version_fails_on_is_held_no_more_and_costs_no_other_page() {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/bad"])),
        path => page(html(path, &[])),
    });
    bench.run(&[FRONT], None).await;
    let held = |bench: &mut Bench| bench.store().held("a.example").unwrap();
    assert_eq!(held(&mut bench), ["http://a.example/bad", FRONT]);
    bench.close();
    bench.parse = fails_on_bad_pages;
    let next = "http://a.example/next";
    bench.run(&[next], None).await;
    assert!(bench.record(next).is_some());
    assert_eq!(held(&mut bench), [next, FRONT]);
}

/// The URLs whose page bytes the store keeps.
fn kept(bench: &mut Bench) -> Vec<String> {
    bench.store().list_raw(None, None, 1_000).unwrap()
}

#[tokio::test(start_paused = true)]
async fn what_is_deleted_is_kept_no_more() {
    let mut bench = site();
    bench.run(&[FRONT], None).await;
    bench.store().delete("http://a.example/whole", DeletionReason::Gone, jiff::Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(kept(&mut bench), [FRONT, "http://a.example/bad", "http://a.example/cut"]);
}

#[tokio::test(start_paused = true)]
async fn kept_pages_stay_within_their_budget_and_the_oldest_go() {
    let noise =
        |len: u64| -> String { (0..4_000).map(|n: u64| format!("{:x} ", n.pow(3).wrapping_mul(len))).collect() };
    let links: Vec<String> = (1..=60).map(|n| format!("/{}", "p".repeat(n))).collect();
    let mut bench = Bench::new(move |url, _| match url.path() {
        "/" => page(html("Front", &links.iter().map(String::as_str).collect::<Vec<_>>())),
        path => page(format!("{}<p>{}", html(path, &[]), noise(path.len() as u64))),
    });
    bench.store_config.bodies_bytes = 400_000;
    bench.run(&[FRONT], None).await;
    assert_eq!(bench.store().counts().pages, 61);
    let within = kept(&mut bench);
    assert!(within.len() > 10 && within.len() < 50 && !within.contains(&FRONT.to_owned()), "{within:?}");
    bench.close();
    // Opening the store with other settings removes nothing; the daemon does.
    bench.store_config.bodies_bytes = 0;
    assert_eq!(kept(&mut bench), within);
    let store = bench.store();
    store.trim_bodies();
    (0..40).for_each(|_| store.database().durable().unwrap());
    let left = kept(&mut bench);
    assert!(left.len() < 10, "those of the last segment: {left:?}");
}

/// Told to stop, it finishes what it began, and every record is whole.
#[tokio::test(start_paused = true)]
async fn told_to_stop_it_ends_soon_and_loses_nothing() {
    let mut bench = site();
    bench.run(&[FRONT], None).await;
    let before = bench.store().counts();
    let crawl = Arc::new(bench.crawl(&[]));
    crawl.stop();
    let done = crawl.reextract().await.unwrap();
    assert_eq!(done, Reextracted::default());
    assert_eq!(bench.store().counts(), before);
}
