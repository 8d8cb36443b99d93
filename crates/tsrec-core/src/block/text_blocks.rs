//! A page as text blocks: its text, split at every tag (Marek 2007, sections 3.2 and 3.3).
//!
//! Precleaning deletes elements that hold no text of the page. These are the elements that the
//! tables of [`elements`](crate::html::elements) call never seen (`head`, `script`, `style`,
//! `noscript`, `template`, …) or replaced (`object`, `embed`, `applet`, `iframe`, `select`,
//! `textarea`, `svg`, …). It also deletes elements that the markup itself hides ([`visibility`]).
//! The rest is split at its tags. Inside `pre` each line is a block, and an image's alternative
//! text is a block too.
//!
//! Deviations: the paper's list of deleted tags was a setting that is lost. We use the list that
//! all methods share, which deletes hidden text too. The HTML parser replaces Tidy.

use std::borrow::Cow;
use std::ops::Range;

use html5ever::LocalName;

use super::tokens::is_void;
use crate::html::document::{Document, Edge, NodeId};
use crate::html::{strip_and_collapse, visibility};

/// A block of text between two tags, with at least one character that is not white space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextBlock {
    /// Where the text is.
    pub source: TextSource,
    /// The text, with white space folded and trimmed.
    pub text: String,
    /// The innermost element around the text. For an alternative text, the image itself.
    pub parent: NodeId,
    /// The tags since the previous block in document order, or since the beginning of the page.
    pub distance: Vec<BlockTag>,
}

/// Where the text of a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSource {
    /// In a text node: all of it, or inside `pre` one line of it. The range is in bytes and
    /// includes white space around the text.
    Text {
        /// The text node.
        node: NodeId,
        /// The part of its text.
        range: Range<usize>,
    },
    /// In the `alt` attribute of an image.
    Alt {
        /// The image.
        node: NodeId,
    },
}

/// A tag between two blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockTag {
    /// A start tag.
    Open(LocalName),
    /// An end tag; void elements have none.
    Close(LocalName),
}

impl BlockTag {
    /// The name of its element.
    pub fn name(&self) -> &LocalName {
        match self {
            BlockTag::Open(name) | BlockTag::Close(name) => name,
        }
    }
}

impl TextBlock {
    /// The elements around the text, the nearest first.
    pub fn containers<'d>(&self, document: &'d Document) -> impl Iterator<Item = NodeId> + 'd {
        std::iter::once(self.parent)
            .chain(document.ancestors(self.parent))
            .filter(|&node| document.local_name(node).is_some())
    }
}

/// The text blocks of a page, in document order. Linear.
///
/// ```
/// use tsrec_core::block::text_blocks::text_blocks;
/// let page = tsrec_core::html::parse(b"<p>Hello <b><i>world</i></b>!</p>", None, &Default::default());
/// let texts: Vec<String> = text_blocks(&page).into_iter().map(|block| block.text).collect();
/// assert_eq!(texts, ["Hello", "world", "!"]);
/// ```
pub fn text_blocks(document: &Document) -> Vec<TextBlock> {
    let mut splitter = Splitter { blocks: Vec::new(), distance: Vec::new() };
    let mut preformatted = 0;
    let mut walk = document.walk(document.root());
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Open(id) => match (document.text(id), document.local_name(id)) {
                (Some(text), _) => splitter.push_text(document, id, text, preformatted > 0),
                (None, Some(name)) => {
                    splitter.distance.push(BlockTag::Open(name.clone()));
                    preformatted += usize::from(&**name == "pre");
                    if &**name == "img" && !visibility::is_hidden(document, id) {
                        splitter.push(TextSource::Alt { node: id }, document.attribute(id, "alt").unwrap_or(""), id);
                    }
                    if visibility::holds_no_text(document, id) {
                        walk.skip_children(id);
                    }
                }
                (None, None) => {}
            },
            Edge::Close(id) => {
                if let Some(name) = document.local_name(id) {
                    preformatted -= usize::from(&**name == "pre");
                    if !is_void(name) {
                        splitter.distance.push(BlockTag::Close(name.clone()));
                    }
                }
            }
        }
    }
    splitter.blocks
}

struct Splitter {
    blocks: Vec<TextBlock>,
    distance: Vec<BlockTag>,
}

impl Splitter {
    /// A text node is one block. Inside `pre` each line is one, as if it ended with a `br`.
    fn push_text(&mut self, document: &Document, node: NodeId, text: &str, by_lines: bool) {
        let parent = document.parent(node).unwrap_or(document.root());
        if !by_lines {
            return self.push(TextSource::Text { node, range: 0..text.len() }, text, parent);
        }
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.trim_end_matches('\n').len();
            self.push(TextSource::Text { node, range: start..end }, line, parent);
            if line.ends_with('\n') {
                self.distance.push(BlockTag::Open("br".into()));
            }
            start += line.len();
        }
    }

    fn push(&mut self, source: TextSource, text: &str, parent: NodeId) {
        let text = match strip_and_collapse(text) {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        };
        if !text.is_empty() {
            let distance = std::mem::take(&mut self.distance);
            self.blocks.push(TextBlock { source, text, parent, distance });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    /// The blocks of a body, as `distance|text|names of the containers`, without `html` and `body`.
    fn check(body: &str, expect: &[&str]) {
        let document = parse(format!("<!DOCTYPE html><body>{body}").as_bytes(), None, &Default::default());
        let rows: Vec<String> = text_blocks(&document)
            .iter()
            .map(|block| {
                let names = |tag: &BlockTag| match tag {
                    BlockTag::Open(name) => name.to_string(),
                    BlockTag::Close(name) => format!("/{name}"),
                };
                let distance: Vec<String> = block.distance.iter().map(names).collect();
                let distance = distance.join(" ");
                let distance = distance.strip_prefix("html head /head body").unwrap_or(&distance).trim();
                let containers: Vec<&str> =
                    block.containers(&document).map(|id| &**document.local_name(id).unwrap()).collect();
                format!("{distance}|{}|{}", block.text, containers.join(" ").trim_end_matches("body html").trim_end())
            })
            .collect();
        assert_eq!(rows, expect, "{body}");
    }

    #[test]
    fn text_is_split_at_every_tag() {
        check("", &[]);
        check("<p> <b> </b>", &[]);
        check("<p>Hello <b><i>world</i></b>!</p>", &["p|Hello|p", "b i|world|i b p", "/i /b|!|p"]);
        check("a \n b<br><br>c<hr>d", &["|a b|", "br br|c|", "hr|d|"]);
        check("<p>a<img alt=' a  cat '><img><img alt=' '>b", &["p|a|p", "img|a cat|img p", "img img|b|p"]);
    }

    #[test]
    fn preformatted_text_is_split_by_lines() {
        check("<pre>\na\n\n  b <b>c</b>\n</pre>d", &["pre|a|pre", "br br|b|pre", "b|c|b pre", "/b br /pre|d|"]);
    }

    #[test]
    fn precleaning_deletes_what_is_no_text_of_the_page() {
        for gone in [
            "<script>x</script>",
            "<style>x</style>",
            "<noscript>x</noscript>",
            "<object>x</object>",
            "<iframe>x</iframe>",
            "<select><option>x</select>",
            "<textarea>x</textarea>",
            "<div hidden>x</div>",
            "<img alt=x style='display:none'>",
            "<input value=x>",
        ] {
            let document = parse(format!("<body>a{gone}b").as_bytes(), None, &Default::default());
            let texts: Vec<String> = text_blocks(&document).into_iter().map(|block| block.text).collect();
            assert_eq!(texts, ["a", "b"], "{gone}");
        }
    }

    #[test]
    fn blocks_stand_where_they_say() {
        let document = parse(b"<pre>one\n two \n</pre>  three  <img alt=four>", None, &Default::default());
        for block in text_blocks(&document) {
            let there = match &block.source {
                TextSource::Text { node, range } => &document.text(*node).unwrap()[range.clone()],
                TextSource::Alt { node } => document.attribute(*node, "alt").unwrap(),
            };
            assert_eq!(there.trim(), block.text);
        }
    }
}
