//! An open data directory: the journals, and sled, which holds the small entries.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::Config;
use crate::error::io;
use crate::error::{Error, Kind};
use crate::index;
use crate::index::base::{Base, Which};
use crate::index::settle::Settling;
use crate::index::snapshot::SnapshotAtEnd;
use crate::index::space::{Space, SpaceBatch};
use crate::index::superseded::DurableEnd;
use crate::index::verified::Verified;
use crate::index::writer::begin_segment;
use crate::log::{doubt, mark};
use crate::recovery::salvaged::SALVAGED;
use crate::recovery::{self, Opened, Reading, Recovery};

/// How long opening waits for the lock. Judgement: a previous process that is closing needs
/// milliseconds. A person at the command line should hear soon that the daemon is running.
const LOCK_PATIENCE: Duration = Duration::from_millis(900);

/// The wait between two attempts at the lock.
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// The directory's owner keeps this file locked.
const LOCK_FILE: &str = "lock";

/// An open directory. Clones share it. The directory is free again after the last clone is
/// dropped.
#[derive(Clone)]
pub struct Database(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    /// Before the base, so that it ends first.
    _settling: Settling,
    pub(crate) base: Arc<Base>,
    /// How many callers have asked for durability, and up to which caller a flush has covered.
    pub(crate) asked: AtomicU64,
    pub(crate) covered: Mutex<u64>,
    pub(crate) collecting: Mutex<crate::collect::CollectProgress>,
    pub(crate) recovery: Recovery,
    // After the fields that use sled.
    _snapshot: SnapshotAtEnd,
    // Last: the lock goes after everything is closed.
    _lock: File,
}

impl Database {
    /// Opens the directory, and creates it if it does not exist. It reads the mark, the heads of
    /// the segments, and what came since the mark. If these leave a doubt, it reads everything, as
    /// [`Database::open_and_verify`] does. It blocks up to a second more if another process has it.
    ///
    /// Whatever a process or a power cut left is no error here, and neither is damage. The store
    /// fills sled again from the journal, and [`Database::recovery`] reports what is lost.
    ///
    /// # Errors
    ///
    /// [`Error::is_locked`] if another process has it; [`Error::is_format`] if another version or
    /// another program wrote it; [`Error::is_invalid`] for a setting out of range; otherwise the
    /// errors of the disk or of sled.
    pub fn open(dir: &Path, config: &Config) -> Result<Database, Error> {
        Database::open_reading(dir, config, Reading::SinceMark)
    }

    /// The same, and reads everything: each frame and each entry of sled (some 0.1 s for each
    /// 10,000 pages).
    ///
    /// # Errors
    ///
    /// As [`Database::open`].
    pub fn open_and_verify(dir: &Path, config: &Config) -> Result<Database, Error> {
        Database::open_reading(dir, config, Reading::Everything)
    }

    fn open_reading(dir: &Path, config: &Config, reading: Reading) -> Result<Database, Error> {
        config.check()?;
        std::fs::create_dir_all(dir).map_err(|source| io("make", dir, source))?;
        let lock = lock(dir)?;
        let Opened { index, records, bodies, mark, epoch, recovery, progress } = recovery::open(dir, config, reading)?;
        let base = Base {
            trees: index.trees,
            sled: index.sled,
            file: index.file,
            records,
            bodies,
            mark: mark.0,
            flush: AtomicU64::new(mark.1),
            path: dir.to_owned(),
            config: config.clone(),
            epoch: AtomicU64::new(epoch),
            durable_end: DurableEnd::default(),
            verified: Verified::default(),
            state: RwLock::new(index.state),
            spaces: Mutex::default(),
            unsettled_bytes: AtomicUsize::new(0),
            makes_room: AtomicBool::new(false),
        };
        let base = Arc::new(base);
        let database = Database(Arc::new(Inner {
            _settling: Settling::start(Arc::clone(&base))?,
            base,
            asked: AtomicU64::new(0),
            covered: Mutex::new(0),
            collecting: Mutex::new(progress),
            recovery: Recovery::default(),
            _snapshot: SnapshotAtEnd::new(dir, config.cache_capacity),
            _lock: lock,
        }));
        let recovery = recovery::finish(database.base(), recovery)?;
        // Twice, so that both slots of the mark are sound.
        database.base().flush()?;
        database.durable()?;
        if database.base().verified.is_done() {
            doubt::clear(dir).map_err(|source| io("remove a file of", dir, source))?;
        }
        Ok(database.with_recovery(recovery))
    }

    /// Nothing else uses the database yet.
    fn with_recovery(mut self, recovery: Recovery) -> Database {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.recovery = recovery;
        }
        self
    }

    /// Whether the directory contains a database, open or not. Opening would create one.
    pub fn is_in(dir: &Path) -> bool {
        let marks =
            [Path::new(index::LOG_FILE), Path::new(mark::FILE_NAME), &Path::new(index::DIR).join(index::LOG_FILE)];
        // Any of them is enough: the others may be lost.
        dir.join(crate::log::RECORDS).is_dir() || marks.iter().any(|name| dir.join(name).exists())
    }

    /// URLs to put into the frontier again; then [forget](Database::forget_salvaged) them. There
    /// are some only if the index and the journal were both damaged. They are the URLs that could
    /// be read in the damaged index, each with what the frontier wrote about it, and with nothing
    /// the URLs of pages. The journal has none of them.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn salvaged(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let url = |key: sled::IVec| String::from_utf8_lossy(&key).into_owned();
        let entry = |(key, value): (sled::IVec, sled::IVec)| (url(key), value.to_vec());
        let entries = self.base().open_tree(SALVAGED)?.iter();
        entries.map(|found| found.map(entry).map_err(Error::sled("read what was salvaged"))).collect()
    }

    /// See [`Database::salvaged`].
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn forget_salvaged(&self) -> Result<(), Error> {
        // The frontier may have put them back just now.
        self.base().settle()?;
        self.base().open_tree(SALVAGED)?.clear().map_err(Error::sled("forget what was salvaged"))
    }

    /// A tree of sled, for tests that damage it. It has all that was committed.
    #[doc(hidden)]
    pub fn open_tree(&self, name: &str) -> Result<sled::Tree, Error> {
        self.base().settle()?;
        self.base().open_tree(name)
    }

    /// Opens a logged space; creates it if there is none. `name` has 1 to 32 letters.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn space(&self, name: &'static str) -> Result<Space, Error> {
        self.base().space(name)
    }

    /// Opens a derived space. It is empty after the store filled logged spaces again, as it is when
    /// it is created.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn derived_space(&self, name: &'static str) -> Result<Space, Error> {
        self.base().derived_space(name)
    }

    /// Writes batches of some spaces in one commit, each space at most once. Durable after
    /// [`Database::durable`]. O(entries × log space).
    ///
    /// # Errors
    ///
    /// The errors of the disk or of the database; then nothing is written.
    pub fn write(&self, batches: &[(&Space, &SpaceBatch)]) -> Result<(), Error> {
        self.base().write(batches)
    }

    /// The same, if a key of a space still has this value. Returns whether it has.
    ///
    /// # Errors
    ///
    /// As [`Database::write`].
    pub fn write_if(&self, entry: (&Space, &[u8], &[u8]), batches: &[(&Space, &SpaceBatch)]) -> Result<bool, Error> {
        self.base().write_if(entry, batches)
    }

    /// What the layers share.
    pub(crate) fn base(&self) -> &Base {
        &self.0.base
    }

    /// What opening the directory found and did.
    pub fn recovery(&self) -> &Recovery {
        &self.0.recovery
    }

    /// Returns when everything written before the call survives a power cut. It blocks for one
    /// flush and up to three `fdatasync`, so async callers use `spawn_blocking`. Callers that
    /// arrive during a flush share the next one.
    ///
    /// # Errors
    ///
    /// The errors of the disk or of sled; after one, acknowledge nothing.
    pub fn durable(&self) -> Result<(), Error> {
        let inner = &*self.0;
        let mine = inner.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut covered = inner.covered.lock().unwrap_or_else(PoisonError::into_inner);
        if *covered >= mine {
            return Ok(());
        }
        // Everyone who has asked by now wrote before asking, so this flush covers them all.
        let covers = inner.asked.load(Ordering::SeqCst);
        inner.base.flush()?;
        *covered = covers;
        crate::collect::remove_emptied(&inner.base, &inner.collecting)?;
        for which in [Which::Records, Which::Bodies] {
            if inner.base.journal(which).is_full() {
                begin_segment(&inner.base, which, inner.base.epoch())?;
            }
        }
        crate::collect::step(&inner.base, &inner.collecting)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.0.base.path
    }

    /// The bytes of the files.
    ///
    /// # Errors
    ///
    /// The disk's errors.
    pub fn size_on_disk(&self) -> Result<u64, Error> {
        let index = self.0.base.sled.size_on_disk().map_err(Error::sled("measure its files"))?;
        Ok(index + self.0.base.records.size().0 + self.0.base.bodies.size().0)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.base.flush() {
            tracing::warn!(%error, "the store could not be closed well; opening it will see to that");
        }
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("path", &self.0.base.path).finish_non_exhaustive()
    }
}

/// Locks the directory for this process, after some patience.
fn lock(dir: &Path) -> Result<File, Error> {
    lock_within(dir, LOCK_PATIENCE)
}

/// The same with another patience.
pub(crate) fn lock_within(dir: &Path, patience: Duration) -> Result<File, Error> {
    let path = dir.join(LOCK_FILE);
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|source| io("open", &path, source))?;
    let give_up = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < give_up => std::thread::sleep(LOCK_RETRY),
            Err(TryLockError::WouldBlock) => return Err(Kind::Locked { path: dir.to_owned() }.into()),
            Err(TryLockError::Error(source)) => return Err(io("lock", &path, source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::state::FORMAT_KEY;
    use crate::log::frame::FORMAT;

    #[test]
    fn another_format_is_refused_and_both_are_named() {
        let open_with = |write: &dyn Fn(&sled::Db)| {
            let dir = tempfile::tempdir().unwrap();
            let sled = sled::open(dir.path().join(index::DIR)).unwrap();
            write(&sled);
            drop(sled);
            std::thread::sleep(Duration::from_millis(50));
            Database::open(dir.path(), &Config::default()).unwrap_err()
        };
        let meta = |sled: &sled::Db| sled.open_tree("meta").unwrap();
        let newer = open_with(&|sled| drop(meta(sled).insert(FORMAT_KEY, &7u32.to_be_bytes()).unwrap()));
        assert!(newer.is_format() && newer.to_string().contains("has format 7"), "{newer}");
        assert!(newer.to_string().contains("writes format 1"), "{newer}");
        let odd = open_with(&|sled| drop(meta(sled).insert(FORMAT_KEY, "odd").unwrap()));
        assert!(odd.is_format() && odd.to_string().contains("odd"), "{odd}");
        let foreign = open_with(&|sled| drop(sled.insert("a", "b").unwrap()));
        assert!(foreign.is_format() && foreign.to_string().contains("not a store of tsrec"), "{foreign}");
    }

    #[test]
    fn a_store_of_an_older_program_is_refused_and_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let page = crate::record::tests::page("http://a/", "text");
        let write_format = |format: u32| {
            let sled = index::open_sled(&dir.path().join(index::DIR), 1 << 20).unwrap();
            sled.open_tree("meta").unwrap().insert(FORMAT_KEY, &format.to_be_bytes()).unwrap();
        };
        {
            let database = Database::open(dir.path(), &Config::default()).unwrap();
            crate::Store::new(&database).put(&page).unwrap();
        }
        for older in [2, 3, 4] {
            write_format(older);
            let error = Database::open(dir.path(), &Config::default()).unwrap_err();
            assert!(error.is_format() && error.to_string().contains(&format!("format {older}")), "{error}");
            assert!(error.to_string().contains("crawl into a fresh directory"), "{error}");
        }
        write_format(FORMAT);
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        assert_eq!(crate::Store::new(&database).get("http://a/").unwrap().unwrap().text, "text");
        std::fs::write(dir.path().join(index::LOG_FILE), "sled at the top").unwrap();
        drop(database);
        let error = Database::open(dir.path(), &Config::default()).unwrap_err();
        assert!(error.is_format() && error.to_string().contains("sled lies at its top"), "{error}");
    }

    #[test]
    fn a_journal_of_an_older_program_is_refused_without_its_index_too() {
        use crate::log::frame::encode;
        use crate::log::op::{JournalEntry, Op};
        let dir = tempfile::tempdir().unwrap();
        let records = dir.path().join(crate::log::RECORDS);
        std::fs::create_dir(&records).unwrap();
        for (op, named) in [
            (Op::OldSegment { epoch: 1, segments: vec![] }, "format 1 of before the release"),
            (Op::Segment { format: 2, epoch: 1, segments: vec![] }, "format 2"),
        ] {
            let bytes = encode(&JournalEntry { last_sequence: 0, floor: 0, op }, b"", 0, 1).unwrap().1;
            std::fs::write(records.join("00000001"), &bytes).unwrap();
            let error = Database::open(dir.path(), &Config::default()).unwrap_err();
            assert!(error.is_format() && error.to_string().contains(named), "{error}");
            assert_eq!(std::fs::read(records.join("00000001")).unwrap(), bytes, "it stays as it is");
        }
    }

    #[test]
    fn a_database_has_one_owner() {
        let dir = tempfile::tempdir().unwrap();
        let first = Database::open(dir.path(), &Config::default()).unwrap();
        let error = Database::open(dir.path(), &Config::default()).unwrap_err();
        assert!(error.is_locked() && error.to_string().contains("daemon"), "{error}");
        drop(first);
        Database::open(dir.path(), &Config::default()).unwrap();
    }

    #[test]
    fn epochs_differ_and_stay() {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let open = |n: usize| Database::open(dirs[n].path(), &Config::default()).unwrap().base().epoch();
        assert_eq!(open(0), open(0));
        assert_ne!(open(0), open(1));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let config = Config { cache_capacity: 1_000, ..Config::default() };
        let error = Database::open(dir.path(), &config).unwrap_err();
        assert!(error.is_invalid() && error.to_string().contains("cache_capacity is 1000"), "{error}");
    }

    #[test]
    fn many_may_ask_for_durability_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..20).for_each(|_| database.durable().unwrap()));
            }
        });
        assert_eq!(*database.0.covered.lock().unwrap(), 8 * 20 + 1);
    }
}
