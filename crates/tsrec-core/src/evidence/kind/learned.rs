//! The learned model of page kinds: a [table](KindTable) of feature weights, and trees that read
//! its result and other evidence.

use serde::{Deserialize, Serialize};
use url::Url;

use super::PageKind;
use super::row::{WIDTH, row};
use super::table::{Called, KINDS, KindTable};
use crate::analysis::Analysis;
use crate::learn::boosting;
use crate::learn::boosting::{ClassModel, Rows};

/// The learned model. Reading it gives an error if the bytes are damaged, or if it was trained on
/// other evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "LearnedParts", into = "LearnedParts")]
pub(in crate::evidence) struct Kinds(LearnedParts);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LearnedParts {
    table: KindTable,
    trees: ClassModel,
}

impl From<Kinds> for LearnedParts {
    fn from(kinds: Kinds) -> LearnedParts {
        kinds.0
    }
}

impl TryFrom<LearnedParts> for Kinds {
    type Error = &'static str;

    fn try_from(parts: LearnedParts) -> Result<Kinds, &'static str> {
        let fits = parts.trees.columns() == WIDTH && parts.trees.classes() == KINDS;
        fits.then_some(Kinds(parts)).ok_or("its kinds were trained on other evidence than this program reads")
    }
}

/// A page whose kind is known, for training.
pub(in crate::evidence) struct KnownKind<'p> {
    pub(in crate::evidence) analysis: &'p Analysis,
    /// The columns of the page.
    pub(in crate::evidence) page: Vec<f32>,
    /// For each block, the probability that it is content.
    pub(in crate::evidence) likely: &'p [f32],
    /// The result of a table that was trained without the page.
    pub(in crate::evidence) called: &'p Called,
    pub(in crate::evidence) kind: PageKind,
}

impl Kinds {
    /// Trains the trees over a table. `None` if no page's kind is known.
    pub(in crate::evidence) fn train<'p>(
        table: KindTable,
        pages: impl Iterator<Item = KnownKind<'p>>,
        training: &boosting::Training,
    ) -> Option<Kinds> {
        let (mut rows, mut labels) = (Rows::new(WIDTH), Vec::new());
        for page in pages {
            if let Some(class) = PageKind::LEARNED.iter().position(|&kind| kind == page.kind) {
                rows.push(&row(page.analysis, &page.page, page.likely, page.called));
                labels.push(class);
            }
        }
        let weights = vec![1.0; labels.len()];
        let trained = boosting::train_classes(&rows, &labels, KINDS, &weights, training, |_| {}).ok()?;
        Some(Kinds(LearnedParts { table, trees: trained.model.shortened() }))
    }

    /// The table's result for the page. Linear in the page.
    pub(in crate::evidence) fn called(&self, analysis: &Analysis, url: Option<&Url>) -> Called {
        self.0.table.log_probabilities(analysis, url)
    }

    /// The kind and its probability. Linear in the page.
    pub(in crate::evidence) fn classify(
        &self,
        analysis: &Analysis,
        page: &[f32],
        likely: &[f32],
        called: &Called,
    ) -> (PageKind, f32) {
        let (class, probability) = self.0.trees.classify(&row(analysis, page, likely, called));
        (PageKind::LEARNED[class], probability)
    }
}
