//! Version 1 of the store's files (`docs/store.md`): a store that this version wrote is read by
//! every later program. `fixtures/store-1` is never written again.
use std::path::{Path, PathBuf};

use tsrec_crawl::frontier::{Ack, Config, Discovered, Embedded, Filter, Frontier, UrlState};
use tsrec_crawl::memories::SiteMemories;
use tsrec_store::{Database, DeletionReason, Parked};

use crate::support::damage::{copy_all, hold};
use crate::support::serving::{open, page};

const URLS: [&str; 4] =
    ["http://a.example/1", "http://a.example/2", "http://b.example/ferry?n=1", "http://b.example/old"];

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/store-1")
}

fn time(text: &str) -> jiff::Timestamp {
    text.parse().unwrap()
}

async fn frontier_of(database: &Database) -> Embedded {
    Embedded::open(database, &Config::default(), "1", || time("2026-11-28T00:00:00Z")).unwrap()
}

/// Writes each kind of frame once at least.
async fn write(dir: &Path) {
    let (database, store) = open(dir);
    for url in URLS {
        store.put(&page(url, &format!("first text of {url}"))).unwrap();
    }
    store.put(&page(URLS[1], "second text")).unwrap();
    store.delete(URLS[3], DeletionReason::Gone, time("2026-11-22T00:00:00Z")).unwrap();
    store.prune_tombstones(time("2026-11-23T00:00:00Z")).unwrap();
    store.delete(URLS[2], DeletionReason::Noindex, time("2026-11-24T00:00:00Z")).unwrap();
    hold(&store, URLS[0], "a sibling");
    let body = b"<p>a page that waits".to_vec();
    let fetched_at = time("2026-11-25T00:00:00Z");
    store.park(URLS[1], &Parked { body, status: 200, charset: None, fetched_at, truncated: false }).unwrap();
    let memories = SiteMemories::over(&store, Default::default());
    memories.follow("a.example", 7).unwrap();
    memories.change_site("a.example", |_| Ok::<(), ()>(())).unwrap().unwrap();
    memories.change_site("b.example", |_| Ok::<(), ()>(())).unwrap().unwrap();
    memories.forget_site("b.example").unwrap();
    let frontier = frontier_of(&database).await;
    let found = URLS.map(|url| Discovered::page(url.parse().unwrap(), 2, Some("http://a.example/".parse().unwrap())));
    frontier.put_discovered(&found).await.unwrap();
    for lease in frontier.get_urls(1).await.unwrap() {
        let refetchable_from = time("2026-12-05T00:00:00Z");
        frontier.ack(lease.url.as_str(), Ack::Ok { refetchable_from }, "stored").await.unwrap();
    }
    frontier.pause("b.example", true).unwrap();
    database.durable().unwrap();
    store.acknowledge("indexer", store.end(), time("2026-11-26T00:00:00Z")).unwrap();
    database.durable().unwrap();
}

/// `TSREC_UPDATE=1 cargo test --test suite -- store_format` makes the fixture if there is none.
#[tokio::test]
async fn a_store_of_version_1_is_read() {
    if std::env::var_os("TSREC_UPDATE").is_some() && !fixture().exists() {
        let made = tempfile::tempdir().unwrap();
        write(made.path()).await;
        // The index can be made again, and sled has its own format.
        std::fs::remove_dir_all(made.path().join("index")).unwrap();
        std::fs::create_dir(fixture()).unwrap();
        copy_all(made.path(), &fixture());
        std::fs::remove_file(fixture().join("lock")).unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    copy_all(&fixture(), dir.path());
    let (database, store) = open(dir.path());
    let recovery = database.recovery();
    assert!(!recovery.new_epoch && recovery.lost_pages == 0 && recovery.lost_frames == 0, "{recovery:?}");
    assert_eq!(recovery.lost_values, 2, "a sibling and a page that waits come again");

    let pages = store.list(None, None, 9).unwrap();
    assert_eq!(pages.iter().map(|page| (&*page.url, page.seq)).collect::<Vec<_>>(), [(URLS[0], 1), (URLS[1], 5)]);
    assert_eq!(store.get(URLS[0]).unwrap().unwrap().page, page(URLS[0], "first text of http://a.example/1"));
    assert_eq!(store.get(URLS[1]).unwrap().unwrap().page, page(URLS[1], "second text"));
    let body = store.bytes_of(URLS[0]).unwrap().expect("the raw body is found again");
    assert_eq!((&*body.body, store.counts().held, store.counts().parked), (&b"a sibling"[..], 0, 0));
    let feed = store.changes(None, 9).unwrap();
    let changes = feed.changes.iter().map(|change| (change.seq, &*change.url, change.reason));
    let expect = [(1, URLS[0], None), (5, URLS[1], None), (7, URLS[2], Some(DeletionReason::Noindex))];
    assert_eq!(changes.collect::<Vec<_>>(), expect);
    assert_eq!(feed.next.to_string(), EPOCH_AND_END);
    assert_eq!(store.following("a.example").unwrap().unwrap().number, 7);
    let memories = SiteMemories::over(&store, Default::default());
    assert_eq!(memories.remembered_hosts(None, 9).unwrap(), ["a.example"]);
    let readers = store.consumers().unwrap();
    assert_eq!(readers.iter().map(|reader| (&*reader.name, reader.behind)).collect::<Vec<_>>(), [("indexer", 0)]);

    let frontier = frontier_of(&database).await;
    let (listed, _) = frontier.list(Filter::All, None, None, 9).unwrap();
    assert_eq!(listed.iter().map(|listed| &*listed.url).collect::<Vec<_>>(), URLS);
    let refetchable_from = time("2026-12-05T00:00:00Z");
    let known = listed.iter().filter(|listed| listed.status.state == UrlState::Known { refetchable_from });
    assert_eq!(known.map(|listed| listed.status.last.as_ref().unwrap().said.as_str()).collect::<Vec<_>>(), ["stored"]);
    assert!(listed.iter().all(|listed| listed.status.depth == 2));
    assert!(frontier.is_stopped("b.example") && !frontier.is_stopped("a.example"));
}

const EPOCH_AND_END: &str = "d4383ce308f248e3:7";
