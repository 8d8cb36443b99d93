//! The links of a page: what a crawl frontier is fed with.

use std::collections::HashSet;

use html5ever::local_name;
use url::Url;

use super::document::Document;

/// The http(s) targets of the page's `a` and `area` elements, resolved against its base URL (`base`
/// is the URL the page came from), without fragments, user names and passwords, in document order,
/// each once. Links marked `rel=nofollow` are left out, as are those of a page whose robots meta
/// says so: see [`Directives::nofollow`](super::directives::Directives::nofollow).
///
/// Linear in the page. At most `most` links are returned.
pub fn links(document: &Document, base: &Url, most: usize) -> Vec<Url> {
    let base = base_url(document, base);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for id in document.descendants(document.root()) {
        if found.len() == most {
            break;
        }
        let name = document.local_name(id);
        if name != Some(&local_name!("a")) && name != Some(&local_name!("area")) {
            continue;
        }
        if document.attribute(id, "rel").is_some_and(|rel| has_token(rel, "nofollow")) {
            continue;
        }
        let Some(mut url) = document.attribute(id, "href").and_then(|href| base.join(href.trim()).ok()) else {
            continue;
        };
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            continue;
        }
        url.set_fragment(None);
        // What is fetched, stored and logged has no business with passwords. Both fail only for
        // URLs without a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        if seen.insert(url.clone()) {
            found.push(url);
        }
    }
    found
}

/// The feeds that the page names: RSS and Atom, by `<link rel=alternate>`, resolved against its
/// base URL, in document order, each once.
///
/// Linear in the page. At most `most` are returned.
pub fn feeds(document: &Document, base: &Url, most: usize) -> Vec<Url> {
    let base = base_url(document, base);
    let mut found = Vec::new();
    for id in document.named(local_name!("link")) {
        let is_feed = document.attribute(id, "rel").is_some_and(|rel| has_token(rel, "alternate"))
            && document.attribute(id, "type").is_some_and(is_feed_type);
        let url = document.attribute(id, "href").filter(|_| is_feed).and_then(|href| base.join(href.trim()).ok());
        let Some(url) = url.filter(|url| matches!(url.scheme(), "http" | "https")) else { continue };
        if found.len() == most {
            break;
        }
        if !found.contains(&url) {
            found.push(url);
        }
    }
    found
}

/// The media types of feeds, whatever parameters follow.
fn is_feed_type(value: &str) -> bool {
    let essence = value.split(';').next().unwrap_or_default().trim();
    ["application/rss+xml", "application/atom+xml", "application/rdf+xml"]
        .iter()
        .any(|feed| feed.eq_ignore_ascii_case(essence))
}

/// The address that the page itself calls canonical, as written: that of the first `<link
/// rel=canonical>` with one. One pass over the tree.
pub fn canonical(document: &Document) -> Option<&str> {
    let named = document
        .named(local_name!("link"))
        .filter(|id| document.attribute(*id, "rel").is_some_and(|rel| has_token(rel, "canonical")));
    named.filter_map(|id| document.attribute(id, "href")).map(str::trim).find(|href| !href.is_empty())
}

/// The document base URL: that of the first `base` element with an `href`, or the page's own. As
/// the standard has it (section 2.4.3), no script and no data is one.
pub fn base_url(document: &Document, page: &Url) -> Url {
    document
        .named(local_name!("base"))
        .find_map(|id| document.attribute(id, "href"))
        .and_then(|href| page.join(href.trim()).ok())
        .filter(|base| !matches!(base.scheme(), "data" | "javascript"))
        .unwrap_or_else(|| page.clone())
}

/// True when a space-separated list of tokens holds `token`, whatever its case.
pub(crate) fn has_token(list: &str, token: &str) -> bool {
    list.split_ascii_whitespace().any(|t| t.eq_ignore_ascii_case(token))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn links_are_resolved_and_told_apart() {
        let page = b"<a href='/a#top'>a</a> <a href=b.html>b</a> <a href='/a'>again</a> <a>none</a>
            <a href='mailto:x@y.example'>mail</a> <a href='http://[bad'>bad</a> <a rel='Noopener NOFOLLOW' href=/no>no</a>
            <a href='//user:secret@site.example/b'>b</a><map><area href='//other.example/c?x=1&amp;y=2'></map>";
        let document = parse(page, None, &Default::default());
        let base = Url::parse("https://site.example/dir/page.html").unwrap();
        let found: Vec<String> = links(&document, &base, 100).into_iter().map(String::from).collect();
        assert_eq!(
            found,
            [
                "https://site.example/a",
                "https://site.example/dir/b.html",
                "https://site.example/b",
                "https://other.example/c?x=1&y=2"
            ]
        );
        assert_eq!(links(&document, &base, 1).len(), 1);
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
        ] {
            assert_eq!(canonical(&parse(page.as_bytes(), None, &Default::default())), expect, "{page}");
        }
    }

    #[test]
    fn a_base_element_moves_the_base() {
        let document = parse(b"<base href='/root/'><a href=x>x</a>", None, &Default::default());
        let base = Url::parse("https://site.example/dir/page.html").unwrap();
        assert_eq!(links(&document, &base, 9)[0].as_str(), "https://site.example/root/x");
    }
}
