//! The words that everything shares: what an element of a page is to the extractor, what content
//! is, and what gold is.

mod gold;
pub mod identity;
mod start;
mod word_set;

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::html::{Document, NodeId};
use crate::words;

pub use gold::{BlockType, Gold, GoldWord};
pub use start::Start;
pub use word_set::WordSet;

/// What an element of the page was found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// It stands on the sibling page too.
    Common,
    /// It is built like something on the sibling page.
    Regular,
    /// It is never seen.
    Hidden,
    /// It is kept.
    Content,
    /// It is dropped by the segmentation or its cleaning.
    Outside,
}

impl Label {
    /// Every label.
    pub const ALL: [Label; 5] = [Label::Common, Label::Regular, Label::Hidden, Label::Content, Label::Outside];

    /// The label as it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Label::Common => "common",
            Label::Regular => "regular",
            Label::Hidden => "hidden",
            Label::Content => "content",
            Label::Outside => "outside",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text that an extraction keeps: pieces of a document's text nodes, in document order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    pieces: Vec<Piece>,
}

/// A piece of a text node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text node.
    pub node: NodeId,
    /// The part of its text that is kept, in bytes.
    pub range: Range<usize>,
}

impl Content {
    /// Content of pieces that come in document order. A piece that touches or overlaps the one
    /// before it, or goes on in the same text node, joins it.
    pub fn new(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut joined: Vec<Piece> = Vec::new();
        for piece in pieces {
            match joined.last_mut() {
                Some(last) if last.node == piece.node => last.range.end = last.range.end.max(piece.range.end),
                _ => joined.push(piece),
            }
        }
        Content { pieces: joined }
    }

    /// The pieces, in document order, at most one a text node.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The same, given up.
    pub fn into_pieces(self) -> Vec<Piece> {
        self.pieces
    }

    /// True when nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The number of words: see [`crate::words`].
    pub fn words(&self, document: &Document) -> usize {
        self.pieces.iter().map(|piece| words::count(piece.text(document))).sum()
    }
}

impl Piece {
    /// A whole text node.
    pub fn whole(document: &Document, node: NodeId) -> Self {
        Piece { node, range: 0..document.text(node).map_or(0, str::len) }
    }

    /// The piece's text.
    pub fn text<'d>(&self, document: &'d Document) -> &'d str {
        document.text(self.node).map_or("", |text| &text[self.range.clone()])
    }
}
