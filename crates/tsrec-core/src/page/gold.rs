//! What a person marked on a page: the gold that learners train on and extractions are measured
//! against.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Content, Piece, WordSet};
use crate::html::document::{Document, Edge};
use crate::html::{NodeId, visibility};
use crate::words::pieces;

/// A page's gold: every visible word of it, in document order, with whether it belongs to the
/// content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gold {
    /// The words that a reader sees.
    pub words: Vec<GoldWord>,
    /// The words that the markup hides, until a script shows them, if one does. Methods that leave
    /// hidden text alone know nothing of them.
    pub hidden: Vec<GoldWord>,
    /// How many words of the gold text the page does not have.
    pub lost: usize,
    /// True when the gold says where blocks begin and of which type they are, so that
    /// [`GoldWord::start`] means something.
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
    /// Every word of a page, none of them kept. Linear.
    pub fn unmarked(document: &Document) -> Gold {
        let mut gold = Gold::default();
        // The outermost hidden element that is open.
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

    /// Gold that an extraction made in a person's place: what it kept is kept. Linear.
    pub fn of_content(document: &Document, content: &Content) -> Gold {
        let is_kept = kept_by(document, content);
        let mut gold = Gold::unmarked(document);
        for word in gold.words.iter_mut().chain(&mut gold.hidden) {
            word.kept = is_kept(word);
        }
        gold
    }

    /// The words of this gold that another content of the page keeps, by their numbers: those of
    /// its own [gold](Gold::of_content). Linear.
    pub fn words_of(&self, document: &Document, content: &Content) -> WordSet {
        WordSet::new(self.words.iter().map(kept_by(document, content)))
    }

    /// The content: the kept words with what stands between them in the same text node.
    pub fn content(&self) -> Content {
        let mut kept: Vec<&GoldWord> = self.words.iter().chain(&self.hidden).filter(|word| word.kept).collect();
        if !self.hidden.is_empty() {
            kept.sort_by_key(|word| (word.node, word.range.start));
        }
        Content::new(kept.into_iter().map(|word| Piece { node: word.node, range: word.range.clone() }))
    }

    /// The kept words, by their numbers.
    pub fn word_set(&self) -> WordSet {
        WordSet::new(self.words.iter().map(|word| word.kept))
    }

    /// The number of words that belong to the content.
    pub fn kept(&self) -> usize {
        self.words.iter().filter(|word| word.kept).count()
    }
}

/// Tells of a word whether a content keeps it.
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
        // One word of its text node, another node whole, and a piece without a word.
        let nodes = [0, 2, 3].map(|word| unmarked.words[word].node);
        let [a, c, d] =
            [(nodes[0], 0..1), (nodes[1], 0..1), (nodes[2], 2..3)].map(|(node, range)| Piece { node, range });
        let gold = Gold::of_content(&document, &Content::new([a.clone(), c.clone(), d]));
        assert_eq!(gold.words.iter().filter(|word| word.kept).map(text).collect::<String>(), "ac");
        assert_eq!(gold.content(), Content::new([a, c]));
    }
}
