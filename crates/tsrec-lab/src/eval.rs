//! How good an extraction is, measured against gold text.
//!
//! Reading corpora from disk is the command line's part; here are the scores alone.

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
