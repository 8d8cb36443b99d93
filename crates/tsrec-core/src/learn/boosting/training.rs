//! The settings of training.

use super::Error;
use super::forest::{MOST_COLUMNS, MOST_LEAVES};
use super::histogram::MOST_ROWS;
use super::rows::Rows;
use crate::learn::parallel::{InTurn, Workers};

/// How to grow trees. The defaults are LightGBM's.
#[derive(Clone, Debug)]
pub struct Training {
    /// The number of rounds. Each round gives one tree, or one per class.
    pub trees: usize,
    /// The most leaves of a tree, 2 to 32,767.
    pub leaves: usize,
    /// The share of its step that a tree takes, above 0.
    pub learning_rate: f64,
    /// The least sum of the loss's second derivatives in a leaf. A row of weight 1 adds at most
    /// 0.25.
    pub least_leaf_weight: f64,
    /// The fewest rows in a leaf; 0 means 1.
    pub least_leaf_rows: usize,
    /// The L2 penalty on a leaf's value.
    pub lambda: f64,
    /// Splits must gain more than this.
    pub least_gain: f64,
    /// The most bins of a column, 2 to 255; absent values have one more.
    pub bins: usize,
    /// The share of rows that a round uses, above 0 to 1.
    pub row_share: f64,
    /// The share of columns that a tree uses, above 0 to 1.
    pub column_share: f64,
    /// Whether rows that are clear after some of the trees exit early. This saves more than half of
    /// the steps. A decision at a probability between 0.12 and 0.88 changes for at most one exiting
    /// row in a thousand. Not for classes.
    pub early_exits: bool,
    /// The seed for drawing rows and columns.
    pub seed: u64,
    /// The workers that grow the trees. The model does not depend on them.
    pub workers: &'static dyn Workers,
}

impl Default for Training {
    fn default() -> Training {
        Training {
            trees: 100,
            leaves: 31,
            learning_rate: 0.1,
            least_leaf_weight: 1e-3,
            least_leaf_rows: 20,
            lambda: 0.0,
            least_gain: 0.0,
            bins: 255,
            row_share: 1.0,
            column_share: 1.0,
            early_exits: false,
            seed: 0,
            workers: &InTurn,
        }
    }
}

impl Training {
    /// True if every round uses all rows and columns.
    pub(super) fn sees_all(&self) -> bool {
        self.row_share >= 1.0 && self.column_share >= 1.0
    }

    /// Returns what is wrong with the settings, or with rows and weights under them.
    pub(super) fn check(&self, rows: &Rows, labels: usize, weights: &[f32]) -> Result<(), Error> {
        self.check_settings()?;
        let count = rows.len();
        if labels != count || weights.len() != count {
            return Err(Error::new(format!("{count} rows, {labels} labels, {} weights", weights.len())));
        }
        if count > MOST_ROWS || rows.columns() > MOST_COLUMNS {
            return Err(Error::new(format!("more than {MOST_ROWS} rows or {MOST_COLUMNS} columns")));
        }
        if let Some(row) = weights.iter().position(|&weight| !(weight >= 0.0 && weight.is_finite())) {
            return Err(Error::new(format!("row {row} has the weight {}", weights[row])));
        }
        if weights.iter().all(|&weight| weight == 0.0) {
            return Err(Error::new("no row has a weight"));
        }
        Ok(())
    }

    fn check_settings(&self) -> Result<(), Error> {
        let share = |share: f64| share > 0.0 && share <= 1.0;
        let least = |least: f64| least >= 0.0 && least.is_finite();
        let checks = [
            ("leaves", (2..=MOST_LEAVES).contains(&self.leaves)),
            ("learning_rate", self.learning_rate > 0.0 && self.learning_rate.is_finite()),
            ("least_leaf_weight", least(self.least_leaf_weight)),
            ("lambda", least(self.lambda)),
            ("least_gain", least(self.least_gain)),
            ("bins", (2..=255).contains(&self.bins)),
            ("row_share", share(self.row_share)),
            ("column_share", share(self.column_share)),
        ];
        match checks.iter().find(|check| !check.1) {
            Some((name, _)) => Err(Error::new(format!("{name} is out of its range: {self:?}"))),
            None => Ok(()),
        }
    }
}
