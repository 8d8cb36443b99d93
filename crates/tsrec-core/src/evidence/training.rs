//! How the score is learned from pages with gold.
//!
//! Pages are split into folds by site. What names and words usually are is counted outside a page's
//! own fold, and what the second stage learns from is what a first stage said that never saw the
//! page's site: so that neither trusts what it knows by heart. The second stage is shown places of
//! pages that are alone, and of sites of which two pages are known, four, and all, so that it
//! learns what each is worth. How both stages are pooled is found last, on what they say of pages
//! that neither saw.

mod judgement;
mod places;
mod pupils;

use crate::learn::parallel::Workers;
use std::borrow::Borrow;

use super::Kind;
use super::kind::{Called, KindTable};
use super::lesson::BlockLesson;
use super::model::{BlockModel, ModelParts};
use crate::learn::Step;
use crate::learn::boosting;
use judgement::{Judgement, pooled, probabilities};
use places::{KNOWN, PlaceLesson, SitePages};
use pupils::Pupils;

/// The settings of training.
#[derive(Clone, Debug)]
pub struct BlockTraining {
    /// Folds that the pages are split into; at least 2.
    pub folds: usize,
    /// How the trees that judge blocks are grown.
    pub trees: boosting::Training,
    /// How the trees that judge places are grown.
    pub places: boosting::Training,
    /// How the trees of kinds are grown.
    pub kinds: boosting::Training,
    /// Names that are kept at most.
    pub names: usize,
    /// Words that are kept at most.
    pub words: usize,
    /// Features that tell kinds of pages that are kept at most.
    pub kind_features: usize,
    /// Kinds of evidence that are taken away, to see what they are worth: the model does not read
    /// them.
    pub without: Vec<Kind>,
}

impl Default for BlockTraining {
    fn default() -> Self {
        // Few columns a tree: pages are alike in so many ways that trees would know them by heart.
        let grown = boosting::Training {
            least_leaf_rows: 50,
            lambda: 1.0,
            row_share: 0.7,
            column_share: 0.2,
            bins: 127,
            ..boosting::Training::default()
        };
        BlockTraining {
            folds: 5,
            // More trees say no more of pages that were not seen: `tsrec-lab eval --method auto
            // --folds 5`.
            trees: boosting::Training {
                trees: 240,
                leaves: 63,
                learning_rate: 0.06,
                early_exits: true,
                ..grown.clone()
            },
            places: boosting::Training {
                trees: 120,
                leaves: 15,
                learning_rate: 0.08,
                least_leaf_rows: 20,
                column_share: 0.4,
                ..grown.clone()
            },
            kinds: boosting::Training {
                trees: 40,
                leaves: 8,
                learning_rate: 0.1,
                least_leaf_rows: 10,
                column_share: 0.5,
                ..grown
            },
            names: 8_000,
            words: 20_000,
            kind_features: 6_000,
            without: Vec::new(),
        }
    }
}

impl BlockTraining {
    /// The same, with these to grow the trees.
    pub fn with_workers(mut self, workers: &'static dyn Workers) -> Self {
        for trees in [&mut self.trees, &mut self.places, &mut self.kinds] {
            trees.workers = workers;
        }
        self
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

/// Steps of [`fit`] on all pages, after those on the parts: blocks, places, kinds.
const ON_ALL: usize = 3;

/// Learns. The same lessons in the same order and the same seed give the same model.
///
/// # Errors
/// When the lessons are of fewer sites than there are folds, or show one class alone.
pub fn fit<L: Borrow<BlockLesson>>(
    lessons: &[L],
    training: &BlockTraining,
    seed: u64,
    progress: &mut dyn FnMut(&Step<'_>),
) -> Result<BlockModel, Error> {
    let folds = pupils::folds(lessons, training.folds, seed)?;
    let pupils = Pupils::new(lessons, &folds, training, seed)?;
    let of = 2 * pupils.count + ON_ALL;
    let fitted = Stages::fit(&pupils, seed, of, progress);
    progress(&Step { what: "training on all pages: blocks", done: of - 3, of });
    let first = pupils.train(&fitted.rows, None, seed);
    progress(&Step { what: "training on all pages: places", done: of - 2, of });
    let places = pupils.train_places(&fitted.shown, None, seed);
    progress(&Step { what: "training the kinds of pages", done: of - 1, of });
    let kinds = pupils.train_kinds(pupils.kind_table(None), fitted.of_kinds(), None, seed);
    let Judgement { pool, alone, decider, confidence } = fitted.judgement;
    Ok(BlockModel::new(ModelParts {
        tables: pupils.tables(None),
        first,
        places,
        pool,
        alone,
        decider,
        confidence,
        kinds,
    }))
}

/// Cross-validation: for each fold a model of the others. `folds` gives each lesson's, from 0
/// without a gap, each site whole.
///
/// No model saw a page of its fold. What its second stage learned from the other folds was said by
/// first stages that had, so the folds are not wholly strangers; the cost of making them so is as
/// many first stages again for each.
///
/// # Errors
/// As [`fit`].
pub fn cross_fit<L: Borrow<BlockLesson>>(
    lessons: &[L],
    folds: &[usize],
    training: &BlockTraining,
    seed: u64,
    progress: &mut dyn FnMut(&Step<'_>),
) -> Result<Vec<BlockModel>, Error> {
    let pupils = Pupils::new(lessons, folds, training, seed)?;
    let fitted = Stages::fit(&pupils, seed, 2 * pupils.count, progress);
    let stages = fitted.first.iter().zip(&fitted.places).enumerate();
    let model = |(fold, (first, places)): (usize, (&boosting::Model, &boosting::Model))| {
        let kinds = pupils.train_kinds(fitted.kind_tables[fold].clone(), fitted.of_kinds(), Some(fold), seed);
        let (tables, first, places) = (pupils.tables(Some(fold)), first.clone(), places.clone());
        let Judgement { pool, alone, decider, confidence } = fitted.judgement.clone();
        BlockModel::new(ModelParts { tables, first, places, pool, alone, decider, confidence, kinds })
    };
    Ok(stages.map(model).collect())
}

/// Both stages without each fold, and what follows from what they say of it.
struct Stages {
    first: Vec<boosting::Model>,
    places: Vec<boosting::Model>,
    /// The first stage's evidence of each page.
    rows: Vec<Vec<f32>>,
    /// The places of each site, for each of [`KNOWN`].
    shown: Vec<PlaceLesson>,
    judgement: Judgement,
    /// The probabilities of each page's blocks, of the page alone.
    alone: Vec<Vec<f32>>,
    /// The table of kinds without each fold, and what each page is called by that without its own.
    kind_tables: Vec<KindTable>,
    called: Vec<Called>,
}

impl Stages {
    /// The first steps of so many.
    fn fit(pupils: &Pupils<'_>, seed: u64, of: usize, progress: &mut dyn FnMut(&Step<'_>)) -> Self {
        progress(&Step { what: "counting names and words", done: 0, of });
        let rows = pupils.first_rows();
        let mut own = vec![Vec::new(); pupils.len()];
        let first: Vec<boosting::Model> = (0..pupils.count)
            .map(|fold| {
                let what = format!("training on blocks, part {} of {}", fold + 1, pupils.count);
                progress(&Step { what: &what, done: fold, of });
                let model = pupils.train(&rows, Some(fold), seed);
                pupils.ask(&model, fold, &rows, &mut own);
                model
            })
            .collect();
        let memories = pupils.memories(&rows, &own);
        let groups: Vec<SitePages> = KNOWN.into_iter().flat_map(|known| pupils.groups(known, &memories)).collect();
        let shown: Vec<PlaceLesson> = groups.iter().flat_map(|group| pupils.shown(group)).collect();
        let places: Vec<boosting::Model> = (0..pupils.count)
            .map(|fold| {
                let what = format!("training on places, part {} of {}", fold + 1, pupils.count);
                progress(&Step { what: &what, done: pupils.count + fold, of });
                pupils.train_places(&shown, Some(fold), seed)
            })
            .collect();
        let of_places = pupils.ask_places(&places, &groups);
        let judgement = pupils.judgement(&own, &of_places);
        let alone = probabilities(&pooled(&judgement.alone, &own, &of_places[0]));
        let kind_tables: Vec<KindTable> = (0..pupils.count).map(|fold| pupils.kind_table(Some(fold))).collect();
        let called = pupils.called(&kind_tables);
        Stages { first, places, rows, shown, judgement, alone, kind_tables, called }
    }

    /// What the kinds of pages are learned from: each page's evidence, which of it is likely
    /// content, and what it is called.
    fn of_kinds(&self) -> (&[Vec<f32>], &[Vec<f32>], &[Called]) {
        (&self.rows, &self.alone, &self.called)
    }
}
