//! The input of the third stage: what the diff found of each block, around it, and on other pages
//! at its place.

use std::borrow::Cow;

use super::column::log;
use super::diff::{self, BlockDiff, Diffed};
use crate::analysis::{Analysis, Block};
use crate::learn::boosting::Rows;
use crate::template::{Memory, Place};

/// Containers around a block that are read, each with more text than the one before. Judgement: a
/// box has a title, a list and a frame.
const CONTAINERS: usize = 3;

/// Containers around a block that are looked through for these. Judgement: deeper trees have
/// containers that add no text.
const MOST_AROUND: usize = 64;

/// A page for the third stage.
pub(super) struct WithinPage<'a> {
    analysis: &'a Analysis,
    site: &'a Memory,
    diffed: Cow<'a, Diffed>,
    /// Sums over the blocks before each block, and over all.
    sums: Vec<DiffSums>,
    /// For each block, how many blocks it is to the nearest that the diff keeps.
    to_kept: Vec<Option<u32>>,
}

/// Sums over the words that were compared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DiffSums {
    words: f32,
    pub(super) common: f32,
    pub(super) regular: f32,
    pub(super) kept: f32,
}

impl DiffSums {
    fn add(&mut self, diff: &BlockDiff) {
        self.words += diff.words as f32;
        self.common += diff.common as f32;
        self.regular += diff.regular as f32;
        self.kept += diff.kept as f32;
    }

    fn minus(self, other: DiffSums) -> DiffSums {
        DiffSums {
            words: self.words - other.words,
            common: self.common - other.common,
            regular: self.regular - other.regular,
            kept: self.kept - other.kept,
        }
    }

    /// A part of the words that were compared. Absent if there are none.
    fn share(&self, of: impl Fn(&DiffSums) -> f32) -> f32 {
        part(of(self), self.words)
    }
}

/// A part of a whole; absent if the whole is nothing.
fn part(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { f32::NAN }
}

impl<'a> WithinPage<'a> {
    /// `site` is the memory of the site with the page. If the page was not compared with another,
    /// it is compared with that memory. Linear in the page.
    pub(super) fn new(analysis: &'a Analysis, site: &'a Memory, diffed: Option<&'a Diffed>) -> Self {
        let with_memory = || Cow::Owned(Diffed::with_memory(analysis, site));
        let diffed = diffed.map_or_else(with_memory, Cow::Borrowed);
        let mut sum = DiffSums::default();
        let mut sums = vec![sum];
        sums.extend(diffed.blocks.iter().map(|diff| {
            sum.add(diff);
            sum
        }));
        let is_kept = |diff: &BlockDiff| diff.words > 0 && 2 * diff.kept >= diff.words;
        let to_kept = distances(diffed.blocks.len(), |at| is_kept(&diffed.blocks[at]));
        WithinPage { analysis, site, diffed, sums, to_kept }
    }

    /// The evidence of these blocks, a row each. O(1) for each.
    pub(super) fn rows(&self, blocks: impl ExactSizeIterator<Item = usize>) -> Rows {
        let mut values = Vec::with_capacity(diff::COLUMNS.len() * blocks.len());
        for number in blocks {
            diff::fill(&mut values, &self.block(number));
        }
        Rows::of_values(diff::COLUMNS.len(), values)
    }

    fn block(&'a self, number: usize) -> WithinBlock<'a> {
        let block = &self.analysis.blocks()[number];
        WithinBlock { page: self, number, block, around: self.around(number, block) }
    }

    /// The sums of the containers around a block that have more text each. The last one stands for
    /// those that are missing.
    fn around(&self, number: usize, block: &Block) -> [DiffSums; CONTAINERS] {
        let mut words = block.text.words;
        let larger = self.analysis.around(block).take(MOST_AROUND).filter(|(_, container)| {
            let is_larger = container.text.words > words;
            words = words.max(container.text.words);
            is_larger
        });
        let mut last = self.between(number as u32, number as u32 + 1);
        let mut sums = larger.map(|(_, container)| self.between(container.blocks.start, container.blocks.end));
        std::array::from_fn(|_| {
            last = sums.next().unwrap_or(last);
            last
        })
    }

    fn between(&self, start: u32, end: u32) -> DiffSums {
        self.sums[end as usize].minus(self.sums[start as usize])
    }

    fn diff(&self, at: usize) -> Option<&BlockDiff> {
        Some(&self.diffed.blocks[at]).filter(|diff| diff.words > 0)
    }
}

/// For each block, the number of blocks to the nearest that is one. Linear.
fn distances(count: usize, is_one: impl Fn(usize) -> bool) -> Vec<Option<u32>> {
    let mut nearest: Vec<Option<u32>> = vec![None; count];
    let mut steps = |order: &mut dyn Iterator<Item = usize>| {
        let mut since: Option<u32> = None;
        for at in order {
            since = if is_one(at) { Some(0) } else { since.map(|since| since + 1) };
            nearest[at] = [nearest[at], since].into_iter().flatten().min();
        }
    };
    steps(&mut (0..count));
    steps(&mut (0..count).rev());
    nearest
}

/// A block for the third stage.
pub(super) struct WithinBlock<'a> {
    page: &'a WithinPage<'a>,
    number: usize,
    block: &'a Block,
    around: [DiffSums; CONTAINERS],
}

impl WithinBlock<'_> {
    fn beside(&self, step: isize) -> Option<usize> {
        self.number.checked_add_signed(step).filter(|&at| at < self.page.analysis.blocks().len())
    }

    fn place(&self) -> Option<&Place> {
        self.page.site.place(self.block.place)
    }

    /// A part of the compared words of the block.
    pub(super) fn diff(&self, of: impl Fn(&BlockDiff) -> u32) -> f32 {
        self.diff_beside(0, of)
    }

    /// A part of the compared words of the block so many blocks further.
    pub(super) fn diff_beside(&self, step: isize, of: impl Fn(&BlockDiff) -> u32) -> f32 {
        let diff = self.beside(step).and_then(|at| self.page.diff(at));
        diff.map_or(f32::NAN, |diff| of(diff) as f32 / diff.words as f32)
    }

    pub(super) fn compared_words(&self) -> f32 {
        self.page.diff(self.number).map_or(f32::NAN, |diff| log(diff.words))
    }

    /// The words compared in a container, from the nearest, 0, outwards.
    pub(super) fn words_in(&self, level: usize) -> f32 {
        log(self.around[level].words as u32)
    }

    pub(super) fn group(&self) -> f32 {
        self.page.diff(self.number).map_or(f32::NAN, |diff| log(diff.group))
    }

    pub(super) fn is_group_matched(&self) -> f32 {
        let diff = self.page.diff(self.number).filter(|diff| diff.group > 0);
        diff.map_or(f32::NAN, |diff| f32::from(u8::from(diff.is_matched)))
    }

    /// A part of the compared words of a container, from the nearest, 0, outwards.
    pub(super) fn diff_in(&self, level: usize, of: impl Fn(&DiffSums) -> f32) -> f32 {
        self.around[level].share(of)
    }

    pub(super) fn distance(&self) -> f32 {
        self.page.to_kept[self.number].map_or(f32::NAN, log)
    }

    /// The share of the other known pages that have the very text of the block at its place.
    pub(super) fn text_elsewhere(&self) -> f32 {
        let pages = self.place().map_or(0, |place| place.pages_of_text(self.block.hash));
        part(pages.saturating_sub(1) as f32, self.page.site.pages().saturating_sub(1) as f32)
    }

    pub(super) fn repeats_there(&self) -> f32 {
        self.place().map_or(f32::NAN, Place::repeated)
    }

    pub(super) fn text_pages_there(&self) -> f32 {
        self.place().map_or(f32::NAN, |place| place.text_pages() / self.page.site.pages() as f32)
    }

    pub(super) fn compared_there(&self) -> f32 {
        self.place().map_or(0.0, |place| log(place.compared_pages()))
    }

    /// A share of the words compared at its place: common, regular, kept.
    pub(super) fn there(&self, which: usize) -> f32 {
        self.place().map_or(f32::NAN, |place| place.compared_shares()[which])
    }

    pub(super) fn spread_there(&self) -> f32 {
        self.place().map_or(f32::NAN, Place::compared_spread)
    }
}
