//! A record is replaced only by a page: what a server sends when it is out of order does not.

use std::time::Duration;

use super::{DAY, HOUR, PAGE, fates};
use crate::support::script::{Bench, Reply, html, not_modified, page, page_with, say};
use tsrec_crawl::frontier::UrlState;
use tsrec_crawl::pipeline::outcome::NoPage;
use tsrec_store::DeletionReason;

/// Pages that only say that something is wrong.
const OUT_OF_ORDER: [&str; 9] = [
    "<title>Just a moment...</title><h1>a.example</h1><p>Enable JavaScript and cookies to continue</p>",
    "<meta name=robots content='noindex,nofollow'><title>Just a moment...</title><p>Checking your browser.</p>",
    "<title>Database Error</title><h1>Error establishing a database connection</h1>",
    "<p>Warning: mysqli_connect(): (HY000/2002): Connection refused in /srv/db.php on line 3</p>",
    "<title>Access Denied</title><h1>Access Denied</h1><p>You have no permission to access this page.</p>",
    "<html><head><title>Port</title></head><body><div id=app></div><script>start()</script></body></html>",
    "<html></html>",
    "<title>Port</title><iframe src=/_Incapsula_Resource>Request unsuccessful</iframe>",
    "<title>Port</title><p>We and our partners use cookies to store and read information on your device, with your \
     consent.<p><button>Accept all</button>",
];

fn first_then(every: Duration, then: impl Fn(usize) -> Reply + Send + Sync + 'static) -> Bench {
    let mut bench = Bench::new(move |_, before| if before == 0 { page(html("First", &[])) } else { then(before) });
    (bench.config.refetch_after, bench.config.refetch_least, bench.config.refetch_most) = (every, every, every);
    bench
}

fn is_first(bench: &mut Bench) -> bool {
    bench.record(PAGE).is_some_and(|record| record.text.contains("the council met"))
}

#[tokio::test(start_paused = true)]
async fn what_is_out_of_order_replaces_no_record_until_it_lasts() {
    for body in OUT_OF_ORDER {
        let mut bench = first_then(8 * HOUR, move |_| page(body));
        // Seen after 8, 16, 24 and 32 hours: for a day from the fourth time on.
        let visited = bench.run(&[PAGE], Some(31 * HOUR)).await;
        assert_eq!(fates(&visited, PAGE), ["stored", "not-stored", "not-stored", "not-stored"], "{body}");
        assert!(is_first(&mut bench), "{body}");
        let status = bench.status(PAGE).await;
        let said = status.last.unwrap().said;
        assert!(said.contains("seen 3 times") && said.contains("the record stays"), "{body}: {said}");
        assert!(matches!(status.state, UrlState::Known { .. }), "{body}");
        bench.run(&[PAGE], Some(2 * HOUR)).await;
        assert!(!is_first(&mut bench), "{body}: it lasts");
    }
}

#[tokio::test(start_paused = true)]
async fn three_visits_within_hours_or_two_over_days_are_not_enough() {
    for (every, visits) in [(HOUR, 20), (2 * DAY, 2)] {
        let mut bench = first_then(every, |_| page(OUT_OF_ORDER[0]));
        bench.run(&[PAGE], Some(every * visits + HOUR / 2)).await;
        assert!(is_first(&mut bench), "{every:?}");
        assert_eq!(bench.times(PAGE).len() as u32, visits + 1, "{every:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_comes_back_begins_the_count_anew() {
    let mut bench = first_then(10 * HOUR, |before| match before % 3 {
        0 => page(html("Second", &[])),
        _ => page(OUT_OF_ORDER[0]),
    });
    bench.run(&[PAGE], Some(10 * DAY)).await;
    assert!(is_first(&mut bench));
    // It is called unchanged where its validators are those of the record, not of the challenge.
    let mut bench = Bench::that_hears(|asked, before| match before {
        0 => page_with(html("First", &[]), "\"1\"", ""),
        n if n % 3 == 0 && asked.unless.is_some_and(|known| known.etag.as_deref() == Some("\"1\"")) => not_modified(),
        n if n % 3 == 0 => say(NoPage::Gone),
        _ => page_with(OUT_OF_ORDER[0], "\"challenge\"", ""),
    });
    (bench.config.refetch_after, bench.config.refetch_least, bench.config.refetch_most) = (DAY, DAY, DAY);
    bench.run(&[PAGE], Some(20 * DAY)).await;
    assert!(is_first(&mut bench));
}

#[tokio::test(start_paused = true)]
async fn without_a_record_it_is_stored_and_a_record_of_its_kind_is_replaced() {
    let mut bench = Bench::new(|_, before| match before {
        0 => page(OUT_OF_ORDER[2]),
        _ => page(OUT_OF_ORDER[2].replace("connection", "connection, again")),
    });
    (bench.config.refetch_after, bench.config.refetch_least) = (HOUR, HOUR);
    let visited = bench.run(&[PAGE], Some(HOUR + HOUR / 2)).await;
    assert_eq!(fates(&visited, PAGE), ["stored", "stored"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_a_page_keeps_the_record_for_days() {
    for status in [200, 202, 204, 205, 206] {
        let mut bench = first_then(HOUR, move |_| say(NoPage::NoContent { status }));
        let visited = bench.run(&[PAGE], Some(5 * DAY)).await;
        assert_eq!(fates(&visited, PAGE)[..2], ["stored", "failed"], "{status}");
        assert!(is_first(&mut bench), "{status}");
        bench.run(&[PAGE], Some(6 * DAY)).await;
        assert_eq!(bench.feed(), [(PAGE.to_owned(), Some(DeletionReason::Unavailable))], "{status}");

        let mut bench = Bench::new(move |_, _| say(NoPage::NoContent { status }));
        let visited = bench.run(&[PAGE], Some(HOUR)).await;
        assert_eq!(fates(&visited, PAGE)[0], "failed", "{status}");
        assert_eq!(bench.record(PAGE), None, "{status}");
    }
}

/// The pages of three patterns say the same. A soft 404 is deleted, and a server out of order is
/// not believed, although it says the same at each URL.
#[tokio::test(start_paused = true)]
async fn a_challenge_at_each_url_is_no_soft_404() {
    for (body, stays) in [
        (
            "<title>Just a moment...</title><h1>a.example</h1><p>Enable JavaScript and cookies to continue</p><p>This \
             process is automatic. Your browser will be redirected to the content that you asked for.",
            true,
        ),
        (
            "<p>Warning: mysqli_connect(): (HY000/2002): Connection refused in /srv/db.php on line 3, and the server \
             cannot show any page of this site until its database runs again.",
            true,
        ),
        (
            "<title>Sorry</title><h1>Sorry</h1><p>The page that you were looking for is not here any more, or it never \
             was. Look at our front page instead.",
            false,
        ),
    ] {
        let mut bench = Bench::new(move |url, before| match (url.path(), before) {
            ("/", _) => page(html("Front", &["/shop/gone?item=7", "/old/2025/gone", "/talk/9/here"])),
            ("/talk/9/here", 0) => page(html("Here", &[])),
            _ => page(body),
        });
        (bench.config.refetch_after, bench.config.refetch_least, bench.config.refetch_most) = (DAY, DAY, DAY);
        bench.run(&[PAGE], Some(26 * HOUR)).await;
        let here = "http://a.example/talk/9/here";
        assert_eq!(bench.times(here).len(), 2);
        let said = bench.status(here).await.last.unwrap().said;
        assert_eq!((bench.record(here).is_some(), said.contains("the record stays")), (stays, stays), "{body}: {said}");
    }
}
