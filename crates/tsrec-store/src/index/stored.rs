//! Stored data of a page: why it was deleted, its head, and its record before reading.

use std::io::{Cursor, Read};

use jiff::Timestamp;

use crate::error::Error;
use crate::index::base::{Base, Which};
use crate::index::heads::PageHead;
use crate::key::Key;
use crate::log::op::ContentHash;
use crate::log::op::{PageInfo, PageSort};
use crate::log::packed::damaged;
use crate::log::value::StoredValue;
use crate::record::{NewPage, PageRecord, PageSummary, SUMMARY_METHOD_LEN, SUMMARY_TITLE_LEN, WRITTEN, hex};
use tsrec_core::words::beginning;

impl PageInfo {
    pub(crate) fn new(page: &NewPage, seq: u64, content_hash: ContentHash, changed_at: Timestamp) -> PageInfo {
        PageInfo {
            seq,
            content_hash,
            changed_at,
            title: page.metadata.title.as_deref().map(|title| beginning(title, SUMMARY_TITLE_LEN).to_owned()),
            method: beginning(&page.method, SUMMARY_METHOD_LEN).to_owned(),
            confidence: page.confidence,
            words: page.words,
            fetched_at: page.fetched_at,
        }
    }
}

impl PageSort {
    pub(crate) fn new(page: &NewPage) -> PageSort {
        let language = page.metadata.language.as_deref();
        PageSort(match (page.kind.as_deref(), language) {
            (kind, Some(language)) => Some(format!("{}\0{language}", kind.unwrap_or_default())),
            (kind, None) => kind.map(str::to_owned),
        })
    }

    /// The kind.
    pub(crate) fn kind(&self) -> Option<&str> {
        let text = self.0.as_deref()?;
        Some(text.split_once('\0').map_or(text, |(kind, _)| kind)).filter(|kind| !kind.is_empty())
    }

    /// The language.
    pub(crate) fn language(&self) -> Option<&str> {
        self.0.as_deref()?.split_once('\0').map(|(_, language)| language)
    }
}

impl PageHead {
    /// The page as a listing shows it.
    pub(crate) fn summary(self, key: &Key) -> PageSummary {
        let PageHead { page, sort, .. } = self;
        let PageInfo { seq, title, method, confidence, words, fetched_at, .. } = page;
        let (kind, language) = (sort.kind().map(str::to_owned), sort.language().map(str::to_owned));
        PageSummary { url: key.url().to_owned(), seq, title, method, confidence, kind, language, words, fetched_at }
    }
}

/// A stored record that is not read yet. Clones share it.
#[derive(Clone)]
pub struct StoredRecord {
    key: Key,
    page: PageInfo,
    json: StoredValue,
}

impl StoredRecord {
    /// The record of a head. The caller holds the reader's lock.
    pub(crate) fn new(base: &Base, key: Key, head: PageHead) -> Result<StoredRecord, Error> {
        let PageHead { page, place, .. } = head;
        Ok(StoredRecord { key, page, json: StoredValue::at(base.journal(Which::Records), place)? })
    }

    /// A version that differs from every other record of the URL. It changes whenever the record
    /// is written.
    pub fn version(&self) -> String {
        format!("{:x}-{:x}", self.json.number(), self.page.fetched_at.as_nanosecond())
    }

    /// The length of its JSON in bytes, without the few fields that the store adds.
    pub fn json_len(&self) -> u64 {
        self.json.raw_len()
    }

    /// Reads the record's frame and compares its checksum.
    ///
    /// # Errors
    ///
    /// [`Error::is_damaged`].
    pub fn check(&self) -> Result<(), Error> {
        self.json.check().map(drop)
    }

    /// The record.
    ///
    /// # Errors
    ///
    /// [`Error::is_damaged`].
    pub fn unpack(self) -> Result<PageRecord, Error> {
        let json = self.json.unpack()?;
        let page: NewPage = serde_json::from_slice(&json).map_err(Error::decode("a record"))?;
        let PageInfo { seq, content_hash, changed_at, .. } = &self.page;
        let (host, content_hash) = (self.key.host().to_owned(), hex(content_hash));
        let simhash = simhash_of(&json).ok_or_else(|| damaged("a record has no simhash", self.key.as_bytes()))?;
        Ok(PageRecord { page, host, seq: *seq, content_hash, simhash, changed_at: *changed_at })
    }

    /// The record as JSON, unpacked while reading. It takes some megabytes of memory at most, for
    /// any length.
    ///
    /// # Errors
    ///
    /// [`Error::is_damaged`].
    pub fn into_json(self) -> Result<impl Read + Send + use<>, Error> {
        let mut beginning = [0; WRITTEN.len()];
        let mut rest = self.json.reader()?;
        rest.read_exact(&mut beginning).map_err(Error::decode("a record"))?;
        if beginning != WRITTEN {
            return Err(damaged("a record does not begin as one", self.key.as_bytes()));
        }
        let PageInfo { seq, content_hash, changed_at, .. } = &self.page;
        let added = serde_json::json!({
            "host": self.key.host(), "seq": seq, "content_hash": hex(content_hash), "changed_at": changed_at,
        });
        // Both are objects. The first continues where its last brace stood; the second begins
        // after its first brace.
        let mut first = added.to_string();
        first.pop();
        first.push(',');
        let mut first = first.into_bytes();
        first.extend(&WRITTEN[1..]);
        Ok(Cursor::new(first).chain(rest))
    }
}

/// The simhash at the start of a record; `None` if the bytes do not begin like a record.
fn simhash_of(json: &[u8]) -> Option<Option<String>> {
    let (simhash, _) = json.strip_prefix(WRITTEN)?.split_at_checked(SIMHASH_LEN)?;
    match simhash.strip_prefix(b"null,") {
        Some(_) => Some(None),
        None => Some(Some(str::from_utf8(simhash.strip_prefix(b"\"")?.strip_suffix(b"\"")?).ok()?.to_owned())),
    }
}

/// Sixteen hexadecimal digits between quotation marks.
const SIMHASH_LEN: usize = 18;

impl std::fmt::Debug for StoredRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("StoredRecord").field(&self.key.url()).finish()
    }
}
