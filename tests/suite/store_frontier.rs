//! What the frontier knows outlives the index: it is in the journal too.
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tsrec_crawl::Fault;
use tsrec_crawl::frontier::{
    Account, Ack, Config, Discovered, Embedded, Filter, Frontier, Health, Heard, Trap, UrlRequest,
};
use tsrec_store::{Database, DeletionReason, Recovery, Store};

use crate::support::damage::{Random, copy_all};
use crate::support::serving::{open, page};

/// URLs for each host.
const PER_HOST: usize = 50;

fn start() -> Timestamp {
    "2026-11-21T00:00:00Z".parse().unwrap()
}

fn config() -> Config {
    Config { delay: Duration::ZERO, max_urls_per_section: 40, ..Config::default() }
}

/// A frontier at some hours after the start, and how to move its clock.
fn frontier_at(database: &Database, hours: i64) -> (Embedded, impl Fn(i64) + use<>) {
    let seconds = Arc::new(AtomicI64::new(hours * 3_600));
    let clock = Arc::clone(&seconds);
    let now = move || start() + SignedDuration::from_secs(clock.load(Ordering::Relaxed));
    let frontier = Embedded::open(database, &config(), "1", now).unwrap();
    let wait = move |more| {
        seconds.fetch_add(more, Ordering::Relaxed);
    };
    (frontier, wait)
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn url(n: usize) -> String {
    format!("http://h{}.example/day/{n}/a-story-of-that-day.html", n / PER_HOST)
}

/// A store with a frontier of so many URLs, in all states, and hosts in all states.
fn fill(dir: &Path, urls: usize) {
    let (database, store) = open(dir);
    let (frontier, wait) = frontier_at(&database, 0);
    let all: Vec<usize> = (0..urls).collect();
    for found in all.chunks(500) {
        let found = found.iter().map(|&n| {
            let found_on = Some(format!("http://h{}.example/", n / PER_HOST).parse().unwrap());
            Discovered::page(url(n).parse().unwrap(), 1 + n as u32 % 4, found_on)
        });
        run(frontier.put_discovered(&found.collect::<Vec<_>>())).unwrap();
    }
    // Each host is asked some times, with another result each time.
    for round in 0..6u64 {
        wait(100);
        for lease in run(frontier.get_urls(usize::MAX)).unwrap() {
            let url = lease.url.as_str();
            let host = lease.url.host_str().unwrap().len() as u64;
            let health = match round {
                5 if host.is_multiple_of(2) => Health::Failing { retry_after: Some(Duration::from_secs(7_200)) },
                4 => Health::Strained { retry_after: None },
                _ => Health::Fine,
            };
            let heard = Heard { took: Duration::from_millis(20 + round), health, asked: None, address: None };
            run(frontier.fetched(url, &heard)).unwrap();
            let refetchable_from = start() + SignedDuration::from_hours(100 + round as i64);
            let ack = match round {
                0 => Ack::Ok { refetchable_from },
                1 => Ack::Gone { refetchable_from },
                2 => Ack::Skipped,
                3 => Ack::Quarantined,
                4 => Ack::Postponed { until: refetchable_from },
                _ => Ack::Fail { retry_after: None, fault: Fault::Host },
            };
            let request = UrlRequest { at: start(), took_ms: 20, what: "200".to_owned() };
            let account = Account {
                said: format!("round {round}"),
                request: Some(request),
                robots: Some("allowed".to_owned()),
                memo: Some(format!("etag \"{round}\"").into_bytes()),
            };
            run(frontier.ack(url, ack, account)).unwrap();
            if round == 0 {
                store.put(&page(url, &format!("the text of {url}"))).unwrap();
            }
            if round == 0 && host.is_multiple_of(3) {
                store.delete(url, DeletionReason::Gone, start()).unwrap();
            }
        }
        database.durable().unwrap();
    }
    let trap = Trap { until: start() + SignedDuration::from_hours(9), times: 2, prints: vec![1, 2, 3] };
    run(frontier.set_trap("h1.example", "/day/#/*", Some(trap))).unwrap();
    run(frontier.set_delay("h2.example", Some(Duration::from_secs(9)))).unwrap();
    run(frontier.block_queue_until("h3.example", start() + SignedDuration::from_hours(900))).unwrap();
    frontier.pause("h4.example", true).unwrap();
    frontier.drop_queue("h5.example").unwrap();
    frontier.take_in("h6.example").unwrap();
    assert!(run(frontier.wait_for(&url(PER_HOST), &url(2 * PER_HOST - 15))).unwrap());
    database.durable().unwrap();
    store.acknowledge("indexer", store.end(), start()).unwrap();
    database.durable().unwrap();
}

/// All that a store and its frontier say.
#[derive(Clone, PartialEq)]
struct Said(Vec<(&'static str, Vec<String>)>);

impl std::fmt::Debug for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(what, lines)| (what, lines.len()))).finish()
    }
}

fn said(database: &Database) -> Said {
    let store = Store::new(database);
    let (frontier, wait) = frontier_at(database, 1);
    let line = |value: &dyn std::fmt::Debug| format!("{value:?}");
    let mut said = Vec::new();
    for (name, filter) in Filter::NAMES {
        let (mut lines, mut after) = (Vec::new(), None);
        loop {
            let (listed, next) = frontier.list(filter, None, after.as_deref(), 1_000).unwrap();
            lines.extend(listed.iter().map(|listed| line(listed)));
            after = next;
            if after.is_none() {
                break;
            }
        }
        said.push((name, lines));
    }
    let sections = frontier.list_sections(false, None, None, usize::MAX).unwrap().0;
    said.push(("sections", sections.iter().map(|section| line(section)).collect()));
    let hosts = frontier.kept_hosts(None, usize::MAX).unwrap();
    said.push(("hosts", hosts.iter().map(|host| line(host)).collect()));
    said.push(("counts", vec![line(&run(frontier.stats()).unwrap()), line(&run(frontier.owes()).unwrap())]));
    wait(600);
    // A lease is in memory only.
    let leases = run(frontier.get_urls(usize::MAX)).unwrap();
    said.push(("due", leases.iter().map(|lease| line(lease)).collect()));
    let (later, wait) = frontier_at(database, 200);
    wait(600);
    let leases = run(later.get_urls(usize::MAX)).unwrap();
    said.push(("due later", leases.iter().map(|lease| line(lease)).collect()));
    let pages = store.list(None, None, usize::MAX).unwrap();
    said.push(("pages", pages.iter().map(|page| line(page)).collect()));
    let feed = store.changes(None, usize::MAX).unwrap();
    said.push(("feed", feed.changes.iter().map(|change| line(change)).chain([line(&feed.next)]).collect()));
    said.push(("readers", store.consumers().unwrap().iter().map(|reader| line(reader)).collect()));
    Said(said)
}

fn opened(dir: &Path) -> (Said, Recovery) {
    let (database, _) = open(dir);
    (said(&database), database.recovery().clone())
}

fn differences(now: &Said, before: &Said) -> Vec<String> {
    let pairs = now.0.iter().zip(&before.0);
    let different = pairs.filter(|(now, before)| now != before);
    different.map(|(now, before)| format!("{}: {} of {}", now.0, now.1.len(), before.1.len())).collect()
}

fn copy_of(dir: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    copy_all(dir, copy.path());
    copy
}

fn outlives_the_index(urls: usize) {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), urls);
    let (before, found) = opened(dir.path());
    assert!(found.is_quiet(), "{found:?}");
    assert!(before.0.iter().all(|(what, lines)| !lines.is_empty() || *what == "given-up"), "{before:?}");
    // Twice: what was filled again is as whole as what was written.
    for _ in 0..if urls > 10_000 { 1 } else { 2 } {
        std::fs::remove_dir_all(dir.path().join("index")).unwrap();
        let (after, found) = opened(dir.path());
        assert_eq!(differences(&after, &before), [""; 0], "{found:?}");
        assert!(!found.has_losses() && found.replayed > 0, "{found:?}");
        let (after, found) = opened(dir.path());
        assert_eq!(differences(&after, &before), [""; 0], "{found:?}");
        assert!(found.is_quiet(), "{found:?}");
    }
}

#[test]
fn the_frontier_outlives_the_index() {
    outlives_the_index(3_000);
}

/// `cargo test --release --test suite -- --ignored the_frontier_of_100_000`
#[test]
#[ignore = "minutes"]
fn the_frontier_of_100_000_urls_outlives_the_index() {
    outlives_the_index(100_000);
}

/// Flips bits in sled's files: whatever they take there is in the journal.
#[test]
fn flipped_bits_in_the_index_lose_no_url() {
    let tries: u64 = std::env::var("TSREC_FLIPS").map_or(12, |tries| tries.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), 1_000);
    let before = opened(copy_of(dir.path()).path()).0;
    let mut mended = 0;
    for seed in 0..tries {
        let (copy, mut random) = (copy_of(dir.path()), Random(seed));
        let file = copy.path().join("index/db");
        let mut bytes = std::fs::read(&file).unwrap();
        let len = bytes.iter().rposition(|byte| *byte != 0).unwrap() as u64 + 1;
        for _ in 0..[1, 6][seed as usize % 2] {
            bytes[random.below(len) as usize] ^= 1 << random.below(8);
        }
        std::fs::write(&file, bytes).unwrap();
        let (after, found) = opened(copy.path());
        assert_eq!(differences(&after, &before), [""; 0], "seed {seed}: {found:?}");
        assert!(!found.has_losses(), "seed {seed}: {found:?}");
        mended += u32::from(found.rebuilt.is_some() || found.replayed > 0);
    }
    assert!(mended > 0, "no flip did anything");
}

/// Flips a bit in each segment of the journal. The index still has what the frames held, so it
/// comes into the journal again, and the index may be lost after that.
#[test]
fn what_the_journal_lost_of_the_frontier_is_written_again_from_the_index() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), 1_000);
    let before = opened(copy_of(dir.path()).path()).0;
    let mut logged_again = 0;
    for seed in 0..6 {
        let (copy, mut random) = (copy_of(dir.path()), Random(seed));
        for entry in std::fs::read_dir(copy.path().join("records")).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << random.below(8);
            std::fs::write(&path, bytes).unwrap();
        }
        let (after, found) = opened(copy.path());
        logged_again += found.logged_again;
        let of_frontier = |said: Said| Said(said.0.into_iter().filter(|(what, _)| !is_of_records(what)).collect());
        let (after, before) = (of_frontier(after), of_frontier(Said(before.0.clone())));
        assert_eq!(differences(&after, &before), [""; 0], "seed {seed}: {found:?}");
        std::fs::remove_dir_all(copy.path().join("index")).unwrap();
        let (after, found) = opened(copy.path());
        assert_eq!(differences(&of_frontier(after), &before), [""; 0], "seed {seed}: {found:?}");
    }
    assert!(logged_again > 0);
}

/// Records may be in the damaged frames; their loss begins a new epoch, so readers start over.
fn is_of_records(what: &str) -> bool {
    matches!(what, "pages" | "feed" | "readers")
}

/// With a damaged journal and without an index, what is lost is reported.
#[test]
fn what_both_have_lost_is_reported_and_readers_start_over() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), 1_000);
    let segment = dir.path().join("records/00000001");
    let mut bytes = std::fs::read(&segment).unwrap();
    bytes[5_000] ^= 1;
    std::fs::write(&segment, bytes).unwrap();
    std::fs::remove_dir_all(dir.path().join("index")).unwrap();
    let (database, _) = open(dir.path());
    let found = database.recovery();
    assert!(found.new_epoch && found.lost_frames > 0 && found.salvaged.is_some(), "{found:?}");
    assert!(found.report().unwrap().contains("perhaps a part of the frontier"), "{found:?}");
}

/// Visits again and again, with the collector at work.
#[test]
fn a_journal_of_visits_stays_within_twice_what_lives() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), 1_000);
    let database = open(dir.path()).0;
    for visit in 0..150i64 {
        let (frontier, wait) = frontier_at(&database, 1_000 + 200 * visit);
        wait(600);
        let leases = run(frontier.get_urls(usize::MAX)).unwrap();
        assert!(leases.len() > 10, "visit {visit}");
        for lease in leases {
            let refetchable_from = start() + SignedDuration::from_hours(1_000 + 200 * visit + 100);
            run(frontier.ack(lease.url.as_str(), Ack::Ok { refetchable_from }, "stored")).unwrap();
        }
        database.durable().unwrap();
    }
    (0..20).for_each(|_| database.durable().unwrap());
    let records = database.stats().unwrap().records;
    assert!(records.bytes < 2 * records.live + (4 << 20), "{records:?}");
    let before = said(&database);
    drop(database);
    std::fs::remove_dir_all(dir.path().join("index")).unwrap();
    let (after, found) = opened(dir.path());
    assert_eq!(differences(&after, &before), [""; 0], "{found:?}");
}
