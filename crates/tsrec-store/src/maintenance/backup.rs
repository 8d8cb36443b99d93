//! Copies a store to a backup, and makes a store from one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::database::Database;
use crate::error::io as io_error;
use crate::error::{Error, Kind};
use crate::log::RECORDS;
use crate::log::mark;
use crate::log::scan;
use crate::maintenance::manifest::{self, BackupContents, CheckedBackup};
use crate::maintenance::{StoreStats, make_dir, make_private};
use crate::{Config, index, losses};

/// A part of the frontier in a backup: one line per URL, or one per host. The program that makes
/// the backup writes the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontierPart {
    /// Its URLs.
    Urls,
    /// Its hosts.
    Hosts,
}

impl FrontierPart {
    /// The file's name in a backup.
    pub(super) fn file(self) -> &'static str {
        match self {
            FrontierPart::Urls => "frontier.jsonl",
            FrontierPart::Hosts => "hosts.jsonl",
        }
    }
}

/// Checks that nothing is at the backup's path yet.
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

/// Copies the durable part of the journal of records, and writes the manifest. A store can be made
/// from it again. A daemon may be running: frames are checksummed, and the copy has each concurrent
/// write whole or not at all.
///
/// The copy omits bodies, since they come again. [`FrontierCopy`] puts the frontier beside it; do
/// that before, so that the manifest has it.
///
/// # Errors
///
/// The disk's errors; [`Error::is_io`] if something is at `to` already.
pub fn backup(dir: &Path, to: &Path) -> Result<BackupContents, Error> {
    not_yet(to)?;
    copy_records(dir, to)?;
    manifest::write(to)
}

fn copy_records(dir: &Path, to: &Path) -> Result<(), Error> {
    let (from, to) = (dir.join(RECORDS), to.join(RECORDS));
    make_dir(&to).map_err(|source| io_error("make", &to, source))?;
    // If a segment is collected during the copy, its frames are in a later segment. The next
    // round copies that.
    loop {
        let before = segments(&from)?;
        for path in &before {
            copy_longer(path, &to)?;
        }
        if before == segments(&from)? {
            return Ok(());
        }
    }
}

/// Whether a directory holds a backup, not a store.
pub fn is_backup(dir: &Path) -> bool {
    let is_store = [index::DIR, mark::FILE_NAME].iter().any(|name| dir.join(name).exists());
    dir.join(manifest::FILE).exists() || dir.join(RECORDS).is_dir() && !is_store
}

/// Makes a store from a backup. It begins a new epoch, since a reader may have seen changes newer
/// than the backup. That is no loss unless the backup is damaged.
///
/// The backup must match its manifest. With `accept_loss` this makes a store of what is there; the
/// returned comparison tells what is missing.
///
/// # Errors
///
/// [`Error::is_backup`] if the backup does not match its manifest, or has none; the disk's errors;
/// [`Error::is_io`] if the directory holds a store.
pub fn restore(
    backup_dir: &Path,
    dir: &Path,
    config: &Config,
    accept_loss: bool,
) -> Result<(StoreStats, CheckedBackup), Error> {
    if Database::is_in(dir) {
        let source = io::Error::new(io::ErrorKind::AlreadyExists, "there is a store already");
        return Err(io_error("restore into", dir, source));
    }
    if !is_backup(backup_dir) {
        let source = io::Error::new(io::ErrorKind::NotFound, "this is no backup");
        return Err(Kind::Io { doing: "restore from", path: backup_dir.to_owned(), source }.into());
    }
    let checked = manifest::check_backup(backup_dir)?;
    if !checked.is_sound() && !accept_loss {
        return Err(Kind::Backup { path: backup_dir.to_owned(), faults: checked.faults }.into());
    }
    make_private(dir)?;
    if backup_dir.join(RECORDS).is_dir() {
        copy_records(backup_dir, dir)?;
    }
    let database = Database::open(dir, config)?;
    if checked.is_sound() {
        // Its new epoch is no loss.
        losses::acknowledge(dir)?;
    }
    Ok((database.stats()?, checked))
}

/// Ending of the name of an unfinished file.
pub(super) const UNDER_WAY: &str = "part";

/// Writes a part of the frontier to a backup. It writes line by line, since the part may be
/// larger than memory. The file gets its name when it is complete.
#[derive(Debug)]
pub struct FrontierCopy {
    path: PathBuf,
    file: BufWriter<File>,
    lines: u64,
}

impl FrontierCopy {
    /// Begins the file in a backup's folder, and makes the folder if needed.
    ///
    /// # Errors
    ///
    /// The disk's errors.
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
    /// The disk's errors.
    pub fn add(&mut self, line: &str) -> Result<(), Error> {
        writeln!(self.file, "{line}").map_err(|source| io_error("write", &self.path, source))?;
        self.lines += 1;
        Ok(())
    }

    /// Finishes the file on the disk. Returns the number of lines.
    ///
    /// # Errors
    ///
    /// The disk's errors.
    pub fn end(mut self) -> Result<u64, Error> {
        let under_way = self.path.with_extension(UNDER_WAY);
        let synced = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        let named = synced.and_then(|()| std::fs::rename(under_way, &self.path));
        named.map_err(|source| io_error("write", &self.path, source))?;
        Ok(self.lines)
    }
}

/// The lines that [`FrontierCopy`] wrote; none if the backup lacks them.
///
/// # Errors
///
/// The disk's errors.
pub fn kept_frontier(
    backup_dir: &Path,
    kept: FrontierPart,
) -> Result<impl Iterator<Item = Result<Vec<u8>, Error>> + use<>, Error> {
    let path = backup_dir.join(kept.file());
    let file = match File::open(&path) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => return Err(io_error("read", &path, source)),
    };
    let lines = file.map(|file| BufReader::new(file).split(b'\n'));
    Ok(lines.into_iter().flatten().map(move |line| line.map_err(|source| io_error("read", &path, source))))
}

fn segments(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let ids = scan::segment_ids(dir).map_err(|source| io_error("list", dir, source))?;
    Ok(ids.into_iter().map(|id| crate::log::path_of(dir, id)).collect())
}

/// Copies a segment, unless its earlier copy is as long. A segment that has gone meanwhile is no
/// error.
fn copy_longer(from: &Path, to: &Path) -> Result<(), Error> {
    let to = to.join(from.file_name().unwrap_or_default());
    let copied = std::fs::copy(from, &to).and_then(|_| File::open(&to)?.sync_all());
    match copied {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.map_err(|source| io_error("copy", from, source)),
    }
}
