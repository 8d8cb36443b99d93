//! References to footnotes: links to notes on the same page.

use std::collections::{HashMap, HashSet};

use super::document::{Document, NodeId};
use super::is_space;

/// How many elements around a link may raise it. Judgement: the next one, and one for brackets.
pub(crate) const AROUND: usize = 2;
/// How many nodes of a block may be before the name of its note. Judgement.
const BEFORE: usize = 8;
/// How many elements around the name of a note may be its block. Judgement.
const BLOCK_AROUND: usize = 4;
/// The digits of the longest number in brackets, and the letters of the longest label of a note.
const MOST_DIGITS: usize = 3;
/// How many nodes a label of a note may have. Judgement: a link in a heading.
const MOST_OF_LABEL: usize = 8;
/// How many elements a note may have after its label. Judgement.
const MOST_PARTS: usize = 16;

/// The name of the note that a link may refer to.
pub(crate) fn target(document: &Document, link: NodeId) -> Option<&str> {
    document.attribute(link, "href").and_then(|target| target.strip_prefix('#')).filter(|name| !name.is_empty())
}

/// Whether a link is written as a reference: raised, named for it, or a number in brackets.
pub(crate) fn is_reference(document: &Document, link: NodeId) -> bool {
    let has = |part| {
        let given = |name| document.attribute(link, name).is_some_and(|value: &str| value.contains(part));
        ["role", "epub:type", "class"].into_iter().any(given)
    };
    let mut near = document.ancestors(link).take(AROUND).chain(document.children(link));
    near.any(|near| document.is_element(near, "sup"))
        || has("noteref")
        || has("footnote")
        || is_bracketed(document, link)
}

fn is_bracketed(document: &Document, link: NodeId) -> bool {
    let mut texts = document.descendants(link).filter_map(|node| document.text(node));
    let (Some(text), None) = (texts.next(), texts.next()) else { return false };
    let number = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    number.is_some_and(|number| {
        (1..=MOST_DIGITS).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The elements of each note, by its name: the element with the id, or the one that begins with it.
/// If that has only the label of the note, they are those after it, up to the next label (`<h5><a
/// id=n>(1)</a></h5><p>…`, as Texinfo writes them). Linear in the page.
pub(crate) fn notes<'d>(document: &'d Document, names: &HashSet<&str>) -> HashMap<&'d str, Vec<NodeId>> {
    let mut notes = HashMap::new();
    for node in document.descendants(document.root()) {
        let anchor = || document.attribute(node, "name").filter(|_| document.is_element(node, "a"));
        let is_wanted = |name: &&str| names.contains(name);
        let Some(name) = document.attribute(node, "id").filter(is_wanted).or_else(|| anchor().filter(is_wanted)) else {
            continue;
        };
        let block = if is_inline(document, node) { block_begun_by(document, node) } else { Some(node) };
        notes.entry(name).or_insert_with(|| parts(document, block.unwrap_or(node)));
    }
    notes
}

/// The elements after a label, up to one like it. The element itself, if it is no label or nothing
/// follows. After a name without a label it is the next element alone.
fn parts(document: &Document, block: NodeId) -> Vec<NodeId> {
    let Some(letters) = letters_of_label(document, block) else { return vec![block] };
    let most = if letters == 0 { 1 } else { MOST_PARTS };
    let after = document.siblings_after(block).take(2 * MOST_PARTS);
    let after = after.filter(|&node| document.name(node).is_some()).take(most);
    let is_like = |node: NodeId| document.name(node) == document.name(block);
    let after = after.enumerate().take_while(|&(at, node)| at == 0 || !is_like(node)).map(|(_, node)| node);
    let parts: Vec<NodeId> = after.filter(|&node| letters_of_label(document, node).is_none()).collect();
    if parts.is_empty() { vec![block] } else { parts }
}

/// How many letters and digits an element has that is only a number, a letter or a mark. `None` for
/// others.
fn letters_of_label(document: &Document, block: NodeId) -> Option<usize> {
    let mut nodes = document.descendants(block);
    let texts: Vec<&str> = nodes.by_ref().take(MOST_OF_LABEL).filter_map(|node| document.text(node)).collect();
    let letters = texts.iter().flat_map(|text| text.chars()).filter(|letter| letter.is_alphanumeric());
    let letters = letters.take(MOST_DIGITS + 1).count();
    (nodes.next().is_none() && letters <= MOST_DIGITS).then_some(letters)
}

fn is_inline(document: &Document, node: NodeId) -> bool {
    matches!(document.name(node), Some("a" | "span" | "sup" | "b" | "strong" | "i" | "em" | "small"))
}

fn block_begun_by(document: &Document, name: NodeId) -> Option<NodeId> {
    let block = document.ancestors(name).take(BLOCK_AROUND).find(|&around| !is_inline(document, around))?;
    let mut before = document.descendants(block).take(BEFORE).take_while(|&node| node != name);
    let is_text = |node| document.text(node).is_some_and(|text| !text.chars().all(is_space));
    let begins = !before.any(is_text);
    begins.then_some(block)
}
