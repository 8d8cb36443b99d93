//! What comparing asks of a sequence, made once for each page, whatever it is compared with: a
//! symbol for each visible element and a pattern for each subtree, as hashes, so that two sequences
//! need not know of each other to be numbered alike.
//!
//! Two that differ have the same hash by chance once in 2^64 comparisons, where a processor's words
//! have 64 bits. Somebody who makes such a pair on purpose has an element of his own page taken for
//! template.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::regular::{Compacted, PatternId, Patterns};
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
    /// How many visible elements have text.
    pub(super) with_text: usize,
}

impl Prepared {
    pub(super) fn new(sequence: &TagSequence<'_>) -> Self {
        let elements = sequence.elements();
        let (mut visible, mut symbols) = (Vec::with_capacity(elements.len()), Vec::with_capacity(elements.len()));
        let (mut patterns, mut with_text) = (Patterns::new(elements.len()), 0);
        // Backwards, as patterns are summed up.
        for (index, element) in elements.iter().enumerate().rev().filter(|(_, element)| !element.hidden) {
            let name = hash(NAME, &element.name);
            let read = ReadElement::new(name, sequence.content(element));
            visible.push(index as u32);
            symbols.push(read.symbol);
            patterns.sum_up(index, element.level, name, &read.shapes);
            with_text += usize::from(read.has_text);
        }
        visible.reverse();
        symbols.reverse();
        Prepared { visible, symbols, patterns: patterns.of_elements, with_text }
    }
}

/// What hashes are told apart by.
const NAME: u64 = 1;
const TEXT: u64 = 2;

/// What is made of an element's name and content in one pass over it.
struct ReadElement {
    /// What of it is compared: its name, and its inline tags and texts. Where a text is a link's is
    /// told by the `a` before it.
    symbol: u64,
    /// Its content with the text abstracted.
    shapes: Compacted,
    has_text: bool,
}

impl ReadElement {
    /// Of an element of that name.
    fn new(name: u64, content: &[Inline<'_>]) -> ReadElement {
        let (mut symbol, mut shapes, mut has_text) = (FxHasher::default(), Compacted::default(), false);
        symbol.write_u64(name);
        // Each tag is one with the text after it.
        let mut tag = None;
        for piece in content {
            match piece {
                Inline::Tag(name) => {
                    let hash = hash(NAME, name);
                    symbol.write_u64(hash);
                    if let Some(before) = tag.replace(hash) {
                        shapes.push(shape(before, false));
                    }
                }
                Inline::Text { text, .. } => {
                    symbol.write_u64(hash(TEXT, text));
                    shapes.push(shape(tag.take().unwrap_or_default(), true));
                    has_text = true;
                }
            }
        }
        if let Some(last) = tag {
            shapes.push(shape(last, false));
        }
        ReadElement { symbol: symbol.finish(), shapes, has_text }
    }
}

/// Of a piece of inline content: the tag, if one stands before it, and whether there is text.
fn shape(tag: u64, text: bool) -> u64 {
    tag.wrapping_shl(1) | u64::from(text)
}

fn hash(what: u64, text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(what);
    hasher.write(text.as_bytes());
    hasher.finish()
}
