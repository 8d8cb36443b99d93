//! Where the results of a batch go.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::work::Done;
use crate::cli::output::{Format, json_line};
use crate::learn::model::hex;

/// Takes results in the order of the input.
pub(super) enum Sink {
    /// A JSON object a line.
    Lines(Box<dyn Write>),
    /// A file a page, which was written when it was made.
    Folder(PathBuf),
}

impl Sink {
    /// Standard output, a file of JSON lines, or a folder, which is made where it is not there.
    pub(super) fn open(out: Option<&Path>) -> Result<Sink> {
        let Some(path) = out else { return Ok(Sink::Lines(Box::new(BufWriter::new(std::io::stdout().lock())))) };
        let cannot = || format!("{} cannot be written", path.display());
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            ensure!(!path.is_dir(), "{} is a folder: what ends with .jsonl gets a JSON object a line", path.display());
            return Ok(Sink::Lines(Box::new(BufWriter::new(File::create(path).with_context(cannot)?))));
        }
        if path.is_file() {
            bail!("{} is a file: --out takes a folder, or a file whose name ends with .jsonl", path.display());
        }
        std::fs::create_dir_all(path).with_context(cannot)?;
        Ok(Sink::Folder(path.to_owned()))
    }

    /// The folder that gets a file a page.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Sink::Folder(folder) => Some(folder),
            Sink::Lines(_) => None,
        }
    }

    /// Takes a result. Where each page has its file, those that have none are named on standard error.
    pub(super) fn write(&mut self, done: &Done) -> Result<()> {
        match (self, &done.line) {
            (Sink::Lines(out), Ok(Some(line))) => writeln!(out, "{line}")?,
            (Sink::Lines(out), Err(why)) => json_line(out, &json!({ "id": done.id, "error": format!("{why:#}") }))?,
            (Sink::Folder(_), Err(why)) => {
                super::super::progress::clear();
                writeln!(std::io::stderr(), "tsrec: {}: {why:#}", done.id)?;
            }
            (_, Ok(_)) => {}
        }
        Ok(())
    }

    pub(super) fn close(self) -> Result<()> {
        match self {
            Sink::Lines(mut out) => Ok(out.flush()?),
            Sink::Folder(_) => Ok(()),
        }
    }
}

/// The longest name of a file, in bytes, less the ending: what file systems take.
const LONGEST_NAME: usize = 240;

/// The file of a page: its id, with what is neither letter, digit, nor one of `-_.` of ASCII as in URLs. So no id leads out of the folder, and no two to the same file.
pub(super) fn file_name(id: &str, format: Format) -> String {
    let mut name = String::with_capacity(id.len());
    for (at, byte) in id.bytes().enumerate() {
        match byte {
            b'.' if at == 0 => name.push_str("%2E"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => name.push(char::from(byte)),
            byte => name.push_str(&format!("%{byte:02X}")),
        }
    }
    if name.len() > LONGEST_NAME {
        let digest = hex(&Sha256::digest(id));
        name.truncate(LONGEST_NAME - digest.len());
        name.push_str(&digest);
    }
    format!("{name}.{}", format.ending())
}

/// Ids that were met, as hashes; where each page has its file, a second one of the same id is an error.
#[derive(Default)]
pub(super) struct Ids {
    met: HashSet<u64>,
}

impl Ids {
    /// False when it was met before.
    pub(super) fn add(&mut self, id: &str) -> bool {
        let digest = Sha256::digest(id);
        self.met.insert(u64::from_be_bytes(digest[..8].try_into().expect("eight bytes")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_leads_out_of_the_folder_and_no_two_are_one_file() {
        let long = "x".repeat(300);
        let ids = ["a-b_c.d", "../../etc", ".hidden", "a/b", "a%2Fb", "A", "a b", "ä", "", &long, &long[1..]];
        let names: HashSet<String> = ids.iter().map(|id| file_name(id, Format::Text)).collect();
        assert_eq!(names.len(), ids.len());
        assert!(names.contains("a-b_c.d.txt") && names.contains("%2E.%2F..%2Fetc.txt") && names.contains("%C3%A4.txt"));
        assert!(names.iter().all(|name| !name.contains('/') && !name.starts_with("..") && name.len() <= 255));
    }
}
