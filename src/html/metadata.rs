//! What a page says of itself in its head.

use url::Url;

use super::document::{Document, NodeId};
use super::fold_space;
use super::links::has_token;

/// Title, canonical address, language and robots instructions of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The title: OpenGraph's, which carries no site name, or else the `title` element.
    pub title: Option<String>,
    /// The address that the page itself calls canonical, as written.
    pub canonical: Option<String>,
    /// The language tag of the `html` element.
    pub language: Option<String>,
    /// True when `<meta name=robots>` asks not to be indexed.
    pub noindex: bool,
    /// True when `<meta name=robots>` asks that its links be left alone.
    pub nofollow: bool,
}

/// Reads the metadata of a page: one pass over the tree.
pub fn metadata(document: &Document) -> Metadata {
    let mut found = Metadata::default();
    let mut title_element = None;
    for id in document.descendants(document.root()) {
        let Some(name) = document.name(id) else { continue };
        match &**name {
            "html" => found.language = found.language.or_else(|| filled(document.attribute(id, "lang"))),
            "title" => title_element = title_element.or_else(|| filled(Some(&text_content(document, id)))),
            "link" if document.attribute(id, "rel").is_some_and(|rel| has_token(rel, "canonical")) => {
                found.canonical = found.canonical.or_else(|| filled(document.attribute(id, "href")));
            }
            "meta" => read_meta(document, id, &mut found),
            _ => {}
        }
    }
    found.title = found.title.or(title_element);
    found
}

impl Metadata {
    /// The canonical address as a URL, resolved against the page's own.
    pub fn canonical_url(&self, page: &Url) -> Option<Url> {
        self.canonical.as_deref().and_then(|href| page.join(href).ok())
    }
}

fn read_meta(document: &Document, id: NodeId, found: &mut Metadata) {
    let content = document.attribute(id, "content");
    if document.attribute(id, "property").is_some_and(|p| p.eq_ignore_ascii_case("og:title")) {
        found.title = found.title.take().or_else(|| filled(content));
    }
    if document.attribute(id, "name").is_some_and(|n| n.eq_ignore_ascii_case("robots")) {
        for rule in content.unwrap_or_default().split(',').map(str::trim) {
            found.noindex |= rule.eq_ignore_ascii_case("noindex") || rule.eq_ignore_ascii_case("none");
            found.nofollow |= rule.eq_ignore_ascii_case("nofollow") || rule.eq_ignore_ascii_case("none");
        }
    }
}

fn text_content(document: &Document, id: NodeId) -> String {
    document.descendants(id).filter_map(|node| document.text(node)).collect()
}

fn filled(value: Option<&str>) -> Option<String> {
    value.map(|value| fold_space(value.trim()).into_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn the_head_is_read() {
        let page = b"<html lang=en-GB><head><title> A\n title | Site</title><meta property='og:title' content='A title'>
            <link rel='x CANONICAL' href='/a'><meta name=ROBOTS content='noarchive, NOFOLLOW'><body><svg><title>no</title>";
        let found = metadata(&parse(page, None, &Default::default()));
        assert_eq!(found.title.as_deref(), Some("A title"));
        assert_eq!(found.canonical.as_deref(), Some("/a"));
        assert_eq!(found.language.as_deref(), Some("en-GB"));
        assert!(found.nofollow && !found.noindex);
        let url = Url::parse("http://x.example/y").unwrap();
        assert_eq!(found.canonical_url(&url).unwrap().as_str(), "http://x.example/a");
    }

    #[test]
    fn a_silent_page_says_nothing() {
        assert_eq!(metadata(&parse(b"<title> </title>text", None, &Default::default())), Metadata::default());
    }
}
