//! Tests of what a search finds, what changes, and how many heads it reads.

use std::time::{Duration, Instant};

use super::*;
use tsrec_core::metadata::Metadata;
use tsrec_store::{Config, Database, DeletionReason, NewPage};

fn page(url: &str, title: &str, method: &str, confidence: f64) -> NewPage {
    NewPage {
        url: url.to_owned(),
        metadata: Metadata { title: Some(title.to_owned()), ..Metadata::default() },
        comments: String::new(),
        text: format!("{title} says so"),
        html: None,
        words: 3,
        method: method.to_owned(),
        confidence,
        kind: None,
        kind_probability: None,
        sibling: None,
        template: None,
        gates: serde_json::Value::Null,
        labels: BTreeMap::new(),
        fetched_at: "2026-11-21T00:00:00Z".parse().unwrap(),
        status: 200,
        charset: None,
        cut: Vec::new(),
    }
}

struct Bench {
    store: Store,
    database: Database,
    catalogue: Catalogue,
    _dir: tempfile::TempDir,
}

impl Bench {
    fn new(pages: &[NewPage]) -> Bench {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        let bench = Bench { store: Store::new(&database), database, catalogue: Catalogue::default(), _dir: dir };
        for page in pages {
            bench.store.put(page).unwrap();
        }
        bench.database.durable().unwrap();
        bench
    }

    fn find(&self, words: &str, host: Option<&str>, after: Option<&str>) -> SearchResult {
        self.catalogue.fill(&self.store);
        self.catalogue.find(&CatalogueQuery { words, host, after, limit: 2 })
    }
}

#[test]
fn words_are_found_in_urls_and_titles_page_by_page() {
    let bench = Bench::new(&[
        page("http://a/1", "The Ferry", "template", 0.95),
        page("http://a/FERRY/2", "A lifeboat", "blocks", 0.2),
        page("http://a/3", "Gull and ferry", "blocks", 1.0),
        page("http://b/4", "A ferry", "blocks", 0.25),
        page("http://b/5", "ÄRGER", "blocks", 0.25),
    ]);
    let found = bench.find("fErRy", None, None);
    assert_eq!((found.urls, found.more, found.matching), (vec!["http://a/1".into(), "http://a/3".into()], true, 4));
    let found = bench.find("ferry", None, Some("http://a/3"));
    assert_eq!((found.urls, found.more), (vec!["http://a/FERRY/2".to_owned(), "http://b/4".to_owned()], false));
    assert_eq!(bench.find("gull FERRY", None, None).urls, ["http://a/3"]);
    assert_eq!(bench.find("ärger", None, None).urls, ["http://b/5"]);
    let of_b = bench.find("", Some("b"), None);
    assert_eq!((of_b.matching, of_b.hosts, of_b.tenths[2]), (2, [("b".to_owned(), 2)].into(), 2));
    let all = bench.find("nothing has this", None, None);
    assert_eq!((all.matching, all.hosts.len(), all.methods["blocks"], all.tenths[9]), (0, 2, 4, 2));
}

#[test]
fn what_changes_is_followed() {
    let bench = Bench::new(&[page("http://a/1", "One", "blocks", 0.5), page("http://a/2", "Two", "blocks", 0.5)]);
    assert_eq!(bench.find("", None, None).matching, 2);
    bench.store.put(&page("http://a/2", "Another two", "template", 0.9)).unwrap();
    bench.store.put(&page("http://a/3", "Three", "template", 0.9)).unwrap();
    bench.store.delete("http://a/1", DeletionReason::Gone, "2026-11-21T00:00:00Z".parse().unwrap()).unwrap();
    bench.database.durable().unwrap();
    let found = bench.find("", None, None);
    assert_eq!(found.urls, ["http://a/2", "http://a/3"]);
    assert_eq!(found.methods, [("template".to_owned(), 2)].into());
    assert_eq!(bench.find("another", None, None).urls, ["http://a/2"]);
}

/// Counts heads instead of time, which depends on the machine: each request reads a bounded
/// number, however large the store.
#[test]
fn no_request_reads_a_large_store_from_end_to_end() {
    let pages: Vec<NewPage> =
        (0..STEP + 10).map(|n| page(&format!("http://a/{n:06}"), "A page", "blocks", 0.5)).collect();
    let bench = Bench::new(&pages);
    let first = bench.catalogue.catch_up(&bench.store).unwrap();
    assert_eq!(first, CatalogueState { pages: STEP, is_whole: false, is_cut: false });
    bench.catalogue.fill(&bench.store);
    let whole = bench.catalogue.catch_up(&bench.store).unwrap();
    assert_eq!(whole, CatalogueState { pages: STEP + 10, is_whole: true, is_cut: false });
}

/// Searches 100,000 pages. The goal is a tenth of a second; the assertion allows for a busy
/// machine and an unoptimised build.
#[test]
fn a_hundred_thousand_pages_are_searched_at_once() {
    let mut held = Held::default();
    for n in 0..100_000 {
        let new = page(
            &format!("http://site{}.example/news/2026/{n:06}/a-story-about-the-harbour", n % 500),
            &format!("A story about the harbour, number {n}"),
            "template",
            0.9,
        );
        let NewPage { url, metadata, method, confidence, kind, words, fetched_at, .. } = new;
        let (title, language) = (metadata.title, metadata.language);
        held.insert(PageSummary { url, seq: 1, title, method, confidence, kind, language, words, fetched_at });
    }
    let began = Instant::now();
    let found = held.find(&CatalogueQuery { words: "HARBOUR 99999", host: None, after: None, limit: 50 });
    let took = began.elapsed();
    assert_eq!((found.urls.len(), found.hosts.len()), (1, 500));
    assert!(took < Duration::from_secs(1), "{took:?}");
}
