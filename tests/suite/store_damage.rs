//! Damage after a kill: flipped bits and truncated files, anywhere in the data directory. The store
//! opens or says why it cannot. It reports every lost record, and no reader keeps records that the
//! store has lost.
//!
//! `cargo test` does a few seeded tries. For more, run
//! `TSREC_DAMAGE_TRIES=500 cargo test --release --test store_damage`.
use std::path::Path;
use std::process::{Command, Stdio};

use tsrec_store::DeletionReason;

use crate::support::damage;
use crate::support::serving;

use damage::{Random, Seen, Tally, copy_all, damage, open};
use serving::page;

const WRITER_DIR: &str = "TSREC_TEST_DAMAGE_DIR";
const PAGES: u64 = 120;
/// The last page written. It is never acknowledged, so it may be missing.
const LATE: &str = "http://late.example/";

fn url(n: u64) -> String {
    format!("http://{}.example/{n}", n % 7)
}

fn text(n: u64, version: u64) -> String {
    let mut random = Random(n * 31 + version);
    (0..random.below(400) + 20).map(|_| format!("{:x} ", random.next())).collect()
}

/// A child process writes these and makes them durable before it is killed: new, changed and
/// deleted pages.
fn write_all(dir: &Path) {
    let (database, store) = open(dir).unwrap();
    for n in 0..PAGES {
        store.put(&page(&url(n), &text(n, 0))).unwrap();
        damage::hold(&store, &url(n), &text(n, 9));
        if n % 3 == 0 {
            store.put(&page(&url(n / 2), &text(n / 2, n))).unwrap();
        }
        if n % 11 == 10 {
            store.delete(&url(n - 5), DeletionReason::Gone, "2026-11-21T00:00:05Z".parse().unwrap()).unwrap();
        }
        if n % 8 == 7 {
            database.durable().unwrap();
        }
    }
    database.durable().unwrap();
    // Not acknowledged, so it may be lost.
    store.put(&page(LATE, "late")).unwrap();
    std::process::abort();
}

/// The directory after the kill, and the changes that a reader had seen.
struct Written {
    dir: tempfile::TempDir,
    seen: Seen,
}

impl Written {
    fn new() -> Written {
        let dir = tempfile::tempdir().unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store_damage::no_loss_is_silent_and_no_damage_panics", "--nocapture"])
            .env(WRITER_DIR, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(!status.success(), "the child aborts itself");
        let copy = tempfile::tempdir().unwrap();
        copy_all(dir.path(), copy.path());
        let (_database, store) = open(copy.path()).unwrap();
        Written { dir, seen: Seen::of(&store) }
    }
}

#[test]
fn no_loss_is_silent_and_no_damage_panics() {
    if let Some(dir) = std::env::var_os(WRITER_DIR) {
        return write_all(Path::new(&dir));
    }
    let tries = std::env::var("TSREC_DAMAGE_TRIES").ok().map_or(12, |tries| tries.parse().unwrap());
    let written = Written::new();
    assert!(written.seen.live() > 80, "{}", written.seen.live());
    let mut tally = Tally::default();
    for seed in 0..tries {
        let dir = tempfile::tempdir().unwrap();
        copy_all(written.dir.path(), dir.path());
        let what = damage(dir.path(), &mut Random(seed));
        tally.check(&written.seen, dir.path(), &format!("seed {seed}: {what}"));
    }
    tally.judge(tries as u32);
}
