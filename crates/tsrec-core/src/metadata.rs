//! The author, date, language, site and other metadata of a page, each with its source.
//!
//! One pass over the document collects what it states (`statements`): `<meta>`, JSON-LD, microdata
//! and RDFa, links with a relation, headings, elements marked as bylines or dates. Then one file
//! per field chooses a value. The order of its sources is in that file, and for users in
//! `CONTENT.md`. What is not found is `None` or empty; nothing is guessed.
//!
//! If other pages of the site are known ([`Subject::siblings`]), they help. What all titles share
//! is the site's name, and an end that many share is no part of the headline. A date or an
//! organisation that every page states belongs to the template; a person writes the whole site.

mod authors;
mod date;
mod dates;
mod head;
mod language;
mod linked_data;
mod mend;
mod months;
mod name;
mod near;
mod phrases;
mod properties;
mod site;
mod stated;
pub(crate) mod statements;
mod title;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::analysis::Analysis;
use crate::html::Document;

pub use date::read as read_date;
pub use name::split as split_authors;
pub use stated::Stated;
use statements::Statements;

/// Metadata of a page. All JSON, records and answers use these field names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Metadata {
    /// The headline, without the site's name.
    pub title: Option<String>,
    /// The names of its authors.
    pub authors: Vec<String>,
    /// When it was published: an ISO 8601 date, maybe with a time, as precise as the page gives it.
    /// If the page only shows its readers when it was changed, and states nothing else, it is that
    /// day. `modified` then has the same day.
    pub published: Option<String>,
    /// When it was last changed, in the form of `published`.
    pub modified: Option<String>,
    /// The language of its text, as a language tag (BCP 47) such as `en` or `pt-BR`.
    pub language: Option<String>,
    /// How sure tsrec is of the language by the text, from 0 to 1. `None` if only the page states
    /// the language, or if the language is unknown.
    pub language_confidence: Option<f64>,
    /// The name of the site, as the site states it.
    pub site_name: Option<String>,
    /// What the page says it is about, for search engines and previews.
    pub description: Option<String>,
    /// The URL of the image that represents it. It is absolute, with http or https; so is
    /// `canonical_url`.
    pub image: Option<String>,
    /// The URL that the page states as its own.
    pub canonical_url: Option<String>,
    /// Its keywords and sections.
    pub tags: Vec<String>,
    /// The licence of the page: a URL or a name.
    pub license: Option<String>,
}

/// Where a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Source {
    /// schema.org, in a script of the page.
    JsonLd,
    /// `<meta property="og:…">`.
    OpenGraph,
    /// `<meta property="article:…">`.
    Article,
    /// `<meta name="dc.…">`, `dcterms.…`.
    DublinCore,
    /// Another `<meta>`.
    Meta,
    /// `itemprop`, or `property` of RDFa, on an element of the page.
    Microdata,
    /// A link with a `rel`.
    Rel,
    /// A `time` element.
    Time,
    /// An element whose class or id marks a byline.
    Byline,
    /// The text near the headline.
    Text,
    /// A heading.
    Heading,
    /// The `title` element.
    Title,
    /// The page's URL.
    Url,
    /// The `lang` attribute.
    Lang,
    /// What the titles of the site's pages share.
    Siblings,
}

impl Source {
    /// The source's name in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Source::JsonLd => "json-ld",
            Source::OpenGraph => "open-graph",
            Source::Article => "article",
            Source::DublinCore => "dublin-core",
            Source::Meta => "meta",
            Source::Microdata => "microdata",
            Source::Rel => "rel",
            Source::Time => "time",
            Source::Byline => "byline",
            Source::Text => "text",
            Source::Heading => "heading",
            Source::Title => "title",
            Source::Url => "url",
            Source::Lang => "lang",
            Source::Siblings => "siblings",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The kind of a page, as far as it decides who can be the author.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// One text: an article.
    Text,
    /// A thread of posts. Its author is that of the first post.
    Thread,
    /// Neither: products, offers, lists. Only an explicit statement names its authors.
    Other,
    /// Not known.
    #[default]
    Unknown,
}

/// A page whose metadata is to be read.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The page.
    pub document: &'a Document,
    /// Its analysis.
    pub analysis: &'a Analysis,
    /// What it states about itself.
    pub statements: &'a Statements,
    /// Its URL.
    pub url: Option<&'a Url>,
    /// Its kind.
    pub sort: Sort,
    /// What other pages of its site state.
    pub siblings: &'a Stated,
}

/// Metadata, each value with where it was found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Described {
    /// The values.
    pub metadata: Metadata,
    /// Where they were found, by the names of the fields.
    pub sources: BTreeMap<&'static str, Source>,
    /// What the page states about itself, believed or not. Siblings are compared by it.
    #[doc(hidden)]
    pub stated: Stated,
}

/// A value with its source.
type Sourced<T> = Option<(T, Source)>;

/// What a page states to its siblings, and what the other fields are found with.
struct Told {
    site: site::SiteNames,
    title: Sourced<String>,
    near: near::Near,
    dates: dates::Dates,
}

impl Told {
    fn from_subject(subject: &Subject<'_>) -> Told {
        let statements = subject.statements;
        let site = site::SiteNames::from_subject(subject, statements);
        let title = title::find(subject, statements, &site);
        let near = near::Near::from_subject(subject, title.as_ref().map(|(title, _)| title.as_str()));
        let dates = dates::find(subject, statements, &near);
        Told { site, title, near, dates }
    }

    /// What the page states, believed or not.
    fn stated(&self, subject: &Subject<'_>) -> Stated {
        let date = self.dates.of_site.as_ref().or(self.dates.published.as_ref().map(|(date, _)| date));
        let authors = authors::stated(subject.statements, &self.site);
        Stated::of_page(subject.statements.title.as_deref(), &authors, date.map(String::as_str))
    }
}

/// What a page states about itself, for its siblings. Less work than [`read`]. Linear in the page.
pub fn stated(subject: &Subject<'_>) -> Stated {
    Told::from_subject(subject).stated(subject)
}

/// Reads the metadata of a page. Linear in the page.
pub fn read(subject: &Subject<'_>) -> Described {
    let told = Told::from_subject(subject);
    let stated = told.stated(subject);
    let Told { site, title, near, dates } = told;
    let authors = authors::find(subject, subject.statements, &near, &site);
    let addresses = head::AddressBase::from_subject(subject);
    let language = language::find(subject);
    let mut described = Described { stated, ..Described::default() };
    let metadata = &mut described.metadata;
    let mut kept = BTreeMap::new();
    let mut set = |field: &'static str, to: &mut Option<String>, found: Sourced<String>| {
        if let Some((value, source)) = found {
            kept.insert(field, source);
            *to = Some(value);
        }
    };
    set("title", &mut metadata.title, title);
    set("published", &mut metadata.published, dates.published);
    set("modified", &mut metadata.modified, dates.modified);
    set("language", &mut metadata.language, language.tag);
    set("description", &mut metadata.description, head::description(subject));
    set("image", &mut metadata.image, head::image(subject, &addresses));
    set("canonical_url", &mut metadata.canonical_url, head::canonical_url(subject, &addresses));
    set("license", &mut metadata.license, head::license(subject, &addresses));
    set("site_name", &mut metadata.site_name, site.into_name());
    for (field, to, found) in
        [("authors", &mut metadata.authors, authors), ("tags", &mut metadata.tags, head::tags(subject))]
    {
        if let Some((values, source)) = found {
            kept.insert(field, source);
            *to = values;
        }
    }
    metadata.language_confidence = language.confidence;
    described.sources = kept;
    described
}

/// Words in lower case with single spaces between, for comparing titles and names.
fn fold(text: &str) -> String {
    let text = text.to_lowercase();
    crate::words::words(&text).collect::<Vec<_>>().join(" ")
}

/// A stated text without the tags of marked words, which some pages leave in it. A break becomes a
/// space. Linear.
fn untagged(text: &str) -> Cow<'_, str> {
    static TAG: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)</?(?:a|b|br|em|font|i|img|mark|p|small|span|strong|sub|sup|u|wbr)(?:\s[^<>]*)?/?>")
            .expect("it is tested")
    });
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    TAG.replace_all(text, |found: &regex_lite::Captures<'_>| {
        let name = found[0].trim_start_matches(['<', '/']).to_ascii_lowercase();
        let is_break = name.starts_with("br") || name.starts_with('p');
        if is_break { " " } else { "" }
    })
}

/// A value on one line, safe to show; `None` if it is empty.
fn filled(value: &str) -> Option<String> {
    let value = crate::html::strip_and_collapse(&crate::html::printable(value)).into_owned();
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests;
