//! The page as text blocks and tokens: the units of the methods that look at one page alone.

pub mod hints;
pub mod segments;
pub mod symbols;
pub mod tokens;
