//! The score's model: what was learned, and how it is asked.

use serde::{Deserialize, Serialize};
use url::Url;

use super::decide::{Decision, decide};
use super::kind::PageKind;
use super::siblings::{Site, Trace};
use super::tables::Tables;
use super::{Column, columns, kind, rows, score, second_columns, second_rows};
use crate::analysis::Analysis;
use crate::learn::boosting::{self, Rows};
use crate::learn::isotonic::Isotonic;
use crate::learn::model::Payload;

/// What was learned: see the [module above](super).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Model(Parts);

/// The parts of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Parts {
    pub(super) tables: Tables,
    pub(super) first: boosting::Model,
    pub(super) second: boosting::Model,
    /// What beginning a run of blocks costs, in words.
    pub(super) run_cost: f32,
    /// From the F1 that is expected were the probabilities true and independent, to that which was measured.
    pub(super) confidence: Isotonic,
    /// The kinds of pages; `None` where no lesson named one.
    pub(super) kinds: Option<boosting::ClassModel>,
}

impl From<Model> for Parts {
    fn from(model: Model) -> Parts {
        model.0
    }
}

impl TryFrom<Parts> for Model {
    type Error = &'static str;

    fn try_from(parts: Parts) -> Result<Model, &'static str> {
        let kinds = parts.kinds.as_ref();
        let fits = parts.first.columns() == columns().len()
            && parts.second.columns() == second_columns().len()
            && kinds.is_none_or(|kinds| kinds.columns() == kind::WIDTH && kinds.classes() == PageKind::LEARNED.len());
        if !fits {
            return Err("it was trained on other evidence than this program reads");
        }
        if !(parts.run_cost >= 0.0 && parts.run_cost.is_finite()) {
            return Err("its cost of a run is no cost");
        }
        Ok(Model(parts))
    }
}

impl Payload for Model {
    const METHOD: &'static str = "blocks";
    const VERSION: u32 = 1;
}

/// What the first stage says of a page.
#[derive(Clone, Debug)]
pub struct First {
    rows: Rows,
    odds: Vec<f32>,
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
    /// What kind of page it is, and how likely: 1 where the page says so itself. `None` where the model does not know kinds.
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

impl Model {
    pub(super) fn new(parts: Parts) -> Model {
        Model::try_from(parts).expect("a model is trained on the evidence that this program reads")
    }

    /// The first stage: a page by itself. Linear in the page.
    pub fn first(&self, analysis: &Analysis, url: Option<&Url>) -> First {
        let rows = Rows::of_values(columns().len(), rows(analysis, url, &self.0.tables));
        let odds = self.0.first.predict_batch(&rows);
        First { rows, odds }
    }

    /// What a page leaves behind for its siblings.
    pub fn trace(&self, analysis: &Analysis, first: &First) -> Trace {
        Trace::new(analysis, &first.odds)
    }

    /// The second stage, with what is known of the site. Linear in the page.
    pub fn score(&self, analysis: &Analysis, first: &First, site: &Site) -> Score {
        let rows = self.second_rows(analysis, first, site);
        let likely: Vec<f32> = self.0.second.predict_batch(&rows).into_iter().map(score::probability).collect();
        let words: Vec<u32> = analysis.blocks().iter().map(|block| block.text.words).collect();
        let decision = decide(&likely, &words, f64::from(self.0.run_cost));
        let confidence = f64::from(self.0.confidence.value(decision.expected_f1 as f32)).clamp(0.0, 1.0);
        let kind = self.kind(analysis, first, &likely);
        Score { likely, decision, confidence, kind }
    }

    /// For each block which evidence moved its score, the strongest first; the log-odds are the sum of all moves and a constant. Costs about a
    /// millisecond a block.
    pub fn reasons(&self, analysis: &Analysis, first: &First, site: &Site) -> Vec<Vec<Reason>> {
        let rows = self.second_rows(analysis, first, site);
        rows.iter().map(|row| self.reasons_of(row)).collect()
    }

    fn reasons_of(&self, row: &[f32]) -> Vec<Reason> {
        let moves = self.0.second.explain(row).contributions;
        let named = second_columns().iter().zip(row).zip(moves);
        let mut reasons: Vec<Reason> =
            named.map(|((&column, &value), moves)| Reason { column, value, moves }).collect();
        reasons.sort_by(|a, b| b.moves.abs().total_cmp(&a.moves.abs()));
        reasons
    }

    fn second_rows(&self, analysis: &Analysis, first: &First, site: &Site) -> Rows {
        let values = second_rows(analysis, first.rows.values(), &first.odds, site);
        Rows::of_values(second_columns().len(), values)
    }

    fn kind(&self, analysis: &Analysis, first: &First, likely: &[f32]) -> Option<(PageKind, f32)> {
        if let Some(kind) = kind::told(analysis) {
            return Some((kind, 1.0));
        }
        let kinds = self.0.kinds.as_ref()?;
        let (class, probability) = kinds.classify(&kind::row(analysis, first.rows.row(0), likely));
        Some((PageKind::LEARNED[class], probability))
    }
}
