//! The budget of work on a page, in steps: `html.steps`.

use crate::support::script::{Bench, html, page};
use tsrec_crawl::frontier::{Filter, Frontier, UrlState};
use tsrec_crawl::pipeline::{ParseSettings, Parsed};
use url::Url;

use super::{PAGE, fates};

const BAD: &str = "http://a.example/bad";

/// Parses a page under a budget that suffices for small pages, or for the page with no siblings.
fn with_few_steps(body: &[u8], charset: Option<&str>, url: &Url, settings: &ParseSettings<'_>) -> Parsed {
    let limits = settings.limits.clone().with_steps(30_000);
    Parsed::new(body, charset, url, &ParseSettings { limits: &limits, ..*settings })
}

/// A page with so many paragraphs that its score takes too many steps.
fn long(path: &str) -> String {
    let paragraphs: String = (0..400).map(|n| format!("<p>Word{n} was said at {path} by nobody.</p>")).collect();
    format!("<title>{path}</title><h1>{path}</h1>{paragraphs}")
}

#[tokio::test(start_paused = true)]
async fn a_page_that_takes_too_many_steps_goes_to_quarantine_until_an_upgrade() {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/bad", "/good"])),
        "/bad" => page(long("/bad")),
        path => page(html(path, &[])),
    });
    bench.parse = with_few_steps;
    let visited = bench.run(&[PAGE], None).await;
    assert_eq!((fates(&visited, BAD)[0], fates(&visited, "http://a.example/good")[0]), ("quarantined", "stored"));
    let listed = bench.frontier().list(Filter::Quarantined, None, None, 9).unwrap().0;
    assert_eq!(listed.iter().map(|listed| listed.url.as_str()).collect::<Vec<_>>(), [BAD]);
    let said = listed[0].status.last.clone().unwrap().said;
    assert!(said.contains("html.steps"), "{said}");
    assert_eq!(bench.frontier().stats().await.unwrap().quarantined, 1);
    assert_eq!(bench.store().parked(BAD).unwrap().unwrap().body, long("/bad").into_bytes());

    bench.close();
    bench.run(&[PAGE], None).await;
    assert!(bench.record(BAD).is_none(), "the same version does not try it again");
    bench.close();
    (bench.version, bench.parse) = ("2", Parsed::new);
    bench.run(&[PAGE], None).await;
    assert!(bench.record(BAD).is_some());
    assert_eq!(bench.times(BAD).len(), 1, "from the bytes that were kept");
    assert!(matches!(bench.status(BAD).await.state, UrlState::Known { .. }));
}
