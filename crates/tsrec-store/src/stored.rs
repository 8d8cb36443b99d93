//! Stored data of a page: why it was deleted, its head, and its record before reading.

use std::io::{Cursor, Read};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::database::Database;
use super::error::Error;
use super::instant;
use super::journal::Place;
use super::key::Key;
use super::packed::damaged;
use super::record::{
    ContentHash, NewPage, PageRecord, PageSummary, SUMMARY_METHOD_LEN, SUMMARY_TITLE_LEN, WRITTEN, hex,
};
use super::value::StoredValue;
use super::writer::Which;
use tsrec_core::words::beginning;

/// Why a page was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeletionReason {
    // Stored by position: add new reasons at the end.
    /// The server says that the page is gone (404 or 410).
    Gone,
    /// robots.txt no longer allows the page.
    Disallowed,
    /// The page has moved. Its new URL has its own record.
    Redirected,
    /// The page asks not to be indexed.
    Noindex,
    /// The crawl could not get the page for days. Its server refuses it, fails, sends something
    /// else, or does not answer.
    Unavailable,
    /// The content is also at the page's canonical URL. Or it is also at two URLs of other
    /// patterns, as with a soft 404.
    Duplicate,
}

/// Page data outside the record: all that a listing and the next put need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PageInfo {
    pub(super) seq: u64,
    pub(super) content_hash: ContentHash,
    #[serde(with = "instant")]
    pub(super) changed_at: Timestamp,
    title: Option<String>,
    pub(super) method: String,
    pub(super) confidence: f64,
    pub(super) words: u64,
    #[serde(with = "instant")]
    pub(super) fetched_at: Timestamp,
}

impl PageInfo {
    pub(super) fn new(page: &NewPage, seq: u64, content_hash: ContentHash, changed_at: Timestamp) -> PageInfo {
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

/// The head of a page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PageHead {
    pub(super) page: PageInfo,
    pub(super) place: Place,
    pub(super) sort: PageSort,
}

/// Kind and language of a page, as one text: the kind, and past a zero byte the language. Stores
/// that an earlier version wrote have the kind alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PageSort(Option<String>);

impl PageSort {
    pub(super) fn new(page: &NewPage) -> PageSort {
        let language = page.metadata.language.as_deref();
        PageSort(match (page.kind.as_deref(), language) {
            (kind, Some(language)) => Some(format!("{}\0{language}", kind.unwrap_or_default())),
            (kind, None) => kind.map(str::to_owned),
        })
    }

    /// The kind.
    pub(super) fn kind(&self) -> Option<&str> {
        let text = self.0.as_deref()?;
        Some(text.split_once('\0').map_or(text, |(kind, _)| kind)).filter(|kind| !kind.is_empty())
    }

    /// The language.
    pub(super) fn language(&self) -> Option<&str> {
        self.0.as_deref()?.split_once('\0').map(|(_, language)| language)
    }
}

impl PageHead {
    /// The page as a listing shows it.
    pub(super) fn summary(self, key: &Key) -> PageSummary {
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
    pub(super) fn new(database: &Database, key: Key, head: PageHead) -> Result<StoredRecord, Error> {
        let PageHead { page, place, .. } = head;
        Ok(StoredRecord { key, page, json: StoredValue::at(database.journal(Which::Records), place)? })
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
