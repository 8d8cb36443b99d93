//! What grows with a store, and how. The bench fills it to a hundredth, a tenth and all of its
//! records, closes it and opens it again.
//!
//! `cargo bench --bench store`, with `TSREC_RECORDS` (default: 100,000). A record has 2,000 letters
//! of text. In the full store a host has 1,000 pages. Times are processor times of the calling
//! thread, so they do not depend on how busy the machine is. Most reads come from the system's page
//! cache.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

use std::path::Path;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tsrec_core::metadata::Metadata;
use tsrec_store::{Config, Database, NewPage, PageOrder, Selection, Store};

const PAGES_PER_HOST: u64 = 1_000;
const WORDS: usize = 5_000;
/// Pages that share a flush, as with several workers.
const AT_A_TIME: u64 = 64;
/// Timed point reads, and timed answers of a listing and of the feed.
const READS: u64 = 5_000;
const LISTINGS: usize = 500;
const PAGE_OF_FEED: usize = 1_000;

/// SplitMix64.
fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Text as compressible as prose: words that follow Zipf's law.
fn prose(words: &[String], seed: u64, len: usize) -> String {
    let mut text = String::new();
    let mut n = seed << 20;
    while text.len() < len {
        n += 1;
        let rank = (words.len() as f64).powf((mix(n) >> 11) as f64 / (1u64 << 53) as f64) as usize;
        text += &words[rank.min(words.len() - 1)];
    }
    text
}

fn url(n: u64) -> String {
    let host = mix(n) % (records() / PAGES_PER_HOST).max(1);
    format!("http://host-{host}.example/articles/2026/{n}/what-it-is-about.html")
}

fn records() -> u64 {
    std::env::var("TSREC_RECORDS").map_or(100_000, |records| records.parse().expect("a number"))
}

fn size(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return dir.metadata().map_or(0, |metadata| metadata.len()) };
    entries.flatten().map(|entry| size(&entry.path())).sum()
}

/// Processor time of this thread.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Processor time of a call.
fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let started = now();
    let done = call();
    (done, now() - started)
}

/// Memory of this process, in MB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) >> 10
}

fn page(words: &[String], n: u64) -> NewPage {
    NewPage {
        url: url(n),
        metadata: Metadata { title: Some(prose(words, n, 60)), ..Default::default() },
        comments: String::new(),
        text: prose(words, n, 2_000),
        html: None,
        words: 400,
        method: "template".into(),
        confidence: 0.9,
        kind: Some("article".into()),
        kind_probability: Some(0.95),
        sibling: None,
        template: None,
        gates: serde_json::json!([]),
        labels: [("common".to_owned(), 120), ("content".to_owned(), 30)].into(),
        fetched_at: jiff::Timestamp::now(),
        status: 200,
        charset: Some("UTF-8".into()),
        cut: vec![],
    }
}

fn main() {
    let words: Vec<String> = (0..WORDS as u64).map(|rank| format!("{:x} ", mix(rank) >> (40 + rank % 12))).collect();
    let dir = tempfile::tempdir().expect("a directory");
    println!(
        "| records | put | open | memory, open | entry of the feed | with its record | point read | entry of a listing | all by confidence | disk a record | of which sled | text, compressed |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut done, mut compressed) = (0, 0);
    for records in [records() / 100, records() / 10, records()] {
        let database = Database::open(dir.path(), &Config::default()).expect("a store");
        let store = Store::new(&database);
        let mut putting = Duration::ZERO;
        for n in done..records {
            let page = page(&words, n);
            compressed += zstd::bulk::compress(page.text.as_bytes(), 3).expect("zstd").len() as u64;
            putting += timed(|| store.put(&page).expect("stored")).1;
            if n % AT_A_TIME == AT_A_TIME - 1 {
                database.durable().expect("durable");
            }
        }
        drop((store, database));
        let put = putting.as_secs_f64() / (records - done) as f64;
        done = records;
        read(dir.path(), records, put, compressed);
    }
}

/// A row of the table.
fn read(dir: &Path, records: u64, put: f64, compressed: u64) {
    let before = memory();
    let (database, open) = timed(|| Database::open(dir, &Config::default()).expect("a store"));
    let taken = memory().saturating_sub(before);
    let store = Store::new(&database);

    let (entries, time) = timed(|| {
        let (mut since, mut entries) = (None, 0);
        loop {
            let feed = store.changes(since, PAGE_OF_FEED).expect("the feed");
            if feed.changes.is_empty() {
                return entries;
            }
            entries += feed.changes.len() as u64;
            since = Some(feed.next);
        }
    });
    assert_eq!(entries, records, "each record has its change");
    let feed = time.as_secs_f64() / entries as f64;

    let (entries, time) = timed(|| {
        let (mut since, mut entries) = (None, 0);
        while entries < READS.min(records) {
            let (feed, _) = store.changes_with_pages(since, PAGE_OF_FEED, u64::MAX).expect("the feed");
            entries += feed.changes.len() as u64;
            since = Some(feed.next);
        }
        entries
    });
    let with_records = time.as_secs_f64() / entries as f64;

    let wanted: Vec<String> = (0..READS).map(|n| url(mix(n) % records)).collect();
    let ((), time) = timed(|| {
        for url in &wanted {
            assert!(store.get(url).expect("a read").is_some(), "{url} is not there");
        }
    });
    let point = time.as_secs_f64() / READS as f64;

    let hosts = wanted.iter().filter_map(|url| url.strip_prefix("http://")?.split('/').next()).take(LISTINGS);
    let (listed, time) =
        timed(|| hosts.map(|host| store.list(Some(host), None, 100).expect("a listing").len()).sum::<usize>());
    assert!(listed >= LISTINGS, "hosts have pages");
    let listing = time.as_secs_f64() / listed as f64;

    let by = Selection { order: PageOrder::Confidence, is_descending: true, ..Selection::default() };
    let (ordered, time) = timed(|| store.select(None, None, 100, &by).expect("a listing").len());
    assert_eq!(ordered, 100);
    let ordered = time.as_secs_f64() * 1e3;

    let sled = size(&dir.join("index"));
    let micro = |seconds: f64| format!("{:.1} µs", seconds * 1e6);
    println!(
        "| {records} | {} | {:.2} s | {taken} MB | {} | {} | {} | {} | {ordered:.0} ms | {} B | {} B | {} B |",
        micro(put),
        open.as_secs_f64(),
        micro(feed),
        micro(with_records),
        micro(point),
        micro(listing),
        size(dir) / records,
        sled / records,
        compressed / records,
    );
}
