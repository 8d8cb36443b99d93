//! Finds the authors of a page.
//!
//! The sources, in this order:
//!
//! 1. the author of the page's main JSON-LD thing;
//! 2. `<meta>`: `author`, `article:author`, Dublin Core, citation lists, a label such as `Written
//!    by` for previews;
//! 3. `rel=author` and `itemprop=author`;
//! 4. near the headline, elements whose class or id marks a byline, and links into a folder of
//!    authors;
//! 5. a line near the headline that begins with a word for `by`, in one of some forty languages, or
//!    that names a Chinese, Japanese or Korean writer with his post;
//! 6. a sentence that begins with `This post was written by`;
//! 7. a paragraph in bold before the text, with nothing but a name;
//! 8. on a thread, the name of the first post's author.
//!
//! The site's own name or an account name (`ann77`) counts only if there is nothing else, and never
//! next to a person's. So does an organisation, which yields to persons. If a page is neither a
//! text nor a thread, its author must be a person, named by the head or by JSON-LD for a text in
//! the page. A byline that names more persons than the head, and the head's among them, completes
//! it.

mod bylines;

use std::collections::HashSet;
use std::sync::LazyLock;

use regex_lite::Regex;

use super::near::{Near, text_of};
use super::site::SiteNames;
use super::statements::{StatementMark, Statements, source_of, text_of as text_of_node};
use super::{Sort, Source, Sourced, Subject, fold, name, properties, untagged};
use crate::html::document::{Document, NodeId};
use crate::html::links::has_token;
use bylines::is_marked_name;

/// `<meta>` names for authors, with one value each or one for all.
const METAS: [&str; 14] = [
    "author",
    "article:author",
    "article:author_name",
    "og:article:author",
    "parsely-author",
    "sailthru.author",
    "byl",
    // This lists all authors; Dublin Core may have the first as creator and the others as
    // contributors.
    "citation_author",
    "citation_authors",
    "dc.creator",
    "dc.creator.personalname",
    "dcterms.creator",
    "book:author",
    "authors",
];
/// Site folders with a page per topic.
const TOPICS: [&str; 8] = ["tag", "tags", "category", "categories", "topic", "topics", "section", "sections"];
/// Fewest characters of a name: initials stand in for a picture. Judgement.
const SHORTEST: usize = 3;
/// How many pieces of an element's text are searched for its name. Judgement.
const MOST_PIECES: usize = 4;
/// How many nodes of an element are searched for one with its name. Judgement.
const MOST_NODES: usize = 50;
/// Most characters of a line that may name an author anywhere on the page. Judgement.
const LONGEST_LINE: usize = 60;
/// Most values that name authors. Judgement.
const MOST: usize = 50;
/// Most authors. One value may list all of a large collaboration. Judgement.
const MOST_NAMES: usize = 1_000;

/// The authors that the head states, whether or not they are the page's. If all pages of a site
/// state them, they may be the template's.
pub(super) fn stated(statements: &Statements, site: &SiteNames) -> Vec<String> {
    let metas = metas(statements).filter(|(_, source)| *source == Source::Meta);
    let stated = metas.or_else(|| previewed(statements));
    stated.map_or_else(Vec::new, |(names, _)| tidy_of_site(names, site))
}

/// Each name once, without the name of the site.
fn tidy_of_site(names: Vec<String>, site: &SiteNames) -> Vec<String> {
    without_publisher(tidy(names).iter().map(|name| without_site(name, site)).collect(), site)
}

/// The authors of a page.
pub(super) fn find(
    subject: &Subject<'_>,
    statements: &Statements,
    near: &Near,
    site: &SiteNames,
) -> Sourced<Vec<String>> {
    let mut weak: Sourced<Vec<String>> = None;
    let mut yields_to_persons = false;
    let candidates: [&dyn Fn() -> Sourced<Vec<String>>; 8] = [
        &|| linked(subject, statements),
        &|| metas(statements),
        &|| previewed(statements),
        &|| marked(subject, statements, near),
        &|| bylines::bylines(subject, statements, near),
        &|| bylines::lines(subject, near).or_else(|| far(subject)),
        &|| bylines::alone(subject),
        &|| poster(subject, statements),
    ];
    for candidate in candidates {
        let Some((names, source)) = candidate() else { continue };
        let names = tidy_of_site(names, site);
        if names.is_empty() {
            continue;
        }
        // If the heads of all pages state the same organisation, it is the template's. A person, or
        // an account, writes the whole site.
        let is_of_site = source == Source::Meta && subject.siblings.has_everywhere(&names);
        if is_of_site && names.iter().any(|name| name::is_organisation(name)) {
            continue;
        }
        if subject.sort == Sort::Other && !names.iter().all(|name| name::is_person(name) && !site.is_named(name)) {
            continue;
        }
        // An organisation yields to persons alone: other words are no better.
        if yields_to_persons && !names.iter().all(|name| name::is_person(name)) {
            continue;
        }
        let is_of_organisation = source == Source::JsonLd && is_by_organisation(statements, &names)
            || source != Source::Byline && names.iter().all(|name| name::is_organisation(name));
        let is_site = |name: &String| site.is_named(name) || site.is_only_name(name) && !name::is_person(name);
        let is_weak =
            names.iter().all(is_site) || subject.sort != Sort::Thread && names.iter().all(|name| is_account(name));
        match is_weak || is_of_organisation {
            // The head of a personal site names its owner. A person in the text is somebody else.
            false if source == Source::Text && !yields_to_persons && weak.as_ref().is_some_and(is_owner) => {
                return weak;
            }
            false => return Some(bylines::completed(subject, statements, near, (names, source))),
            true => {
                yields_to_persons |= weak.is_none() && is_of_organisation && !is_weak;
                weak = weak.or(Some((names, source)));
            }
        }
    }
    weak
}

/// True of authors that JSON-LD calls organisations.
fn is_by_organisation(statements: &Statements, names: &[String]) -> bool {
    let named = |thing: &&super::linked_data::Thing| thing.authors.iter().any(|name| names.contains(name));
    statements.linked.things.iter().find(named).is_some_and(|thing| thing.is_by_organisation)
}

/// Removes the site's name if there are other names: publishers are often listed with the authors.
fn without_publisher(mut names: Vec<String>, site: &SiteNames) -> Vec<String> {
    if names.iter().any(|name| !site.is_called(name)) {
        names.retain(|name| !site.is_called(name));
    }
    names
}

/// Removes the site's name after an author's: `Ann Orr, Courier`, `Ann Orr of The Courier`.
fn without_site(name: &str, site: &SiteNames) -> String {
    let comma = name.match_indices(',').find(|&(at, _)| site.is_called(&name[at + 1..]));
    let words: Vec<&str> = comma.map_or(name, |(at, _)| &name[..at]).split_whitespace().collect();
    let joins = |word: &str| word.starts_with(char::is_lowercase);
    // The first two words are a name, even if the site has the same name.
    let end = (2..words.len()).find(|&at| {
        let rest = &words[at + usize::from(joins(words[at]))..];
        let is_word = words[at - 1].starts_with(char::is_alphabetic);
        is_word && (rest.len() > 1 || joins(words[at])) && site.is_exactly(&rest.join(" "))
    });
    words[..end.unwrap_or(words.len())].join(" ")
}

/// True of a single person whose name the site has, if JSON-LD states the author. A bare `<meta>`
/// names a company as often.
fn is_owner((names, source): &(Vec<String>, Source)) -> bool {
    *source == Source::JsonLd && matches!(&names[..], [only] if name::is_person(only))
}

/// Each name once, up to [`MOST_NAMES`]. Linear in the text.
fn tidy(names: Vec<String>) -> Vec<String> {
    let mut known = HashSet::new();
    let names = names.iter().take(MOST).flat_map(|name| name::all(name));
    names.filter(|name| known.insert(fold(name))).take(MOST_NAMES).collect()
}

/// True of a login name: one word in small letters, or with digits or full stops.
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
    let is_address = |value: &str| {
        value.contains("://") || value.starts_with('/') || value.starts_with("www.") || value.starts_with("{{")
    };
    METAS.iter().find_map(|key| {
        let values = statements.metas.get(*key)?.iter().map(|value| untagged(value)).filter(|value| !is_address(value));
        let (is_citation, is_dublin) = (key.starts_with("citation"), key.starts_with("dc"));
        let turned = |value: &str| match value.trim().split_once(", ") {
            Some((last, first)) if is_citation && !first.contains(',') => format!("{first} {last}"),
            // A degree or a newspaper follows a name of several words.
            Some((last, first)) if is_dublin && ![last, first].iter().any(|part| part.contains([',', ' '])) => {
                format!("{first} {last}")
            }
            _ => value.to_owned(),
        };
        let values: Vec<String> = values.flat_map(|value| value.split(';').map(turned).collect::<Vec<_>>()).collect();
        (!tidy(values.clone()).is_empty()).then(|| (values, source_of(key)))
    })
}

/// The author shown in previews: a value whose label is a phrase for `by`.
fn previewed(statements: &Statements) -> Sourced<Vec<String>> {
    let labelled = [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")].into_iter();
    let mut values = labelled.filter(|(label, _)| statements.meta(&[label]).and_then(name::without_phrase) == Some(""));
    let value = values.find_map(|(_, value)| statements.meta(&[value]))?;
    Some((vec![value.to_owned()], Source::Meta))
}

/// Names in `rel=author` and `itemprop=author`: the first near the headline, or one that is the
/// only such name on the page.
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

/// The name that an element shows. If there is a word for `by`, it is what follows. Otherwise it is
/// the first piece of text that is a name, without initials and surrounding words. Later pieces are
/// a job title, a date or the author's awards.
fn shown(subject: &Subject<'_>, node: NodeId) -> Option<String> {
    let document = subject.document;
    let is_code =
        |inner| document.parent(inner).is_some_and(|parent| matches!(document.name(parent), Some("script" | "style")));
    let own = document.descendants(node).filter(|&inner| !is_code(inner) && !is_of_topic(document, inner, node));
    let texts = own.filter_map(|inner| document.text(inner)).map(str::trim);
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).take(MOST_PIECES).collect();
    let by = texts.iter().position(|text| name::without_by(text) == Some(""));
    let after = by.and_then(|by| texts.get(by + 1)).and_then(|text| name::clean(text));
    let after = after.filter(|name| !name::is_label(name));
    after.or_else(|| in_parts(document, node)).or_else(|| {
        texts.iter().find_map(|text| {
            let is_passed_over = text.chars().count() < SHORTEST
                || name::without_by(text) == Some("")
                || name::is_label(text)
                || text.ends_with(':');
            (!is_passed_over).then(|| name::clean(text).filter(|name| !name::is_label(name)))
        })?
    })
}

/// A name in two elements that are marked as its parts, as in hCard: given name, family name.
fn in_parts(document: &Document, node: NodeId) -> Option<String> {
    const FIRST: [&str; 4] = ["firstname", "givenname", "forename", "fname"];
    const LAST: [&str; 4] = ["lastname", "familyname", "surname", "lname"];
    let is = |node: NodeId, part: [&str; 4]| {
        let marks = ["class", "itemprop"].into_iter().filter_map(|mark| document.attribute(node, mark));
        let letters = |mark: &str| mark.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_lowercase();
        marks.flat_map(str::split_ascii_whitespace).any(|mark| part.iter().any(|part| letters(mark).ends_with(part)))
    };
    let find = |part: [&str; 4]| document.descendants(node).take(MOST_NODES).find(|&inner| is(inner, part));
    let name = format!("{} {}", text_of_node(document, find(FIRST)?), text_of_node(document, find(LAST)?));
    Some(name).filter(|name| name::is_person(name))
}

/// True of text in a link to a topic's pages; bylines have such links next to the name.
fn is_of_topic(document: &Document, node: NodeId, within: NodeId) -> bool {
    let around = document.ancestors(node).take_while(|&around| around != within);
    let mut links = around.chain([within]).filter(|&around| document.is_element(around, "a"));
    links.any(|link| document.attribute(link, "href").is_some_and(leads_to_topic))
}

/// True of a link into a folder with a page per topic.
fn leads_to_topic(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    segments.any(|segment| TOPICS.contains(&segment.to_ascii_lowercase().as_str()))
}

/// Lines and sentences anywhere on the page that name the author.
fn far(subject: &Subject<'_>) -> Sourced<Vec<String>> {
    if subject.sort == Sort::Other {
        return None;
    }
    outright(subject).or_else(|| told(subject))
}

/// How a sentence begins that names the author of the text above it.
static WRITTEN_BY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^this (?:blog |guest |news )?(?:post|article|story|piece|blog|column|essay|guide) (?:was|is) (?:originally )?(?:written|authored) by ")
        .expect("it is tested")
});

/// The person that a sentence on the page names as its writer, with a description after a comma.
fn told(subject: &Subject<'_>) -> Sourced<Vec<String>> {
    let (document, analysis) = (subject.document, subject.analysis);
    let seen = analysis
        .blocks()
        .iter()
        .filter(|block| !block.hidden && !analysis.leaves_of(block).iter().any(|leaf| analysis.is_comment(leaf.node)));
    let mut found = seen.filter_map(|block| {
        let text = text_of(document, analysis, block);
        // The regular expression would look at more of the text.
        text.get(..4).filter(|word| word.eq_ignore_ascii_case("this"))?;
        let rest = &text[WRITTEN_BY.find(&text)?.end()..];
        let rest = rest.split([';', '(', '–', '—']).next().unwrap_or_default();
        let (name, after) = rest.split_once(',').unwrap_or((rest, ""));
        let name = name::clean(name).filter(|name| name::is_person(name))?;
        let earned = after.split(',').map(str::trim).take_while(|part| is_degree(part));
        Some(earned.fold(name, |name, degree| format!("{name}, {degree}")))
    });
    found.next().map(|name| (vec![name], Source::Text))
}

/// True of what may be a degree after a name: a few capitals.
fn is_degree(text: &str) -> bool {
    let letters = || text.chars().filter(|c| *c != '.');
    (2..=6).contains(&letters().count())
        && letters().all(|c| c.is_alphabetic())
        && text.chars().filter(|c| c.is_uppercase()).count() >= 2
}

/// A short line anywhere on the page that names the author after a phrase such as `written by`.
fn outright(subject: &Subject<'_>) -> Sourced<Vec<String>> {
    let (document, analysis) = (subject.document, subject.analysis);
    let seen =
        analysis.leaves().iter().filter(|leaf| !analysis.is_hidden(leaf.node) && !analysis.is_comment(leaf.node));
    let seen: Vec<(NodeId, &str)> =
        seen.filter_map(|leaf| Some((leaf.node, document.text(leaf.node)?.trim()))).collect();
    // A link to the authors is not a label of the text after it.
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
