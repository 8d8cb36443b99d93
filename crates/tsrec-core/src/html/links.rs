//! The links of a page, for a crawl frontier.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use encoding_rs::{Encoding, UTF_8};
use html5ever::local_name;
use url::{Position, Url};

use super::document::{Document, NodeId};
use super::refresh::refreshes;

/// Most links read of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostLinks {
    /// To the page's own host.
    pub within: usize,
    /// To other hosts.
    pub beyond: usize,
}

/// The links of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLinks {
    /// The targets, in document order, each once.
    pub urls: Vec<Url>,
    /// How many further targets there are, beyond the limits.
    pub left_out: usize,
}

/// The http(s) targets of the page's `a` and `area` elements, its frames, and its requests for
/// another page ([`refreshes`]). They are resolved against the page's base URL and have no
/// fragment, user name or password. Links with `rel=nofollow` are left out, and so are all links if
/// the robots meta says so: see [`Directives::nofollow`](super::directives::Directives::nofollow).
/// So is the page itself as the target of a refresh. `page` is the page's own URL. Linear in the
/// page.
pub fn links(document: &Document, page: &Url, most: MostLinks) -> PageLinks {
    let resolver = AddressResolver::new(document, page);
    let mut found = FoundLinks { page, most, seen: HashSet::new(), links: PageLinks::default() };
    for id in document.descendants(document.root()) {
        let Some(name) = document.local_name(id) else { continue };
        let attribute = match *name {
            local_name!("a") | local_name!("area") => "href",
            local_name!("frame") | local_name!("iframe") => "src",
            _ => continue,
        };
        if document.attribute(id, "rel").is_some_and(|rel| has_token(rel, "nofollow")) {
            continue;
        }
        if let Some(url) = document.attribute(id, attribute).and_then(|href| resolver.resolve(href)) {
            found.add(url);
        }
    }
    let others = refreshes(document, page).into_iter().map(|refresh| refresh.to);
    others.filter(|to| to[..Position::AfterQuery] != page[..Position::AfterQuery]).for_each(|to| found.add(to));
    found.links
}

/// Links as they are collected.
struct FoundLinks<'p> {
    page: &'p Url,
    most: MostLinks,
    /// The hashes of their URLs.
    seen: HashSet<u64>,
    links: PageLinks,
}

impl FoundLinks<'_> {
    fn add(&mut self, url: Url) {
        let mut hasher = DefaultHasher::new();
        url.as_str().hash(&mut hasher);
        if !self.seen.insert(hasher.finish()) {
            return;
        }
        let left = match url.host_str() == self.page.host_str() {
            true => &mut self.most.within,
            false => &mut self.most.beyond,
        };
        match left.checked_sub(1) {
            Some(fewer) => {
                *left = fewer;
                self.links.urls.push(url);
            }
            None => self.links.left_out += 1,
        }
    }
}

/// Resolves the addresses of a page.
pub(super) struct AddressResolver {
    base: Url,
    /// The page's encoding, if the queries of its links are in another one than UTF-8.
    encoding: Option<&'static Encoding>,
}

impl AddressResolver {
    /// For a document with this URL.
    pub(super) fn new(document: &Document, page: &Url) -> AddressResolver {
        let encoding = Encoding::for_label(document.encoding().as_bytes()).map(Encoding::output_encoding);
        AddressResolver { base: base_url(document, page), encoding: encoding.filter(|&encoding| encoding != UTF_8) }
    }

    /// For addresses outside of the page.
    pub(super) fn plain(page: &Url) -> AddressResolver {
        AddressResolver { base: page.clone(), encoding: None }
    }

    /// An http(s) URL without fragment, user name and password. Its query is encoded in the page's
    /// own encoding, as in the URL standard.
    pub(super) fn resolve(&self, address: &str) -> Option<Url> {
        let address = address.trim();
        let mut url = match self.encoding.filter(|_| !address.is_ascii()) {
            Some(encoding) => {
                let options = Url::options().base_url(Some(&self.base));
                options.encoding_override(Some(&|query| Cow::Owned(encoded(query, encoding)))).parse(address)
            }
            None => self.base.join(address),
        }
        .ok()?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return None;
        }
        url.set_fragment(None);
        // Passwords must not be fetched, stored or logged. Both calls fail only for URLs without a
        // host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        Some(url)
    }
}

/// A query in an encoding. A letter that the encoding does not have is written as a reference,
/// percent encoded (URL standard, "percent-encode after encoding").
fn encoded(query: &str, encoding: &'static Encoding) -> Vec<u8> {
    let (bytes, _, has_others) = encoding.encode(query);
    if !has_others {
        return bytes.into_owned();
    }
    let mut letter = [0; 4];
    let mut out = Vec::with_capacity(query.len());
    for c in query.chars() {
        match encoding.encode(c.encode_utf8(&mut letter)) {
            (bytes, _, false) => out.extend_from_slice(&bytes),
            _ => out.extend(format!("%26%23{}%3B", u32::from(c)).bytes()),
        }
    }
    out
}

/// The RSS and Atom feeds that the page names with `<link rel=alternate>`, in document order, each
/// once, resolved against its base URL.
///
/// Linear in the page. At most `most` are returned.
pub fn feeds(document: &Document, page: &Url, most: usize) -> Vec<Url> {
    let resolver = AddressResolver::new(document, page);
    let mut found = Vec::new();
    for id in document.named(local_name!("link")) {
        let is_feed = document.attribute(id, "rel").is_some_and(|rel| has_token(rel, "alternate"))
            && document.attribute(id, "type").is_some_and(is_feed_type);
        let url = document.attribute(id, "href").filter(|_| is_feed).and_then(|href| resolver.resolve(href));
        let Some(url) = url else { continue };
        if found.len() == most {
            break;
        }
        if !found.contains(&url) {
            found.push(url);
        }
    }
    found
}

/// Whether a value is the media type of a feed, with any parameters.
fn is_feed_type(value: &str) -> bool {
    let essence = value.split(';').next().unwrap_or_default().trim();
    ["application/rss+xml", "application/atom+xml", "application/rdf+xml"]
        .iter()
        .any(|feed| feed.eq_ignore_ascii_case(essence))
}

/// The URL in the first `<link rel=canonical>` of the page's head that has one, as written. What
/// stands in the body may be from a reader. One pass over the tree.
pub fn canonical(document: &Document) -> Option<&str> {
    let is_in_head = |id: NodeId| {
        document.parent(id).is_some_and(|parent| document.local_name(parent) == Some(&local_name!("head")))
    };
    let named = document
        .named(local_name!("link"))
        .filter(|id| document.attribute(*id, "rel").is_some_and(|rel| has_token(rel, "canonical")) && is_in_head(*id));
    named.filter_map(|id| document.attribute(id, "href")).map(str::trim).find(|href| !href.is_empty())
}

/// The longest base URL that is read, in bytes. Every link would repeat it. Judgement: servers
/// refuse longer addresses.
const LONGEST_BASE: usize = 8 << 10;

/// The document base URL: that of the first `base` element with an `href`, else the page's own. A
/// script or data URL is ignored, as in the standard (section 2.4.3).
pub fn base_url(document: &Document, page: &Url) -> Url {
    document
        .named(local_name!("base"))
        .find_map(|id| document.attribute(id, "href"))
        .filter(|href| href.len() <= LONGEST_BASE)
        .and_then(|href| page.join(href.trim()).ok())
        .filter(|base| !matches!(base.scheme(), "data" | "javascript"))
        .unwrap_or_else(|| page.clone())
}

/// True when a space-separated list holds `token`, in any case.
pub(crate) fn has_token(list: &str, token: &str) -> bool {
    list.split_ascii_whitespace().any(|t| t.eq_ignore_ascii_case(token))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn a_long_base_is_ignored() {
        let page = Url::parse("http://a.example/b").unwrap();
        for (length, expect) in
            [(8_000, "http://a.example/xx"), (9_000, "http://a.example/b"), (1 << 20, "http://a.example/b")]
        {
            let markup = format!("<base href='/{}/'><a href=c>c</a>", "x".repeat(length));
            let document = parse(markup.as_bytes(), None, &Default::default());
            assert!(base_url(&document, &page).as_str().starts_with(expect), "{length}");
        }
    }

    #[test]
    fn links_are_resolved_and_told_apart() {
        let page = b"<a href='/a#top'>a</a> <a href=b.html>b</a> <a href='/a'>again</a> <a>none</a>
            <a href='mailto:x@y.example'>mail</a> <a href='http://[bad'>bad</a> <a rel='Noopener NOFOLLOW' href=/no>no</a>
            <a href='//user:secret@site.example/b'>b</a><map><area href='//other.example/c?x=1&amp;y=2'></map>";
        let document = parse(page, None, &Default::default());
        let base = Url::parse("https://site.example/dir/page.html").unwrap();
        let all = MostLinks { within: 100, beyond: 100 };
        let found: Vec<String> = links(&document, &base, all).urls.into_iter().map(String::from).collect();
        assert_eq!(
            found,
            [
                "https://site.example/a",
                "https://site.example/dir/b.html",
                "https://site.example/b",
                "https://other.example/c?x=1&y=2"
            ]
        );
        for (within, beyond, left_out) in [(1, 1, 2), (0, 0, 4), (3, 0, 1), (3, 1, 0), (0, 1, 3)] {
            let found = links(&document, &base, MostLinks { within, beyond });
            assert_eq!((found.urls.len(), found.left_out), (4 - left_out, left_out), "{within} {beyond}");
        }
    }

    #[test]
    fn frames_and_refreshes_are_links() {
        for (page, expect) in [
            ("<frameset><frame src=/menu><frame src='story.html#top'></frameset>", &["/menu", "/dir/story.html"][..]),
            ("<iframe src=/embedded></iframe>", &["/embedded"]),
            ("<iframe srcdoc='<a href=/x>x</a>'></iframe><iframe src=about:blank></iframe>", &["/x"]),
            ("<meta http-equiv=refresh content='30; url=/next'><a href=/a>a</a>", &["/a", "/next"]),
            ("<noscript><meta http-equiv=refresh content='0; url=/plain'></noscript>", &["/plain"]),
            ("<meta http-equiv=refresh content='60; url=page.html'>", &[]),
            ("<meta http-equiv=refresh content='60; url=#top'>", &[]),
            ("<meta http-equiv=refresh content=60>", &[]),
            ("<a href=/a>a</a><iframe src=/a></iframe><meta http-equiv=refresh content='9;/a'>", &["/a"]),
            ("<frame src=''><iframe src=javascript:x></iframe>", &[]),
        ] {
            let base = Url::parse("https://site.example/dir/page.html").unwrap();
            let document = parse(page.as_bytes(), None, &Default::default());
            let found = links(&document, &base, MostLinks { within: 9, beyond: 9 }).urls;
            assert_eq!(found.iter().map(|url| &url[Position::BeforePath..]).collect::<Vec<_>>(), expect, "{page}");
        }
    }

    #[test]
    fn a_query_is_in_the_encoding_of_the_page() {
        for (charset, href, expect) in [
            ("utf-8", "/s\u{fc}d?q=s\u{fc}d", "/s%C3%BCd?q=s%C3%BCd"),
            ("iso-8859-1", "/s\u{fc}d?q=s\u{fc}d", "/s%C3%BCd?q=s%FCd"),
            ("windows-1251", "?q=\u{43f}\u{43e}\u{440}\u{442}", "/dir/page?q=%EF%EE%F0%F2"),
            ("koi8-r", "?q=\u{43f}\u{43e}\u{440}\u{442}", "/dir/page?q=%D0%CF%D2%D4"),
            ("shift_jis", "?q=\u{6e2f}", "/dir/page?q=%8D`"),
            ("euc-jp", "?q=\u{6e2f}", "/dir/page?q=%B9%C1"),
            ("gbk", "?q=\u{6e2f}", "/dir/page?q=%B8%DB"),
            ("big5", "?q=\u{6e2f}", "/dir/page?q=%B4%E4"),
            ("euc-kr", "?q=\u{d56d}", "/dir/page?q=%C7%D7"),
            ("iso-8859-1", "?q=\u{6e2f}&r=\u{fc}", "/dir/page?q=%26%2328207%3B&r=%FC"),
            ("iso-8859-1", "?q=s%C3%BCd", "/dir/page?q=s%C3%BCd"),
            ("utf-16", "?q=\u{fc}", "/dir/page?q=%C3%BC"),
        ] {
            let base = Url::parse("http://site.example/dir/page").unwrap();
            let page = format!("<a href='{href}'>x</a>");
            let bytes: Vec<u8> = match charset {
                "utf-16" => page.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                _ => {
                    let encoding = Encoding::for_label(charset.as_bytes()).unwrap();
                    // References stand for the letters that the encoding does not have.
                    encoding.encode(&page).0.into_owned()
                }
            };
            let label = if charset == "utf-16" { "utf-16le" } else { charset };
            let document = parse(&bytes, Some(label), &Default::default());
            let found = links(&document, &base, MostLinks { within: 9, beyond: 9 }).urls;
            assert_eq!(&found[0][Position::BeforePath..], expect, "{charset} {href}");
        }
    }

    #[test]
    fn feeds_are_found() {
        let page = b"<base href='/x/'><link rel='alternate stylesheet' type=text/css href=/s><link rel=ALTERNATE
            type='Application/RSS+xml; charset=utf-8' href=rss><link rel=alternate type=application/atom+xml href=/atom>
            <link rel=alternate type=application/atom+xml href=/atom><link rel=alternate hreflang=de href=/de>
            <link rel=alternate type=application/rss+xml href='ftp://site.example/'>";
        let document = parse(page, None, &Default::default());
        let base = Url::parse("https://site.example/dir/page.html").unwrap();
        let found: Vec<String> = feeds(&document, &base, 9).into_iter().map(String::from).collect();
        assert_eq!(found, ["https://site.example/x/rss", "https://site.example/atom"]);
        assert_eq!(feeds(&document, &base, 1).len(), 1);
    }

    #[test]
    fn a_page_names_its_canonical_address() {
        for (page, expect) in [
            ("<link rel='x CANONICAL' href=' /a '><link rel=canonical href=/b>", Some("/a")),
            ("<link rel=canonical><link rel=canonical href=/b>", Some("/b")),
            ("<link rel=alternate href=/a><a rel=canonical href=/a>a</a>", None),
            ("<title>x</title><body><link rel=canonical href=/a>", None),
            ("<p>x<link rel=canonical href=/a></p>", None),
            ("<head><title>x</title></head><link rel=canonical href=/a><body>x", Some("/a")),
            ("<head><title>x</title></head><body><div><link rel=canonical href=/a></div></body>", None),
            ("<head><template><link rel=canonical href=/a></template></head>x", None),
            ("<head><noscript><link rel=canonical href=/a></noscript></head>x", None),
            ("<head><svg><link rel=canonical href=/a></svg></head>x", None),
            ("<link rel=canonical href=/a><p>x<link rel=canonical href=/b>", Some("/a")),
            ("<img src=x><link rel=canonical href=/a>", None),
            ("<link rel='canonical nofollow' href='/a'>", Some("/a")),
        ] {
            assert_eq!(canonical(&parse(page.as_bytes(), None, &Default::default())), expect, "{page}");
        }
    }

    #[test]
    fn a_base_element_moves_the_base() {
        let document = parse(b"<base href='/root/'><a href=x>x</a>", None, &Default::default());
        let base = Url::parse("https://site.example/dir/page.html").unwrap();
        let found = links(&document, &base, MostLinks { within: 9, beyond: 9 });
        assert_eq!(found.urls[0].as_str(), "https://site.example/root/x");
    }
}
