//! What an operator does with a data directory: look at it, check it, make it small, keep a copy.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;

use super::database::{Database, FLUSH_KEY, io as io_error};
use super::error::{Error, Kind};
use super::journal::scan;
use super::recovery::{RECORDS, Recovery, VALUES};
use super::writer::Which;
use super::{Config, Counts, Store, collect, index, recovery};

/// Where compacting writes the new index, and where the old one waits until the new one is in its
/// place.
const NEW_INDEX: &str = "index.new";
const OLD_INDEX: &str = "index.old";

/// The index is copied in so many passes, each of every third entry: pages that are filled up later
/// are split, and so written, less often than those that are filled in order. Calibration: 80,000
/// entries of 160 bytes took 4.9 times their length in one pass, 5.2 in two, 3.5 in three, 4.2 in
/// four to eight.
const COPY_PASSES: usize = 3;

/// After so many entries copying waits for sled's collector, which runs this often. Calibration:
/// without, 20,000 entries of 200 bytes took 3.5 times their length, since the pages that were
/// written anew were still there; so they took 1.7 times, and 1.6 with half as many.
const COPY_PIECE: usize = 128;
const COLLECT_EVERY: Duration = Duration::from_millis(10);

/// How long it is waited. Judgement: a fifth of the collector's round, which it spends half of on
/// the work.
const COPY_PAUSE: Duration = Duration::from_millis(2);

/// The frontier in a backup, a line for each of its URLs and of its hosts, as whoever made the
/// backup wrote them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontierPart {
    /// Its URLs.
    Urls,
    /// Its hosts.
    Hosts,
}

impl FrontierPart {
    /// The file's name in a backup.
    fn file(self) -> &'static str {
        match self {
            FrontierPart::Urls => "frontier.jsonl",
            FrontierPart::Hosts => "hosts.jsonl",
        }
    }
}

/// How large a store is, and what it holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoreStats {
    /// Bytes of the journal of records, and how many of them are live.
    pub records: JournalUsage,
    /// Bytes of the journal of values that can be had again.
    pub values: JournalUsage,
    /// Bytes of the pages that are kept as they were fetched.
    pub raw: u64,
    /// Bytes of sled's files.
    pub index: u64,
    /// How much there is.
    pub counts: Counts,
    /// What was found when it was opened.
    pub recovery: Recovery,
}

/// Bytes of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct JournalUsage {
    /// Of its files.
    pub bytes: u64,
    /// Of its live frames.
    pub live: u64,
}

/// What a check of the journals found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Sound frames.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Frames that are missing or damaged, at least; live or not.
    pub damaged_frames: u64,
    /// Segments that are missing.
    pub missing_segments: u64,
    /// Bytes behind the last sound frame: a write that was under way, or damage.
    pub torn_bytes: u64,
}

impl Verified {
    /// Whether anything is not as it was written. A torn end may be a write that is under way.
    pub fn is_damaged(&self) -> bool {
        self.damaged_frames > 0 || self.missing_segments > 0
    }
}

impl Database {
    /// How large it is, and what it holds.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn stats(&self) -> Result<StoreStats, Error> {
        let usage = |which| {
            let (bytes, live) = self.journal(which).size();
            JournalUsage { bytes, live }
        };
        let (records, values) = (usage(Which::Records), usage(Which::Values));
        let raw = self.raw().size();
        let index = self.size_on_disk()? - records.bytes - values.bytes - raw;
        let counts = Store::new(self).counts();
        Ok(StoreStats { records, values, raw, index, counts, recovery: self.recovery().clone() })
    }
}

/// Reads every frame of the journals and compares its checksums. It changes nothing, and a daemon
/// may be running.
///
/// # Errors
///
/// The disk's.
pub fn verify(dir: &Path) -> Result<Verified, Error> {
    let mut verified = Verified::default();
    for name in [RECORDS, VALUES] {
        let dir = dir.join(name);
        let found = scan::scan(&dir, true, |place, _, _| {
            verified.frames += 1;
            verified.bytes += u64::from(place.len);
            Ok(())
        })
        .map_err(|source| io_error("read", &dir, source))?;
        verified.damaged_frames += found.lost_frames;
        verified.missing_segments += found.missing.len() as u64;
        verified.torn_bytes += found.torn;
    }
    Ok(verified)
}

/// Takes out of the journals what is dead, and writes sled's files anew where that makes them
/// smaller. Nobody else may have the store open; it takes as much free space as is live.
///
/// sled's log is up to four times as long as what lives in it, since its pages hold 16 entries and
/// are written anew while they fill, and it gives no space back. Its copy is some 1.7 times as
/// long; one that was long written to may be shorter than that.
///
/// # Errors
///
/// Those of [`Database::open`]; the disk's. Broken off at any point, it leaves the store as it was,
/// or compacted.
pub fn compact(dir: &Path, config: &Config) -> Result<StoreStats, Error> {
    let is_smaller = {
        let database = Database::open(dir, config)?;
        collect::all(&database)?;
        copy_index(&database, &dir.join(NEW_INDEX), config)?
    };
    if !is_smaller {
        finish_compacting(dir)?;
        return Database::open(dir, config)?.stats();
    }
    let rename = |from: &str, to: &str| {
        std::fs::rename(dir.join(from), dir.join(to)).map_err(|source| io_error("rename", &dir.join(from), source))
    };
    rename(index::DIR, OLD_INDEX)?;
    rename(NEW_INDEX, index::DIR)?;
    finish_compacting(dir)?;
    Database::open(dir, config)?.stats()
}

/// Ends what a process was killed in that compacted.
pub(super) fn finish_compacting(dir: &Path) -> Result<(), Error> {
    let [current, old, new] = [index::DIR, OLD_INDEX, NEW_INDEX].map(|name| dir.join(name));
    if !current.exists() && old.exists() {
        std::fs::rename(&old, &current).map_err(|source| io_error("rename", &old, source))?;
    }
    for left in [old, new] {
        if left.exists() {
            std::fs::remove_dir_all(&left).map_err(|source| io_error("remove", &left, source))?;
        }
    }
    Ok(())
}

/// Writes sled's files anew; tells whether they are smaller so.
fn copy_index(database: &Database, to: &Path, config: &Config) -> Result<bool, Error> {
    let from = &database.0.sled;
    let fresh = sled::Config::new().path(to).cache_capacity(config.cache_capacity);
    let fresh = fresh.flush_every_ms(Some(COLLECT_EVERY.as_millis() as u64));
    let fresh = fresh.open().map_err(Error::sled("make a new index"))?;
    let mut copied = 0;
    for name in from.tree_names() {
        let source = from.open_tree(&name).map_err(Error::sled("open a tree"))?;
        let target = fresh.open_tree(&name).map_err(Error::sled("open a tree"))?;
        for pass in 0..COPY_PASSES {
            for entry in source.iter().skip(pass).step_by(COPY_PASSES) {
                let (key, value) = entry.map_err(Error::sled("read an entry"))?;
                target.insert(key, value).map_err(Error::sled("write an entry"))?;
                copied += 1;
                if copied % COPY_PIECE == 0 {
                    fresh.flush().map_err(Error::sled("flush"))?;
                    std::thread::sleep(COPY_PAUSE);
                }
            }
        }
    }
    // Closing the database flushes once more, and the mark will say so: the copy must not look
    // older than that.
    let flush = database.0.flush.load(Ordering::SeqCst) + 1;
    let meta = fresh.open_tree("meta").map_err(Error::sled("open a tree"))?;
    meta.insert(FLUSH_KEY, &flush.to_be_bytes()).map_err(Error::sled("write a number"))?;
    fresh.flush().map_err(Error::sled("flush"))?;
    let log = to.join(index::LOG_FILE);
    File::open(&log).and_then(|file| file.sync_all()).map_err(|source| io_error("sync", &log, source))?;
    let size = |sled: &sled::Db| sled.size_on_disk().map_err(Error::sled("measure its files"));
    Ok(size(&fresh)? < size(from)?)
}

/// Makes a directory that is nobody else's, and takes others' rights to it away: in it lie what was
/// crawled and the API's token.
///
/// # Errors
///
/// The disk's.
pub fn make_private(dir: &Path) -> Result<(), Error> {
    let make = || {
        make_dir(dir)?;
        let mode = dir.metadata()?.permissions().mode();
        if mode & OTHERS == 0 {
            Ok(())
        } else {
            std::fs::set_permissions(dir, PermissionsExt::from_mode(mode & !OTHERS))
        }
    };
    make().map_err(|source| io_error("make", dir, source))
}

/// The rights of others than the owner.
const OTHERS: u32 = 0o077;

/// Makes a directory, and those above it, unless they are there; what is made is nobody else's.
fn make_dir(dir: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Where a backup may be made.
///
/// # Errors
///
/// [`Error::is_io`] if there is one already.
pub fn not_yet(to: &Path) -> Result<(), Error> {
    let records = to.join(RECORDS);
    if records.exists() {
        let source = io::Error::new(io::ErrorKind::AlreadyExists, "there is a backup already");
        return Err(io_error("write to", &records, source));
    }
    Ok(())
}

/// Copies the journal of records: all that is durable, from which a store is made again. A daemon
/// may be running: frames are checksummed, and what it writes meanwhile is in the copy whole or not
/// at all. Gives the bytes copied.
///
/// Not in it are held siblings and parked pages, which come again. The frontier is beside it, where
/// [`FrontierCopy`] put it.
///
/// # Errors
///
/// The disk's; [`Error::is_io`] if there is something at `to` already.
pub fn backup(dir: &Path, to: &Path) -> Result<u64, Error> {
    not_yet(to)?;
    let (from, to) = (dir.join(RECORDS), to.join(RECORDS));
    make_dir(&to).map_err(|source| io_error("make", &to, source))?;
    // A segment that is collected while we copy was copied to a later one, which is then copied in
    // the next round.
    loop {
        let before = segments(&from)?;
        for path in &before {
            copy_longer(path, &to)?;
        }
        let after = segments(&from)?;
        if before == after {
            break;
        }
    }
    let copied = segments(&to)?;
    let sizes = copied.iter().map(|path| path.metadata().map(|metadata| metadata.len()));
    sizes.sum::<io::Result<u64>>().map_err(|source| io_error("measure", &to, source))
}

/// Makes a store of a backup. A new epoch begins: a reader may have seen what is newer than the
/// backup. That counts as no loss, unless the backup is damaged.
///
/// # Errors
///
/// The disk's; [`Error::is_io`] if the directory holds a store.
pub fn restore(backup_dir: &Path, dir: &Path, config: &Config) -> Result<StoreStats, Error> {
    if Database::is_in(dir) {
        let source = io::Error::new(io::ErrorKind::AlreadyExists, "there is a store already");
        return Err(io_error("restore into", dir, source));
    }
    if !backup_dir.join(RECORDS).is_dir() {
        let source = io::Error::new(io::ErrorKind::NotFound, "this is no backup");
        return Err(Kind::Io { doing: "restore from", path: backup_dir.to_owned(), source }.into());
    }
    make_private(dir)?;
    backup(backup_dir, dir)?;
    let database = Database::open(dir, config)?;
    recovery::is_restored(&database)?;
    database.durable()?;
    database.stats()
}

/// How a file ends that is not whole.
const UNDER_WAY: &str = "part";

/// A part of the frontier, as it is written to a backup: line by line, since it may be larger than
/// memory; it has its name when it is whole.
#[derive(Debug)]
pub struct FrontierCopy {
    path: PathBuf,
    file: BufWriter<File>,
    lines: u64,
}

impl FrontierCopy {
    /// Begins it, in the folder of a backup, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn begin(to: &Path, kept: FrontierPart) -> Result<FrontierCopy, Error> {
        let path = to.join(kept.file());
        let open = || {
            make_dir(to)?;
            File::options().write(true).create(true).truncate(true).mode(0o600).open(path.with_extension(UNDER_WAY))
        };
        let file = open().map_err(|source| io_error("write", &path, source))?;
        Ok(FrontierCopy { path, file: BufWriter::new(file), lines: 0 })
    }

    /// Adds a line.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn add(&mut self, line: &str) -> Result<(), Error> {
        writeln!(self.file, "{line}").map_err(|source| io_error("write", &self.path, source))?;
        self.lines += 1;
        Ok(())
    }

    /// Has it on the disk. Gives how many lines.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn end(mut self) -> Result<u64, Error> {
        let under_way = self.path.with_extension(UNDER_WAY);
        let synced = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        let named = synced.and_then(|()| std::fs::rename(under_way, &self.path));
        named.map_err(|source| io_error("write", &self.path, source))?;
        Ok(self.lines)
    }
}

/// The lines that [`FrontierCopy`] wrote; none, where a backup does not have them.
///
/// # Errors
///
/// The disk's.
pub fn kept_frontier(
    backup_dir: &Path,
    kept: FrontierPart,
) -> Result<impl Iterator<Item = Result<String, Error>> + use<>, Error> {
    let path = backup_dir.join(kept.file());
    let file = match File::open(&path) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => return Err(io_error("read", &path, source)),
    };
    let lines = file.map(|file| BufReader::new(file).lines());
    Ok(lines.into_iter().flatten().map(move |line| line.map_err(|source| io_error("read", &path, source))))
}

fn segments(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let ids = scan::segment_ids(dir).map_err(|source| io_error("list", dir, source))?;
    Ok(ids.into_iter().map(|id| super::journal::path_of(dir, id)).collect())
}

/// Copies a segment, unless what was copied of it before is as long. One that is gone meanwhile is
/// no error.
fn copy_longer(from: &Path, to: &Path) -> Result<(), Error> {
    let to = to.join(from.file_name().unwrap_or_default());
    let copied = std::fs::copy(from, &to).and_then(|_| File::open(&to)?.sync_all());
    match copied {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.map_err(|source| io_error("copy", from, source)),
    }
}
