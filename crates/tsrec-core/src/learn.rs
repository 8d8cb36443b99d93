//! Learners and optimisers that know nothing about HTML, and their model files.

pub mod boosting;
pub mod isotonic;
pub mod lbfgs;
pub mod model;
pub mod naive_bayes;
pub mod parallel;
pub mod random;
pub mod regression;
pub mod segmentation;
pub mod similarity;
pub mod subsequence;

/// A training step that begins or has ended.
#[derive(Clone, Copy, Debug)]
pub struct Step<'s> {
    /// What is being done, in one line. A line to keep on screen ends with a line end.
    pub what: &'s str,
    /// Finished steps, out of `of` at most. All steps take about the same time.
    pub done: usize,
    /// See `done`.
    pub of: usize,
}
