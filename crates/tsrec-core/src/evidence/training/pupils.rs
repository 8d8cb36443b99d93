//! The lessons of a training, and the first stage: blocks.

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

/// Blocks of a page that are learned from: about so many. Judgement: pages count the same, however
/// long.
const MOST_BLOCKS: usize = 400;

/// Splits lessons into folds of about equal size, each site whole.
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

/// The numbers of each site's lessons, in an order that the seed decides. A lesson whose site is
/// not known is alone.
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
pub(super) struct Pupils<'l> {
    pub(super) lessons: Vec<&'l BlockLesson>,
    /// For each the number of its site, and the lessons of that.
    pub(super) sites: Vec<u32>,
    pub(super) of_site: Vec<Vec<usize>>,
    pub(super) folds: Vec<usize>,
    /// How many folds there are.
    pub(super) count: usize,
    pub(super) training: &'l BlockTraining,
}

impl<'l> Pupils<'l> {
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

    pub(super) fn len(&self) -> usize {
        self.lessons.len()
    }

    /// The tables of all folds but one.
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

    /// The table of kinds of all folds but one.
    pub(super) fn kind_table(&self, without: Option<usize>) -> KindTable {
        let others = self.lessons.iter().zip(&self.sites).zip(&self.folds).filter(|(_, fold)| Some(**fold) != without);
        KindTable::train(others.map(|((&lesson, &site), _)| (lesson, site)), self.training.kind_features)
    }

    /// What each page is called, by the tables of the folds' others.
    pub(super) fn called(&self, tables: &[KindTable]) -> Vec<Called> {
        let page = |(lesson, &fold): (&&BlockLesson, &usize)| {
            tables[fold].log_probabilities(&lesson.analysis, lesson.url.as_ref())
        };
        self.lessons.iter().zip(&self.folds).map(page).collect()
    }

    /// The first stage's evidence of each page, by tables of the other folds.
    pub(super) fn first_rows(&self) -> Vec<Vec<f32>> {
        let tables: Vec<Tables> = (0..self.count).map(|fold| self.tables(Some(fold))).collect();
        let page = |(lesson, &fold): (&&BlockLesson, &usize)| {
            let mut rows = rows(&lesson.analysis, lesson.url.as_ref(), &tables[fold]);
            ablation::remove(&self.training.without, columns(), &mut rows);
            rows
        };
        self.lessons.iter().zip(&self.folds).map(page).collect()
    }

    /// Trains on the blocks of all folds but one.
    pub(super) fn train(&self, rows: &[Vec<f32>], without: Option<usize>, seed: u64) -> boosting::Model {
        let width = columns().len();
        let mut all = Rows::new(width);
        let (mut labels, mut weights) = (Vec::new(), Vec::new());
        for (number, lesson) in
            self.lessons.iter().enumerate().filter(|(number, _)| Some(self.folds[*number]) != without)
        {
            // Of a page of very many blocks every second, third, … is enough.
            let step = lesson.kept.len().div_ceil(MOST_BLOCKS).max(1);
            let blocks = rows[number].chunks_exact(width).zip(lesson.labels()).zip(lesson.weights());
            for ((row, label), weight) in blocks.filter(|(_, weight)| *weight > 0.0).step_by(step) {
                all.push(row);
                labels.push(f32::from(u8::from(label)));
                weights.push(weight * step as f32);
            }
        }
        self.grow(&all, &labels, weights, &self.training.trees, seed)
    }

    pub(super) fn grow(
        &self,
        rows: &Rows,
        labels: &[f32],
        mut weights: Vec<f32>,
        training: &boosting::Training,
        seed: u64,
    ) -> boosting::Model {
        let mean = weights.iter().sum::<f32>() / weights.len().max(1) as f32;
        weights.iter_mut().for_each(|weight| *weight /= mean);
        let training = boosting::Training { seed, ..training.clone() };
        boosting::train(rows, labels, &weights, &training, |_| {}).expect("rows, labels and weights fit").model
    }

    /// Asks a model about the pages of a fold.
    pub(super) fn ask(&self, model: &boosting::Model, fold: usize, rows: &[Vec<f32>], odds: &mut [Vec<f32>]) {
        for number in (0..self.len()).filter(|&number| self.folds[number] == fold) {
            odds[number] = model.predict_batch(&Rows::of_values(model.columns(), rows[number].clone()));
        }
    }

    /// The kinds of pages, from all folds but one, over a table of them. `None` where no lesson
    /// names one.
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
        Kinds::train(table, known, &boosting::Training { seed, ..self.training.kinds.clone() })
    }
}
