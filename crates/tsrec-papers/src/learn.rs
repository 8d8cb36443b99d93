//! Learners that only the papers' methods use.

pub mod crf;
pub mod swarm;
pub mod threads;
