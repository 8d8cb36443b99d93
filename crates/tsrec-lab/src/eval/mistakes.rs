//! The mistakes of an extraction: how many words, and where on the page.

use std::collections::HashMap;

use serde::Serialize;

use tsrec_core::html::elements::{DefaultDisplay, default_display};
use tsrec_core::html::{Document, NodeId, Paths};
use tsrec_core::page::{Content, Gold};

/// The mistakes on a page, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Mistakes {
    /// Words that were kept and are not in the gold.
    pub wrongly_kept: usize,
    /// Words in the gold that were not kept.
    pub wrongly_lost: usize,
    /// Words in the gold that are not on the page: no extraction could keep them.
    pub absent: usize,
    /// The places with the most mistakes, the worst first.
    pub places: Vec<MistakenBlock>,
}

/// A block of the page with mistakes in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MistakenBlock {
    /// The block's path, for a browser's inspector.
    pub path: String,
    /// See [`Mistakes::wrongly_kept`].
    pub wrongly_kept: usize,
    /// See [`Mistakes::wrongly_lost`].
    pub wrongly_lost: usize,
}

/// Compares the kept content with the gold, which is aligned with the page. `gold_words` is the
/// number of words in the gold text, and `most` the greatest number of places to name. O(n log n).
pub fn mistakes(document: &Document, gold: &Gold, gold_words: usize, content: &Content, most: usize) -> Mistakes {
    let kept = Gold::of_content(document, content);
    let mut found = Mistakes { absent: gold_words.saturating_sub(gold.kept()), ..Mistakes::default() };
    let mut blocks: HashMap<NodeId, (usize, usize)> = HashMap::new();
    // Both are the page's visible words, in order.
    for (gold, kept) in gold.words.iter().zip(&kept.words).filter(|(gold, kept)| gold.kept != kept.kept) {
        let (wrongly_kept, wrongly_lost) = blocks.entry(block_of(document, gold.node)).or_default();
        *if kept.kept { &mut *wrongly_kept } else { &mut *wrongly_lost } += 1;
        *if kept.kept { &mut found.wrongly_kept } else { &mut found.wrongly_lost } += 1;
    }
    let mut blocks: Vec<(NodeId, (usize, usize))> = blocks.into_iter().collect();
    blocks.sort_by_key(|&(block, (kept, lost))| (std::cmp::Reverse(kept + lost), block.index()));
    let paths = Paths::new(document);
    found.places = blocks
        .into_iter()
        .take(most)
        .map(|(block, (wrongly_kept, wrongly_lost))| MistakenBlock {
            path: paths.path(block),
            wrongly_kept,
            wrongly_lost,
        })
        .collect();
    found
}

/// The nearest element around a text node with block layout.
fn block_of(document: &Document, text: NodeId) -> NodeId {
    let is_block =
        |node: &NodeId| document.local_name(*node).is_some_and(|name| default_display(name) == DefaultDisplay::Block);
    document.ancestors(text).find(is_block).unwrap_or_else(|| document.root())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::gold::align;
    use tsrec_core::html::parse;
    use tsrec_core::page::Piece;

    #[test]
    fn words_are_counted_where_they_stand() {
        let page =
            "<!DOCTYPE html><body><ul><li>menu item</ul><p>the <b>ferry</b> sails<p>tickets on board<p>about us</p>";
        let document = parse(page.as_bytes(), None, &Default::default());
        let text_with = |word: &str| {
            let mut texts = document.descendants(document.root());
            texts.find(|&id| document.text(id).is_some_and(|text| text.contains(word))).unwrap()
        };
        let keep = |words: &[&str]| Content::new(words.iter().map(|word| Piece::whole(&document, text_with(word))));
        let gold_text = "the ferry sails tickets on board tomorrow";
        let gold = align(&document, gold_text);
        let found = mistakes(&document, &gold, 7, &keep(&["menu", "the", "sails", "about"]), 9);
        let place = |path: &str, wrongly_kept, wrongly_lost| MistakenBlock {
            path: path.to_owned(),
            wrongly_kept,
            wrongly_lost,
        };
        let expect = [
            place("html > body > p:nth-of-type(2)", 0, 3),
            place("html > body > ul > li", 2, 0),
            place("html > body > p:nth-of-type(3)", 2, 0),
            place("html > body > p:nth-of-type(1)", 0, 1),
        ];
        assert_eq!((found.wrongly_kept, found.wrongly_lost, found.absent), (4, 4, 1));
        assert_eq!(found.places, expect);
        let right = mistakes(&document, &gold, 6, &gold.content(), 9);
        assert_eq!(right, Mistakes::default());
        assert_eq!(mistakes(&document, &gold, 7, &keep(&["menu"]), 1).places.len(), 1);
    }
}
