//! Finds XML that is not a page, by its root. That is feeds as in the MIME Sniffing standard
//! ("sniffing a mislabeled feed", section 7.3), sitemaps, and declared XML whose root is not an
//! HTML element.

use memchr::memmem;

use crate::html::elements::{DefaultDisplay, default_display};

/// Roots that identify the document, with or without an XML declaration.
const ROOTS: [(&[u8], &str); 4] = [
    (b"rss", "a feed (RSS)"),
    (b"feed", "a feed (Atom)"),
    (b"urlset", "a sitemap"),
    (b"sitemapindex", "a list of sitemaps"),
];
/// The namespace that RSS 1.0 names beside its root; other RDF has the same root.
const RSS_1: &[u8] = b"http://purl.org/rss/1.0/";
/// Inline HTML elements that a page could begin with after the XML declaration.
const INLINE: [&str; 6] = ["a", "b", "font", "i", "span", "strong"];

/// What kind of XML a body is, if it is XML and not a page.
pub(super) fn not_html(header: &[u8]) -> Option<&'static str> {
    let text = header.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(header).trim_ascii_start();
    let (name, after) = root(text)?;
    if let Some((_, what)) = ROOTS.iter().find(|(root, _)| *root == name) {
        return Some(what);
    }
    if name == b"rdf:RDF" && memmem::find(after, RSS_1).is_some() {
        return Some("a feed (RSS 1.0)");
    }
    (text.starts_with(b"<?xml") && !is_of_html(name)).then_some("XML")
}

/// Whether the root is an `html` element. A prefix is ignored.
pub(super) fn is_html(header: &[u8]) -> bool {
    let text = header.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(header);
    let local =
        |name: &[u8]| name.rsplit(|&byte| byte == b':').next().is_some_and(|name| name.eq_ignore_ascii_case(b"html"));
    root(text).is_some_and(|(name, _)| local(name))
}

/// The name of the first element, and what follows it. Skips white space, comments, declarations
/// and processing instructions before it. `None` if something else comes first.
fn root(mut text: &[u8]) -> Option<(&[u8], &[u8])> {
    const BEFORE: [(&[u8], &[u8]); 3] = [(b"<!--", b"-->"), (b"<!", b">"), (b"<?", b"?>")];
    loop {
        text = text.trim_ascii_start();
        let Some((_, end)) = BEFORE.iter().find(|(begin, _)| text.starts_with(begin)) else { break };
        text = &text[memmem::find(text, end)? + end.len()..];
    }
    let tag = text.strip_prefix(b"<").filter(|tag| tag.first().is_some_and(u8::is_ascii_alphabetic))?;
    let end = tag.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))?;
    Some(tag.split_at(end))
}

/// Whether HTML has such an element. A prefix is ignored.
fn is_of_html(name: &[u8]) -> bool {
    let local = name.rsplit(|&byte| byte == b':').next().unwrap_or(name);
    let local = String::from_utf8_lossy(local).to_ascii_lowercase();
    local != "svg" && (default_display(&local) != DefaultDisplay::Inline || INLINE.contains(&local.as_str()))
}

#[cfg(test)]
mod tests {
    use crate::html::sniff::{is_xhtml, not_html};

    #[test]
    fn xml_is_a_page_where_its_root_is_html() {
        let wide: Vec<u8> = "\u{feff}<?xml version='1.0'?><html>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (body, expect) in [
            (&b"<?xml version='1.0'?>\n<html xmlns='http://www.w3.org/1999/xhtml'>"[..], true),
            (b"<html xmlns='http://www.w3.org/1999/xhtml'>", true),
            (b"<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'><html>", true),
            (b"<?xml version='1.0'?><!-- a comment --><h:html xmlns:h='http://www.w3.org/1999/xhtml'>", true),
            (b"\xEF\xBB\xBF<?xml version='1.0'?><?xml-stylesheet href='a.css'?><html>", true),
            (&wide, true),
            (b"<?xml version='1.0'?><rss>", false),
            (b"<?xml version='1.0'?><svg>", false),
            (b"<?xml version='1.0'?><htmlx>", false),
            (b"<p>Hello", false),
            (b"text", false),
            (b"", false),
        ] {
            assert_eq!(is_xhtml(body), expect, "{}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn a_feed_is_told_by_its_root() {
        for (body, expect) in [
            ("<?xml version='1.0'?>\n<rss version='2.0'><channel>", Some("a feed (RSS)")),
            ("\u{feff}<?xml version='1.0'?><rss version='2.0'>", Some("a feed (RSS)")),
            (" <!-- <html> --><?xml-stylesheet href='a.css'?><rss>", Some("a feed (RSS)")),
            ("<feed xmlns='http://www.w3.org/2005/Atom'>", Some("a feed (Atom)")),
            ("<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", Some("a feed (RSS 1.0)")),
            ("<urlset xmlns='x'>", Some("a sitemap")),
            ("<?xml version='1.0'?><sitemapindex>", Some("a list of sitemaps")),
            ("<?xml version='1.0'?><rdf:RDF>", Some("XML")),
            ("<?xml version='1.0'?><!DOCTYPE note><note>", Some("XML")),
            ("<?xml version='1.0'?><svg>", Some("XML")),
            // Pages, as far as the root shows.
            ("<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'><html>", None),
            ("<?xml version='1.0'?><xhtml:html>", None),
            ("<?xml version='1.0'?><HTML>", None),
            ("<?xml version='1.0'?><font>", None),
            ("<?xml version='1.0'?>text", None),
            ("<?xml version='1.0'?><note", None),
            ("<!-- <rss> -->", None),
            ("<!DOCTYPE html><rssfeed>", None),
            ("<html><rss>", None),
            ("text <rss>", None),
            ("<note>", None),
            ("<", None),
            ("<!--", None),
        ] {
            assert_eq!(not_html(body.as_bytes(), None), expect, "{body}");
        }
    }
}
