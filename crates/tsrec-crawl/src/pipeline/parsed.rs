//! A parsed page, as the async side of the crawl passes it around.

use url::{Position, Url};

use tsrec_core::analysis::Analysis;
use tsrec_core::html;
use tsrec_core::html::Limits;
use tsrec_core::html::directives::Directives;
use tsrec_core::html::document::Document;
use tsrec_core::html::links::{MostLinks, PageLinks, base_url, canonical, feeds, links};
use tsrec_core::html::refresh::{Refresh, refreshes};
use tsrec_store::Parked;

/// A parsed page: its document, and the information in its head and links.
pub struct Parsed {
    pub(super) document: Document,
    /// The directives in its `<meta>`.
    pub(super) directives: Directives,
    /// The address that the page calls canonical.
    pub(super) canonical: Option<Url>,
    pub(super) links: Vec<Url>,
    /// Further links, beyond the limits.
    pub(super) links_left_out: usize,
    /// Its first request for another page (`<meta http-equiv=refresh>`).
    pub(super) refresh: Option<Refresh>,
    pub(super) feeds: Vec<Url>,
}

/// How pages are parsed.
#[derive(Clone, Copy, Debug)]
pub struct ParseSettings<'a> {
    /// Limits on a page.
    pub limits: &'a Limits,
    /// Most links read.
    pub most_links: MostLinks,
    /// The crawler's name in `<meta>`.
    pub product_token: &'a str,
}

/// How a crawl parses pages: its parser with all settings.
#[derive(Clone)]
pub(super) struct Parsing {
    pub(super) parse: Parse,
    pub(super) limits: Limits,
    pub(super) most_links: MostLinks,
    pub(super) product_token: String,
}

impl Parsing {
    /// Parses a page. Blocks for some milliseconds.
    pub(super) fn parse(&self, page: &Parked, url: &Url) -> Parsed {
        let Parsing { limits, most_links, product_token, .. } = self;
        let settings = ParseSettings { limits, most_links: *most_links, product_token };
        (self.parse)(&page.body, page.charset.as_deref(), url, &settings)
    }
}

/// Most feeds read. Judgement: one or two of articles, one of comments, and some that are out of
/// scope.
const MOST_FEEDS: usize = 100;

/// Seconds up to which a refresh is a redirect. Judgement: a reader does not wait longer on a page
/// that says nothing.
const MOST_SECONDS: u32 = 5;

/// Most words outside links of a page without content of its own. Judgement: "This page has moved.
/// If your browser does not take you there, follow this link."
const MOST_BARE_WORDS: u32 = 30;

/// What parses a page: body, charset of its content type, URL.
pub type Parse = fn(&[u8], Option<&str>, &Url, &ParseSettings<'_>) -> Parsed;

impl Parsed {
    /// Parses a page, once. Blocks for some milliseconds.
    pub fn new(body: &[u8], charset: Option<&str>, url: &Url, settings: &ParseSettings<'_>) -> Self {
        let document = html::parse(body, charset, settings.limits);
        let directives = Directives::from_document(&document, Some(settings.product_token));
        let canonical = canonical_of(&document, url);
        let PageLinks { urls: links, left_out: links_left_out } = links(&document, url, settings.most_links);
        let feeds = feeds(&document, url, MOST_FEEDS);
        let refresh = refreshes(&document, url).into_iter().find(|refresh| !refresh.in_noscript);
        Parsed { document, directives, canonical, links, links_left_out, refresh, feeds }
    }

    /// The page to which this one redirects, if it does so by a refresh: soon, to another address,
    /// and without content of its own. `header` is the refresh of its `Refresh` header, which comes
    /// first.
    pub(super) fn redirect(&self, page: &Url, header: Option<&Refresh>) -> Option<Url> {
        let refresh = header.or(self.refresh.as_ref())?;
        let is_soon =
            refresh.seconds <= MOST_SECONDS && refresh.to[..Position::AfterQuery] != page[..Position::AfterQuery];
        (is_soon && self.is_bare()).then(|| refresh.to.clone())
    }

    /// Whether the page has no content of its own: it says at most that another page comes.
    fn is_bare(&self) -> bool {
        let analysis = Analysis::new(&self.document);
        let visible = analysis.blocks().iter().filter(|block| !block.hidden);
        visible.map(|block| block.text.words - block.linked.words).sum::<u32>() <= MOST_BARE_WORDS
    }
}

/// The address that a page calls canonical.
pub(super) fn canonical_of(document: &Document, url: &Url) -> Option<Url> {
    canonical(document).and_then(|href| resolved(&base_url(document, url), href))
}

/// A canonical address as it is meant: many sites write their host without a scheme.
fn resolved(base: &Url, href: &str) -> Option<Url> {
    let first = href.split(['/', '?', '#']).next().unwrap_or_default();
    let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_ascii_lowercase();
    let names_host = base.host_str().is_some_and(|host| bare(host) == bare(first)) && !first.is_empty();
    if names_host { base.join(&format!("//{href}")).ok() } else { base.join(href).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::html::refresh::refresh_header;

    #[test]
    fn a_page_that_only_leads_on_is_a_redirect() {
        const STORY: &str = "The ferry sailed at nine with the band on board, and the harbour master waved until it \
            was out of sight, which took longer than anybody had expected on such a clear and quiet morning in May.";
        let page = "http://a.example/dir/x".parse().unwrap();
        for (body, header, expect) in [
            ("<meta http-equiv=refresh content='0; url=/b'>".to_owned(), None, Some("/b")),
            (
                "<meta http-equiv=refresh content='5; url=/b'><p>Moved. <a href=/b>Go on</a>".to_owned(),
                None,
                Some("/b"),
            ),
            ("<meta http-equiv=refresh content='6; url=/b'>".to_owned(), None, None),
            (format!("<meta http-equiv=refresh content='0; url=/b'><p>{STORY}"), None, None),
            ("<noscript><meta http-equiv=refresh content='0; url=/b'></noscript>".to_owned(), None, None),
            ("<meta http-equiv=refresh content='0; url=x'>".to_owned(), None, None),
            ("<meta http-equiv=refresh content='0; url=#top'>".to_owned(), None, None),
            ("<meta http-equiv=refresh content=0>".to_owned(), None, None),
            ("<meta http-equiv=refresh content='0; url=mailto:a@a.example'>".to_owned(), None, None),
            ("<p>Moved.".to_owned(), Some("0; url=/c"), Some("/c")),
            ("<meta http-equiv=refresh content='0; url=/b'>".to_owned(), Some("1; url=/c"), Some("/c")),
            ("<meta http-equiv=refresh content='0; url=/b'>".to_owned(), Some("30"), Some("/b")),
            (format!("<p>{STORY}"), Some("0; url=/c"), None),
            ("<p>Moved.".to_owned(), None, None),
        ] {
            let most_links = MostLinks { within: 9, beyond: 9 };
            let settings = ParseSettings { limits: &Limits::default(), most_links, product_token: "x" };
            let parsed = Parsed::new(body.as_bytes(), None, &page, &settings);
            let header = header.and_then(|value| refresh_header(value, &page));
            let found = parsed.redirect(&page, header.as_ref());
            assert_eq!(found.as_ref().map(Url::path), expect, "{body} {header:?}");
        }
    }

    #[test]
    fn a_host_without_a_scheme_is_a_host() {
        let base = "http://www.a.example/dir/x".parse().unwrap();
        for (href, expect) in [
            ("/y", "http://www.a.example/y"),
            ("y", "http://www.a.example/dir/y"),
            ("www.a.example/y", "http://www.a.example/y"),
            ("A.example/y?z", "http://a.example/y?z"),
            ("www.a.example", "http://www.a.example/"),
            ("//www.a.example/y", "http://www.a.example/y"),
            ("https://www.a.example/y", "https://www.a.example/y"),
            ("b.example/y", "http://www.a.example/dir/b.example/y"),
            ("?y", "http://www.a.example/dir/x?y"),
            ("", "http://www.a.example/dir/x"),
        ] {
            assert_eq!(resolved(&base, href).unwrap().as_str(), expect, "{href}");
        }
        assert_eq!(resolved(&base, "http://["), None);
    }
}
