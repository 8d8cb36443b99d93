//! Cuts pages into the units of the papers' methods: blocks with features, and segments.

pub mod features;
pub mod removal;
pub mod segments;
