//! Reads a store that is in use, slowly: all entries of the index, then all frames of the journals.
//! Opening reads only what came since the mark, so this finds what has changed on the disk before.
//!
//! A damaged frame is mended as at an opening, and counted there too. A damaged index cannot be
//! filled again while it is in use: the next opening does that. Until then nothing is collected, so
//! the journal keeps what the index may have forgotten.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::Database;
use crate::error::{Error, io as io_error};
use crate::index::base::{Base, Which};
use crate::index::check;
use crate::index::check::PlacedHead;
use crate::index::guarded::guarded;
use crate::log::check::SegmentCheck;
use crate::log::doubt;
use crate::recovery::MOVED;
use crate::recovery::mend::{DamagedSegments, mend};

/// Bytes that the verification reads in a second. Judgement: a hard disk reads some 150 MB/s, so a
/// crawl keeps nineteen parts of twenty. A store of 100 GB takes three and a half hours.
pub const BYTES_PER_SECOND: u64 = 8 << 20;

/// The wait before all is read again. Judgement: a backup is often as old.
const AGAIN_AFTER: Duration = Duration::from_secs(7 * 86_400);

/// How often it looks whether there is a reason to read all again.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// The shortest wait. Judgement: sleeping costs some microseconds.
const LEAST_WAIT: Duration = Duration::from_millis(10);

/// The verification of an open store in the background. It ends at once when this is dropped.
#[derive(Debug)]
#[must_use = "the verification ends when this is dropped"]
pub struct Verification {
    bell: Arc<Bell>,
    thread: Option<JoinHandle<()>>,
}

/// Ends the waiting of the thread.
#[derive(Debug, Default)]
struct Bell {
    is_over: Mutex<bool>,
    rung: Condvar,
}

impl Bell {
    fn is_over(&self) -> MutexGuard<'_, bool> {
        self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits. Returns whether the verification is over.
    fn wait(&self, wait: Duration) -> bool {
        let waited = self.rung.wait_timeout_while(self.is_over(), wait, |is_over| !*is_over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Drop for Verification {
    fn drop(&mut self) {
        *self.bell.is_over() = true;
        self.bell.rung.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Why a pass ended early.
enum Ended {
    /// It was told to stop.
    Stopped,
    /// The index is damaged.
    Index(String),
    Error(Error),
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        if error.is_damaged() || error.is_sled() { Ended::Index(error.to_string()) } else { Ended::Error(error) }
    }
}

impl Database {
    /// Begins to verify the store in the background, on a thread of its own. If opening read
    /// everything, it begins a week later.
    ///
    /// # Errors
    ///
    /// [`Error::is_io`] if the system has no thread left.
    pub fn verify_in_background(&self) -> Result<Verification, Error> {
        self.verify_at(BYTES_PER_SECOND)
    }

    /// The same at another speed, for tests.
    #[doc(hidden)]
    pub fn verify_at(&self, bytes_per_second: u64) -> Result<Verification, Error> {
        let (bell, database) = (Arc::new(Bell::default()), self.clone());
        let pace = Pace { bell: Arc::clone(&bell), bytes_per_second, begun: Instant::now(), bytes: 0 };
        let thread = std::thread::Builder::new().name("verification".to_owned());
        let thread = thread.spawn(move || run(&database, pace));
        let thread = thread.map_err(|source| io_error("verify", self.path(), source))?;
        Ok(Verification { bell, thread: Some(thread) })
    }

    /// Whether everything was read since the store was opened.
    pub fn is_verified(&self) -> bool {
        self.base().verified.is_done()
    }

    /// Tells the next opening to read everything: somebody met damage.
    pub fn doubt(&self) {
        doubt::note(self.path());
    }

    /// How many reads of frames failed since the store was opened: what was in them is lost.
    pub fn unreadable(&self) -> u64 {
        [Which::Records, Which::Bodies].map(|which| self.base().journal(which).unreadable()).iter().sum()
    }
}

/// Verifies, waits, and verifies again, until it is over.
fn run(database: &Database, mut pace: Pace) {
    let is_done = || database.base().verified.is_done();
    let (mut is_due, mut has_failed) = (!is_done(), false);
    loop {
        if is_due {
            (pace.begun, pace.bytes) = (Instant::now(), 0);
            let ended = verify(database, &mut pace);
            has_failed = ended.is_err();
            match ended {
                Ok(()) => tracing::info!(bytes = pace.bytes, "the store was read, and all is counted that is damaged"),
                Err(Ended::Stopped) => return,
                Err(Ended::Index(why)) => leave_index(database, &why),
                Err(Ended::Error(error)) => tracing::error!(%error, "the store could not be verified"),
            }
        }
        if pace.bell.wait(LOOK_EVERY) {
            return;
        }
        // Collecting may have met damage.
        is_due = pace.begun.elapsed() >= AGAIN_AFTER || !is_done() && !has_failed;
    }
}

/// A damaged index cannot be replaced while its trees are open.
fn leave_index(database: &Database, why: &str) {
    database.base().verified.set_done(false);
    database.doubt();
    tracing::error!(
        why,
        "the index is damaged: start the program again, which fills it from the journal; until then nothing is \
         collected"
    );
}

fn verify(database: &Database, pace: &mut Pace) -> Result<(), Ended> {
    let base = database.base();
    let outside = check_index(base, pace)?;
    let damaged = check_journals(base, pace)?;
    if !damaged.is_empty() || !outside.is_empty() {
        // A new epoch begins a segment, which must not list one that is about to be removed. This
        // removes it, and then nothing is collected.
        base.verified.set_done(false);
        database.durable()?;
        let mended = guarded(|| mend(base, &damaged, outside)).map_err(Ended::Index)??;
        mended.ok_or_else(|| Ended::Index(MOVED.to_owned()))?;
    }
    base.verified.set_done(true);
    Ok(())
}

fn check_index(base: &Base, pace: &mut Pace) -> Result<Vec<PlacedHead>, Ended> {
    check::begin(base);
    let checked = loop {
        match guarded(|| check::step(base)).map_err(Ended::Index) {
            Ok(Ok(Some(bytes))) => match pace.spend(bytes) {
                Ok(()) => {}
                Err(stopped) => break Err(stopped),
            },
            Ok(Ok(None)) => break Ok(()),
            Ok(Err(error)) => break Err(error.into()),
            Err(panic) => break Err(panic),
        }
    };
    if checked.is_err() {
        check::abandon(base);
    }
    checked?;
    let found = guarded(|| check::end(base)).map_err(Ended::Index)??;
    found.ok_or_else(|| Ended::Index("entries are missing, or are not the latest".to_owned()))
}

fn check_journals(base: &Base, pace: &mut Pace) -> Result<DamagedSegments, Ended> {
    let mut damaged = DamagedSegments::new();
    for which in [Which::Records, Which::Bodies] {
        let segments = {
            // No frame is half written, and none will be removed that is there now.
            let _no_writer = base.state();
            base.journal(which).segments()
        };
        for (id, segment) in segments {
            let file = match base.journal(which).file_of(id) {
                Ok(file) => file,
                // It was collected.
                Err(_) if base.journal(which).len_of(id).is_none() => continue,
                Err(error) => return Err(error.into()),
            };
            let mut check = SegmentCheck::new(file, segment.len);
            while let Some(bytes) = check.step().map_err(|source| io_error("read", base.path(), source))? {
                pace.spend(bytes)?;
            }
            if check.is_damaged() && !base.verified.is_known_damaged(which, id) {
                damaged.insert((which, id), check);
            }
        }
    }
    Ok(damaged)
}

/// Keeps to a number of bytes a second.
struct Pace {
    bell: Arc<Bell>,
    bytes_per_second: u64,
    begun: Instant,
    bytes: u64,
}

impl Pace {
    /// Waits until so many more bytes may be read.
    fn spend(&mut self, bytes: u64) -> Result<(), Ended> {
        self.bytes += bytes;
        let due = Duration::from_secs_f64(self.bytes as f64 / self.bytes_per_second as f64);
        let ahead = due.saturating_sub(self.begun.elapsed());
        let wait = if ahead < LEAST_WAIT { Duration::ZERO } else { ahead };
        if self.bell.wait(wait) { Err(Ended::Stopped) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::log::scan::segment_ids;
    use crate::log::{BODIES, RECORDS, path_of};
    use crate::record::tests::{hold, page};
    use crate::{Config, Database, SpaceBatch, Store, losses};

    use super::*;

    const PAGES: u64 = 300;

    fn config() -> Config {
        Config { held_per_host: 10_000, ..Config::default() }
    }

    fn open(dir: &Path) -> Database {
        Database::open(dir, &config()).unwrap()
    }

    fn url(n: u64) -> String {
        format!("http://h{}.example/{n}", n % 3)
    }

    fn text(n: u64) -> String {
        (0..150).map(|word| format!("{:x} ", (n * 1_000 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect()
    }

    fn put(database: &Database, n: u64, version: u64) {
        Store::new(database).put(&page(&url(n), &text(n + version))).unwrap();
        hold(&Store::new(database), &url(n), &text(n));
        let mut batch = SpaceBatch::default();
        batch.insert(n.to_be_bytes(), text(n + version));
        database.write(&[(&database.space("example").unwrap(), &batch)]).unwrap();
    }

    fn filled() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let database = open(dir.path());
        for n in 0..PAGES {
            put(&database, n, 0);
            if n % 20 == 19 {
                database.durable().unwrap();
            }
        }
        drop(database);
        dir
    }

    fn flip(dir: &Path, journal: &str, at: usize) {
        let path = path_of(&dir.join(journal), segment_ids(&dir.join(journal)).unwrap()[at]);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 8;
        std::fs::write(path, bytes).unwrap();
    }

    /// Waits for the end of a pass.
    fn verified(database: &Database) -> bool {
        let verification = database.verify_at(u64::MAX).unwrap();
        let is_over = |_: &u32| {
            std::thread::sleep(Duration::from_millis(20));
            database.is_verified() || doubt::is_noted(database.path())
        };
        assert!((0..500).find(is_over).is_some(), "it ends within ten seconds");
        drop(verification);
        database.is_verified()
    }

    #[test]
    fn a_sound_store_is_verified_while_it_is_written() {
        let dir = filled();
        let database = open(dir.path());
        assert!(!database.is_verified());
        let verification = database.verify_at(2 << 20).unwrap();
        let mut rounds = 0;
        while !database.is_verified() {
            rounds += 1;
            for n in 0..40 {
                let n = (n * 7 + rounds) % (PAGES + 50);
                put(&database, n, rounds);
                if n.is_multiple_of(5) {
                    let at = jiff::Timestamp::UNIX_EPOCH;
                    Store::new(&database).delete(&url(n), crate::DeletionReason::Gone, at).unwrap();
                }
            }
            database.durable().unwrap();
            assert!(!doubt::is_noted(dir.path()), "round {rounds}");
            assert!(rounds < 1_000, "it ends");
        }
        assert!(rounds > 1);
        drop(verification);
        // The live bytes are what a full read counts.
        let live = |database: &Database| {
            [Which::Records, Which::Bodies].map(|which| database.base().journal(which).segments())
        };
        let (counted, recovery) = (live(&database), database.recovery().clone());
        drop(database);
        let database = Database::open_and_verify(dir.path(), &config()).unwrap();
        assert!(recovery.is_quiet() && database.recovery().is_quiet());
        for (now, before) in live(&database).iter().flatten().zip(counted.iter().flatten()) {
            // Heads of segments and the like count as live only until the next opening.
            assert!(
                now.0 == before.0 && before.1.live >= now.1.live && before.1.live - now.1.live < 300,
                "{now:?} {before:?}"
            );
        }
    }

    #[test]
    fn a_damaged_frame_is_counted_and_begins_a_new_epoch() {
        for (journal, at) in [(RECORDS, 0), (RECORDS, 1), (RECORDS, 2), (BODIES, 1)] {
            let dir = filled();
            flip(dir.path(), journal, at);
            let database = open(dir.path());
            let store = Store::new(&database);
            let cursor = store.end();
            assert!(!database.recovery().has_losses());
            assert!(verified(&database), "{journal} {at}");
            let listed = losses::losses(dir.path()).unwrap();
            let found = listed.first().map(|loss| loss.found.clone()).unwrap_or_default();
            let pages = store.list(None, None, 1_000).unwrap();
            assert_eq!(PAGES - pages.len() as u64, found.lost_pages, "{journal} {at}: {found:?}");
            let gone = store.changes(Some(cursor), 10).is_err_and(|error| error.is_gone());
            assert_eq!(
                (gone, found.new_epoch),
                (found.lost_pages > 0, found.lost_pages > 0),
                "{journal} {at}: {found:?}"
            );
            // Whatever is there can be read, and all entries of the space are there.
            pages.iter().for_each(|page| assert!(store.get(&page.url).unwrap().is_some(), "{}", page.url));
            assert_eq!(database.space("example").unwrap().count(), PAGES, "{journal} {at}");
            let end = store.end();
            drop((store, database));
            let database = Database::open_and_verify(dir.path(), &config()).unwrap();
            let again = database.recovery();
            assert!(!again.has_losses() && again.logged_again == 0, "{journal} {at}: all is counted: {again:?}");
            assert_eq!(Store::new(&database).end().epoch, end.epoch);
            drop(database);
            // Without the index, only what was lost is not there.
            std::fs::remove_dir_all(dir.path().join("index")).unwrap();
            let database = open(dir.path());
            assert_eq!(Store::new(&database).counts().pages, pages.len() as u64, "{journal} {at}");
            assert_eq!(database.space("example").unwrap().count(), PAGES, "{journal} {at}");
        }
    }

    #[test]
    fn a_damaged_index_is_filled_again_at_the_next_opening() {
        let dir = filled();
        {
            let database = open(dir.path());
            // As if sled had lost it: the digest still has it.
            let tree = database.open_tree("heads").unwrap();
            let key = crate::index::heads::tree_key(
                crate::index::heads::HeadSort::Page,
                &crate::Key::parse(&url(7)).unwrap(),
            );
            tree.remove(key).unwrap();
        }
        let database = open(dir.path());
        assert_eq!(Store::new(&database).get(&url(7)).unwrap(), None, "an opening does not see it");
        assert!(!verified(&database), "the verification does");
        drop(database);
        let database = open(dir.path());
        assert!(database.recovery().rebuilt.is_some() && database.recovery().lost_pages == 0);
        assert_eq!(Store::new(&database).get(&url(7)).unwrap().unwrap().page.text, text(7));
        drop(database);
        assert!(open(dir.path()).recovery().is_quiet());
    }

    #[test]
    fn it_ends_at_once_and_keeps_to_its_pace() {
        let dir = filled();
        let database = open(dir.path());
        let begun = Instant::now();
        let verification = database.verify_at(1_000).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        assert!(!database.is_verified());
        drop(verification);
        assert!(begun.elapsed() < Duration::from_secs(3));
    }
}
