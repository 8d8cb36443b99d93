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
use super::{Kind, ablation, columns, rows, second_columns, second_rows};
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
    /// Kinds of evidence that are taken away, to see what they are worth: the model does not read them.
    pub without: Vec<Kind>,
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
            // Judgement: the smallest that was tried with out-of-fold figures near those of larger ones; fewer trees are cheaper to ask.
            trees: boosting::Training { trees: 100, leaves: 31, learning_rate: 0.12, ..grown.clone() },
            kinds: boosting::Training { trees: 40, leaves: 8, learning_rate: 0.1, least_leaf_rows: 10, ..grown },
            names: 8_000,
            words: 20_000,
            without: Vec::new(),
        }
    }
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
) -> Result<Model, Error> {
    let folds = folds(lessons, training.folds, seed)?;
    let pupils = Pupils::new(lessons, &folds, training, seed)?;
    let fitted = Stages::fit(&pupils, seed, progress);
    progress("training on all pages: the first stage");
    let first = pupils.train(columns().len(), &[&fitted.rows], None, seed);
    progress("training on all pages: the second stage");
    let second = pupils.train(second_columns().len(), &fitted.shown(), None, seed);
    progress("training the kinds of pages");
    let kinds = pupils.train_kinds(&fitted.rows, &fitted.likely[0], None, seed);
    let Judgement { run_cost, confidence } = pupils.judgement(&fitted.likely);
    Ok(Model::new(Parts { tables: pupils.tables(None), first, second, run_cost, confidence, kinds }))
}

/// Cross-validation: for each fold a model of the others. `folds` gives each lesson's, from 0 without a gap, each site whole.
///
/// No model saw a page of its fold. What its second stage learned from the other folds was said by first stages that had, so the folds are not
/// wholly strangers; the cost of making them so is as many first stages again for each.
///
/// # Errors
/// As [`fit`].
pub fn cross_fit<L: Borrow<Lesson>>(
    lessons: &[L],
    folds: &[usize],
    training: &Training,
    seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Model>, Error> {
    let pupils = Pupils::new(lessons, folds, training, seed)?;
    let fitted = Stages::fit(&pupils, seed, progress);
    let Judgement { run_cost, confidence } = pupils.judgement(&fitted.likely);
    let stages = fitted.first.iter().zip(&fitted.second).enumerate();
    let model = |(fold, (first, second)): (usize, (&boosting::Model, &boosting::Model))| {
        let kinds = pupils.train_kinds(&fitted.rows, &fitted.likely[0], Some(fold), seed);
        let (tables, first, second) = (pupils.tables(Some(fold)), first.clone(), second.clone());
        Model::new(Parts { tables, first, second, run_cost, confidence: confidence.clone(), kinds })
    };
    Ok(stages.map(model).collect())
}

/// Both stages without each fold, and what they say of that fold.
struct Stages {
    first: Vec<boosting::Model>,
    second: Vec<boosting::Model>,
    /// The first stage's evidence of each page.
    rows: Vec<Vec<f32>>,
    /// The second stage's, for each of [`SIBLINGS`].
    second_rows: [Vec<Vec<f32>>; SIBLINGS.len()],
    /// The probabilities of each page's blocks, for each of [`SIBLINGS`].
    likely: [Vec<Vec<f32>>; SIBLINGS.len()],
}

impl Stages {
    fn fit(pupils: &Pupils<'_>, seed: u64, progress: &mut dyn FnMut(&str)) -> Self {
        progress("counting names and words");
        let rows = pupils.first_rows();
        let mut odds = vec![Vec::new(); pupils.len()];
        let mut train = |width, shown: &[&Vec<Vec<f32>>], stage: &str| -> Vec<boosting::Model> {
            (0..pupils.count)
                .map(|fold| {
                    progress(&format!("training the {stage} stage, part {} of {}", fold + 1, pupils.count));
                    pupils.train(width, shown, Some(fold), seed)
                })
                .collect()
        };
        let first = train(columns().len(), &[&rows], "first");
        for (fold, model) in first.iter().enumerate() {
            pupils.ask(model, fold, &rows, &mut odds);
        }
        let second_rows = SIBLINGS.map(|most| pupils.second_rows(&rows, &odds, most));
        let shown: Vec<&Vec<Vec<f32>>> = second_rows.iter().collect();
        let second = train(second_columns().len(), &shown, "second");
        let likely = second_rows.each_ref().map(|rows| {
            let mut odds = vec![Vec::new(); pupils.len()];
            for (fold, model) in second.iter().enumerate() {
                pupils.ask(model, fold, rows, &mut odds);
            }
            odds.into_iter().map(|page| page.into_iter().map(probability).collect()).collect()
        });
        Stages { first, second, rows, second_rows, likely }
    }

    fn shown(&self) -> Vec<&Vec<Vec<f32>>> {
        self.second_rows.iter().collect()
    }
}

/// Splits lessons into folds of about equal size, each site whole.
fn folds<L: Borrow<Lesson>>(lessons: &[L], count: usize, seed: u64) -> Result<Vec<usize>, Error> {
    let sites = by_site(lessons, seed);
    if sites.len() < count.max(2) {
        return Err(Error::FewSites { sites: sites.len(), least: count.max(2) });
    }
    let (mut folds, mut sizes) = (vec![0; lessons.len()], vec![0; count]);
    for numbers in sites {
        let fold = (0..sizes.len()).min_by_key(|&fold| sizes[fold]).unwrap_or(0);
        sizes[fold] += numbers.len();
        numbers.into_iter().for_each(|number| folds[number] = fold);
    }
    Ok(folds)
}

/// The numbers of each site's lessons, in an order that the seed decides. A lesson whose site is not known is alone.
fn by_site<L: Borrow<Lesson>>(lessons: &[L], seed: u64) -> Vec<Vec<usize>> {
    let mut by_site: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
    for (number, lesson) in lessons.iter().enumerate() {
        let name = lesson.borrow().site.clone().unwrap_or_else(|| format!("/{number}"));
        let order = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(name).finalize();
        by_site.entry(order.to_vec()).or_default().push(number);
    }
    by_site.into_values().collect()
}

/// What is decided by pages that the deciding models never saw.
struct Judgement {
    run_cost: f32,
    confidence: Isotonic,
}

/// The lessons, with the pages of a site together.
struct Pupils<'l> {
    lessons: Vec<&'l Lesson>,
    /// For each the number of its site, and the lessons of that.
    sites: Vec<u32>,
    of_site: Vec<Vec<usize>>,
    folds: Vec<usize>,
    /// How many folds there are.
    count: usize,
    training: &'l Training,
}

impl<'l> Pupils<'l> {
    fn new<L: Borrow<Lesson>>(
        lessons: &'l [L],
        folds: &[usize],
        training: &'l Training,
        seed: u64,
    ) -> Result<Self, Error> {
        let any = |is: bool| lessons.iter().any(|lesson| lesson.borrow().labels().any(|label| label == is));
        if !any(true) || !any(false) {
            return Err(Error::OneClass(if any(true) { "every" } else { "no" }));
        }
        let count = folds.iter().max().map_or(0, |most| most + 1);
        let (of_site, sites) = (Vec::new(), Vec::new());
        let mut pupils = Pupils { lessons: Vec::new(), sites, of_site, folds: Vec::new(), count, training };
        for numbers in by_site(lessons, seed) {
            let site = pupils.of_site.len() as u32;
            pupils.of_site.push((pupils.lessons.len()..pupils.lessons.len() + numbers.len()).collect());
            for number in numbers {
                pupils.lessons.push(lessons[number].borrow());
                pupils.sites.push(site);
                pupils.folds.push(folds[number]);
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
        let tables: Vec<Tables> = (0..self.count).map(|fold| self.tables(Some(fold))).collect();
        let page = |(lesson, &fold): (&&Lesson, &usize)| {
            let mut rows = rows(&lesson.analysis, lesson.url.as_ref(), &tables[fold]);
            ablation::remove(&self.training.without, columns(), &mut rows);
            rows
        };
        self.lessons.iter().zip(&self.folds).map(page).collect()
    }

    /// The second stage's evidence of each page, with at most so many pages of its site; empty where it has fewer than were shown before.
    fn second_rows(&self, first: &[Vec<f32>], odds: &[Vec<f32>], most: usize) -> Vec<Vec<f32>> {
        let traces: Vec<Trace> =
            self.lessons.iter().zip(odds).map(|(lesson, odds)| Trace::new(&lesson.analysis, odds)).collect();
        let page = |number: usize| {
            let siblings = self.siblings(number, most);
            let site = Site::new(siblings.iter().map(|&sibling| &traces[sibling]));
            let mut rows = second_rows(&self.lessons[number].analysis, &first[number], &odds[number], &site);
            ablation::remove(&self.training.without, second_columns(), &mut rows);
            rows
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

    fn judgement(&self, likely: &[Vec<Vec<f32>>; SIBLINGS.len()]) -> Judgement {
        // The ways in which a page is shown: alone, and with all the siblings that it has.
        let pages = |cost: f32| [0, SIBLINGS.len() - 1].map(|way| self.judge(&likely[way], cost)).concat();
        let reached = |cost: f32| pages(cost).iter().map(|(_, f1)| f64::from(*f1)).sum::<f64>();
        let best = RUN_COSTS.map(|cost| (cost, reached(cost))).into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let run_cost = best.map_or(0.0, |(cost, _)| cost);
        let (expected, reached): (Vec<f32>, Vec<f32>) = pages(run_cost).into_iter().unzip();
        let weights = vec![1.0; expected.len()];
        let confidence = Isotonic::fit(&expected, &reached, &weights, KNOTS);
        Judgement { run_cost, confidence: confidence.expect("some page has content, or there are no two classes") }
    }

    /// For each page that has content the F1 that is expected of a decision, uncalibrated, and the one that is reached.
    fn judge(&self, likely: &[Vec<f32>], run_cost: f32) -> Vec<(f32, f32)> {
        let page = |(lesson, likely): (&&Lesson, &Vec<f32>)| {
            let words: Vec<u32> = lesson.analysis.blocks().iter().map(|block| block.text.words).collect();
            let decision = decide(likely, &words, f64::from(run_cost));
            Some((decision.expected_f1 as f32, lesson.f1(&decision.kept)? as f32))
        };
        self.lessons.iter().zip(likely).filter_map(page).collect()
    }

    /// The kinds of pages, from all folds but one. `None` where no lesson names one.
    fn train_kinds(
        &self,
        rows: &[Vec<f32>],
        likely: &[Vec<f32>],
        without: Option<usize>,
        seed: u64,
    ) -> Option<boosting::ClassModel> {
        let mut all = Rows::new(kind::WIDTH);
        let mut labels = Vec::new();
        for (number, lesson) in self.lessons.iter().enumerate().filter(|(_, lesson)| !lesson.kept.is_empty()) {
            if Some(self.folds[number]) == without {
                continue;
            }
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
}
