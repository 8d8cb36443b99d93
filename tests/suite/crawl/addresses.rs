//! Refreshes, frames, spellings of addresses, and links that are left out.

use super::{DAY, HOUR, PAGE, fates};
use crate::support::script::{Bench, html, page, redirect, say, url};
use tsrec_crawl::frontier::{Discovered, Frontier, UrlState};
use tsrec_crawl::pipeline::Answer;
use tsrec_crawl::pipeline::outcome::NoPage;

#[tokio::test(start_paused = true)]
async fn a_page_that_only_leads_on_is_a_redirect() {
    for (stub, header, expect) in [
        ("<meta http-equiv=refresh content='0; url=/home'>", None, true),
        (
            "<title>Moved</title><meta http-equiv=REFRESH content='3;URL=\"home\"'><p>We <a href=/home>moved</a>.",
            None,
            true,
        ),
        ("<p>One moment.", Some("0; url=/home"), true),
        ("<meta http-equiv=refresh content='30; url=/home'><p>Wait.", None, false),
    ] {
        let mut bench = Bench::new(move |url, _| match url.path() {
            "/" => {
                let mut reply = page(stub);
                let Answer::Page { page, .. } = &mut reply.response.answer else { unreachable!("a page") };
                page.refresh = header.and_then(|value| tsrec_core::html::refresh::refresh_header(value, url));
                reply
            }
            path => page(html(path, &[])),
        });
        let visited = bench.run(&[PAGE], None).await;
        assert_eq!(fates(&visited, PAGE), [if expect { "redirected" } else { "stored" }], "{stub}");
        assert!(bench.record("http://a.example/home").is_some(), "{stub}: it is a link at least");
        assert_eq!(bench.record(PAGE).is_none(), expect, "{stub}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_outlives_a_stub_for_a_week() {
    let mut bench = Bench::new(|url, before| match (url.path(), before) {
        ("/", 0) => page(html("First", &[])),
        ("/", _) => page("<meta http-equiv=refresh content='0; url=/login'>"),
        _ => page(html("Log in", &[])),
    });
    (bench.config.refetch_after, bench.config.refetch_least) = (HOUR, HOUR);
    bench.run(&[PAGE], Some(3 * DAY)).await;
    assert!(bench.record(PAGE).is_some() && bench.record("http://a.example/login").is_none());
}

#[tokio::test(start_paused = true)]
async fn frames_are_followed() {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page("<frameset cols='20%,80%'><frame src=/menu><frame src=/story></frameset>"),
        "/menu" => page(html("Menu", &["/other"])),
        "/other" => page(html("Other", &[]).replace("</h1>", "</h1><iframe src=/embedded></iframe>")),
        path => page(html(path, &[])),
    });
    bench.run(&[PAGE], None).await;
    for path in ["menu", "story", "other", "embedded"] {
        assert!(bench.record(&format!("{PAGE}{path}")).is_some(), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_page_is_asked_for_in_one_spelling() {
    let links = [
        "/~joe",
        "/%7Ejoe",
        "/%7ejoe",
        "/~joe?",
        "http://a.example./~joe",
        "/~joe?utm_source=mail&utm_medium=x",
        "/~joe?fbclid=1",
        "/~joe;jsessionid=77ab",
        "/~joe?PHPSESSID=0123456789abcdef0123",
        "/~joe?gclid=2#top",
    ];
    let mut bench = Bench::new(move |url, _| match url.path() {
        "/" => page(html("Front", &links)),
        path => page(html(path, &[])),
    });
    bench.run(&["http://a.example/?utm_campaign=seed"], None).await;
    assert_eq!(bench.asked(), [PAGE, "http://a.example/~joe"]);
    // The list can be changed.
    let mut bench = Bench::new(move |url, _| match url.path() {
        "/" => page(html("Front", &["/a?ref=1&id=2", "/a?utm_source=3"])),
        path => page(html(path, &[])),
    });
    bench.config.drop_parameters = vec!["ref".to_owned()];
    bench.run(&[PAGE], None).await;
    assert_eq!(bench.asked()[1..], ["http://a.example/a?id=2", "http://a.example/a?utm_source=3"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_insists_on_another_spelling_gets_it() {
    let mut bench = Bench::new(|url, _| match url.as_str() {
        PAGE => page(html("Front", &["/~joe", "/list"])),
        "http://a.example/~joe" => redirect("http://a.example/%7Ejoe", true),
        "http://a.example/list" => redirect("http://a.example/list?sid=0123456789abcdef0123456789abcdef", false),
        path => page(html(path, &[])),
    });
    bench.run(&[PAGE], None).await;
    for stored in ["http://a.example/%7Ejoe", "http://a.example/list?sid=0123456789abcdef0123456789abcdef"] {
        assert!(bench.record(stored).is_some(), "{stored}: {:?}", bench.asked());
    }
    assert_eq!(bench.asked().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_record_in_an_old_spelling_moves_without_a_request() {
    let old = "http://a.example/%7Ejoe?utm_source=mail";
    let mut bench = Bench::new(|_, _| page(html("Joe", &[])));
    // An earlier version knew no spelling but that of the link.
    bench.config.drop_parameters = Vec::new();
    bench.run(&[PAGE], None).await;
    let record = bench.record(PAGE).unwrap();
    bench.store().put(&tsrec_store::NewPage { url: old.to_owned(), ..record.page }).unwrap();
    let frontier = bench.frontier();
    frontier.put_discovered(&[Discovered::page(url(old), 1, None)]).await.unwrap();
    drop(frontier);
    bench.close();
    bench.config.drop_parameters = tsrec_crawl::pipeline::Config::default().drop_parameters;
    let before = bench.asked().len();
    bench.run(&[PAGE], Some(HOUR)).await;
    assert!(bench.record(old).is_none() && bench.record("http://a.example/~joe").is_some());
    assert_eq!(bench.asked().len(), before);
    assert_eq!(bench.status(old).await.state, UrlState::Skipped);
    assert!(bench.status(old).await.last.unwrap().said.contains("http://a.example/~joe"));
}

#[tokio::test(start_paused = true)]
async fn links_within_the_host_have_a_limit_of_their_own_and_what_is_left_out_is_told() {
    for (count, within, depth, expect, told) in [
        (1_500, 50_000, 20, 1_500, None),
        (30, 10, 20, 10, Some("20 links are left out (crawl.max_links_within or crawl.max_links)")),
        (30, 50_000, 0, 0, Some("30 links are left out (crawl.max_depth)")),
    ] {
        let links: Vec<String> = (0..count).map(|n| format!("/page/{n}")).collect();
        let mut bench = Bench::new(move |url, _| match url.path() {
            "/" => page(html("Front", &links.iter().map(String::as_str).collect::<Vec<_>>())),
            _ => say(NoPage::Gone),
        });
        (bench.config.max_links_within, bench.config.max_depth) = (within, depth);
        bench.run(&[PAGE], Some(HOUR)).await;
        let said = bench.status(PAGE).await.last.unwrap().said;
        assert_eq!(told.map(|told| said.contains(told)), told.map(|_| true), "{said}");
        let known = bench.frontier().stats().await.unwrap();
        let all = known.discovered + known.known + known.gone + known.skipped + known.failed + known.given_up;
        assert_eq!(all, expect + 1, "{count} {within} {depth}");
    }
}
