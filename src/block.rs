//! The page as text blocks and tokens: the units of the methods that look at one page alone.

pub mod block_label;
pub mod features;
pub mod removal;
#[cfg(feature = "papers")]
pub mod segments;
pub mod symbols;
pub mod text_blocks;
pub mod tokens;
