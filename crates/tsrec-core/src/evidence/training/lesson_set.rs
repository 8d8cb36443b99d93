//! The lessons of a training, and the first stage, which judges blocks.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{BlockTraining, Error};
use crate::evidence::kind;
use crate::evidence::kind::{Called, KindTable, Kinds, KnownKind};
use crate::evidence::lesson::BlockLesson;
use crate::evidence::tables::{Counting, Tables};
use crate::evidence::{ablation, columns, rows};
use crate::learn::boosting;
use crate::learn::boosting::Rows;
use crate::learn::parallel::{self, InTurn, Workers};

/// The approximate greatest number of blocks to learn from in a page. Judgement: all pages count
/// the same, whatever their length.
const MOST_BLOCKS: usize = 400;

/// Splits lessons into folds of about equal size. All lessons of a site are in one fold.
pub(super) fn folds<L: Borrow<BlockLesson>>(lessons: &[L], count: usize, seed: u64) -> Result<Vec<usize>, Error> {
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

/// The numbers of each site's lessons, in an order that the seed gives. A lesson without a site is
/// a site of its own.
fn by_site<L: Borrow<BlockLesson>>(lessons: &[L], seed: u64) -> Vec<Vec<usize>> {
    let mut by_site: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
    for (number, lesson) in lessons.iter().enumerate() {
        let name = lesson.borrow().site.clone().unwrap_or_else(|| format!("/{number}"));
        let order = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(name).finalize();
        by_site.entry(order.to_vec()).or_default().push(number);
    }
    by_site.into_values().collect()
}

/// The lessons, with the pages of a site together.
pub(super) struct LessonSet<'l> {
    pub(super) lessons: Vec<&'l BlockLesson>,
    /// For each lesson the number of its site; and for each site its lessons.
    pub(super) sites: Vec<u32>,
    pub(super) of_site: Vec<Vec<usize>>,
    pub(super) folds: Vec<usize>,
    /// The number of folds.
    pub(super) count: usize,
    pub(super) training: &'l BlockTraining,
}

impl<'l> LessonSet<'l> {
    pub(super) fn new<L: Borrow<BlockLesson>>(
        lessons: &'l [L],
        folds: &[usize],
        training: &'l BlockTraining,
        seed: u64,
    ) -> Result<Self, Error> {
        let any = |is: bool| lessons.iter().any(|lesson| lesson.borrow().labels().any(|label| label == is));
        if !any(true) || !any(false) {
            return Err(Error::OneClass(if any(true) { "every" } else { "no" }));
        }
        let count = folds.iter().max().map_or(0, |most| most + 1);
        let (of_site, sites) = (Vec::new(), Vec::new());
        let mut set = LessonSet { lessons: Vec::new(), sites, of_site, folds: Vec::new(), count, training };
        for numbers in by_site(lessons, seed) {
            let site = set.of_site.len() as u32;
            set.of_site.push((set.lessons.len()..set.lessons.len() + numbers.len()).collect());
            for number in numbers {
                set.lessons.push(lessons[number].borrow());
                set.sites.push(site);
                set.folds.push(folds[number]);
            }
        }
        Ok(set)
    }

    pub(super) fn len(&self) -> usize {
        self.lessons.len()
    }

    /// The workers of the training.
    pub(super) fn workers(&self) -> &'static dyn Workers {
        self.training.trees.workers
    }

    /// Applies `work` to the number of each page. Results are in the pages' order.
    pub(super) fn each_page<T: Send>(&self, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        parallel::map(self.workers(), (0..self.len()).collect(), work)
    }

    /// The tables of all folds but one, or of all folds.
    pub(super) fn tables(&self, without: Option<usize>) -> Tables {
        let mut counting = Counting::default();
        for ((lesson, &site), &fold) in self.lessons.iter().zip(&self.sites).zip(&self.folds) {
            if Some(fold) != without {
                let kept: Vec<bool> = lesson.labels().collect();
                counting.add(&lesson.analysis, site, &lesson.weights(), &kept);
            }
        }
        counting.tables(self.training.names, self.training.words)
    }

    /// The table of kinds of all folds but one, or of all folds.
    pub(super) fn kind_table(&self, without: Option<usize>) -> KindTable {
        let others = self.lessons.iter().zip(&self.sites).zip(&self.folds).filter(|(_, fold)| Some(**fold) != without);
        KindTable::train(others.map(|((&lesson, &site), _)| (lesson, site)), self.training.kind_features)
    }

    /// Each page's result from the table without its fold.
    pub(super) fn called(&self, tables: &[KindTable]) -> Vec<Called> {
        self.each_page(|number| {
            let lesson = self.lessons[number];
            tables[self.folds[number]].log_probabilities(&lesson.analysis)
        })
    }

    /// The first stage's evidence of each page, from the table without its fold.
    pub(super) fn first_rows(&self, tables: &[Tables]) -> Vec<Vec<f32>> {
        self.each_page(|number| {
            let lesson = self.lessons[number];
            let mut rows = rows(&lesson.analysis, &tables[self.folds[number]]);
            ablation::remove(&self.training.without, columns(), &mut rows);
            rows
        })
    }

    /// Trains on the blocks of all folds but one, or of all folds.
    pub(super) fn train(
        &self,
        rows: &[Vec<f32>],
        without: Option<usize>,
        seed: u64,
        workers: &'static dyn Workers,
    ) -> boosting::Model {
        let width = columns().len();
        let mut all = Rows::new(width);
        let (mut labels, mut weights) = (Vec::new(), Vec::new());
        for (number, lesson) in
            self.lessons.iter().enumerate().filter(|(number, _)| Some(self.folds[*number]) != without)
        {
            // Of a very long page it takes every second, third, … block.
            let step = lesson.kept.len().div_ceil(MOST_BLOCKS).max(1);
            let blocks = rows[number].chunks_exact(width).zip(lesson.labels()).zip(lesson.weights());
            for ((row, label), weight) in blocks.filter(|(_, weight)| *weight > 0.0).step_by(step) {
                all.push(row);
                labels.push(f32::from(u8::from(label)));
                weights.push(weight * step as f32);
            }
        }
        grow(&all, &labels, weights, boosting::Training { seed, workers, ..self.training.trees.clone() })
    }

    /// The log-odds of each page's blocks, from the model without its fold.
    pub(super) fn ask(&self, models: &[boosting::Model], rows: &[Vec<f32>]) -> Vec<Vec<f32>> {
        self.each_page(|number| {
            let model = &models[self.folds[number]];
            model.predict_batch(&Rows::of_values(model.columns(), rows[number].clone()))
        })
    }

    /// Trains the kinds of pages over a table, on all folds but one or on all folds. `None` if no
    /// lesson has a kind.
    pub(super) fn train_kinds(
        &self,
        table: KindTable,
        (rows, likely, called): (&[Vec<f32>], &[Vec<f32>], &[Called]),
        without: Option<usize>,
        seed: u64,
    ) -> Option<Kinds> {
        let numbers = (0..self.len()).filter(|&number| Some(self.folds[number]) != without);
        let known = numbers.filter(|&number| !rows[number].is_empty()).filter_map(|number| {
            Some(KnownKind {
                analysis: &self.lessons[number].analysis,
                page: kind::of_page(&rows[number][..columns().len()]),
                likely: &likely[number],
                called: &called[number],
                kind: self.lessons[number].kind?,
            })
        });
        // The kinds of several models are trained side by side.
        Kinds::train(table, known, &boosting::Training { seed, workers: &InTurn, ..self.training.kinds.clone() })
    }
}

/// Trains on rows, with weights whose mean becomes 1.
pub(super) fn grow(
    rows: &Rows,
    labels: &[f32],
    mut weights: Vec<f32>,
    training: boosting::Training,
) -> boosting::Model {
    let mean = weights.iter().sum::<f32>() / weights.len().max(1) as f32;
    weights.iter_mut().for_each(|weight| *weight /= mean);
    boosting::train(rows, labels, &weights, &training, |_| {}).expect("rows, labels and weights fit").model
}
