//! What is kept of a page.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use tsrec_core::metadata::Metadata;
use tsrec_core::page::identity::simhash_hex;

/// A page as the pipeline hands it in. It is also what the store writes, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NewPage {
    /// Absolute, with a host, at most [`MAX_URL_LEN`](super::MAX_URL_LEN) bytes. It is filed as the
    /// URL standard serialises it.
    pub url: String,
    /// What is said of it: title, authors, dates and so on, each a field of the record's JSON.
    #[serde(flatten)]
    pub metadata: Metadata,
    /// What readers said there, as text; empty if nothing.
    pub comments: String,
    /// The content, as text.
    pub text: String,
    /// The same in the markup that carries meaning, safe to be shown: see
    /// [`render::html`](tsrec_core::render::html). `None` where it was too long to be kept, which
    /// `cut` says.
    pub html: Option<String>,
    /// The number of words in `text`.
    pub words: u64,
    /// The name of the method that found the content.
    pub method: String,
    /// How sure the method is, from 0 to 1.
    pub confidence: f64,
    /// What kind of page it is: one of those of [`PageKind`](tsrec_core::evidence::kind::PageKind).
    pub kind: Option<String>,
    /// How likely that is, from 0 to 1.
    pub kind_probability: Option<f64>,
    /// The URL of the page it was compared with.
    pub sibling: Option<String>,
    /// The template of the site that it is of.
    pub template: Option<OfTemplate>,
    /// The gates it passed or failed, as the extractor reports them.
    pub gates: serde_json::Value,
    /// For each label, the number of elements that have it.
    pub labels: BTreeMap<String, u64>,
    /// When the page was fetched.
    pub fetched_at: Timestamp,
    /// The HTTP status of the fetch.
    pub status: u16,
    /// The charset the bytes were decoded with.
    pub charset: Option<String>,
    /// The limits that cut the page, by name; empty if none did.
    pub cut: Vec<String>,
}

/// Which template of its site a page is of, and what was known of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OfTemplate {
    /// The template's number in its site, as `GET /v1/hosts/{host}/templates` lists them.
    pub number: u32,
    /// Of how many other pages something was remembered when the content was found; 0 where the
    /// page stood alone.
    pub pages: u32,
    /// The number of the template that this one replaced, where that was noticed: a redesign.
    pub replaces: Option<u32>,
}

/// A page as indexers read it: what was handed in, and what the store derived. The names of the
/// fields are those of the JSON, where all stand side by side, and stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PageRecord {
    /// The page. Its fields can be read as the record's own.
    #[serde(flatten)]
    pub page: NewPage,
    /// The URL's host.
    pub host: String,
    /// The sequence number of the latest change of the content.
    pub seq: u64,
    /// SHA-256 over title and text, in hexadecimal.
    pub content_hash: String,
    /// The [simhash](tsrec_core::words::simhash::simhash) of the text, in 16 hexadecimal digits:
    /// copies differ in few bits. `None` of a text without words.
    pub simhash: Option<String>,
    /// When the fetch was that brought the present content.
    pub changed_at: Timestamp,
}

impl std::ops::Deref for PageRecord {
    type Target = NewPage;

    fn deref(&self) -> &NewPage {
        &self.page
    }
}

/// A page as it is written: what identifies its text goes first, so that it is read without the
/// rest.
#[derive(Serialize)]
pub(super) struct Written<'p> {
    simhash: Option<String>,
    #[serde(flatten)]
    page: &'p NewPage,
}

/// What a record begins with.
pub(super) const WRITTEN: &[u8] = b"{\"simhash\":";

impl<'p> Written<'p> {
    pub(super) fn new(page: &'p NewPage) -> Self {
        Written { simhash: simhash_hex(&page.text), page }
    }
}

/// A row of a listing: read from the record's head, without its text.
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
    /// The number of words of the content.
    pub words: u64,
    /// When the page was fetched last.
    pub fetched_at: Timestamp,
}

/// The longest title in a listing, in bytes: heads must stay small, and a row of a listing needs no
/// more. The record has all of it.
pub const SUMMARY_TITLE_LEN: usize = 512;

/// The longest method name in a listing, in bytes.
pub(super) const SUMMARY_METHOD_LEN: usize = 64;

/// SHA-256 over what a reader of the page would call its content.
pub(super) type ContentHash = [u8; 32];

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[digit as usize]))
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

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
