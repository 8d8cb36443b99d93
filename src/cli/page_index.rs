//! `index.jsonl` in a folder of pages: which file has which page.

use std::hash::BuildHasher;
use std::io::{BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::{Deserialize, Serialize};
use tempfile::tempfile;

use tsrec_terminal::json::json_line;
use tsrec_terminal::whole_file::WholeFile;

/// Its name.
const NAME: &str = "index.jsonl";

/// A line.
#[derive(Debug, Serialize, Deserialize)]
struct IndexLine {
    file: String,
    url: Option<String>,
}

/// The changes to an index. At the end they replace lines of the one that is there. Memory holds
/// some bytes for each changed file.
pub(super) struct PageIndex {
    root: PathBuf,
    lines: BufWriter<std::fs::File>,
    added: u64,
    /// By the hash of a changed file: the number of its last line, or `None` if it is removed.
    changed: FxHashMap<u64, Option<u64>>,
}

fn hash(file: &str) -> u64 {
    FxBuildHasher.hash_one(file)
}

impl PageIndex {
    /// The index of a folder.
    pub(super) fn open(root: &Path) -> Result<PageIndex> {
        let lines = BufWriter::new(tempfile().context("no temporary file can be made")?);
        Ok(PageIndex { root: root.to_owned(), lines, added: 0, changed: FxHashMap::default() })
    }

    /// A file, below the folder, has a page.
    pub(super) fn add(&mut self, file: &Path, url: Option<&str>) -> Result<()> {
        let line = IndexLine { file: file.display().to_string(), url: url.map(str::to_owned) };
        self.changed.insert(hash(&line.file), Some(self.added));
        self.added += 1;
        json_line(&mut self.lines, &line)
    }

    /// A file has no page any more.
    pub(super) fn remove(&mut self, file: &Path) {
        self.changed.insert(hash(&file.display().to_string()), None);
    }

    /// Writes the index: the old lines without the changed files, then the new ones.
    pub(super) fn close(self) -> Result<()> {
        let PageIndex { root, lines, changed, .. } = self;
        let path = root.join(NAME);
        let mut out = WholeFile::create(&path)?;
        if let Ok(old) = std::fs::File::open(&path) {
            for line in BufReader::new(old).lines() {
                let line = line.with_context(|| format!("{} cannot be read", path.display()))?;
                let is_kept = |known: IndexLine| !changed.contains_key(&hash(&known.file));
                if serde_json::from_str(&line).is_ok_and(is_kept) {
                    writeln!(out, "{line}")?;
                }
            }
        }
        let mut lines = lines.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        lines.rewind()?;
        for (line, number) in BufReader::new(lines).lines().zip(0..) {
            let line = line?;
            let known: IndexLine = serde_json::from_str(&line)?;
            if changed.get(&hash(&known.file)) == Some(&Some(number)) {
                writeln!(out, "{line}")?;
            }
        }
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_replace_lines() {
        let dir = tempfile::tempdir().unwrap();
        let apply = |changes: &[(&str, Option<&str>)]| {
            let mut index = PageIndex::open(dir.path()).unwrap();
            for (file, url) in changes {
                match url {
                    Some(url) => index.add(Path::new(file), Some(url)).unwrap(),
                    None => index.remove(Path::new(file)),
                }
            }
            index.close().unwrap();
            let text = std::fs::read_to_string(dir.path().join(NAME)).unwrap();
            let read = |line: &str| serde_json::from_str::<IndexLine>(line).unwrap();
            let lines = text.lines().map(read).map(|line| format!("{} {}", line.file, line.url.unwrap_or_default()));
            lines.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(apply(&[("a", Some("1")), ("b", Some("2")), ("a", Some("3"))]), "b 2, a 3");
        assert_eq!(apply(&[("c", Some("4")), ("b", None)]), "a 3, c 4");
        assert_eq!(apply(&[("d", Some("5")), ("d", None), ("a", Some("3"))]), "c 4, a 3");
        assert_eq!(apply(&[]), "c 4, a 3");
    }
}
