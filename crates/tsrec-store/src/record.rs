//! The stored record of a page.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use tsrec_core::metadata::Metadata;
use tsrec_core::page::identity::simhash_hex;

/// A page as the pipeline passes it to the store. The store writes it as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NewPage {
    /// The page's URL: absolute, with a host, at most [`MAX_URL_LEN`](super::MAX_URL_LEN) bytes.
    /// The store keeps it as the URL standard serialises it.
    pub url: String,
    /// Metadata of the page: title, authors, dates and so on. Each is a field of the record's JSON.
    #[serde(flatten)]
    pub metadata: Metadata,
    /// The readers' comments on the page, as text; empty if there are none.
    pub comments: String,
    /// The page's content, as text.
    pub text: String,
    /// The content as HTML with its meaningful markup, safe to show: see
    /// [`render::html`](tsrec_core::render::html). `None` if it was too long to keep; `cut` then
    /// says so.
    pub html: Option<String>,
    /// The number of words in `text`.
    pub words: u64,
    /// The name of the method that found the content.
    pub method: String,
    /// How sure the method is, from 0 to 1.
    pub confidence: f64,
    /// What kind of page it is: one of [`PageKind`](tsrec_core::evidence::kind::PageKind).
    pub kind: Option<String>,
    /// How likely this kind is, from 0 to 1.
    pub kind_probability: Option<f64>,
    /// The URL of the sibling: the page that tsrec compared it with.
    pub sibling: Option<String>,
    /// The page's template in its site.
    pub template: Option<OfTemplate>,
    /// The gates that the page passed or failed, as the extractor reports them.
    pub gates: serde_json::Value,
    /// The number of elements with each label.
    pub labels: BTreeMap<String, u64>,
    /// When the crawl fetched the page.
    pub fetched_at: Timestamp,
    /// The HTTP status of the fetch.
    pub status: u16,
    /// The charset that tsrec decoded the bytes with.
    pub charset: Option<String>,
    /// The names of the limits that cut the page; empty if none did.
    pub cut: Vec<String>,
}

/// The template of a page in its site, and what tsrec knew about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OfTemplate {
    /// The template's number in its site. `GET /v1/hosts/{host}/templates` lists the templates.
    pub number: u32,
    /// How many other pages of the template tsrec remembered when it found the content; 0 if the
    /// page stood alone.
    pub pages: u32,
    /// The number of the template that this one replaced, if tsrec noticed a redesign.
    pub replaces: Option<u32>,
}

/// A page as indexers read it: the page from the pipeline, and what the store derived. The JSON has
/// all fields side by side, under these names. The names are stable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PageRecord {
    /// The page. Its fields are also fields of the record.
    #[serde(flatten)]
    pub page: NewPage,
    /// The URL's host.
    pub host: String,
    /// The sequence number of the latest change of the content.
    pub seq: u64,
    /// SHA-256 of title and text, in hexadecimal.
    pub content_hash: String,
    /// The [simhash](tsrec_core::words::simhash::simhash) of the text, in 16 hexadecimal digits.
    /// Copies differ in few bits. `None` if the text has no words.
    pub simhash: Option<String>,
    /// The time of the fetch that brought the present content.
    pub changed_at: Timestamp,
}

impl std::ops::Deref for PageRecord {
    type Target = NewPage;

    fn deref(&self) -> &NewPage {
        &self.page
    }
}

/// A page as written. The fields that identify its text come first, so that they can be read
/// without the rest.
#[derive(Serialize)]
pub(crate) struct Written<'p> {
    simhash: Option<String>,
    #[serde(flatten)]
    page: &'p NewPage,
}

/// The first bytes of a record.
pub(crate) const WRITTEN: &[u8] = b"{\"simhash\":";

impl<'p> Written<'p> {
    pub(crate) fn new(page: &'p NewPage) -> Self {
        Written { simhash: simhash_hex(&page.text), page }
    }
}

/// A row of a listing. It comes from the record's head, without the page's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PageSummary {
    /// The page's URL.
    pub url: String,
    /// The sequence number of the latest change of the content.
    pub seq: u64,
    /// The title's first [`SUMMARY_TITLE_LEN`] bytes.
    pub title: Option<String>,
    /// The first 64 bytes of the method's name.
    pub method: String,
    /// How sure the method is, from 0 to 1.
    pub confidence: f64,
    /// What kind of page it is.
    pub kind: Option<String>,
    /// The page's language.
    #[serde(default)]
    pub language: Option<String>,
    /// The number of words of the content.
    pub words: u64,
    /// When the crawl last fetched the page.
    pub fetched_at: Timestamp,
}

/// The longest title in a listing, in bytes. Heads must stay small, and a listing needs no more.
/// The record has the whole title.
pub const SUMMARY_TITLE_LEN: usize = 512;

/// The longest method name in a listing, in bytes.
pub(crate) const SUMMARY_METHOD_LEN: usize = 64;

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[digit as usize]))
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{KeptBody, Parked, Store};

    /// A body of the same fetch.
    pub(crate) fn body(text: &str) -> Parked {
        let fetched_at = page("", "").fetched_at;
        Parked { body: text.as_bytes().to_vec(), status: 200, charset: None, fetched_at, truncated: false }
    }

    /// Holds a page as a sibling that is raw, too.
    pub(crate) fn hold(store: &Store, url: &str, text: &str) {
        let page = body(text);
        assert!(store.keep(url, KeptBody { sibling: true, raw: true, ..KeptBody::new(&page) }).unwrap());
    }

    /// A page with nothing special about it.
    pub(crate) fn page(url: &str, text: &str) -> NewPage {
        NewPage {
            url: url.into(),
            metadata: Metadata::default(),
            comments: String::new(),
            text: text.into(),
            html: None,
            words: 1,
            method: "template".into(),
            confidence: 0.5,
            kind: None,
            kind_probability: None,
            sibling: None,
            template: None,
            gates: serde_json::Value::Null,
            labels: BTreeMap::new(),
            fetched_at: "2026-11-21T00:00:00Z".parse().unwrap(),
            status: 200,
            charset: None,
            cut: vec![],
        }
    }
}
