//! A folder of archives that a crawl writes: one file at a time, the next when it is long enough.
//!
//! The file being written is called `NAME.warc.gz.open`, and loses its `.open` when it is done. So
//! a program that takes only files without `.open` never sees half a record, even if the writer is
//! killed. When the folder is opened again, an unfinished file is cut after its last whole record
//! and closed.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::writer::member;
use super::{NewRecord, Packing, WarcReader};

/// The end of the name of the file being written.
const OPEN: &str = ".warc.gz.open";
/// The end of the name of a finished file.
const DONE: &str = ".warc.gz";
/// The writer locks this file.
const LOCK: &str = "lock";

/// A folder to write to. Only one process at a time can open it.
#[derive(Debug)]
pub struct ArchiveFolder {
    dir: PathBuf,
    /// Bytes after which a file is done.
    most: u64,
    current: Mutex<Option<Current>>,
    _lock: File,
}

#[derive(Debug)]
struct Current {
    file: File,
    path: PathBuf,
    length: u64,
}

impl ArchiveFolder {
    /// Opens a folder, creates it if it does not exist, and closes the file that a killed writer
    /// left. A file is done after `most` bytes.
    ///
    /// # Errors
    ///
    /// The folder cannot be written to, or another process writes to it.
    pub fn open(dir: &Path, most: u64) -> io::Result<ArchiveFolder> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", dir.display()));
        std::fs::create_dir_all(dir).map_err(named)?;
        let lock = File::options().create(true).truncate(false).write(true).open(dir.join(LOCK)).map_err(named)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let why = format!("{}: another crawl writes its archives there; name another folder", dir.display());
                return Err(io::Error::new(ErrorKind::ResourceBusy, why));
            }
            Err(TryLockError::Error(error)) => return Err(named(error)),
        }
        for entry in std::fs::read_dir(dir).map_err(named)? {
            let path = entry.map_err(named)?.path();
            if path.to_string_lossy().ends_with(OPEN) {
                mend(&path).map_err(named)?;
            }
        }
        Ok(ArchiveFolder { dir: dir.to_owned(), most, current: Mutex::default(), _lock: lock })
    }

    /// Writes records, one after the other in one file. Blocks while they are packed. They survive
    /// the end of the process, and a power cut once their file is done.
    ///
    /// # Errors
    ///
    /// The records cannot be written; then none of them is.
    pub fn append(&self, records: &[NewRecord<'_>]) -> io::Result<()> {
        let mut members = Vec::new();
        for record in records {
            members.extend(member(record, Packing::Gzip)?);
        }
        let mut current = self.current();
        let mut open = match current.take() {
            Some(open) => open,
            None => self.begin()?,
        };
        if let Err(error) = open.file.write_all(&members) {
            // Remove what was written of them. If that fails, too, the file is repaired when the
            // folder is opened.
            if open.file.set_len(open.length).is_ok() {
                use std::io::Seek;
                open.file.seek(io::SeekFrom::Start(open.length))?;
                *current = Some(open);
            }
            return Err(error);
        }
        open.length += members.len() as u64;
        match open.length >= self.most {
            true => open.done(),
            false => {
                *current = Some(open);
                Ok(())
            }
        }
    }

    /// Finishes the file being written, if there is one.
    ///
    /// # Errors
    ///
    /// The file cannot be flushed to the disk.
    pub fn close(&self) -> io::Result<()> {
        self.current().take().map_or(Ok(()), Current::done)
    }

    fn current(&self) -> MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a file. Its name is the time, with a number if that name exists.
    fn begin(&self) -> io::Result<Current> {
        let now = Timestamp::now();
        let time = now.strftime("%Y%m%d%H%M%S");
        for number in 0.. {
            let name = format!("tsrec-{time}-{number:05}");
            let done = format!("{name}{DONE}");
            if self.dir.join(&done).exists() {
                continue;
            }
            let path = self.dir.join(format!("{name}{OPEN}"));
            let mut file = match File::options().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            let about = member(&NewRecord::about(now, Some(&done), &[]), Packing::Gzip)?;
            file.write_all(&about)?;
            return Ok(Current { file, path, length: about.len() as u64 });
        }
        Err(ErrorKind::AlreadyExists.into())
    }
}

impl Drop for ArchiveFolder {
    fn drop(&mut self) {
        // A caller who needs the error calls `close`.
        let _ = self.close();
    }
}

impl Current {
    fn done(self) -> io::Result<()> {
        self.file.sync_data()?;
        done(&self.path)
    }
}

/// Removes `.open` from a file's name.
fn done(path: &Path) -> io::Result<()> {
    std::fs::rename(path, path.with_extension(""))
}

/// Cuts a file after its last whole record.
fn mend(path: &Path) -> io::Result<()> {
    let mut reader = WarcReader::open(path)?;
    let (mut records, mut last) = (0, None);
    let whole = loop {
        match reader.next_record() {
            Ok(Some(record)) => (records, last) = (records + 1, record.offset),
            Ok(None) => break path.metadata()?.len(),
            // The unreadable member begins here. Its head may have been read.
            Err(_) => {
                let begin = reader.member();
                records -= i32::from(last == Some(begin));
                break begin;
            }
        }
    };
    // The first record describes the file. Alone it is of no use.
    if records < 2 {
        return std::fs::remove_file(path);
    }
    let file = File::options().write(true).open(path)?;
    file.set_len(whole)?;
    file.sync_data()?;
    done(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: usize) -> NewRecord<'static> {
        let block = format!("{number} {}", "words that do not pack too well ".repeat(number % 7)).into_bytes();
        NewRecord { block: block.into(), ..NewRecord::new("metadata", Timestamp::UNIX_EPOCH) }
    }

    fn names(dir: &Path) -> Vec<String> {
        let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name != LOCK).collect();
        names.sort();
        names
    }

    fn blocks(path: &Path) -> Vec<String> {
        let mut reader = WarcReader::open(path).unwrap();
        let mut blocks = Vec::new();
        while let Some(record) = reader.next_record().unwrap() {
            let block = String::from_utf8(reader.block(usize::MAX).unwrap()).unwrap();
            blocks.extend((record.field("WARC-Type") == Some("metadata")).then_some(block));
        }
        blocks
    }

    #[test]
    fn files_are_done_when_they_are_long_enough() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ArchiveFolder::open(dir.path(), 1_000).unwrap();
        for number in 0..20 {
            folder.append(&[record(number), record(100 + number)]).unwrap();
        }
        let before = names(dir.path());
        assert!(before.len() > 3 && before.iter().filter(|name| name.ends_with(".open")).count() <= 1, "{before:?}");
        let busy = ArchiveFolder::open(dir.path(), 1_000).unwrap_err().to_string();
        assert!(busy.contains("another crawl"), "{busy}");
        drop(folder);
        let all: Vec<String> = names(dir.path()).iter().flat_map(|name| blocks(&dir.path().join(name))).collect();
        let expect: Vec<String> = (0..20)
            .flat_map(|n| [record(n), record(100 + n)])
            .map(|r| String::from_utf8(r.block.into()).unwrap())
            .collect();
        assert_eq!(all, expect);
    }

    /// Whatever part of a file a killed writer left, only whole records remain.
    #[test]
    fn what_a_killed_writer_left_is_cut_behind_its_last_whole_record() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ArchiveFolder::open(dir.path(), u64::MAX).unwrap();
        for number in 0..5 {
            folder.append(&[record(number)]).unwrap();
        }
        let open = dir.path().join(&names(dir.path())[0]);
        let whole = std::fs::read(&open).unwrap();
        drop(folder);
        let done = dir.path().join(&names(dir.path())[0]);
        let all = blocks(&done);
        let mut ends = vec![];
        for length in 0..=whole.len() {
            let _ = std::fs::remove_file(&done);
            std::fs::write(&open, &whole[..length]).unwrap();
            ArchiveFolder::open(dir.path(), u64::MAX).unwrap();
            assert!(!open.exists());
            let left = if done.exists() { blocks(&done) } else { vec![] };
            assert_eq!(left, all[..left.len()], "{length}");
            ends.push(left.len());
        }
        assert!(ends.is_sorted() && ends.last() == Some(&5));
        ends.dedup();
        assert_eq!(ends, [0, 1, 2, 3, 4, 5]);
    }
}
