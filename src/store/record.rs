//! What is kept of a page.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A page as the pipeline hands it in. It is also what the store writes, as JSON: a field added later needs a serde default, and then old
/// records stay readable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewPage {
    /// Absolute, with a host, at most [`MAX_URL_LEN`](super::MAX_URL_LEN) bytes. It is filed as the URL standard serialises it.
    pub url: String,
    /// The page's title, if it has one.
    pub title: Option<String>,
    /// The address the page calls its own.
    pub canonical_url: Option<String>,
    /// Who wrote it, as the page names them. Not known in records of older programs, as are the fields below up to `sibling`.
    #[serde(default)]
    pub byline: Option<String>,
    /// When it was published, as the page writes it: a date of ISO 8601, maybe with a time.
    #[serde(default)]
    pub date: Option<String>,
    /// What readers said there, as text; empty if nothing.
    #[serde(default)]
    pub comments: String,
    /// The content, as text.
    pub text: String,
    /// The number of words in `text`.
    pub words: u64,
    /// The name of the method that found the content.
    pub method: String,
    /// How sure the method is, from 0 to 1.
    pub confidence: f64,
    /// What kind of page it is: one of those of [`PageKind`](crate::evidence::kind::PageKind).
    #[serde(default)]
    pub kind: Option<String>,
    /// How likely that is, from 0 to 1.
    #[serde(default)]
    pub kind_probability: Option<f64>,
    /// The URL of the page it was compared with.
    pub sibling: Option<String>,
    /// The template of the site that it is of. Not known in records of older programs.
    #[serde(default)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfTemplate {
    /// The template's number in its site, as `GET /v1/hosts/{host}/templates` lists them.
    pub number: u32,
    /// Of how many other pages something was remembered when the content was found; 0 where the page stood alone.
    pub pages: u32,
    /// The number of the template that this one replaced, where that was noticed: a redesign.
    pub replaces: Option<u32>,
}

/// A page as indexers read it: what was handed in, and what the store derived. The names of the fields are those of the JSON,
/// where all stand side by side, and stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// When the fetch was that brought the present content.
    pub changed_at: Timestamp,
}

impl std::ops::Deref for PageRecord {
    type Target = NewPage;

    fn deref(&self) -> &NewPage {
        &self.page
    }
}

/// A row of a listing: read from the record's head, without its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
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
    /// What kind of page it is. Not known of pages that an older program stored.
    #[serde(default)]
    pub kind: Option<String>,
    /// The number of words of the content.
    pub words: u64,
    /// When the page was fetched last.
    pub fetched_at: Timestamp,
}

/// The longest title in a listing, in bytes: heads must stay small, and a row of a listing needs no more. The record has all of it.
pub const SUMMARY_TITLE_LEN: usize = 512;

/// The longest method name in a listing, in bytes.
pub(super) const SUMMARY_METHOD_LEN: usize = 64;

/// SHA-256 over what a reader of the page would call its content.
pub(super) type ContentHash = [u8; 32];

/// The title's length goes in first, so that words cannot move between title and text unseen; no title is not an empty one.
pub(super) fn content_hash(title: Option<&str>, text: &str) -> ContentHash {
    let title_len = title.map_or(u64::MAX, |title| title.len() as u64);
    Sha256::new()
        .chain_update(title_len.to_be_bytes())
        .chain_update(title.unwrap_or_default())
        .chain_update(text)
        .finalize()
        .into()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[digit as usize]))
        .collect()
}

/// The longest beginning of at most `most` bytes that ends between characters.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A page with nothing special about it.
    pub(in crate::store) fn page(url: &str, text: &str) -> NewPage {
        NewPage {
            url: url.into(),
            title: None,
            canonical_url: None,
            byline: None,
            date: None,
            comments: String::new(),
            text: text.into(),
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

    /// What a program of before page kinds, bylines and comments wrote.
    #[test]
    fn records_of_older_programs_are_read() {
        let mut old = serde_json::to_value(page("http://a.example/", "text")).unwrap();
        for field in ["byline", "date", "comments", "kind", "kind_probability", "template"] {
            assert!(old.as_object_mut().unwrap().remove(field).is_some(), "{field}");
        }
        let read: NewPage = serde_json::from_value(old.clone()).unwrap();
        assert_eq!(read, page("http://a.example/", "text"));
        let more = serde_json::json!({"host": "a", "seq": 1, "content_hash": "", "changed_at": read.fetched_at});
        old.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(serde_json::from_value::<PageRecord>(old).unwrap().kind, None);
    }

    #[test]
    fn the_hash_tells_title_and_text_apart() {
        let pairs = [(None, ""), (Some(""), ""), (Some("a"), "b"), (None, "ab"), (Some("ab"), ""), (Some(""), "ab")];
        let hashes: std::collections::HashSet<_> =
            pairs.iter().map(|(title, text)| content_hash(*title, text)).collect();
        assert_eq!(hashes.len(), pairs.len());
        assert_eq!(hex(&[0, 0x1f, 0xa0]), "001fa0");
    }

    #[test]
    fn beginnings_end_between_characters() {
        for (text, most, expect) in
            [("", 3, ""), ("abc", 3, "abc"), ("abc", 2, "ab"), ("a\u{e9}", 2, "a"), ("\u{1f600}", 3, "")]
        {
            assert_eq!(beginning(text, most), expect);
        }
    }
}
