//! Bodies, what they are kept for, and which go.

use std::path::Path;

use jiff::Timestamp;

use super::{HeldSibling, KeptBody, Parked};
use crate::index::DIR;
use crate::index::base::Which;
use crate::index::heads::{self, BodyHead, HeadSort};
use crate::index::state::State;
use crate::log::scan::segment_ids;
use crate::log::{BODIES, BODIES_SEGMENT_LEN, path_of};
use crate::record::tests::page;
use crate::{Config, Database, DeletionReason, NewPage, PutExtras, Store, maintenance};

const URL: &str = "http://a.example/1";

/// A second extraction that keeps nothing.
const AGAIN: PutExtras<'_> = PutExtras { memory: None, kept: None, is_again: true };

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// A page of a fetch, with text that zstd can hardly compress.
fn body(n: u64, second: i64) -> Parked {
    let text: String =
        (0..100).map(|word| format!("{:x} ", (n * 1_000 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    let charset = Some("latin1".to_owned());
    Parked { body: text.into_bytes(), status: 404, charset, fetched_at: at(second), truncated: true }
}

fn record(url: &str, second: i64) -> NewPage {
    NewPage { fetched_at: at(second), ..page(url, "text") }
}

fn open(dir: &Path) -> (Database, Store) {
    open_with(dir, 1_000_000)
}

fn open_with(dir: &Path, bodies_bytes: u64) -> (Database, Store) {
    let database = Database::open(dir, &Config { bodies_bytes, ..Config::default() }).unwrap();
    let store = Store::new(&database);
    (database, store)
}

/// Stores a page with its body.
fn put(store: &Store, url: &str, kept: KeptBody<'_>, is_again: bool) -> bool {
    let record = NewPage { fetched_at: kept.page.fetched_at, ..page(url, "text") };
    store.put_with(&record, PutExtras { kept: Some(kept), is_again, ..PutExtras::default() }).unwrap().parked
}

/// Frames of the journal of bodies so far, but for the first ones of segments.
fn frames(database: &Database) -> u64 {
    let journal = database.base().journal(Which::Bodies);
    journal.last_number() - u64::from(journal.segments().last().unwrap().0)
}

/// Lists and counters are those of the heads, and no reader finds damage.
fn assert_consistent(dir: &Path, database: &Database) {
    let store = Store::new(database);
    let mut counted = State::default();
    for entry in store.heads(HeadSort::Body, None, None).unwrap() {
        let (key, head) = entry.unwrap();
        let head: BodyHead = heads::decode(&head).unwrap();
        super::uses::count(&mut counted, &head, u64::wrapping_add);
        let waits = store.list_parked(None, None, 9_999).unwrap().contains(&(key.url().to_owned(), head.fetched_at));
        assert_eq!(waits, head.uses.waits, "{key:?}");
        let is_sibling = store.held(key.host()).unwrap().contains(&key.url().to_owned());
        assert_eq!(is_sibling, head.uses.sibling, "{key:?}");
        assert_eq!(store.sibling(key.url()).unwrap().is_some(), is_sibling);
        assert_eq!(store.parked(key.url()).unwrap().is_some(), waits);
    }
    let state = database.base().state().clone();
    let of = |state: &State| (state.parked, state.held, state.waiting_bytes, state.sibling_bytes);
    assert_eq!(of(&state), of(&counted));
    let verified = maintenance::verify(dir).unwrap();
    assert!(!verified.is_damaged(), "{verified:?}");
}

#[test]
fn a_page_that_waits_and_is_a_sibling_and_stays_is_written_once() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    let page = body(1, 1);
    let kept = KeptBody { waits: true, sibling: true, raw: true, ..KeptBody::new(&page) };
    assert!(put(&store, URL, kept, false));
    assert_eq!(frames(&database), 1);
    // It is extracted again, and waits still.
    assert!(put(&store, URL, KeptBody { raw: false, ..kept }, true));
    assert_eq!(store.parked(URL).unwrap(), Some(page.clone()));
    assert_eq!(store.sibling(URL).unwrap(), Some(HeldSibling::Page(page.clone())));
    assert_consistent(dir.path(), &database);
    database.durable().unwrap();
    drop((database, store));

    let (database, store) = open(dir.path());
    // Its template is known.
    assert!(!store.put_with(&record(URL, 1), AGAIN).unwrap().parked);
    assert_eq!((store.parked(URL).unwrap(), store.held("a.example").unwrap().len()), (None, 1));
    store.let_go([URL]).unwrap();
    assert_eq!((store.sibling(URL).unwrap(), store.bytes_of(URL).unwrap()), (None, Some(page)));
    assert!(store.keeps_bytes_of(URL, at(1)).unwrap() && !store.keeps_bytes_of(URL, at(2)).unwrap());
    assert_eq!(store.list_raw(Some("a.example"), None, 9).unwrap(), [URL]);
    assert_eq!(frames(&database), 1);
    assert_consistent(dir.path(), &database);
}

#[test]
fn of_a_page_that_asks_for_no_copy_the_sequence_stays_once_it_no_longer_waits() {
    for ends_by_record in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let (database, store) = open(dir.path());
        let page = body(1, 1);
        let kept = KeptBody { waits: true, sibling: true, sequence: Some(b"tags"), ..KeptBody::new(&page) };
        assert!(put(&store, URL, kept, false));
        assert_eq!(store.parked(URL).unwrap(), Some(page));
        assert!(store.list_raw(None, None, 9).unwrap().is_empty());
        match ends_by_record {
            true => drop(store.put_with(&record(URL, 1), AGAIN).unwrap()),
            false => assert!(store.unpark(URL).unwrap()),
        }
        assert_eq!((store.parked(URL).unwrap(), store.bytes_of(URL).unwrap()), (None, None));
        let sequence = Some(HeldSibling::Sequence(b"tags".to_vec()));
        assert_eq!(store.sibling(URL).unwrap(), sequence);
        assert_consistent(dir.path(), &database);
        drop((database, store));
        let (database, store) = open(dir.path());
        assert_eq!(store.sibling(URL).unwrap(), sequence);
        store.let_go([URL]).unwrap();
        assert_eq!(store.counts().held, 0);
        assert_consistent(dir.path(), &database);
        // Without a sequence it is no sibling, and nothing stays.
        let page = body(2, 2);
        put(&store, URL, KeptBody { waits: true, sibling: true, ..KeptBody::new(&page) }, false);
        assert!(store.held("a.example").unwrap().is_empty() && store.unpark(URL).unwrap());
        assert!(!store.keeps_bytes_of(URL, at(2)).unwrap());
        drop((database, store));
        // The index does not bring the body back.
        std::fs::remove_dir_all(dir.path().join(DIR)).unwrap();
        let (_database, store) = open(dir.path());
        assert_eq!(store.bytes_of(URL).unwrap(), None);
    }
}

#[test]
fn a_body_goes_with_its_page_and_with_the_next_fetch() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    let [first, second] = [body(1, 1), body(2, 2)];
    let kept = |page| KeptBody { waits: true, sibling: true, raw: true, ..KeptBody::new(page) };
    put(&store, URL, kept(&first), false);
    put(&store, URL, kept(&second), false);
    assert_eq!(store.bytes_of(URL).unwrap().as_ref(), Some(&second));
    // The record of a later fetch has no body.
    store.put(&record(URL, 3)).unwrap();
    assert_eq!((store.bytes_of(URL).unwrap(), store.held("a.example").unwrap().len()), (None, 0));
    put(&store, URL, kept(&first), false);
    store.delete(URL, DeletionReason::Gone, at(4)).unwrap();
    assert_eq!((store.bytes_of(URL).unwrap(), store.counts().parked, store.counts().held), (None, 0, 0));
    // In quarantine it has no record.
    store.park(URL, &second).unwrap();
    assert_eq!(store.bytes_of(URL).unwrap(), Some(second));
    store.delete(URL, DeletionReason::Gone, at(5)).unwrap();
    assert_eq!(store.bytes_of(URL).unwrap(), None);
    assert_consistent(dir.path(), &database);
}

#[test]
fn parking_a_page_for_quarantine_keeps_it_raw_and_makes_it_no_sibling() {
    let dir = tempfile::tempdir().unwrap();
    let (_database, store) = open(dir.path());
    let page = body(1, 1);
    put(&store, URL, KeptBody { sibling: true, raw: true, ..KeptBody::new(&page) }, false);
    store.park(URL, &page).unwrap();
    assert!(store.held("a.example").unwrap().is_empty());
    assert!(store.unpark(URL).unwrap());
    assert_eq!(store.list_raw(None, None, 9).unwrap(), [URL]);
}

/// The URL of the page with a number; every host has a page.
fn url(n: u64) -> String {
    format!("http://h{n}.example/")
}

/// Stores pages, each with its own flush.
fn fill(database: &Database, pages: std::ops::Range<u64>, uses: impl Fn(u64) -> (bool, bool)) {
    let store = Store::new(database);
    for n in pages {
        let (waits, sibling) = uses(n);
        let page = body(n, n as i64);
        put(&store, &url(n), KeptBody { waits, sibling, raw: true, ..KeptBody::new(&page) }, false);
        database.durable().unwrap();
    }
}

fn has(database: &Database, n: u64) -> bool {
    Store::new(database).bytes_of(&url(n)).unwrap().inspect(|page| assert_eq!(*page, body(n, n as i64))).is_some()
}

fn size(dir: &Path) -> u64 {
    let dir = dir.join(BODIES);
    segment_ids(&dir).unwrap().into_iter().map(|id| path_of(&dir, id).metadata().unwrap().len()).sum()
}

/// A segment more, and what one flush writes and copies.
const SPARE: u64 = 2 * BODIES_SEGMENT_LEN;

#[test]
fn raw_pages_go_first_then_siblings_and_never_what_waits() {
    const BUDGET: u64 = 120_000;
    let dir = tempfile::tempdir().unwrap();
    let (database, _) = open_with(dir.path(), BUDGET);
    fill(&database, 0..400, |n| (n % 50 == 0, n % 50 == 1));
    assert!(size(dir.path()) < BUDGET + SPARE, "{}", size(dir.path()));
    for n in (0..400).step_by(50) {
        assert!(has(&database, n) && has(&database, n + 1), "{n}");
    }
    let raw: Vec<u64> = (0..400).filter(|n| n % 50 > 1 && has(&database, *n)).collect();
    let newest: Vec<u64> = (raw[0]..400).filter(|n| n % 50 > 1).collect();
    assert!(raw.len() > 30 && raw[0] > 200 && raw == newest, "the newest stay: {raw:?}");
    assert!(frames(&database) < 2 * 400, "it copies no more than it writes");
    assert_consistent(dir.path(), &database);
    drop(database);

    // Siblings alone are more than half.
    let (database, _) = open_with(dir.path(), BUDGET);
    fill(&database, 400..600, |_| (false, true));
    assert!(size(dir.path()) < BUDGET + SPARE, "{}", size(dir.path()));
    assert!((0..400).step_by(50).all(|n| has(&database, n)));
    let siblings: Vec<u64> = (400..600).filter(|n| has(&database, *n)).collect();
    assert!(siblings.len() > 30 && siblings[0] > 450, "the oldest go: {siblings:?}");
    assert!((0..400).all(|n| n % 50 == 0 || !has(&database, n)));
    assert_consistent(dir.path(), &database);
    drop(database);

    // What waits alone is more than all.
    let (database, _) = open_with(dir.path(), BUDGET / 12);
    fill(&database, 600..650, |_| (true, true));
    fill(&database, 650..800, |_| (false, false));
    assert!((600..650).chain((0..400).step_by(50)).all(|n| has(&database, n)));
    let waiting = database.base().state().waiting_bytes;
    assert!(waiting > BUDGET / 12 && size(dir.path()) < 2 * waiting + SPARE, "{waiting} {}", size(dir.path()));
    assert_consistent(dir.path(), &database);
    drop(database);
    let database = Database::open_and_verify(dir.path(), &Config::default()).unwrap();
    assert!(database.recovery().is_quiet(), "{:?}", database.recovery());
    assert_consistent(dir.path(), &database);
}

#[test]
fn only_what_waits_may_be_larger_than_the_budget() {
    let dir = tempfile::tempdir().unwrap();
    for budget in [0, 500] {
        let (database, store) = open_with(dir.path(), budget);
        let page = body(1, 1);
        let raw = KeptBody { raw: true, ..KeptBody::new(&page) };
        assert!(!put(&store, URL, raw, false) && store.bytes_of(URL).unwrap().is_none());
        assert!(put(&store, URL, KeptBody { waits: true, ..raw }, false));
        (0..20).for_each(|_| database.durable().unwrap());
        assert_eq!(store.parked(URL).unwrap().as_ref(), Some(&page));
        store.delete(URL, DeletionReason::Gone, at(1)).unwrap();
        assert_consistent(dir.path(), &database);
    }
}

#[test]
fn without_a_budget_there_are_no_siblings() {
    let dir = tempfile::tempdir().unwrap();
    for (budget, siblings) in [(0, 0), (100_000, 1)] {
        let (_database, store) = open_with(dir.path(), budget);
        let page = body(1, 1);
        put(&store, URL, KeptBody { waits: true, sibling: true, raw: true, ..KeptBody::new(&page) }, false);
        assert_eq!((store.counts().parked, store.counts().held), (1, siblings), "{budget}");
    }
}

/// Other programs do not know the daemon's setting.
#[test]
fn who_keeps_no_body_removes_none() {
    let dir = tempfile::tempdir().unwrap();
    fill(&open_with(dir.path(), 1_000_000).0, 0..100, |_| (false, false));
    let (database, store) = open_with(dir.path(), 20_000);
    (0..100).for_each(|_| database.durable().unwrap());
    assert!((0..100).all(|n| has(&database, n)));
    store.trim_bodies();
    (0..200).for_each(|_| database.durable().unwrap());
    assert!(size(dir.path()) < 20_000 + SPARE && has(&database, 99) && !has(&database, 0));
}

/// A copy of the directory is what a kill leaves.
#[test]
fn a_kill_at_any_step_of_making_room_loses_nothing_that_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (database, _) = open_with(dir.path(), 40_000);
    fill(&database, 0..60, |n| (n % 10 == 0, n % 10 == 1));
    for n in 60..90 {
        fill(&database, n..n + 1, |n| (n % 10 == 0, n % 10 == 1));
        let killed = tempfile::tempdir().unwrap();
        let copied = std::process::Command::new("cp").arg("-r").arg(dir.path()).arg(killed.path()).status();
        assert!(copied.unwrap().success());
        let killed = killed.path().join(dir.path().file_name().unwrap());
        let (database, _) = open_with(&killed, 40_000);
        assert!(database.recovery().is_quiet(), "{n}: {:?}", database.recovery());
        assert!((0..=n).step_by(10).all(|n| has(&database, n)), "{n}");
        fill(&database, n + 1..n + 3, |_| (false, false));
        assert_consistent(&killed, &database);
    }
}

#[test]
fn raw_pages_are_found_again_without_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open_with(dir.path(), 60_000);
    fill(&database, 0..100, |n| (n % 10 == 0, n % 10 == 1));
    store.delete(&url(95), DeletionReason::Gone, at(1)).unwrap();
    store.put(&record(&url(96), 200)).unwrap();
    let before: Vec<u64> = (0..100).filter(|n| has(&database, *n)).collect();
    assert!(before.len() > 20 && before.len() < 90);
    database.durable().unwrap();
    drop((database, store));
    std::fs::remove_dir_all(dir.path().join(DIR)).unwrap();

    let (database, store) = open_with(dir.path(), 60_000);
    let after: Vec<u64> = (0..100).filter(|n| has(&database, *n)).collect();
    // Bodies of segments that were about to be removed may come back.
    assert!(before.iter().all(|n| after.contains(n)), "{before:?} {after:?}");
    assert!(!after.contains(&95) && !after.contains(&96), "{after:?}");
    assert_eq!((store.counts().parked, store.counts().held), (0, 0));
    assert_eq!(database.recovery().lost_values, 20, "{:?}", database.recovery());
    assert_consistent(dir.path(), &database);
    fill(&database, 100..200, |_| (false, false));
    assert!(size(dir.path()) < 60_000 + SPARE);
    assert_consistent(dir.path(), &database);
}

/// Nobody has counted what is lost with the oldest segment.
#[test]
fn a_damaged_segment_waits_for_the_verification() {
    let dir = tempfile::tempdir().unwrap();
    fill(&open_with(dir.path(), 1_000_000).0, 0..60, |n| (n == 2, false));
    let oldest = path_of(&dir.path().join(BODIES), segment_ids(&dir.path().join(BODIES)).unwrap()[0]);
    let mut bytes = std::fs::read(&oldest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 8;
    std::fs::write(&oldest, bytes).unwrap();
    let (database, _) = open_with(dir.path(), 20_000);
    fill(&database, 60..90, |_| (false, false));
    assert!(oldest.exists() && size(dir.path()) < 20_000 + SPARE);
    let verification = database.verify_at(u64::MAX).unwrap();
    while !database.is_verified() {
        std::thread::yield_now();
    }
    drop(verification);
    let losses = crate::losses::losses(dir.path()).unwrap();
    assert!(losses.iter().map(|loss| loss.found.lost_values).sum::<u64>() == 1, "{losses:?}");
    fill(&database, 90..120, |_| (false, false));
    assert!(!oldest.exists());
}
