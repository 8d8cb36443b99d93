//! Names, labels and badges side by side, which only a style sheet parts: `<span
//! class=name>Ann Orr</span><span class=post>Editor</span>`.

use crate::html::document::{Document, NodeId};

/// How many elements around a text may be the label. Judgement.
const AROUND: usize = 2;
/// The letters of the shortest first label: a large first letter is no label. Judgement.
const SHORTEST: usize = 3;
/// Parts of the class of a label that stands before or after any word.
const NAMES: [&str; 6] = ["badge", "classifier", "label", "pill", "chip", "tag"];
/// Elements in which letters meet on purpose.
const TIGHT: [&str; 7] = ["pre", "code", "kbd", "sub", "sup", "math", "svg"];

/// Whether two texts that follow each other without white space are two labels, or a label and a
/// word. Quick unless a word would go on. Linear in the depth otherwise.
pub(super) fn are_two(document: &Document, before: NodeId, after: NodeId) -> bool {
    let (Some(first), Some(second)) = (document.text(before), document.text(after)) else { return false };
    let (Some(last), Some(next)) = (first.chars().next_back(), second.chars().next()) else { return false };
    if !(last.is_alphanumeric() || last == ':') || !next.is_alphanumeric() {
        return false;
    }
    let is_tight =
        |node| document.ancestors(node).any(|around| document.name(around).is_some_and(|name| TIGHT.contains(&name)));
    let are_apart = || {
        let is_named = is_badge(document, before) || is_badge(document, after);
        is_named
            || begins_anew(last, next)
                && first.trim().chars().count() >= SHORTEST
                && are_siblings(document, before, after)
    };
    are_apart() && !is_tight(before) && !is_tight(after)
}

/// Whether a word hardly goes on from one letter to the next.
fn begins_anew(last: char, next: char) -> bool {
    let goes_up = (last.is_lowercase() || last.is_ascii_digit() || last == ':') && next.is_uppercase();
    goes_up || last.is_alphabetic() && next.is_ascii_digit()
}

/// Whether a text is all the text of an element with such a class.
fn is_badge(document: &Document, text: NodeId) -> bool {
    let Some(span) = document.parent(text).filter(|&span| document.is_element(span, "span")) else { return false };
    let class = document.attribute(span, "class").unwrap_or_default();
    document.children(span).nth(1).is_none()
        && class.split_ascii_whitespace().any(|class| class.split(['-', '_']).any(|part| NAMES.contains(&part)))
}

/// Whether elements with classes around both are next to each other.
fn are_siblings(document: &Document, before: NodeId, after: NodeId) -> bool {
    let is_label = |&node: &NodeId| {
        matches!(document.name(node), Some("span" | "a" | "time" | "label" | "b" | "strong" | "small" | "bdi"))
            && document.attribute(node, "class").is_some_and(|class| !class.trim().is_empty())
    };
    document.ancestors(before).take(AROUND).filter(is_label).any(|first| {
        let mut around = document.ancestors(after).take(AROUND).filter(is_label);
        around.any(|second| first != second && document.parent(first) == document.parent(second))
    })
}
