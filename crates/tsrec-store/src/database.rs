//! An open data directory: the journals, and sled, which holds the small entries.

use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Config;
use super::error::{Error, Kind};
use super::index::{self, Salvaged};
use super::journal::Journal;
use super::mark::{self, DurableMark, MarkFile};
use super::raw::Raw;
use super::recovery::{self, Opened, Recovery};
use super::superseded::DurableEnd;
use super::writer::{Which, Writer};

/// How long opening waits for the lock. Judgement: a previous process that is closing needs
/// milliseconds. A person at the command line should hear soon that the daemon is running.
const LOCK_PATIENCE: Duration = Duration::from_millis(900);

/// The wait between two attempts at the lock.
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// The directory's owner keeps this file locked.
const LOCK_FILE: &str = "lock";

pub(super) const FORMAT_KEY: &[u8] = b"format";
pub(super) const EPOCH_KEY: &[u8] = b"epoch";
pub(super) const STATE_KEY: &[u8] = b"state";
pub(super) const FLUSH_KEY: &[u8] = b"flush";

/// The tree of URLs that wait to enter the frontier again after it was lost.
const SALVAGED: &str = "salvaged";

/// The space of the frontier whose keys are `host\0url`.
pub(super) const FRONTIER_URLS: &str = "urls";

/// An open directory. Clones share it. The directory is free again after the last clone is
/// dropped.
#[derive(Clone)]
pub struct Database(pub(super) Arc<Inner>);

pub(super) struct Inner {
    // Declared first, so that sled stops before the file below is closed.
    pub(super) trees: Trees,
    pub(super) sled: sled::Db,
    pub(super) file: File,
    pub(super) records: Journal,
    pub(super) values: Journal,
    pub(super) raw: Raw,
    pub(super) mark: MarkFile,
    /// The number of the last flush.
    pub(super) flush: AtomicU64,
    pub(super) path: PathBuf,
    pub(super) config: Config,
    pub(super) epoch: u64,
    pub(super) state: RwLock<State>,
    /// How many callers have asked for durability, and up to which caller a flush has covered.
    pub(super) asked: AtomicU64,
    pub(super) covered: Mutex<u64>,
    pub(super) durable_end: DurableEnd,
    pub(super) collecting: Mutex<super::collect::CollectProgress>,
    pub(super) recovery: Recovery,
    pub(super) sites: super::memories::SiteCache,
    pub(super) look_again: super::look_again::LookAgain,
    // Last: the lock goes after everything is closed.
    pub(super) _lock: File,
}

/// The trees of the store; the frontier opens its own.
pub(super) struct Trees {
    pub(super) meta: sled::Tree,
    pub(super) heads: sled::Tree,
    pub(super) changes: sled::Tree,
}

/// The store's counters, written with every transaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// The newest sequence number given so far; 0 before the first.
    pub(super) last_sequence: u64,
    /// The highest sequence of a pruned tombstone; 0 if none was pruned.
    pub(super) floor: u64,
    /// Numbers the held siblings, so that the store knows the oldest.
    pub(super) held_order: u64,
    pub(super) pages: u64,
    pub(super) tombstones: u64,
    pub(super) held: u64,
    pub(super) parked: u64,
    /// The number of the last frame in the journal of records that the trees contain.
    pub(super) number: u64,
    /// The sum of the digests of all entries in `heads`, `changes` and the spaces. It shows whether
    /// one is missing.
    pub(super) digest: u64,
    /// Not used: it keeps the layout. The list of [`super::losses`] counts.
    pub(super) losses: u64,
}

impl Database {
    /// Opens the directory, and creates it if it does not exist. It blocks while it reads
    /// everything once (some 0.1 s for each 10,000 pages). It blocks up to a second more if
    /// another process has it.
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
        config.check()?;
        std::fs::create_dir_all(dir).map_err(|source| io("make", dir, source))?;
        let lock = lock(dir)?;
        let Opened { index, records, values, mark, epoch, recovery, progress } = recovery::open(dir, config)?;
        let raw = Raw::open(dir, config.raw_bytes)?;
        let database = Database(Arc::new(Inner {
            trees: index.trees,
            sled: index.sled,
            file: index.file,
            records,
            values,
            raw,
            mark: mark.0,
            flush: AtomicU64::new(mark.1),
            path: dir.to_owned(),
            config: config.clone(),
            epoch,
            durable_end: DurableEnd::default(),
            state: RwLock::new(index.state),
            asked: AtomicU64::new(0),
            covered: Mutex::new(0),
            collecting: Mutex::new(progress),
            recovery: Recovery::default(),
            sites: Default::default(),
            look_again: Default::default(),
            _lock: lock,
        }));
        let recovery = recovery::finish(&database, recovery)?;
        // Twice, so that both slots of the mark are sound.
        database.0.flush()?;
        database.durable()?;
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
        dir.join(recovery::RECORDS).is_dir() || marks.iter().any(|name| dir.join(name).exists())
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
        inner.flush()?;
        *covered = covers;
        super::collect::remove_emptied(self)?;
        for which in [Which::Records, Which::Values] {
            if self.journal(which).is_full() {
                self.begin_segment(which, self.epoch())?;
            }
        }
        super::collect::step(self)
    }

    /// Closes the last segment of a journal and begins a new one.
    pub(super) fn begin_segment(&self, which: Which, epoch: u64) -> Result<(), Error> {
        let writer = Writer::new(self);
        self.journal(which).begin_segment(epoch, writer.state.last_sequence, writer.state.floor)?;
        writer.commit()
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The bytes of the files.
    ///
    /// # Errors
    ///
    /// The disk's errors.
    pub fn size_on_disk(&self) -> Result<u64, Error> {
        let index = self.0.sled.size_on_disk().map_err(Error::sled("measure its files"))?;
        Ok(index + self.0.records.size().0 + self.0.values.size().0 + self.0.raw.size())
    }

    pub(super) fn config(&self) -> &Config {
        &self.0.config
    }

    pub(super) fn epoch(&self) -> u64 {
        self.0.epoch
    }

    pub(super) fn trees(&self) -> &Trees {
        &self.0.trees
    }

    pub(super) fn journal(&self, which: Which) -> &Journal {
        match which {
            Which::Records => &self.0.records,
            Which::Values => &self.0.values,
        }
    }

    pub(super) fn raw(&self) -> &Raw {
        &self.0.raw
    }

    pub(super) fn collecting(&self) -> &Mutex<super::collect::CollectProgress> {
        &self.0.collecting
    }

    /// The durable end of the feed.
    pub(super) fn durable_end(&self) -> &DurableEnd {
        &self.0.durable_end
    }

    /// The store's state. While the guard lives, the store commits no transaction. Hold it
    /// briefly, and take it once.
    pub(super) fn state(&self) -> RwLockReadGuard<'_, State> {
        self.0.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock of a [`super::writer::Writer`].
    pub(super) fn state_lock(&self) -> &RwLock<State> {
        &self.0.state
    }

    /// A tree of sled, for tests that damage it.
    #[doc(hidden)]
    pub fn open_tree(&self, name: &str) -> Result<sled::Tree, Error> {
        self.0.sled.open_tree(name).map_err(Error::sled("open a tree"))
    }

    pub(super) fn tree_names(&self) -> Vec<sled::IVec> {
        self.0.sled.tree_names()
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
        let entries = self.open_tree(SALVAGED)?.iter();
        entries.map(|found| found.map(entry).map_err(Error::sled("read what was salvaged"))).collect()
    }

    /// See [`Database::salvaged`].
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn forget_salvaged(&self) -> Result<(), Error> {
        self.open_tree(SALVAGED)?.clear().map_err(Error::sled("forget what was salvaged"))
    }

    /// Returns how many there are in all.
    pub(super) fn note_salvaged(&self, urls: impl IntoIterator<Item = Salvaged>) -> Result<u64, Error> {
        let tree = self.open_tree(SALVAGED)?;
        for (url, entry) in urls {
            // Existing data about a URL wins over the URL alone.
            let is_known =
                entry.is_empty() && tree.contains_key(&url).map_err(Error::sled("find what was salvaged"))?;
            if !is_known {
                tree.insert(url, entry).map_err(Error::sled("keep what was salvaged"))?;
            }
        }
        Ok(tree.len() as u64)
    }

    /// The `meta` entry of the state.
    pub(super) fn encode_state(state: &State) -> Result<(&'static [u8], Vec<u8>), Error> {
        Ok((STATE_KEY, postcard::to_stdvec(state).map_err(Error::encode("the state"))?))
    }
}

impl Inner {
    /// Makes all writes durable: the journals first, so that sled never names a missing frame.
    pub(super) fn flush(&self) -> Result<(), Error> {
        let (sequence, number) = {
            let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
            (state.last_sequence, state.number)
        };
        self.records.sync()?;
        self.values.sync()?;
        let flush = self.flush.fetch_add(1, Ordering::SeqCst) + 1;
        self.trees.meta.insert(FLUSH_KEY, &flush.to_be_bytes()).map_err(Error::sled("write a number"))?;
        // sled's flush passes the pages to the kernel (sync_file_range). Only fdatasync gets them
        // through the disk's cache.
        self.sled.flush().map_err(Error::sled("flush"))?;
        self.file.sync_data().map_err(|source| io("sync", &self.path, source))?;
        let mark = DurableMark { flush, number, sequence };
        self.mark.write(mark).map_err(|source| io("write the mark of", &self.path, source))?;
        self.durable_end.advance(sequence);
        Ok(())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.flush() {
            tracing::warn!(%error, "the store could not be closed well; opening it will see to that");
        }
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("path", &self.0.path).finish_non_exhaustive()
    }
}

/// Locks the directory for this process.
fn lock(dir: &Path) -> Result<File, Error> {
    let path = dir.join(LOCK_FILE);
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|source| io("open", &path, source))?;
    let give_up = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < give_up => std::thread::sleep(LOCK_RETRY),
            Err(TryLockError::WouldBlock) => return Err(Kind::Locked { path: dir.to_owned() }.into()),
            Err(TryLockError::Error(source)) => return Err(io("lock", &path, source)),
        }
    }
}

pub(super) fn io(doing: &'static str, path: &Path, source: std::io::Error) -> Error {
    Kind::Io { doing, path: path.to_owned(), source }.into()
}

/// A number that no other database has. It need not be secret, so this uses no random source. It
/// mixes the time, the process id and the keys that the standard library draws from the operating
/// system for its hash maps.
pub(super) fn new_epoch() -> u64 {
    RandomState::new().hash_one((jiff::Timestamp::now().as_nanosecond(), std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::frame::FORMAT;

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
        let page = super::super::record::tests::page("http://a/", "text");
        let write_format = |format: u32| {
            let sled = sled::open(dir.path().join(index::DIR)).unwrap();
            sled.open_tree("meta").unwrap().insert(FORMAT_KEY, &format.to_be_bytes()).unwrap();
        };
        {
            let database = Database::open(dir.path(), &Config::default()).unwrap();
            super::super::Store::new(&database).put(&page).unwrap();
        }
        for older in [2, 3, 4] {
            write_format(older);
            let error = Database::open(dir.path(), &Config::default()).unwrap_err();
            assert!(error.is_format() && error.to_string().contains(&format!("format {older}")), "{error}");
            assert!(error.to_string().contains("crawl into a fresh directory"), "{error}");
        }
        write_format(FORMAT);
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        assert_eq!(super::super::Store::new(&database).get("http://a/").unwrap().unwrap().text, "text");
        std::fs::write(dir.path().join(index::LOG_FILE), "sled at the top").unwrap();
        drop(database);
        let error = Database::open(dir.path(), &Config::default()).unwrap_err();
        assert!(error.is_format() && error.to_string().contains("sled lies at its top"), "{error}");
    }

    #[test]
    fn a_journal_of_an_older_program_is_refused_without_its_index_too() {
        use crate::journal::frame::{JournalEntry, Op, encode};
        let dir = tempfile::tempdir().unwrap();
        let records = dir.path().join(recovery::RECORDS);
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
        let open = |n: usize| Database::open(dirs[n].path(), &Config::default()).unwrap().epoch();
        assert_eq!(open(0), open(0));
        assert_ne!(open(0), open(1));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        for (config, named) in [
            (Config { cache_capacity: 1_000, ..Config::default() }, "cache_capacity is 1000"),
            (Config { templates_per_host: 0, ..Config::default() }, "templates_per_host is 0"),
            (Config { max_template_bytes: 8_191, ..Config::default() }, "max_template_bytes is 8191"),
        ] {
            let error = Database::open(dir.path(), &config).unwrap_err();
            assert!(error.is_invalid() && error.to_string().contains(named), "{error}");
        }
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
