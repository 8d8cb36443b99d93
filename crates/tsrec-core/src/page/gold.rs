//! Gold: what a person marked as content on a page. Learners train on it, and extractions are
//! measured against it.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Content, Piece, WordSet};
use crate::html::document::{Document, Edge};
use crate::html::{NodeId, visibility};
use crate::words::pieces;

/// A page's gold: its visible words in document order, each marked as content or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gold {
    /// The words that a reader sees.
    pub words: Vec<GoldWord>,
    /// The words that the markup hides, unless a script shows them. Methods that skip hidden text
    /// do not see them.
    pub hidden: Vec<GoldWord>,
    /// How many words of the gold text are missing from the page.
    pub lost: usize,
    /// True if the gold marks where blocks begin and their types, so that [`GoldWord::start`] is
    /// set.
    pub has_markup: bool,
}

/// A visible word of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldWord {
    /// Its text node.
    pub node: NodeId,
    /// Its byte range in that node's text.
    pub range: Range<usize>,
    /// True if it belongs to the content.
    pub kept: bool,
    /// The type of the marked block that begins with this word, if any.
    pub start: Option<BlockType>,
}

/// The block types of CleanEval's markup.
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
    /// Every word of a page, none of them kept. Linear.
    pub fn unmarked(document: &Document) -> Gold {
        let mut gold = Gold::default();
        // The outermost open hidden element.
        let mut hidden_below = None;
        let mut walk = document.walk(document.root());
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Open(node) => match (document.text(node), document.local_name(node)) {
                    (Some(text), _) => {
                        let words = if hidden_below.is_some() { &mut gold.hidden } else { &mut gold.words };
                        push_words(words, node, text);
                    }
                    (None, Some(name)) if visibility::is_no_text(name) => walk.skip_children(node),
                    (None, Some(_)) if hidden_below.is_none() && visibility::is_hidden(document, node) => {
                        hidden_below = Some(node);
                    }
                    _ => {}
                },
                Edge::Close(node) if hidden_below == Some(node) => hidden_below = None,
                Edge::Close(_) => {}
            }
        }
        gold
    }

    /// Gold made by an extraction instead of a person. Linear.
    pub fn of_content(document: &Document, content: &Content) -> Gold {
        let is_kept = kept_by(document, content);
        let mut gold = Gold::unmarked(document);
        for word in gold.words.iter_mut().chain(&mut gold.hidden) {
            word.kept = is_kept(word);
        }
        gold
    }

    /// The numbers of the gold words that another content of the page keeps, as its own
    /// [gold](Gold::of_content) counts them. Linear.
    pub fn words_of(&self, document: &Document, content: &Content) -> WordSet {
        WordSet::new(self.words.iter().map(kept_by(document, content)))
    }

    /// The content: the kept words and what is between them in the same text node.
    pub fn content(&self) -> Content {
        let mut kept: Vec<&GoldWord> = self.words.iter().chain(&self.hidden).filter(|word| word.kept).collect();
        if !self.hidden.is_empty() {
            kept.sort_by_key(|word| (word.node, word.range.start));
        }
        Content::new(kept.into_iter().map(|word| Piece { node: word.node, range: word.range.clone() }))
    }

    /// The numbers of the kept words.
    pub fn word_set(&self) -> WordSet {
        WordSet::new(self.words.iter().map(|word| word.kept))
    }

    /// The number of words that belong to the content.
    pub fn kept(&self) -> usize {
        self.words.iter().filter(|word| word.kept).count()
    }
}

/// Returns a function that says whether a content keeps a word.
fn kept_by(document: &Document, content: &Content) -> impl Fn(&GoldWord) -> bool + use<> {
    let mut kept = vec![0..0; document.len()];
    for piece in content.pieces() {
        kept[piece.node.index()] = piece.range.clone();
    }
    move |word| {
        let kept = &kept[word.node.index()];
        kept.start <= word.range.start && word.range.end <= kept.end
    }
}

fn push_words(words: &mut Vec<GoldWord>, node: NodeId, text: &str) {
    words.extend(pieces(text).map(|range| GoldWord { node, range, kept: false, start: None }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn gold_of_content_has_that_content() {
        let document = parse(b"<p>a b <i>c</i> d.</p><p hidden>e</p><p>f</p>", None, &Default::default());
        let text = |word: &GoldWord| document.text(word.node).unwrap()[word.range.clone()].to_owned();
        let unmarked = Gold::unmarked(&document);
        assert_eq!(unmarked.words.iter().map(text).collect::<String>(), "abcdf");
        assert_eq!(unmarked.kept(), 0);
        // One word of its text node, a whole node, and a piece without a word.
        let nodes = [0, 2, 3].map(|word| unmarked.words[word].node);
        let [a, c, d] =
            [(nodes[0], 0..1), (nodes[1], 0..1), (nodes[2], 2..3)].map(|(node, range)| Piece { node, range });
        let gold = Gold::of_content(&document, &Content::new([a.clone(), c.clone(), d]));
        assert_eq!(gold.words.iter().filter(|word| word.kept).map(text).collect::<String>(), "ac");
        assert_eq!(gold.content(), Content::new([a, c]));
    }
}
