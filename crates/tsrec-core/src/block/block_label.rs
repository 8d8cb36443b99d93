//! The five labels of text blocks in Victor (Marek 2007, section 2.3).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::page::BlockType;

/// The label of a text block, as a person or a model gives it.
///
/// The first three begin a block of content of their type. A continuation goes on with the block
/// begun last: text is split at every tag, so a paragraph with a link in it is three text blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockLabel {
    /// A heading, a byline or a dateline begins.
    Header,
    /// A paragraph begins.
    Paragraph,
    /// A list item begins.
    List,
    /// The block begun last goes on.
    Continuation,
    /// Not content.
    Other,
}

impl BlockLabel {
    /// Every label, in the order in which models number them.
    pub const ALL: [BlockLabel; 5] =
        [BlockLabel::Header, BlockLabel::Paragraph, BlockLabel::List, BlockLabel::Continuation, BlockLabel::Other];

    /// The label's name, as files hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            BlockLabel::Header => "header",
            BlockLabel::Paragraph => "paragraph",
            BlockLabel::List => "list",
            BlockLabel::Continuation => "continuation",
            BlockLabel::Other => "other",
        }
    }

    /// The key for the label: the first letter of its name.
    pub fn key(self) -> char {
        match self {
            BlockLabel::Header => 'h',
            BlockLabel::Paragraph => 'p',
            BlockLabel::List => 'l',
            BlockLabel::Continuation => 'c',
            BlockLabel::Other => 'o',
        }
    }

    /// The label of a key.
    pub fn from_key(key: char) -> Option<BlockLabel> {
        BlockLabel::ALL.into_iter().find(|label| label.key() == key)
    }

    /// True of every label but [`BlockLabel::Other`].
    pub fn is_content(self) -> bool {
        self != BlockLabel::Other
    }

    /// The type of the block that begins with this label, if it begins one.
    pub fn begins(self) -> Option<BlockType> {
        match self {
            BlockLabel::Header => Some(BlockType::Header),
            BlockLabel::Paragraph => Some(BlockType::Paragraph),
            BlockLabel::List => Some(BlockType::List),
            BlockLabel::Continuation | BlockLabel::Other => None,
        }
    }

    /// The label's index in [`BlockLabel::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

impl From<BlockType> for BlockLabel {
    /// The label that begins a block of this type.
    fn from(kind: BlockType) -> Self {
        match kind {
            BlockType::Header => BlockLabel::Header,
            BlockType::Paragraph => BlockLabel::Paragraph,
            BlockType::List => BlockLabel::List,
        }
    }
}

impl fmt::Display for BlockLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The error of [`BlockLabel::from_str`] for an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLabel(String);

impl fmt::Display for UnknownLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown label {:?}: it is one of header, paragraph, list, continuation, other", self.0)
    }
}

impl std::error::Error for UnknownLabel {}

impl FromStr for BlockLabel {
    type Err = UnknownLabel;

    fn from_str(name: &str) -> Result<Self, UnknownLabel> {
        BlockLabel::ALL.into_iter().find(|label| label.as_str() == name).ok_or_else(|| UnknownLabel(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keys_and_places_lead_back_to_their_labels() {
        for (index, label) in BlockLabel::ALL.into_iter().enumerate() {
            assert_eq!(label.as_str().parse(), Ok(label));
            assert_eq!(BlockLabel::from_key(label.key()), Some(label));
            assert_eq!(label.index(), index);
            assert!(label.begins().is_none_or(|kind| BlockLabel::from(kind) == label));
            assert_eq!(serde_json::to_string(&label).unwrap(), format!("{:?}", label.as_str()));
        }
        assert!("heading".parse::<BlockLabel>().unwrap_err().to_string().contains("\"heading\""));
        assert_eq!(BlockLabel::from_key('x'), None);
    }
}
