//! Who wrote it.
//!
//! In this order: the author of the JSON-LD thing that is the page; `<meta>` (`author`,
//! `article:author`, Dublin Core, citation lists, a label such as `Written by` for previews);
//! `rel=author` and `itemprop=author`; elements whose class or id calls them a byline, and links
//! into a folder of authors, near the headline; a line near the headline that begins with a word
//! for `by` in one of some twenty languages; a sentence that begins with `This post was written
//! by`; on a thread the name of the first post's author. The name of the site itself, and an
//! account's (`ann77`), speaks only where nothing else does, and never beside a person's. Of a page
//! that is neither a text nor a thread only a person is the author, whom JSON-LD names for a text
//! in it, or the head.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::near::{Near, text_of};
use super::site::SiteNames;
use super::statements::{StatementMark, Statements, source_of};
use super::{Sort, Source, Sourced, Subject, fold, name, properties};
use crate::html::document::{Document, NodeId};
use crate::html::links::has_token;

/// `<meta>` that names authors, a value each or one for all.
const METAS: [&str; 14] = [
    "author",
    "article:author",
    "article:author_name",
    "og:article:author",
    "parsely-author",
    "sailthru.author",
    "byl",
    // They name all authors, where Dublin Core may have the first as creator and the others as
    // contributors.
    "citation_author",
    "citation_authors",
    "dc.creator",
    "dc.creator.personalname",
    "dcterms.creator",
    "book:author",
    "authors",
];
/// Folders of sites that hold a page for each topic.
const TOPICS: [&str; 8] = ["tag", "tags", "category", "categories", "topic", "topics", "section", "sections"];
/// Characters of a name at least: initials stand in the place of a picture. Judgement.
const SHORTEST: usize = 3;
/// Pieces of an element's text in which its name is looked for. Judgement.
const MOST_PIECES: usize = 4;
/// Nodes of an element in which one that is its name is looked for. Judgement.
const MOST_NODES: usize = 50;
/// Characters of a line that tells an author anywhere on the page. Judgement.
const LONGEST_LINE: usize = 60;
/// Values that name authors at most. Judgement.
const MOST: usize = 50;
/// Authors at most: one value may list all of a large collaboration. Judgement.
const MOST_NAMES: usize = 1_000;

/// A page's authors.
#[derive(Debug, Default)]
pub(super) struct Authors {
    pub(super) own: Sourced<Vec<String>>,
    /// Those that the head states for all pages of the site, which are nobody's authors.
    pub(super) of_site: Option<Vec<String>>,
}

pub(super) fn find(subject: &Subject<'_>, statements: &Statements, near: &Near, site: &SiteNames) -> Authors {
    let mut of_site = None;
    let own = own(subject, statements, near, site, &mut of_site);
    Authors { own, of_site }
}

fn own(
    subject: &Subject<'_>,
    statements: &Statements,
    near: &Near,
    site: &SiteNames,
    of_site: &mut Option<Vec<String>>,
) -> Sourced<Vec<String>> {
    let mut weak: Sourced<Vec<String>> = None;
    let candidates: [&dyn Fn() -> Sourced<Vec<String>>; 7] = [
        &|| linked(subject, statements),
        &|| metas(statements),
        &|| previewed(statements),
        &|| marked(subject, statements, near),
        &|| bylines(subject, statements, near),
        &|| lines(subject, near),
        &|| poster(subject, statements),
    ];
    for candidate in candidates {
        let Some((names, source)) = candidate() else { continue };
        let names = without_publisher(tidy(names).iter().map(|name| without_site(name, site)).collect(), site);
        if names.is_empty() {
            continue;
        }
        // What every page of the site says is not said of itself: only what the head states for
        // all.
        if source == Source::Meta && subject.siblings.has_everywhere(&names) {
            of_site.get_or_insert(names);
            continue;
        }
        if subject.sort == Sort::Other && !names.iter().all(|name| name::is_person(name) && !site.is_named(name)) {
            continue;
        }
        let is_weak = names.iter().all(|name| site.is_named(name))
            || subject.sort != Sort::Thread && names.iter().all(|name| is_account(name));
        match is_weak {
            // The head of a person's own site names that person; who is named in the text is
            // somebody else.
            false if source == Source::Text && weak.as_ref().is_some_and(is_owner) => return weak,
            false => return Some((names, source)),
            true => weak = weak.or(Some((names, source))),
        }
    }
    weak
}

/// The names without that of the site, where there are others: the publisher is often listed with
/// the authors.
fn without_publisher(mut names: Vec<String>, site: &SiteNames) -> Vec<String> {
    if names.iter().any(|name| !site.is_called(name)) {
        names.retain(|name| !site.is_called(name));
    }
    names
}

/// A name without that of the site behind it: `Ann Orr, Courier`, `Ann Orr of The Courier`.
fn without_site(name: &str, site: &SiteNames) -> String {
    let comma = name.match_indices(',').find(|&(at, _)| site.is_called(&name[at + 1..]));
    let words: Vec<&str> = comma.map_or(name, |(at, _)| &name[..at]).split_whitespace().collect();
    let joins = |word: &str| word.starts_with(char::is_lowercase);
    // Two words are a name, which the site may bear as well.
    let end = (2..words.len()).find(|&at| {
        let rest = &words[at + usize::from(joins(words[at]))..];
        let is_word = words[at - 1].starts_with(char::is_alphabetic);
        is_word && (rest.len() > 1 || joins(words[at])) && site.is_exactly(&rest.join(" "))
    });
    words[..end.unwrap_or(words.len())].join(" ")
}

/// True of the one person whose name a site bears, where JSON-LD says who wrote the page: a bare
/// `<meta>` names as many companies.
fn is_owner((names, source): &(Vec<String>, Source)) -> bool {
    *source == Source::JsonLd && matches!(&names[..], [only] if name::is_person(only))
}

/// Each name once, up to [`MOST_NAMES`]. Linear in the text.
fn tidy(names: Vec<String>) -> Vec<String> {
    let mut known = HashSet::new();
    let names = names.iter().take(MOST).flat_map(|name| name::all(name));
    names.filter(|name| known.insert(fold(name))).take(MOST_NAMES).collect()
}

/// True of a name for logging in: one word in small letters, or with digits or full stops in it.
fn is_account(name: &str) -> bool {
    !name.contains(' ')
        && (name.chars().any(|c| c.is_ascii_digit() || c == '.' || c == '_') || name.chars().all(|c| c.is_lowercase()))
}

fn linked(subject: &Subject<'_>, statements: &Statements) -> Sourced<Vec<String>> {
    use super::linked_data::Rank;
    let least = if subject.sort == Sort::Other { Rank::Text } else { Rank::Page };
    let things = statements.linked.things.iter().filter(|thing| thing.rank <= least);
    things
        .map(|thing| &thing.authors)
        .find(|authors| !authors.is_empty())
        .map(|authors| (authors.clone(), Source::JsonLd))
}

fn metas(statements: &Statements) -> Sourced<Vec<String>> {
    METAS.iter().find_map(|key| {
        let values: Vec<String> =
            statements.metas.get(*key)?.iter().filter(|value| !value.contains("://")).cloned().collect();
        let turned = |value: String| match (key.starts_with("citation"), value.split_once(", ")) {
            (true, Some((last, first))) if !first.contains(',') && !value.contains(';') => {
                format!("{first} {last}")
            }
            _ => value,
        };
        let values: Vec<String> = values.into_iter().map(turned).collect();
        (!tidy(values.clone()).is_empty()).then(|| (values, source_of(key)))
    })
}

/// The author whom previews show: a value with a label that is a phrase for `by`.
fn previewed(statements: &Statements) -> Sourced<Vec<String>> {
    let labelled = [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")].into_iter();
    let mut values = labelled.filter(|(label, _)| statements.meta(&[label]).and_then(name::without_phrase) == Some(""));
    let value = values.find_map(|(_, value)| statements.meta(&[value]))?;
    Some((vec![value.to_owned()], Source::Meta))
}

/// Names by `rel=author` and `itemprop=author`: the first near the headline, or those that are all
/// the same on the page.
fn marked(subject: &Subject<'_>, statements: &Statements, near: &Near) -> Sourced<Vec<String>> {
    let document = subject.document;
    let relations = statements.with(&StatementMark::Rel("author")).map(|node| (node, Source::Rel));
    let properties = [StatementMark::Property("author"), StatementMark::Property("creator")];
    let properties = properties.iter().flat_map(|mark| statements.with(mark)).map(|node| (node, Source::Microdata));
    let found: Vec<(NodeId, String, Source)> = relations
        .chain(properties)
        .filter(|&(node, _)| !properties::is_of_another(document, node))
        .filter_map(|(node, source)| Some((node, named(subject, node)?, source)))
        .collect();
    if subject.sort == Sort::Other {
        return None;
    }
    if subject.sort == Sort::Thread {
        return found.into_iter().next().map(|(_, name, source)| (vec![name], source));
    }
    let close: Vec<&(NodeId, String, Source)> = found.iter().filter(|(node, ..)| near.holds(document, *node)).collect();
    if let Some((_, _, source)) = close.first() {
        return Some((close.iter().filter(|found| found.2 == *source).map(|found| found.1.clone()).collect(), *source));
    }
    let (_, first, source) = found.first()?;
    let is_only = found.iter().all(|(_, name, _)| fold(name) == fold(first)) && subject.sort != Sort::Other;
    is_only.then(|| (vec![first.clone()], *source))
}

/// The name in an element: its `content`, the `name` in it, or its text.
fn named(subject: &Subject<'_>, node: NodeId) -> Option<String> {
    let document = subject.document;
    let is_name =
        |inner: &NodeId| document.attribute(*inner, "itemprop").is_some_and(|property| has_token(property, "name"));
    let inner = document.descendants(node).take(MOST_NODES).find(is_name);
    let of = |node: NodeId| match document.attribute(node, "content") {
        Some(content) => name::clean(content),
        None => shown(subject, node),
    };
    inner.and_then(of).or_else(|| of(node))
}

/// The name that an element shows: what follows a word for `by`; else its first piece of text that
/// is a name, with initials and words that stand around names passed over. What follows is a post,
/// a date, or what the author has earned.
fn shown(subject: &Subject<'_>, node: NodeId) -> Option<String> {
    let document = subject.document;
    let own = document.descendants(node).filter(|&inner| !is_of_topic(document, inner, node));
    let texts = own.filter_map(|inner| document.text(inner)).map(str::trim);
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).take(MOST_PIECES).collect();
    let by = texts.iter().position(|text| name::without_by(text) == Some(""));
    let after = by.and_then(|by| texts.get(by + 1)).and_then(|text| name::clean(text));
    let after = after.filter(|name| !name::is_label(name));
    after.or_else(|| {
        texts.iter().find_map(|text| {
            let is_passed_over =
                text.chars().count() < SHORTEST || name::without_by(text) == Some("") || name::is_label(text);
            (!is_passed_over).then(|| name::clean(text).filter(|name| !name::is_label(name)))
        })?
    })
}

/// True of a text in a link to the pages of a topic: bylines have those beside the name.
fn is_of_topic(document: &Document, node: NodeId, within: NodeId) -> bool {
    let around = document.ancestors(node).take_while(|&around| around != within);
    let mut links = around.chain([within]).filter(|&around| document.is_element(around, "a"));
    links.any(|link| document.attribute(link, "href").is_some_and(leads_to_topic))
}

/// True of a link into one of the folders that hold a page for each topic.
fn leads_to_topic(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    segments.any(|segment| TOPICS.contains(&segment.to_ascii_lowercase().as_str()))
}

/// Elements that are called bylines, and links to authors' pages, near the headline.
fn bylines(subject: &Subject<'_>, statements: &Statements, near: &Near) -> Sourced<Vec<String>> {
    if subject.sort == Sort::Other {
        return None;
    }
    let document = subject.document;
    let marked = |mark: StatementMark| -> Vec<(bool, String)> {
        let nodes = statements.marked.iter().filter(|(given, _)| *given == mark).map(|&(_, node)| node);
        let seen = nodes.filter(|&node| !subject.analysis.is_hidden(node));
        seen.filter_map(|node| {
            let is_named =
                |name: &String| is_marked_name(name) || is_called_name(subject, node) && name::is_short(name);
            let name = shown(subject, node).filter(is_named)?;
            let is_own = mark != StatementMark::Profile || is_page_of(document.attribute(node, "href"), &name);
            is_own.then(|| (near.holds(document, node), name))
        })
        .collect()
    };
    for mark in [StatementMark::Byline, StatementMark::Profile] {
        let found = marked(mark);
        if let Some((_, name)) = found.iter().find(|(close, _)| *close) {
            return Some((vec![name.clone()], Source::Byline));
        }
        let (_, first) = match found.first() {
            Some(first) if subject.sort != Sort::Thread => first,
            _ => continue,
        };
        if found.iter().all(|(_, name)| fold(name) == fold(first)) {
            return Some((vec![first.clone()], Source::Byline));
        }
    }
    None
}

/// True of an element that is called the name of an author, not only what is said of one.
fn is_called_name(subject: &Subject<'_>, node: NodeId) -> bool {
    let class = subject.document.attribute(node, "class").unwrap_or_default().to_lowercase();
    class.split_ascii_whitespace().any(|token| token.contains("author") && token.contains("name"))
}

/// A name that its place marks as one: few words, and no running text.
fn is_marked_name(name: &str) -> bool {
    let bare = name::bare(name);
    let first = bare.split([',', '(']).next().unwrap_or_default().trim();
    name::is_plain(first) && name.chars().count() >= SHORTEST || !name.contains(' ') && name.chars().count() > SHORTEST
}

/// True of a link to the page of an author of that name: its last words are in the address.
fn is_page_of(href: Option<&str>, name: &str) -> bool {
    let squeeze = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let href = squeeze(href.unwrap_or_default());
    name.split_whitespace().map(squeeze).any(|word| word.chars().count() >= SHORTEST && href.contains(&word))
}

/// A line near the headline that begins with a word for `by`, or such a word and then a name.
fn lines(subject: &Subject<'_>, near: &Near) -> Sourced<Vec<String>> {
    if subject.sort == Sort::Other {
        return None;
    }
    for (at, piece) in near.pieces.iter().enumerate() {
        let Some(rest) = name::without_by(&piece.text) else { continue };
        let text = match rest {
            "" => near.pieces.get(at + 1).map(|next| next.text.as_str()).unwrap_or_default(),
            rest => rest,
        };
        let is_name = |name: &String| name::is_plain(name) || name.contains(',') || name::is_group(name);
        let names = name::clean(text).map(|text| name::all(&text)).unwrap_or_default();
        if !names.is_empty() && names.iter().all(is_name) {
            return Some((names, Source::Text));
        }
    }
    outright(subject).or_else(|| told(subject))
}

/// How a sentence begins that says who wrote the text that it stands under.
static WRITTEN_BY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^this (?:blog |guest |news )?(?:post|article|story|piece|blog|column|essay|guide) (?:was|is) (?:originally )?(?:written|authored) by ")
        .expect("it is tested")
});

/// The person of whom a sentence on the page says that this was written by them, with what they are
/// behind a comma.
fn told(subject: &Subject<'_>) -> Sourced<Vec<String>> {
    let (document, analysis) = (subject.document, subject.analysis);
    let seen = analysis
        .blocks()
        .iter()
        .filter(|block| !block.hidden && !analysis.leaves_of(block).iter().any(|leaf| analysis.is_comment(leaf.node)));
    let mut found = seen.filter_map(|block| {
        let text = text_of(document, analysis, block);
        let rest = &text[WRITTEN_BY.find(&text)?.end()..];
        let rest = rest.split([';', '(', '–', '—']).next().unwrap_or_default();
        let (name, after) = rest.split_once(',').unwrap_or((rest, ""));
        let name = name::clean(name).filter(|name| name::is_person(name))?;
        let earned = after.split(',').map(str::trim).take_while(|part| is_degree(part));
        Some(earned.fold(name, |name, degree| format!("{name}, {degree}")))
    });
    found.next().map(|name| (vec![name], Source::Text))
}

/// True of what stands for a degree behind a name: a few capitals.
fn is_degree(text: &str) -> bool {
    let letters = || text.chars().filter(|c| *c != '.');
    (2..=6).contains(&letters().count())
        && letters().all(|c| c.is_alphabetic())
        && text.chars().filter(|c| c.is_uppercase()).count() >= 2
}

/// A short line anywhere on the page that says outright who wrote it, in more than one word.
fn outright(subject: &Subject<'_>) -> Sourced<Vec<String>> {
    let (document, analysis) = (subject.document, subject.analysis);
    let seen =
        analysis.leaves().iter().filter(|leaf| !analysis.is_hidden(leaf.node) && !analysis.is_comment(leaf.node));
    let seen: Vec<(NodeId, &str)> =
        seen.filter_map(|leaf| Some((leaf.node, document.text(leaf.node)?.trim()))).collect();
    // A link to the authors is no label of what follows.
    let is_linked = |node: NodeId| document.ancestors(node).any(|around| document.is_element(around, "a"));
    let texts: Vec<&str> = seen.iter().map(|(_, text)| *text).collect();
    let mut found = texts.iter().enumerate().filter_map(|(at, text)| {
        let label = || (name::is_author_label(text) && !is_linked(seen[at].0)).then_some("");
        let is_short = text.chars().nth(LONGEST_LINE).is_none();
        let rest = is_short.then(|| name::without_phrase(text).or_else(label)).flatten()?;
        let text = if rest.is_empty() { texts.get(at + 1).copied().unwrap_or_default() } else { rest };
        name::clean(text).filter(|name| is_marked_name(name))
    });
    let first = found.next()?;
    // A list of texts names the author of each.
    found.all(|other| fold(&other) == fold(&first)).then(|| (vec![first], Source::Text))
}

/// The first name that a thread's posts show.
fn poster(subject: &Subject<'_>, statements: &Statements) -> Sourced<Vec<String>> {
    if subject.sort != Sort::Thread {
        return None;
    }
    let marks =
        statements.marked.iter().filter(|(mark, _)| matches!(mark, StatementMark::Poster | StatementMark::Byline));
    let mut seen = marks.map(|&(_, node)| node).filter(|&node| !subject.analysis.is_hidden(node));
    seen.find_map(|node| shown(subject, node).filter(|name| name.split(' ').count() <= 3))
        .map(|name| (vec![name], Source::Byline))
}
