//! The labels of a page while a person edits them: labels of single blocks, marks of elements, and
//! suggestions by an extraction.

use std::ops::Range;

use crate::block::block_label::BlockLabel;
use crate::block::text_blocks::{BlockTag, TextBlock, TextSource};
use crate::extract::Page;
use crate::extract::report::element_of_text_blocks;
use crate::html::Document;
use crate::html::elements::{DefaultDisplay, default_display};
use crate::marks::{Mark, NoSuchElement, spread};
use crate::page::Content;

/// The greatest number of changes to undo. Judgement: a page of 100,000 blocks then takes 20 MB.
const MOST_UNDONE: usize = 200;

/// A page's labels, one for each text block, and the data needed to change them.
#[derive(Debug)]
pub struct Labelling {
    places: Vec<LabelledBlock>,
    /// For each element of the tag sequence, the element around it.
    parents: Vec<usize>,
    labels: Vec<Option<BlockLabel>>,
    /// Empty, or one for each block.
    suggestions: Vec<BlockLabel>,
    /// The labels before each change.
    undo: Vec<Vec<Option<BlockLabel>>>,
}

/// The position of a text block.
#[derive(Debug)]
struct LabelledBlock {
    /// The element of the tag sequence that holds it.
    element: usize,
    /// Whether it begins a line. A block does not if only inline tags or a single line break come
    /// before it.
    begins: bool,
    /// The type that its tags give, if it is content and begins a block.
    kind: BlockLabel,
}

impl Labelling {
    /// The labelling of a page with these text blocks and labels. O(blocks × depth).
    ///
    /// # Panics
    ///
    /// The number of labels differs from the number of blocks.
    pub fn new(page: &Page<'_>, blocks: &[TextBlock], labels: Vec<Option<BlockLabel>>) -> Labelling {
        assert_eq!(labels.len(), blocks.len(), "a label a block");
        let elements = element_of_text_blocks(page, blocks);
        let places = blocks.iter().zip(elements).map(|(block, element)| LabelledBlock {
            element,
            begins: begins(&block.distance),
            kind: type_of(page.document(), block),
        });
        Labelling {
            places: places.collect(),
            parents: page.sequence().parents(),
            labels,
            suggestions: Vec::new(),
            undo: Vec::new(),
        }
    }

    /// The labels that were given.
    pub fn labels(&self) -> &[Option<BlockLabel>] {
        &self.labels
    }

    /// How many blocks are labelled.
    pub fn labelled(&self) -> usize {
        self.labels.iter().flatten().count()
    }

    /// The suggestion for a block that has no label.
    pub fn suggestion(&self, block: usize) -> Option<BlockLabel> {
        self.suggestions.get(block).copied().filter(|_| self.labels[block].is_none())
    }

    /// Suggests labels from what an extraction kept. Linear in the page.
    pub fn suggest(&mut self, document: &Document, blocks: &[TextBlock], content: &Content) {
        let mut kept: Vec<Range<usize>> = vec![0..0; document.len()];
        for piece in content.pieces() {
            kept[piece.node.index()] = piece.range.clone();
        }
        let kept: Vec<bool> = blocks.iter().map(|block| is_kept(block, &kept)).collect();
        self.suggestions = self.by_tags(&kept);
    }

    /// Accepts the suggestions for blocks without a label.
    pub fn accept(&mut self) {
        let accepted = (0..self.labels.len()).map(|block| self.labels[block].or(self.suggestion(block)));
        self.change(accepted.collect());
    }

    /// Labels all blocks without a label as other.
    pub fn rest(&mut self) {
        self.change(self.labels.iter().map(|label| label.or(Some(BlockLabel::Other))).collect());
    }

    /// Labels the blocks of marked elements, then single blocks, as one change.
    ///
    /// A mark covers all blocks in its element, except those in an inner element with its own mark.
    /// A block that is marked content keeps its type if it has one; otherwise its tags give the
    /// type.
    ///
    /// Returns the blocks whose label was refused. A continuation is refused if all blocks before
    /// it are other.
    ///
    /// # Errors
    ///
    /// A mark names an element that the page does not have. Then no label changes.
    pub fn mark(&mut self, marks: &[Mark], given: &[(usize, Option<BlockLabel>)]) -> Result<Vec<usize>, NoSuchElement> {
        let marked = spread(marks, &self.parents)?;
        let mut labels = self.labels.clone();
        for (label, place) in labels.iter_mut().zip(&self.places) {
            let is_content = label.is_some_and(BlockLabel::is_content);
            match marked[place.element] {
                Some(false) => *label = Some(BlockLabel::Other),
                // A placeholder. The type is set once all other content is known.
                Some(true) if !is_content => *label = Some(BlockLabel::Paragraph),
                _ => {}
            }
        }
        for &(block, label) in given {
            labels[block] = label;
        }
        let kept: Vec<bool> = labels.iter().map(|label| label.is_some_and(BlockLabel::is_content)).collect();
        let types = self.by_tags(&kept);
        let mut is_given = vec![false; labels.len()];
        given.iter().for_each(|&(block, _)| is_given[block] = true);
        for (block, place) in self.places.iter().enumerate() {
            let had_type = self.labels[block].is_some_and(BlockLabel::is_content);
            if marked[place.element] == Some(true) && !had_type && !is_given[block] {
                labels[block] = Some(types[block]);
            }
        }
        let mut refused = Vec::new();
        for block in 0..labels.len() {
            if is_given[block] && labels[block] == Some(BlockLabel::Continuation) {
                labels[block] = self.labels[block];
                refused.push(block);
            }
            if labels[block] != Some(BlockLabel::Other) {
                break;
            }
        }
        self.change(labels);
        Ok(refused)
    }

    /// Undoes the last change. Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(before) = self.undo.pop() else { return false };
        self.labels = before;
        true
    }

    /// How many changes can be undone.
    pub fn undoable(&self) -> usize {
        self.undo.len()
    }

    fn change(&mut self, labels: Vec<Option<BlockLabel>>) {
        if labels == self.labels {
            return;
        }
        if self.undo.len() == MOST_UNDONE {
            self.undo.remove(0);
        }
        self.undo.push(std::mem::replace(&mut self.labels, labels));
    }

    /// A label for each block, given which blocks are kept. A block that begins a line has the type
    /// that its tags give. A later block on the same line continues it.
    fn by_tags(&self, kept: &[bool]) -> Vec<BlockLabel> {
        let mut begun = false;
        let label = |(place, &kept): (&LabelledBlock, &bool)| {
            begun &= !place.begins;
            if !kept {
                return BlockLabel::Other;
            }
            match std::mem::replace(&mut begun, true) {
                true => BlockLabel::Continuation,
                false => place.kind,
            }
        };
        self.places.iter().zip(kept).map(label).collect()
    }
}

/// A block begins a line after a tag that breaks the flow of text, or after two line breaks. After
/// a single line break a paragraph goes on, as in an address or a poem (judgement).
fn begins(distance: &[BlockTag]) -> bool {
    let breaks = distance.iter().filter(|tag| default_display(tag.name()) == DefaultDisplay::LineBreak).count();
    breaks > 1 || distance.iter().any(|tag| default_display(tag.name()) == DefaultDisplay::Block)
}

/// True if most of the block is kept. False for an alternative text, since extractions keep only
/// text nodes.
fn is_kept(block: &TextBlock, kept: &[Range<usize>]) -> bool {
    let TextSource::Text { node, range } = &block.source else { return false };
    let piece = &kept[node.index()];
    let both = range.end.min(piece.end).saturating_sub(range.start.max(piece.start));
    both > 0 && both >= block.text.len() / 2
}

/// The type that the tags around a block give. A paragraph in a list item is a list item.
fn type_of(document: &Document, block: &TextBlock) -> BlockLabel {
    for name in block.containers(document).filter_map(|node| document.local_name(node)) {
        match &**name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => return BlockLabel::Header,
            "li" | "dt" | "dd" => return BlockLabel::List,
            "p" => {}
            other if default_display(other) == DefaultDisplay::Block => break,
            _ => {}
        }
    }
    BlockLabel::Paragraph
}

#[cfg(test)]
mod tests;
