//! Bylines: elements that are marked as such, and lines near the headline that begin with a word
//! for `by`. Both may name several authors.

use std::collections::HashSet;

use super::super::near::{Near, NearLeaf, RUNNING, is_beside};
use super::super::phrases::LabelPhrases;
use super::super::statements::{StatementMark, Statements, text_of};
use super::super::{Sort, Source, Sourced, Subject, date, fold, name};
use super::{MOST_NAMES, SHORTEST, is_of_topic, shown};
use crate::analysis::Block;
use crate::html::document::NodeId;
use crate::html::strip_and_collapse;

/// How many nodes of a byline with several names are read: three for each name. Judgement.
const MOST_OF_LIST: usize = 3 * MOST_NAMES;
/// How many elements around a byline may have other names. Judgement: an item and its list.
const BESIDE: usize = 3;
/// Most words between two names in elements beside each other. Judgement: a post and an employer.
const MOST_WORDS_OF_LIST: usize = 12;

/// The authors of a byline instead of one person that the head names, if that is one of them.
pub(super) fn completed(
    subject: &Subject<'_>,
    statements: &Statements,
    near: &Near,
    (names, source): (Vec<String>, Source),
) -> (Vec<String>, Source) {
    let is_head = !matches!(source, Source::Byline | Source::Text);
    let [only] = &names[..] else { return (names, source) };
    if !is_head || subject.sort == Sort::Thread || !name::is_person(only) {
        return (names, source);
    }
    let shown = bylines(subject, statements, near).filter(|(shown, _)| {
        let has_only = shown.iter().any(|name| fold(name) == fold(only));
        shown.len() > 1 && has_only && shown.iter().all(|name| name::is_person(name))
    });
    shown.unwrap_or((names, source))
}

/// Elements marked as bylines, and links to authors' pages, near the headline.
pub(super) fn bylines(subject: &Subject<'_>, statements: &Statements, near: &Near) -> Sourced<Vec<String>> {
    if subject.sort == Sort::Other {
        return None;
    }
    let document = subject.document;
    let marked = |mark: StatementMark| -> Vec<MarkedName> {
        let nodes = statements.marked.iter().filter(|(given, _)| *given == mark).map(|&(_, node)| node);
        let seen = nodes.filter(|&node| !subject.analysis.is_hidden(node));
        seen.filter_map(|node| {
            let is_named = |name: &String| {
                is_marked_name(name) || is_list(name) || is_called_name(subject, node) && name::is_short(name)
            };
            let name = shown(subject, node).filter(is_named)?;
            let is_own = mark != StatementMark::Profile || is_page_of(document.attribute(node, "href"), &name);
            is_own.then(|| MarkedName { node, name, is_near: near.holds(document, node) })
        })
        .collect()
    };
    for mark in [StatementMark::Byline, StatementMark::Profile] {
        let found = marked(mark);
        if let Some(first) = found.iter().find(|found| found.is_near) {
            return Some((with_others(subject, first, &found), Source::Byline));
        }
        let found: Vec<MarkedName> = found.into_iter().filter(|found| !is_beside(document, found.node)).collect();
        let first = match found.first() {
            Some(first) if subject.sort != Sort::Thread => first,
            _ => continue,
        };
        if found.iter().all(|other| fold(&other.name) == fold(&first.name)) {
            return Some((with_others(subject, first, &[]), Source::Byline));
        }
    }
    None
}

/// A marked element with its name.
struct MarkedName {
    node: NodeId,
    name: String,
    is_near: bool,
}

/// The name of a byline with the other names in it, or in elements beside it that are marked alike.
fn with_others(subject: &Subject<'_>, first: &MarkedName, all: &[MarkedName]) -> Vec<String> {
    let within = persons_in(subject, first.node);
    let first_name = name::bare(&first.name);
    let has_first = || within.iter().any(|name| fold(name) == fold(&first_name)) || !name::is_person(&first_name);
    if within.len() > 1 && has_first() {
        return within;
    }
    let document = subject.document;
    let class = |node: NodeId| (document.local_name(node), document.attribute(node, "class"));
    let around: Vec<NodeId> = document.ancestors(first.node).take(BESIDE).collect();
    let is_next = |other: &&MarkedName| {
        other.is_near
            && class(other.node) == class(first.node)
            && document.ancestors(other.node).take(BESIDE).any(|node| around.contains(&node))
            && is_byline(subject, first.node, other.node)
    };
    let others = all.iter().filter(is_next).take_while(|other| !is_of_reviewer(subject, first.node, other.node));
    let others = each_once(others.map(|other| other.name.clone()));
    let are_persons = others.len() > 1 && others.iter().all(|name| name::is_person(&name::bare(name)));
    if are_persons { others } else { vec![first.name.clone()] }
}

/// Words before the name of somebody who did not write.
static REVIEWED: LabelPhrases = LabelPhrases::from_list(
    "review|edited|editor:|factcheck|fact check|fact-check|photo|illustrat|translat|foto|bilder|geprüft|relu par|revisado|摄影|撮影|写真|编辑|編集",
);

/// True if a word between two nodes says that the second names a reviewer or the like.
fn is_of_reviewer(subject: &Subject<'_>, first: NodeId, node: NodeId) -> bool {
    let document = subject.document;
    let around = document.ancestors(first).take(BESIDE).last().unwrap_or(first);
    let between = document.descendants(around).take(MOST_OF_LIST).skip_while(|&inner| inner != first);
    let mut texts = between.take_while(|&inner| inner != node).filter_map(|inner| document.text(inner));
    texts.any(|text| REVIEWED.are_in(text))
}

/// Each name once, in order.
fn each_once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = HashSet::new();
    names.filter(|name| known.insert(fold(name))).collect()
}

/// True if only a few words are between two nodes: they are in a line of names.
fn is_byline(subject: &Subject<'_>, first: NodeId, other: NodeId) -> bool {
    let document = subject.document;
    let around = document.ancestors(first).take(BESIDE).last().unwrap_or(first);
    let between = document.descendants(around).skip_while(|&inner| inner != first).take(MOST_OF_LIST);
    let texts = between.take_while(|&inner| inner != other).filter_map(|inner| document.text(inner));
    texts.map(|text| text.split_whitespace().count()).sum::<usize>() <= MOST_WORDS_OF_LIST
}

/// The persons that a byline names: in links or other elements that are marked alike, or in its
/// text.
fn persons_in(subject: &Subject<'_>, node: NodeId) -> Vec<String> {
    let document = subject.document;
    let person = |text: &str| name::clean(text).map(|name| name::bare(&name)).filter(|name| name::is_person(name));
    let is_marked = |inner: NodeId| document.is_element(inner, "a") || document.attribute(inner, "class").is_some();
    // Running text is not between the names of a byline.
    let ends = |text: &str| REVIEWED.are_in(text) || text.split_whitespace().nth(MOST_WORDS_OF_LIST).is_some();
    let reviewed = |inner: &NodeId| document.text(*inner).is_some_and(ends);
    let nodes = || document.descendants(node).take(MOST_OF_LIST).take_while(|inner| !reviewed(inner));
    let elements: Vec<(NodeId, String)> = nodes()
        .filter(|&inner| inner != node && document.name(inner).is_some() && is_marked(inner))
        .filter(|&inner| !is_of_topic(document, inner, node))
        .filter_map(|inner| Some((inner, person(&text_of(document, inner))?)))
        .collect();
    let class = |node: NodeId| (document.local_name(node), document.attribute(node, "class"));
    let of_class = |of: NodeId| elements.iter().filter(move |(node, _)| class(*node) == class(of));
    let named = |of: NodeId| each_once(of_class(of).map(|(_, name)| name.clone()));
    let mut alike = elements.first().map(|&(first, _)| named(first)).unwrap_or_default();
    // Around each name may be another element, with a post beside it.
    if let [(first, _), (second, _), ..] = elements[..]
        && alike.len() == 1
        && nodes().filter(|&node| class(node) == class(first)).count() > 1
    {
        alike = named(second);
    }
    if alike.len() > 1 {
        return alike;
    }
    let texts = nodes().filter_map(|inner| document.text(inner));
    let line = strip_and_collapse(&texts.collect::<Vec<_>>().join(" ")).into_owned();
    let names = each_once(name::all(name::without_by(&line).unwrap_or(&line)).into_iter());
    if names.iter().all(|name| name::is_person(name)) { names } else { Vec::new() }
}

/// True of an element marked as an author's name, not only as something about an author.
fn is_called_name(subject: &Subject<'_>, node: NodeId) -> bool {
    let class = subject.document.attribute(node, "class").unwrap_or_default().to_lowercase();
    class.split_ascii_whitespace().any(|token| token.contains("author") && token.contains("name"))
}

/// True of a name whose element marks it as one: a few words, not running text.
pub(super) fn is_marked_name(name: &str) -> bool {
    let bare = name::bare(name);
    let first = bare.split([',', '(']).next().unwrap_or_default().trim();
    name::is_agency(name)
        || name::is_plain(first) && name.chars().count() >= SHORTEST
        || !name.contains(' ') && name.chars().count() > SHORTEST
}

/// True of several names of persons.
fn is_list(text: &str) -> bool {
    let names = name::all(text);
    names.len() > 1 && names.iter().all(|name| name::is_person(name))
}

/// True of a link to the author page of that name: the URL holds the name's last words.
fn is_page_of(href: Option<&str>, name: &str) -> bool {
    let squeeze = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let href = squeeze(href.unwrap_or_default());
    name.split_whitespace().map(squeeze).any(|word| word.chars().count() >= SHORTEST && href.contains(&word))
}

/// A line near the headline that begins with a word for `by`, or such a word followed by a name.
pub(super) fn lines(subject: &Subject<'_>, near: &Near) -> Sourced<Vec<String>> {
    if subject.sort == Sort::Other {
        return None;
    }
    let is_degreed = |name: &str| name.split_once(',').is_some_and(|(name, _)| name::is_plain(name));
    let is_name = |name: &String| name::is_plain(name) || is_degreed(name) || name::is_group(name);
    // A section is a link, too.
    let is_linked = |piece: &NearLeaf| {
        subject.document.ancestors(piece.node).any(|around| subject.document.is_element(around, "a"))
    };
    let read = |text: &str| Some(name::all(text)).filter(|names| !names.is_empty() && names.iter().all(is_name));
    for (at, piece) in near.pieces.iter().enumerate() {
        let text = name::without_emoji(&piece.text);
        let found = match name::without_by(&text) {
            Some("") => read(&joined(&near.pieces[at + 1..])),
            Some(rest) => read(&format!("{rest}{}", after_joint(rest, &near.pieces[at + 1..]))).or_else(|| read(rest)),
            None => name::labelled(&text)
                .and_then(read)
                .or_else(|| name::before_post(&text).map(|name| name::all(&name.replace(',', "、"))))
                .or_else(|| name::after_date(&text).and_then(read))
                .or_else(|| before_date(&text, near.pieces.get(at + 1)).filter(|_| piece.after && !is_linked(piece))),
        };
        if let Some(names) = found {
            return Some((names, Source::Text));
        }
    }
    None
}

/// Marks between a name and a date.
const BARS: [char; 4] = ['|', '•', '·', '｜'];

/// The names before a bar and a date: `Ann Orr | 2 May 2026`. Between may be a post, and the date
/// may be in the next piece.
fn before_date(text: &str, next: Option<&NearLeaf>) -> Option<Vec<String>> {
    let (names, rest) = text.split_once(BARS)?;
    let rest = match rest.split_once(BARS) {
        Some((post, rest)) if name::has_post(post) => rest,
        _ if rest.trim().is_empty() => &next?.text,
        _ => rest,
    };
    date::find(rest, false).filter(|found| !rest[..found.range.start].contains(char::is_alphanumeric))?;
    let names = name::all(names);
    (!names.is_empty() && names.iter().all(|name| name::is_person(name))).then_some(names)
}

/// Fewest words of the paragraph after a name that stands alone. Judgement: a caption has fewer.
const LEAST_AFTER: u32 = 20;

/// Most words of names that stand alone. Judgement: two names of four words.
const MOST_WORDS_ALONE: u32 = 8;

/// How many blocks after the headline are looked at for a name that stands alone. Judgement: as
/// many as for other names near the headline.
const MOST_BEFORE: usize = 16;

/// The names of a paragraph that comes before the text, has nothing else, and is in bold, as
/// newspapers print them.
pub(super) fn alone(subject: &Subject<'_>) -> Sourced<Vec<String>> {
    if subject.sort != Sort::Text {
        return None;
    }
    let (document, analysis) = (subject.document, subject.analysis);
    let has_words = |node: NodeId| document.text(node).is_some_and(|text| !text.trim().is_empty());
    let is_strong = |node: NodeId| document.is_element(node, "b") || document.is_element(node, "strong");
    let is_bold = |block: &Block| {
        let mut leaves = analysis.leaves_of(block).iter().map(|leaf| leaf.node).filter(|&node| has_words(node));
        leaves.all(|node| document.ancestors(node).take(BESIDE).any(is_strong))
    };
    let blocks: Vec<&Block> = analysis.blocks().iter().filter(|block| !block.hidden).collect();
    let headline = blocks.iter().position(|block| analysis.heading_level(block) == Some(1))?;
    let before = blocks[headline + 1..].windows(2).take(MOST_BEFORE).take_while(|two| two[0].text.words < RUNNING);
    let mut names = before.filter(|two| {
        let [name, after] = two else { return false };
        (2..=MOST_WORDS_ALONE).contains(&name.text.words)
            && after.text.words >= LEAST_AFTER
            && analysis.heading_level(name).is_none()
            && is_bold(name)
    });
    names.find_map(|two| {
        let found = name::split(&super::text_of(document, analysis, two[0]));
        let are_persons = !found.is_empty() && found.iter().all(|name| name::is_person(name));
        are_persons.then_some((found, Source::Text))
    })
}

/// The names in the pieces after a word for `by`: the first piece, and those after words for `and`.
fn joined(pieces: &[NearLeaf]) -> String {
    match pieces {
        [first, rest @ ..] => format!("{}{}", first.text, after_joint(&first.text, rest)),
        [] => String::new(),
    }
}

/// What goes on after a name: pieces that are words for `and` or commas, each with a name after it.
fn after_joint(name: &str, pieces: &[NearLeaf]) -> String {
    let mut text = String::new();
    let mut ends_open = name::ends_with_joint(name);
    for piece in pieces.iter().take(MOST_OF_LIST) {
        let is_joint = name::is_joint(&piece.text);
        let is_next = ends_open && name::is_person(piece.text.trim_end_matches([',', ' ']));
        if !is_joint && !is_next {
            break;
        }
        text.push(' ');
        text.push_str(&piece.text);
        ends_open = name::ends_with_joint(&piece.text);
    }
    text
}
