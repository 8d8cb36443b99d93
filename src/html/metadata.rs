//! What a page says of itself in its head.

use url::Url;

use super::directives::Directives;
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
    /// True when the page asks not to be indexed, see [`Directives::noindex`].
    pub noindex: bool,
    /// True when the page asks that its links be left alone.
    pub nofollow: bool,
    /// True when the page asks that no copy of it be kept as it came.
    pub noarchive: bool,
    /// From when on the page asks not to be indexed, as written.
    pub unavailable_after: Option<String>,
}

/// Names in `<meta name=…>` whose words are for us: those for every crawler, and our own.
const ADDRESSED: [&str; 2] = ["robots", "tsrec"];

/// Reads the metadata of a page: one pass over the tree.
pub fn metadata(document: &Document) -> Metadata {
    metadata_for(document, None)
}

/// Reads the metadata of a page for a crawler with this product token: what `<meta>` says to that name counts too.
pub fn metadata_for(document: &Document, product_token: Option<&str>) -> Metadata {
    let mut found = Metadata::default();
    let mut directives = Directives::default();
    let mut title_element = None;
    for id in document.descendants(document.root()) {
        let Some(name) = document.name(id) else { continue };
        match &**name {
            "html" => found.language = found.language.or_else(|| filled(document.attribute(id, "lang"))),
            "title" => title_element = title_element.or_else(|| filled(Some(&text_content(document, id)))),
            "link" if document.attribute(id, "rel").is_some_and(|rel| has_token(rel, "canonical")) => {
                found.canonical = found.canonical.or_else(|| filled(document.attribute(id, "href")));
            }
            "meta" => read_meta(document, id, product_token, &mut found, &mut directives),
            _ => {}
        }
    }
    found.title = found.title.or(title_element);
    let Directives { noindex, nofollow, noarchive, unavailable_after } = directives;
    Metadata { noindex, nofollow, noarchive, unavailable_after, ..found }
}

impl Metadata {
    /// The canonical address as a URL, resolved against the page's own.
    pub fn canonical_url(&self, page: &Url) -> Option<Url> {
        self.canonical.as_deref().and_then(|href| page.join(href).ok())
    }
}

fn read_meta(
    document: &Document,
    id: NodeId,
    product_token: Option<&str>,
    found: &mut Metadata,
    directives: &mut Directives,
) {
    let content = document.attribute(id, "content");
    if document.attribute(id, "property").is_some_and(|p| p.eq_ignore_ascii_case("og:title")) {
        found.title = found.title.take().or_else(|| filled(content));
    }
    let mut names = ADDRESSED.into_iter().chain(product_token);
    if document.attribute(id, "name").is_some_and(|n| names.any(|ours| n.trim().eq_ignore_ascii_case(ours))) {
        directives.add(content.unwrap_or_default());
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
    fn what_is_said_to_us_by_name_counts() {
        for (name, expect) in [
            ("robots", true),
            ("TSREC", true),
            (" ExampleBot ", true),
            ("otherbot", false),
            ("example", false),
            ("", false),
        ] {
            let page = format!("<meta name='{name}' content='noindex, noarchive, unavailable_after: 2027-01-01'>");
            let found = metadata_for(&parse(page.as_bytes(), None, &Default::default()), Some("examplebot"));
            assert_eq!((found.noindex, found.nofollow, found.noarchive), (expect, false, expect), "{name:?}");
            assert_eq!(found.unavailable_after.is_some(), expect, "{name:?}");
        }
        let page = b"<meta name=robots content=nofollow><meta name=tsrec content=noindex>";
        let found = metadata(&parse(page, None, &Default::default()));
        assert!(found.noindex && found.nofollow, "whatever one of them forbids is forbidden");
    }

    #[test]
    fn a_silent_page_says_nothing() {
        assert_eq!(metadata(&parse(b"<title> </title>text", None, &Default::default())), Metadata::default());
    }
}
