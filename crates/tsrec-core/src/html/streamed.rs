//! Puts streamed parts of a page in their places.
//!
//! React streams a page whose parts are ready at different times. For a missing part it writes
//! `<template id="B:0">`. Later it writes `<div hidden id="S:0">` with the part, and a script that
//! moves it to its place (`renderToPipeableStream` of `react-dom/server`). We run no scripts, so we
//! move the parts by their ids. Pages of Next.js from version 13 on may send all of their content
//! so.

use std::collections::HashMap;

use html5ever::local_name;

use super::arena::Arena;
use super::document::NodeId;

/// The beginning of a place's id, before its number: for a boundary, and for a part within another
/// part.
const PLACES: [&str; 2] = ["B:", "P:"];
/// The beginning of a part's id, before the number of its place.
const PART: &str = "S:";

/// What stands before that mark, which is the same in all ids of a page, and the number after it.
type Number<'a> = (&'a str, &'a str);

/// Moves each part of the page to its place, in sending order. A part without a place stays where
/// it is, hidden. A place deeper than `most_depth` takes no part. `templates` are those of the
/// page. Linear in the nodes, and in the depth of each place.
pub(super) fn put_in_place(arena: &mut Arena, templates: &[NodeId], most_depth: usize) {
    for (part, place) in parts(arena, templates) {
        if !is_reached(arena, place, part, most_depth) {
            continue;
        }
        let parent = arena.node(place).parent.expect("it is below the document");
        while let Some(child) = arena.node(part).first_child {
            arena.detach(child);
            arena.attach(parent, child, Some(place));
        }
    }
}

/// The parts of a page, each with its place.
fn parts(arena: &Arena, templates: &[NodeId]) -> Vec<(NodeId, NodeId)> {
    let elements = || (0..arena.nodes.len()).map(NodeId::new);
    let mut places: HashMap<Number<'_>, NodeId> = HashMap::new();
    for &element in templates {
        let id = arena.attribute(element, &local_name!("id"));
        if let Some(number) = id.and_then(|id| PLACES.iter().find_map(|mark| number(id, mark))) {
            places.entry(number).or_insert(element);
        }
    }
    if places.is_empty() {
        return Vec::new();
    }
    let hidden = |&node: &NodeId| {
        arena.is_named(node, &local_name!("div")) && arena.attribute(node, &local_name!("hidden")).is_some()
    };
    let place_of = |part| places.get(&number(arena.attribute(part, &local_name!("id"))?, PART)?).copied();
    elements().filter(hidden).filter_map(|part| Some((part, place_of(part)?))).collect()
}

fn number<'a>(id: &'a str, mark: &str) -> Option<Number<'a>> {
    let (before, number) = id.rsplit_once(mark)?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then_some((before, number))
}

/// Whether a place is on the page, no deeper than `most_depth`, and not within the part itself.
fn is_reached(arena: &Arena, place: NodeId, part: NodeId, most_depth: usize) -> bool {
    let mut above = arena.above(place).take(most_depth + 1);
    above.find(|&node| node == part || node == NodeId::ROOT) == Some(NodeId::ROOT)
}

#[cfg(test)]
mod tests {
    use crate::html::visibility::is_hidden;
    use crate::html::{Document, Limits, NodeId, parse};

    /// The text that is not hidden.
    fn shown(document: &Document) -> String {
        let is_shown = |&node: &NodeId| !document.ancestors(node).any(|above| is_hidden(document, above));
        let texts = document.descendants(document.root()).filter(is_shown).filter_map(|node| document.text(node));
        texts.collect()
    }

    #[test]
    fn parts_come_to_their_places() {
        for (page, expect) in [
            ("a <template id=B:0></template>c<div hidden id=S:0>b </div>", "a b c"),
            ("a <template id=x-B:1f></template>c<div hidden id=x-S:1f>b </div>", "a b c"),
            // A part of a part, sent before it or after it.
            (
                "a <template id=B:0></template>e<div hidden id=S:0>b <template id=P:1></template>d </div><div hidden id=S:1>c </div>",
                "a b c d e",
            ),
            (
                "a <template id=B:0></template>e<div hidden id=S:1>c </div><div hidden id=S:0>b <template id=P:1></template>d </div>",
                "a b c d e",
            ),
            // No place, no part, a place within the part itself, and a place that is not on the
            // page.
            ("a<div hidden id=S:0>b</div>", "a"),
            ("a<template id=B:0></template>", "a"),
            ("a<div hidden id=S:0>b<template id=B:0></template></div>", "a"),
            ("a<template><template id=B:0></template></template><div hidden id=S:0>b</div>", "a"),
            // Ids of another kind.
            ("a<template id=B:x></template><div hidden id=S:x>b</div>", "a"),
            ("a<template id=B:></template><div hidden id=S:>b</div>", "a"),
            ("a<template id=B:0></template><div id=S:0>b</div>", "ab"),
            // A place takes one part; a second part for it comes after the first.
            ("a <template id=B:0></template>d<div hidden id=S:0>b </div><div hidden id=S:0>c </div>", "a b c d"),
        ] {
            assert_eq!(shown(&parse(page.as_bytes(), None, &Limits::default())), expect, "{page}");
        }
    }

    /// Nested parts cannot make a tree deeper than twice the page's limit.
    #[test]
    fn parts_within_parts_end() {
        let mut page = String::from("<template id=B:0></template>");
        for number in 0..2_000 {
            page +=
                &format!("<div hidden id=S:{number:x}><i><i><template id=B:{:x}></template></i></i></div>", number + 1);
        }
        let limits = Limits::default();
        let document = parse(page.as_bytes(), None, &limits);
        let deepest = document.descendants(document.root()).map(|node| document.ancestors(node).count()).max().unwrap();
        assert!((limits.depth - 3..2 * limits.depth).contains(&deepest), "{deepest}");
    }
}
