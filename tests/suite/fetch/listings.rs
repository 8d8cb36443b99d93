use std::time::Duration;

use tokio::sync::mpsc;
use tsrec_crawl::fetch::listing::ENTRIES_AT_A_TIME;
use tsrec_crawl::fetch::{Cause, FetchRequest, Fetched};

use crate::fetch::server::{Reply, Server, fetcher, ok, redirect, response};

#[tokio::test]
async fn listings_are_found_and_read_under_the_same_rules() {
    let server = Server::start(|path| match path {
        "/robots.txt" => ok("text/plain", "Sitemap: /index.xml\nUser-agent: *\nDisallow: /private"),
        "/index.xml" => ok("text/xml", "<sitemapindex><sitemap><loc>/pages.xml</loc></sitemap></sitemapindex>"),
        "/pages.xml" => ok("text/plain", "<urlset><url><loc>/a</loc><lastmod>2025-06-25</lastmod></url></urlset>"),
        "/moved.xml" => redirect("301 Moved Permanently", "/index.xml"),
        "/same.xml" => Reply::Send(response("304 Not Modified", &[], b"")),
        _ => ok("text/html", "<!DOCTYPE html><p>Hello"),
    })
    .await;
    let fetcher = fetcher(|_| ());
    let page = server.url("/any/page");
    assert_eq!(fetcher.sitemaps(&page), [], "nothing is asked for");
    fetcher.fetch(&page).await.unwrap();
    let sitemaps = fetcher.sitemaps(&page);
    assert_eq!(sitemaps, [server.url("/index.xml")]);
    let Ok(Fetched::Page(index)) = fetcher.visit_listing(&FetchRequest::new(&sitemaps[0])).await.result else {
        panic!("no index")
    };
    let Ok(Fetched::Page(pages)) = fetcher.visit_listing(&FetchRequest::new(&index.sitemaps[0].url)).await.result
    else {
        panic!("no pages")
    };
    assert_eq!(pages.pages[0].url, server.url("/a"));
    assert!(pages.pages[0].modified.is_some() && !pages.cut);
    for (path, expect) in [("/a", Cause::NotListing), ("/private/feed", Cause::Disallowed)] {
        let url = server.url(path);
        assert_eq!(fetcher.visit_listing(&FetchRequest::new(&url)).await.result.unwrap_err().cause(), expect);
    }
    let url = server.url("/moved.xml");
    let moved = fetcher.visit_listing(&FetchRequest::new(&url)).await.result.unwrap();
    assert_eq!(moved, Fetched::Redirect { to: server.url("/index.xml"), status: 301 });
}

#[tokio::test]
async fn a_listing_without_end_is_cut() {
    let server = Server::without_robots(|_| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<urlset>";
        Reply::Flood(head.into(), b"<url><loc>/a</loc></url>".repeat(100))
    })
    .await;
    let url = server.url("/sitemap.xml");
    let visit = fetcher(|config| config.max_body_bytes = 100_000).visit_listing(&FetchRequest::new(&url)).await;
    let Ok(Fetched::Page(listing)) = visit.result else { panic!("no listing") };
    // The limits are those of the protocol, not that of pages.
    assert!(listing.cut && listing.pages.len() == 50_000, "{}", listing.pages.len());
}

/// A listing that never ends must not hold its entries back, nor lose them when it fails.
#[tokio::test]
async fn entries_are_handed_on_before_the_listing_ends() {
    let server = Server::without_robots(|_| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<urlset>";
        Reply::Stall(format!("{head}{}", "<url><loc>/a</loc></url>".repeat(ENTRIES_AT_A_TIME * 3 / 2)).into())
    })
    .await;
    let (sender, mut entries) = mpsc::channel(1);
    let (url, fetcher) = (server.url("/sitemap.xml"), fetcher(|config| config.timeout = Duration::from_secs(2)));
    let visit = tokio::spawn(async move { fetcher.visit_entries(&FetchRequest::new(&url), &sender).await });
    assert_eq!(entries.recv().await.unwrap().len(), ENTRIES_AT_A_TIME);
    assert!(!visit.is_finished());
    assert_eq!(visit.await.unwrap().result.unwrap_err().cause(), Cause::Timeout);
    assert_eq!(entries.recv().await.unwrap().len(), ENTRIES_AT_A_TIME / 2);
    assert!(entries.recv().await.is_none());
}

/// An `xml:base` makes entries a hundred times as long as their bytes in the listing.
#[tokio::test]
async fn a_listing_is_read_as_fast_as_its_entries_are_taken() {
    const ENTRIES: usize = 40_000;
    let server = Server::without_robots(|_| {
        let base = format!("http://a.example/{}/", "x".repeat(2_000));
        ok("text/xml", format!("<urlset xml:base='{base}'>{}", "<url><loc>a</loc></url>".repeat(ENTRIES)))
    })
    .await;
    let (sender, mut entries) = mpsc::channel(1);
    let timeout = Duration::from_millis(500);
    let (url, fetcher) = (server.url("/sitemap.xml"), fetcher(|config| config.timeout = timeout));
    let visit = tokio::spawn(async move { fetcher.visit_entries(&FetchRequest::new(&url), &sender).await });
    // The time for which nobody takes any is not the server's.
    tokio::time::sleep(2 * timeout).await;
    assert!(!visit.is_finished());
    let mut taken = 0;
    while let Some(some) = entries.recv().await {
        assert!(some.len() <= ENTRIES_AT_A_TIME && some[0].url.as_str().len() > 2_000);
        taken += some.len();
    }
    let Ok(Fetched::Page(end)) = visit.await.unwrap().result else { panic!("no listing") };
    assert_eq!((taken, end.cut), (ENTRIES, false));
}

#[tokio::test]
async fn a_listing_whose_entries_nobody_takes_is_left() {
    let server = Server::without_robots(|_| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<urlset>";
        Reply::Flood(head.into(), b"<url><loc>/a</loc></url>".repeat(100))
    })
    .await;
    let (sender, entries) = mpsc::channel(1);
    drop(entries);
    let url = server.url("/sitemap.xml");
    let visit = fetcher(|_| ()).visit_entries(&FetchRequest::new(&url), &sender).await;
    let Ok(Fetched::Page(end)) = visit.result else { panic!("no listing") };
    assert!(end.cut);
}
