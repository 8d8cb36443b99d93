//! The third stage of training: what to add to the score of pages that the first two stages did not
//! see.
//!
//! Each page is shown as it comes: alone, with one sibling that it was compared with, with all
//! pages of its site and the diff, and with their memory alone.

use super::lesson_set::{LessonSet, MOST_BLOCKS};
use super::places::SitePages;
use crate::evidence::diff::Diffed;
use crate::evidence::model::{BlockModel, First, Known};
use crate::evidence::{ablation, correction_columns};
use crate::learn::boosting;
use crate::learn::boosting::Rows;
use crate::learn::parallel::{self, Workers};
use crate::template::Memory;

/// How a page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Showing {
    /// How many pages of the site are known.
    known: usize,
    /// Whether the page is compared with a sibling.
    is_compared: bool,
}

/// All ways. The first and the last are those that judge: alone, and with the memory of its site.
pub(super) const SHOWINGS: [Showing; 4] = [
    Showing { known: 1, is_compared: false },
    Showing { known: 2, is_compared: true },
    Showing { known: usize::MAX, is_compared: true },
    Showing { known: usize::MAX, is_compared: false },
];

/// Blocks of a page to learn from, in each showing. Judgement: blocks of a page are much alike.
const SHOWN_BLOCKS: usize = MOST_BLOCKS / 4;

/// A page in one showing, with its score by the model without its fold.
pub(super) struct ShownPage {
    pub(super) showing: usize,
    pub(super) number: usize,
    /// The log-odds of the first two stages.
    pub(super) odds: Vec<f32>,
    /// The evidence of each block.
    pub(super) rows: Rows,
}

impl LessonSet<'_> {
    /// Every page in every showing. `models` are those of the folds.
    pub(super) fn shown_pages(&self, models: &[BlockModel]) -> Vec<ShownPage> {
        let firsts = self.each_page(|number| {
            let lesson = self.lessons[number];
            let mut first = models[self.folds[number]].first(&lesson.analysis, lesson.url.as_ref());
            lesson.diffed.iter().for_each(|diffed| first.compare(&lesson.analysis, diffed));
            first
        });
        let memories: Vec<Memory> = firsts.iter().map(|first| first.memory().clone()).collect();
        let groups: Vec<Vec<SitePages>> = [1, 2, usize::MAX].map(|known| self.groups(known, &memories)).into();
        let group_of = |known: usize| match known {
            1 => &groups[0],
            2 => &groups[1],
            _ => &groups[2],
        };
        let mut pages: Vec<(usize, usize, &Memory)> = Vec::new();
        for (at, showing) in SHOWINGS.iter().enumerate() {
            for group in group_of(showing.known) {
                let numbers = group.pages.clone();
                let numbers = numbers.filter(|&n| !showing.is_compared || self.lessons[n].diffed.is_some());
                pages.extend(numbers.map(|number| (at, number, &group.memory)));
            }
        }
        parallel::map(self.workers(), pages, |(showing, number, memory)| {
            let diffed = self.lessons[number].diffed.as_ref().filter(|_| SHOWINGS[showing].is_compared);
            self.shown_page(showing, number, &models[self.folds[number]], (&firsts[number], memory, diffed))
        })
    }

    fn shown_page(
        &self,
        showing: usize,
        number: usize,
        model: &BlockModel,
        (first, site, diffed): (&First, &Memory, Option<&Diffed>),
    ) -> ShownPage {
        let (odds, mut rows) = model.before_correction(&self.lessons[number].analysis, first, Known { site, diffed });
        if !self.training.without.is_empty() {
            let mut values = rows.values().to_vec();
            ablation::remove(&self.training.without, correction_columns(), &mut values);
            rows = Rows::of_values(correction_columns().len(), values);
        }
        ShownPage { showing, number, odds, rows }
    }

    /// Trains on the pages of all folds but one, or of all folds.
    pub(super) fn train_correction(
        &self,
        pages: &[ShownPage],
        without: Option<usize>,
        seed: u64,
        workers: &'static dyn Workers,
    ) -> boosting::Model {
        let mut all = Rows::new(correction_columns().len());
        let (mut given, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for page in pages.iter().filter(|page| Some(self.folds[page.number]) != without) {
            let lesson = self.lessons[page.number];
            let step = page.odds.len().div_ceil(SHOWN_BLOCKS).max(1);
            let blocks = page.odds.iter().zip(lesson.labels()).zip(lesson.weights()).enumerate();
            for (at, ((&odds, label), weight)) in blocks.filter(|(_, (_, weight))| *weight > 0.0).step_by(step) {
                all.push(page.rows.row(at));
                given.push(odds);
                labels.push(f32::from(u8::from(label)));
                weights.push(weight * step as f32);
            }
        }
        let mean = weights.iter().sum::<f32>() / weights.len().max(1) as f32;
        weights.iter_mut().for_each(|weight| *weight /= mean);
        let training = boosting::Training { seed, workers, ..self.training.correction.clone() };
        let trained = boosting::train_beyond(&all, &given, &labels, &weights, &training);
        trained.expect("rows, scores, labels and weights fit").model
    }

    /// For each showing the corrected log-odds of each page, from the model without its fold. Empty
    /// for a page that was not shown so.
    pub(super) fn corrected(&self, models: &[boosting::Model], pages: &[ShownPage]) -> Vec<Vec<Vec<f32>>> {
        let corrected = parallel::map(self.workers(), pages.iter().collect(), |page: &ShownPage| {
            let moves = models[self.folds[page.number]].predict_batch(&page.rows);
            page.odds.iter().zip(moves).map(|(odds, moves)| odds + moves).collect::<Vec<f32>>()
        });
        let mut odds = vec![vec![Vec::new(); self.len()]; SHOWINGS.len()];
        pages.iter().zip(corrected).for_each(|(page, corrected)| odds[page.showing][page.number] = corrected);
        odds
    }
}
