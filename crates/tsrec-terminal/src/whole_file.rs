//! Files that are written whole or not at all: what reads one never sees half of it.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

/// A file under way: written beside the one that is meant, which it takes the place of in the end.
pub struct WholeFile {
    file: BufWriter<NamedTempFile>,
    /// A link stays one, and its target is replaced.
    target: PathBuf,
}

impl WholeFile {
    /// Begins a file beside the path, which takes its place when it is whole.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn create(path: &Path) -> Result<WholeFile> {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // A folder that is not there is said in the system's words, of which `tempfile` keeps
        // nothing.
        folder.metadata().with_context(|| cannot(path))?;
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            // As any new file: what the user's mask allows.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(itself).with_context(|| cannot(path))?;
        Ok(WholeFile { file: BufWriter::new(file), target })
    }

    /// Puts it in its place. One that is dropped before leaves nothing.
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

/// Writes a file whole.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes).with_context(|| cannot(path))?;
    file.finish()
}

/// Whether a file can be written there: to be asked before there is work to lose.
pub fn check(path: &Path) -> Result<()> {
    WholeFile::create(path).map(drop)
}

/// The error without the name of the file under way, which says nothing to anybody. The crate
/// `tempfile` keeps nothing else of it apart.
fn itself(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() { error } else { error.kind().into() }
}

fn cannot(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}
