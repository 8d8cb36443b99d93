//! The stored progress of archives.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The file in the data directory.
const FILE: &str = "archives.json";

/// The progress of files, by their paths.
pub(super) struct Progress {
    path: PathBuf,
    files: BTreeMap<PathBuf, FilePosition>,
    is_new: bool,
}

/// The progress of one file. A file of another length is another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FilePosition {
    length: u64,
    /// Where the first record begins that is not done; `length` if all are done.
    done: u64,
}

impl Progress {
    pub(super) fn open(dir: &Path) -> io::Result<Progress> {
        let path = dir.join(FILE);
        let files = match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                let way_out =
                    "remove it, and the archives are read from their beginning; what is stored is not stored again";
                io::Error::new(ErrorKind::InvalidData, format!("{}: {error}: {way_out}", path.display()))
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
        };
        Ok(Progress { path, files, is_new: false })
    }

    /// Where to read a file from; `None` if it is done.
    pub(super) fn position(&self, file: &Path) -> Option<u64> {
        let length = length(file);
        match self.files.get(file).filter(|mark| Some(mark.length) == length) {
            Some(mark) => (mark.done < mark.length).then_some(mark.done),
            None => Some(0),
        }
    }

    pub(super) fn is_at(&mut self, file: &Path, done: u64) {
        if let Some(length) = length(file) {
            let mark = FilePosition { length, done: done.min(length) };
            self.is_new |= self.files.insert(file.to_owned(), mark) != Some(mark);
        }
    }

    pub(super) fn is_done(&mut self, file: &Path) {
        self.is_at(file, u64::MAX);
    }

    /// Writes the progress, whole or not at all, if it changed.
    pub(super) fn write(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.is_new) {
            return Ok(());
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec_pretty(&self.files).map_err(io::Error::other)?)?;
        file.as_file().sync_data()?;
        file.persist(&self.path)?;
        Ok(())
    }
}

fn length(file: &Path) -> Option<u64> {
    Some(file.metadata().ok()?.len())
}
