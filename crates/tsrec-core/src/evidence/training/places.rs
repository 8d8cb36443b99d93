//! The second stage of training: places of pages that are alone, and of sites of which two, four or
//! all pages are known.

use std::collections::BTreeMap;
use std::ops::Range;

use super::lesson_set::{LessonSet, grow};
use crate::evidence::places;
use crate::evidence::places::Places;
use crate::evidence::{ablation, columns, place_columns};
use crate::learn::boosting;
use crate::learn::boosting::Rows;
use crate::learn::parallel::{self, Workers};
use crate::template::Memory;

/// How many pages of a site are known in each way of showing its places: each page alone, this many
/// consecutive pages, and all.
pub(super) const KNOWN: [usize; 4] = [1, 2, 4, usize::MAX];

/// The weight of a place of a page that is alone, against one of several pages. Calibration
/// (`tsrec-lab eval --method auto --folds 5 --report siblings`): at 1 they outnumber the others,
/// and the gain from many siblings was 0.003 less. At 0.3 pages alone gain as much.
const ALONE: f32 = 0.3;

/// A place of a site as a lesson for the second stage.
pub(super) struct PlaceLesson {
    /// The fold of the site.
    pub(super) fold: usize,
    pub(super) row: Vec<f32>,
    /// The share of its words that are content, and its weight.
    pub(super) kept: f32,
    pub(super) weight: f32,
}

/// Pages of one site, and their memory.
pub(super) struct SitePages {
    /// The index of the way in [`KNOWN`].
    pub(super) way: usize,
    pub(super) pages: Range<usize>,
    pub(super) memory: Memory,
}

impl LessonSet<'_> {
    /// The memory of each page.
    pub(super) fn memories(&self, rows: &[Vec<f32>], odds: &[Vec<f32>]) -> Vec<Memory> {
        self.each_page(|number| {
            let rows = rows[number].chunks_exact(columns().len()).map(places::taken);
            places::remember(&self.lessons[number].analysis, rows, &odds[number])
        })
    }

    /// Each site's pages in groups of this many, or all in one group. A group of one page counts
    /// only if `known` is 1.
    pub(super) fn groups(&self, known: usize, memories: &[Memory]) -> Vec<SitePages> {
        let way = KNOWN.iter().position(|&other| other == known).expect("it is one of them");
        let mut groups = Vec::new();
        for site in &self.of_site {
            let Some((&first, &last)) = site.first().zip(site.last()) else { continue };
            let mut from = first;
            while from <= last {
                // A remainder at the end joins the group before it.
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

    /// The places of each group, with the share of each that is content.
    pub(super) fn shown(&self, groups: &[SitePages]) -> Vec<PlaceLesson> {
        let shown = parallel::map(self.workers(), groups.iter().collect(), |group| self.shown_of(group));
        shown.into_iter().flatten().collect()
    }

    fn shown_of(&self, group: &SitePages) -> Vec<PlaceLesson> {
        // For each place: content words, all words, and weight.
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

    /// Trains on the places of all folds but one, or of all folds.
    pub(super) fn train_places(
        &self,
        shown: &[PlaceLesson],
        without: Option<usize>,
        seed: u64,
        workers: &'static dyn Workers,
    ) -> boosting::Model {
        let mut all = Rows::new(place_columns().len());
        let (mut labels, mut weights) = (Vec::new(), Vec::new());
        for place in shown.iter().filter(|place| Some(place.fold) != without) {
            all.push(&place.row);
            labels.push(place.kept);
            weights.push(place.weight);
        }
        grow(&all, &labels, weights, boosting::Training { seed, workers, ..self.training.places.clone() })
    }

    /// The log-odds of the places of each page's blocks, for each of [`KNOWN`], from the model of
    /// the page's fold. Empty for pages that are in no group.
    pub(super) fn ask_places(&self, models: &[boosting::Model], groups: &[SitePages]) -> Vec<Vec<Vec<f32>>> {
        let asked = parallel::map(self.workers(), groups.iter().collect(), |group: &SitePages| {
            let page = |number: usize| {
                let mut places = Places::new(&self.lessons[number].analysis, &group.memory);
                places.remove(&self.training.without);
                let said = models[self.folds[number]].predict_batch(&places.rows);
                places.of_block.iter().map(|&place| said[place]).collect::<Vec<f32>>()
            };
            group.pages.clone().map(page).collect::<Vec<_>>()
        });
        let mut odds = vec![vec![Vec::new(); self.len()]; KNOWN.len()];
        for (group, asked) in groups.iter().zip(asked) {
            group.pages.clone().zip(asked).for_each(|(number, of_page)| odds[group.way][number] = of_page);
        }
        odds
    }
}
