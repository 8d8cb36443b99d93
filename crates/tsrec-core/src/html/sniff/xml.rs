//! XML that is no page, by its root: feeds as the MIME Sniffing standard tells them ("sniffing a
//! mislabeled feed", section 7.3), sitemaps, and what says that it is XML and begins with an
//! element that HTML does not have.

use memchr::memmem;

use crate::html::elements::{DefaultDisplay, default_display};

/// Roots that say outright what the document is, declared to be XML or not.
const ROOTS: [(&[u8], &str); 4] = [
    (b"rss", "a feed (RSS)"),
    (b"feed", "a feed (Atom)"),
    (b"urlset", "a sitemap"),
    (b"sitemapindex", "a list of sitemaps"),
];
/// What RSS 1.0 names beside its root, which other RDF has as well.
const RSS_1: &[u8] = b"http://purl.org/rss/1.0/";
/// Elements that HTML has and that flow with the text: those that a page could begin with after
/// XML's declaration.
const INLINE: [&str; 6] = ["a", "b", "font", "i", "span", "strong"];

/// What the beginning of a body shows it to be, where that is XML and no page.
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

/// The name of the first element, and what follows it: behind white space, comments, declarations
/// and processing instructions. `None` where something else comes first.
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

/// Whether HTML has such an element. A prefix is passed over.
fn is_of_html(name: &[u8]) -> bool {
    let local = name.rsplit(|&byte| byte == b':').next().unwrap_or(name);
    let local = String::from_utf8_lossy(local).to_ascii_lowercase();
    local != "svg" && (default_display(&local) != DefaultDisplay::Inline || INLINE.contains(&local.as_str()))
}

#[cfg(test)]
mod tests {
    use crate::html::sniff::not_html;

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
            // Pages, as far as that can be seen.
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
