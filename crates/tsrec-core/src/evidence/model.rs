//! The score's model: what was learned, and how it is asked.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use url::Url;

use super::batches::each_batch;
use super::cells;
use super::decide::{Decider, Decision};
use super::kind::{self, Called, Kinds, PageKind};
use super::places::{self, Places};
use super::pool::Pool;
use super::tables::Tables;
use super::{Column, Kind, columns, place_columns, score};
use crate::analysis::Analysis;
use crate::learn::boosting;
use crate::learn::boosting::Rows;
use crate::learn::isotonic::Isotonic;
use crate::learn::model::Payload;
use crate::learn::parallel::{self, InTurn, Workers};
use crate::template::{Memory, OfPage};

/// What was learned: see the [module above](super).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ModelParts", into = "ModelParts")]
pub struct BlockModel(ModelParts);

/// The parts of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ModelParts {
    pub(super) tables: Tables,
    pub(super) first: boosting::Model,
    /// What judges places.
    pub(super) places: boosting::Model,
    /// How both are put together where other pages of the site are known, and where the page is
    /// alone.
    pub(super) pool: Pool,
    pub(super) alone: Pool,
    /// How it is decided what is kept.
    pub(super) decider: Decider,
    /// From the F1 that is expected were the probabilities true and independent, to that which was
    /// measured.
    pub(super) confidence: Isotonic,
    /// The kinds of pages; `None` where no lesson named one.
    pub(super) kinds: Option<Kinds>,
}

impl From<BlockModel> for ModelParts {
    fn from(model: BlockModel) -> ModelParts {
        model.0
    }
}

impl TryFrom<ModelParts> for BlockModel {
    type Error = &'static str;

    fn try_from(parts: ModelParts) -> Result<BlockModel, &'static str> {
        let fits = parts.first.columns() == columns().len() && parts.places.columns() == place_columns().len();
        if !fits {
            return Err("it was trained on other evidence than this program reads");
        }
        if !(parts.pool.is_sound() && parts.alone.is_sound()) {
            return Err("its weights are no numbers");
        }
        if !parts.decider.is_sound() {
            return Err("its doubt or its cost of a run is below zero");
        }
        Ok(BlockModel(parts))
    }
}

impl Payload for BlockModel {
    const METHOD: &'static str = "blocks";
    const VERSION: u32 = 7;
}

/// What the first stage says of a page.
#[derive(Clone, Debug, Default)]
pub struct First {
    /// For each block its log-odds.
    odds: Vec<f32>,
    /// What other pages of the site are to remember of it.
    memory: Memory,
    /// The columns of the page; none of a page without blocks.
    page: Vec<f32>,
    /// `None` where the model does not know kinds.
    called: Option<Called>,
}

impl First {
    /// What other pages of the site are to remember of the page.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The same, given up.
    pub fn into_memory(self) -> Memory {
        self.memory
    }
}

/// What the score says of a page.
#[derive(Clone, Debug)]
pub struct Score {
    /// For each block the probability that it is content.
    pub likely: Vec<f32>,
    /// Which blocks are kept, and the F1 that is expected of that.
    pub decision: Decision,
    /// The F1 that decisions like this one had: calibrated, from 0 to 1.
    pub confidence: f64,
    /// What kind of page it is, and how likely: 1 where the page says so itself. `None` where the
    /// model does not know kinds.
    pub kind: Option<(PageKind, f32)>,
}

/// A piece of evidence that moved a block's score.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// Which.
    pub column: Column,
    /// What it is; NaN where it is absent.
    pub value: f32,
    /// By how much it moves the log-odds of content.
    pub moves: f64,
}

impl BlockModel {
    pub(super) fn new(parts: ModelParts) -> BlockModel {
        BlockModel::try_from(parts).expect("a model is trained on the evidence that this program reads")
    }

    /// The first stage: a page by itself. Linear in the page.
    pub fn first(&self, analysis: &Analysis, url: Option<&Url>) -> First {
        let called = self.0.kinds.as_ref().map(|kinds| kinds.called(analysis, url));
        let (mut first, mut remembered) = (First { called, ..First::default() }, OfPage::default());
        first.odds.reserve_exact(analysis.blocks().len());
        each_batch(analysis, url, &self.0.tables, |rows| {
            let (blocks, odds) = (&analysis.blocks()[first.odds.len()..], self.0.first.predict_batch(rows));
            let seen = |((block, row), &odds)| places::seen(block, places::taken(row), odds);
            blocks.iter().zip(rows.iter()).zip(&odds).map(seen).for_each(|seen| remembered.see(&seen));
            first.odds.extend(odds);
            if first.page.is_empty() {
                first.page = kind::of_page(rows.row(0));
            }
        });
        first.memory = remembered.into_memory();
        first
    }

    /// The score, with what is remembered of the site: the page itself and others; nothing is the
    /// page alone. Linear in the page.
    pub fn score(&self, analysis: &Analysis, first: &First, site: &Memory) -> Score {
        // Of a page that is alone its own places are known.
        let site = if site.is_empty() { &first.memory } else { site };
        let odds = self.pooled(first, &Places::new(analysis, site), self.pool(site));
        let words: Vec<u32> = analysis.blocks().iter().map(|block| block.text.words).collect();
        let mut decision = self.0.decider.decide(&odds, &words);
        cells::complete_tables(analysis, &mut decision.kept);
        let likely: Vec<f32> = odds.into_iter().map(score::probability).collect();
        let confidence = f64::from(self.0.confidence.value(decision.expected_f1 as f32)).clamp(0.0, 1.0);
        let kind = self.kind(analysis, first, &likely);
        Score { likely, decision, confidence, kind }
    }

    /// For each place of a memory the probability that what stands there is content, by the place
    /// alone. Linear in the places.
    pub fn judge_places(&self, memory: &Memory) -> Vec<f32> {
        let odds = self.0.places.predict_batch(&places::of_memory(memory));
        odds.into_iter().map(|odds| score::probability(self.0.pool.odds(0.0, odds))).collect()
    }

    /// How blocks and places are put together, with what is remembered of the site.
    fn pool(&self, site: &Memory) -> &Pool {
        if site.pages() > 1 { &self.0.pool } else { &self.0.alone }
    }

    fn pooled(&self, first: &First, places: &Places, pool: &Pool) -> Vec<f32> {
        let odds = self.place_odds(places);
        let said = |((&own, &place), &repeated): ((&f32, &usize), &f32)| {
            let pooled = || pool.odds(own, odds[place].unwrap_or(own)) - REPEATED * repeated;
            places.taught[place].map_or_else(pooled, taught)
        };
        first.odds.iter().zip(&places.of_block).zip(&places.repeated).map(said).collect()
    }

    /// What trees say of each place; `None` of those that they are not asked about, of which each
    /// block is believed.
    fn place_odds(&self, places: &Places) -> Vec<Option<f32>> {
        let mut asked = Rows::with_capacity(place_columns().len(), places.rows.len());
        let rows = places.rows.iter().zip(&places.surely_none);
        rows.filter(|(_, none)| !**none).for_each(|(row, _)| asked.push(row));
        let mut said = self.0.places.predict_batch(&asked).into_iter();
        places.surely_none.iter().map(|&none| if none { None } else { said.next() }).collect()
    }

    /// For each block which evidence moved its score, the strongest first; the log-odds are the sum
    /// of all moves and a constant (another one where a place is not asked about), or what a person
    /// said of its place, and then nothing else. Costs some tenths of a millisecond a block.
    pub fn reasons(
        &self,
        analysis: &Analysis,
        url: Option<&Url>,
        site: &Memory,
        workers: &dyn Workers,
    ) -> Vec<Vec<Reason>> {
        self.explain(analysis, url, site, (|_| true, workers))
    }

    /// The same of one block, at the price of one and of the page's columns, and of the page's
    /// score where nothing is remembered; nothing of a block that the page does not have.
    pub fn reasons_of(&self, analysis: &Analysis, url: Option<&Url>, site: &Memory, block: usize) -> Vec<Reason> {
        self.explain(analysis, url, site, (|number| number == block, &InTurn)).pop().unwrap_or_default()
    }

    /// What moved the score of each block that is wanted. Some milliseconds a block.
    fn explain(
        &self,
        analysis: &Analysis,
        url: Option<&Url>,
        site: &Memory,
        (wanted, workers): (impl Fn(usize) -> bool, &dyn Workers),
    ) -> Vec<Vec<Reason>> {
        // All blocks are asked where nothing else says what stands at the places.
        let site = match site.is_empty() {
            true => Cow::Owned(self.first(analysis, url).into_memory()),
            false => Cow::Borrowed(site),
        };
        let (places, pool) = (Places::new(analysis, &site), self.pool(&site));
        let reasons = |number: usize, row: &[f32]| {
            let place = places.of_block[number];
            if let Some(is_content) = places.taught[place] {
                let value = f32::from(u8::from(is_content));
                return vec![Reason { column: TAUGHT_PLACE, value, moves: taught(is_content).into() }];
            }
            let is_asked = !places.surely_none[place];
            let weight = if is_asked { pool.own } else { pool.own + pool.place };
            let mut reasons = weighted(&self.0.first, columns(), row, weight);
            if is_asked {
                reasons.extend(weighted(&self.0.places, place_columns(), places.rows.row(place), pool.place));
            }
            let value = places.repeated[number];
            reasons.push(Reason { column: REPEATED_TEXT, value, moves: f64::from(-REPEATED * value) });
            reasons.sort_by(|a, b| b.moves.abs().total_cmp(&a.moves.abs()));
            reasons
        };
        let (mut before, mut all) = (0, Vec::new());
        each_batch(analysis, url, &self.0.tables, |rows| {
            let asked: Vec<_> = (before..).zip(rows.iter()).filter(|(number, _)| wanted(*number)).collect();
            all.extend(parallel::map(workers, asked, |(number, row)| reasons(number, row)));
            before += rows.len();
        });
        all
    }

    fn kind(&self, analysis: &Analysis, first: &First, likely: &[f32]) -> Option<(PageKind, f32)> {
        if let Some(kind) = kind::told(analysis) {
            return Some((kind, 1.0));
        }
        let (kinds, called) = (self.0.kinds.as_ref()?, first.called.as_ref()?);
        Some(kinds.classify(analysis, &first.page, likely, called))
    }
}

/// What a person said of a place.
pub(super) const TAUGHT_PLACE: Column =
    Column { name: "taught", kind: Kind::Site, about: "whether a person called what stands at its place content" };

/// The evidence that is no tree's.
pub(super) const REPEATED_TEXT: Column = Column {
    name: "repeated text",
    kind: Kind::Site,
    about: "share of the other pages of the site that have the very text of the block at its place, for each doubling of the pages beyond two",
};

/// What a text that stands at the same place on all other pages loses, in log-odds, for each
/// doubling of the pages beyond two. A place says what its texts are as a rule; this is of the one
/// that is no rule's, such as a notice under every article. Calibration (section 12 of
/// `EVALUATION.md`).
const REPEATED: f32 = 1.0;

/// The log-odds of what stands at a place of which a person said whether it is content.
fn taught(is_content: bool) -> f32 {
    if is_content { TAUGHT } else { -TAUGHT }
}

/// Judgement: surer than the score ever is.
const TAUGHT: f32 = 8.0;

/// What each column of a row moves, in the pool.
fn weighted(trees: &boosting::Model, columns: &[Column], row: &[f32], weight: f32) -> Vec<Reason> {
    let moves = trees.explain(row).contributions.into_iter().map(|moves| moves * f64::from(weight));
    columns.iter().zip(row).zip(moves).map(|((&column, &value), moves)| Reason { column, value, moves }).collect()
}
