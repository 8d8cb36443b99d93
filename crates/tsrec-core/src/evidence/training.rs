//! Training of the score on pages with gold.
//!
//! Pages are split into folds by site. Names and words are counted outside a page's own fold. The
//! second stage learns from a first stage that never saw the page's site. So neither stage relies
//! on values that it learned from the page itself. The second stage learns from places of pages
//! that are alone, and of sites of which two, four or all pages are known. So it learns the worth
//! of each case. The pool of both stages is fitted last, on their results for pages that neither
//! saw.

mod judgement;
mod lesson_set;
mod places;

use std::borrow::Borrow;
use std::ops::Range;

use super::Kind;
use super::kind::{Called, KindTable};
use super::lesson::BlockLesson;
use super::model::{BlockModel, ModelParts};
use super::tables::Tables;
use crate::learn::Step;
use crate::learn::boosting;
use crate::learn::parallel::{self, Workers};
use judgement::{Judgement, pooled, probabilities};
use lesson_set::LessonSet;
use places::{KNOWN, SitePages};

/// The settings of training.
#[derive(Clone, Debug)]
pub struct BlockTraining {
    /// Folds that the pages are split into; at least 2.
    pub folds: usize,
    /// Settings of the trees that judge blocks.
    pub trees: boosting::Training,
    /// Settings of the trees that judge places.
    pub places: boosting::Training,
    /// Settings of the trees of kinds.
    pub kinds: boosting::Training,
    /// The greatest number of names to keep.
    pub names: usize,
    /// The greatest number of words to keep.
    pub words: usize,
    /// The greatest number of features for kinds of pages to keep.
    pub kind_features: usize,
    /// Kinds of evidence to remove, to measure what they are worth. The model does not read them.
    pub without: Vec<Kind>,
}

impl Default for BlockTraining {
    fn default() -> Self {
        // Few columns for each tree. Pages share so many columns that trees would overfit them.
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
            // More trees do not improve results on unseen pages: `tsrec-lab eval --method auto
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
    /// The same settings, with these workers to grow the trees.
    pub fn with_workers(mut self, workers: &'static dyn Workers) -> Self {
        for trees in [&mut self.trees, &mut self.places, &mut self.kinds] {
            trees.workers = workers;
        }
        self
    }
}

/// The reason why training is impossible.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There are too few sites to hold any out.
    #[error("the lessons are of {sites} sites, and at least {least} are needed")]
    FewSites {
        /// How many there are.
        sites: usize,
        /// How many there must be.
        least: usize,
    },
    /// The lessons have only one class.
    #[error("the lessons show one class alone: {0} block of theirs is content")]
    OneClass(&'static str),
}

/// Learns. The same lessons in the same order and the same seed give the same model.
///
/// # Errors
/// The lessons are of fewer sites than there are folds, or have only one class.
pub fn fit<L: Borrow<BlockLesson>>(
    lessons: &[L],
    training: &BlockTraining,
    seed: u64,
    progress: &mut dyn FnMut(&Step<'_>),
) -> Result<BlockModel, Error> {
    let folds = lesson_set::folds(lessons, training.folds, seed)?;
    let set = LessonSet::new(lessons, &folds, training, seed)?;
    let folds = (0..set.count).map(Some).chain([None]).collect();
    let mut models = Stages::fit(&set, folds, seed, progress).models(&set, seed);
    Ok(models.pop().expect("the last is of all pages"))
}

/// Cross-validation: for each fold, a model of the others. `folds` gives each lesson's fold, from 0
/// without a gap. All lessons of a site must be in one fold.
///
/// No model saw a page of its fold. But its second stage learned from first stages that had seen
/// that fold, so the folds are not fully independent. Full independence would need as many more
/// first stages for each fold.
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
    let set = LessonSet::new(lessons, folds, training, seed)?;
    let folds = (0..set.count).map(Some).collect();
    Ok(Stages::fit(&set, folds, seed, progress).models(&set, seed))
}

/// Both stages without each fold, and perhaps on all pages last, and the values derived from their
/// results for pages that they did not see.
struct Stages {
    /// The fold that each model leaves out. `None`: it is of all pages.
    without: Vec<Option<usize>>,
    tables: Vec<Tables>,
    first: Vec<boosting::Model>,
    places: Vec<boosting::Model>,
    kind_tables: Vec<KindTable>,
    /// The first stage's evidence of each page.
    rows: Vec<Vec<f32>>,
    judgement: Judgement,
    /// The probabilities of each page's blocks, with the page alone.
    alone: Vec<Vec<f32>>,
    /// Each page's kind, from the table without its fold.
    called: Vec<Called>,
}

impl Stages {
    fn fit(set: &LessonSet<'_>, without: Vec<Option<usize>>, seed: u64, progress: &mut dyn FnMut(&Step<'_>)) -> Self {
        let (workers, models) = (set.workers(), without.len());
        let of = 2 * models + 1;
        progress(&Step { what: "counting names and words", done: 0, of });
        let tables = parallel::map(workers, without.clone(), |without| set.tables(without));
        let rows = set.first_rows(&tables);
        let mut begin = |what: &str, before: usize, range: Range<usize>| {
            let what = format!("training on {what}, part {} of {models}", range.end);
            progress(&Step { what: &what, done: before + range.start, of });
        };
        let first = parallel::side_by_side(
            workers,
            models,
            |range| begin("blocks", 1, range),
            |model, workers| set.train(&rows, without[model], seed, workers),
        );
        let own = set.ask(&first, &rows);
        let memories = set.memories(&rows, &own);
        let groups: Vec<SitePages> = KNOWN.into_iter().flat_map(|known| set.groups(known, &memories)).collect();
        let shown = set.shown(&groups);
        let places = parallel::side_by_side(
            workers,
            models,
            |range| begin("places", 1 + models, range),
            |model, workers| set.train_places(&shown, without[model], seed, workers),
        );
        let of_places = set.ask_places(&places, &groups);
        let judgement = set.judgement(&own, &of_places);
        let alone = probabilities(&pooled(&judgement.alone, &own, &of_places[0]));
        let kind_tables = parallel::map(workers, without.clone(), |without| set.kind_table(without));
        let called = set.called(&kind_tables);
        Stages { without, tables, first, places, kind_tables, rows, judgement, alone, called }
    }

    /// The models, with their kinds.
    fn models(self, set: &LessonSet<'_>, seed: u64) -> Vec<BlockModel> {
        let Stages { without, tables, first, places, kind_tables, rows, judgement, alone, called } = self;
        let stages = without.into_iter().zip(tables).zip(first).zip(places).zip(kind_tables).collect();
        parallel::map(set.workers(), stages, |((((without, tables), first), places), table)| {
            let kinds = set.train_kinds(table, (&rows, &alone, &called), without, seed);
            let (first, places) = (first.shortened(), places.shortened());
            let Judgement { pool, alone, decider, confidence } = judgement.clone();
            BlockModel::new(ModelParts { tables, first, places, pool, alone, decider, confidence, kinds })
        })
    }
}
