//! An operator's work on a data directory: check, compact, copy and restore.
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tsrec_store::{Config, Database, DeletionReason, Store, maintenance};

use crate::support::damage::hold;
use crate::support::serving;

use serving::{open, page};

/// Text that differs from page to page and compresses badly.
fn text(n: u64) -> String {
    let mut state = n | 1;
    let word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:x} ", state >> 40)
    };
    std::iter::repeat_with(word).take(200).collect()
}

fn fill(store: &Store, database: &Database) {
    for n in 0..300 {
        store.put(&page(&format!("http://a/{}", n % 100), &text(n))).unwrap();
        hold(store, &format!("http://a/{}", n % 100), &text(n));
    }
    store.delete("http://a/7", DeletionReason::Gone, "2026-11-21T00:00:05Z".parse().unwrap()).unwrap();
    database.durable().unwrap();
}

fn check(dir: &Path, new_epoch: bool) {
    let (database, store) = open(dir);
    assert_eq!(database.recovery().new_epoch, new_epoch, "{:?}", database.recovery());
    assert_eq!((store.counts().pages, store.counts().tombstones), (99, 1));
    for n in (200..300).filter(|n| *n != 207) {
        assert_eq!(store.get(&format!("http://a/{}", n % 100)).unwrap().unwrap().text, text(n));
    }
    assert_eq!(store.changes(None, 1_000).unwrap().changes.len(), 100);
}

#[test]
fn a_store_is_verified_compacted_copied_and_restored() {
    let dir = tempfile::tempdir().unwrap();
    let backup = tempfile::tempdir().unwrap();
    let restored = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    fill(&store, &database);
    let cursor = store.changes(None, 1_000).unwrap().next;
    let verified = maintenance::verify(dir.path()).unwrap();
    assert!(!verified.is_damaged() && verified.frames > 600, "{verified:?}");
    // While the store is in use.
    let [backup, restored] = [backup.path().join("backup"), restored.path().join("data")];
    let mut urls = maintenance::FrontierCopy::begin(&backup, maintenance::FrontierPart::Urls).unwrap();
    urls.add("{}").unwrap();
    assert_eq!(urls.end().unwrap(), 1);
    let copied = maintenance::backup(dir.path(), &backup).unwrap();
    assert_eq!((copied.records, copied.urls), (99, Some(1)));
    assert!(maintenance::backup(dir.path(), &backup).unwrap_err().is_io(), "a backup is not written over");
    let before = database.stats().unwrap();
    let of_records = copied.files.iter().filter(|(file, _)| file.starts_with("records/"));
    assert_eq!(of_records.map(|(_, file)| file.bytes).sum::<u64>(), before.records.bytes);
    assert!(maintenance::compact(dir.path(), &Config::default()).unwrap_err().is_locked());
    drop((database, store));

    let after = maintenance::compact(dir.path(), &Config::default()).unwrap();
    assert!(after.records.bytes * 2 < before.records.bytes, "{before:?} {after:?}");
    assert!(after.records.bytes < after.records.live * 11 / 10, "{after:?}");
    assert!(after.bodies.bytes * 2 < before.bodies.bytes, "{before:?} {after:?}");
    assert!(after.recovery.is_quiet(), "{after:?}");
    check(dir.path(), false);
    let (database, store) = open(dir.path());
    assert!(store.changes(Some(cursor), 10).unwrap().changes.is_empty(), "readers go on");
    drop((database, store));

    let (stats, checked) = maintenance::restore(&backup, &restored, &Config::default(), false).unwrap();
    assert!(checked.is_sound(), "{checked:?}");
    assert!(
        stats.recovery.new_epoch && stats.counts.losses == 0,
        "readers start over, and nothing is damaged: {stats:?}"
    );
    assert!(stats.recovery.new_epoch && stats.recovery.salvaged == Some(100), "{stats:?}");
    for private in [&backup, &backup.join("frontier.jsonl"), &restored] {
        assert_eq!(private.metadata().unwrap().permissions().mode() & 0o077, 0, "{}", private.display());
    }
    check(&restored, false);
    assert!(maintenance::restore(&backup, &restored, &Config::default(), true).unwrap_err().is_io());
    let nowhere = restored.with_file_name("nowhere");
    assert!(Store::open(&nowhere).unwrap_err().is_io() && !nowhere.exists(), "looking makes nothing");
    let store = Store::open(&restored).unwrap();
    assert!(store.changes(Some(cursor), 10).unwrap_err().is_gone(), "readers start over");
    assert!(Store::open(&restored).unwrap_err().is_locked());
}

#[test]
fn verifying_finds_a_flipped_bit_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    fill(&store, &database);
    drop((database, store));
    let segment = dir.path().join("records/00000001");
    let mut bytes = std::fs::read(&segment).unwrap();
    bytes[20_000] ^= 1;
    std::fs::write(&segment, &bytes).unwrap();
    let verified = maintenance::verify(dir.path()).unwrap();
    assert!(verified.is_damaged() && verified.damaged_frames == 1, "{verified:?}");
    assert_eq!(std::fs::read(&segment).unwrap(), bytes);
}

/// A copy of sled's files in order can be longer than files with random writes. Then the store
/// keeps the old files.
#[test]
fn compacting_makes_nothing_larger() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    for n in 0..3_000u64 {
        // Not in order, as URLs arrive.
        let n = n.wrapping_mul(7_919) % 3_000;
        store.put(&page(&format!("http://a/{n:05}/{}", "x".repeat(60)), "text")).unwrap();
    }
    database.durable().unwrap();
    let before = database.stats().unwrap();
    drop((database, store));
    let after = maintenance::compact(dir.path(), &Config::default()).unwrap();
    // Each opening starts a sled segment, and there are two openings.
    assert!(after.index <= before.index + 2 * (512 << 10), "{} bytes of index became {}", before.index, after.index);
    assert_eq!(after.counts, before.counts);
}
