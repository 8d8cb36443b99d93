//! Learners and optimisers that know nothing of HTML, and the files that hold what was learned.

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

/// A step of a training that begins, or is done.
#[derive(Clone, Copy, Debug)]
pub struct Step<'s> {
    /// What is being done, in a line; one that is to stay ends with a line end.
    pub what: &'s str,
    /// Steps that are done, of so many at most; they take about the same time each.
    pub done: usize,
    /// See `done`.
    pub of: usize,
}
