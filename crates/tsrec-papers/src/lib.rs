//! The trained methods of the papers behind tsrec. They are chosen by name and measured:
//! - maximum subsequence segmentation over a classifier, supervised and semi-supervised
//!   (Pasternack, Roth 2009)
//! - the conditional random field of Marek (2007)
//! - the particle swarm of Ziegler and Skubacz (2007)
//! - segments with CSS (Luo et al. 2009)
//! - a vote of three methods

pub mod block;
pub mod crf;
pub mod learn;
pub mod model;
pub mod mss;
pub mod registry;
pub mod segments;
pub mod style;
pub mod swarm;
pub mod vote;
