//! Records: put, delete, get, list.

use std::io::{Cursor, Read};
use std::ops::Bound;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Store;
use super::added;
use super::apply::{self, Deletion};
use super::database::Database;
use super::error::{Error, Kind};
use super::feed::Change;
use super::instant;
use super::journal::Place;
use super::journal::frame::Op;
use super::key::Key;
use super::lessons;
use super::memories;
use super::packed::{Packed, damaged};
use super::parked;
use super::record::{
    ContentHash, NewPage, OfTemplate, PageRecord, SUMMARY_METHOD_LEN, SUMMARY_TITLE_LEN, Summary, WRITTEN, Written,
    beginning, hex,
};
use super::value::Value;
use super::writer::{self, Sort, Which, Writer};
use crate::page::identity::{content_hash, simhash_hex};
use crate::template::{Learned, Memory, Site, Visit};

/// What a put did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Put {
    /// The sequence number of the page's latest change: this one, if `changed`.
    pub seq: u64,
    /// The content differs from what was there, or nothing was there.
    pub changed: bool,
}

/// What there is to learn from a page, beside its record.
#[derive(Debug, Clone, Copy)]
pub struct Learning<'a> {
    /// What stands where on it: the memory of this page alone.
    pub memory: &'a Memory,
    /// What else is known of it.
    pub visit: Visit,
    /// Of how many other pages of its site something was remembered when its content was found.
    pub known: u32,
    /// A lesson for the crawl's own model.
    pub lesson: Option<&'a [u8]>,
}

/// Why a page was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    // Stored by position: new reasons go to the end.
    /// The server says so (404 or 410).
    Gone,
    /// robots.txt no longer allows the page.
    Disallowed,
    /// The page has moved; its new address has its own record.
    Redirected,
    /// The page asks not to be indexed.
    Noindex,
    /// The page could not be had for days: its server refuses it, fails, sends something else, or does not answer.
    Unavailable,
    /// Its content stands under the address that the page calls canonical; or under two of other patterns, as a soft 404 does.
    Duplicate,
}

/// What is known of a page without its record: all that a listing and the next put need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PageInfo {
    pub(super) seq: u64,
    pub(super) content_hash: ContentHash,
    #[serde(with = "instant")]
    pub(super) changed_at: Timestamp,
    title: Option<String>,
    method: String,
    confidence: f64,
    words: u64,
    #[serde(with = "instant")]
    fetched_at: Timestamp,
}

impl PageInfo {
    pub(super) fn of(page: &NewPage, seq: u64, content_hash: ContentHash, changed_at: Timestamp) -> PageInfo {
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
    #[serde(deserialize_with = "added::or_none")]
    pub(super) kind: Option<String>,
}

impl Store {
    /// Keeps a page. If title and text are those of the record before, the page keeps its sequence number and no change is made, but the
    /// rest of the record is replaced. A parked body of the URL is dropped. One transaction; durable after
    /// [`Database::durable`](super::Database::durable).
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key or a confidence outside 0 to 1; [`Error::is_too_large`]; the database's.
    pub fn put(&self, page: &NewPage) -> Result<Put, Error> {
        self.put_and(page, None, None)
    }

    /// Keeps a page and, if its title or text are not those of the record before, its lesson, in the same transaction. A lesson larger than
    /// the setting `max_lesson_bytes` after compression is not kept; the page is.
    ///
    /// # Errors
    ///
    /// Those of [`Store::put`].
    pub fn put_with_lesson(&self, page: &NewPage, lesson: &[u8]) -> Result<Put, Error> {
        self.put_and(page, lessons::pack(self.database.config(), lesson)?, None)
    }

    /// Keeps a page and what is learned from it, in the same transaction: its site remembers it, the record says as which template's, and its lesson is
    /// kept as [above](Store::put_with_lesson).
    ///
    /// # Errors
    ///
    /// Those of [`Store::put`].
    pub fn put_learned(&self, mut page: NewPage, learning: &Learning<'_>) -> Result<(NewPage, Put, Learned), Error> {
        let host = Key::parse(&page.url)?.host().to_owned();
        let lesson = learning.lesson.map(|lesson| lessons::pack(self.database.config(), lesson)).transpose()?.flatten();
        let bounds = self.site_bounds();
        let learn = |site: &mut Site| site.learn_within(learning.memory, learning.visit, &bounds);
        let ((page, put), learned) = self.learn(&host, learn, |site, learned, change| {
            let number = learned.number;
            let old = site.templates().iter().find(|old| old.replaced_by() == Some(number));
            page.template = Some(OfTemplate { number, pages: learning.known, replaces: old.map(|old| old.number) });
            let put = self.put_and(&page, lesson, change)?;
            Ok((page, put))
        })?;
        Ok((page, put, learned))
    }

    fn put_and(
        &self,
        page: &NewPage,
        lesson: Option<Packed>,
        memory: Option<memories::Change<'_>>,
    ) -> Result<Put, Error> {
        let key = Key::parse(&page.url)?;
        let packed = self.pack(page, &key)?;
        let content_hash = content_hash(page.metadata.title.as_deref(), &page.text);

        let mut writer = Writer::new(&self.database);
        let before: Option<PageHead> = writer.head(Sort::Page, &key)?;
        let unchanged = before.as_ref().filter(|head| head.page.content_hash == content_hash);
        let (put, changed_at) = match unchanged {
            Some(head) => (Put { seq: head.page.seq, changed: false }, head.page.changed_at),
            None => (Put { seq: writer.state.last_sequence + 1, changed: true }, page.fetched_at),
        };
        let info = PageInfo::of(page, put.seq, content_hash, changed_at);
        writer.state.last_sequence = writer.state.last_sequence.max(put.seq);
        let place = writer.append(
            Op::Put { key: key.as_str().to_owned(), page: info.clone(), kind: page.kind.clone() },
            Some(&packed),
        )?;
        apply::put(&mut writer, &key, PageHead { page: info, place, kind: page.kind.clone() })?;
        if let Some(memory) = memory {
            memories::put(&mut writer, memory)?;
        }
        if let Some(lesson) = lesson.filter(|_| put.changed) {
            lessons::put(&mut writer, &key, &lesson)?;
        }
        writer.commit()?;
        Ok(put)
    }

    /// Deletes a page and leaves a tombstone in the feed. Gives the tombstone's sequence number, or `None`, and makes no change, if there
    /// is no record. A parked body of the URL is dropped in any case, and so is a lesson.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's.
    pub fn delete(&self, url: &str, reason: Reason, at: Timestamp) -> Result<Option<u64>, Error> {
        let key = Key::parse(url)?;
        let mut writer = Writer::new(&self.database);
        let before: Option<PageHead> = writer.head(Sort::Page, &key)?;
        if before.is_none() {
            if parked::take(&mut writer, &key)? | lessons::take(&mut writer, &key)? {
                writer.commit()?;
            }
            return Ok(None);
        }
        writer.state.last_sequence += 1;
        let seq = writer.state.last_sequence;
        let place = writer.append(Op::Delete { key: key.as_str().to_owned(), seq, reason, at }, None)?;
        apply::delete(&mut writer, &key, Deletion { seq, reason, at }, place)?;
        writer.commit()?;
        Ok(Some(seq))
    }

    /// The record of a page.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; [`Error::is_damaged`]; the database's.
    pub fn get(&self, url: &str) -> Result<Option<PageRecord>, Error> {
        self.get_stored(url)?.map(StoredRecord::unpack).transpose()
    }

    /// When the page of a record was fetched, without reading the record.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's.
    pub fn fetched_at(&self, url: &str) -> Result<Option<Timestamp>, Error> {
        let head: Option<PageHead> = writer::head(&self.database, Sort::Page, &Key::parse(url)?)?;
        Ok(head.map(|head| head.page.fetched_at))
    }

    /// The record of a page, not unpacked.
    ///
    /// # Errors
    ///
    /// Those of [`Store::get`].
    pub fn get_stored(&self, url: &str) -> Result<Option<StoredRecord>, Error> {
        let key = Key::parse(url)?;
        let _no_writer = self.database.state();
        let head = writer::head(&self.database, Sort::Page, &key)?;
        head.map(|head| StoredRecord::new(&self.database, key, head)).transpose()
    }

    /// At most `limit` pages of a host, or of all, ordered by host, then URL; with `after`, only those past that URL. Reads as many heads.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] if `after` cannot be a key; the database's.
    pub fn list(&self, host: Option<&str>, after: Option<&str>, limit: usize) -> Result<Vec<Summary>, Error> {
        let prefix = writer::tree_prefix(Sort::Page, host);
        let after = after.map(|after| Ok::<_, Error>(writer::tree_key(Sort::Page, &Key::parse(after)?))).transpose()?;
        let start = match after {
            Some(after) if after >= prefix => Bound::Excluded(after),
            _ => Bound::Included(prefix.clone()),
        };
        let entries = self.database.trees().heads.range::<Vec<u8>, _>((start, Bound::Unbounded));
        entries
            .map(|entry| entry.map_err(Error::sled("list its heads")))
            .take_while(|entry| entry.as_ref().map_or(true, |(key, _)| key.starts_with(&prefix)))
            .take(limit)
            .map(|entry| entry.and_then(|(key, head)| summary(&key, &head)))
            .collect()
    }

    /// The row of a page in a listing: its head alone is read.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's.
    pub fn summary(&self, url: &str) -> Result<Option<Summary>, Error> {
        let key = Key::parse(url)?;
        let head: Option<PageHead> = writer::head(&self.database, Sort::Page, &key)?;
        Ok(head.map(|head| row(&key, head)))
    }

    /// A page's record, ready to be written.
    fn pack(&self, page: &NewPage, key: &Key) -> Result<Packed, Error> {
        if !(0.0..=1.0).contains(&page.confidence) {
            return Err(Kind::Confidence { url: page.url.clone(), confidence: page.confidence }.into());
        }
        let page = NewPage { url: key.url().to_owned(), ..page.clone() };
        let json = serde_json::to_vec(&Written::new(&page)).map_err(Error::encode("a record"))?;
        let most = self.database.config().max_record_bytes;
        if json.len() > most {
            let (what, setting) = ("record", "max_record_bytes");
            return Err(Kind::TooLarge { what, url: page.url, length: json.len(), most, setting }.into());
        }
        Packed::new(&json)
    }
}

/// A record as it lies in the store, not read yet. Clones share it.
#[derive(Clone)]
pub struct StoredRecord {
    key: Key,
    page: PageInfo,
    json: Value,
}

impl StoredRecord {
    /// The record of a head. The caller holds the reader's lock.
    pub(super) fn new(database: &Database, key: Key, head: PageHead) -> Result<StoredRecord, Error> {
        let PageHead { page, place, .. } = head;
        Ok(StoredRecord { key, page, json: Value::at(database.journal(Which::Records), place)? })
    }

    /// What tells it from every other record of its URL: another whenever the record was written anew.
    pub fn version(&self) -> String {
        format!("{:x}-{:x}", self.json.number(), self.page.fetched_at.as_nanosecond())
    }

    /// The length of its JSON in bytes, but for the few fields that the store adds.
    pub fn json_len(&self) -> u64 {
        self.json.raw_len()
    }

    /// The record.
    ///
    /// # Errors
    ///
    /// [`Error::is_damaged`].
    pub fn unpack(self) -> Result<PageRecord, Error> {
        let page: NewPage = serde_json::from_slice(&self.json.unpack()?).map_err(Error::decode("a record"))?;
        let PageInfo { seq, content_hash, changed_at, .. } = &self.page;
        let (host, content_hash) = (self.key.host().to_owned(), hex(content_hash));
        let simhash = simhash_hex(&page.text);
        Ok(PageRecord { page, host, seq: *seq, content_hash, simhash, changed_at: *changed_at })
    }

    /// The record as JSON, unpacked while it is read: some megabytes of memory at most, however long it is. One that an older program wrote is
    /// unpacked first, and has today's fields.
    ///
    /// # Errors
    ///
    /// [`Error::is_damaged`].
    pub fn into_json(self) -> Result<impl Read + Send + use<>, Error> {
        let mut beginning = [0; WRITTEN.len()];
        let mut rest = self.json.reader()?;
        rest.read_exact(&mut beginning).map_err(Error::decode("a record"))?;
        if beginning != WRITTEN {
            let record = serde_json::to_vec(&self.unpack()?).map_err(Error::encode("a record"))?;
            return Ok(Cursor::new(record).chain(Box::new(std::io::empty()) as Box<dyn Read + Send>));
        }
        let PageInfo { seq, content_hash, changed_at, .. } = &self.page;
        let added = serde_json::json!({
            "host": self.key.host(), "seq": seq, "content_hash": hex(content_hash), "changed_at": changed_at,
        });
        // Both are objects: the first goes on where its last brace stood, the second begins behind its first.
        let mut first = added.to_string();
        first.pop();
        first.push(',');
        let mut first = first.into_bytes();
        first.extend(&WRITTEN[1..]);
        Ok(Cursor::new(first).chain(Box::new(rest) as Box<dyn Read + Send>))
    }
}

impl std::fmt::Debug for StoredRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("StoredRecord").field(&self.key.url()).finish()
    }
}

/// The record that a change speaks of, at the moment the change was read: the caller holds the reader's lock.
pub(super) fn record_of(database: &Database, change: &Change) -> Result<StoredRecord, Error> {
    let key = Key::parse(&change.url)?;
    let head: Option<PageHead> = writer::head(database, Sort::Page, &key)?;
    let head = head.filter(|head| head.page.seq == change.seq);
    let head = head.ok_or_else(|| damaged("the feed has a change that its record has not", key.as_bytes()))?;
    StoredRecord::new(database, key, head)
}

fn summary(tree_key: &[u8], head: &[u8]) -> Result<Summary, Error> {
    Ok(row(&writer::url_key(tree_key)?, writer::decode(head)?))
}

fn row(key: &Key, PageHead { page, kind, .. }: PageHead) -> Summary {
    let PageInfo { seq, title, method, confidence, words, fetched_at, .. } = page;
    Summary { url: key.url().to_owned(), seq, title, method, confidence, kind, words, fetched_at }
}
