//! Where a block of content begins.

use super::BlockType;
use crate::html::NodeId;

/// The beginning of a header, a paragraph or a list item in a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The text node where it begins.
    pub node: NodeId,
    /// The byte offset in that node's text.
    pub at: usize,
    /// What begins.
    pub kind: BlockType,
}
