//! Reads the names of elements, once for all elements with the same names, such as the items of a
//! list or the cells of a table.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::{Side, is_naming, name_hash, push_names, side};
use crate::html::document::{Document, NodeId};

/// The number of remembered elements. An element replaces the one whose hash has the same end.
/// Judgement: pages have some hundred names.
const PLACES: usize = 256;

/// How an element is named.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct ElementNaming {
    /// Whether its markup says that it is side matter.
    pub(in crate::analysis) side: Side,
    /// Where its names begin among those of the page, and how many they are; see [`push_names`].
    pub(in crate::analysis) first: u32,
    pub(in crate::analysis) count: u8,
    /// Its hash; see [`name_hash`].
    pub(in crate::analysis) hash: u64,
}

/// The names of a page's elements.
pub(in crate::analysis) struct PageNames {
    places: Vec<Option<(NodeId, ElementNaming)>>,
    /// All names, in order. Remembered elements with the same names share one entry.
    pub(in crate::analysis) names: Vec<u32>,
}

impl Default for PageNames {
    fn default() -> Self {
        PageNames { places: vec![None; PLACES], names: Vec::new() }
    }
}

impl PageNames {
    /// The names of an element. Linear in its attributes.
    pub(in crate::analysis) fn named(&mut self, document: &Document, element: NodeId, tag: &str) -> ElementNaming {
        let place = place(document, element);
        match self.places[place] {
            Some((other, named)) if are_alike(document, element, other) => named,
            _ => {
                let named = self.read(document, element, tag);
                self.places[place] = Some((element, named));
                named
            }
        }
    }

    fn read(&mut self, document: &Document, element: NodeId, tag: &str) -> ElementNaming {
        let attributes = document.attributes(element);
        let first = self.names.len();
        push_names(tag, attributes, &mut self.names);
        ElementNaming {
            side: side(tag, attributes),
            first: u32::try_from(first).expect("names are bounded by the nodes"),
            count: u8::try_from(self.names.len() - first).expect("an element has two dozen at most"),
            hash: name_hash(tag, attributes),
        }
    }
}

/// The slot for elements that are named like this one.
fn place(document: &Document, element: NodeId) -> usize {
    let mut hasher = FxHasher::default();
    document.local_name(element).hash(&mut hasher);
    document.attributes(element).of_names(is_naming).for_each(|(_, value)| hasher.write(value.as_bytes()));
    hasher.finish() as usize % PLACES
}

/// Whether two elements have the same tag, and the same naming attributes.
fn are_alike(document: &Document, element: NodeId, other: NodeId) -> bool {
    let naming = |element| document.attributes(element).of_names(is_naming);
    document.local_name(element) == document.local_name(other) && naming(element).eq(naming(other))
}
