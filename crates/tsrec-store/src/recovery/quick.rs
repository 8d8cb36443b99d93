//! Opening by the mark: reads the mark, the heads of the segments and the last segment of each
//! journal. Whatever these do not explain is a reason to read everything.
//!
//! A frame's checksum is compared each time it is read. [`crate::verification`] reads the rest in
//! the background.

use std::path::Path;

use super::{Draft, Opened};
use crate::Config;
use crate::collect::CollectProgress;
use crate::error::{Error, io as io_error};
use crate::index;
use crate::log::mark::{DurableMark, MarkFile, MarkRead};
use crate::log::skim::{SkimmedJournal, skim};
use crate::log::{BODIES, BODIES_SEGMENT_LEN, Journal, RECORDS, SEGMENT_LEN, doubt};

/// Opens the files of a directory, or says why all of it must be read.
pub(super) fn open(dir: &Path, config: &Config, mark: MarkRead) -> Result<Result<Opened, String>, Error> {
    let doubts = |why: &str| Ok(Err(why.to_owned()));
    if doubt::is_noted(dir) {
        return doubts("damage was met since the last opening");
    }
    let MarkRead::Found(mark) = mark else { return doubts("there is no sound mark") };
    let [records, bodies] = [RECORDS, BODIES].map(|name| {
        let dir = dir.join(name);
        skim(&dir).map_err(|source| io_error("read", &dir, source))
    });
    let (Some(mut records), Some(bodies)) = (records?, bodies?) else {
        return doubts("a segment of the journal is missing or damaged");
    };
    if mark.number > records.found.last_number {
        return doubts("the end of the journal is missing");
    }
    let index = match index::quick::open(dir, config.cache_capacity)? {
        Ok(index) => index,
        Err(why) => return Ok(Err(why)),
    };
    if let Some(why) = differs(&index, &mark, &records, &bodies) {
        return doubts(why);
    }
    let epoch = index.epoch.unwrap_or_default();
    let (dropped, flush) = (records.forget_after(index.state.number), index.flush.max(mark.flush));
    let last_sequence = records.found.last_sequence.max(mark.sequence);
    let mark_file = MarkFile::open(dir).map_err(|source| io_error("open the mark of", dir, source))?;
    Ok(Ok(Opened {
        records: Journal::open(dir, (RECORDS, SEGMENT_LEN), &records.found, epoch)?,
        bodies: Journal::open(dir, (BODIES, BODIES_SEGMENT_LEN), &bodies.found, epoch)?,
        index,
        mark: (mark_file, flush),
        epoch,
        recovery: Draft::nothing_but(dropped, last_sequence),
        progress: CollectProgress::default(),
    }))
}

/// How the parts differ, if they are not of one moment.
fn differs(
    index: &index::Index,
    mark: &DurableMark,
    records: &SkimmedJournal,
    bodies: &SkimmedJournal,
) -> Option<&'static str> {
    let state = &index.state;
    // A kill may come between the flush of the index and that of the mark.
    if !(mark.flush..=mark.flush + 1).contains(&index.flush) || mark.sequence > state.last_sequence {
        return Some("the index and the mark are not of one moment");
    }
    if index.epoch != records.found.epoch {
        return Some("the index and the journal are of different epochs");
    }
    if !records.is_in_tail(state.number) || mark.number > state.number {
        return Some("the index and the journal are not of one moment");
    }
    let is_behind = bodies.found.last_number < state.bodies;
    is_behind.then_some("the end of the journal of bodies is missing")
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use crate::log::scan::segment_ids;
    use crate::log::{BODIES, RECORDS, path_of};
    use crate::record::tests::{hold, page};
    use crate::{Config, Database, SpaceBatch, Store};

    const PAGES: u64 = 300;

    /// Nothing held is dropped.
    fn config() -> Config {
        Config { held_per_host: 10_000, ..Config::default() }
    }

    fn url(n: u64) -> String {
        format!("http://h{}.example/{n}", n % 3)
    }

    /// Text that zstd can hardly compress.
    fn text(n: u64) -> String {
        (0..150).map(|word| format!("{:x} ", (n * 1_000 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect()
    }

    fn put(database: &Database, pages: std::ops::Range<u64>) {
        let (store, space) = (Store::new(database), database.space("example").unwrap());
        for n in pages {
            store.put(&page(&url(n), &text(n))).unwrap();
            hold(&store, &url(n), &text(n));
            let mut batch = SpaceBatch::default();
            batch.insert(n.to_be_bytes(), text(n));
            database.write(&[(&space, &batch)]).unwrap();
            if n % 20 == 19 {
                database.durable().unwrap();
            }
        }
    }

    /// A store with some segments in each journal, still in use.
    fn in_use() -> (tempfile::TempDir, Database) {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &config()).unwrap();
        put(&database, 0..PAGES);
        database.durable().unwrap();
        for journal in [RECORDS, BODIES] {
            assert!(segment_ids(&dir.path().join(journal)).unwrap().len() > 4, "{journal}");
        }
        (dir, database)
    }

    fn copy_file(from: &Path, to: &Path) {
        std::fs::copy(from, to).unwrap();
    }

    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let (entry, to) = entry.map(|entry| (entry.path(), to.join(entry.file_name()))).unwrap();
            if entry.is_dir() { copy(&entry, &to) } else { copy_file(&entry, &to) }
        }
    }

    fn copy_of(dir: &Path) -> tempfile::TempDir {
        let to = tempfile::tempdir().unwrap();
        copy(dir, to.path());
        to
    }

    fn open(dir: &Path) -> (Database, bool) {
        let database = Database::open(dir, &config()).unwrap();
        let is_full = database.is_verified();
        (database, is_full)
    }

    fn assert_whole(database: &Database, pages: u64, what: &str) {
        let (store, space) = (Store::new(database), database.space("example").unwrap());
        for n in 0..pages {
            assert_eq!(store.get(&url(n)).unwrap().map(|record| record.page.text), Some(text(n)), "{what}: {n}");
            assert_eq!(space.get(&n.to_be_bytes()).unwrap(), Some(text(n).into_bytes()), "{what}: {n}");
        }
        assert!(store.counts().pages >= pages, "{what}");
    }

    #[test]
    fn a_stop_and_a_kill_are_opened_by_the_mark() {
        let (dir, database) = in_use();
        // What was not acknowledged may be there or not.
        put(&database, PAGES..PAGES + 10);
        let killed = copy_of(dir.path());
        drop(database);
        for dir in [killed.path(), dir.path()] {
            let mut acknowledged = PAGES;
            for round in 0..3u64 {
                let (database, is_full) = open(dir);
                let found = database.recovery();
                assert!(!is_full && found.is_quiet(), "round {round}: {found:?}");
                assert_whole(&database, acknowledged, "opened");
                acknowledged = PAGES + 11 + round;
                put(&database, PAGES..acknowledged);
            }
            // The same as after a full read.
            let database = Database::open_and_verify(dir, &config()).unwrap();
            assert!(database.recovery().is_quiet(), "{:?}", database.recovery());
            assert_whole(&database, PAGES + 13, "read");
        }
    }

    /// Frames that only the journal has were never acknowledged.
    #[test]
    fn frames_that_the_index_does_not_know_are_dropped() {
        let (dir, database) = in_use();
        drop(database);
        let (old, last) = (copy_of(dir.path()), segment_ids(&dir.path().join(RECORDS)).unwrap().pop().unwrap());
        put(&open(dir.path()).0, PAGES..PAGES + 1);
        let segment = path_of(&dir.path().join(RECORDS), last);
        std::fs::copy(segment, path_of(&old.path().join(RECORDS), last)).unwrap();
        let (database, is_full) = open(old.path());
        assert!(!is_full);
        assert_eq!(database.recovery().dropped, 2, "a record and writes of a space");
        assert_whole(&database, PAGES, "without them");
    }

    #[test]
    fn a_segment_that_a_crash_left_without_a_frame_begins_again() {
        for left in [&b""[..], b"\xa7Tsr\x0f\0\0"] {
            let (dir, database) = in_use();
            drop(database);
            let last = |journal| segment_ids(&dir.path().join(journal)).unwrap().pop().unwrap();
            for journal in [RECORDS, BODIES] {
                std::fs::write(path_of(&dir.path().join(journal), last(journal) + 1), left).unwrap();
            }
            for round in 0..2u64 {
                let (database, is_full) = open(dir.path());
                assert_eq!(is_full, round == 0, "{left:?}: later openings find a first frame");
                assert!(database.recovery().is_quiet(), "{:?}", database.recovery());
                put(&database, PAGES + round..PAGES + round + 1);
                drop(database);
            }
            assert_whole(&open(dir.path()).0, PAGES + 2, "begun again");
        }
    }

    /// A way to change a store, and whether records or values are lost by it; `None` if sled
    /// decides.
    type Change = (&'static str, fn(&Path, &Path), Option<bool>);

    fn segment(dir: &Path, journal: &str, at: usize) -> PathBuf {
        let dir = dir.join(journal);
        path_of(&dir, segment_ids(&dir).unwrap()[at])
    }

    fn last(dir: &Path, journal: &str) -> PathBuf {
        let dir = dir.join(journal);
        path_of(&dir, segment_ids(&dir).unwrap().pop().unwrap())
    }

    fn edit(path: &Path, with: fn(&mut Vec<u8>)) {
        let mut bytes = std::fs::read(path).unwrap();
        with(&mut bytes);
        std::fs::write(path, bytes).unwrap();
    }

    fn replace(dir: &Path, part: &str, from: &Path) {
        std::fs::remove_dir_all(dir.join(part)).unwrap();
        copy(&from.join(part), &dir.join(part));
    }

    fn flip(bytes: &mut [u8]) {
        let at = bytes.len() / 2;
        bytes[at] ^= 8;
    }

    fn halve(bytes: &mut Vec<u8>) {
        bytes.truncate(bytes.len() / 2);
    }

    const CHANGES: [Change; 17] = [
        ("no mark", |dir, _| std::fs::remove_file(dir.join("mark")).unwrap(), Some(false)),
        ("a damaged mark", |dir, _| edit(&dir.join("mark"), |mark| mark[30] ^= 1), Some(false)),
        ("an old mark", |dir, old| copy_file(&old.join("mark"), &dir.join("mark")), Some(false)),
        ("no index", |dir, _| std::fs::remove_dir_all(dir.join("index")).unwrap(), Some(true)),
        ("an old index", |dir, old| replace(dir, "index", old), Some(false)),
        ("a flipped bit in the index", |dir, _| edit(&dir.join("index/db"), |db| db[30_000] ^= 1), None),
        ("a cut index", |dir, _| edit(&dir.join("index/db"), halve), None),
        ("an old journal", |dir, old| replace(dir, RECORDS, old), Some(true)),
        ("an old journal of bodies", |dir, old| replace(dir, BODIES, old), Some(true)),
        ("a segment missing", |dir, _| std::fs::remove_file(segment(dir, RECORDS, 1)).unwrap(), Some(true)),
        ("a segment of bodies missing", |dir, _| std::fs::remove_file(segment(dir, BODIES, 1)).unwrap(), Some(true)),
        ("a cut segment", |dir, _| edit(&segment(dir, RECORDS, 1), halve), Some(true)),
        ("a damaged head", |dir, _| edit(&segment(dir, RECORDS, 1), |bytes| bytes[9] ^= 1), Some(false)),
        ("a flipped bit in the last segment", |dir, _| edit(&last(dir, RECORDS), |bytes| flip(bytes)), Some(true)),
        ("a cut end", |dir, _| edit(&last(dir, RECORDS), halve), Some(true)),
        ("a cut end of bodies", |dir, _| edit(&last(dir, BODIES), halve), Some(true)),
        (
            "swapped segments",
            |dir, _| {
                let [one, other] = [1, 2].map(|at| segment(dir, RECORDS, at));
                std::fs::rename(&one, dir.join("aside")).unwrap();
                std::fs::rename(&other, &one).unwrap();
                std::fs::rename(dir.join("aside"), other).unwrap();
            },
            Some(false),
        ),
    ];

    #[test]
    fn what_the_ends_do_not_explain_is_read_and_told() {
        let (dir, database) = in_use();
        let old = copy_of(dir.path());
        // The last segments have some frames.
        put(&database, PAGES..2 * PAGES + 5);
        drop(database);
        for (what, change, is_lossy) in CHANGES {
            let changed = copy_of(dir.path());
            change(changed.path(), old.path());
            let (database, is_full) = open(changed.path());
            let found = database.recovery().clone();
            // Segments that get their names back are as before.
            assert_eq!(is_full, what != "swapped segments", "{what}: {found:?}");
            assert_eq!(found.has_losses(), is_lossy.unwrap_or(found.has_losses()), "{what}: {found:?}");
            if !found.new_epoch {
                assert_whole(&database, 2 * PAGES + 5, what);
            }
            drop(database);
            let (database, is_full) = open(changed.path());
            assert!(!database.recovery().has_losses(), "{what}: {:?}", database.recovery());
            // A segment that is listed and damaged stays a reason to read everything.
            let stays = matches!(
                what,
                "a damaged head" | "a cut segment" | "a segment missing" | "a segment of bodies missing"
            );
            assert!(!is_full || stays, "{what}: the second opening");
        }
    }

    #[test]
    fn a_doubt_is_noted_until_everything_was_read() {
        let (dir, database) = in_use();
        drop(database);
        crate::log::doubt::note(dir.path());
        assert!(open(dir.path()).1);
        assert!(!open(dir.path()).1);
    }

    /// Opening does not read it; reading it does.
    #[test]
    fn damage_in_an_earlier_segment_is_met_by_who_reads_it() {
        let (dir, database) = in_use();
        drop(database);
        edit(&segment(dir.path(), RECORDS, 1), |bytes| flip(bytes));
        let (database, is_full) = open(dir.path());
        assert!(!is_full && !database.recovery().has_losses());
        let store = Store::new(&database);
        let damaged = (0..PAGES).filter(|n| store.get(&url(*n)).is_err_and(|error| error.is_damaged()));
        assert!(damaged.count() <= 1);
        drop((store, database));
        let database = Database::open_and_verify(dir.path(), &config()).unwrap();
        let found = database.recovery();
        assert!(found.lost_frames == 1 && found.lost_pages + found.logged_again == 1, "{found:?}");
    }
}
