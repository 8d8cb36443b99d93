//! Learners and optimisers that know nothing of HTML.

pub mod subsequence;
