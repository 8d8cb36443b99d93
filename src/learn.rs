//! Learners and optimisers that know nothing of HTML.

pub mod crf;
pub mod lbfgs;
pub mod subsequence;
