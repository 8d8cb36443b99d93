//! What the template diff found of each block: evidence for the score.
//!
//! The diff labels elements (Li et al. 2006, section 5). A block is the text of some elements, so
//! each block gets the shares of its texts that are common, regular, or the rest. Absent is not
//! different: a text that was not compared counts for nothing.

use std::collections::HashMap;

use super::column::evidence;
use super::within::WithinBlock;
use crate::analysis::{Analysis, Block};
use crate::html::NodeId;
use crate::template::{DiffedWords, Memory};
use crate::words::hashed::ByHash;

/// What the diff with one sibling found of each block of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Diffed {
    pub(super) blocks: Vec<BlockDiff>,
}

/// What the diff found of a block. Words are those of the texts that were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BlockDiff {
    pub(super) words: u32,
    /// Words of elements that the sibling has, too, with the same text.
    pub(super) common: u32,
    /// Words of groups of elements that are built alike on the sibling.
    pub(super) regular: u32,
    /// Words of the rest that the final segmentation keeps.
    pub(super) kept: u32,
    /// The most siblings of a group that an element of the block is in; 0 without a group.
    pub(super) group: u32,
    /// Whether the sibling page has a group of the same pattern.
    pub(super) is_matched: bool,
}

/// The part of the page that the diff gives an element to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffPart {
    Common,
    Regular,
    /// Neither of these.
    Rest {
        is_kept: bool,
    },
}

impl Diffed {
    /// What a diff with all other pages of a memory finds, if none was made: common are the texts
    /// that another page has at the same place. Nothing is regular. Linear.
    pub(super) fn with_memory(analysis: &Analysis, site: &Memory) -> Self {
        let of_block = |block: &Block| {
            let words = block.text.words;
            let is_common = site.place(block.place).is_some_and(|place| place.pages_of_text(block.hash) > 1);
            let common = if is_common { words } else { 0 };
            BlockDiff { words, common, kept: words - common, ..BlockDiff::default() }
        };
        Diffed { blocks: analysis.blocks().iter().map(of_block).collect() }
    }

    /// What it found at each place of the page. Linear.
    pub(super) fn at_places(&self, analysis: &Analysis) -> HashMap<u64, DiffedWords, ByHash> {
        let mut places: HashMap<u64, DiffedWords, ByHash> = HashMap::default();
        for (block, diff) in analysis.blocks().iter().zip(&self.blocks) {
            let place = places.entry(block.place).or_default();
            place.words += diff.words;
            place.common += diff.common;
            place.regular += diff.regular;
            place.kept += diff.kept;
        }
        places
    }
}

/// Collects the diff's labels by block.
pub(crate) struct DiffedBlocks {
    /// For each node, its block and words. `u32::MAX` for a node that is no text of a block.
    of_node: Vec<(u32, u32)>,
    blocks: Vec<BlockDiff>,
}

impl DiffedBlocks {
    /// Nothing yet. Linear.
    pub(crate) fn new(analysis: &Analysis) -> Self {
        let nodes = analysis.leaves().iter().map(|leaf| leaf.node.index() + 1).max().unwrap_or(0);
        let mut of_node = vec![(u32::MAX, 0); nodes];
        for leaf in analysis.leaves() {
            of_node[leaf.node.index()] = (leaf.block, leaf.words);
        }
        DiffedBlocks { of_node, blocks: vec![BlockDiff::default(); analysis.blocks().len()] }
    }

    /// Adds a text. `group` are the siblings of its element's group, and whether it is matched.
    pub(crate) fn add(&mut self, text: NodeId, part: DiffPart, group: Option<(u32, bool)>) {
        let Some(&(block, words)) = self.of_node.get(text.index()) else { return };
        let Some(block) = self.blocks.get_mut(block as usize) else { return };
        block.words += words;
        match part {
            DiffPart::Common => block.common += words,
            DiffPart::Regular => block.regular += words,
            DiffPart::Rest { is_kept } => block.kept += if is_kept { words } else { 0 },
        }
        if let Some((siblings, is_matched)) = group {
            block.group = block.group.max(siblings);
            block.is_matched |= is_matched;
        }
    }

    pub(crate) fn into_diffed(self) -> Diffed {
        Diffed { blocks: self.blocks }
    }
}

impl BlockDiff {
    /// Words of the rest: neither common nor regular.
    pub(super) fn rest(&self) -> u32 {
        self.words - self.common - self.regular
    }
}

evidence! { Diff, |at: &WithinBlock<'_>| {
    "diff words", "words that were compared (log)", at.compared_words();
    "diff common", "share of its words that the sibling has, too, in the same order", at.diff(|diff| diff.common);
    "diff regular", "share of its words in groups that are built alike on the sibling", at.diff(|diff| diff.regular);
    "diff rest", "share of its words that are neither", at.diff(|diff| diff.rest());
    "diff kept", "share of its words that the diff's segmentation keeps", at.diff(|diff| diff.kept);
    "diff group", "siblings of its compact group (log)", at.group();
    "diff group matched", "whether the sibling has a group of the same pattern", at.is_group_matched();
    "diff c1 common", "share of the words compared in the nearest container with more text that are common", at.diff_in(0, |sums| sums.common);
    "diff c1 regular", "that are regular", at.diff_in(0, |sums| sums.regular);
    "diff c1 kept", "that are kept", at.diff_in(0, |sums| sums.kept);
    "diff c1 words", "words compared in it (log)", at.words_in(0);
    "diff c2 common", "as c1, of the next container with more text", at.diff_in(1, |sums| sums.common);
    "diff c2 regular", "as c1", at.diff_in(1, |sums| sums.regular);
    "diff c2 kept", "as c1", at.diff_in(1, |sums| sums.kept);
    "diff c3 common", "as c1, of the third", at.diff_in(2, |sums| sums.common);
    "diff c3 kept", "as c1", at.diff_in(2, |sums| sums.kept);
    "diff -1 common", "the same of the block before", at.diff_beside(-1, |diff| diff.common);
    "diff -1 kept", "the same of the block before", at.diff_beside(-1, |diff| diff.kept);
    "diff +1 common", "the same of the block after", at.diff_beside(1, |diff| diff.common);
    "diff +1 kept", "the same of the block after", at.diff_beside(1, |diff| diff.kept);
    "diff distance", "blocks from it to the nearest that is mostly kept (log)", at.distance();
    "diff text elsewhere", "share of the other known pages that have its very text at its place", at.text_elsewhere();
    "diff repeats there", "share of the words at its place whose text more than one page has there", at.repeats_there();
    "diff text pages there", "share of the pages that have the same text at its place, on average over words", at.text_pages_there();
    "diffs there", "pages that were compared at its place (log)", at.compared_there();
    "diffs there common", "share of the words that diffs found common at its place", at.there(0);
    "diffs there regular", "share that they found regular", at.there(1);
    "diffs there kept", "share that they kept", at.there(2);
    "diffs there spread", "how far the common share differs from page to page", at.spread_there();
} }
