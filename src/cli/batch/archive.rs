//! The pages of a web archive.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, anyhow};
use url::Url;

use super::entry::{Body, Entry, Share, Unusable};
use crate::fetch::MediaType;
use crate::warc::{Kind, Reader, Record, response};

/// What was passed over, and how often.
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

/// Whether a file is an archive, by its name and what it begins with.
pub(super) fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".warc", ".warc.gz", ".warc.zst"].iter().any(|ending| name.ends_with(ending))
}

/// The HTML pages of an archive that were answered with success, one by one as they are asked for: called by the record, with the address that was asked.
pub(super) fn pages(
    path: &Path,
    most: usize,
    share: Share,
    skipped: Skipped,
) -> Result<impl Iterator<Item = Result<Entry, Unusable>> + Send + use<>> {
    let cannot = || format!("{} cannot be read", path.display());
    let mut archive =
        Archive { reader: Reader::open(path).with_context(cannot)?, path: path.to_owned(), most, skipped };
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

struct Archive {
    reader: Reader,
    path: PathBuf,
    most: usize,
    skipped: Skipped,
}

impl Archive {
    /// The next page; `None` at the end of the archive.
    fn next(&mut self) -> Result<Option<Result<Entry, Unusable>>> {
        while let Some(record) = self.reader.next_record()? {
            match record.kind {
                Kind::Revisit => self.skipped.add("revisit"),
                Kind::Other => {}
                Kind::Response | Kind::Resource => {
                    if let Some(page) = self.page(&record)? {
                        let id = || record.id().unwrap_or_default().to_owned();
                        return Ok(Some(page.map_err(|why| Unusable { id: id(), why })));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The page of a record, if it is one.
    fn page(&mut self, record: &Record) -> Result<Option<Result<Entry>>> {
        let Some(target) = record.target().filter(|target| target.starts_with("http:") || target.starts_with("https:"))
        else {
            self.skipped.add("other-scheme");
            return Ok(None);
        };
        // A packed body is shorter than what is in it, and there is a head before it.
        let block = self.reader.block(self.most.saturating_add(1 << 20))?;
        let (content_type, body) = match record.kind {
            Kind::Resource => (record.field("Content-Type").map(str::to_owned), block),
            _ => match response(&block, self.most.saturating_add(1)) {
                None => return Ok(Some(Err(anyhow!("{target}: the record holds no HTTP response")))),
                Some(answer) if !(200..300).contains(&answer.status) => {
                    self.skipped.add("status");
                    return Ok(None);
                }
                Some(answer) => (answer.header("Content-Type").map(str::to_owned), answer.body),
            },
        };
        let media_type = content_type.and_then(|value| MediaType::parse(value.as_bytes()));
        if media_type.as_ref().is_some_and(|media_type| !media_type.is_html()) {
            self.skipped.add("content-type");
            return Ok(None);
        }
        let entry = || -> Result<Entry> {
            Ok(Entry {
                id: record.id().unwrap_or(target).to_owned(),
                url: Some(Url::parse(target).with_context(|| format!("{target:?} is no URL"))?),
                site: None,
                body: Body::Bytes(body, media_type.and_then(|media_type| media_type.charset)),
            })
        };
        Ok(Some(entry()))
    }
}
