//! What of the content is written, and how its text is cut: the same for every format.

use std::borrow::Cow;
use std::iter::Peekable;
use std::slice;

use super::gutter::Gutters;
use crate::html::document::{Document, NodeId};
use crate::html::permalink;
use crate::html::{is_space, printable};
use crate::page::{Content, Piece};

/// The content without what is there for another medium: the parentheses of ruby for browsers that
/// have none, which are written around each annotation anyway; links of a heading to itself;
/// numbers of lines beside code; text without any character that is seen. Linear in the page.
pub(super) fn written<'c>(document: &Document, content: &'c Content) -> Cow<'c, Content> {
    let mut gutters = Gutters::default();
    let mut is_written = |piece: &Piece| {
        let text = piece.text(document);
        let is_fallback = || document.parent(piece.node).is_some_and(|parent| document.is_element(parent, "rp"));
        let is_unseen = || !text.is_empty() && printable(text).is_empty();
        !is_fallback() && !is_unseen() && !permalink::is_in(document, piece.node) && !gutters.hold(document, piece.node)
    };
    let kept: Vec<bool> = content.pieces().iter().map(&mut is_written).collect();
    if kept.iter().all(|kept| *kept) {
        return Cow::Borrowed(content);
    }
    let pieces = content.pieces().iter().zip(kept).filter(|(_, kept)| *kept);
    Cow::Owned(Content::new(pieces.map(|(piece, _)| piece.clone())))
}

/// The pieces of the content, beside a walk over the page.
pub(super) struct Pieces<'d> {
    document: &'d Document,
    pieces: Peekable<slice::Iter<'d, Piece>>,
}

/// A piece's text, as it may be shown. A segmentation cuts at words: white space around them still
/// keeps them apart.
pub(super) struct WrittenText<'d> {
    pub(super) text: Cow<'d, str>,
    /// White space stands before it in its text node.
    pub(super) is_apart_before: bool,
    /// White space stands after it.
    pub(super) is_apart_after: bool,
}

impl<'d> Pieces<'d> {
    pub(super) fn new(document: &'d Document, content: &'d Content) -> Self {
        Pieces { document, pieces: content.pieces().iter().peekable() }
    }

    /// True when there are no more.
    pub(super) fn are_done(&mut self) -> bool {
        self.pieces.peek().is_none()
    }

    /// What is kept of a text node, when it is the next that anything is kept of.
    pub(super) fn at(&mut self, node: NodeId) -> Option<WrittenText<'d>> {
        let Piece { range, .. } = self.pieces.next_if(|piece| piece.node == node)?;
        let text = self.document.text(node)?;
        Some(WrittenText {
            text: printable(&text[range.clone()]),
            is_apart_before: text[..range.start].ends_with(is_space),
            is_apart_after: text[range.end..].starts_with(is_space),
        })
    }
}
