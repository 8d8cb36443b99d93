//! Reads pages from the files, one after the other, and passes over what is damaged.

use std::path::PathBuf;

use super::{ArchivePlace, Archives, SharedArchive};
use crate::fetch::{Archived, ArchivedPage, archived};
use crate::warc::{AfterDamage, Originals, WarcReader};

/// The state of reading.
pub(super) struct ArchiveReading {
    pub(super) files: Vec<File>,
    /// The file being read; past the last when all are read.
    pub(super) at: usize,
    pub(super) reader: Option<WarcReader>,
    pub(super) originals: Originals,
    /// The offset of the last record read, or of its member.
    pub(super) offset: u64,
    pub(super) pages: u64,
    /// A page that waits until an older version of it is done.
    pub(super) held_back: Option<(ArchivePlace, Box<ArchivedPage>)>,
}

pub(super) struct File {
    pub(super) path: PathBuf,
    /// Where to read from; `None` if the file is done.
    pub(super) from: Option<u64>,
}

impl ArchiveReading {
    /// The next page of the files, if there is one.
    pub(super) fn next(&mut self, archives: &Archives) -> Option<(ArchivePlace, Box<ArchivedPage>)> {
        loop {
            let File { path, from } = self.files.get(self.at)?;
            let reader = match (&mut self.reader, from) {
                (Some(reader), _) => reader,
                (None, None) => {
                    // Revisits may refer to the part of it that an earlier crawl has read.
                    self.originals.enter(path, u64::MAX);
                    self.next_file();
                    continue;
                }
                (none, Some(from)) => match WarcReader::open_at(path, *from) {
                    Ok(reader) => {
                        self.originals.enter(path, *from);
                        none.insert(reader)
                    }
                    Err(error) => {
                        self.give_up(archives, error.to_string());
                        continue;
                    }
                },
            };
            let read = reader.next_record().and_then(|record| {
                let Some(record) = record else { return Ok(None) };
                let SharedArchive { most, product_token, .. } = &*archives.shared;
                let found = archived(reader, &record, &mut self.originals, *most, product_token)?;
                Ok(Some((record.offset, found)))
            });
            let found = match read {
                Ok(Some((offset, found))) => {
                    // A record inside a packed member is found from the beginning of the member.
                    self.offset = offset.unwrap_or(self.offset);
                    found
                }
                Ok(None) => {
                    self.next_file();
                    continue;
                }
                Err(error) => {
                    match reader.recover() {
                        Ok(AfterDamage::Record) => {
                            tracing::warn!(archive = %path.display(), %error, "a damaged record is passed over");
                            archives.state().pass_over("broken");
                        }
                        Ok(AfterDamage::NextArchive) => self.note_unreadable(archives, error.to_string()),
                        _ => self.give_up(archives, error.to_string()),
                    }
                    continue;
                }
            };
            match found {
                Archived::Page(page) => {
                    self.pages += 1;
                    return Some(((self.at, self.offset, self.pages), page));
                }
                Archived::About => {}
                Archived::Other(what) => archives.state().pass_over(what),
                Archived::Broken(why) => {
                    tracing::warn!(archive = %path.display(), why, "a record is passed over");
                    archives.state().pass_over("broken");
                }
            }
        }
    }

    fn next_file(&mut self) {
        (self.reader, self.offset) = (None, 0);
        self.at += 1;
    }

    /// The file cannot be read on. This crawl loses the rest of it.
    fn give_up(&mut self, archives: &Archives, why: String) {
        self.note_unreadable(archives, why);
        self.next_file();
    }

    fn note_unreadable(&self, archives: &Archives, why: String) {
        let path = self.files[self.at].path.clone();
        tracing::error!(archive = %path.display(), why, "the archive cannot be read on");
        archives.state().report.unreadable.push((path, why));
    }
}
