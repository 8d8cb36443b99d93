//! The output of a batch.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::work::BatchResult;
use crate::cli::csv;
use crate::cli::output::Format;
use crate::cli::page_index::PageIndex;
use tsrec_terminal::json::json_line;
use tsrec_terminal::whole_file;

/// The columns of comma-separated values before the content.
const COLUMNS: [&str; 11] =
    ["id", "url", "site", "title", "authors", "published", "language", "kind", "method", "confidence", "words"];

/// Takes results in the order of the input.
pub(super) enum BatchOutput {
    /// One JSON object per line.
    Lines(Box<dyn Write>),
    /// Comma-separated values of these columns.
    Csv(Box<dyn Write>, Vec<&'static str>),
    /// One file per page. The worker wrote it already.
    Folder(PathBuf, PageIndex),
}

impl BatchOutput {
    /// Standard output, a file of JSON lines or comma-separated values, or a folder, which is
    /// created if it does not exist.
    pub(super) fn open(out: Option<&Path>, format: Format) -> Result<BatchOutput> {
        let Some(path) = out.filter(|out| !whole_file::is_standard(out)) else {
            return Ok(BatchOutput::Lines(Box::new(BufWriter::new(std::io::stdout().lock()))));
        };
        if whole_file::is_stream(path) {
            return Ok(BatchOutput::Lines(whole_file::stream(path)?));
        }
        let cannot = || format!("{} cannot be written", path.display());
        if path.extension().is_some_and(|ending| ending == "csv") {
            ensure!(!path.is_dir(), "{} is a folder: what ends with .csv gets comma-separated values", path.display());
            let mut out = Box::new(BufWriter::new(File::create(path).with_context(cannot)?));
            let columns = [&COLUMNS[..], &[format.field(), "error"]].concat();
            csv::row(&mut out, columns.iter().copied())?;
            return Ok(BatchOutput::Csv(out, columns));
        }
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            ensure!(!path.is_dir(), "{} is a folder: what ends with .jsonl gets a JSON object a line", path.display());
            return Ok(BatchOutput::Lines(Box::new(BufWriter::new(File::create(path).with_context(cannot)?))));
        }
        if path.is_file() {
            bail!("{} is a file: --out takes a folder, or a file whose name ends with .jsonl", path.display());
        }
        std::fs::create_dir_all(path).with_context(cannot)?;
        Ok(BatchOutput::Folder(path.to_owned(), PageIndex::open(path)?))
    }

    /// The folder that gets one file per page.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            BatchOutput::Folder(folder, _) => Some(folder),
            BatchOutput::Lines(_) | BatchOutput::Csv(..) => None,
        }
    }

    /// Takes a result. With one file per page, failed pages are named on standard error.
    pub(super) fn write(&mut self, done: &BatchResult) -> Result<()> {
        match (self, &done.line) {
            (BatchOutput::Lines(out), Ok(Some(line))) => writeln!(out, "{line}")?,
            (BatchOutput::Lines(out), Err(why)) => {
                json_line(out, &json!({ "id": done.id, "error": format!("{why:#}") }))?
            }
            (BatchOutput::Csv(out, columns), Ok(Some(line))) => {
                csv::object_row(out, &serde_json::from_str(line)?, columns)?;
            }
            (BatchOutput::Csv(out, columns), Err(why)) => {
                csv::object_row(out, &json!({ "id": done.id, "error": format!("{why:#}") }), columns)?;
            }
            (BatchOutput::Folder(..), Err(why)) => {
                tsrec_terminal::progress::clear();
                writeln!(std::io::stderr(), "tsrec: {}: {why:#}", done.id)?;
            }
            (BatchOutput::Folder(_, index), Ok(_)) => {
                if let Some((file, url)) = &done.file {
                    index.add(file, url.as_deref())?;
                }
            }
            (_, Ok(_)) => {}
        }
        Ok(())
    }

    pub(super) fn close(self) -> Result<()> {
        match self {
            BatchOutput::Lines(mut out) | BatchOutput::Csv(mut out, _) => Ok(out.flush()?),
            BatchOutput::Folder(_, index) => index.close(),
        }
    }
}

/// The files so far, as hashes. With one file per page, a repeated one is an error.
#[derive(Default)]
pub(super) struct Ids {
    met: HashSet<u64>,
}

impl Ids {
    /// False if the file was there before.
    pub(super) fn add(&mut self, file: &Path) -> bool {
        let digest = Sha256::digest(file.as_os_str().as_encoded_bytes());
        self.met.insert(u64::from_be_bytes(digest[..8].try_into().expect("eight bytes")))
    }
}
