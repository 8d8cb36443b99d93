//! A page once it is parsed: what the async side of the crawl passes around.

use url::Url;

use crate::html::document::Document;
use crate::html::links::links;
use crate::html::metadata::{Metadata, metadata};
use crate::html::{self, Limits};

/// A parsed page: its document, and what its head and links say.
pub struct Parsed {
    pub(super) document: Document,
    pub(super) metadata: Metadata,
    pub(super) links: Vec<Url>,
}

/// How a page is parsed: body, charset of its content type, URL, limits, links at most.
pub type Parse = fn(&[u8], Option<&str>, &Url, &Limits, usize) -> Parsed;

impl Parsed {
    /// Parses a page, once. Blocks for some milliseconds.
    pub fn new(body: &[u8], charset: Option<&str>, url: &Url, limits: &Limits, most_links: usize) -> Self {
        let document = html::parse(body, charset, limits);
        let metadata = metadata(&document);
        let links = links(&document, url, most_links);
        Parsed { document, metadata, links }
    }
}
