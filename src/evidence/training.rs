//! How the score is learned from pages with gold.
//!
//! Pages are split into folds by site. What names and words usually are is counted outside a page's own fold, and what the second stage
//! learns from is what a first stage said that never saw the page's site: so that neither trusts what it knows by heart. Each page is shown to the
//! second stage alone, with one page of its site, and with several, so that it learns what each is worth.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::decide::decide;
use super::kind::{self, PageKind};
use super::lesson::Lesson;
use super::model::{Model, Parts};
use super::score::probability;
use super::siblings::{Site, Trace};
use super::tables::{Counting, Tables};
use super::{columns, rows, second_columns, second_rows};
use crate::learn::boosting::{self, Rows};
use crate::learn::isotonic::Isotonic;

/// The settings of training.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// Folds that the pages are split into; at least 2.
    pub folds: usize,
    /// How the trees of each stage are grown.
    pub trees: boosting::Training,
    /// How the trees of kinds are grown.
    pub kinds: boosting::Training,
    /// Names that are kept at most.
    pub names: usize,
    /// Words that are kept at most.
    pub words: usize,
}

impl Default for Training {
    fn default() -> Self {
        let grown = boosting::Training {
            least_leaf_rows: 50,
            lambda: 1.0,
            row_share: 0.7,
            column_share: 0.5,
            ..boosting::Training::default()
        };
        Training {
            folds: 5,
            // Calibration: 80 trees of 31 leaves have all but 0.002 to 0.005 of what 200 have, at a third of the cost of asking them.
            trees: boosting::Training { trees: 100, leaves: 31, learning_rate: 0.12, ..grown.clone() },
            kinds: boosting::Training { trees: 40, leaves: 8, learning_rate: 0.1, least_leaf_rows: 10, ..grown },
            names: 8_000,
            words: 20_000,
        }
    }
}

/// What a page gets from a model that never saw its site, and what came of it.
#[derive(Clone, Debug)]
pub struct Unseen {
    /// For each block the probability that it is content.
    pub likely: Vec<f32>,
    /// The F1 that is expected, uncalibrated.
    pub expected_f1: f64,
    /// The F1 that was reached. `None` where the page has no content.
    pub f1: Option<f64>,
}

/// What training makes.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The model, which has seen all lessons.
    pub model: Model,
    /// For each lesson, in the order given, what a model of the other folds makes of the page alone.
    pub alone: Vec<Unseen>,
    /// The same with up to nine pages of its site.
    pub with_siblings: Vec<Unseen>,
}

/// Why nothing can be learned.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Too few sites to hold any out.
    #[error("the lessons are of {sites} sites, and at least {least} are needed")]
    FewSites {
        /// How many there are.
        sites: usize,
        /// How many there must be.
        least: usize,
    },
    /// One class alone.
    #[error("the lessons show one class alone: {0} block of theirs is content")]
    OneClass(&'static str),
}

/// Pages of a site that a page is shown with, in turn.
const SIBLINGS: [usize; 3] = [0, 1, 9];
/// Blocks of a page that are learned from: about so many. Judgement: pages count the same, however long.
const MOST_BLOCKS: usize = 400;
/// What beginning a run may cost, in words, from which the best is taken.
const RUN_COSTS: [f32; 8] = [0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0];
/// Points of the calibration of confidence.
const KNOTS: usize = 12;

/// Learns. The same lessons in the same order and the same seed give the same model.
///
/// # Errors
/// When the lessons are of fewer sites than there are folds, or show one class alone.
pub fn fit<L: Borrow<Lesson>>(
    lessons: &[L],
    training: &Training,
    seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<Fitted, Error> {
    let pupils = Pupils::new(lessons, training, seed)?;
    progress("counting names and words");
    let tables = pupils.tables(None);
    let rows = pupils.first_rows();
    progress("training the first stage");
    let first = pupils.train(columns().len(), &[&rows], None, seed);
    let mut odds = vec![Vec::new(); pupils.len()];
    for fold in 0..training.folds {
        progress(&format!("training the first stage, part {} of {}", fold + 1, training.folds));
        let model = pupils.train(columns().len(), &[&rows], Some(fold), seed);
        pupils.ask(&model, fold, &rows, &mut odds);
    }
    let shown = SIBLINGS.map(|most| pupils.second_rows(&rows, &odds, most));
    let all: Vec<&Vec<Vec<f32>>> = shown.iter().collect();
    progress("training the second stage");
    let second = pupils.train(second_columns().len(), &all, None, seed);
    let mut final_odds = [(); SIBLINGS.len()].map(|()| vec![Vec::new(); pupils.len()]);
    for fold in 0..training.folds {
        progress(&format!("training the second stage, part {} of {}", fold + 1, training.folds));
        let model = pupils.train(second_columns().len(), &all, Some(fold), seed);
        for (shown, odds) in shown.iter().zip(&mut final_odds) {
            pupils.ask(&model, fold, shown, odds);
        }
    }
    let likely = final_odds.map(|odds| {
        let page = |odds: Vec<f32>| odds.into_iter().map(probability).collect::<Vec<f32>>();
        odds.into_iter().map(page).collect::<Vec<_>>()
    });
    let run_cost = pupils.best_run_cost(&likely);
    let [alone, _, with_siblings] = likely.each_ref().map(|likely| pupils.judge(likely, run_cost));
    let confidence = calibrate(alone.iter().chain(&with_siblings));
    progress("training the kinds of pages");
    let kinds = pupils.train_kinds(&rows, &likely[0], seed);
    let model = Model::new(Parts { tables, first, second, run_cost, confidence, kinds });
    Ok(Fitted { model, alone: pupils.as_given(alone), with_siblings: pupils.as_given(with_siblings) })
}

/// The lessons, with the pages of a site together.
struct Pupils<'l> {
    lessons: Vec<&'l Lesson>,
    /// For each the number that it was given with.
    given: Vec<usize>,
    /// For each the number of its site, and the lessons of that.
    sites: Vec<u32>,
    of_site: Vec<Vec<usize>>,
    folds: Vec<usize>,
    training: &'l Training,
}

impl<'l> Pupils<'l> {
    fn new<L: Borrow<Lesson>>(lessons: &'l [L], training: &'l Training, seed: u64) -> Result<Self, Error> {
        let mut by_site: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
        for (number, lesson) in lessons.iter().enumerate() {
            let name = lesson.borrow().site.clone().unwrap_or_else(|| format!("/{number}"));
            let order = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(name).finalize();
            by_site.entry(order.to_vec()).or_default().push(number);
        }
        if by_site.len() < training.folds.max(2) {
            return Err(Error::FewSites { sites: by_site.len(), least: training.folds.max(2) });
        }
        let any = |is: bool| lessons.iter().any(|lesson| lesson.borrow().labels().any(|label| label == is));
        if !any(true) || !any(false) {
            return Err(Error::OneClass(if any(true) { "every" } else { "no" }));
        }
        let mut pupils = Pupils {
            lessons: Vec::new(),
            given: Vec::new(),
            sites: Vec::new(),
            of_site: Vec::new(),
            folds: Vec::new(),
            training,
        };
        let mut sizes = vec![0; training.folds];
        for numbers in by_site.into_values() {
            let fold = (0..sizes.len()).min_by_key(|&fold| sizes[fold]).unwrap_or(0);
            sizes[fold] += numbers.len();
            let site = pupils.of_site.len() as u32;
            pupils.of_site.push((pupils.lessons.len()..pupils.lessons.len() + numbers.len()).collect());
            for number in numbers {
                pupils.lessons.push(lessons[number].borrow());
                pupils.given.push(number);
                pupils.sites.push(site);
                pupils.folds.push(fold);
            }
        }
        Ok(pupils)
    }

    fn len(&self) -> usize {
        self.lessons.len()
    }

    /// The tables of all folds but one.
    fn tables(&self, without: Option<usize>) -> Tables {
        let mut counting = Counting::default();
        for ((lesson, &site), &fold) in self.lessons.iter().zip(&self.sites).zip(&self.folds) {
            if Some(fold) != without {
                let kept: Vec<bool> = lesson.labels().collect();
                counting.add(&lesson.analysis, site, &lesson.weights(), &kept);
            }
        }
        counting.tables(self.training.names, self.training.words)
    }

    /// The first stage's evidence of each page, by tables of the other folds.
    fn first_rows(&self) -> Vec<Vec<f32>> {
        let tables: Vec<Tables> = (0..self.training.folds).map(|fold| self.tables(Some(fold))).collect();
        let page = |(lesson, &fold): (&&Lesson, &usize)| rows(&lesson.analysis, lesson.url.as_ref(), &tables[fold]);
        self.lessons.iter().zip(&self.folds).map(page).collect()
    }

    /// The second stage's evidence of each page, with at most so many pages of its site; empty where it has fewer than were shown before.
    fn second_rows(&self, first: &[Vec<f32>], odds: &[Vec<f32>], most: usize) -> Vec<Vec<f32>> {
        let traces: Vec<Trace> =
            self.lessons.iter().zip(odds).map(|(lesson, odds)| Trace::new(&lesson.analysis, odds)).collect();
        let page = |number: usize| {
            let siblings = self.siblings(number, most);
            let site = Site::new(siblings.iter().map(|&sibling| &traces[sibling]));
            second_rows(&self.lessons[number].analysis, &first[number], &odds[number], &site)
        };
        (0..self.len()).map(page).collect()
    }

    /// Other pages of the page's site, at most so many: those that come after it.
    fn siblings(&self, number: usize, most: usize) -> Vec<usize> {
        let all = &self.of_site[self.sites[number] as usize];
        let own = number - all[0];
        (1..all.len()).map(|step| all[(own + step) % all.len()]).take(most).collect()
    }

    /// Trains on all folds but one. `shown` holds the rows of every page, once for each way in which it is shown; a page without siblings is
    /// shown once.
    fn train(&self, width: usize, shown: &[&Vec<Vec<f32>>], without: Option<usize>, seed: u64) -> boosting::Model {
        let mut all = Rows::new(width);
        let (mut labels, mut weights) = (Vec::new(), Vec::new());
        for (way, pages) in shown.iter().enumerate() {
            for (number, lesson) in self.lessons.iter().enumerate() {
                if Some(self.folds[number]) == without || (way > 0 && self.siblings(number, 1).is_empty()) {
                    continue;
                }
                // Of a page of very many blocks every second, third, … is enough.
                let step = lesson.kept.len().div_ceil(MOST_BLOCKS).max(1);
                let blocks = pages[number].chunks_exact(width).zip(lesson.labels()).zip(lesson.weights());
                for ((row, label), weight) in blocks.filter(|(_, weight)| *weight > 0.0).step_by(step) {
                    all.push(row);
                    labels.push(f32::from(u8::from(label)));
                    weights.push(weight * step as f32);
                }
            }
        }
        let mean = weights.iter().sum::<f32>() / weights.len().max(1) as f32;
        weights.iter_mut().for_each(|weight| *weight /= mean);
        let training = boosting::Training { seed, ..self.training.trees.clone() };
        boosting::train(&all, &labels, &weights, &training, |_| {}).expect("rows, labels and weights fit").model
    }

    /// Asks a model about the pages of a fold.
    fn ask(&self, model: &boosting::Model, fold: usize, rows: &[Vec<f32>], odds: &mut [Vec<f32>]) {
        for number in (0..self.len()).filter(|&number| self.folds[number] == fold) {
            odds[number] = model.predict_batch(&Rows::of_values(model.columns(), rows[number].clone()));
        }
    }

    /// The cost of a run with which F1 is best, in the mean over pages and the ways in which they are shown.
    fn best_run_cost(&self, likely: &[Vec<Vec<f32>>; SIBLINGS.len()]) -> f32 {
        let reached = |cost: f32| {
            let pages = likely.iter().flat_map(|likely| self.judge(likely, cost));
            pages.filter_map(|page| page.f1).sum::<f64>()
        };
        let costs = RUN_COSTS.map(|cost| (cost, reached(cost)));
        costs.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |best| best.0)
    }

    fn judge(&self, likely: &[Vec<f32>], run_cost: f32) -> Vec<Unseen> {
        let page = |(lesson, likely): (&&Lesson, &Vec<f32>)| {
            let words: Vec<u32> = lesson.analysis.blocks().iter().map(|block| block.text.words).collect();
            let decision = decide(likely, &words, f64::from(run_cost));
            Unseen { likely: likely.clone(), expected_f1: decision.expected_f1, f1: lesson.f1(&decision.kept) }
        };
        self.lessons.iter().zip(likely).map(page).collect()
    }

    fn train_kinds(&self, rows: &[Vec<f32>], likely: &[Vec<f32>], seed: u64) -> Option<boosting::ClassModel> {
        let mut all = Rows::new(kind::WIDTH);
        let mut labels = Vec::new();
        for (number, lesson) in self.lessons.iter().enumerate().filter(|(_, lesson)| !lesson.kept.is_empty()) {
            let class = lesson.kind.and_then(|kind| PageKind::LEARNED.iter().position(|&learned| learned == kind));
            if let Some(class) = class {
                all.push(&kind::row(&lesson.analysis, &rows[number][..columns().len()], &likely[number]));
                labels.push(class);
            }
        }
        let weights = vec![1.0; labels.len()];
        let training = boosting::Training { seed, ..self.training.kinds.clone() };
        let classes = PageKind::LEARNED.len();
        boosting::train_classes(&all, &labels, classes, &weights, &training, |_| {}).ok().map(|trained| trained.model)
    }

    /// In the order in which the lessons were given.
    fn as_given(&self, pages: Vec<Unseen>) -> Vec<Unseen> {
        let mut placed: Vec<(usize, Unseen)> = self.given.iter().copied().zip(pages).collect();
        placed.sort_by_key(|(given, _)| *given);
        placed.into_iter().map(|(_, page)| page).collect()
    }
}

/// What an expected F1 has been worth.
fn calibrate<'u>(pages: impl Iterator<Item = &'u Unseen>) -> Isotonic {
    let judged: Vec<(f32, f32)> = pages.filter_map(|page| Some((page.expected_f1 as f32, page.f1? as f32))).collect();
    let (expected, reached): (Vec<f32>, Vec<f32>) = judged.into_iter().unzip();
    let weights = vec![1.0; expected.len()];
    Isotonic::fit(&expected, &reached, &weights, KNOTS).expect("some page has content, or there are no two classes")
}
