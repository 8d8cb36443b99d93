//! Quotations within a line, for which browsers add quotation marks that are not in the page.

use crate::html::document::{Document, NodeId};
use crate::html::is_space;

/// How many nodes are searched for the first text. Judgement.
const MOST_NODES: usize = 16;
/// The characters that a quotation may begin with.
const MARKS: [char; 12] = ['"', '\'', '“', '”', '„', '«', '»', '‹', '‘', '’', '「', '『'];

/// Whether a `q` has its own quotation marks: its text begins with one, or the text before it ends
/// with one.
pub(super) fn has_marks(document: &Document, quotation: NodeId, before: Option<char>) -> bool {
    let texts = document.descendants(quotation).take(MOST_NODES).filter_map(|node| document.text(node));
    let first = texts.flat_map(str::chars).find(|&c| !is_space(c));
    [before, first].into_iter().flatten().any(|c| MARKS.contains(&c))
}
