//! The one place that opens sled, and the one place that makes it durable.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Config;
use super::error::{Error, Kind};
use super::superseded::DurableEnd;

/// The layout of keys and values. Another layout gets another number, and a program refuses the numbers it does not know.
const FORMAT: u32 = 1;

/// How long sled may keep writes in its own buffers when nobody asks for durability, in milliseconds (its default).
const FLUSH_EVERY_MS: u64 = 500;

/// How long opening waits for the lock. Judgement: a predecessor that is closing needs milliseconds, and a person at the command line should not
/// wait longer to hear that the daemon is running.
const LOCK_PATIENCE: Duration = Duration::from_millis(900);

/// The wait between two attempts at the lock.
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// The least cache, in bytes. Judgement: below it sled evicts pages in the middle of an operation.
const MIN_CACHE: u64 = 1 << 20;

/// An open directory. Clones share it; the directory is free again some milliseconds after the last clone is gone.
#[derive(Clone)]
pub struct Database(Arc<Inner>);

struct Inner {
    // Declared first, so that sled has stopped before the file below is closed.
    trees: Trees,
    sled: sled::Db,
    file: File,
    path: PathBuf,
    config: Config,
    epoch: u64,
    state: RwLock<State>,
    /// How many callers have asked for durability, and up to which of them a flush has covered.
    asked: AtomicU64,
    covered: Mutex<u64>,
    durable_end: DurableEnd,
}

/// The trees of the store; the frontier opens its own.
pub(super) struct Trees {
    pub(super) meta: sled::Tree,
    pub(super) heads: sled::Tree,
    pub(super) chunks: sled::Tree,
    pub(super) changes: sled::Tree,
}

/// The store's counters, written with every transaction. A field more goes to the end, and is counted in [`ADDED`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct State {
    /// The newest sequence number ever given; 0 before the first.
    pub(super) last_sequence: u64,
    /// The highest sequence of a tombstone that was pruned; 0 if none was.
    pub(super) floor: u64,
    /// Numbers the held siblings, so that the oldest is known.
    pub(super) held_order: u64,
    pub(super) pages: u64,
    pub(super) tombstones: u64,
    pub(super) held: u64,
    pub(super) parked: u64,
    pub(super) lessons: u64,
    /// Numbers the lessons, so that the oldest is known.
    pub(super) lesson_order: u64,
}

/// The fields of [`State`] that the first program with this format did not know. A state without them is read with each as 0, which postcard
/// writes as one zero byte; and the older program passes over what it does not know.
const ADDED: usize = 2;

/// The name sled gives its log.
const LOG_FILE: &str = "db";

const FORMAT_KEY: &[u8] = b"format";
const EPOCH_KEY: &[u8] = b"epoch";
const STATE_KEY: &[u8] = b"state";

impl Database {
    /// Opens the directory, and makes it if it is not there. It blocks, up to a second if another process has it. What is read from then on is durable: a crash between a write and its flush
    /// can leave writes in the operating system's cache only, so opening flushes once.
    ///
    /// # Errors
    ///
    /// [`Error::is_locked`] if another process has it; [`Error::is_format`] if another version or another program wrote it;
    /// [`Error::is_invalid`] for a setting out of range; otherwise the disk's or sled's error.
    pub fn open(dir: &Path, config: &Config) -> Result<Database, Error> {
        check(config)?;
        let sled = open_sled(dir, config)?;
        check_format(&sled, dir)?;
        let tree = |name| sled.open_tree(name).map_err(Error::sled("open a tree"));
        let trees =
            Trees { meta: tree("meta")?, heads: tree("heads")?, chunks: tree("chunks")?, changes: tree("changes")? };
        let epoch = read_epoch(&trees.meta)?;
        let state: State = match trees.meta.get(STATE_KEY).map_err(Error::sled("read its state"))? {
            Some(bytes) => decode_state(&bytes)?,
            None => State::default(),
        };
        let database = Database(Arc::new(Inner {
            trees,
            sled,
            file: open_to_sync(dir)?,
            path: dir.to_owned(),
            config: config.clone(),
            epoch,
            durable_end: DurableEnd::default(),
            state: RwLock::new(state),
            asked: AtomicU64::new(0),
            covered: Mutex::new(0),
        }));
        database.durable()?;
        Ok(database)
    }

    /// Whether there is a database in the directory, open or not. Opening would make one.
    pub fn is_in(dir: &Path) -> bool {
        dir.join(LOG_FILE).exists()
    }

    /// Returns when everything written before the call survives a power cut. It blocks for one flush and one `fdatasync`, so async callers
    /// use `spawn_blocking`; callers that come while a flush runs share the next one.
    ///
    /// # Errors
    ///
    /// The disk's or sled's; then nothing may be acknowledged.
    pub fn durable(&self) -> Result<(), Error> {
        let inner = &*self.0;
        let mine = inner.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut covered = inner.covered.lock().unwrap_or_else(PoisonError::into_inner);
        if *covered >= mine {
            return Ok(());
        }
        // Whoever has asked by now wrote before asking, so this flush covers them all.
        let covers = inner.asked.load(Ordering::SeqCst);
        let sequence = self.state().last_sequence;
        // sled's flush hands the pages to the kernel (sync_file_range); only fdatasync gets them through the disk's cache.
        inner.sled.flush().map_err(Error::sled("flush"))?;
        inner.file.sync_data().map_err(|source| self.io("sync", source))?;
        *covered = covers;
        inner.durable_end.advance(sequence);
        Ok(())
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The bytes of the files. It asks the file system, not the trees.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn size_on_disk(&self) -> Result<u64, Error> {
        self.0.sled.size_on_disk().map_err(Error::sled("measure its files"))
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

    /// How far the feed is durable.
    pub(super) fn durable_end(&self) -> &DurableEnd {
        &self.0.durable_end
    }

    /// The store's state; while the guard lives no transaction of the store is committed. Keep it short, and take it once.
    pub(super) fn state(&self) -> RwLockReadGuard<'_, State> {
        self.0.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock that a [`super::writer::Writer`] holds.
    pub(super) fn state_lock(&self) -> &RwLock<State> {
        &self.0.state
    }

    /// A tree that is not the store's, for the frontier.
    pub(crate) fn open_tree(&self, name: &str) -> Result<sled::Tree, Error> {
        self.0.sled.open_tree(name).map_err(Error::sled("open a tree"))
    }

    /// The entry of `meta` that carries the state.
    pub(super) fn encode_state(state: &State) -> Result<(&'static [u8], Vec<u8>), Error> {
        Ok((STATE_KEY, postcard::to_stdvec(state).map_err(Error::encode("the state"))?))
    }

    fn io(&self, doing: &'static str, source: std::io::Error) -> Error {
        Kind::Io { doing, path: self.0.path.clone(), source }.into()
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("path", &self.0.path).finish_non_exhaustive()
    }
}

fn check(config: &Config) -> Result<(), Error> {
    match config.cache_capacity {
        MIN_CACHE.. => Ok(()),
        value => Err(Kind::Config { setting: "cache_capacity", value, range: "at least 1048576 (1 MiB)" }.into()),
    }
}

/// Opens sled, and waits a moment if the lock is taken: after the last handle is dropped, sled's own threads keep the file for some
/// milliseconds more.
fn open_sled(dir: &Path, config: &Config) -> Result<sled::Db, Error> {
    let sled = sled::Config::new().path(dir).cache_capacity(config.cache_capacity).flush_every_ms(Some(FLUSH_EVERY_MS));
    let give_up = Instant::now() + LOCK_PATIENCE;
    loop {
        match sled.open().map_err(|error| opening_error(dir, error)) {
            Err(error) if error.is_locked() && Instant::now() < give_up => std::thread::sleep(LOCK_RETRY),
            result => return result,
        }
    }
}

/// sled has no kind for a taken lock: it is an I/O error whose text begins so (in the release we pin).
fn opening_error(dir: &Path, error: sled::Error) -> Error {
    match error {
        sled::Error::Io(io) if io.to_string().starts_with("could not acquire lock") => {
            Kind::Locked { path: dir.to_owned(), source: sled::Error::Io(io) }.into()
        }
        source => Kind::Sled { doing: "open", source }.into(),
    }
}

/// Checks the format's number, or writes it, and an epoch beside it, where nothing has been written yet.
fn check_format(sled: &sled::Db, dir: &Path) -> Result<(), Error> {
    let meta = sled.open_tree("meta").map_err(Error::sled("open a tree"))?;
    let other = |found: String| Err(Kind::Format { path: dir.to_owned(), found, expected: FORMAT }.into());
    match meta.get(FORMAT_KEY).map_err(Error::sled("read its format"))? {
        Some(found) if *found == FORMAT.to_be_bytes() => Ok(()),
        Some(found) => match <[u8; 4]>::try_from(&*found) {
            Ok(number) => other(u32::from_be_bytes(number).to_string()),
            Err(_) => other(format!("{:?}", String::from_utf8_lossy(&found))),
        },
        None if is_empty(sled)? => {
            let mut batch = sled::Batch::default();
            batch.insert(FORMAT_KEY, &FORMAT.to_be_bytes());
            batch.insert(EPOCH_KEY, &new_epoch().to_be_bytes());
            meta.apply_batch(batch).map_err(Error::sled("write its format"))
        }
        None => other("none (it is not a store of tsrec)".into()),
    }
}

fn decode_state(bytes: &[u8]) -> Result<State, Error> {
    postcard::from_bytes(&[bytes, &[0; ADDED]].concat()).map_err(Error::decode("its state"))
}

fn is_empty(sled: &sled::Db) -> Result<bool, Error> {
    for name in sled.tree_names() {
        if !sled.open_tree(name).map_err(Error::sled("open a tree"))?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn read_epoch(meta: &sled::Tree) -> Result<u64, Error> {
    let bytes = meta.get(EPOCH_KEY).map_err(Error::sled("read its epoch"))?;
    bytes
        .and_then(|bytes| Some(u64::from_be_bytes((*bytes).try_into().ok()?)))
        .ok_or_else(|| Kind::Damaged { what: "the epoch is missing", key: "meta".into() }.into())
}

/// A number no other database has. It need not be secret, so no random source is asked for: the time, the process and the keys that the
/// standard library draws from the operating system for its hash maps are different enough.
fn new_epoch() -> u64 {
    RandomState::new().hash_one((jiff::Timestamp::now().as_nanosecond(), std::process::id()))
}

/// Opens sled's log a second time, to sync it. A fresh file's name is durable only once its directory is synced too.
fn open_to_sync(dir: &Path) -> Result<File, Error> {
    let path = dir.join(LOG_FILE);
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::from(Kind::Io { doing: "open", path, source })
    };
    let file = File::options().write(true).open(&path).map_err(io(&path))?;
    #[cfg(unix)]
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(io(dir))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_with(write: impl Fn(&sled::Db)) -> Error {
        let dir = tempfile::tempdir().unwrap();
        let sled = sled::open(dir.path()).unwrap();
        write(&sled);
        drop(sled);
        Database::open(dir.path(), &Config::default()).unwrap_err()
    }

    #[test]
    fn another_format_is_refused_and_both_are_named() {
        let meta = |sled: &sled::Db| sled.open_tree("meta").unwrap();
        let newer = open_with(|sled| drop(meta(sled).insert(FORMAT_KEY, &7u32.to_be_bytes()).unwrap()));
        assert!(newer.is_format() && newer.to_string().contains("has format 7"), "{newer}");
        assert!(newer.to_string().contains("writes format 1"), "{newer}");
        let odd = open_with(|sled| drop(meta(sled).insert(FORMAT_KEY, "odd").unwrap()));
        assert!(odd.is_format() && odd.to_string().contains("odd"), "{odd}");
        let foreign = open_with(|sled| drop(sled.insert("a", "b").unwrap()));
        assert!(foreign.is_format() && foreign.to_string().contains("not a store of tsrec"), "{foreign}");
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
    fn a_state_without_the_latest_fields_is_read() {
        let state = State { last_sequence: 300, parked: 7, ..State::default() };
        let (_, bytes) = Database::encode_state(&state).unwrap();
        let decoded = decode_state(&bytes[..bytes.len() - ADDED]).unwrap();
        assert_eq!((decoded.last_sequence, decoded.parked, decoded.lessons, decoded.lesson_order), (300, 7, 0, 0));
        assert_eq!(decode_state(&bytes).unwrap().parked, 7);
        assert!(decode_state(&bytes[..2]).is_err());
    }

    #[test]
    fn epochs_differ_and_stay() {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let open = |n: usize| Database::open(dirs[n].path(), &Config::default()).unwrap().epoch();
        assert_eq!(open(0), open(0));
        assert_ne!(open(0), open(1));
    }

    #[test]
    fn a_cache_too_small_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let error = Database::open(dir.path(), &Config { cache_capacity: 1_000, ..Config::default() }).unwrap_err();
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
