//! Footnotes: a small link to a note further down, and a link back.

use std::collections::{HashMap, HashSet};

use super::debris::leads_back;
use super::kept::KeptContent;
use crate::html::document::{Document, NodeId};
use crate::html::footnotes;

/// Which elements are references to footnotes, which are footnotes, and which are links back.
#[derive(Debug, Default)]
pub(super) struct Notes {
    references: HashMap<NodeId, String>,
    notes: HashMap<NodeId, String>,
    /// The links back, each with the label of its footnote.
    ways_back: HashMap<NodeId, String>,
    /// The `sup` that hold references.
    raised: HashSet<NodeId>,
    /// The first reference to each footnote: the target of its link back.
    firsts: HashSet<NodeId>,
}

/// The longest label that is taken from the page.
const LONGEST_LABEL: usize = 8;

impl Notes {
    /// Finds footnotes whose reference and text are both kept. Linear in the page.
    pub(super) fn find(kept: &KeptContent<'_>) -> Notes {
        let document = kept.document;
        let links: Vec<(NodeId, &str)> = document
            .descendants(document.root())
            .filter(|node| document.is_element(*node, "a") && kept.holds(*node))
            .filter_map(|node| Some((node, footnotes::target(document, node)?)))
            .collect();
        let raised: Vec<_> = links.iter().filter(|(node, _)| footnotes::is_reference(document, *node)).collect();
        if raised.is_empty() {
            return Notes::default();
        }
        let targets = footnotes::notes(document, &raised.iter().map(|(_, target)| *target).collect());
        let mut notes = Notes::default();
        let (mut taken, mut referred) = (HashSet::new(), HashSet::new());
        for (node, target) in raised {
            let first = targets.get(target).and_then(|elements| elements.first());
            let Some(&note) = first.filter(|note| is_note(kept, **note) && note.index() > node.index()) else {
                continue;
            };
            let label = notes.notes.entry(note).or_insert_with(|| {
                let label = label_of(document, *node).filter(|label| !taken.contains(label));
                let label = label.unwrap_or_else(|| format!("note-{}", taken.len() + 1));
                taken.insert(label.clone());
                label
            });
            if referred.insert(note) {
                notes.firsts.insert(*node);
            }
            notes.references.insert(*node, label.clone());
            let around = document.ancestors(*node).take(footnotes::AROUND);
            notes.raised.extend(around.filter(|around| document.is_element(*around, "sup")));
        }
        for (node, _) in links {
            let note = document.ancestors(node).find_map(|around| notes.notes.get(&around));
            let is_other = |label: &&String| {
                !notes.references.contains_key(&node)
                    && (is_way_back(document, node) || label_of(document, node).as_ref() == Some(*label))
            };
            if let Some(label) = note.filter(is_other) {
                notes.ways_back.insert(node, label.clone());
            }
        }
        notes
    }

    /// The label that a link refers to.
    pub(super) fn reference(&self, node: NodeId) -> Option<&str> {
        self.references.get(&node).map(String::as_str)
    }

    /// Whether a `sup` is only the container of a reference.
    pub(super) fn raises_reference(&self, node: NodeId) -> bool {
        self.raised.contains(&node)
    }

    /// The label of a footnote.
    pub(super) fn note(&self, node: NodeId) -> Option<&str> {
        self.notes.get(&node).map(String::as_str)
    }

    pub(super) fn is_way_back(&self, node: NodeId) -> bool {
        self.ways_back.contains_key(&node)
    }

    /// The label of the footnote that a link goes back from.
    pub(super) fn way_back(&self, node: NodeId) -> Option<&str> {
        self.ways_back.get(&node).map(String::as_str)
    }

    /// The id for links within the content, of a footnote or of the first reference to one.
    pub(super) fn name(&self, node: NodeId) -> Option<String> {
        let note = self.notes.get(&node).map(|label| format!("note-{label}"));
        note.or_else(|| {
            self.references.get(&node).filter(|_| self.firsts.contains(&node)).map(|label| format!("ref-{label}"))
        })
    }
}

/// Whether an element can be written as a footnote: a block outside items, quotes and tables.
fn is_note(kept: &KeptContent<'_>, node: NodeId) -> bool {
    let document = kept.document;
    let is = |node: NodeId, names: &[&str]| document.local_name(node).is_some_and(|name| names.contains(&&**name));
    kept.holds(node)
        && is(node, &["li", "p", "div", "aside"])
        && !document.ancestors(node).any(|around| is(around, &["li", "blockquote", "table", "pre", "h1", "h2", "h3"]))
}

/// The letters and digits of a reference.
fn label_of(document: &Document, node: NodeId) -> Option<String> {
    let text: String = document.descendants(node).filter_map(|node| document.text(node)).collect();
    let label: String = text.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    (!label.is_empty() && label.len() <= LONGEST_LABEL).then_some(label)
}

/// Whether a link within a footnote leads back: its text says so, or is an arrow.
pub(super) fn is_way_back(document: &Document, node: NodeId) -> bool {
    let mut text = document.descendants(node).filter_map(|node| document.text(node)).flat_map(str::chars);
    leads_back(document, node) || text.all(|c| !c.is_alphanumeric())
}
