//! What a person marked on a page: the gold that learners train on and extractions are measured against.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Content, Piece};
use crate::html::NodeId;

/// A page's gold: every visible word of it, in document order, with whether it belongs to the content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gold {
    /// The words.
    pub words: Vec<GoldWord>,
    /// True when the gold says where blocks begin and of which type they are, so that [`GoldWord::start`] means something.
    pub has_markup: bool,
}

/// A visible word of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldWord {
    /// The text node it stands in.
    pub node: NodeId,
    /// Where in that node's text, in bytes.
    pub range: Range<usize>,
    /// True when it belongs to the content.
    pub kept: bool,
    /// The type of the marked block that begins with this word, if one does.
    pub start: Option<BlockType>,
}

/// The types of blocks that CleanEval's markup tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockType {
    /// `<h>`: a headline.
    Header,
    /// `<p>`: a paragraph.
    Paragraph,
    /// `<l>`: an item of a list.
    List,
}

impl BlockType {
    /// The letter of its tag.
    pub fn letter(self) -> char {
        match self {
            BlockType::Header => 'h',
            BlockType::Paragraph => 'p',
            BlockType::List => 'l',
        }
    }

    /// The type with this letter.
    pub fn from_letter(letter: char) -> Option<Self> {
        [BlockType::Header, BlockType::Paragraph, BlockType::List].into_iter().find(|kind| kind.letter() == letter)
    }
}

impl fmt::Display for BlockType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            BlockType::Header => "header",
            BlockType::Paragraph => "paragraph",
            BlockType::List => "list",
        })
    }
}

impl Gold {
    /// The content: the kept words with what stands between them in the same text node.
    pub fn content(&self) -> Content {
        let kept = self.words.iter().filter(|word| word.kept);
        Content::new(kept.map(|word| Piece { node: word.node, range: word.range.clone() }))
    }

    /// The number of words that belong to the content.
    pub fn kept(&self) -> usize {
        self.words.iter().filter(|word| word.kept).count()
    }
}
