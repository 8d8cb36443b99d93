//! The score's model and its predictions.

use serde::{Deserialize, Serialize};
use url::Url;

use super::batches::{each_batch, page_columns};
use super::cells;
use super::decide::{Decider, Decision};
use super::diff::Diffed;
use super::inside::inside_content;
use super::kind::{self, Called, Kinds, PageKind};
use super::places::{self, Places};
use super::pool::Pool;
use super::tables::Tables;
use super::within::WithinPage;
use super::{Column, Kind, columns, diff_columns, place_columns, score};
use crate::analysis::Analysis;
use crate::learn::boosting;
use crate::learn::boosting::Rows;
use crate::learn::isotonic::Isotonic;
use crate::learn::model::Payload;
use crate::learn::parallel::{self, InTurn, Workers};
use crate::template::{Memory, OfPage};

/// A trained model; see the [module above](super).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ModelParts", into = "ModelParts")]
pub struct BlockModel(ModelParts);

/// The parts of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ModelParts {
    pub(super) tables: Tables,
    pub(super) first: boosting::Model,
    /// The second stage.
    pub(super) places: boosting::Model,
    /// The weights of both stages: `pool` if other pages of the site are known, `alone` if not.
    pub(super) pool: Pool,
    pub(super) alone: Pool,
    /// The parameters of decisions.
    pub(super) decider: Decider,
    /// Calibrates expected F1, which assumes true and independent probabilities, to measured F1.
    pub(super) confidence: Isotonic,
    /// The model of page kinds. `None` if no lesson has a kind.
    pub(super) kinds: Option<Kinds>,
    /// The third stage. `None` while the first two are trained: then their score is final.
    pub(super) diffs: Option<boosting::Model>,
}

impl From<BlockModel> for ModelParts {
    fn from(model: BlockModel) -> ModelParts {
        model.0
    }
}

impl TryFrom<ModelParts> for BlockModel {
    type Error = &'static str;

    fn try_from(parts: ModelParts) -> Result<BlockModel, &'static str> {
        let fits = parts.first.columns() == columns().len()
            && parts.places.columns() == place_columns().len()
            && parts.diffs.as_ref().is_none_or(|trees| trees.columns() == diff_columns().len());
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
    const VERSION: u32 = 8;
}

/// The first stage's result for a page.
#[derive(Clone, Debug, Default)]
pub struct First {
    /// The log-odds of each block.
    odds: Vec<f32>,
    /// The memory of the page for other pages of the site.
    memory: Memory,
    /// The columns of the page. Empty for a page without blocks.
    page: Vec<f32>,
    /// `None` if the model does not know kinds.
    called: Option<Called>,
}

impl First {
    /// The memory of the page for other pages of the site.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Adds to the memory of the page what a diff found. Linear.
    pub fn compare(&mut self, analysis: &Analysis, diffed: &Diffed) {
        self.memory.compare(diffed.at_places(analysis));
    }

    /// The same, by value.
    pub fn into_memory(self) -> Memory {
        self.memory
    }
}

/// What is known of a page beside its own text.
#[derive(Clone, Copy, Debug)]
pub struct SiteEvidence<'a> {
    /// The memory of the site, which includes the page. An empty one means the page alone.
    pub site: &'a Memory,
    /// What the diff with a sibling found, if one passed its gates.
    pub diffed: Option<&'a Diffed>,
}

impl<'a> SiteEvidence<'a> {
    /// Only the memory of the site.
    pub fn of_memory(site: &'a Memory) -> Self {
        SiteEvidence { site, diffed: None }
    }

    /// Without a memory, the places come from all blocks of the page.
    fn or_page(self, first: &'a First) -> Self {
        if self.site.is_empty() { SiteEvidence { site: &first.memory, ..self } } else { self }
    }
}

/// The score of a page.
#[derive(Clone, Debug)]
pub struct Score {
    /// For each block, the probability that it is content.
    pub likely: Vec<f32>,
    /// The blocks to keep, and the expected F1.
    pub decision: Decision,
    /// The measured F1 of decisions like this one: calibrated, from 0 to 1.
    pub confidence: f64,
    /// The kind of the page and its probability, which is 1 if the page's own text shows the kind.
    /// `None` if the model does not know kinds.
    pub kind: Option<(PageKind, f32)>,
}

/// The log-odds of a page's blocks.
struct SiteOdds {
    odds: Vec<f32>,
    pooled: PooledOdds,
    /// For each block, whether the third stage is overruled: its text is inside the content.
    is_inside: Vec<bool>,
}

/// The log-odds of a page's blocks by the first two stages.
struct PooledOdds {
    odds: Vec<f32>,
    /// The places in the memory of the site, and those of the page alone. `None` if only the page
    /// is known.
    of_site: Option<Places>,
    alone: Places,
    /// For each block, whether the site's places count, and not those of the page.
    is_by_site: Vec<bool>,
}

impl PooledOdds {
    /// The label of a block's place, if a person gave one.
    fn taught(&self, block: usize) -> Option<bool> {
        let places = self.of_site.as_ref().unwrap_or(&self.alone);
        places.taught[places.of_block[block]]
    }
}

/// A piece of evidence that moved a block's score.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The column.
    pub column: Column,
    /// Its value. NaN if absent.
    pub value: f32,
    /// Its effect on the log-odds of content.
    pub moves: f64,
}

impl BlockModel {
    pub(super) fn new(parts: ModelParts) -> BlockModel {
        BlockModel::try_from(parts).expect("a model is trained on the evidence that this program reads")
    }

    /// The first stage, for a page without its site. Linear in the page.
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

    /// The score, given what is known beside the page. Linear in the page.
    pub fn score(&self, analysis: &Analysis, first: &First, known: SiteEvidence<'_>) -> Score {
        let odds = self.odds(analysis, first, known.or_page(first)).odds;
        let words: Vec<u32> = analysis.blocks().iter().map(|block| block.text.words).collect();
        let mut decision = self.0.decider.decide(&odds, &words);
        cells::complete_tables(analysis, &mut decision.kept);
        let likely: Vec<f32> = odds.into_iter().map(score::probability).collect();
        let confidence = f64::from(self.0.confidence.value(decision.expected_f1 as f32)).clamp(0.0, 1.0);
        let kind = self.kind(analysis, first, &likely);
        Score { likely, decision, confidence, kind }
    }

    /// For each place of a memory, the probability that its text is content, from the second stage
    /// alone. Linear in the places.
    pub fn judge_places(&self, memory: &Memory) -> Vec<f32> {
        let odds = self.0.places.predict_batch(&places::of_memory(memory));
        odds.into_iter().map(|odds| score::probability(self.0.pool.odds(0.0, odds))).collect()
    }

    /// The log-odds of each block, given what is known beside the page.
    fn odds(&self, analysis: &Analysis, first: &First, known: SiteEvidence<'_>) -> SiteOdds {
        let pooled = self.pooled_odds(analysis, first, known.site);
        let mut odds = pooled.odds.clone();
        let mut is_inside = vec![false; odds.len()];
        if let Some(trees) = self.0.diffs.as_ref().filter(|_| known.site.pages() > 1) {
            let untaught: Vec<usize> = (0..odds.len()).filter(|&at| pooled.taught(at).is_none()).collect();
            let within = WithinPage::new(analysis, known.site, known.diffed);
            let moves = trees.predict_batch(&within.rows(untaught.iter().copied()));
            untaught.into_iter().zip(moves).for_each(|(at, moves)| odds[at] += moves);
            is_inside = inside_content(analysis, known.site, &pooled.odds, &odds);
            (0..odds.len()).filter(|&at| is_inside[at]).for_each(|at| odds[at] = pooled.odds[at]);
        }
        SiteOdds { odds, pooled, is_inside }
    }

    /// The log-odds of each block before the third stage, and the evidence of that stage.
    pub(super) fn before_diffs(&self, analysis: &Analysis, first: &First, known: SiteEvidence<'_>) -> (Vec<f32>, Rows) {
        let odds = self.pooled_odds(analysis, first, known.site).odds;
        let rows = WithinPage::new(analysis, known.site, known.diffed).rows(0..odds.len());
        (odds, rows)
    }

    /// The same model with a third stage, and with the confidence that fits it.
    pub(super) fn with_diffs(self, diffs: boosting::Model, confidence: Isotonic) -> Self {
        BlockModel(ModelParts { diffs: Some(diffs), confidence, ..self.0 })
    }

    /// The parameters of its decisions.
    pub(super) fn decider(&self) -> Decider {
        self.0.decider
    }

    /// The log-odds of each block by the first two stages, given the memory of the site with the
    /// page. Other pages of the site can only raise a block: what is common with them is found by
    /// the diff. A calibration with both ways is in `docs/decisions/084`.
    fn pooled_odds(&self, analysis: &Analysis, first: &First, site: &Memory) -> PooledOdds {
        let is_alone = site.pages() <= 1;
        let alone = Places::new(analysis, if is_alone { site } else { &first.memory });
        let mut odds = self.pooled(first, &alone, &self.0.alone);
        let mut is_by_site = vec![false; odds.len()];
        let of_site = (!is_alone).then(|| Places::new(analysis, site));
        if let Some(places) = &of_site {
            for (at, by_site) in self.pooled(first, places, &self.0.pool).into_iter().enumerate() {
                is_by_site[at] = true;
                let block = &analysis.blocks()[at];
                let pages =
                    site.place(block.place).map_or(0, |place| place.pages_of_text(block.hash)).saturating_sub(1) as f32;
                let others = site.pages() - 1;
                let repeated =
                    if others > 1 { pages / others as f32 * (site.pages() as f32 / 2.0).log2() } else { 0.0 };
                let is_taught = places.taught[places.of_block[at]].is_some();
                odds[at] = if is_taught { by_site } else { by_site - repeated };
            }
        }
        PooledOdds { odds, of_site, alone, is_by_site }
    }

    /// The log-odds of each block by both stages, or by a person's label.
    fn pooled(&self, first: &First, places: &Places, pool: &Pool) -> Vec<f32> {
        let odds = self.place_odds(places);
        let said = |(&own, &place): (&f32, &usize)| {
            let pooled = || pool.odds(own, odds[place].unwrap_or(own));
            places.taught[place].map_or_else(pooled, taught)
        };
        first.odds.iter().zip(&places.of_block).map(said).collect()
    }

    /// The second stage's log-odds of each place. `None` for skipped places, where the first stage
    /// decides alone.
    fn place_odds(&self, places: &Places) -> Vec<Option<f32>> {
        let mut asked = Rows::with_capacity(place_columns().len(), places.rows.len());
        let rows = places.rows.iter().zip(&places.surely_none);
        rows.filter(|(_, none)| !**none).for_each(|(row, _)| asked.push(row));
        let mut said = self.0.places.predict_batch(&asked).into_iter();
        places.surely_none.iter().map(|&none| if none { None } else { said.next() }).collect()
    }

    /// For each block, the evidence that moved its score, the strongest first. The log-odds are the
    /// sum of all moves and a constant, which differs for skipped places, and where the places of
    /// the page alone decide. If a person labelled the place, that label is the only reason. Costs
    /// the page's score, and some two milliseconds for each block.
    pub fn reasons(
        &self,
        analysis: &Analysis,
        url: Option<&Url>,
        known: SiteEvidence<'_>,
        workers: &dyn Workers,
    ) -> Vec<Vec<Reason>> {
        self.explain(analysis, url, known, (|_| true, workers))
    }

    /// The same for one block. The cost is that of one block, of the page's columns, and of the
    /// page's score. Empty for a block that the page does not have.
    pub fn reasons_of(
        &self,
        analysis: &Analysis,
        url: Option<&Url>,
        known: SiteEvidence<'_>,
        block: usize,
    ) -> Vec<Reason> {
        self.explain(analysis, url, known, (|number| number == block, &InTurn)).pop().unwrap_or_default()
    }

    /// The reasons for each wanted block. Some two milliseconds for each block.
    fn explain(
        &self,
        analysis: &Analysis,
        url: Option<&Url>,
        known: SiteEvidence<'_>,
        (wanted, workers): (impl Fn(usize) -> bool, &dyn Workers),
    ) -> Vec<Vec<Reason>> {
        let first = self.first(analysis, url);
        let known = known.or_page(&first);
        let SiteOdds { pooled, is_inside, .. } = self.odds(analysis, &first, known);
        let diffs = self.0.diffs.as_ref().filter(|_| known.site.pages() > 1);
        let within = WithinPage::new(analysis, known.site, known.diffed);
        let reasons = |number: usize, row: &[f32]| {
            if let Some(is_content) = pooled.taught(number) {
                let value = f32::from(u8::from(is_content));
                return vec![Reason { column: TAUGHT_PLACE, value, moves: taught(is_content).into() }];
            }
            let (places, pool) = match &pooled.of_site {
                Some(places) if pooled.is_by_site[number] => (places, &self.0.pool),
                _ => (&pooled.alone, &self.0.alone),
            };
            let place = places.of_block[number];
            let is_asked = !places.surely_none[place];
            let weight = if is_asked { pool.own } else { pool.own + pool.place };
            let mut reasons = weighted(&self.0.first, columns(), row, weight);
            if is_asked {
                reasons.extend(weighted(&self.0.places, place_columns(), places.rows.row(place), pool.place));
            }
            if let Some(trees) = diffs {
                let row = within.rows(std::iter::once(number));
                let weight = if is_inside[number] { 0.0 } else { 1.0 };
                reasons.extend(weighted(trees, diff_columns(), row.row(0), weight));
            }
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
        let called = || first.called;
        self.kind_of(analysis, likely, called, || first.page.clone())
    }

    /// The kind of a page and its probability, given for each block the probability that it is
    /// content. It asks for no score of blocks. Linear in the page.
    pub fn kind_by(&self, analysis: &Analysis, url: Option<&Url>, likely: &[f32]) -> Option<(PageKind, f32)> {
        let called = || Some(self.0.kinds.as_ref()?.called(analysis, url));
        self.kind_of(analysis, likely, called, || page_columns(analysis, url, &self.0.tables))
    }

    fn kind_of(
        &self,
        analysis: &Analysis,
        likely: &[f32],
        called: impl FnOnce() -> Option<Called>,
        page: impl FnOnce() -> Vec<f32>,
    ) -> Option<(PageKind, f32)> {
        if let Some(kind) = kind::told(analysis) {
            return Some((kind, 1.0));
        }
        Some(self.0.kinds.as_ref()?.classify(analysis, &page(), likely, &called()?))
    }
}

/// The label of a place by a person.
pub(super) const TAUGHT_PLACE: Column =
    Column { name: "taught", kind: Kind::Site, about: "whether a person called what stands at its place content" };

/// The log-odds of blocks at a place that a person labelled.
fn taught(is_content: bool) -> f32 {
    if is_content { TAUGHT } else { -TAUGHT }
}

/// Judgement: more certain than any score.
const TAUGHT: f32 = 8.0;

/// The effect of each column of a row, after the weight of the pool.
fn weighted(trees: &boosting::Model, columns: &[Column], row: &[f32], weight: f32) -> Vec<Reason> {
    let moves = trees.explain(row).contributions.into_iter().map(|moves| moves * f64::from(weight));
    columns.iter().zip(row).zip(moves).map(|((&column, &value), moves)| Reason { column, value, moves }).collect()
}
