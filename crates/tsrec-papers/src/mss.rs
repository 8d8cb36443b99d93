//! Maximum subsequence segmentation over the scores of a classifier (Pasternack and Roth 2009,
//! sections 4 to 6): supervised, and semi-supervised.

pub mod article;
pub mod cleaneval;
pub mod features;
pub mod model;
pub mod reliability;
pub mod semi;
pub mod supervised;
pub mod table;
#[cfg(test)]
mod toy;
pub mod train;
