//! What the programs `tsrec` and `tsrec-lab` share at the command line: arguments of methods, pages
//! named there, workers, progress, output.

pub mod corpus;
pub mod input;
pub mod json;
pub mod methods;
pub mod parallel;
pub mod progress;
pub mod show;
pub mod usage;
pub mod viewer;
pub mod whole_file;
