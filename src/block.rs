//! The page as text blocks and tokens: the units of the methods that look at one page alone.

pub mod features;
pub mod hints;
pub mod language;
pub mod removal;
pub mod symbols;
pub mod tokens;
