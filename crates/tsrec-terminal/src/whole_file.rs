//! Files written whole or not at all: a reader never sees half a file.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

/// An unfinished file. It is written beside its target, and replaces it at the end.
pub struct WholeFile {
    file: BufWriter<NamedTempFile>,
    /// A symbolic link stays, and its target is replaced.
    target: PathBuf,
}

impl WholeFile {
    /// Begins a file beside the path. It replaces the path when it is finished.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn create(path: &Path) -> Result<WholeFile> {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // If the folder is missing, report the system's error: `tempfile` loses it.
        folder.metadata().with_context(|| cannot(path))?;
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            // Permissions as for any new file: the user's umask.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(itself).with_context(|| cannot(path))?;
        Ok(WholeFile { file: BufWriter::new(file), target })
    }

    /// Moves the file to its target. If it is dropped before, nothing remains.
    pub fn finish(self) -> Result<()> {
        let WholeFile { file, target } = self;
        let written = file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
            file.as_file().sync_data()?;
            file.persist(&target).map_err(|error| error.error)
        });
        written.map(drop).map_err(itself).with_context(|| cannot(&target))
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(itself)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(itself)
    }
}

/// Writes a file as a whole.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes).with_context(|| cannot(path))?;
    file.finish()
}

/// Whether a file can be written there. Check this before there is work to lose.
pub fn check(path: &Path) -> Result<()> {
    WholeFile::create(path).map(drop)
}

/// The error without the temporary file's name, which means nothing to users. `tempfile` keeps
/// only this much apart from the name.
fn itself(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() { error } else { error.kind().into() }
}

fn cannot(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}
