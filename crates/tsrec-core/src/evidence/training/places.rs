//! The second stage: places of pages that are alone, and of sites of which two pages are known,
//! four, and all.

use std::collections::BTreeMap;
use std::ops::Range;

use super::pupils::Pupils;
use crate::evidence::places;
use crate::evidence::places::Places;
use crate::evidence::{ablation, columns, place_columns};
use crate::learn::boosting;
use crate::learn::boosting::Rows;
use crate::template::Memory;

/// Of how many pages of a site its places are shown, in turn: of each page alone, of so many that
/// follow each other, and at last of all.
pub(super) const KNOWN: [usize; 4] = [1, 2, 4, usize::MAX];

/// What a place of a page that is alone counts, beside one of several pages. Calibration
/// (`tsrec-lab eval --method auto --folds 5 --report siblings`): at 1 they outnumber the others,
/// and what many siblings say was worth 0.003 less; at 0.3 pages alone gain as much.
const ALONE: f32 = 0.3;

/// A place of a site, as the second stage learns from it.
pub(super) struct PlaceLesson {
    /// The fold of the site.
    pub(super) fold: usize,
    pub(super) row: Vec<f32>,
    /// The share of its words that are content, and how much it counts.
    pub(super) kept: f32,
    pub(super) weight: f32,
}

/// Pages of one site, and what is remembered of them.
pub(super) struct SitePages {
    /// Which of [`KNOWN`] it is of.
    pub(super) way: usize,
    pub(super) pages: Range<usize>,
    pub(super) memory: Memory,
}

impl Pupils<'_> {
    /// What is remembered of each page.
    pub(super) fn memories(&self, rows: &[Vec<f32>], odds: &[Vec<f32>]) -> Vec<Memory> {
        let pages = self.lessons.iter().zip(rows).zip(odds);
        pages
            .map(|((lesson, rows), odds)| {
                places::remember(&lesson.analysis, rows.chunks_exact(columns().len()).map(places::taken), odds)
            })
            .collect()
    }

    /// Each site's pages in groups of that many, or of all; what is one page alone is a group only
    /// where pages are to be alone.
    pub(super) fn groups(&self, known: usize, memories: &[Memory]) -> Vec<SitePages> {
        let way = KNOWN.iter().position(|&other| other == known).expect("it is one of them");
        let mut groups = Vec::new();
        for site in &self.of_site {
            let Some((&first, &last)) = site.first().zip(site.last()) else { continue };
            let mut from = first;
            while from <= last {
                // What is left over at the end goes with the group before it.
                let whole = last + 1 - from;
                let size = if whole / known.max(1) < 2 { whole } else { known };
                let pages = from..from + size;
                from = pages.end;
                if pages.len() > 1 || known == 1 {
                    let mut memory = Memory::default();
                    memories[pages.clone()].iter().for_each(|page| memory.merge(page));
                    groups.push(SitePages { way, pages, memory });
                }
            }
        }
        groups
    }

    /// The places of a group, with what of each is content.
    pub(super) fn shown(&self, group: &SitePages) -> Vec<PlaceLesson> {
        // Words that are content, words in all, and weight.
        let mut sums: BTreeMap<u64, (f32, f32, f32)> = BTreeMap::new();
        for lesson in &self.lessons[group.pages.clone()] {
            let blocks = lesson.analysis.blocks().iter().zip(&lesson.kept).zip(lesson.weights());
            for ((block, kept), weight) in blocks {
                let sum = sums.entry(block.place).or_default();
                let words = block.text.words as f32;
                *sum = (sum.0 + words * kept, sum.1 + words, sum.2 + weight);
            }
        }
        let shown = |(place, (kept, words, weight)): (u64, (f32, f32, f32))| {
            let mut row = Vec::with_capacity(place_columns().len());
            places::fill(&mut row, &group.memory, group.memory.place(place));
            ablation::remove(&self.training.without, place_columns(), &mut row);
            let weight = if group.pages.len() == 1 { ALONE * weight } else { weight };
            PlaceLesson { fold: self.folds[group.pages.start], row, kept: (kept / words).clamp(0.0, 1.0), weight }
        };
        sums.into_iter().filter(|(_, (_, words, weight))| *words > 0.0 && *weight > 0.0).map(shown).collect()
    }

    /// Trains on the places of all folds but one.
    pub(super) fn train_places(&self, shown: &[PlaceLesson], without: Option<usize>, seed: u64) -> boosting::Model {
        let mut all = Rows::new(place_columns().len());
        let (mut labels, mut weights) = (Vec::new(), Vec::new());
        for place in shown.iter().filter(|place| Some(place.fold) != without) {
            all.push(&place.row);
            labels.push(place.kept);
            weights.push(place.weight);
        }
        self.grow(&all, &labels, weights, &self.training.places, seed)
    }

    /// What the model of each fold says of the places of its pages' blocks, for each of [`KNOWN`];
    /// empty for pages that are in no group.
    pub(super) fn ask_places(&self, models: &[boosting::Model], groups: &[SitePages]) -> Vec<Vec<Vec<f32>>> {
        let mut odds = vec![vec![Vec::new(); self.len()]; KNOWN.len()];
        for group in groups {
            for number in group.pages.clone() {
                let mut places = Places::new(&self.lessons[number].analysis, &group.memory);
                places.remove(&self.training.without);
                let said = models[self.folds[number]].predict_batch(&places.rows);
                odds[group.way][number] = places.of_block.iter().map(|&place| said[place]).collect();
            }
        }
        odds
    }
}
