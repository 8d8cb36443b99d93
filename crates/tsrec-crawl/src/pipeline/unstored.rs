//! Fetched pages that are not stored, for what they say beside other records.

use std::sync::{Arc, Mutex, PoisonError};

use url::Url;

use super::canonical::{another, are_alike};
use super::doubt::is_doubtful;
use super::echoes::{Echoes, PageText};
use super::parsed::canonical_of;
use super::traps::fingerprint;
use tsrec_core::evidence::kind;
use tsrec_core::evidence::kind::PageKind;
use tsrec_core::extract::Extracted;
use tsrec_store::{Error, NewPage, PageRecord, Store};

/// Why a page is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotStored {
    /// Another URL has its content. Holds a description. A record of the page goes.
    Duplicate(String),
    /// It only says that something went wrong, and there is a record that says more. That stays.
    Doubtful(PageKind),
}

/// The explanation for an [echo](super::echoes).
const ECHO: &str =
    "says what pages of two other patterns of its host say: a soft 404, or one page under many addresses";

/// The texts of stored pages. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct StoredTexts(Arc<Mutex<Echoes>>);

impl StoredTexts {
    /// Why a page is not stored that was just extracted to a record, if there is a reason. For
    /// pages that no crawl fetched: a doubtful page is never settled, and a canonical page that is
    /// not stored is not waited for.
    ///
    /// # Errors
    /// The store's.
    pub fn reason_against(
        &self,
        store: &Store,
        url: &Url,
        found: &Extracted<'_>,
        record: &NewPage,
    ) -> Result<Option<NotStored>, Error> {
        let canonical = canonical_of(found.document(), url).and_then(|canonical| another(url, canonical));
        let other = match canonical.map(|canonical| store.get(canonical.as_str())).transpose() {
            Err(error) if error.is_invalid() => None,
            other => other?.flatten(),
        };
        let compared = Compared { canonical: other.as_ref(), is_settled: false };
        self.reason(store, url, (found, record, words_of(record)), compared)
    }

    /// Why a page is not stored, if there is a reason. The words are the [`fingerprint`] of the
    /// record.
    pub(super) fn reason(
        &self,
        store: &Store,
        url: &Url,
        (found, record, words): (&Extracted<'_>, &NewPage, Option<u64>),
        compared: Compared<'_>,
    ) -> Result<Option<NotStored>, Error> {
        let said = words.map(|words| PageText::new(url, words));
        let is_echo = said.is_some_and(|said| self.0.lock().unwrap_or_else(PoisonError::into_inner).has(said));
        let analysis = found.page().analysis();
        // A server that is out of order says the same at each URL, which makes it no soft 404.
        if !compared.is_settled
            && let Some(kind) = kind::told(analysis).filter(|_| !is_echo || kind::is_out_of_order(analysis))
            && would_lose(store, record, kind)?
        {
            return Ok(Some(NotStored::Doubtful(kind)));
        }
        if is_echo && is_news(store, record)? {
            return Ok(Some(NotStored::Duplicate(ECHO.to_owned())));
        }
        let other = compared.canonical.filter(|other| are_alike(&record.text, &other.text));
        Ok(other
            .map(|other| NotStored::Duplicate(format!("has the content of {}, which it calls canonical", other.url))))
    }

    /// A page is stored. From now on pages that repeat it are echoes.
    pub fn note(&self, url: &Url, record: &NewPage) {
        self.note_words(url, words_of(record));
    }

    /// The same, with the [`fingerprint`] of the record.
    pub(super) fn note_words(&self, url: &Url, words: Option<u64>) {
        if let Some(words) = words {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).note(PageText::new(url, words));
        }
    }
}

/// What a page is compared with before it is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared<'r> {
    /// The record of its canonical page, if that is another page and stored.
    pub(super) canonical: Option<&'r PageRecord>,
    /// Whether it is stored though it says nothing: see [`Doubt`](super::doubt::Doubt).
    pub(super) is_settled: bool,
}

fn words_of(record: &NewPage) -> Option<u64> {
    fingerprint(record.metadata.title.as_deref(), &record.text)
}

/// Whether a page's text differs from its record's, or it has no record.
fn is_news(store: &Store, page: &NewPage) -> Result<bool, Error> {
    Ok(store.get(&page.url)?.is_none_or(|stored| stored.page.text != page.text))
}

/// Whether a page of this kind would replace a record of another kind, by one that says nothing.
fn would_lose(store: &Store, page: &NewPage, kind: PageKind) -> Result<bool, Error> {
    // Not every method gives a kind.
    let differs = |stored: PageRecord| stored.page.kind.as_deref() != Some(kind.as_str()) && stored.text != page.text;
    Ok(is_doubtful(kind) && store.get(&page.url)?.is_some_and(differs))
}
