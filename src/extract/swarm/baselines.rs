//! The paper's lower bounds (section 4.2): what is left without features, and all there is.

use crate::block::removal::{Splitting, text_blocks};
use crate::html::Document;
use crate::page::{Content, Piece};

/// Strategy PR: removal and pruning alone, every block is accepted. Either splitting gives the same text but for its pruning's edges.
pub fn all_blocks(document: &Document, splitting: Splitting) -> Content {
    Content::new(text_blocks(document, splitting).into_iter().flat_map(|block| block.pieces))
}

/// Strategy TB: "all text nodes within the original HTML document". All, as the tree has them: those of scripts, style sheets and
/// the title with the rest, seen or not; comments are no text nodes.
pub fn all_text(document: &Document) -> Content {
    let nodes = document.descendants(document.root()).filter(|&node| document.text(node).is_some());
    Content::new(nodes.map(|node| Piece::whole(document, node)))
}
