//! What comparing asks of a sequence, made once for each page, whatever it is compared with: a symbol for each visible
//! element and a pattern for each subtree, as hashes, so that two sequences need not know of each other to be numbered alike.
//!
//! Two that differ have the same hash by chance once in 2^64 comparisons, where a processor's words have 64 bits. Somebody who makes such a pair on purpose has an element of his own page taken for template.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::regular::{PatternId, patterns_of_elements};
use super::sequence::{Inline, TagSequence};

/// A sequence, made ready to be compared. Linear to make; twenty bytes an element.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    /// The visible elements, by index into the sequence.
    pub(super) visible: Vec<u32>,
    /// Their symbols: two are equal exactly when their elements are.
    pub(super) symbols: Vec<u64>,
    /// The pattern of each element's subtree; hidden elements have none.
    pub(super) patterns: Vec<Option<PatternId>>,
}

impl Prepared {
    pub(super) fn new(sequence: &TagSequence<'_>) -> Self {
        let visible: Vec<u32> = sequence.visible().map(|index| index as u32).collect();
        let elements = sequence.elements();
        let symbol = |&index: &u32| symbol(&elements[index as usize].name, sequence.content(&elements[index as usize]));
        let symbols = visible.iter().map(symbol).collect();
        Prepared { visible, symbols, patterns: patterns_of_elements(sequence) }
    }
}

/// What of an element is compared: its name, and its inline tags and texts. Where a text is a link's is told by the `a` before it.
fn symbol(name: &str, content: &[Inline<'_>]) -> u64 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    for piece in content {
        match piece {
            Inline::Tag(name) => (true, &**name).hash(&mut hasher),
            Inline::Text { text, .. } => (false, &**text).hash(&mut hasher),
        }
    }
    hasher.finish()
}
