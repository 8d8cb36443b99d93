//! Learners and optimisers that know nothing of HTML.

pub mod model;
pub mod naive_bayes;
pub mod random;
pub mod similarity;
pub mod subsequence;
pub mod swarm;
