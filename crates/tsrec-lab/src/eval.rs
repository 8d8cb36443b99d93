//! Measures how good an extraction is, against gold text.
//!
//! This module only computes scores. The command line reads corpora from disk.

pub mod bootstrap;
pub mod calibration;
pub mod floors;
pub mod folds;
pub mod judged;
pub mod markup;
pub mod metadata;
pub mod mistakes;
pub mod score;
pub mod segments;
pub mod wcxb;
