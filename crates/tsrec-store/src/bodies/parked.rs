//! Fetched pages that wait for a sibling: body and fetch metadata. So neither a restart nor the
//! wait costs a second fetch.

use jiff::Timestamp;

use crate::Store;
use crate::error::{Error, Kind};
use crate::index::heads;
use crate::index::heads::{HeadSort, ParkedHead};
use crate::index::writer::{self, Writer};
use crate::key::Key;
use crate::log::packed::Packed;

/// A page as fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parked {
    /// The decoded body, of at most the setting `max_parked_bytes`.
    pub body: Vec<u8>,
    /// The HTTP status code.
    pub status: u16,
    /// The charset in the HTTP header.
    pub charset: Option<String>,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// The fetcher's limit cut the body.
    pub truncated: bool,
}

/// The longest charset name kept, in bytes. Judgement: the longest registered label has 45.
const MAX_CHARSET_LEN: usize = 64;

#[doc(hidden)]
impl Store {
    /// Parks a page and replaces what was parked for its URL. [`Store::put`] and
    /// [`Store::delete`] of the URL remove it. A charset longer than any real one is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::is_too_large`]; [`Error::is_invalid`] for a URL that cannot be a key; the
    /// database's.
    pub fn park(&self, url: &str, parked: &Parked) -> Result<(), Error> {
        let key = Key::parse(url)?;
        let (length, most) = (parked.body.len(), self.database.base().config().max_parked_bytes);
        if length > most {
            let (what, url, setting) = ("body", key.url().to_owned(), "max_parked_bytes");
            return Err(Kind::TooLarge { what, url, length, most, setting }.into());
        }
        let packed = Packed::new(&parked.body)?;
        let mut writer = Writer::new(self.database.base());
        put(&mut writer, &key, parked, &packed)?;
        writer.commit()
    }

    /// The page parked for a URL.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; [`Error::is_damaged`]; the database's.
    pub fn parked(&self, url: &str) -> Result<Option<Parked>, Error> {
        let value =
            writer::value(self.database.base(), HeadSort::Parked, &Key::parse(url)?, |head: &ParkedHead| head.place)?;
        Ok(value.map(|(head, body)| {
            let ParkedHead { status, charset, fetched_at, truncated, .. } = head;
            Parked { body, status, charset, fetched_at, truncated }
        }))
    }

    /// When the parked page of a URL was fetched, without reading its body.
    pub fn parked_at(&self, url: &str) -> Result<Option<Timestamp>, Error> {
        let head: Option<ParkedHead> = writer::head(self.database.base(), HeadSort::Parked, &Key::parse(url)?)?;
        Ok(head.map(|head| head.fetched_at))
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

    /// Removes the parked page of a URL, and returns whether there was one.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn unpark(&self, url: &str) -> Result<bool, Error> {
        let key = Key::parse(url)?;
        let mut writer = Writer::new(self.database.base());
        let was_parked = take(&mut writer, &key)?;
        if was_parked {
            writer.commit()?;
        }
        Ok(was_parked)
    }
}

/// Parks a page with its packed body, in the caller's transaction: see [`Store::park`].
pub(crate) fn put(writer: &mut Writer<'_>, key: &Key, parked: &Parked, packed: &Packed) -> Result<(), Error> {
    let before: Option<ParkedHead> = writer.head(HeadSort::Parked, key)?;
    writer.state.parked += u64::from(before.is_none());
    let head = ParkedHead {
        status: parked.status,
        charset: parked.charset.clone().filter(|charset| charset.len() <= MAX_CHARSET_LEN),
        fetched_at: parked.fetched_at,
        truncated: parked.truncated,
        place: writer.put_value(HeadSort::Parked, key, packed, before.map(|head| head.place))?,
    };
    writer.put_head(HeadSort::Parked, key, &head)
}

/// Removes a parked body in the caller's transaction, and returns whether there was one.
pub(crate) fn take(writer: &mut Writer<'_>, key: &Key) -> Result<bool, Error> {
    let parked: Option<ParkedHead> = writer.head(HeadSort::Parked, key)?;
    if let Some(head) = &parked {
        writer.remove_value(HeadSort::Parked, key, head.place);
        writer.state.parked -= 1;
    }
    Ok(parked.is_some())
}
