//! Who wrote a page, when, in which language, for which site: values, each with where it was found.
//!
//! One pass over the document collects what it states (`statements`): `<meta>`, JSON-LD, microdata
//! and RDFa, links with a relation, headings, elements marked as bylines or dates. A field a file
//! then chooses, in an order that its file documents, and `CONTENT.md` for users. What is not found
//! is `None` or empty; nothing is guessed.
//!
//! Where other pages of the site are at hand ([`Subject::siblings`]), they decide: what all titles
//! share is the site's name, and a date or an author that is the same on every page is template.

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
mod properties;
mod site;
mod stated;
pub(crate) mod statements;
mod title;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::analysis::Analysis;
use crate::html::Document;

pub use date::read as read_date;
pub use name::split as split_authors;
pub use stated::Stated;
use statements::Statements;

/// What is said of a page beside its content. The names of the fields are those of every JSON,
/// record and answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Metadata {
    /// The headline, without the site's name.
    pub title: Option<String>,
    /// Who wrote it, a name each.
    pub authors: Vec<String>,
    /// When it was published: a date of ISO 8601, maybe with a time, as precise as found. On a page
    /// that shows its readers only when it was changed, and states nothing else, it is that day,
    /// which `modified` has too.
    pub published: Option<String>,
    /// When it was changed last; as `published`.
    pub modified: Option<String>,
    /// The language of its text: a language tag (BCP 47), such as `en` or `pt-BR`.
    pub language: Option<String>,
    /// How sure the text is of that, from 0 to 1. `None` where the page alone says so, and where no
    /// language is known.
    pub language_confidence: Option<f64>,
    /// What the site calls itself.
    pub site_name: Option<String>,
    /// What it is about, in the page's own words, for search engines and previews.
    pub description: Option<String>,
    /// The URL of the image that stands for it: absolute, of http or https, as is the one below.
    pub image: Option<String>,
    /// The URL that the page calls its own.
    pub canonical_url: Option<String>,
    /// Its keywords and sections.
    pub tags: Vec<String>,
    /// Under which licence it is published: a URL, or a name.
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
    /// A link that says what it is to the page: `rel`.
    Rel,
    /// A `time` element.
    Time,
    /// An element whose class or id calls it a byline.
    Byline,
    /// The text near the headline.
    Text,
    /// A heading.
    Heading,
    /// The `title` element.
    Title,
    /// The page's address.
    Url,
    /// The `lang` attribute.
    Lang,
    /// What the titles of the site's pages share.
    Siblings,
}

impl Source {
    /// The source as it is printed.
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

/// What a page is, as far as it tells who can have written it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// One text: an article.
    Text,
    /// A thread of posts: its author is the first one's.
    Thread,
    /// Neither: what is for sale, what is offered, lists. Only what is said outright names its
    /// authors.
    Other,
    /// Not known.
    #[default]
    Unknown,
}

/// A page whose metadata is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The page.
    pub document: &'a Document,
    /// The same, read.
    pub analysis: &'a Analysis,
    /// What it states of itself.
    pub statements: &'a Statements,
    /// Its address.
    pub url: Option<&'a Url>,
    /// What it is.
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
    /// What the page states of itself, believed or not: what its siblings are compared by.
    #[doc(hidden)]
    pub stated: Stated,
}

/// A value with where it was found.
type Sourced<T> = Option<(T, Source)>;

/// What hangs on what other pages of the site state: title, dates and authors.
struct Told {
    site: site::SiteNames,
    title: Sourced<String>,
    dates: dates::Dates,
    authors: authors::Authors,
}

impl Told {
    fn from_subject(subject: &Subject<'_>) -> Told {
        let statements = subject.statements;
        let site = site::SiteNames::from_subject(subject, statements);
        let title = title::find(subject, statements, &site);
        let near = near::Near::from_subject(subject, title.as_ref().map(|(title, _)| title.as_str()));
        let dates = dates::find(subject, statements, &near);
        let authors = authors::find(subject, statements, &near, &site);
        Told { site, title, dates, authors }
    }

    /// What the page states, believed or not.
    fn stated(&self, subject: &Subject<'_>) -> Stated {
        let date = self.dates.of_site.as_ref().or(self.dates.published.as_ref().map(|(date, _)| date));
        let authors = self.authors.of_site.as_ref().or(self.authors.own.as_ref().map(|(names, _)| names));
        let (title, authors) = (subject.statements.title.as_deref(), authors.map_or(&[][..], Vec::as_slice));
        Stated::of_page(title, authors, date.map(String::as_str))
    }
}

/// What a page states of itself, for its siblings: less work than [`read`]. Linear in the page.
pub fn stated(subject: &Subject<'_>) -> Stated {
    Told::from_subject(subject).stated(subject)
}

/// Reads the metadata of a page. Linear in the page.
pub fn read(subject: &Subject<'_>) -> Described {
    let told = Told::from_subject(subject);
    let stated = told.stated(subject);
    let Told { site, title, dates, authors } = told;
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
        [("authors", &mut metadata.authors, authors.own), ("tags", &mut metadata.tags, head::tags(subject))]
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

/// Words in lower case with single spaces between: what titles and names are compared by.
fn fold(text: &str) -> String {
    let text = text.to_lowercase();
    crate::words::words(&text).collect::<Vec<_>>().join(" ")
}

/// A value on one line, as it may be shown; `None` of an empty one.
fn filled(value: &str) -> Option<String> {
    let value = crate::html::strip_and_collapse(&crate::html::printable(value)).into_owned();
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests;
