//! Collects what a page states about itself, in one pass over the document.

mod heading;

use std::collections::HashMap;

use html5ever::{LocalName, local_name};

use super::linked_data::{self, LinkedData};
use super::{Source, filled};
use crate::analysis::Analysis;
use crate::html::document::{Document, Edge, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::links::has_token;
use crate::html::{decode_references, permalink};
use crate::words::is_ideograph;
use heading::HeadingText;

/// Characters of an element's text to read. Judgement: names, dates and headlines are shorter.
const MOST_TEXT: usize = 400;
/// Most items of a kind. Judgement: a page that has more is a list.
const MOST: usize = 200;
/// Most links to the site's home to read. Judgement: a logo, a menu, a footer.
const MOST_HOMES: usize = 10;
/// Most characters of a site's name in such a link. Judgement.
const LONGEST_HOME: usize = 60;

/// What a page states.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    /// Values of `<meta>` in order, by their `property`, `name`, `itemprop` or `http-equiv` in
    /// lower case.
    pub(super) metas: HashMap<String, Vec<String>>,
    /// The `title` element.
    pub(super) title: Option<String>,
    /// Visible headings of the first three levels.
    pub(super) headings: Vec<HeadingText>,
    /// Links that may lead to the site's home: the address, and the texts of the link and of an
    /// image in it.
    pub(super) homes: Vec<(String, String)>,
    /// What JSON-LD states.
    pub(super) linked: LinkedData,
    /// `lang` of the `html` element, or else of `body`.
    pub(super) lang: Option<String>,
    /// Links with a relation and elements with a property: the mark in lower case, and the element.
    pub(super) marked: Vec<(StatementMark, NodeId)>,
    /// The words of links that are tags.
    pub(super) tag_links: Vec<String>,
    /// `time` elements and similar ones, outside readers' comments.
    pub(super) times: Vec<NodeId>,
}

/// What marks an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StatementMark {
    /// `rel`, a token.
    Rel(&'static str),
    /// `itemprop`, or `property` without its prefix.
    Property(&'static str),
    /// Its class or id marks a byline.
    Byline,
    /// Its class marks a name in a thread of posts.
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
const BYLINES: [&str; 15] = [
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
    "yazar",
];
/// With one of these words besides, it is not a byline but something around the name.
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
/// Site folders with a page per author.
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

/// Attributes for the time of publication, on `time` and on custom elements.
const DATETIMES: [&str; 4] = ["datetime", "publishdate", "created-timestamp", "ts"];
/// The same on `time`, `abbr` and `span` with a class of [`TIMES`].
const OTHER_DATETIMES: [&str; 6] = ["title", "data-timestamp", "data-time", "data-date", "data-datetime", "data-utime"];
/// Classes of elements that show a date, as microformats and scripts for relative times have them.
const TIMES: [&str; 9] =
    ["published", "updated", "dt-published", "dt-updated", "timestamp", "timeago", "date", "post-date", "entry-date"];

/// Collects what a page states. Linear.
pub(crate) fn collect(document: &Document, analysis: &Analysis) -> Statements {
    let mut found = Statements::default();
    let mut scripts = Vec::new();
    for id in document.descendants(document.root()) {
        let Some(name) = document.local_name(id) else { continue };
        match *name {
            local_name!("html") | local_name!("body") => {
                let own = ["lang", "xml:lang"].iter().find_map(|name| filled(document.attribute(id, name)?));
                found.lang = found.lang.take().or(own);
            }
            local_name!("title")
                if found.title.is_none() && !document.ancestors(id).any(|node| document.is_element(node, "svg")) =>
            {
                // Some programs escape it twice.
                found.title = filled(&decode_references(&text_of(document, id)));
            }
            local_name!("meta") => found.read_meta(document, id),
            local_name!("script") if document.attribute(id, "type").is_some_and(is_linked_data) => {
                scripts.extend(document.children(id).filter_map(|child| document.text(child)).map(str::to_owned));
            }
            local_name!("h1") | local_name!("h2") | local_name!("h3")
                if !analysis.is_hidden(id) && found.headings.len() < MOST =>
            {
                let level = name.as_bytes()[1] - b'0';
                found.headings.extend(HeadingText::from_element(document, id, level));
            }
            _ if found.times.len() < MOST && tells_time(document, id, name) && !analysis.is_comment(id) => {
                found.times.push(id);
            }
            _ => {}
        }
        if *name == local_name!("a")
            && found.homes.len() < MOST_HOMES
            && document.attribute(id, "href").is_some_and(leads_home)
        {
            let href = document.attribute(id, "href").unwrap_or_default();
            found.homes.extend(texts_of_home(document, id).map(|text| (href.trim().to_owned(), text)));
        }
        if *name != local_name!("meta") && found.marked.len() < MOST && !analysis.is_comment(id) {
            found.read_marks(document, id);
        }
    }
    found.linked = linked_data::read(&scripts);
    found.tag_links = found.with(&StatementMark::Rel("tag")).map(|node| text_of(document, node)).collect();
    found
}

impl Statements {
    /// The first value of the first of these names that has one.
    pub(super) fn meta(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.metas.get(*name)?.first()).map(String::as_str)
    }

    /// The elements with such a mark, in order.
    pub(super) fn with<'s>(&'s self, mark: &'s StatementMark) -> impl Iterator<Item = NodeId> + 's {
        self.marked.iter().filter(move |(given, _)| given == mark).map(|&(_, node)| node)
    }

    fn read_meta(&mut self, document: &Document, id: NodeId) {
        let content = document.attribute(id, "content").map(decode_references);
        let Some(content) = content.and_then(|content| filled(&content)) else { return };
        for by in ["property", "name", "itemprop", "http-equiv"] {
            for name in document.attribute(id, by).unwrap_or_default().split_ascii_whitespace() {
                if self.metas.len() < 4 * MOST {
                    self.metas.entry(name.to_ascii_lowercase()).or_default().push(content.clone());
                }
            }
        }
    }

    fn read_marks(&mut self, document: &Document, id: NodeId) {
        for (name, value) in document.attributes(id).of_names(|_| true) {
            match *name {
                local_name!("rel") => {
                    let named = RELATIONS.iter().filter(|relation| has_token(value, relation));
                    self.marked.extend(named.map(|relation| (StatementMark::Rel(relation), id)));
                }
                local_name!("itemprop") | local_name!("property") => {
                    let named = value.split_ascii_whitespace().filter_map(|name| {
                        let name = name.rsplit(':').next().unwrap_or(name);
                        PROPERTIES.iter().find(|known| known.eq_ignore_ascii_case(name))
                    });
                    self.marked.extend(named.map(|name| (StatementMark::Property(name), id)));
                }
                local_name!("class") | local_name!("id") => self.marked.extend(mark_of(value).map(|mark| (mark, id))),
                local_name!("href") if document.is_element(id, "a") && leads_to_author(value) => {
                    self.marked.push((StatementMark::Profile, id))
                }
                _ => {}
            }
        }
    }
}

/// True of the type of a script in JSON-LD.
fn is_linked_data(kind: &str) -> bool {
    kind.to_ascii_lowercase().contains("ld+json")
}

/// True of `time`, and of an element that states a date as `time` does.
fn tells_time(document: &Document, id: NodeId, name: &LocalName) -> bool {
    let may_tell = || matches!(*name, local_name!("abbr") | local_name!("span")) || name.contains('-');
    *name == local_name!("time") || may_tell() && datetimes(document, id).next().is_some()
}

/// The dates that an element states for programs.
pub(super) fn datetimes(document: &Document, id: NodeId) -> impl Iterator<Item = &str> {
    let name = document.name(id).unwrap_or_default();
    let is_known = name == "time" || name.contains('-');
    let is_date = |class: &str| class.split_ascii_whitespace().any(|class| TIMES.contains(&class));
    let has_class = matches!(name, "abbr" | "span") && document.attribute(id, "class").is_some_and(is_date);
    let own = DATETIMES.iter().filter(move |_| is_known);
    let others = OTHER_DATETIMES.iter().filter(move |_| has_class || name == "time");
    own.chain(others).filter_map(move |attribute| document.attribute(id, attribute))
}

/// Whether a class or an id may have a word of [`BYLINES`] or [`POSTERS`]: it has three letters of
/// one. Few do; others need no further check.
fn has_hint(value: &str) -> bool {
    let is_hint = |letters: &[u8]| {
        matches!(
            letters,
            b"uth"
                | b"yli"
                | b"uto"
                | b"ute"
                | b"erf"
                | b"rit"
                | b"orf"
                | b"kri"
                | b"ser"
                | b"ost"
                | b"rea"
                | b"ick"
                | b"aza"
        )
    };
    value.as_bytes().windows(3).any(is_hint)
}

/// How a class or an id marks its element.
fn mark_of(value: &str) -> Option<StatementMark> {
    if !has_hint(value) {
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

/// The words of a name in lower case. Non-letters separate them, and so do capitals after small
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

/// True of a link to a page in a folder of authors.
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

/// True of a link to the first page of a site.
fn leads_home(href: &str) -> bool {
    let href = href.trim();
    let path = href.split_once("://").map_or(href, |(_, rest)| rest.find('/').map_or("/", |at| &rest[at..]));
    matches!(path, "/" | "./")
}

/// What a link to the site's home calls the site.
fn texts_of_home(document: &Document, link: NodeId) -> impl Iterator<Item = String> {
    let alt = document.descendants(link).take(MOST_HOMES).find_map(|node| document.attribute(node, "alt"));
    let alt = alt.map(|alt| alt.trim().trim_end_matches("logo").trim_end_matches("Logo").to_owned());
    let texts = [Some(text_of(document, link)), alt].into_iter().flatten();
    texts.filter_map(|text| filled(&text)).filter(|text| text.chars().nth(LONGEST_HOME).is_none())
}

/// The beginning of an element's text, without permalinks of headings. Spaces separate what readers
/// see apart, and the texts of elements that may be apart.
pub(super) fn text_of(document: &Document, id: NodeId) -> String {
    text_between(document, id, " ")
}

/// Elements that mark letters of a word, and never part words.
const MARKS: [&str; 26] = [
    "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark", "q", "rb",
    "ruby", "s", "small", "strong", "sub", "sup", "u", "var", "wbr",
];

/// The same, with this text where an element that may part words begins or ends.
fn text_between(document: &Document, id: NodeId, loose: &str) -> String {
    text_without(document, id, loose, None)
}

/// The same without an element in it.
fn text_without(document: &Document, id: NodeId, loose: &str, left_out: Option<NodeId>) -> String {
    let mut out = String::new();
    let mut gap = "";
    let mut walk = document.walk(id);
    while let Some(edge) = walk.next() {
        let (Edge::Open(node) | Edge::Close(node)) = edge;
        if let Some(text) = document.text(node) {
            let is_opened = matches!(edge, Edge::Open(_)) && !permalink::is_in(document, node);
            if !is_opened {
                continue;
            }
            let is_word = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '“' | '"' | '«' | '„' | '‘'));
            let can_end = out
                .ends_with(|c: char| !c.is_whitespace() && !matches!(c, '(' | '[' | '“' | '«' | '„' | '‘' | '-' | '/'));
            // Where letters need no spaces, a break parts no words.
            let is_joined = gap == "\r" && out.ends_with(is_ideograph) && text.starts_with(is_ideograph);
            if !is_joined && matches!(gap, "\n" | "\r") || !gap.is_empty() && is_word && can_end && !is_joined {
                out.push(' ');
            }
            gap = "";
            out.push_str(text);
            if out.len() > MOST_TEXT {
                break;
            }
            continue;
        }
        let Some(name) = document.local_name(node).filter(|_| node != id) else { continue };
        if Some(node) == left_out || matches!(&**name, "script" | "style" | "template" | "rt" | "rp" | "svg") {
            if matches!(edge, Edge::Open(_)) {
                walk.skip_children(node);
            }
            continue;
        }
        gap = match default_display(name) {
            DefaultDisplay::Block => "\n",
            DefaultDisplay::LineBreak if gap != "\n" => "\r",
            _ if matches!(gap, "\n" | "\r") || MARKS.contains(&&**name) => gap,
            _ => loose,
        };
    }
    out
}

/// The source that a `<meta>` of that name belongs to.
pub(super) fn source_of(name: &str) -> Source {
    match name.split([':', '.']).next() {
        Some("og") => Source::OpenGraph,
        Some("article") => Source::Article,
        Some("dc" | "dcterms") => Source::DublinCore,
        _ => Source::Meta,
    }
}

/// The value of the first of these `<meta>` that `read` accepts, with its source.
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
