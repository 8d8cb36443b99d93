//! The score's model and its predictions.

use serde::{Deserialize, Serialize};
use url::Url;

use super::batches::{each_batch, page_columns};
use super::cells;
use super::decide::{Decider, Decision};
use super::favor::Favor;
use super::inside::inside_content;
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

    /// The same, by value.
    pub fn into_memory(self) -> Memory {
        self.memory
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
    places: Places,
    odds: Vec<f32>,
    /// For each block, how much of it comes from a repeated text inside the content.
    raised: Vec<f32>,
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

    /// The score, given the memory of the site, which includes the page. An empty memory means the
    /// page alone. The decision favours what `favor` says. O(n log n) in the page.
    pub fn score(&self, analysis: &Analysis, first: &First, site: &Memory, favor: Favor) -> Score {
        // Without a memory, the page's own places are known.
        let site = if site.is_empty() { &first.memory } else { site };
        let odds = self.odds(analysis, first, site).odds;
        let words: Vec<u32> = analysis.blocks().iter().map(|block| block.text.words).collect();
        let mut decision = self.0.decider.decide(&odds, &words, favor);
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

    /// The weights of both stages, given the memory of the site.
    fn pool(&self, site: &Memory) -> &Pool {
        if site.pages() > 1 { &self.0.pool } else { &self.0.alone }
    }

    /// The log-odds of each block, given the memory of the site with the page.
    fn odds(&self, analysis: &Analysis, first: &First, site: &Memory) -> SiteOdds {
        let places = Places::new(analysis, site);
        let mut odds = self.pooled(first, &places, self.pool(site));
        let mut raised = vec![0.0; odds.len()];
        if site.pages() > 1 {
            let alone = self.pooled(first, &Places::new(analysis, &first.memory), &self.0.alone);
            let inside = inside_content(analysis, site, &alone, &odds);
            for at in (0..odds.len()).filter(|&at| inside[at] && places.taught[places.of_block[at]].is_none()) {
                raised[at] = alone[at] - odds[at];
                odds[at] = alone[at];
            }
        }
        SiteOdds { places, odds, raised }
    }

    /// The log-odds of each block by both stages, or by a person's label.
    fn pooled(&self, first: &First, places: &Places, pool: &Pool) -> Vec<f32> {
        let odds = self.place_odds(places);
        let said = |((&own, &place), &repeated): ((&f32, &usize), &f32)| {
            let pooled = || pool.odds(own, odds[place].unwrap_or(own)) - REPEATED * repeated;
            places.taught[place].map_or_else(pooled, taught)
        };
        first.odds.iter().zip(&places.of_block).zip(&places.repeated).map(said).collect()
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
    /// sum of all moves and a constant, which differs for skipped places. If a person labelled the
    /// place, that label is the only reason. Costs the page's score, and some two milliseconds for
    /// each block.
    pub fn reasons(
        &self,
        analysis: &Analysis,
        url: Option<&Url>,
        site: &Memory,
        workers: &dyn Workers,
    ) -> Vec<Vec<Reason>> {
        self.explain(analysis, url, site, (|_| true, workers))
    }

    /// The same for one block. The cost is that of one block, of the page's columns, and of the
    /// page's score. Empty for a block that the page does not have.
    pub fn reasons_of(&self, analysis: &Analysis, url: Option<&Url>, site: &Memory, block: usize) -> Vec<Reason> {
        self.explain(analysis, url, site, (|number| number == block, &InTurn)).pop().unwrap_or_default()
    }

    /// The reasons for each wanted block. Some two milliseconds for each block.
    fn explain(
        &self,
        analysis: &Analysis,
        url: Option<&Url>,
        site: &Memory,
        (wanted, workers): (impl Fn(usize) -> bool, &dyn Workers),
    ) -> Vec<Vec<Reason>> {
        let first = self.first(analysis, url);
        // Without a memory, the places come from all blocks of the page.
        let site = if site.is_empty() { &first.memory } else { site };
        let SiteOdds { places, raised, .. } = self.odds(analysis, &first, site);
        let pool = self.pool(site);
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
            let moves = f64::from(raised[number]);
            reasons.push(Reason { column: INSIDE_CONTENT, value: f32::from(u8::from(moves > 0.0)), moves });
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

/// The evidence that does not come from trees.
pub(super) const REPEATED_TEXT: Column = Column {
    name: "repeated text",
    kind: Kind::Site,
    about: "share of the other pages of the site that have the very text of the block at its place; less of three pages, nothing of two",
};

/// The evidence of [`inside_content`].
pub(super) const INSIDE_CONTENT: Column = Column {
    name: "inside content",
    kind: Kind::Site,
    about: "whether content of the page's own follows the block's repeated text or is on both sides of it, so that the page alone decides",
};

/// The penalty of a text that is at the same place on all other pages, in log-odds. A place says
/// what its texts usually are. This is for the exception, such as a notice under every article.
/// Calibration (`docs/decisions/059`).
const REPEATED: f32 = 1.0;

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
