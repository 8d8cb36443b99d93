//! The input of the third stage: for each block the score of the first two stages, what the diff
//! found, and their sums around it.

use super::column::log;
use super::diff::{BlockDiff, Diffed};
use super::score::probability;
use crate::analysis::{Analysis, Block};
use crate::template::Memory;

/// Containers around a block that are read, each with more text than the one before. Judgement: a
/// box has a title, a list and a frame.
pub(super) const CONTAINERS: usize = 4;

/// Containers around a block that are looked through for these. Judgement: deeper trees have
/// containers that add no text.
const MOST_AROUND: usize = 64;

/// A page for the third stage.
pub(super) struct WithinPage<'a> {
    analysis: &'a Analysis,
    site: &'a Memory,
    /// For each block, the log-odds of both stages and of the first.
    odds: &'a [f32],
    own: &'a [f32],
    diffed: Option<&'a Diffed>,
    /// Sums over the blocks before each block, and over all.
    sums: Vec<Sums>,
    /// For each block, the last heading before it.
    heading: Vec<Option<u32>>,
    /// For each heading, the next one; the number of blocks after the last.
    next_heading: Vec<u32>,
    /// For each block, how many blocks it is to the nearest likely content, and to the nearest that
    /// the diff keeps.
    to_likely: Vec<Option<u32>>,
    to_kept: Vec<Option<u32>>,
}

/// Sums over words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    words: f32,
    likely: f32,
    /// Words that were compared, and what they are.
    compared: f32,
    pub(super) common: f32,
    pub(super) regular: f32,
    pub(super) kept: f32,
}

impl Sums {
    fn minus(self, other: Sums) -> Sums {
        Sums {
            words: self.words - other.words,
            likely: self.likely - other.likely,
            compared: self.compared - other.compared,
            common: self.common - other.common,
            regular: self.regular - other.regular,
            kept: self.kept - other.kept,
        }
    }

    fn likely(self) -> f32 {
        part(self.likely, self.words)
    }
}

/// A part of a whole; absent if the whole is nothing.
fn part(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { f32::NAN }
}

impl<'a> WithinPage<'a> {
    /// Linear in the page.
    pub(super) fn new(
        analysis: &'a Analysis,
        (odds, own): (&'a [f32], &'a [f32]),
        site: &'a Memory,
        diffed: Option<&'a Diffed>,
    ) -> Self {
        let blocks = analysis.blocks();
        let count = blocks.len();
        let (mut sums, mut sum) = (Vec::with_capacity(count + 1), Sums::default());
        sums.push(sum);
        for (at, block) in blocks.iter().enumerate() {
            sum.words += block.text.words as f32;
            sum.likely += block.text.words as f32 * probability(odds[at]);
            if let Some(diff) = diffed.map(|diffed| diffed.blocks[at]) {
                sum.compared += diff.words as f32;
                sum.common += diff.common as f32;
                sum.regular += diff.regular as f32;
                sum.kept += diff.kept as f32;
            }
            sums.push(sum);
        }
        let is_heading: Vec<bool> = blocks.iter().map(|block| analysis.heading_level(block).is_some()).collect();
        let (mut heading, mut last) = (Vec::with_capacity(count), None);
        for (at, &is_heading) in is_heading.iter().enumerate() {
            heading.push(last);
            last = if is_heading { Some(at as u32) } else { last };
        }
        let (mut next_heading, mut next) = (vec![0; count], count as u32);
        for at in (0..count).rev() {
            next_heading[at] = next;
            next = if is_heading[at] { at as u32 } else { next };
        }
        let is_kept = |at: usize| {
            diffed.is_some_and(|diffed| diffed.blocks[at].words > 0 && 2 * diffed.blocks[at].kept >= diffed.blocks[at].words)
        };
        WithinPage {
            analysis,
            site,
            odds,
            own,
            diffed,
            sums,
            heading,
            next_heading,
            to_likely: distances(count, |at| odds[at] > 0.0 && blocks[at].text.words > 0),
            to_kept: distances(count, is_kept),
        }
    }

    /// A block of it.
    pub(super) fn block(&'a self, number: usize) -> WithinBlock<'a> {
        let block = &self.analysis.blocks()[number];
        let (mut around, mut found, mut words) = ([Sums::default(); CONTAINERS], 0, block.text.words);
        for (_, container) in self.analysis.around(block).take(MOST_AROUND) {
            if container.text.words > words {
                words = container.text.words;
                around[found] = self.between(container.blocks.start, container.blocks.end);
                found += 1;
                if found == CONTAINERS {
                    break;
                }
            }
        }
        let last = if found == 0 { self.between(number as u32, number as u32 + 1) } else { around[found - 1] };
        around[found..].fill(last);
        WithinBlock { page: self, number, block, around }
    }

    fn between(&self, start: u32, end: u32) -> Sums {
        self.sums[end as usize].minus(self.sums[start as usize])
    }

    fn all(&self) -> Sums {
        self.sums[self.sums.len() - 1]
    }

    fn diff(&self, at: usize) -> Option<BlockDiff> {
        self.diffed.map(|diffed| diffed.blocks[at]).filter(|diff| diff.words > 0)
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
    around: [Sums; CONTAINERS],
}

impl WithinBlock<'_> {
    pub(super) fn block(&self) -> &Block {
        self.block
    }

    fn beside(&self, step: isize) -> Option<usize> {
        self.number.checked_add_signed(step).filter(|&at| at < self.page.odds.len())
    }

    pub(super) fn odds(&self, step: isize) -> f32 {
        self.beside(step).map_or(f32::NAN, |at| self.page.odds[at])
    }

    pub(super) fn own(&self) -> f32 {
        self.page.own[self.number]
    }

    pub(super) fn likely_in(&self, level: usize) -> f32 {
        self.around[level].likely()
    }

    pub(super) fn likely_of_page(&self) -> f32 {
        self.page.all().likely()
    }

    pub(super) fn likely_before(&self) -> f32 {
        part(self.page.sums[self.number].likely, self.page.all().likely)
    }

    pub(super) fn is_heading(&self) -> bool {
        self.page.analysis.heading_level(self.block).is_some()
    }

    pub(super) fn likely_section(&self) -> f32 {
        if !self.is_heading() {
            return f32::NAN;
        }
        self.page.between(self.number as u32 + 1, self.page.next_heading[self.number]).likely()
    }

    pub(super) fn likely_since_heading(&self) -> f32 {
        let heading = self.page.heading[self.number];
        heading.map_or(f32::NAN, |heading| self.page.between(heading + 1, self.number as u32).likely())
    }

    pub(super) fn odds_of_heading(&self) -> f32 {
        self.page.heading[self.number].map_or(f32::NAN, |heading| self.page.odds[heading as usize])
    }

    pub(super) fn likely_distance(&self) -> f32 {
        self.page.to_likely[self.number].map_or(f32::NAN, log)
    }

    pub(super) fn pages(&self) -> u32 {
        self.page.site.pages()
    }

    pub(super) fn text_elsewhere(&self) -> f32 {
        let pages = |place: &crate::template::Place| place.pages_of_text(self.block.hash);
        self.elsewhere(pages)
    }

    pub(super) fn place_elsewhere(&self) -> f32 {
        self.elsewhere(crate::template::Place::pages)
    }

    /// The share of the other known pages for which the place of the block counts.
    fn elsewhere(&self, pages: impl Fn(&crate::template::Place) -> u32) -> f32 {
        let pages = self.page.site.place(self.block.place).map_or(0, pages);
        part(pages.saturating_sub(1) as f32, self.pages().saturating_sub(1) as f32)
    }

    pub(super) fn diff(&self, of: impl Fn(&BlockDiff) -> u32) -> f32 {
        self.diff_beside(0, of)
    }

    pub(super) fn diff_beside(&self, step: isize, of: impl Fn(&BlockDiff) -> u32) -> f32 {
        let diff = self.beside(step).and_then(|at| self.page.diff(at));
        diff.map_or(f32::NAN, |diff| of(&diff) as f32 / diff.words as f32)
    }

    pub(super) fn diff_group(&self) -> f32 {
        self.page.diff(self.number).map_or(f32::NAN, |diff| log(diff.group))
    }

    pub(super) fn diff_matched(&self) -> f32 {
        let diff = self.page.diff(self.number).filter(|diff| diff.group > 0);
        diff.map_or(f32::NAN, |diff| f32::from(u8::from(diff.is_matched)))
    }

    pub(super) fn diff_in(&self, level: usize, of: impl Fn(&Sums) -> f32) -> f32 {
        part(of(&self.around[level]), self.around[level].compared)
    }

    pub(super) fn diff_of_page(&self, of: impl Fn(&Sums) -> f32) -> f32 {
        let all = self.page.all();
        part(of(&all), all.compared)
    }

    pub(super) fn diff_distance(&self) -> f32 {
        self.page.to_kept[self.number].map_or(f32::NAN, log)
    }

    pub(super) fn compared_there(&self) -> f32 {
        self.page.site.place(self.block.place).map_or(0.0, |place| log(place.compared_pages()))
    }

    /// A share of the words compared at its place: common, regular, kept.
    pub(super) fn there(&self, which: usize) -> f32 {
        self.page.site.place(self.block.place).map_or(f32::NAN, |place| place.compared_shares()[which])
    }

    pub(super) fn there_spread(&self) -> f32 {
        self.page.site.place(self.block.place).map_or(f32::NAN, crate::template::Place::compared_spread)
    }
}
