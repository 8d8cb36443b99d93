//! The data for comparing a sequence, computed once per page: a symbol for each visible element and
//! a pattern for each subtree. They are hashes, so that they are equal across pages without shared
//! numbering.
//!
//! On 64-bit processors, two different ones collide by chance once in 2^64 comparisons. Somebody
//! who makes a collision on purpose only gets an element of his own page taken for template.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::regular::{Compacted, PatternId, Patterns};
use super::sequence::{Inline, TagSequence};

/// A sequence prepared for comparison. Linear to make; twenty bytes per element.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    /// The visible elements, by index into the sequence.
    pub(super) visible: Vec<u32>,
    /// Their symbols. Two are equal exactly if their elements are.
    pub(super) symbols: Vec<u64>,
    /// The pattern of each element's subtree; hidden elements have none.
    pub(super) patterns: Vec<Option<PatternId>>,
    /// The number of visible elements with text.
    pub(super) with_text: usize,
}

impl Prepared {
    pub(super) fn new(sequence: &TagSequence<'_>) -> Self {
        let elements = sequence.elements();
        let (mut visible, mut symbols) = (Vec::with_capacity(elements.len()), Vec::with_capacity(elements.len()));
        let (mut patterns, mut with_text) = (Patterns::new(elements.len()), 0);
        // Backwards, because patterns are summed up from the children.
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

/// The paper's symbols of the visible elements (figure 5, line 11): two are equal exactly if the
/// names and the texts are, whatever the inline tags. Linear.
pub(super) fn text_symbols(sequence: &TagSequence<'_>) -> Vec<u64> {
    let mut all = String::new();
    let mut symbol = |index: usize| {
        let element = &sequence.elements()[index];
        all.clear();
        for (text, _) in sequence.texts(element) {
            all.push_str(text);
            all.push(' ');
        }
        let mut hasher = FxHasher::default();
        hasher.write_u64(hash(NAME, &element.name));
        hasher.write_u64(hash(TEXT, &all));
        hasher.finish()
    };
    sequence.visible().map(&mut symbol).collect()
}

/// Separates the domains of the hashes.
const NAME: u64 = 1;
const TEXT: u64 = 2;

/// What one pass over an element's name and content gives.
struct ReadElement {
    /// What is compared: its name, inline tags and texts. The `a` before a text says that it is
    /// linked.
    symbol: u64,
    /// Its content with the text abstracted.
    shapes: Compacted,
    has_text: bool,
}

impl ReadElement {
    /// For an element with that name.
    fn new(name: u64, content: &[Inline<'_>]) -> ReadElement {
        let (mut symbol, mut shapes, mut has_text) = (FxHasher::default(), Compacted::default(), false);
        symbol.write_u64(name);
        // Each tag is combined with the text after it.
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

/// The shape of a piece of inline content: the tag before it, if any, and whether there is text.
fn shape(tag: u64, text: bool) -> u64 {
    tag.wrapping_shl(1) | u64::from(text)
}

fn hash(what: u64, text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(what);
    hasher.write(text.as_bytes());
    hasher.finish()
}
