//! How good an extraction is, measured against gold text.
//!
//! Reading corpora from disk is the command line's part; here are the scores alone.

pub mod annotation;
pub mod bootstrap;
pub mod calibration;
pub mod corpus;
pub mod floors;
pub mod folds;
pub mod gold;
pub mod judged;
pub mod marks;
pub mod markup;
pub mod metadata;
pub mod mistakes;
pub mod score;
#[cfg(feature = "papers")]
pub mod segments;
pub mod taught;
pub mod wcxb;
