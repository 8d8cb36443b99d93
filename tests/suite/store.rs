//! The content store through its public interface: records, the feed, held and parked pages, and
//! the state after a crash.
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tsrec_core::metadata::Metadata;
use tsrec_core::template::{EVIDENCE, Memory, SeenBlock};
use tsrec_crawl::memories;
use tsrec_crawl::memories::{Learning, SiteMemories};
use tsrec_store::{
    Change, ChangeKind, Config, Cursor, Database, DeletionReason, HeldSibling, KeptBody, NewPage, OfTemplate,
    PageRecord, Parked, Store,
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn page(url: &str, text: &str, second: i64) -> NewPage {
    NewPage {
        url: url.into(),
        metadata: Metadata {
            title: Some(format!("Title of {url}")),
            canonical_url: Some("http://canonical.example/".into()),
            ..Default::default()
        },
        comments: String::new(),
        text: text.into(),
        html: Some(format!("<p>{text}</p>")),
        words: text.split_whitespace().count() as u64,
        method: "template".into(),
        confidence: 0.875,
        kind: Some("article".into()),
        kind_probability: Some(0.75),
        sibling: Some("http://sibling.example/".into()),
        template: Some(OfTemplate { number: 2, pages: 12, replaces: Some(1) }),
        gates: serde_json::json!([{ "gate": "overlap", "passed": true, "value": 0.25 }]),
        labels: BTreeMap::from([("common".into(), 12), ("content".into(), 3)]),
        fetched_at: at(second),
        status: 200,
        charset: Some("utf-8".into()),
        cut: vec!["nodes".into()],
    }
}

fn open(dir: &Path) -> (Database, Store) {
    open_with(dir, &Config::default())
}

fn open_with(dir: &Path, config: &Config) -> (Database, Store) {
    let database = Database::open(dir, config).unwrap();
    let store = Store::new(&database);
    (database, store)
}

/// Text that zstd can hardly compress.
fn noise(len: usize) -> String {
    noise_from(7, len)
}

fn noise_from(seed: u64, len: usize) -> String {
    let mut state = seed;
    let letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b' ' + (state >> 57) as u8 % 94)
    };
    std::iter::repeat_with(letter).take(len).collect()
}

/// Reads the feed as `seq kind url` from a cursor to its end, three at a time.
fn feed(store: &Store, since: Option<Cursor>) -> (Vec<String>, Cursor) {
    let mut lines = Vec::new();
    let mut cursor = since;
    loop {
        let answer = store.changes(cursor, 3).unwrap();
        lines.extend(answer.changes.iter().map(line));
        if answer.changes.is_empty() {
            return (lines, answer.next);
        }
        cursor = Some(answer.next);
    }
}

fn line(change: &Change) -> String {
    assert_eq!(change.reason.is_some(), change.kind == ChangeKind::Delete);
    assert_eq!(change.content_hash.is_some(), change.kind == ChangeKind::Upsert);
    format!("{} {:?} {}", change.seq, change.kind, change.url)
}

#[test]
fn a_record_comes_back_as_it_went_in() {
    let dir = tempfile::tempdir().unwrap();
    let (_database, store) = open(dir.path());
    for (url, text) in [
        ("http://a.example/", String::new()),
        ("http://a.example/1", "one two".into()),
        ("http://b/", noise(1_000_000)),
    ] {
        let page = page(url, &text, 5);
        let put = store.put(&page).unwrap();
        assert!(put.changed);
        let record = store.get(url).unwrap().unwrap();
        // A text without words has no simhash.
        let digits = (!text.is_empty()).then_some(16);
        assert_eq!((record.content_hash.len(), record.simhash.as_ref().map(String::len)), (64, digits));
        let expect = PageRecord {
            host: url::Url::parse(url).unwrap().host_str().unwrap().into(),
            content_hash: record.content_hash.clone(),
            seq: put.seq,
            changed_at: at(5),
            simhash: record.simhash.clone(),
            page,
        };
        assert_eq!(record, expect);
    }
    assert_eq!(store.get("http://a.example/2").unwrap(), None);
    assert_eq!(
        store.get("HTTP://A.example").unwrap().unwrap().url,
        "http://a.example/",
        "URLs are one key however spelled"
    );
}

#[test]
fn unchanged_content_makes_no_change_and_changed_content_supersedes() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    let url = "http://a/";
    let first = store.put(&page(url, "same", 1)).unwrap();
    let again = store.put(&NewPage { status: 203, confidence: 0.5, ..page(url, "same", 2) }).unwrap();
    assert_eq!((again.seq, again.changed), (first.seq, false));
    let record = store.get(url).unwrap().unwrap();
    assert_eq!((record.fetched_at, record.changed_at, record.status, record.confidence), (at(2), at(1), 203, 0.5));

    store.put(&page("http://b/", "b", 3)).unwrap();
    let changed = store.put(&page(url, "other", 4)).unwrap();
    assert_eq!((changed.seq, changed.changed), (3, true));
    let retitled = store.put(&NewPage { metadata: Metadata::default(), ..page(url, "other", 5) }).unwrap();
    assert_eq!((retitled.seq, retitled.changed), (4, true));
    database.durable().unwrap();
    assert_eq!(feed(&store, None).0, ["2 Upsert http://b/", "4 Upsert http://a/"]);
    assert_eq!(store.counts().changes, 2);
}

#[test]
fn a_deletion_leaves_a_tombstone_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    assert_eq!(store.delete("http://a/", DeletionReason::Gone, at(1)).unwrap(), None);
    store.put(&page("http://a/", &noise(50_000), 1)).unwrap();
    assert_eq!(store.delete("http://a/", DeletionReason::Disallowed, at(2)).unwrap(), Some(2));
    assert_eq!(store.delete("http://a/", DeletionReason::Gone, at(3)).unwrap(), None, "deleted already");
    assert_eq!(store.get("http://a/").unwrap(), None);
    assert_eq!(store.list(None, None, 10).unwrap(), []);
    database.durable().unwrap();
    let answer = store.changes(None, 10).unwrap();
    let json = serde_json::to_value(&answer.changes).unwrap();
    let expect = serde_json::json!([{ "seq": 2, "url": "http://a/", "kind": "delete", "reason": "disallowed",
        "content_hash": null, "at": "1970-01-01T00:00:02Z" }]);
    assert_eq!(json, expect);

    assert_eq!(store.put(&page("http://a/", "back", 4)).unwrap().seq, 3);
    database.durable().unwrap();
    assert_eq!(feed(&store, None).0, ["3 Upsert http://a/"]);
    let counts = store.counts();
    assert_eq!((counts.pages, counts.tombstones, counts.changes), (1, 0, 1));
}

#[test]
fn listings_go_by_host_then_url_and_can_be_paged() {
    let dir = tempfile::tempdir().unwrap();
    let (_database, store) = open(dir.path());
    let urls = ["http://a.b/x", "http://a/1", "http://a/2", "https://a/0", "http://b/1"];
    for url in urls {
        store
            .put(&NewPage {
                metadata: Metadata { title: Some("\u{e9}".repeat(400)), ..Default::default() },
                ..page(url, url, 1)
            })
            .unwrap();
        let parked = Parked { body: vec![0; 11], status: 200, charset: None, fetched_at: at(1), truncated: false };
        store.keep(url, KeptBody { waits: true, sibling: true, raw: true, ..KeptBody::new(&parked) }).unwrap();
    }
    let list = |host, after, limit| -> Vec<String> {
        let parked = store.list_parked(host, after, limit).unwrap().into_iter().map(|(url, _)| url);
        let pages = store.list(host, after, limit).unwrap().into_iter().map(|row| row.url).collect();
        assert_eq!(parked.collect::<Vec<_>>(), pages, "{host:?} {after:?}: what is parked is listed as pages are");
        pages
    };
    let all = ["http://a/1", "http://a/2", "https://a/0", "http://a.b/x", "http://b/1"];
    assert_eq!(list(None, None, 10), all);
    assert_eq!(list(Some("a"), None, 10), all[..3]);
    assert_eq!(list(Some("a"), Some("http://a/1"), 1), all[1..2]);
    assert_eq!(list(None, Some("https://a/0"), 10), all[3..]);
    assert_eq!(list(None, Some("http://a/11"), 1), all[1..2], "a URL that is not there is a place all the same");
    assert_eq!(list(Some("b"), Some("http://a/1"), 10), all[4..]);
    assert_eq!(list(Some("nowhere"), None, 10), [""; 0]);
    assert_eq!(list(None, None, 0), [""; 0]);
    let row = &store.list(None, None, 1).unwrap()[0];
    assert_eq!(row.title.as_deref(), Some(&*"\u{e9}".repeat(256)), "titles of rows are cut at 512 bytes");
}

#[test]
fn the_feed_shows_what_is_durable_and_wakes_who_waits() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    store.put(&page("http://a/", "a", 1)).unwrap();
    assert_eq!(feed(&store, None).0, [""; 0], "not durable yet");
    let waiting = store.changed(0);
    database.durable().unwrap();
    assert_eq!(feed(&store, None).0.len(), 1);
    assert_eq!(runtime.block_on(waiting), Some(1), "made before the change");
    assert_eq!(runtime.block_on(store.changed(0)), Some(1), "made after it");
    let later = store.changed(1);
    drop((store, database));
    assert_eq!(runtime.block_on(later), None);
}

#[test]
fn cursors_that_cannot_be_served_are_refused() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (database, store) = open(dir.path());
    let empty = store.changes(None, 10).unwrap();
    assert_eq!((empty.changes.len(), empty.next.sequence()), (0, 0));
    store.put(&page("http://a/", "a", 1)).unwrap();
    database.durable().unwrap();
    let next = store.changes(Some(empty.next), 10).unwrap().next;
    assert_eq!(store.changes(Some(next), 10).unwrap().next, next, "an empty answer has the next cursor too");
    assert_eq!(store.changes(Some(next), 0).unwrap().next, next);

    let ahead: Cursor = next.to_string().replace(":1", ":2").parse().unwrap();
    let error = store.changes(Some(ahead), 10).unwrap_err();
    assert!(error.is_invalid() && !error.is_gone(), "{error}");
    let (_other_database, other) = open(other.path());
    let error = other.changes(Some(next), 10).unwrap_err();
    assert!(error.is_gone() && !error.is_invalid(), "{error}");
    other.changes(Some(empty.next), 10).expect("sequence 0 is the start, of whatever epoch");
}

#[test]
fn pruned_tombstones_send_back_those_who_have_not_seen_them() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    for n in 0..600 {
        store.put(&page(&format!("http://a/{n}"), "text", n)).unwrap();
    }
    database.durable().unwrap();
    let old = store.changes(None, 600).unwrap().next;
    for n in 0..400 {
        store.delete(&format!("http://a/{n}"), DeletionReason::Gone, at(1_000 + n)).unwrap();
    }
    database.durable().unwrap();
    let seen = store.changes(Some(old), 300).unwrap();
    let (_, end) = feed(&store, None);

    assert_eq!(store.prune_tombstones(at(1_300)).unwrap(), 300, "more than one transaction's worth");
    assert_eq!(store.prune_tombstones(at(1_300)).unwrap(), 0);
    assert_eq!((store.counts().tombstones, store.counts().changes), (100, 300));
    assert!(store.changes(Some(old), 10).unwrap_err().is_gone());
    assert_eq!(feed(&store, Some(seen.next)).0.len(), 100, "who has seen the pruned ones goes on");
    assert_eq!(feed(&store, Some(end)).0, [""; 0]);

    let (all, _) = feed(&store, None);
    assert_eq!(all.len(), 300, "who starts over gets through in many answers");
    let midway = store.changes(None, 10).unwrap().next;
    assert!(midway.sequence() < 900 && midway.to_string().ends_with(":900"), "{midway}");
    store.prune_tombstones(at(1_301)).unwrap();
    assert!(store.changes(Some(midway), 10).unwrap_err().is_gone(), "pruned while it was on its way");

    store.prune_tombstones(at(2_000)).unwrap();
    drop((database, store));
    let (_database, store) = open(dir.path());
    let answer = store.changes(None, 1_000).unwrap();
    assert_eq!((answer.changes.len(), answer.next.sequence()), (200, 1_000));
    assert_eq!(
        store.put(&page("http://b/", "b", 1)).unwrap().seq,
        1_001,
        "the newest number was pruned, and is not given again"
    );
}

#[test]
fn bad_input_is_refused_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config { max_record_bytes: 2_000, max_parked_bytes: 10, ..Config::default() };
    let (_database, store) = open_with(dir.path(), &config);
    let put = |page: NewPage| store.put(&page).unwrap_err();
    let error = put(page("mailto:a@b", "", 1));
    assert!(error.is_invalid() && error.to_string().contains("mailto:a@b"), "{error}");
    for confidence in [f64::NAN, -0.1, 1.1] {
        assert!(put(NewPage { confidence, ..page("http://a/", "", 1) }).is_invalid());
    }
    let error = put(page("http://a/", &noise(2_000), 1));
    assert!(error.is_too_large() && error.to_string().contains("max_record_bytes"), "{error}");
    let parked = Parked { body: vec![0; 11], status: 200, charset: None, fetched_at: at(1), truncated: false };
    assert!(store.park("http://a/", &parked).unwrap_err().is_too_large());
    assert_eq!(store.counts().last_sequence, 0);
}

/// A page of a fetch.
fn body(text: &str, second: i64) -> Parked {
    Parked { body: text.into(), status: 200, charset: None, fetched_at: at(second), truncated: false }
}

#[test]
fn a_bounded_number_of_siblings_is_held_and_the_oldest_goes() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config { held_per_host: 3, ..Config::default() };
    let (database, store) = open_with(dir.path(), &config);
    let hold = |store: &Store, url: &str, second: i64| {
        let body = body(&second.to_string(), second);
        store.keep(url, KeptBody { sibling: true, raw: true, ..KeptBody::new(&body) }).unwrap()
    };
    for (n, second) in [(1, 1), (2, 2), (3, 3), (1, 4), (4, 5)] {
        assert!(hold(&store, &format!("http://a/{n}"), second));
    }
    assert!(hold(&store, "http://b/", 6));
    assert_eq!(store.held("a").unwrap(), ["http://a/4", "http://a/1", "http://a/3"]);
    assert_eq!(store.sibling("http://a/1").unwrap(), Some(HeldSibling::Page(body("4", 4))));
    assert_eq!(store.sibling("http://a/2").unwrap(), None);
    assert_eq!(store.counts().held, 4);

    drop((database, store));
    let (database, store) = open_with(dir.path(), &Config { held_per_host: 1, ..config.clone() });
    assert!(hold(&store, "http://a/6", 7));
    assert_eq!(store.held("a").unwrap(), ["http://a/6"], "a smaller bound takes hold with the next");
    assert_eq!(store.counts().held, 2);
    drop((database, store));
    let (_database, store) = open_with(dir.path(), &Config { held_per_host: 0, ..config });
    assert!(hold(&store, "http://a/7", 8), "it is raw");
    assert_eq!(store.held("a").unwrap(), ["http://a/6"]);
}

#[test]
fn parked_pages_stay_until_their_page_is_put_or_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    let parked = |len: usize| Parked {
        body: noise(len).into_bytes(),
        status: 200,
        charset: Some("latin1".into()),
        fetched_at: at(9),
        truncated: true,
    };
    for url in ["http://a/1", "http://a/2", "http://a/3", "http://a/4"] {
        store.park(url, &parked(3_000_000)).unwrap();
        store.park(url, &parked(20_000)).unwrap();
    }
    drop((database, store));
    let (_database, store) = open(dir.path());
    assert_eq!(store.parked("http://a/1").unwrap(), Some(parked(20_000)));
    assert_eq!(store.counts().parked, 4);
    store.put(&page("http://a/1", "text", 1)).unwrap();
    store.delete("http://a/2", DeletionReason::Gone, at(2)).unwrap();
    assert!(store.unpark("http://a/3").unwrap());
    assert!(!store.unpark("http://a/3").unwrap());
    for (url, left) in [("http://a/1", false), ("http://a/2", false), ("http://a/3", false), ("http://a/4", true)] {
        assert_eq!(store.parked(url).unwrap().is_some(), left, "{url}");
    }
    assert_eq!(store.counts().parked, 1);
}

#[test]
fn readers_see_whole_records_while_a_writer_replaces_them() {
    let dir = tempfile::tempdir().unwrap();
    let (_database, store) = open(dir.path());
    // Texts of many chunks, in different numbers.
    let text = |n: usize| noise_from(n as u64, 60_000 + n % 7 * 10_000);
    store.put(&page("http://a/", &text(0), 0)).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| (1..60).for_each(|n| assert!(store.put(&page("http://a/", &text(n), 0)).unwrap().changed)));
        for _ in 0..200 {
            let record = store.get("http://a/").unwrap().unwrap();
            assert_eq!(record.text, text((record.seq - 1) as usize));
        }
    });
}

/// The feed by definition: the latest change of each URL, in order.
#[derive(Default)]
struct Model {
    last: u64,
    /// By URL: sequence number, and the text unless the URL is deleted.
    urls: BTreeMap<String, (u64, Option<String>)>,
}

impl Model {
    fn feed(&self) -> Vec<String> {
        let mut changes: Vec<_> = self.urls.iter().map(|(url, (seq, text))| (seq, text, url)).collect();
        changes.sort();
        changes
            .into_iter()
            .map(|(seq, text, url)| format!("{seq} {} {url}", if text.is_some() { "Upsert" } else { "Delete" }))
            .collect()
    }
}

#[derive(Debug, Clone)]
enum Step {
    Put(u8, usize),
    Delete(u8),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let text = prop_oneof![0..3usize, 5_000..40_000usize];
    prop_oneof![
        12 => (0..6u8, text).prop_map(|(url, text)| Step::Put(url, text)),
        5 => (0..6u8).prop_map(Step::Delete),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_feed_is_what_the_model_says(steps in prop::collection::vec(step(), 1..60)) {
        let dir = tempfile::tempdir().unwrap();
        let (mut database, mut store) = open(dir.path());
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Put(url, len) => {
                    let (url, text) = (format!("http://h{}/{url}", url % 2), noise(len));
                    let put = store.put(&page(&url, &text, 0)).unwrap();
                    let same = model.urls.get(&url).is_some_and(|(_, before)| before.as_ref() == Some(&text));
                    prop_assert_eq!(put.changed, !same);
                    if !same {
                        model.last += 1;
                        model.urls.insert(url.clone(), (model.last, Some(text)));
                    }
                    prop_assert_eq!(put.seq, model.urls[&url].0);
                }
                Step::Delete(url) => {
                    let url = format!("http://h{}/{url}", url % 2);
                    let there = model.urls.get(&url).is_some_and(|(_, text)| text.is_some());
                    let seq = store.delete(&url, DeletionReason::Gone, at(1)).unwrap();
                    prop_assert_eq!(seq, there.then_some(model.last + 1));
                    if there {
                        model.last += 1;
                        model.urls.insert(url, (model.last, None));
                    }
                }
                Step::Reopen => {
                    drop((database, store));
                    (database, store) = open(dir.path());
                }
            }
        }
        database.durable().unwrap();
        let (lines, next) = feed(&store, None);
        prop_assert_eq!(lines, model.feed());
        prop_assert_eq!(next.sequence(), model.last);
        for (url, (_, text)) in &model.urls {
            prop_assert_eq!(store.get(url).unwrap().map(|record| record.page.text), text.clone());
        }
        let pages = model.urls.values().filter(|(_, text)| text.is_some()).count() as u64;
        let counts = store.counts();
        prop_assert_eq!((counts.pages, counts.changes, counts.last_sequence), (pages, model.urls.len() as u64, model.last));
    }
}

const KILLED_DIR: &str = "TSREC_TEST_KILLED_DIR";

/// Runs this test as a child process that writes and acknowledges, and kills it.
#[test]
fn what_was_acknowledged_survives_a_kill() {
    if let Some(dir) = std::env::var_os(KILLED_DIR) {
        return write_until_killed(Path::new(&dir));
    }
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for round in 1..=3 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::what_was_acknowledged_survives_a_kill", "--nocapture"])
            .env(KILLED_DIR, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let acked = lines.filter_map(|line| line.strip_prefix("acknowledged ")?.parse::<u64>().ok());
        acknowledged = acked.inspect(|seq| assert!(*seq > acknowledged)).take(25).last().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();

        let (_database, store) = open(dir.path());
        assert!(store.counts().last_sequence >= acknowledged, "round {round}");
        for seq in 1..=acknowledged {
            let record = store.get(&url_of(seq)).unwrap();
            assert_eq!(record.map(|record| record.page.text), Some(text_of(seq)), "round {round}, {seq}");
        }
        assert!(feed(&store, None).1.sequence() >= acknowledged);
    }
}

fn write_until_killed(dir: &Path) {
    let (database, store) = open(dir);
    let mut stdout = std::io::stdout();
    loop {
        let seq = store.counts().last_sequence + 1;
        assert_eq!(store.put(&page(&url_of(seq), &text_of(seq), 0)).unwrap().seq, seq);
        database.durable().unwrap();
        writeln!(stdout, "acknowledged {seq}").unwrap();
    }
}

fn url_of(seq: u64) -> String {
    format!("http://{}.example/{seq}", seq % 3)
}

fn text_of(seq: u64) -> String {
    format!("{seq} {}", noise(seq as usize * 97 % 30_000))
}

#[test]
fn the_feed_gives_records_with_its_changes_within_a_bound_of_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    for n in 0..6 {
        store.put(&page(&format!("http://a/{n}"), &noise_from(n, 10_000), 1)).unwrap();
    }
    store.delete("http://a/2", DeletionReason::Gone, at(2)).unwrap();
    database.durable().unwrap();
    // A record has its 10,000 characters as text and as markup, plus some hundred bytes.
    for (limit, most_bytes, expect) in [(100, u64::MAX, 6), (4, u64::MAX, 4), (100, 50_000, 2), (100, 0, 1)] {
        let (answer, records) = store.changes_with_pages(None, limit, most_bytes).unwrap();
        assert_eq!((answer.changes.len(), records.len()), (expect, expect), "{limit} {most_bytes}");
        let plain = store.changes(None, limit.min(if most_bytes == u64::MAX { limit } else { expect })).unwrap();
        assert_eq!(answer, plain, "a shorter answer is what a smaller limit gives");
        for (change, record) in answer.changes.iter().zip(records) {
            assert_eq!(record, store.get(&change.url).unwrap());
            assert_eq!(record.map(|record| record.seq), (change.kind == ChangeKind::Upsert).then_some(change.seq));
        }
    }
}

/// While a change's successor could still be lost, the feed keeps the earlier state. No reader
/// passes a change that a power cut brings back. No reader gets an end of the feed in the middle.
#[test]
fn a_change_whose_successor_is_not_durable_is_still_given_with_its_record() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    let url = |name: &str| format!("http://x.example/{name}");
    for name in ["a", "b", "c", "d"] {
        store.put(&page(&url(name), "first", 1)).unwrap();
    }
    database.durable().unwrap();
    let before = store.changes_with_pages(None, 10, u64::MAX).unwrap();
    let after_a = store.changes(None, 1).unwrap().next;
    let after_c = store.changes(None, 3).unwrap().next;

    store.put(&page(&url("b"), "second", 2)).unwrap();
    store.put(&page(&url("b"), "third", 3)).unwrap();
    store.delete(&url("d"), DeletionReason::Gone, at(2)).unwrap();
    assert_eq!(store.changes_with_pages(None, 10, u64::MAX).unwrap(), before);
    assert_eq!(
        feed(&store, Some(after_a)).0,
        ["2 Upsert http://x.example/b", "3 Upsert http://x.example/c", "4 Upsert http://x.example/d"]
    );
    assert_eq!(feed(&store, Some(after_c)).0, ["4 Upsert http://x.example/d"]);
    assert_eq!(feed(&store, Some(after_a)).1.sequence(), 4, "the end of what is durable");

    database.durable().unwrap();
    assert_eq!(
        feed(&store, Some(after_a)).0,
        ["3 Upsert http://x.example/c", "6 Upsert http://x.example/b", "7 Delete http://x.example/d"]
    );
}

/// The memory of a page of one template.
fn remembered(text: u64) -> Memory {
    Memory::of_page((0..10).map(|place| SeenBlock {
        place,
        text: text << 40 | place << 33,
        words: 10,
        odds: 1.0,
        evidence: [0.0; EVIDENCE],
    }))
}

/// Meanwhile the crawl may fetch the page anew or delete it.
#[test]
fn a_second_extraction_brings_no_page_back_that_was_deleted_or_fetched_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (_database, store) = open(dir.path());
    let memories = SiteMemories::over(&store, Default::default());
    let (url, memory) = ("http://a.example/1", remembered(1));
    let again = |text: &str, second: i64| {
        let learning = Learning { is_again: true, ..Learning::new(&memory) };
        memories.learn(page(url, text, second), &learning)
    };
    store.put(&page(url, "first", 1)).unwrap();
    assert!(again("better", 1).is_ok());
    store.put(&page(url, "news", 2)).unwrap();
    assert!(again("old", 1).unwrap_err().is_superseded());
    assert_eq!(store.get(url).unwrap().unwrap().page.text, "news");
    store.delete(url, DeletionReason::Noindex, page(url, "", 3).fetched_at).unwrap();
    assert!(again("news", 2).unwrap_err().is_superseded());
    assert!(store.get(url).unwrap().is_none());
}

/// The store writes a page's parked and held data with its record, until the template is known. The
/// next record removes the parked data.
#[test]
fn what_is_kept_until_the_template_is_known_is_written_with_the_record() {
    let dir = tempfile::tempdir().unwrap();
    let (_database, store) = open(dir.path());
    let memories = SiteMemories::over(&store, Default::default());
    let url = |n: u64| format!("http://a.example/{n}");
    let put = |n: u64, most_parked: usize, is_again: bool| {
        let (memory, page) = (remembered(n), page(&url(n), "text", 1));
        let body = body("<p>text", 1);
        let kept = Some(KeptBody { waits: true, most_parked, sibling: true, raw: !is_again, ..KeptBody::new(&body) });
        let learning = Learning { is_again, kept, ..Learning::new(&memory) };
        memories.learn(page, &learning).unwrap().1.parked
    };
    assert!(put(1, 2, false) && put(2, 2, false));
    assert!(!put(3, 2, false), "two of the host are");
    assert!(put(2, 2, true), "in the place of its own");
    assert_eq!((store.counts().parked, store.list_parked(None, None, 9).unwrap().len()), (2, 2));
    assert_eq!(store.held("a.example").unwrap(), [url(3), url(2), url(1)]);
    assert_eq!(store.parked(&url(1)).unwrap().unwrap().body, b"<p>text");

    assert!(put(4, 9, false), "it may have been extracted before the template was known");
    assert!(!put(1, 9, true), "four pages know the template by now");
    assert_eq!(store.list_parked(None, None, 9).unwrap().len(), 2);
    store.let_go([&*url(2), &*url(1), &*url(9)]).unwrap();
    assert_eq!(store.held("a.example").unwrap(), [url(4), url(3)]);
}

#[test]
fn what_is_remembered_of_a_site_is_written_with_its_pages_and_outlives_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let open = || {
        let (database, store) = open(dir.path());
        (database, SiteMemories::over(&store, Default::default()))
    };
    let learn = |memories: &SiteMemories, n: u64| {
        let (url, memory) = (format!("http://a.example/{n}"), remembered(n));
        let learning = Learning { known: n as u32, ..Learning::new(&memory) };
        memories.learn(page(&url, "text", 1), &learning).unwrap()
    };
    {
        let (database, memories) = open();
        for n in 0..6 {
            let (record, put, learned) = learn(&memories, n);
            assert!(put.changed && learned.number == 1);
            assert_eq!(record.template, Some(OfTemplate { number: 1, pages: n as u32, replaces: None }));
        }
        // Few pages, each written with its record.
        database.durable().unwrap();
    }
    for lost in ["nothing", "index"] {
        if lost == "index" {
            std::fs::remove_dir_all(dir.path().join("index")).unwrap();
        }
        let (database, memories) = open();
        let site = memories.site("a.example").unwrap();
        assert_eq!(site.templates()[0].memory.pages(), 6, "{lost}");
        assert_eq!(memories.remembered_hosts(None, 9).unwrap(), ["a.example"]);
        assert!(!database.recovery().has_losses() || lost == "index", "{:?}", database.recovery());
    }
    {
        let (_database, memories) = open();
        let refused = memories.change_site("a.example", |site| Err::<(), _>(site.forget(1))).unwrap();
        assert_eq!((refused, memories.site("a.example").unwrap().templates().len()), (Err(true), 1));
        assert!(memories.forget_site("a.example").unwrap() && !memories.forget_site("a.example").unwrap());
    }
    std::fs::remove_dir_all(dir.path().join("index")).unwrap();
    let (_database, memories) = open();
    assert!(memories.site("a.example").unwrap().templates().is_empty());
    assert!(memories.remembered_hosts(None, 9).unwrap().is_empty());
}

#[test]
fn sites_beyond_the_cache_are_written_and_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let (_database, store) = open(dir.path());
    let config = memories::Config { site_cache_bytes: 10_000, ..Default::default() };
    let memories = SiteMemories::over(&store, config);
    for n in 0..200u64 {
        let memory = remembered(n);
        let url = format!("http://h{}.example/{n}", n % 20);
        memories.learn(page(&url, "text", 1), &Learning::new(&memory)).unwrap();
        assert!(memories.site_bytes() <= 40_000, "{} bytes", memories.site_bytes());
    }
    for host in 0..20 {
        let site = memories.site(&format!("h{host}.example")).unwrap();
        assert_eq!(site.templates()[0].memory.pages(), 10, "{host}");
    }
    assert_eq!(memories.remembered_hosts(Some("h18.example"), 9).unwrap().len(), 9);
}
