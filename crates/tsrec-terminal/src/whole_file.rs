//! Files written whole or not at all: a reader never sees half a file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

/// An unfinished file. It is written beside its target, and replaces it at the end. A
/// [stream](is_stream) is written at once.
pub struct WholeFile(Target);

enum Target {
    Stream(Box<dyn Write + Send>),
    File {
        file: BufWriter<NamedTempFile>,
        /// A symbolic link stays, and its target is replaced.
        target: PathBuf,
    },
}

impl WholeFile {
    /// Begins a file beside the path. It replaces the path when it is finished. Opens a stream; a
    /// named pipe waits for its reader.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn create(path: &Path) -> Result<WholeFile> {
        if is_stream(path) {
            return Ok(WholeFile(Target::Stream(stream(path)?)));
        }
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
        Ok(WholeFile(Target::File { file: BufWriter::new(file), target }))
    }

    /// Moves the file to its target. If it is dropped before, nothing remains.
    pub fn finish(self) -> Result<()> {
        let (file, target) = match self.0 {
            Target::Stream(mut stream) => return Ok(stream.flush()?),
            Target::File { file, target } => (file, target),
        };
        let written = file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
            file.as_file().sync_data()?;
            file.persist(&target).map_err(|error| error.error)
        });
        written.map(drop).map_err(itself).with_context(|| cannot(&target))
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Target::Stream(stream) => stream.write(bytes),
            Target::File { file, .. } => file.write(bytes).map_err(itself),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Target::Stream(stream) => stream.flush(),
            Target::File { file, .. } => file.flush().map_err(itself),
        }
    }
}

/// Names of standard output.
const STANDARD: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Whether a path is standard output (`-`, `/dev/stdout`), a named pipe, or a device such as
/// `/dev/null`. No file can take its place.
pub fn is_stream(path: &Path) -> bool {
    let is_other = |path: &Path| path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
    is_standard(path) || is_other(path)
}

/// Whether a path is standard output.
pub fn is_standard(path: &Path) -> bool {
    STANDARD.iter().any(|name| path == Path::new(name))
}

/// Opens a stream.
///
/// # Errors
///
/// The system's error.
pub fn stream(path: &Path) -> Result<Box<dyn Write + Send>> {
    if is_standard(path) {
        return Ok(Box::new(BufWriter::new(io::stdout())));
    }
    let file = File::options().write(true).open(path).with_context(|| cannot(path))?;
    Ok(Box::new(BufWriter::new(file)))
}

/// Writes a file as a whole.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes).with_context(|| cannot(path))?;
    file.finish()
}

/// Whether a file can be written there. Check this before there is work to lose. A stream is not
/// opened: its reader would take that for its end.
pub fn check(path: &Path) -> Result<()> {
    if is_stream(path) { Ok(()) } else { WholeFile::create(path).map(drop) }
}

/// The error without the temporary file's name, which means nothing to users. `tempfile` keeps
/// only this much apart from the name.
fn itself(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() { error } else { error.kind().into() }
}

fn cannot(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}
