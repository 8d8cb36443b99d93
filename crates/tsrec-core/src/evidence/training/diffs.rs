//! The third stage of training: how far a diff moves the score of pages that the first two stages
//! did not see.
//!
//! Each page is shown as it comes: alone; beside one sibling that it was compared with; beside all
//! pages of its site with that diff; with the memory of a crawl, which compares only the first
//! pages of a template; and with a memory of pages that were never compared.

use super::lesson_set::{LessonSet, MOST_BLOCKS};
use super::places::SitePages;
use crate::evidence::diff::Diffed;
use crate::evidence::model::{BlockModel, First, SiteEvidence};
use crate::evidence::{ablation, diff_columns};
use crate::learn::boosting;
use crate::learn::boosting::Rows;
use crate::learn::parallel::{self, Workers};
use crate::template::{ENOUGH_PAGES, Memory};

/// How a page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Showing {
    /// How many pages of the site are known.
    known: usize,
    diffs: ShownDiffs,
}

/// Which diffs are shown with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownDiffs {
    None,
    /// That of the page with a sibling.
    OfPage,
    /// Those of the site's first pages, in the memory.
    OfFirstPages,
}

/// All ways. The first is the page alone, which no diff moves.
pub(super) const SHOWINGS: [Showing; 5] = [
    Showing { known: 1, diffs: ShownDiffs::None },
    Showing { known: 2, diffs: ShownDiffs::OfPage },
    Showing { known: usize::MAX, diffs: ShownDiffs::OfPage },
    Showing { known: usize::MAX, diffs: ShownDiffs::OfFirstPages },
    Showing { known: usize::MAX, diffs: ShownDiffs::None },
];

/// Blocks of a page to learn from, in each showing. Judgement: blocks of a page are much alike.
const SHOWN_BLOCKS: usize = MOST_BLOCKS / 5;

/// A page in one showing, with its score by the model without its fold.
pub(super) struct ShownPage {
    pub(super) showing: usize,
    number: usize,
    /// The log-odds of the first two stages.
    odds: Vec<f32>,
    /// The evidence of each block. Empty for the page alone.
    rows: Rows,
}

impl LessonSet<'_> {
    /// Every page in every showing. `models` are those of the folds.
    pub(super) fn shown_pages(&self, models: &[BlockModel]) -> Vec<ShownPage> {
        let firsts = self.each_page(|number| {
            let lesson = self.lessons[number];
            models[self.folds[number]].first(&lesson.analysis, lesson.url.as_ref())
        });
        let memories: Vec<Memory> = firsts.iter().map(|first| first.memory().clone()).collect();
        let groups: Vec<Vec<SitePages>> = SHOWINGS
            .into_iter()
            .map(|showing| match showing {
                Showing { known, diffs: ShownDiffs::OfFirstPages } => {
                    self.groups(known, &self.with_first_diffs(&memories))
                }
                Showing { known, .. } => self.groups(known, &memories),
            })
            .collect();
        let mut pages: Vec<(usize, usize, &Memory)> = Vec::new();
        for (at, (showing, groups)) in SHOWINGS.iter().zip(&groups).enumerate() {
            for group in groups {
                let numbers = group.pages.clone();
                let is_shown = |&n: &usize| showing.diffs != ShownDiffs::OfPage || self.lessons[n].diffed.is_some();
                let numbers = numbers.filter(is_shown);
                pages.extend(numbers.map(|number| (at, number, &group.memory)));
            }
        }
        parallel::map(self.workers(), pages, |(showing, number, memory)| {
            let diffed = self.lessons[number].diffed.as_ref().filter(|_| SHOWINGS[showing].diffs == ShownDiffs::OfPage);
            self.shown_page(showing, number, &models[self.folds[number]], (&firsts[number], memory, diffed))
        })
    }

    /// The memories of pages, with the diffs of each site's first pages, until its template is
    /// known.
    fn with_first_diffs(&self, memories: &[Memory]) -> Vec<Memory> {
        let mut memories = memories.to_vec();
        for site in &self.of_site {
            let compared = site.iter().filter_map(|&number| Some((number, self.lessons[number].diffed.as_ref()?)));
            for (number, diffed) in compared.take(ENOUGH_PAGES as usize) {
                memories[number].compare(diffed.at_places(&self.lessons[number].analysis));
            }
        }
        memories
    }

    fn shown_page(
        &self,
        showing: usize,
        number: usize,
        model: &BlockModel,
        (first, site, diffed): (&First, &Memory, Option<&Diffed>),
    ) -> ShownPage {
        let (odds, mut rows) = model.before_diffs(&self.lessons[number].analysis, first, SiteEvidence { site, diffed });
        if !self.training.without.is_empty() {
            let mut values = rows.values().to_vec();
            ablation::remove(&self.training.without, diff_columns(), &mut values);
            rows = Rows::of_values(diff_columns().len(), values);
        }
        ShownPage { showing, number, odds, rows }
    }

    /// Trains on the pages of all folds but one, or of all folds.
    pub(super) fn train_diffs(
        &self,
        pages: &[ShownPage],
        without: Option<usize>,
        seed: u64,
        workers: &'static dyn Workers,
    ) -> boosting::Model {
        let mut all = Rows::new(diff_columns().len());
        let (mut given, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let others = pages.iter().filter(|page| page.showing > 0 && Some(self.folds[page.number]) != without);
        for page in others {
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
        let training = boosting::Training { seed, workers, ..self.training.diffs.clone() };
        let trained = boosting::train_beyond(&all, &given, &labels, &weights, &training);
        trained.expect("rows, scores, labels and weights fit").model
    }

    /// For each showing the corrected log-odds of each page, from the model without its fold. Empty
    /// for a page that was not shown so.
    pub(super) fn corrected(&self, models: &[boosting::Model], pages: &[ShownPage]) -> Vec<Vec<Vec<f32>>> {
        let corrected = parallel::map(self.workers(), pages.iter().collect(), |page: &ShownPage| {
            if page.showing == 0 {
                return page.odds.clone();
            }
            let moves = models[self.folds[page.number]].predict_batch(&page.rows);
            page.odds.iter().zip(moves).map(|(odds, moves)| odds + moves).collect::<Vec<f32>>()
        });
        let mut odds = vec![vec![Vec::new(); self.len()]; SHOWINGS.len()];
        pages.iter().zip(corrected).for_each(|(page, corrected)| odds[page.showing][page.number] = corrected);
        odds
    }
}
