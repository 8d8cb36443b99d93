//! The budget of work on a page, in steps: `html.steps`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tsrec_core::html::Limits;
use tsrec_crawl::frontier::{Filter, Frontier, UrlState};
use tsrec_crawl::pipeline::{ParseSettings, Parsed, Reextracted};
use tsrec_server::http::Config as HttpConfig;
use tsrec_server::http::teach::{self, How, Lesson};
use url::Url;

use crate::http::ask_with;
use crate::support::script::{Bench, html, page};
use crate::support::serving::Serving;

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

/// How often `counts` parsed the page that takes too many steps.
static PARSED: AtomicUsize = AtomicUsize::new(0);

fn counts(body: &[u8], charset: Option<&str>, url: &Url, settings: &ParseSettings<'_>) -> Parsed {
    PARSED.fetch_add(usize::from(url.path() == "/bad"), Ordering::SeqCst);
    with_few_steps(body, charset, url, settings)
}

/// A site of which the pages are kept as they came, crawled with the default budget.
async fn crawled() -> Bench {
    let mut bench = Bench::new(|url, _| match url.path() {
        "/" => page(html("Front", &["/bad", "/good"])),
        "/bad" => page(long("/bad")),
        path => page(html(path, &[])),
    });
    bench.store_config.bodies_bytes = 1 << 20;
    bench.run(&[PAGE], None).await;
    assert!(bench.record(BAD).is_some());
    bench
}

/// The page is counted and listed, its bytes are kept, and its record is as it was.
async fn assert_quarantined(bench: &mut Bench, words: u64) {
    let listed = bench.frontier().list(Filter::Quarantined, None, None, 9).unwrap().0;
    assert_eq!(listed.iter().map(|listed| listed.url.as_str()).collect::<Vec<_>>(), [BAD]);
    let said = listed[0].status.last.clone().unwrap().said;
    assert!(said.contains("html.steps"), "{said}");
    assert_eq!(bench.frontier().stats().await.unwrap().quarantined, 1);
    assert_eq!(bench.store().parked(BAD).unwrap().unwrap().body, long("/bad").into_bytes());
    assert_eq!(bench.record(BAD).unwrap().words, words);
}

#[tokio::test(start_paused = true)]
async fn a_page_whose_second_extraction_takes_too_many_steps_goes_to_quarantine() {
    let mut bench = crawled().await;
    let words = bench.record(BAD).unwrap().words;
    bench.parse = counts;
    let mut parsed = None;
    for _ in 0..3 {
        let done = Arc::new(bench.crawl(&[])).reextract().await.unwrap();
        assert_eq!(done, Reextracted { pages: 2, quarantined: 1, ..Reextracted::default() });
        assert_quarantined(&mut bench, words).await;
        bench.close();
        // A crawl looks at kept bodies, and drops those that wait in vain.
        bench.run(&[PAGE], Some(Duration::from_secs(2 * 24 * 60 * 60))).await;
        assert_quarantined(&mut bench, words).await;
        bench.close();
        // To extract it, and as a sibling of the two others, which may come at once.
        let times = PARSED.load(Ordering::SeqCst);
        assert!(times <= 3 && *parsed.get_or_insert(times) == times, "{times} {parsed:?}");
    }
    (bench.version, bench.parse) = ("2", Parsed::new);
    let done = Arc::new(bench.crawl(&[])).reextract().await.unwrap();
    assert_eq!(done.quarantined, 0, "{done:?}");
    bench.run(&[PAGE], None).await;
    assert!(matches!(bench.status(BAD).await.state, UrlState::Known { .. }));
}

/// What an upgrade finds in quarantine after a second extraction is extracted from the bytes.
#[tokio::test(start_paused = true)]
async fn an_upgrade_extracts_it_from_the_bytes() {
    let mut bench = crawled().await;
    bench.parse = with_few_steps;
    Arc::new(bench.crawl(&[])).reextract().await.unwrap();
    bench.close();
    (bench.version, bench.parse) = ("2", Parsed::new);
    let before = bench.asked().len();
    bench.run(&[PAGE], None).await;
    assert!(matches!(bench.status(BAD).await.state, UrlState::Known { .. }));
    assert_eq!(bench.asked().len(), before);
}

#[tokio::test(start_paused = true)]
async fn teaching_and_the_inspector_put_it_into_quarantine() {
    for by in ["teaching", "page", "evidence", "preview"] {
        let mut bench = crawled().await;
        let words = bench.record(BAD).unwrap().words;
        let (memories, frontier) = (bench.memories(), bench.frontier());
        memories.store().unpark(BAD).unwrap();
        let limits = Limits::default().with_steps(30_000);
        let lesson: Lesson =
            serde_json::from_value(json!({ "url": BAD, "marks": [{ "element": 2, "content": false }] })).unwrap();
        match by {
            "teaching" | "preview" => {
                let how = || How { limits: limits.clone(), preview: by == "preview", ..How::default() };
                for _ in 0..2 {
                    let refused = teach::teach(&memories, Some(&frontier), "a.example", &lesson, how()).unwrap();
                    let why = refused.unwrap_err();
                    assert!(why.contains(BAD) && why.contains("html.steps"), "{by}: {why}");
                }
            }
            _ => {
                let digest = {
                    use sha2::Digest;
                    format!("{:x}", sha2::Sha256::digest(long("/bad")))
                };
                let ready = Arc::new(AtomicBool::new(true));
                let path = match by {
                    "page" => format!("/page?url={BAD}"),
                    _ => format!("/evidence?url={BAD}&sha256={digest}&block=1"),
                };
                let (of, over) = (memories.clone(), Some(Arc::clone(&frontier)));
                tokio::task::spawn_blocking(move || {
                    let serving = Serving::within(&of, (over, ready), HttpConfig::default(), None, limits);
                    for _ in 0..2 {
                        let answer = ask_with(serving.address, "GET", &path, "");
                        let answer = String::from_utf8_lossy(&answer);
                        assert!(answer.contains("html.steps"), "{path}: {answer}");
                    }
                })
                .await
                .unwrap();
            }
        }
        drop((memories, frontier));
        assert_quarantined(&mut bench, words).await;
    }
}
