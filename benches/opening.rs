//! How long a store and its frontier take to open, what the frontier costs in the journal, and how
//! fast the index is filled again.
//!
//! `cargo bench --bench opening`, with `TSREC_RECORDS` (default: 100,000): so many records of 4 KB
//! and as many URLs, 100 of each host. Files are warm. Times are of the clock.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

mod support;

use std::path::Path;
use std::time::{Duration, Instant};

use support::mix;
use tsrec_core::metadata::Metadata;
use tsrec_crawl::frontier::{
    Account, Ack, Config as FrontierConfig, Discovered, Embedded, Frontier, Health, Heard, UrlRequest,
};
use tsrec_store::{Config, Database, NewPage, Store};

const URLS_PER_HOST: u64 = 100;
/// New URLs on a page.
const LINKS: usize = 10;
/// Letters of text that compress to some 4 KB.
const TEXT: usize = 7_000;

fn records() -> u64 {
    std::env::var("TSREC_RECORDS").map_or(100_000, |records| records.parse().expect("a number"))
}

fn url(n: u64) -> String {
    format!("https://www.host-{}.example/articles/2026/{n}/what-it-is-about.html", n / URLS_PER_HOST)
}

fn page(n: u64) -> NewPage {
    let mut text = String::with_capacity(TEXT + 16);
    for word in 0.. {
        if text.len() >= TEXT {
            break;
        }
        text += &format!("{:x} ", mix(n << 16 | word) >> (40 + word % 12));
    }
    NewPage {
        url: url(n),
        metadata: Metadata { title: Some(format!("Page {n}")), ..Default::default() },
        comments: String::new(),
        text,
        html: None,
        words: 1_000,
        method: "template".into(),
        confidence: 0.9,
        kind: Some("article".into()),
        kind_probability: Some(0.95),
        sibling: None,
        template: None,
        gates: serde_json::json!([]),
        labels: Default::default(),
        fetched_at: jiff::Timestamp::UNIX_EPOCH,
        status: 200,
        charset: Some("UTF-8".into()),
        cut: vec![],
    }
}

fn journal(database: &Database) -> u64 {
    database.stats().expect("the sizes").records.bytes
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        match entry.file_type().expect("a type").is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).expect("a copy")),
        }
    }
}

type OpenStore = fn(&Path, &Config) -> Result<Database, tsrec_store::Error>;

/// Opens store and frontier. Returns the time of each.
fn open(dir: &Path, open_store: OpenStore) -> (Database, Duration, Duration) {
    let started = Instant::now();
    let database = open_store(dir, &Config::default()).expect("a store");
    let store = started.elapsed();
    let started = Instant::now();
    drop(Embedded::new(&database, &frontier_config()).expect("a frontier"));
    (database, store, started.elapsed())
}

fn frontier_config() -> FrontierConfig {
    // All hosts are new at once.
    FrontierConfig { delay: Duration::ZERO, unproven_requests: u32::MAX, ..FrontierConfig::default() }
}

fn say(what: &str, dir: &Path, open_store: OpenStore) {
    let (database, store, frontier) = open(dir, open_store);
    let found = database.recovery();
    assert!(!found.has_losses(), "{found:?}");
    println!(
        "{what}: store {:.2} s, frontier {:.2} s, {} operations replayed, {} dropped",
        store.as_secs_f64(),
        frontier.as_secs_f64(),
        found.replayed,
        found.dropped
    );
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let dir = tempfile::tempdir().expect("a directory");
    let records = records();
    let database = Database::open(dir.path(), &Config::default()).expect("a store");
    let frontier = Embedded::new(&database, &frontier_config()).expect("a frontier");
    let store = Store::new(&database);

    let before = journal(&database);
    for from in (0..records).step_by(LINKS) {
        let found = (from..records.min(from + LINKS as u64)).map(|n| {
            let on = format!("https://www.host-{}.example/articles/2026/", n / URLS_PER_HOST);
            Discovered::page(url(n).parse().expect("a URL"), 2, Some(on.parse().expect("a URL")))
        });
        frontier.put_discovered(&found.collect::<Vec<_>>()).await.expect("put");
        if from % 640 == 0 {
            database.durable().expect("durable");
        }
    }
    let found = journal(&database) - before;
    println!("{records} URLs found, {LINKS} on a page: {} B a URL in the journal", found / records);

    let before = journal(&database);
    let visits = records / URLS_PER_HOST;
    let leases = frontier.get_urls(visits as usize).await.expect("leases");
    assert_eq!(leases.len() as u64, visits, "one of each host");
    for lease in leases {
        let url = lease.url.as_str();
        let heard = Heard { took: Duration::from_millis(90), health: Health::Fine, asked: None, address: None };
        frontier.fetched(url, &heard).await.expect("fetched");
        let account = Account {
            said: "stored".to_owned(),
            request: Some(UrlRequest { at: jiff::Timestamp::now(), took_ms: 90, what: "200".to_owned() }),
            robots: Some("allowed by robots.txt".to_owned()),
            memo: Some(b"\"5f3a-61c\" Sat, 28 Nov 2026 10:00:00 GMT".to_vec()),
        };
        let refetchable_from = jiff::Timestamp::now() + Duration::from_secs(86_400);
        frontier.ack(url, Ack::Ok { refetchable_from }, account).await.expect("acknowledged");
    }
    println!(
        "{visits} visits, each acknowledged alone: {} B a visit in the journal",
        (journal(&database) - before) / visits
    );

    let before = journal(&database);
    for n in 0..records {
        store.put(&page(n)).expect("stored");
        if n % 64 == 63 {
            database.durable().expect("durable");
        }
    }
    database.durable().expect("durable");
    println!("{records} records: {} B a record in the journal", (journal(&database) - before) / records);

    // As after a kill: the files of a store that is in use, with writes that nobody acknowledged.
    for n in 0..200 {
        store.put(&page(records + n)).expect("stored");
    }
    let [killed, killed_again, stopped] = [(); 3].map(|()| tempfile::tempdir().expect("a directory"));
    copy(dir.path(), killed.path());
    copy(dir.path(), killed_again.path());
    drop((frontier, store, database));
    copy(dir.path(), stopped.path());
    let size = |part: &str| -> u64 {
        let files = std::fs::read_dir(dir.path().join(part)).expect("a directory");
        files.map(|file| file.and_then(|file| file.metadata()).map_or(0, |file| file.len())).sum()
    };
    println!("journal {} MB, index {} MB", size("records") >> 20, size("index") >> 20);
    say("open after a clean stop", dir.path(), Database::open);
    say("open once more", dir.path(), Database::open);
    say("open after a kill", killed.path(), Database::open);
    say("open after a clean stop and read everything", stopped.path(), Database::open_and_verify);
    say("open after a kill and read everything", killed_again.path(), Database::open_and_verify);
    drop((killed, killed_again, stopped));
    std::fs::remove_dir_all(dir.path().join("index")).expect("removed");
    let (database, store, frontier) = open(dir.path(), Database::open);
    let replayed = database.recovery().replayed;
    println!(
        "index filled again: {replayed} operations in {:.2} s, {:.0} records a second; frontier {:.2} s",
        store.as_secs_f64(),
        records as f64 / store.as_secs_f64(),
        frontier.as_secs_f64()
    );
}
