//! What a page says of itself in its head.

use url::Url;

use super::directives::Directives;
use super::document::{Document, NodeId};
use super::fold_space;
use super::linked_data::{self, LinkedData};
use super::links::has_token;

/// Title, canonical address, language and robots instructions of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The title: OpenGraph's, which carries no site name, or else the `title` element.
    pub title: Option<String>,
    /// The address that the page itself calls canonical, as written.
    pub canonical: Option<String>,
    /// Who wrote it: schema.org's author, or else the `meta` element's.
    pub author: Option<String>,
    /// When it was published, as written: schema.org's date, or else Open Graph's or the `meta` element's. It begins with a date of ISO 8601.
    pub published: Option<String>,
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

/// Where `<meta>` says when a page was published.
const DATES: [&str; 6] = ["article:published_time", "datePublished", "date", "pubdate", "dc.date", "dcterms.created"];
/// Characters of an author's name at most. Judgement: a longer one is a sentence.
const LONGEST_NAME: usize = 120;

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
    // What linked data says goes before what meta elements say, wherever it stands.
    let mut told = LinkedData::default();
    for id in document.descendants(document.root()) {
        let Some(name) = document.name(id) else { continue };
        match &**name {
            "html" => found.language = found.language.or_else(|| filled(document.attribute(id, "lang"))),
            "title" => title_element = title_element.or_else(|| filled(Some(&text_content(document, id)))),
            "link" if document.attribute(id, "rel").is_some_and(|rel| has_token(rel, "canonical")) => {
                found.canonical = found.canonical.or_else(|| filled(document.attribute(id, "href")));
            }
            "meta" => read_meta(document, id, product_token, &mut found, &mut directives),
            "script" if document.attribute(id, "type").is_some_and(|kind| kind.contains("ld+json")) => {
                let LinkedData { author, published } = linked_data::read(&text_content(document, id));
                told.author = told.author.or_else(|| author.as_deref().and_then(author_name));
                told.published = told.published.or_else(|| published.as_deref().and_then(date));
            }
            _ => {}
        }
    }
    found.title = found.title.or(title_element);
    (found.author, found.published) = (told.author.or(found.author), told.published.or(found.published));
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
    let names_one_of = |names: &[&str]| {
        ["property", "name", "itemprop"]
            .iter()
            .filter_map(|by| document.attribute(id, by))
            .any(|given| names.iter().any(|name| given.trim().eq_ignore_ascii_case(name)))
    };
    if found.author.is_none() && names_one_of(&["author", "article:author", "dc.creator"]) {
        found.author = content.and_then(author_name);
    }
    if found.published.is_none() && names_one_of(&DATES) {
        found.published = content.and_then(date);
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

/// An author's name: on one line, without the `By` before it. `None` of an address, and of what is too long for a name.
pub(crate) fn author_name(text: &str) -> Option<String> {
    let line = fold_space(text.trim());
    let begins_with_by = line.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("by "));
    let name = if begins_with_by { line[3..].trim() } else { &line };
    let is_name =
        name.chars().any(char::is_alphabetic) && !name.contains("://") && name.chars().count() <= LONGEST_NAME;
    is_name.then(|| name.to_owned())
}

/// A date as written. `None` where it does not begin with year, month and day in ISO 8601.
pub(crate) fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let (year, rest) = text.split_once('-')?;
    let (month, day) = (rest.get(..2)?, rest.get(2..5)?.strip_prefix('-')?);
    let number =
        |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u32>().ok()).flatten();
    let is_date =
        year.len() == 4 && number(year)? > 0 && (1..=12).contains(&number(month)?) && (1..=31).contains(&number(day)?);
    is_date.then(|| text.to_owned())
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
    fn authors_and_dates_are_told_from_what_is_none() {
        for (text, name) in [
            (" Ann\n Orr", Some("Ann Orr")),
            ("By Ann Orr", Some("Ann Orr")),
            ("Byron", Some("Byron")),
            ("http://x.example/ann", None),
            ("2026", None),
            ("", None),
        ] {
            assert_eq!(author_name(text).as_deref(), name, "{text}");
        }
        for (text, is_date) in [
            ("2026-01-02", true),
            (" 2026-01-02T03:04:05+01:00", true),
            ("2026-13-02", false),
            ("2026-1-2", false),
            ("2026-01-0\u{e9}", false),
            ("2 January 2026", false),
            ("", false),
        ] {
            assert_eq!(date(text).as_deref(), is_date.then_some(text.trim()), "{text}");
        }
        let page = b"<meta name=author content=CMS><meta name=date content=2020-01-01><script type=application/ld+json>
            {\"author\": \"Ann Orr\", \"datePublished\": \"2026-01-02\"}</script>";
        let found = metadata(&parse(page, None, &Default::default()));
        assert_eq!((found.author.as_deref(), found.published.as_deref()), (Some("Ann Orr"), Some("2026-01-02")));
    }

    #[test]
    fn a_silent_page_says_nothing() {
        assert_eq!(metadata(&parse(b"<title> </title>text", None, &Default::default())), Metadata::default());
    }
}
