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
