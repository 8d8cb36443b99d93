//! The bodies of pages, in one journal under one budget. A page's body is there once, whatever it
//! is kept for:
//!
//! - The page *waits* for another extraction.
//! - It is a *sibling*: pages of its host are compared with it.
//! - It is *raw*: it stays as it came, so that a later version of the program can extract it again.
//!
//! A page that asks for no copy (`noarchive`) is not raw. Its body goes once it no longer waits. If
//! it is a sibling, only its tag sequence is left. [`uses`] changes what bodies are kept for, and
//! [`room`] keeps them within the setting `bodies_bytes`.

pub(crate) mod frame;
pub(crate) mod room;
pub(crate) mod uses;

use jiff::Timestamp;

use crate::Store;
use crate::error::{Error, Kind};
use crate::index::base::{Base, Which};
use crate::index::heads;
use crate::index::heads::{BodyHead, HeadSort, ParkedHead};
use crate::index::writer::{self, Writer};
use crate::key::Key;
use crate::log::op::Uses;
use crate::log::packed::Packed;
use frame::BodyValue;
use uses::PackedBody;

/// A page as fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parked {
    /// The decoded body.
    pub body: Vec<u8>,
    /// The HTTP status code.
    pub status: u16,
    /// The charset in the HTTP header. A name longer than any real one is dropped.
    pub charset: Option<String>,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// The fetcher's limit cut the body.
    pub truncated: bool,
}

/// A page as fetched, and what the store keeps it for.
#[derive(Debug, Clone, Copy)]
pub struct KeptBody<'a> {
    /// The page.
    pub page: &'a Parked,
    /// It waits for another extraction, if its body has at most the setting `max_parked_bytes`.
    /// The next record of its URL ends that.
    pub waits: bool,
    /// It does not wait if so many other pages of its host do.
    pub most_parked: usize,
    /// Pages of its host are compared with it. If the host then has too many siblings, the oldest
    /// goes.
    pub sibling: bool,
    /// It may stay as it came.
    pub raw: bool,
    /// Its tag sequence: what stays of a sibling that is not raw. Without one, such a page is no
    /// sibling.
    pub sequence: Option<&'a [u8]>,
}

impl<'a> KeptBody<'a> {
    /// A page that is kept for nothing yet.
    pub fn new(page: &'a Parked) -> Self {
        KeptBody { page, waits: false, most_parked: usize::MAX, sibling: false, raw: false, sequence: None }
    }
}

/// A page to compare others with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldSibling {
    /// As fetched.
    Page(Parked),
    /// A page that asks for no copy: the bytes of its tag sequence.
    Sequence(Vec<u8>),
}

#[doc(hidden)]
impl Store {
    /// Keeps a body, and replaces the one that was kept for its URL. Returns whether it did: bodies
    /// larger than the budget are kept only if they wait.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn keep(&self, url: &str, kept: KeptBody<'_>) -> Result<bool, Error> {
        let key = Key::parse(url)?;
        let Some(body) = self.pack_new_body(&key, kept)? else { return Ok(false) };
        let mut writer = Writer::new(self.database.base());
        uses::put(&mut writer, &key, &body)?;
        writer.commit()?;
        Ok(true)
    }

    /// Parks a page: it waits until a record of its URL comes, or its deletion.
    ///
    /// # Errors
    ///
    /// [`Error::is_too_large`]; [`Error::is_invalid`] for a URL that cannot be a key; the
    /// database's.
    pub fn park(&self, url: &str, page: &Parked) -> Result<(), Error> {
        let key = Key::parse(url)?;
        let (length, most) = (page.body.len(), self.database.base().config().max_parked_bytes);
        if length > most {
            let (what, url, setting) = ("body", key.url().to_owned(), "max_parked_bytes");
            return Err(Kind::TooLarge { what, url, length, most, setting }.into());
        }
        let before = head(self.database.base(), &key)?.filter(|before| before.fetched_at == page.fetched_at);
        let raw = before.is_some_and(|before| before.uses.raw);
        self.keep(url, KeptBody { waits: true, raw, ..KeptBody::new(page) }).map(drop)
    }

    /// The page parked for a URL.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; [`Error::is_damaged`]; the database's.
    pub fn parked(&self, url: &str) -> Result<Option<Parked>, Error> {
        self.body_if(&Key::parse(url)?, |head| head.uses.waits)
    }

    /// When the parked page of a URL was fetched, without reading its body.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn parked_at(&self, url: &str) -> Result<Option<Timestamp>, Error> {
        let head = head(self.database.base(), &Key::parse(url)?)?;
        Ok(head.filter(|head| head.uses.waits).map(|head| head.fetched_at))
    }

    /// The parked pages of a host, or of all: at most `limit` URLs with their fetch times, in
    /// order. With `after`, only those past that URL.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] if `after` cannot be a key; the database's errors.
    pub fn list_parked(
        &self,
        host: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, Timestamp)>, Error> {
        let heads = self.heads(HeadSort::Parked, host, after)?.take(limit);
        heads
            .map(|entry| {
                let (key, head) = entry?;
                Ok((key.url().to_owned(), heads::decode::<ParkedHead>(&head)?.fetched_at))
            })
            .collect()
    }

    /// Ends the wait of a page, and returns whether it waited.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn unpark(&self, url: &str) -> Result<bool, Error> {
        let key = Key::parse(url)?;
        let mut writer = Writer::new(self.database.base());
        let was_parked = uses::end_wait(&mut writer, &key)?;
        if was_parked {
            writer.commit()?;
        }
        Ok(was_parked)
    }

    /// The URLs of a host's siblings, newest first.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn held(&self, host: &str) -> Result<Vec<String>, Error> {
        let siblings = uses::siblings(self.database.base(), host)?;
        Ok(siblings.into_iter().map(|key| key.url().to_owned()).collect())
    }

    /// The sibling of a URL.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; [`Error::is_damaged`]; the database's.
    pub fn sibling(&self, url: &str) -> Result<Option<HeldSibling>, Error> {
        let Some((head, bytes)) = self.body_bytes(&Key::parse(url)?)?.filter(|(head, _)| head.uses.sibling) else {
            return Ok(None);
        };
        let value = BodyValue::decode(&bytes)?;
        Ok(Some(match head.uses.raw {
            true => HeldSibling::Page(value.page(head.fetched_at)),
            false => HeldSibling::Sequence(value.sequence.to_vec()),
        }))
    }

    /// These URLs are no siblings any more, in one commit.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn let_go<'u>(&self, urls: impl IntoIterator<Item = &'u str>) -> Result<(), Error> {
        let keys = urls.into_iter().map(Key::parse).collect::<Result<Vec<_>, _>>()?;
        let mut writer = Writer::new(self.database.base());
        let mut is_any = false;
        for key in &keys {
            is_any |= uses::let_go(&mut writer, key)?;
        }
        if is_any { writer.commit() } else { Ok(()) }
    }

    /// At most `limit` URLs whose raw pages are of their records' fetches, of a host or of all, in
    /// order. With `after`, only those past that URL.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] if `after` cannot be a key; the database's errors.
    pub fn list_raw(&self, host: Option<&str>, after: Option<&str>, limit: usize) -> Result<Vec<String>, Error> {
        let mut listed = Vec::new();
        for entry in self.heads(HeadSort::Body, host, after)? {
            let (key, head) = entry?;
            let head: BodyHead = heads::decode(&head)?;
            if head.uses.raw && self.fetched_at(key.url())? == Some(head.fetched_at) {
                listed.push(key.url().to_owned());
            }
            if listed.len() >= limit {
                break;
            }
        }
        Ok(listed)
    }

    /// A page's bytes: those of the page that waits, or those of its record's fetch.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; [`Error::is_damaged`]; the database's.
    pub fn bytes_of(&self, url: &str) -> Result<Option<Parked>, Error> {
        let fetched_at = self.fetched_at(url)?;
        self.body_if(&Key::parse(url)?, |head| head.uses.waits || head.is_raw_of(fetched_at))
    }

    /// Whether [`Store::bytes_of`] has the bytes of this fetch, without reading them.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn keeps_bytes_of(&self, url: &str, fetched_at: Timestamp) -> Result<bool, Error> {
        let head = head(self.database.base(), &Key::parse(url)?)?;
        Ok(head.is_some_and(|head| head.uses.needs_body() && head.fetched_at == fetched_at))
    }

    /// Begins to keep bodies within the setting `bodies_bytes`, which may have become smaller: each
    /// flush then removes some. Only the daemon knows the wanted size. Other programs that open the
    /// store remove nothing, unless they keep bodies.
    pub fn trim_bodies(&self) {
        self.database.base().begin_making_room();
    }

    fn body_if(&self, key: &Key, is_wanted: impl FnOnce(&BodyHead) -> bool) -> Result<Option<Parked>, Error> {
        let found = self.body_bytes(key)?.filter(|(head, _)| is_wanted(head));
        found.map(|(head, bytes)| Ok(BodyValue::decode(&bytes)?.page(head.fetched_at))).transpose()
    }

    fn body_bytes(&self, key: &Key) -> Result<Option<(BodyHead, Vec<u8>)>, Error> {
        let place = |head: &BodyHead| head.place;
        writer::value_in(self.database.base(), Which::Bodies, HeadSort::Body, key, place)
    }
}

impl BodyHead {
    fn is_raw_of(&self, fetched_at: Option<Timestamp>) -> bool {
        self.uses.raw && Some(self.fetched_at) == fetched_at
    }
}

impl Store {
    /// A body ready for writing, before any writer has to wait. If the store has the raw body of
    /// this fetch already, only its uses change. `None` if there is nothing to keep it for.
    pub(crate) fn pack_body(&self, key: &Key, kept: KeptBody<'_>) -> Result<Option<PackedBody>, Error> {
        let before = head(self.database.base(), key)?;
        match before.filter(|before| before.uses.raw && before.fetched_at == kept.page.fetched_at) {
            Some(before) => {
                let uses = self.uses_of(key, KeptBody { raw: true, ..kept })?;
                Ok(Some(PackedBody { uses, fetched_at: before.fetched_at, packed: None }))
            }
            None => self.pack_new_body(key, kept),
        }
    }

    fn pack_new_body(&self, key: &Key, kept: KeptBody<'_>) -> Result<Option<PackedBody>, Error> {
        let uses = self.uses_of(key, kept)?;
        if uses.is_none() {
            return Ok(None);
        }
        let sequence = kept.sequence.filter(|_| uses.sibling && !uses.raw);
        let packed = Packed::new(&BodyValue::new(kept.page, uses.needs_body(), sequence).encode()?)?;
        let is_kept = uses.waits || packed.len() as u64 <= self.database.base().config().bodies_bytes;
        Ok(is_kept.then_some(PackedBody { uses, fetched_at: kept.page.fetched_at, packed: Some(packed) }))
    }

    /// What a body can be kept for.
    fn uses_of(&self, key: &Key, kept: KeptBody<'_>) -> Result<Uses, Error> {
        let config = self.database.base().config();
        let may_wait = kept.waits && kept.page.body.len() <= config.max_parked_bytes;
        let raw = kept.raw && config.bodies_bytes > 0;
        Ok(Uses {
            waits: may_wait && self.others_parked(key, kept.most_parked)? < kept.most_parked,
            sibling: kept.sibling && config.held_per_host > 0 && (raw || kept.sequence.is_some()),
            raw,
        })
    }

    /// How many other URLs of a host are parked, counted only as far as needed.
    pub(crate) fn others_parked(&self, key: &Key, most: usize) -> Result<usize, Error> {
        let mut others = 0;
        for entry in self.heads(HeadSort::Parked, Some(key.host()), None)?.take(most.saturating_add(1)) {
            others += usize::from(entry?.0.url() != key.url());
        }
        Ok(others)
    }
}

fn head(base: &Base, key: &Key) -> Result<Option<BodyHead>, Error> {
    writer::head(base, HeadSort::Body, key)
}

#[cfg(test)]
mod tests;
