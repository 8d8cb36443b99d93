//! The labels of a page while a person gives them: to single blocks, by marks of elements, or as an
//! extraction suggests them.

use std::ops::Range;

use crate::block::block_label::BlockLabel;
use crate::block::text_blocks::{BlockTag, TextBlock, TextSource};
use crate::extract::Page;
use crate::extract::report::element_of_text_blocks;
use crate::html::Document;
use crate::html::elements::{DefaultDisplay, default_display};
use crate::marks::{Mark, NoSuchElement, spread};
use crate::page::Content;

/// Changes that can be taken back, at most. Judgement: a page of 100,000 blocks then takes 20 MB.
const MOST_UNDONE: usize = 200;

/// A page's labels, one a text block, and what is needed to change them.
#[derive(Debug)]
pub struct Labelling {
    places: Vec<LabelledBlock>,
    /// For each element of the tag sequence the one around it.
    parents: Vec<usize>,
    labels: Vec<Option<BlockLabel>>,
    /// None at all, or one a block.
    suggestions: Vec<BlockLabel>,
    /// The labels before each change.
    undo: Vec<Vec<Option<BlockLabel>>>,
}

/// Where a text block stands.
#[derive(Debug)]
struct LabelledBlock {
    /// The element of the tag sequence that it is in.
    element: usize,
    /// Whether it begins a line. Otherwise only inline tags, or a single line break, stand before
    /// it.
    begins: bool,
    /// What its tags say it is, where it is content and begins something.
    kind: BlockLabel,
}

impl Labelling {
    /// The labelling of a page with these text blocks, which has these labels. O(blocks × depth).
    ///
    /// # Panics
    ///
    /// There are more or fewer labels than blocks.
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

    /// The labels given.
    pub fn labels(&self) -> &[Option<BlockLabel>] {
        &self.labels
    }

    /// How many blocks are labelled.
    pub fn labelled(&self) -> usize {
        self.labels.iter().flatten().count()
    }

    /// What is suggested for a block that has no label.
    pub fn suggestion(&self, block: usize) -> Option<BlockLabel> {
        self.suggestions.get(block).copied().filter(|_| self.labels[block].is_none())
    }

    /// Suggests what an extraction kept. Linear in the page.
    pub fn suggest(&mut self, document: &Document, blocks: &[TextBlock], content: &Content) {
        let mut kept: Vec<Range<usize>> = vec![0..0; document.len()];
        for piece in content.pieces() {
            kept[piece.node.index()] = piece.range.clone();
        }
        let kept: Vec<bool> = blocks.iter().map(|block| is_kept(block, &kept)).collect();
        self.suggestions = self.by_tags(&kept);
    }

    /// Takes the suggestions where no label is.
    pub fn accept(&mut self) {
        let accepted = (0..self.labels.len()).map(|block| self.labels[block].or(self.suggestion(block)));
        self.change(accepted.collect());
    }

    /// Labels other all that has no label.
    pub fn rest(&mut self) {
        self.change(self.labels.iter().map(|label| label.or(Some(BlockLabel::Other))).collect());
    }

    /// Labels the blocks of marked elements, then single blocks, as one change.
    ///
    /// A mark holds for all blocks in its element but those in an inner one with its own mark. A
    /// block that is marked content keeps its type where it has one; otherwise its tags give it.
    ///
    /// Returns the blocks whose label was refused: a continuation where all before it is other has
    /// nothing to go on with.
    ///
    /// # Errors
    ///
    /// A mark of an element that the page does not have; nothing is changed then.
    pub fn mark(&mut self, marks: &[Mark], given: &[(usize, Option<BlockLabel>)]) -> Result<Vec<usize>, NoSuchElement> {
        let marked = spread(marks, &self.parents)?;
        let mut labels = self.labels.clone();
        for (label, place) in labels.iter_mut().zip(&self.places) {
            let is_content = label.is_some_and(BlockLabel::is_content);
            match marked[place.element] {
                Some(false) => *label = Some(BlockLabel::Other),
                // A stand-in: the type follows when it is known what else is content.
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

    /// Takes the last change back. Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(before) = self.undo.pop() else { return false };
        self.labels = before;
        true
    }

    /// How many changes can be taken back.
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

    /// A label for each block, where it is known which are kept: what begins is of the type that
    /// its tags say, what stands behind it on the same line goes on with it.
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

/// A block begins a line of its own after a tag that breaks the flow of text, or after two line
/// breaks. After a single one a paragraph goes on, as in an address or a poem (judgement).
fn begins(distance: &[BlockTag]) -> bool {
    let breaks = distance.iter().filter(|tag| default_display(tag.name()) == DefaultDisplay::LineBreak).count();
    breaks > 1 || distance.iter().any(|tag| default_display(tag.name()) == DefaultDisplay::Block)
}

/// True when most of the block is kept. An alternative text never is: extractions keep text nodes.
fn is_kept(block: &TextBlock, kept: &[Range<usize>]) -> bool {
    let TextSource::Text { node, range } = &block.source else { return false };
    let piece = &kept[node.index()];
    let both = range.end.min(piece.end).saturating_sub(range.start.max(piece.start));
    both > 0 && both >= block.text.len() / 2
}

/// What the tags around a block say it is. A paragraph in a list item is a list item.
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
