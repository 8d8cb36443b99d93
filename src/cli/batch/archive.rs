//! The pages of a web archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, anyhow};
use flate2::bufread::GzDecoder;

use super::entry::{BatchPage, PageBytes, ReadProgress, Unusable};
use tsrec_crawl::fetch::{Archived, ArchivedPage, archived};
use tsrec_crawl::warc;
use tsrec_crawl::warc::{AfterDamage, Originals, WarcReader};
use tsrec_terminal::input::GZIP;

/// Our name in robots directives of archived pages.
const PRODUCT_TOKEN: &str = "tsrec";

/// The first bytes of a record.
const RECORD: &[u8] = b"WARC/";

/// The number of skipped records, by reason.
#[derive(Clone, Debug, Default)]
pub(super) struct Skipped(Arc<Mutex<BTreeMap<&'static str, u64>>>);

impl Skipped {
    fn add(&self, why: &'static str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(why).or_default() += 1;
    }

    pub(super) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Whether a file is an archive, by its name or its first bytes.
pub(in crate::cli) fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".warc", ".warc.gz", ".warc.zst", ".wacz"].iter().any(|ending| name.ends_with(ending)) || begins_as_archive(path)
}

/// Whether a file begins with a record, plain or gzip.
fn begins_as_archive(path: &Path) -> bool {
    // Only regular files: bytes read from a pipe would be lost to later readers.
    let Some(file) = path.is_file().then(|| File::open(path).ok()).flatten() else { return false };
    let mut file = BufReader::new(file);
    let is_packed = file.fill_buf().is_ok_and(|bytes| bytes.starts_with(&GZIP));
    let mut head = Vec::new();
    let read = match is_packed {
        true => GzDecoder::new(file).take(RECORD.len() as u64).read_to_end(&mut head),
        false => file.take(RECORD.len() as u64).read_to_end(&mut head),
    };
    read.is_ok() && head == RECORD
}

/// The successful HTML pages of an archive, read on demand. Each is named by its record and has the
/// requested address.
pub(super) fn pages(
    path: &Path,
    most: usize,
    share: ReadProgress,
    skipped: Skipped,
) -> Result<impl Iterator<Item = Result<BatchPage, Unusable>> + Send + use<>> {
    let cannot = || format!("{} cannot be read", path.display());
    let (reader, mut originals) = (WarcReader::open(path).with_context(cannot)?, Originals::default());
    originals.enter(path, 0);
    let mut archive = ArchivePages { reader, originals, path: path.to_owned(), most, skipped };
    let mut ended = false;
    let mut told = 0;
    Ok(std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let next = archive.next();
        let offset = archive.reader.offset();
        share.add(offset - told);
        told = offset;
        match next {
            Ok(Some(page)) => Some(page),
            Ok(None) => None,
            Err(why) => {
                ended = true;
                let id = format!("{}, from byte {offset} on", archive.path.display());
                Some(Err(Unusable { id, why: why.context("the archive cannot be read on") }))
            }
        }
    }))
}

struct ArchivePages {
    reader: WarcReader,
    originals: Originals,
    path: PathBuf,
    most: usize,
    skipped: Skipped,
}

impl ArchivePages {
    /// The next page; `None` at the end of the archive.
    fn next(&mut self) -> Result<Option<Result<BatchPage, Unusable>>> {
        loop {
            let record = match self.reader.next_record() {
                Ok(Some(record)) => record,
                Ok(None) => return Ok(None),
                Err(error) => {
                    let name = format!("{}, at byte {}", self.path.display(), self.reader.offset());
                    return self.damaged(name, error);
                }
            };
            let name = record.id().or(record.target()).unwrap_or_default().to_owned();
            // One byte more than wanted, so that the parser notices a longer page.
            let most = self.most.saturating_add(1);
            let found = match archived(&mut self.reader, &record, &mut self.originals, most, PRODUCT_TOKEN) {
                Ok(found) => found,
                Err(error) => return self.damaged(name, error),
            };
            match found {
                Archived::About => {}
                Archived::Other(what) => self.skipped.add(what),
                Archived::Broken(why) => return Ok(Some(Err(Unusable { id: name, why: anyhow!(why) }))),
                Archived::Page(page) => {
                    let ArchivedPage { url, body, charset, .. } = *page;
                    return Ok(Some(Ok(BatchPage {
                        id: name,
                        is_named: false,
                        url: Some(url),
                        site: None,
                        body: PageBytes::Bytes(body, charset),
                    })));
                }
            }
        }
    }

    /// Reports a damaged record, if reading goes on after it. Else the archive cannot be read on.
    fn damaged(&mut self, name: String, error: warc::Error) -> Result<Option<Result<BatchPage, Unusable>>> {
        match self.reader.recover() {
            Ok(AfterDamage::Record | AfterDamage::NextArchive) => {
                Ok(Some(Err(Unusable { id: name, why: anyhow!("the record is damaged: {error}") })))
            }
            _ => Err(error.into()),
        }
    }
}
