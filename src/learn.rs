//! Learners and optimisers that know nothing of HTML, and the files that hold what was learned.

pub mod boosting;
pub mod crf;
pub mod isotonic;
pub mod lbfgs;
pub mod model;
pub mod naive_bayes;
pub mod random;
pub mod segmentation;
pub mod similarity;
pub mod subsequence;
pub mod swarm;
