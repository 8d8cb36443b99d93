//! What a page states of itself, collected in one pass over the document.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::linked_data::{self, LinkedData};
use super::{Source, filled};
use crate::analysis::Analysis;
use crate::html::document::{Document, NodeId};
use crate::html::links::has_token;
use crate::html::permalink;

/// Characters of an element's text that are read. Judgement: names, dates and headlines are
/// shorter.
const MOST_TEXT: usize = 400;
/// Things that are kept of a sort at most. Judgement: a page that has more is a list.
const MOST: usize = 200;

/// What a page states.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    /// Values of `<meta>`, by `property`, `name`, `itemprop` or `http-equiv` in lower case, in
    /// order.
    pub(super) metas: HashMap<String, Vec<String>>,
    /// The `title` element.
    pub(super) title: Option<String>,
    /// Visible headings of the first and second level: level, text.
    pub(super) headings: Vec<(u8, String)>,
    /// What JSON-LD says.
    pub(super) linked: LinkedData,
    /// `lang` of the `html` element.
    pub(super) lang: Option<String>,
    /// Links with a relation, and elements with a property: the relation or property in lower case,
    /// the element.
    pub(super) marked: Vec<(StatementMark, NodeId)>,
    /// The words of links that are tags.
    pub(super) tag_links: Vec<String>,
    /// `time` elements and those like them, outside readers' comments.
    pub(super) times: Vec<NodeId>,
}

/// What marks an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StatementMark {
    /// `rel`, a token.
    Rel(&'static str),
    /// `itemprop`, or `property` without its prefix.
    Property(&'static str),
    /// Its class or id says that it is a byline.
    Byline,
    /// Its class says that it is a name in a thread of posts.
    Poster,
    /// A link into a folder of authors.
    Profile,
}

const RELATIONS: [&str; 4] = ["author", "license", "tag", "image_src"];
const PROPERTIES: [&str; 11] = [
    "author",
    "creator",
    "datepublished",
    "datecreated",
    "datemodified",
    "headline",
    "image",
    "keywords",
    "license",
    "description",
    "inlanguage",
];
/// Words in classes and ids of bylines.
const BYLINES: [&str; 14] = [
    "author",
    "authors",
    "byline",
    "autor",
    "autoren",
    "autorin",
    "auteur",
    "auteurs",
    "autore",
    "autores",
    "verfasser",
    "writer",
    "forfatter",
    "skribent",
];
/// Words beside them that say that it is none: what stands around the name.
const NO_BYLINES: [&str; 29] = [
    "bio",
    "avatar",
    "image",
    "img",
    "photo",
    "picture",
    "pic",
    "description",
    "desc",
    "role",
    "job",
    "position",
    "social",
    "date",
    "time",
    "icon",
    "related",
    "quote",
    "testimonial",
    "review",
    "comment",
    "comments",
    "hidden",
    "email",
    "category",
    "tag",
    "topic",
    "separator",
    "no",
];
const POSTERS: [&str; 8] =
    ["username", "poster", "creator", "postauthor", "topicauthor", "postername", "nickname", "postleft"];
/// Folders of sites that hold a page for each author.
const FOLDERS: [&str; 18] = [
    "author",
    "team",
    "people",
    "authors",
    "autor",
    "autoren",
    "autores",
    "auteur",
    "auteurs",
    "contributor",
    "contributors",
    "writer",
    "writers",
    "journalist",
    "journalists",
    "columnist",
    "experts",
    "staff",
];

/// Attributes in which `time`, and elements of pages' own making, state when something was
/// published.
const DATETIMES: [&str; 4] = ["datetime", "publishdate", "created-timestamp", "ts"];

/// Collects what a page states. Linear.
pub(crate) fn collect(document: &Document, analysis: &Analysis) -> Statements {
    let mut found = Statements::default();
    let mut scripts = Vec::new();
    for id in document.descendants(document.root()) {
        let Some(name) = document.local_name(id) else { continue };
        match &**name {
            "html" => found.lang = found.lang.take().or_else(|| document.attribute(id, "lang").and_then(filled)),
            "title" if found.title.is_none() => found.title = filled(&text_of(document, id)),
            "meta" => found.read_meta(document, id),
            "script" if document.attribute(id, "type").is_some_and(|kind| kind.contains("ld+json")) => {
                scripts.extend(document.children(id).filter_map(|child| document.text(child)).map(str::to_owned));
            }
            "h1" | "h2" if !analysis.is_hidden(id) && found.headings.len() < MOST => {
                let level = if &**name == "h1" { 1 } else { 2 };
                found.headings.extend(filled(&text_of(document, id)).map(|text| (level, text)));
            }
            name if found.times.len() < MOST && tells_time(document, id, name) && !analysis.is_comment(id) => {
                found.times.push(id);
            }
            _ => {}
        }
        if &**name != "meta" && found.marked.len() < MOST && !analysis.is_comment(id) {
            found.read_marks(document, id);
        }
    }
    found.linked = linked_data::read(&scripts);
    found.tag_links = found.with(&StatementMark::Rel("tag")).map(|node| text_of(document, node)).collect();
    found
}

impl Statements {
    /// The first value of the first of these that is stated.
    pub(super) fn meta(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.metas.get(*name)?.first()).map(String::as_str)
    }

    /// The elements with such a mark, in order.
    pub(super) fn with<'s>(&'s self, mark: &'s StatementMark) -> impl Iterator<Item = NodeId> + 's {
        self.marked.iter().filter(move |(given, _)| given == mark).map(|&(_, node)| node)
    }

    fn read_meta(&mut self, document: &Document, id: NodeId) {
        let Some(content) = document.attribute(id, "content").and_then(filled) else { return };
        for by in ["property", "name", "itemprop", "http-equiv"] {
            for name in document.attribute(id, by).unwrap_or_default().split_ascii_whitespace() {
                if self.metas.len() < 4 * MOST {
                    self.metas.entry(name.to_ascii_lowercase()).or_default().push(content.clone());
                }
            }
        }
    }

    fn read_marks(&mut self, document: &Document, id: NodeId) {
        for attribute in document.attributes(id).iter() {
            let value = attribute.value;
            match attribute.name {
                "rel" => {
                    let named = RELATIONS.iter().filter(|relation| has_token(value, relation));
                    self.marked.extend(named.map(|relation| (StatementMark::Rel(relation), id)));
                }
                "itemprop" | "property" => {
                    let named = value.split_ascii_whitespace().filter_map(|name| {
                        let name = name.rsplit(':').next().unwrap_or(name);
                        PROPERTIES.iter().find(|known| known.eq_ignore_ascii_case(name))
                    });
                    self.marked.extend(named.map(|name| (StatementMark::Property(name), id)));
                }
                "class" | "id" => self.marked.extend(mark_of(value).map(|mark| (mark, id))),
                "href" if document.is_element(id, "a") && leads_to_author(value) => {
                    self.marked.push((StatementMark::Profile, id))
                }
                _ => {}
            }
        }
    }
}

/// True of `time`, and of an element of the page's own making that states a date as `time` does.
fn tells_time(document: &Document, id: NodeId, name: &str) -> bool {
    name == "time" || name.contains('-') && datetime(document, id).is_some()
}

/// The date that a `time`, or an element of the page's own making, states for programs.
pub(super) fn datetime(document: &Document, id: NodeId) -> Option<&str> {
    DATETIMES.iter().find_map(|name| document.attribute(id, name))
}

/// Parts of the words of [`BYLINES`] and [`POSTERS`]. Few names hold any of them; the rest is not
/// looked at further.
static HINTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("uth|yline|utor|uteur|erfasser|riter|orfatter|kribent|ser|oster|reator|ostleft|ickname")
        .expect("literals")
});

/// What a class or an id says of its element.
fn mark_of(value: &str) -> Option<StatementMark> {
    if !HINTS.is_match(value) {
        return None;
    }
    let mut mark = None;
    for token in value.split_ascii_whitespace() {
        let words = words_of(token);
        if words.iter().any(|word| NO_BYLINES.contains(&word.as_str())) {
            continue;
        }
        if words.iter().any(|word| BYLINES.contains(&word.as_str())) {
            return Some(StatementMark::Byline);
        }
        let joined = words.concat();
        if POSTERS.iter().any(|poster| words.iter().any(|word| word == poster) || joined.ends_with(poster)) {
            mark = Some(StatementMark::Poster);
        }
    }
    mark
}

/// The words of a name, in lower case: parted at what is no letter, and at capitals after small
/// letters.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    for letter in name.chars() {
        if !letter.is_alphabetic() || letter.is_uppercase() && previous.is_lowercase() {
            words.push(String::new());
        }
        if letter.is_alphabetic() {
            words.last_mut().expect("there is one").extend(letter.to_lowercase());
        }
        previous = letter;
    }
    words
}

/// True of a link to one of an author's folder's pages.
fn leads_to_author(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let mut segments = path.split('/').filter(|segment| !segment.is_empty()).peekable();
    while let Some(segment) = segments.next() {
        let segment = segment.to_ascii_lowercase();
        if FOLDERS.contains(&segment.as_str()) && segments.peek().is_some() {
            return true;
        }
    }
    false
}

/// The text in an element, its beginning, without the link of a heading to itself; pieces of
/// different elements parted.
pub(super) fn text_of(document: &Document, id: NodeId) -> String {
    let mut out = String::new();
    for node in document.descendants(id).filter(|&node| !permalink::is_in(document, node)) {
        if let Some(text) = document.text(node) {
            if !out.is_empty() && document.parent(node) != Some(id) {
                out.push(' ');
            }
            out.push_str(text);
            if out.len() > MOST_TEXT {
                break;
            }
        }
    }
    out
}

/// Which of the sources a `<meta>` of that name is.
pub(super) fn source_of(name: &str) -> Source {
    match name.split([':', '.']).next() {
        Some("og") => Source::OpenGraph,
        Some("article") => Source::Article,
        Some("dc" | "dcterms") => Source::DublinCore,
        _ => Source::Meta,
    }
}

/// The value of the first of these `<meta>` that has one which can be read, with its source.
pub(super) fn first_of<T>(
    statements: &Statements,
    names: &[&'static str],
    read: impl Fn(&str) -> Option<T>,
) -> Option<(T, Source)> {
    names.iter().find_map(|name| {
        let values = statements.metas.get(*name)?;
        values.iter().find_map(|value| read(value)).map(|value| (value, source_of(name)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_elements_say_what_is_a_byline() {
        for (class, expect) in [
            ("byline", Some(StatementMark::Byline)),
            ("post-meta post__author", Some(StatementMark::Byline)),
            ("ArticleAuthor_Author__8Qvyl", Some(StatementMark::Byline)),
            ("field--name-field-author", Some(StatementMark::Byline)),
            ("username", Some(StatementMark::Poster)),
            ("bigusername", Some(StatementMark::Poster)),
            ("PostUser-name", Some(StatementMark::Poster)),
            ("author-bio", None),
            ("authorization-link", None),
            ("testimonial-author", None),
            ("byline__category", None),
            ("post-meta no-byline", None),
            ("postleft", Some(StatementMark::Poster)),
            ("content", None),
        ] {
            assert_eq!(mark_of(class), expect, "{class}");
        }
        for (href, expect) in
            [("/author/ann", true), ("https://x.example/blog/Authors/ann/", true), ("/authors/", false), ("/a", false)]
        {
            assert_eq!(leads_to_author(href), expect, "{href}");
        }
    }
}
