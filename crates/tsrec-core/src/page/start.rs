//! Where a block of content begins.

use super::BlockType;
use crate::html::NodeId;

/// The beginning of a header, a paragraph or an item of a list in a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The text node in which it begins.
    pub node: NodeId,
    /// Where in that node's text, in bytes.
    pub at: usize,
    /// What begins.
    pub kind: BlockType,
}
