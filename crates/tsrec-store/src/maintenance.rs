//! An operator's tools for a data directory: inspect it, check it, compact it, back it up.

mod backup;
mod manifest;
mod verify;

use std::fs::File;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;

use crate::database::Database;
use crate::error::Error;
use crate::error::io as io_error;
use crate::index::base::Which;
use crate::index::compacted::{NEW_INDEX, OLD_INDEX, finish_compacting};
use crate::index::state::FLUSH_KEY;
use crate::losses::{Loss, losses};
use crate::recovery::Recovery;
use crate::{Config, Counts, Store, collect, index};

pub use backup::{FrontierCopy, FrontierPart, backup, is_backup, kept_frontier, not_yet, restore};
pub use manifest::{BackupContents, BackupFile, CheckedBackup, check_backup};
pub use verify::{Verified, VerifiedIndex, verify};

/// Number of passes that copy the index, each taking every third entry. Filling pages later
/// splits them, and so writes them, less often than filling in order. Calibration: 80,000 entries
/// of 160 bytes took 4.9 times their length in one pass, 5.2 in two, 3.5 in three, 4.2 in four to
/// eight.
const COPY_PASSES: usize = 3;

/// After this many entries, copying waits for sled's collector, which runs this often.
/// Calibration: without the wait, 20,000 entries of 200 bytes took 3.5 times their length, since
/// rewritten pages were still there. With it they took 1.7 times, and 1.6 with half as many
/// entries.
const COPY_PIECE: usize = 128;
const COLLECT_EVERY: Duration = Duration::from_millis(10);

/// The length of that wait. Judgement: a fifth of the collector's round; the collector works for
/// half of its round.
const COPY_PAUSE: Duration = Duration::from_millis(2);

/// The size of a store and its contents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoreStats {
    /// Bytes of the journal of records, and of its live frames.
    pub records: JournalUsage,
    /// Bytes of the journal of bodies.
    pub bodies: JournalUsage,
    /// Bytes of sled's files.
    pub index: u64,
    /// The store's counts.
    pub counts: Counts,
    /// What opening it found.
    pub recovery: Recovery,
    /// What earlier openings found lost, and this one; until somebody acknowledges it.
    pub losses: Vec<Loss>,
}

/// Bytes of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct JournalUsage {
    /// Of its files.
    pub bytes: u64,
    /// Of its live frames.
    pub live: u64,
}

impl Database {
    /// The size of the store and its contents.
    ///
    /// # Errors
    ///
    /// The disk's errors.
    pub fn stats(&self) -> Result<StoreStats, Error> {
        let usage = |which| {
            let (bytes, live) = self.base().journal(which).size();
            JournalUsage { bytes, live }
        };
        let (records, bodies) = (usage(Which::Records), usage(Which::Bodies));
        let index = self.size_on_disk()? - records.bytes - bodies.bytes;
        let counts = Store::new(self).counts();
        Ok(StoreStats {
            records,
            bodies,
            index,
            counts,
            recovery: self.recovery().clone(),
            losses: losses(self.path())?,
        })
    }
}

/// Removes dead frames from the journals, and rewrites sled's files if that makes them smaller.
/// No other process may have the store open. It needs as much free space as the live data takes.
///
/// sled's log is up to four times as long as its live data. sled's pages hold 16 entries, and
/// sled rewrites them while they fill; it returns no space. A copy is some 1.7 times as long as
/// the live data. A log with a long history may be shorter than that.
///
/// # Errors
///
/// Those of [`Database::open`]; the disk's errors. If it is interrupted at any point, the store
/// is as before, or compacted.
pub fn compact(dir: &Path, config: &Config) -> Result<StoreStats, Error> {
    let is_smaller = {
        let database = Database::open_and_verify(dir, config)?;
        collect::all(database.base(), &database.0.collecting)?;
        copy_index(&database, &dir.join(NEW_INDEX), config)?
    };
    if !is_smaller {
        finish_compacting(dir)?;
        return Database::open_and_verify(dir, config)?.stats();
    }
    let rename = |from: &str, to: &str| {
        std::fs::rename(dir.join(from), dir.join(to)).map_err(|source| io_error("rename", &dir.join(from), source))
    };
    rename(index::DIR, OLD_INDEX)?;
    rename(NEW_INDEX, index::DIR)?;
    finish_compacting(dir)?;
    Database::open_and_verify(dir, config)?.stats()
}

/// Rewrites sled's files; returns whether they got smaller.
fn copy_index(database: &Database, to: &Path, config: &Config) -> Result<bool, Error> {
    database.base().settle()?;
    let from = &database.base().sled;
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
    // Closing the database flushes once more and writes that into the mark. The copy must not
    // look older than the mark.
    let flush = database.base().flush.load(Ordering::SeqCst) + 1;
    let meta = fresh.open_tree("meta").map_err(Error::sled("open a tree"))?;
    meta.insert(FLUSH_KEY, &flush.to_be_bytes()).map_err(Error::sled("write a number"))?;
    fresh.flush().map_err(Error::sled("flush"))?;
    let log = to.join(index::LOG_FILE);
    File::open(&log).and_then(|file| file.sync_all()).map_err(|source| io_error("sync", &log, source))?;
    let size = |sled: &sled::Db| sled.size_on_disk().map_err(Error::sled("measure its files"));
    Ok(size(&fresh)? < size(from)?)
}

/// Makes a private directory, and removes the rights of others: it holds the crawled pages and
/// the API's token.
///
/// # Errors
///
/// The disk's errors.
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

/// The rights of everyone but the owner.
const OTHERS: u32 = 0o077;

/// Makes a directory and its parents unless they exist; new ones are private.
fn make_dir(dir: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}
