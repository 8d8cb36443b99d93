//! The destination of an export.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::Path;

use anyhow::{Result, ensure};

use tsrec_terminal::whole_file::{WholeFile, is_standard};

/// Standard output, or a file that only appears once it is complete.
pub(super) enum Out {
    Standard(BufWriter<Stdout>),
    File(WholeFile),
}

impl Out {
    /// Refuses to write binary output to a terminal.
    pub(super) fn open(path: Option<&Path>, is_text: bool) -> Result<Out> {
        let Some(path) = path.filter(|path| !is_standard(path)) else {
            ensure!(
                is_text || !io::stdout().is_terminal(),
                "this is not for a terminal: name a file with --out, or send standard output elsewhere"
            );
            return Ok(Out::Standard(BufWriter::new(io::stdout())));
        };
        ensure!(!path.is_dir(), "{} is a folder: --out names a file, but with --format markdown-dir", path.display());
        Ok(Out::File(WholeFile::create(path)?))
    }

    pub(super) fn finish(self) -> Result<()> {
        match self {
            Out::Standard(mut out) => Ok(out.flush()?),
            Out::File(file) => file.finish(),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Standard(out) => out.write(bytes),
            Out::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Standard(out) => out.flush(),
            Out::File(file) => file.flush(),
        }
    }
}
