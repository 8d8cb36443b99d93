//! Turns a page into merged text blocks: some elements are removed, others are pruned (Ziegler,
//! Skubacz 2007, section 3.1 and figure 2).
//!
//! `<p>Mr. Bush said in a <a>press release</a> yesterday</p>` is one block of text, not three. So
//! elements that only format or break text are *removed*: a space or nothing replaces them, and
//! their children stay. Other elements are *pruned* with all their content. The elements that
//! remain separate blocks. Each block counts the elements that were removed inside it.
//!
//! # Deviations
//!
//! - Text that is never seen ([`visibility::holds_no_text`]) is ignored, and so are its elements.
//!   The paper prunes `script` and `style`, and knows no `hidden` attribute and no style sheets.
//! - Removed elements are counted by [`Kind`], as the features need them, not by name.
//! - [`Splitting::Blocks`] is our own addition.

mod elements;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use self::elements::Treatment;
use tsrec_core::html::document::{Document, Edge, NodeId};
use tsrec_core::html::elements::{DefaultDisplay, default_display};
use tsrec_core::html::{is_space, visibility};
use tsrec_core::page::Piece;

/// Where one block ends and the next begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Splitting {
    /// At every element that figure 2 does not name: tables and their parts, `body`, and all
    /// elements younger than the paper. `div` and `p` do not separate, so a modern page has only a
    /// few blocks.
    Paper,
    /// At every element that the HTML standard lays out as a block, and where two `br` follow one
    /// another. Elements that the standard lays out inline are removed, whether figure 2 names them
    /// or not. Pruning is the same. A separating element counts for the block that it opens.
    #[default]
    Blocks,
}

/// A merged text block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedBlock {
    /// Its text, with white space folded and none at either end. Never empty.
    pub text: String,
    /// The text nodes that make up the block, in document order.
    pub pieces: Vec<Piece>,
    /// The byte ranges of `text` that are in links: ascending, not touching.
    pub linked: Vec<Range<usize>>,
    /// Counts of the removed elements.
    pub removed: RemovalCounts,
}

/// The kind of an element, as the features count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `b`, `em`, `font`, `small` and other elements that dress text.
    Format,
    /// A list or an item of one.
    List,
    /// Headlines, paragraphs, breaks and alignment.
    Structure,
}

/// How many elements of each kind were removed from a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemovalCounts {
    /// Elements of [`Kind::Format`].
    pub format: usize,
    /// Elements of [`Kind::List`].
    pub list: usize,
    /// Elements of [`Kind::Structure`].
    pub structure: usize,
}

/// The text blocks of a page, in document order. Linear.
pub fn text_blocks(document: &Document, splitting: Splitting) -> Vec<MergedBlock> {
    let mut merger = Merger { splitting, ..Merger::default() };
    let mut skipped: Option<NodeId> = None;
    let mut walk = document.walk(document.root());
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Open(id) => match (document.text(id), document.local_name(id)) {
                (Some(text), _) => merger.text(document, id, text),
                (None, Some(name)) => {
                    let treatment = elements::treatment(name, splitting);
                    if treatment == Treatment::Prune || visibility::holds_no_text(document, id) {
                        walk.skip_children(id);
                        skipped = Some(id);
                    } else {
                        merger.open(name, treatment);
                    }
                }
                (None, None) => {}
            },
            Edge::Close(id) => match document.local_name(id) {
                Some(_) if skipped == Some(id) => skipped = None,
                Some(name) => merger.close(name, elements::treatment(name, splitting)),
                None => {}
            },
        }
    }
    merger.separate();
    merger.blocks
}

/// A block of [`Splitting::Blocks`] ends after this many line breaks in a row. Authors write two of
/// them to mean a paragraph.
const BREAKS_OF_A_PARAGRAPH: usize = 2;

#[derive(Default)]
struct Merger {
    splitting: Splitting,
    blocks: Vec<MergedBlock>,
    /// The block that is being built.
    block: MergedBlock,
    /// Whether to insert white space before the next character.
    space: bool,
    /// Number of open links.
    links: usize,
    /// Line breaks since the last text.
    breaks: usize,
}

impl Merger {
    fn open(&mut self, name: &str, treatment: Treatment) {
        self.at(treatment);
        // An element that opens a block counts for that block. An element that only separates the
        // paper's blocks counts for neither side.
        if treatment != Treatment::Separate || self.splitting == Splitting::Blocks {
            self.block.removed.add(name);
        }
        self.links += usize::from(name == "a");
        if default_display(name) == DefaultDisplay::LineBreak {
            self.breaks += 1;
            if self.splitting == Splitting::Blocks && self.breaks >= BREAKS_OF_A_PARAGRAPH {
                self.separate();
            }
        }
    }

    fn close(&mut self, name: &str, treatment: Treatment) {
        self.at(treatment);
        if treatment == Treatment::Separate {
            // Elements without text do not count for the next block.
            self.block.removed = RemovalCounts::default();
        }
        self.links -= usize::from(name == "a");
    }

    /// Handles the start or the end of an element.
    fn at(&mut self, treatment: Treatment) {
        match treatment {
            Treatment::Space => self.space = true,
            Treatment::Separate => self.separate(),
            Treatment::Vanish | Treatment::Prune => {}
        }
    }

    fn separate(&mut self) {
        if !self.block.text.is_empty() {
            self.blocks.push(std::mem::take(&mut self.block));
        } else if self.splitting == Splitting::Paper {
            self.block.removed = RemovalCounts::default();
        }
        self.space = false;
    }

    fn text(&mut self, document: &Document, node: NodeId, text: &str) {
        let before = self.block.text.len();
        let mut start = None;
        for c in text.chars() {
            if is_space(c) {
                self.space = true;
                continue;
            }
            if self.space && !self.block.text.is_empty() {
                self.block.text.push(' ');
            }
            self.space = false;
            start.get_or_insert(self.block.text.len());
            self.block.text.push(c);
        }
        if self.block.text.len() == before {
            return;
        }
        self.breaks = 0;
        self.block.pieces.push(Piece::whole(document, node));
        if let (Some(start), true) = (start, self.links > 0) {
            self.block.linked.push(start..self.block.text.len());
        }
    }
}

impl RemovalCounts {
    fn add(&mut self, name: &str) {
        match elements::kind(name) {
            Some(Kind::Format) => self.format += 1,
            Some(Kind::List) => self.list += 1,
            Some(Kind::Structure) => self.structure += 1,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::html::parse;

    /// The blocks of a page in one line each: the text, then `format.list.structure` if anything
    /// was removed. Linked text is in brackets.
    fn blocks(page: &str, splitting: Splitting) -> Vec<String> {
        let document = parse(page.as_bytes(), None, &Default::default());
        let shown = text_blocks(&document, splitting).into_iter().map(|block| {
            for (piece, next) in block.pieces.iter().zip(block.pieces.iter().skip(1)) {
                assert!(piece.node < next.node);
            }
            let mut text = block.text.clone();
            for linked in block.linked.iter().rev() {
                text.insert(linked.end, ']');
                text.insert(linked.start, '[');
            }
            match block.removed {
                RemovalCounts { format: 0, list: 0, structure: 0 } => text,
                RemovalCounts { format, list, structure } => format!("{text} {format}.{list}.{structure}"),
            }
        });
        shown.collect()
    }

    #[test]
    fn figure_2_merges_removes_and_prunes() {
        for (page, expect) in [
            ("", &[] as &[&str]),
            ("<p> \n</p><img><script>x</script>", &[]),
            // The paper's own example, figure 1.
            (
                "<p>Mr. Bush said in a <a href=#>press release</a> yesterday</p>",
                &["Mr. Bush said in a [press release] yesterday 0.0.1"],
            ),
            // Removed with a space, without one, pruned.
            ("one<br>two<i>three</i>four", &["one twothreefour 1.0.1"]),
            ("a<address>b</address>c<button>d</button>e<ins>f</ins>", &["ace"]),
            ("<title>a</title><textarea>b</textarea><fieldset>c</fieldset><map>d</map>e", &["e"]),
            ("a<div>b<p>c</p></div><h2>d</h2>", &["a b c d 0.0.2"]),
            ("<ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>", &["a b c d 0.6.0"]),
            // In two columns of the figure: the element goes, its text stays.
            ("a<cite>b</cite><samp>c</samp>d", &["a b c d 2.0.0"]),
            // In no column: they separate, and elements outside count for neither side.
            ("<font>a<table><tr><td>b<td><p>c</table>d</font>", &["a 1.0.0", "b", "c 0.0.1", "d"]),
            ("a<section>b</section>c<time>d</time>", &["a", "b", "c", "d"]),
            // Invisible elements give no text, do not separate and do not count.
            ("a<p hidden>b</p><b style='display:none'>c</b><iframe></iframe>d", &["ad"]),
            // A link continues across blocks.
            ("<table><td><a href=x>a<section>b</section></a>c</table>", &["[a]", "[b]", "c"]),
        ] {
            assert_eq!(blocks(page, Splitting::Paper), expect, "{page}");
        }
    }

    #[test]
    fn block_elements_separate_in_the_variant() {
        for (page, expect) in [
            ("", &[] as &[&str]),
            (
                "<p>Mr. Bush said in a <a href=#>press release</a> yesterday</p>",
                &["Mr. Bush said in a [press release] yesterday 0.0.1"],
            ),
            ("a<div>b<p>c</p>d</div><h2>e</h2>", &["a", "b", "c 0.0.1", "d", "e 0.0.1"]),
            ("a<br>b<br> <br>c<br><!-- --><br><b>d</b>", &["a b 0.0.3", "c 0.0.2", "d 1.0.0"]),
            ("<ul><li>a<li><p>b<li><img></ul><p>c", &["a 0.2.0", "b 0.1.1", "c 0.0.1"]),
            ("<form>a</form><span>b<time>c</time></span>", &["a", "bc"]),
            ("a<address>b</address>c<fieldset>d</fieldset>e<del>f</del>", &["ace"]),
            ("<table><tr><td>a<td>b</table>", &["a", "b"]),
        ] {
            assert_eq!(blocks(page, Splitting::Blocks), expect, "{page}");
        }
    }
}
