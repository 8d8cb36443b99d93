//! TSReC: a page as a tag sequence with region codes, and the comparison of two of them.
//!
//! From "Hybrid Method for Automated News Content Extraction from the Web" (Li, Meng, Li, Wang
//! 2006):
//!
//! 1. [`build`] makes the sequence (section 4, figure 3);
//! 2. [`common`] finds the common parts of two sequences by sequence matching (section 5.1, figure
//!    5);
//! 3. [`regular`] finds the regular parts by grouping, compacting and tree matching (section 5.2,
//!    figures 8 to 10).
//!
//! The rest of the page is its content. If a printed figure has an error, that module says so.

pub mod align;
pub mod build;
pub mod common;
pub mod edit;
mod prepared;
pub mod regular;
mod sequence;
mod stored;

pub use sequence::{ANONYMOUS, Element, Inline, TagSequence, WordCounts};
