//! Learners and optimisers that know nothing of HTML.

pub mod model;
pub mod naive_bayes;
pub mod subsequence;
