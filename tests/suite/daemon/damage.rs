//! The crawl of a changing site, killed at random moments and then damaged: bits flipped, files cut
//! or removed. The daemon reports the loss, does not panic, and crawls on until it has the whole
//! site.
//!
//! `cargo test` does a few tries. The long run is
//! `TSREC_DAMAGE_TRIES=500 cargo test --test suite daemon::damage -- --nocapture`.

use std::collections::BTreeSet;
use std::path::Path;

use tsrec_crawl::frontier::{Config, Embedded, Filter};
use tsrec_store::Database;

use super::kills::Changing;
use crate::support::damage::{Random, Seen, Tally, copy_all, damage, open};

/// Tries between two kills.
const TRIES_A_KILL: u64 = 10;
/// One try in this many continues until the whole site is stored.
const GOES_ON: u64 = 10;

/// The URLs that the frontier knows or must get again.
fn frontier(database: &Database) -> BTreeSet<String> {
    let listed = Embedded::new(database, &Config::default()).unwrap().list(Filter::All, None, None, 1_000).unwrap().0;
    let salvaged = database.salvaged().unwrap().into_iter().map(|(url, _)| url);
    listed.into_iter().map(|listed| listed.url).chain(salvaged).collect()
}

#[test]
fn damage_after_a_kill_is_never_silent() {
    let tries = std::env::var("TSREC_DAMAGE_TRIES").map_or(12, |tries| tries.parse().expect("a number"));
    let changing = Changing::new();
    (0..3).for_each(|kill| changing.crawl_and_kill(kill));
    let mut tally = Tally::default();
    let mut base = None;
    for seed in 0..tries {
        if seed % TRIES_A_KILL == 0 {
            changing.crawl_and_kill(1_000 + seed);
            base = None;
        }
        let (before, urls) = base.get_or_insert_with(|| as_it_was_left(&changing.data_dir()));
        assert!(before.live() > 10 && urls.len() > 20, "{} pages, {} URLs", before.live(), urls.len());
        let copy = tempfile::tempdir().unwrap();
        copy_all(&changing.data_dir(), copy.path());
        let what = format!("seed {seed}: {}", damage(copy.path(), &mut Random(seed)));
        let Some(recovery) = tally.check(before, copy.path(), &what) else { continue };
        let (database, store) = open(copy.path()).unwrap();
        let lost: Vec<_> = urls.difference(&frontier(&database)).cloned().collect();
        assert!(lost.is_empty() || recovery.has_losses(), "{what}: the frontier has lost {lost:?}: {recovery:?}");
        drop((database, store));
        if seed % GOES_ON == 0 {
            changing.settle(copy.path());
        }
    }
    tally.judge(tries as u32);
}

/// The state after a kill, read from a copy.
fn as_it_was_left(dir: &Path) -> (Seen, BTreeSet<String>) {
    let copy = tempfile::tempdir().unwrap();
    copy_all(dir, copy.path());
    let (database, store) = open(copy.path()).unwrap();
    (Seen::of(&store), frontier(&database))
}
