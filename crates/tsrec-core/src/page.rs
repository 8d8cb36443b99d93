//! Types that all modules share: the label of an element, content, and gold.

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

/// The label of an element of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// It is on the sibling page too.
    Common,
    /// It is built like something on the sibling page.
    Regular,
    /// It is invisible.
    Hidden,
    /// It is kept.
    Content,
    /// The segmentation or its clean-up dropped it.
    Outside,
}

impl Label {
    /// Every label.
    pub const ALL: [Label; 5] = [Label::Common, Label::Regular, Label::Hidden, Label::Content, Label::Outside];

    /// The label's name in output.
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
    /// See [`Content::parted_at`].
    paragraphs: Vec<NodeId>,
}

/// A piece of a text node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text node.
    pub node: NodeId,
    /// The byte range of its text that is kept.
    pub range: Range<usize>,
}

impl Content {
    /// Content from pieces in document order. If a piece touches or overlaps the one before it, or
    /// continues in the same text node, both are joined.
    pub fn new(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut joined: Vec<Piece> = Vec::new();
        for piece in pieces {
            match joined.last_mut() {
                Some(last) if last.node == piece.node => last.range.end = last.range.end.max(piece.range.end),
                _ => joined.push(piece),
            }
        }
        Content { pieces: joined, paragraphs: Vec::new() }
    }

    /// The same content, in which a paragraph begins at each of these text nodes. They are in
    /// document order. Other paragraphs begin where the tags say.
    pub fn parted_at(self, paragraphs: Vec<NodeId>) -> Self {
        Content { paragraphs, ..self }
    }

    /// The text nodes where a paragraph begins, whatever the tags say; in document order.
    pub fn paragraphs(&self) -> &[NodeId] {
        &self.paragraphs
    }

    /// The pieces, in document order, at most one per text node.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The pieces, by value.
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
