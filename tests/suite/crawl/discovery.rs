//! How a crawl finds pages and their changes: sitemaps, feeds, validators, canonical URLs, and what
//! pages ask of indexers. The tests run in this process against scripted hosts, with a paused
//! clock.

use std::sync::{Arc, Mutex};

use tsrec_crawl::fetch::Cause;
use tsrec_crawl::frontier::{Frontier, Leads, UrlState};
use tsrec_crawl::pipeline::Answer;
use tsrec_crawl::pipeline::outcome::NoPage;
use tsrec_store::DeletionReason;

use super::{DAY, Duration, HOUR, PAGE, fates};
use crate::support::script::{Bench, Reply, html, listing, not_modified, page, page_with, redirect, say, url};

#[tokio::test(start_paused = true)]
async fn a_page_is_asked_for_unless_it_is_the_same_and_304_is_no_change() {
    let asked: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let heard = Arc::clone(&asked);
    let mut bench = Bench::that_hears(move |asked, before| {
        let etag = asked.unless.and_then(|validators| validators.etag.clone());
        heard.lock().unwrap().push(etag.clone());
        match (before, etag.as_deref()) {
            (0 | 1, None) => page_with(html("First", &[]), "\"1\"", ""),
            (_, Some("\"1\"")) if before < 3 => not_modified(),
            _ => page_with(html("Second", &[]), "", ""),
        }
    });
    (bench.config.refetch_after, bench.config.refetch_least) = (4 * HOUR, HOUR);
    let visited = bench.run(&[PAGE], Some(36 * HOUR)).await;
    assert_eq!(fates(&visited, PAGE)[..4], ["stored", "unchanged", "unchanged", "stored"]);
    let asked = asked.lock().unwrap().clone();
    let known = Some("\"1\"".to_owned());
    assert_eq!(
        asked[..5],
        [None, known.clone(), known.clone(), known, None],
        "what has no validators is asked for whole"
    );
    assert_eq!(bench.feed().len(), 1);
    // The interval grows by half with each 304, as with unchanged content. A change halves it.
    let hours: Vec<i64> = bench.times(PAGE).windows(2).map(|two| two[1].duration_since(two[0]).as_hours()).collect();
    assert_eq!(hours[..4], [4, 6, 9, 4]);
}

#[tokio::test(start_paused = true)]
async fn what_has_no_record_is_asked_for_whole() {
    let mut bench = Bench::that_hears(|asked, _| {
        assert_eq!(asked.unless, None);
        page_with(html("First", &[]), "\"1\"", "noindex")
    });
    bench.config.refetch_after = HOUR;
    let visited = bench.run(&[PAGE], Some(3 * DAY)).await;
    assert!(fates(&visited, PAGE).len() > 1);
}

#[tokio::test(start_paused = true)]
async fn what_an_operator_requeues_is_asked_for_whole() {
    let mut bench = Bench::that_hears(|asked, _| {
        assert_eq!(asked.unless, None);
        page_with(html("First", &[]), "\"1\"", "")
    });
    bench.run(&[PAGE], None).await;
    tokio::time::sleep(HOUR).await;
    assert!(bench.frontier().requeue(PAGE).unwrap());
    bench.run(&[PAGE], None).await;
    assert_eq!(bench.times(PAGE).len(), 2);
}

/// A site whose pages are only in its sitemap, two of them behind an index. One changes after a
/// week.
fn site_with_sitemaps() -> Bench {
    let mut bench = Bench::that_hears(|asked, before| match (asked.url.path(), asked.leads()) {
        ("/index.xml", Leads::ToListing) => listing(
            asked.url,
            "<sitemapindex><sitemap><loc>/news.xml</loc></sitemap><sitemap><loc>http://else.example/x.xml</loc></sitemap></sitemapindex>",
        ),
        ("/news.xml", Leads::ToListing) => {
            let date = if before > 2 { "2026-01-02T01:00:00Z" } else { "2025-06-25" };
            let urls = format!(
                "<urlset><url><loc>/one</loc><lastmod>{date}</lastmod></url><url><loc>/two</loc></url>\
                 <url><loc>http://else.example/</loc></url></urlset>"
            );
            listing(asked.url, &urls)
        }
        (path, Leads::ToPage) => page(html(&format!("{path} {before}"), &[])),
        (_, Leads::ToListing) => say(NoPage::Gone),
    });
    bench.script.sitemaps = vec!["/index.xml", "http://else.example/sitemap.xml", "http://www.a.example/sitemap.xml"];
    bench
}

#[tokio::test(start_paused = true)]
async fn the_sitemaps_that_robots_txt_names_are_read_within_the_scope_and_in_their_turn() {
    let mut bench = site_with_sitemaps();
    bench.run(&[PAGE], None).await;
    for path in ["one", "two"] {
        assert!(bench.record(&format!("{PAGE}{path}")).is_some(), "{path}");
    }
    let asked = bench.asked();
    // What robots.txt names is read, for this host alone. What a sitemap names elsewhere is not.
    let elsewhere: Vec<&String> = asked.iter().filter(|url| url.contains("else.example")).collect();
    assert_eq!(elsewhere, ["http://else.example/sitemap.xml"], "{asked:?}");
    assert_eq!(bench.status("http://a.example/one").await.found_on.as_deref(), Some("http://a.example/news.xml"));
    let at: Vec<_> = bench
        .script
        .asked
        .lock()
        .unwrap()
        .iter()
        .filter(|(url, _)| url.host_str() == Some("a.example"))
        .map(|(_, at)| *at)
        .collect();
    assert!(
        at.windows(2).all(|two| two[1].duration_since(two[0]).as_millis() >= 1_000),
        "the host's delay holds: {at:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_date_in_a_sitemap_makes_a_page_due_and_no_sooner_than_the_shortest_interval() {
    let mut bench = site_with_sitemaps();
    (bench.config.refetch_after, bench.config.refetch_least) = (30 * DAY, DAY);
    bench.config.listings_after = 8 * HOUR;
    bench.run(&[PAGE], Some(9 * DAY)).await;
    let (one, two) = (bench.times("http://a.example/one"), bench.times("http://a.example/two"));
    assert_eq!((one.len(), two.len()), (2, 1), "{one:?} {two:?}");
    // The crawl waits at least a quarter of the page's interval, however new the sitemap calls it.
    assert_eq!(one[1].duration_since(one[0]).as_hours(), 180, "{one:?}");
}

/// The owner of a domain can make up any number of hosts in it.
#[tokio::test(start_paused = true)]
async fn sitemaps_lead_from_a_seed_to_other_hosts_of_its_site_and_not_from_those_to_others() {
    let mut bench = Bench::that_hears(|asked, _| match asked.leads() {
        Leads::ToListing => listing(asked.url, "<urlset><url><loc>/story</loc></url></urlset>"),
        Leads::ToPage => page(html(asked.url.as_str(), &[])),
    });
    bench.script.sitemaps_of = |of| {
        let n: usize = of.host_str().unwrap().split('.').next().unwrap()[1..].parse().unwrap();
        (0..100).map(|other| url(&format!("http://s{}.a.example/map.xml", n.wrapping_mul(100) + other + 1))).collect()
    };
    bench.run(&["http://s0.a.example/"], Some(HOUR)).await;
    let asked = bench.asked();
    assert!(bench.record("http://s1.a.example/story").is_some(), "{asked:?}");
    let hosts: std::collections::BTreeSet<_> = asked.iter().filter_map(|asked| asked.split('/').nth(2)).collect();
    assert!(hosts.len() < 40, "{} hosts", hosts.len());
}

/// A site may keep its sitemaps with a service. Such a sitemap speaks for the site's own pages
/// alone.
#[tokio::test(start_paused = true)]
async fn a_sitemap_on_another_site_is_read_for_the_host_that_names_it() {
    let mut bench = Bench::that_hears(|asked, _| match (asked.leads(), asked.url.path()) {
        (Leads::ToListing, "/index.xml") => {
            listing(asked.url, "<sitemapindex><sitemap><loc>/map.xml</loc></sitemap></sitemapindex>")
        }
        (Leads::ToListing, _) => listing(
            asked.url,
            "<urlset xmlns:xhtml='http://www.w3.org/1999/xhtml'><url><loc>http://a.example/one</loc><xhtml:link rel='alternate' \
             href='http://a.example/eins'/></url><url><loc>/of-the-service</loc></url><url><loc>http://c.example/x</loc></url></urlset>",
        ),
        (Leads::ToPage, _) => page(html(asked.url.as_str(), &[])),
    });
    bench.script.sitemaps_of = |of| match of.host_str() {
        Some("a.example") => vec![url("http://maps.service.example/index.xml")],
        _ => vec![url("http://b.example/map.xml")],
    };
    bench.run(&[PAGE], Some(HOUR)).await;
    assert!(bench.record("http://a.example/one").is_some() && bench.record("http://a.example/eins").is_some());
    let pages: Vec<String> = bench.asked().into_iter().filter(|asked| !asked.contains("a.example")).collect();
    assert_eq!(pages, ["http://maps.service.example/index.xml", "http://maps.service.example/map.xml"]);
}

/// A sitemap whose answer always breaks off at the same place would otherwise never count.
#[tokio::test(start_paused = true)]
async fn what_arrives_of_a_listing_counts_though_it_breaks_off() {
    let mut bench = Bench::that_hears(|asked, _| match asked.leads() {
        Leads::ToListing => {
            let arrived = listing(asked.url, "<urlset><url><loc>/one</loc></url><url><loc>/two</loc></url></urlset>");
            Reply { response: say(NoPage::TimedOut).response, ..arrived }
        }
        Leads::ToPage => page(html(asked.url.as_str(), &[])),
    });
    bench.script.sitemaps = vec!["/index.xml"];
    bench.run(&[PAGE], Some(HOUR)).await;
    assert!(bench.record("http://a.example/one").is_some() && bench.record("http://a.example/two").is_some());
    assert!(bench.times("http://a.example/index.xml").len() > 1, "it has failed, and is asked for again");
}

#[tokio::test(start_paused = true)]
async fn sitemaps_can_be_configured_and_switched_off() {
    for (is_on, configured, expect) in [(true, true, true), (false, true, true), (false, false, false)] {
        let mut bench = site_with_sitemaps();
        bench.config.listings = is_on;
        if configured {
            bench.script.sitemaps.clear();
            bench.config.sitemaps = vec![url("http://a.example/index.xml")];
        }
        bench.run(if configured { &[] } else { &[PAGE] }, None).await;
        assert_eq!(bench.record("http://a.example/one").is_some(), expect, "{is_on} {configured}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_feeds_of_a_front_page_are_read_again_sooner_while_they_have_news() {
    let mut bench = Bench::that_hears(|asked, before| match asked.url.path() {
        "/" => page(
            "<link rel=alternate type=application/rss+xml href=/feed><p>The council met on the quay and spoke.</p>",
        ),
        "/feed" => {
            let items: String = (0..=before.min(2)).map(|n| format!("<item><link>/story-{n}</link></item>")).collect();
            listing(asked.url, &format!("<rss><channel><link>http://a.example/</link>{items}</channel></rss>"))
        }
        path => page(html(path, &[])),
    });
    bench.config.listings_after = 8 * HOUR;
    bench.run(&[PAGE], Some(3 * DAY)).await;
    assert!(bench.record("http://a.example/story-2").is_some());
    let times = bench.times("http://a.example/feed");
    let hours: Vec<i64> = times.windows(2).map(|two| two[1].duration_since(two[0]).as_hours()).collect();
    assert_eq!(hours[..5], [8, 4, 2, 3, 4]);
    assert_eq!(bench.status("http://a.example/feed").await.leads, Leads::ToListing);
}

/// The crawl counts every link that it drops.
#[tokio::test(start_paused = true)]
async fn links_that_are_left_are_counted() {
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
    let _counting = metrics::set_default_local_recorder(&recorder);
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/one", "http://elsewhere.example/", "http://other.example/", "/past"])),
        path => page(html(path, &["/deep", "/deeper"])),
    });
    (bench.config.max_links_within, bench.config.max_links, bench.config.max_depth) = (1, 9, 1);
    bench.run(&[PAGE], None).await;
    assert_eq!(bench.asked().len(), 2, "{:?}", bench.asked());
    let counted = recorder.handle().render();
    for line in [
        "tsrec_links_left_total{why=\"scope\"} 2",
        "tsrec_links_left_total{why=\"depth\"} 2",
        "tsrec_links_left_total{why=\"page\"} 1",
        "tsrec_links_cut_total{of=\"page\"} 1",
    ] {
        assert!(counted.contains(line), "{line}: {counted}");
    }
}

/// Forty tide tables differ only in numbers. They count as a trap until an operator says otherwise.
#[tokio::test(start_paused = true)]
async fn what_the_rules_name_is_no_trap() {
    let days: Vec<String> = (1..=40).map(|day| format!("/tides/{day}")).collect();
    let mut bench = Bench::new(move |url, _| match url.path() {
        "/" => page(html("Front", &days.iter().map(String::as_str).collect::<Vec<_>>())),
        path => page(html(&format!("Tides of {}", path.rsplit('/').next().unwrap()), &[])),
    });
    bench.run(&[PAGE], None).await;
    let before = bench.feed().len();
    assert!((21..41).contains(&before), "{before} of 41 are stored while it is a trap");
    bench.config.no_traps = vec!["*/tides/*".to_owned()];
    bench.run(&[PAGE], Some(20 * DAY)).await;
    assert_eq!(bench.feed().len(), 41, "all are, when what was put off is due");
}

#[tokio::test(start_paused = true)]
async fn what_head_and_meta_ask_for_is_done() {
    for (head, meta, follows, stored) in [
        ("", "", true, true),
        ("nofollow", "", false, true),
        ("", "<meta name=robots content=nofollow>", false, true),
        ("", "<meta name=tsrec content=nofollow>", false, true),
        ("", "<meta name=scriptbot content=none>", false, false),
        ("", "<meta name=otherbot content=none>", true, true),
        ("noindex", "", true, false),
        ("unavailable_after: 2025-12-31", "", true, false),
        ("", "<meta name=robots content='unavailable_after: 2025-12-31'>", true, false),
    ] {
        let front = html("Front", &["/one"]).replace("<head>", &format!("<head>{meta}"));
        let mut bench = Bench::new(move |url, _| match url.path() {
            "/" => page_with(front.clone(), "", head),
            path => page(html(path, &[])),
        });
        bench.run(&[PAGE], None).await;
        assert_eq!(bench.record(PAGE).is_some(), stored, "{head} {meta}");
        assert_eq!(bench.record("http://a.example/one").is_some(), follows, "{head} {meta}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_is_deleted_when_it_asks_to_be() {
    let mut bench = Bench::new(|_, _| page_with(html("For a while", &[]), "", "unavailable_after: 2026-01-03"));
    bench.run(&[PAGE], Some(DAY)).await;
    assert!(bench.record(PAGE).is_some());
    bench.run(&[PAGE], Some(2 * DAY)).await;
    assert_eq!(bench.feed(), [(PAGE.to_owned(), Some(DeletionReason::Noindex))], "though its interval is a week");
}

/// A story, its print view, and its page two, which names a wrong canonical URL.
fn site_with_views() -> Bench {
    let story = "the council met on the quay and spoke for an hour about the ferry and its winter timetable";
    let body = move |canonical: &str, text: &str| {
        page(format!("<title>Story</title><link rel=canonical href='{canonical}'><h1>Story</h1><p>{text}.</p>"))
    };
    Bench::new(move |url, _| match (url.path(), url.query()) {
        ("/", _) => page(html("Front", &["/story?print=1", "/story?page=2", "/lost", "/story?from=mail"])),
        ("/story", Some("page=2")) => {
            body("/story", "In the afternoon they went home by train, and it rained on the roofs")
        }
        ("/story", _) => body("/story", story),
        ("/lost", _) => body("/nowhere", "Nobody knows where this was first written down, or by whom it was"),
        _ => say(NoPage::Gone),
    })
}

#[tokio::test(start_paused = true)]
async fn a_story_is_stored_once_under_its_canonical_address() {
    let mut bench = site_with_views();
    bench.run(&[PAGE], Some(3 * DAY)).await;
    assert!(bench.record("http://a.example/story").is_some(), "found by its views only");
    for view in ["print=1", "from=mail"] {
        assert_eq!(bench.record(&format!("http://a.example/story?{view}")), None, "{view}");
    }
    assert!(bench.record("http://a.example/story?page=2").is_some(), "it has content of its own");
    assert!(bench.record("http://a.example/lost").is_some(), "what it calls canonical is gone");
    assert!(matches!(bench.status("http://a.example/story?print=1").await.state, UrlState::Known { .. }));
}

/// Canonical addresses that lead to no page of their own.
const WRONG_CANONICALS: [&str; 16] = [
    "/gone",
    "/erring",
    "/denied",
    "/disallowed",
    "/noindex",
    "/picture",
    "/back",
    "/away",
    "/empty-answer",
    "/silent",
    "https://a.example/secure",
    "http://a.example:81/port",
    "a.example/without-scheme",
    "http://b.example/elsewhere",
    "mailto:editor@a.example",
    "http://[",
];

#[tokio::test(start_paused = true)]
async fn a_page_is_stored_at_once_wherever_its_canonical_address_leads() {
    let mut bench = Bench::new(move |url, _| match (url.scheme(), url.port(), url.path()) {
        ("https", ..) | (_, Some(81), _) => say(NoPage::Unreachable { retry_after: None }),
        (_, _, "/gone" | "/without-scheme") => say(NoPage::Gone),
        (_, _, "/erring") => say(NoPage::Erring),
        (_, _, "/denied") => say(NoPage::Denied),
        (_, _, "/disallowed") => say(NoPage::Disallowed),
        (_, _, "/noindex") => page_with(html("Not for you", &[]), "", "noindex"),
        (_, _, "/picture") => say(NoPage::NotHtml),
        (_, _, "/back") => redirect("http://a.example/page/6", true),
        (_, _, "/away") => redirect("http://a.example/gone", false),
        (_, _, "/empty-answer") => say(NoPage::NoContent { status: 204 }),
        (_, _, "/silent") => say(NoPage::TimedOut),
        (_, _, "/") => {
            let links: Vec<String> = (0..WRONG_CANONICALS.len()).map(|n| format!("/page/{n}")).collect();
            page(html("Front", &links.iter().map(String::as_str).collect::<Vec<_>>()))
        }
        (_, _, path) => {
            let n: usize = path.rsplit('/').next().unwrap().parse().unwrap();
            let canonical = format!("<head><link rel=canonical href='{}'>", WRONG_CANONICALS[n]);
            let title = ["ferry", "choir", "bridge", "market"][n % 4].repeat(n + 1);
            page(html(&title, &[]).replace("<head>", &canonical))
        }
    });
    let visited = bench.run(&[PAGE], None).await;
    for (n, canonical) in WRONG_CANONICALS.iter().enumerate() {
        let url = format!("http://a.example/page/{n}");
        assert_eq!(fates(&visited, &url)[0], "stored", "{canonical}");
        assert!(bench.record(&url).is_some(), "{canonical}");
    }
}

#[tokio::test(start_paused = true)]
async fn canonical_addresses_are_believed_in_the_head_alone() {
    for (head, body, header, is_view) in [
        ("<link rel=canonical href=/story>", "", None, true),
        ("", "", Some("http://a.example/story"), true),
        ("", "<link rel=canonical href=/story>", None, false),
        ("", "<div><link rel=canonical href=/story></div>", None, false),
        ("<link rel=canonical href=/view>", "", Some("http://a.example/story"), false),
        ("<base href=/sub/><link rel=canonical href=../story>", "", None, true),
        ("<link rel=canonical href=A.example/story>", "", None, true),
    ] {
        let mut bench = Bench::new(move |url, _| {
            let story = html("Story", &[]);
            match url.path() {
                "/" => page(html("Front", &["/view", "/story"])),
                "/view" => {
                    let story =
                        story.replace("<head>", &format!("<head>{head}")).replace("<ul>", &format!("{body}<ul>"));
                    let mut reply = page(story);
                    let Answer::Page { page, .. } = &mut reply.response.answer else { unreachable!("a page") };
                    page.canonical = header.map(|header| header.parse().unwrap());
                    reply
                }
                _ => page(story),
            }
        });
        bench.run(&[PAGE], None).await;
        assert!(bench.record("http://a.example/story").is_some());
        assert_eq!(bench.record("http://a.example/view").is_none(), is_view, "{head} {body} {header:?}");
        // Before its canonical page came, it was stored.
        let deleted = ("http://a.example/view".to_owned(), Some(DeletionReason::Duplicate));
        let was_first = bench.times("http://a.example/view") < bench.times("http://a.example/story");
        assert_eq!(bench.feed().contains(&deleted), is_view && was_first, "{head} {body} {header:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_that_became_a_view_is_deleted() {
    let mut bench = Bench::new(|url, before| {
        let canonical = if url.path() == "/old" && before == 0 { "" } else { "<link rel=canonical href=/new>" };
        match url.path() {
            "/" => page(html("Front", &["/old", "/new"])),
            _ => page(html("Story", &[]).replace("<head>", &format!("<head>{canonical}"))),
        }
    });
    (bench.config.refetch_after, bench.config.refetch_least) = (DAY, DAY);
    bench.run(&[PAGE], Some(3 * DAY)).await;
    assert_eq!(bench.record("http://a.example/old"), None);
    assert!(bench.feed().contains(&("http://a.example/old".to_owned(), Some(DeletionReason::Duplicate))));
    assert!(bench.record("http://a.example/new").is_some());
}

#[tokio::test(start_paused = true)]
async fn what_is_known_of_a_url_tells_its_requests_and_what_robots_txt_said() {
    let mut bench = Bench::new(|_, before| match before {
        0 => {
            let mut reply = say(NoPage::TimedOut);
            reply.response.cause = Some(Cause::ConnectTimeout);
            reply
        }
        _ => {
            let mut reply = page(html("First", &[]));
            reply.response.robots = Some("allowed by Allow: /".to_owned());
            reply
        }
    });
    bench.run(&[PAGE], Some(HOUR)).await;
    let status = bench.status(PAGE).await;
    assert_eq!(status.robots.as_deref(), Some("allowed by Allow: /"));
    let requests: Vec<(&str, u64)> = status.requests.iter().map(|one| (one.what.as_str(), one.took_ms)).collect();
    assert_eq!(requests, [("page", 100), ("connect-timeout", 100)]);
    assert_eq!(status.requests[0].at, bench.times(PAGE)[1] + Duration::from_millis(100));
}

/// The crawl finds the shorter path when it already knows the page and those behind it, and they
/// have not changed.
#[tokio::test(start_paused = true)]
async fn pages_behind_a_shorter_way_are_offered_when_their_pages_come_again() {
    let mut bench = Bench::that_hears(|asked, before| {
        let links: &[&str] = match asked.url.path() {
            "/" if before == 0 => &["/a"],
            "/" => &["/a", "/c"],
            "/a" => &["/b"],
            "/b" => &["/c"],
            "/c" => &["/d"],
            "/d" => &["/e"],
            _ => &[],
        };
        match asked.unless {
            Some(_) if asked.url.path() != "/" => not_modified(),
            _ => page_with(html(asked.url.path(), links), "\"1\"", ""),
        }
    });
    bench.config.max_depth = 3;
    (bench.config.refetch_after, bench.config.refetch_least) = (DAY, DAY);
    bench.run(&[PAGE], Some(HOUR)).await;
    assert_eq!(bench.status("http://a.example/c").await.depth, 3);
    assert!(bench.frontier().status("http://a.example/d").await.unwrap().is_none(), "too deep by the only way known");
    bench.run(&[PAGE], Some(4 * DAY)).await;
    assert_eq!(bench.status("http://a.example/c").await.depth, 1);
    assert_eq!(bench.status("http://a.example/c").await.found_on.as_deref(), Some(PAGE));
    assert!(bench.record("http://a.example/d").is_some());
    assert_eq!(bench.status("http://a.example/e").await.depth, 3);
    let whole = bench.times("http://a.example/c").len();
    assert!(whole < 5, "{whole} visits");
}

/// Each redirect is a request and a URL of its own. None is a page that could count as a trap.
#[tokio::test(start_paused = true)]
async fn redirects_without_end_end_with_the_depth() {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/r?n=0"])),
        _ => {
            let n: usize = url.query().unwrap()[2..].parse().unwrap();
            redirect(&format!("http://a.example/r?n={}", n + 1), n.is_multiple_of(2))
        }
    });
    bench.frontier_config.max_urls_per_section = 200;
    bench.run(&[PAGE], None).await;
    let asked = bench.asked().len();
    assert!((19..25).contains(&asked), "{asked}");
}

#[tokio::test(start_paused = true)]
async fn canonical_pages_without_end_end_with_the_depth() {
    let mut bench = Bench::new(|url, _| {
        let n: usize = url.path()[1..].parse().unwrap_or(0);
        page(html(url.path(), &[]).replace("</title>", &format!("</title><link rel=canonical href=/{}>", n + 1)))
    });
    bench.frontier_config.max_urls_per_section = 200;
    bench.run(&[PAGE], None).await;
    let asked = bench.asked().len();
    assert!((19..25).contains(&asked), "{asked}");
}

/// A seed may redirect through other hosts to the one that its site prefers. It may not go on to
/// new queues without end.
#[tokio::test(start_paused = true)]
async fn a_seed_leads_to_the_host_that_its_site_prefers_and_not_to_hosts_without_end() {
    let mut bench = Bench::new(|url, _| match url.as_str() {
        "http://a.example/" => redirect("https://a.example/", true),
        "https://a.example/" => redirect("https://www.a.example/", true),
        "https://www.a.example/" => redirect("https://www.a.example/en", false),
        path => page(html(path, &[])),
    });
    bench.run(&[PAGE], None).await;
    assert!(bench.record("https://www.a.example/en").is_some(), "{:?}", bench.asked());

    let mut bench = Bench::new(|url, _| {
        let n: usize = url.host_str().unwrap().split('.').next().unwrap()[1..].parse().unwrap();
        redirect(&format!("http://s{}.a.example/", n + 1), true)
    });
    bench.run(&["http://s0.a.example/"], Some(HOUR)).await;
    let asked = bench.asked().len();
    assert!((4..10).contains(&asked), "{asked}");
}

/// Another site's sitemap cannot make the crawl request a page more often.
#[tokio::test(start_paused = true)]
async fn a_sitemap_says_nothing_of_the_dates_of_another_site() {
    for (map_of, configured, expect) in [("a", false, 2), ("b", false, 1), ("b", true, 2)] {
        let mut bench = Bench::that_hears(move |asked, before| match (asked.url.host_str(), asked.leads()) {
            (host, Leads::ToListing) if host == Some(&*format!("{map_of}.example")) => {
                let lastmod = if before < 3 { "2025-06-25" } else { "2026-01-02T01:00:00Z" };
                let urls =
                    format!("<urlset><url><loc>http://a.example/</loc><lastmod>{lastmod}</lastmod></url></urlset>");
                listing(asked.url, &urls)
            }
            (_, Leads::ToListing) => say(NoPage::Gone),
            (_, Leads::ToPage) => page(html(asked.url.as_str(), &[])),
        });
        match configured {
            true => bench.config.sitemaps = vec![url("http://b.example/map.xml")],
            false => bench.script.sitemaps = vec!["/map.xml"],
        }
        (bench.config.refetch_after, bench.config.refetch_least) = (30 * DAY, DAY);
        bench.config.listings_after = 8 * HOUR;
        bench.run(&[PAGE, "http://b.example/"], Some(9 * DAY)).await;
        assert_eq!(bench.times(PAGE).len(), expect, "the sitemap of {map_of}, configured {configured}");
    }
}
