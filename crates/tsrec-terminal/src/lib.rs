//! Command-line code shared by `tsrec` and `tsrec-lab`: method arguments, input pages, workers,
//! progress, output.

pub mod corpus;
pub mod favor;
pub mod input;
pub mod json;
pub mod methods;
pub mod parallel;
pub mod progress;
pub mod show;
pub mod usage;
pub mod viewer;
pub mod whole_file;
