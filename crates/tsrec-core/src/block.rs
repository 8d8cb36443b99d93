//! The page as text blocks and tokens, for the methods that look at one page alone.

pub mod block_label;
pub mod symbols;
pub mod text_blocks;
pub mod tokens;
