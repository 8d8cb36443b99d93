//! Quotations within a line, which a browser puts between marks that are not in the page.

use crate::html::document::{Document, NodeId};
use crate::html::is_space;

/// Nodes that are looked at for the first text. Judgement.
const MOST_NODES: usize = 16;
/// What quotations begin with.
const MARKS: [char; 12] = ['"', '\'', '“', '”', '„', '«', '»', '‹', '‘', '’', '「', '『'];

/// Whether a `q` has marks of its own: its text begins with one, or what stands before it ends with
/// one.
pub(super) fn has_marks(document: &Document, quotation: NodeId, before: Option<char>) -> bool {
    let texts = document.descendants(quotation).take(MOST_NODES).filter_map(|node| document.text(node));
    let first = texts.flat_map(str::chars).find(|&c| !is_space(c));
    [before, first].into_iter().flatten().any(|c| MARKS.contains(&c))
}
