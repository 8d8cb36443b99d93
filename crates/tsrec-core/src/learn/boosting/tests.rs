//! Tests of the learner as a whole. Its parts have tests in their own files.

mod behaviour;
mod cases;
mod forms;
mod oracle;
mod shapley;
