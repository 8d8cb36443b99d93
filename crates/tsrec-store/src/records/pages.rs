//! Records: put, delete, get, list.

use std::ops::Bound;

use jiff::Timestamp;

use crate::Store;
use crate::bodies::KeptBody;
use crate::bodies::uses;
use crate::error::{Error, Kind};
use crate::index::heads;
use crate::index::heads::{HeadSort, PageHead};
use crate::index::stored::StoredRecord;
use crate::index::tree::end_of;
use crate::index::writer::{self, Writer};
use crate::key::Key;
use crate::log::op::{DeletionReason, Op, PageInfo, PageSort, Uses};
use crate::log::packed::Packed;
use crate::record::{NewPage, PageRecord, PageSummary, Written};
use crate::records::apply::{self, Deletion};
use crate::records::memories;
use tsrec_core::page::identity::content_hash;

/// Result of a put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Put {
    /// The sequence number of the page's latest change: this one, if `changed`.
    pub seq: u64,
    /// The content differs from the previous record, or there was none.
    pub changed: bool,
    /// The page is parked for another extraction.
    pub parked: bool,
}

/// What is written in the commit of a page, besides its record.
#[derive(Debug, Clone, Copy, Default)]
pub struct PutExtras<'a> {
    /// The new memory of the page's site.
    pub memory: Option<&'a [u8]>,
    /// The page as fetched, and what the store keeps it for.
    pub kept: Option<KeptBody<'a>>,
    /// Whether this extracts again the fetch of the page's record. If the record is now of
    /// another fetch or gone, the store keeps nothing.
    pub is_again: bool,
}

impl Store {
    /// The record of a page.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; [`Error::is_damaged`]; the database's.
    pub fn get(&self, url: &str) -> Result<Option<PageRecord>, Error> {
        self.get_stored(url)?.map(StoredRecord::unpack).transpose()
    }

    /// At most `limit` pages of a host, or of all, ordered by host, then URL. With `after`, only
    /// those past that URL. Reads as many heads.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] if `after` cannot be a key; the database's errors.
    pub fn list(&self, host: Option<&str>, after: Option<&str>, limit: usize) -> Result<Vec<PageSummary>, Error> {
        let heads = self.heads(HeadSort::Page, host, after)?.take(limit);
        heads
            .map(|entry| {
                let (key, head) = entry?;
                Ok(heads::decode::<PageHead>(&head)?.summary(&key))
            })
            .collect()
    }

    /// The heads of a sort and their keys, of a host or of all, in ascending order. With `after`,
    /// only those past that URL, which need not have a head.
    pub(crate) fn heads(
        &self,
        sort: HeadSort,
        host: Option<&str>,
        after: Option<&str>,
    ) -> Result<impl Iterator<Item = Result<(Key, sled::IVec), Error>>, Error> {
        let prefix = heads::tree_prefix(sort, host);
        let after = after.map(|after| Ok::<_, Error>(heads::tree_key(sort, &Key::parse(after)?))).transpose()?;
        let start = match after {
            Some(after) if after >= prefix => Bound::Excluded(after),
            _ => Bound::Included(prefix.clone()),
        };
        let entries = self.database.base().trees().heads.range::<Vec<u8>, _>((start, end_of(&prefix)));
        Ok(entries.map(|entry| {
            let (tree_key, head) = entry.map_err(Error::sled("list its heads"))?;
            Ok((heads::url_key(&tree_key)?, head))
        }))
    }
}

#[doc(hidden)]
impl Store {
    /// Stores a page. If title and text equal the previous record's, the page keeps its sequence
    /// number and makes no change. The store still replaces the rest of the record. A body of this
    /// fetch waits no more, and one of another fetch goes. One commit; durable after
    /// [`Database::durable`](super::Database::durable).
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key or a confidence outside 0 to 1;
    /// [`Error::is_too_large`]; the database's errors.
    pub fn put(&self, page: &NewPage) -> Result<Put, Error> {
        self.put_with(page, PutExtras::default())
    }

    /// Stores a page, in one commit with these extras.
    ///
    /// # Errors
    ///
    /// Those of [`Store::put`]; [`Error::is_superseded`] if `is_again` and the record is of another
    /// fetch.
    pub fn put_with(&self, page: &NewPage, extras: PutExtras<'_>) -> Result<Put, Error> {
        let PutExtras { memory, kept, is_again } = extras;
        let key = Key::parse(&page.url)?;
        // Packed before any writer has to wait.
        let body = kept.map(|kept| self.pack_body(&key, kept)).transpose()?.flatten();
        let most_parked = kept.map_or(0, |kept| kept.most_parked);
        let memory = memory.map(Packed::new).transpose()?;
        let packed = self.pack(page, &key)?;
        let content_hash = content_hash(page.metadata.title.as_deref(), &page.text);

        let mut writer = Writer::new(self.database.base());
        let before: Option<PageHead> = writer.head(HeadSort::Page, &key)?;
        if is_again && before.as_ref().is_none_or(|head| head.page.fetched_at != page.fetched_at) {
            return Err(Kind::Superseded { url: page.url.clone() }.into());
        }
        let unchanged = before.as_ref().filter(|head| head.page.content_hash == content_hash);
        let (put, changed_at) = match unchanged {
            Some(head) => (Put { seq: head.page.seq, changed: false, parked: false }, head.page.changed_at),
            None => (Put { seq: writer.state.last_sequence + 1, changed: true, parked: false }, page.fetched_at),
        };
        let info = PageInfo::new(page, put.seq, content_hash, changed_at);
        writer.state.last_sequence = writer.state.last_sequence.max(put.seq);
        let place = writer.append(
            Op::Put { key: key.as_str().to_owned(), page: info.clone(), sort: PageSort::new(page) },
            Some(&packed),
        )?;
        apply::put(&mut writer, &key, PageHead { page: info, place, sort: PageSort::new(page) })?;
        if let Some(memory) = memory {
            memories::put(&mut writer, key.host(), &memory)?;
        }
        let body = match body {
            // Others may wait since it was packed.
            Some(body) if body.uses.waits && self.others_parked(&key, most_parked)? >= most_parked => {
                body.without_wait()
            }
            body => body,
        };
        let uses = body.map_or(Ok(Uses::default()), |body| uses::put(&mut writer, &key, &body))?;
        if uses.is_none() {
            uses::follow_record(&mut writer, &key, page.fetched_at)?;
        }
        writer.commit()?;
        Ok(Put { parked: uses.waits, ..put })
    }

    /// Deletes a page and leaves a tombstone in the feed. Returns the tombstone's sequence
    /// number. If there is no record, it returns `None` and makes no change. It always drops the
    /// body of the URL.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn delete(&self, url: &str, reason: DeletionReason, at: Timestamp) -> Result<Option<u64>, Error> {
        let key = Key::parse(url)?;
        let mut writer = Writer::new(self.database.base());
        let before: Option<PageHead> = writer.head(HeadSort::Page, &key)?;
        if before.is_none() {
            if uses::remove(&mut writer, &key)? {
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

    /// When the page of a record was fetched, without reading the record.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn fetched_at(&self, url: &str) -> Result<Option<Timestamp>, Error> {
        let head: Option<PageHead> = writer::head(self.database.base(), HeadSort::Page, &Key::parse(url)?)?;
        Ok(head.map(|head| head.page.fetched_at))
    }

    /// The record of a page, not unpacked.
    ///
    /// # Errors
    ///
    /// Those of [`Store::get`].
    pub fn get_stored(&self, url: &str) -> Result<Option<StoredRecord>, Error> {
        let key = Key::parse(url)?;
        let _no_writer = self.database.base().state();
        let head = writer::head(self.database.base(), HeadSort::Page, &key)?;
        head.map(|head| StoredRecord::new(self.database.base(), key, head)).transpose()
    }

    /// The row of a page in a listing. Reads only its head.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn summary(&self, url: &str) -> Result<Option<PageSummary>, Error> {
        let key = Key::parse(url)?;
        let head: Option<PageHead> = writer::head(self.database.base(), HeadSort::Page, &key)?;
        Ok(head.map(|head| head.summary(&key)))
    }

    /// A page's record, ready for writing.
    fn pack(&self, page: &NewPage, key: &Key) -> Result<Packed, Error> {
        if !(0.0..=1.0).contains(&page.confidence) {
            return Err(Kind::Confidence { url: page.url.clone(), confidence: page.confidence }.into());
        }
        let page = NewPage { url: key.url().to_owned(), ..page.clone() };
        let json = serde_json::to_vec(&Written::new(&page)).map_err(Error::encode("a record"))?;
        let most = self.database.base().config().max_record_bytes;
        if json.len() > most {
            let (what, setting) = ("record", "max_record_bytes");
            return Err(Kind::TooLarge { what, url: page.url, length: json.len(), most, setting }.into());
        }
        Packed::new(&json)
    }
}
