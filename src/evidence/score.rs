//! What the first stage says of a page's blocks, as evidence for the second: of the block, of those around it, and of those at its place.

use std::collections::HashMap;

use super::column::evidence;
use super::reader::place_of;
use crate::analysis::{Analysis, Block};

/// The first stage's scores of a page, with what follows from them.
pub(super) struct Scored<'a> {
    analysis: &'a Analysis,
    /// Log-odds, one a block.
    odds: &'a [f32],
    /// Probabilities.
    pub(super) likely: Vec<f32>,
    /// Words, and likely words of content, before each block, and in all.
    before: Vec<(f32, f32)>,
    places: HashMap<u64, (f32, f32)>,
}

/// Blocks before and after whose score is read.
const REACH: isize = 3;
/// Blocks on either side of a window.
const WINDOW: usize = 8;

impl<'a> Scored<'a> {
    pub(super) fn new(analysis: &'a Analysis, odds: &'a [f32]) -> Self {
        let likely: Vec<f32> = odds.iter().map(|&odds| probability(odds)).collect();
        let mut before = Vec::with_capacity(odds.len() + 1);
        let mut sum = (0.0, 0.0);
        let mut places: HashMap<u64, (f32, f32)> = HashMap::new();
        before.push(sum);
        for (block, &likely) in analysis.blocks().iter().zip(&likely) {
            let words = block.text.words as f32;
            sum = (sum.0 + words, sum.1 + words * likely);
            before.push(sum);
            let place = places.entry(place_of(analysis, block)).or_default();
            *place = (place.0 + words, place.1 + words * likely);
        }
        Scored { analysis, odds, likely, before, places }
    }

    fn beside(&self, number: usize, step: isize) -> f32 {
        number.checked_add_signed(step).and_then(|at| self.odds.get(at)).copied().unwrap_or(f32::NAN)
    }

    /// The share of content among the words of these blocks.
    fn mean(&self, from: usize, to: usize) -> f32 {
        let (from, to) = (self.before[from.min(self.odds.len())], self.before[to.min(self.odds.len())]);
        ratio(to.1 - from.1, to.0 - from.0)
    }

    fn window(&self, number: usize) -> f32 {
        self.mean(number.saturating_sub(WINDOW), number + WINDOW + 1)
    }

    fn ahead(&self, number: usize) -> f32 {
        self.mean(number + 1, number + WINDOW + 1)
    }

    fn behind(&self, number: usize) -> f32 {
        self.mean(number.saturating_sub(WINDOW), number)
    }

    fn page(&self) -> f32 {
        self.mean(0, self.odds.len())
    }

    /// The share of the page's likely content that stands before the block.
    fn passed(&self, number: usize) -> f32 {
        ratio(self.before[number].1, self.before[self.odds.len()].1)
    }

    fn expected(&self) -> f32 {
        (1.0 + self.before[self.odds.len()].1).log2()
    }

    /// The same for the other blocks at the block's place.
    fn place(&self, number: usize, block: &Block) -> f32 {
        let (words, likely) = self.places[&place_of(self.analysis, block)];
        let own = block.text.words as f32;
        ratio(likely - own * self.likely[number], words - own)
    }

    /// The same for the container of that level with ever more text.
    fn container(&self, block: &Block, level: usize) -> f32 {
        let mut words = block.text.words;
        let mut found = 0;
        for (_, container) in self.analysis.around(block) {
            if container.text.words > words {
                words = container.text.words;
                found += 1;
                if found > level {
                    return self.mean(container.blocks.start as usize, container.blocks.end as usize);
                }
            }
        }
        f32::NAN
    }

    fn best_beside(&self, number: usize) -> f32 {
        let from = number.saturating_sub(WINDOW);
        let to = (number + WINDOW + 1).min(self.odds.len());
        let others = (from..to).filter(|&at| at != number).map(|at| self.odds[at]);
        others.fold(f32::NAN, f32::max)
    }
}

evidence! { Score, |scored: &Scored<'_>, number: usize, block: &Block| {
    "score", "what the first stage says of it, in log-odds of content", scored.odds[number];
    "score -3", "of the third block before it", scored.beside(number, -REACH);
    "score -2", "of the second", scored.beside(number, -2);
    "score -1", "of the one before it", scored.beside(number, -1);
    "score +1", "of the one after it", scored.beside(number, 1);
    "score +2", "of the second", scored.beside(number, 2);
    "score +3", "of the third", scored.beside(number, REACH);
    "score window", "likely share of content in the words of 17 blocks around it", scored.window(number);
    "score ahead", "of the eight blocks after it", scored.ahead(number);
    "score behind", "of the eight before it", scored.behind(number);
    "score best", "the greatest of 16 blocks around it", scored.best_beside(number);
    "score page", "likely share of content on the page", scored.page();
    "score expected", "likely words of content on the page (log)", scored.expected();
    "score passed", "the share of them that stands before the block", scored.passed(number);
    "score place", "likely share of content in the other blocks at its place", scored.place(number, block);
    "score c1", "in the nearest container with more text", scored.container(block, 0);
    "score c2", "in the next", scored.container(block, 1);
    "score c3", "in the third", scored.container(block, 2);
} }

pub(super) fn probability(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

fn ratio(part: f32, whole: f32) -> f32 {
    if whole < 0.5 { f32::NAN } else { part / whole }
}
