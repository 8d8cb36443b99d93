//! A page once it is parsed: what the async side of the crawl passes around.

use url::Url;

use tsrec_core::html;
use tsrec_core::html::Limits;
use tsrec_core::html::directives::Directives;
use tsrec_core::html::document::Document;
use tsrec_core::html::links::{canonical, feeds, links};

/// A parsed page: its document, and what its head and links say.
pub struct Parsed {
    pub(super) document: Document,
    /// What its `<meta>` asks for.
    pub(super) directives: Directives,
    /// The address that the page calls its own.
    pub(super) canonical: Option<Url>,
    pub(super) links: Vec<Url>,
    /// Whether it has more than were read.
    pub(super) has_more_links: bool,
    pub(super) feeds: Vec<Url>,
}

/// How pages are parsed.
#[derive(Clone, Copy, Debug)]
pub struct ParseSettings<'a> {
    /// What a page may cost.
    pub limits: &'a Limits,
    /// Links that are read at most.
    pub most_links: usize,
    /// The name that `<meta>` knows the crawler by.
    pub product_token: &'a str,
}

/// What parses a page: body, charset of its content type, URL.
pub type Parse = fn(&[u8], Option<&str>, &Url, &ParseSettings<'_>) -> Parsed;

impl Parsed {
    /// Parses a page, once. Blocks for some milliseconds.
    pub fn new(body: &[u8], charset: Option<&str>, url: &Url, settings: &ParseSettings<'_>) -> Self {
        let document = html::parse(body, charset, settings.limits);
        let directives = Directives::from_document(&document, Some(settings.product_token));
        let canonical = canonical(&document).and_then(|href| url.join(href).ok());
        let mut links = links(&document, url, settings.most_links.saturating_add(1));
        let has_more_links = links.len() > settings.most_links;
        links.truncate(settings.most_links);
        let feeds = feeds(&document, url, settings.most_links);
        Parsed { document, directives, canonical, links, has_more_links, feeds }
    }
}
