//! A page as a sequence of tags, words and symbols (Pasternack, Roth 2009, section 5.2).
//!
//! The paper tokenises the source. We take the tokens from the tree, so that end tags that the
//! source omits count too. Text that is never seen, and text inside widgets and embedded resources,
//! makes no tokens. The paper does the same with the contents of `script` and `style`.

use std::ops::Range;

use crate::html::document::{Document, Edge, NodeId};
use crate::html::visibility;
use crate::words::is_word_char;

/// A tag, or a piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockToken {
    /// A start tag.
    Open(NodeId),
    /// An end tag.
    Close(NodeId),
    /// A word or a number: a byte range of a text node.
    Word(NodeId, Range<usize>),
    /// A single character that is neither white space nor part of a word.
    Symbol(NodeId, Range<usize>),
}

impl BlockToken {
    /// True of start and end tags.
    pub fn is_tag(&self) -> bool {
        matches!(self, BlockToken::Open(_) | BlockToken::Close(_))
    }

    /// The position of the token's text, if it has text.
    pub fn text(&self) -> Option<(NodeId, &Range<usize>)> {
        match self {
            BlockToken::Word(node, range) | BlockToken::Symbol(node, range) => Some((*node, range)),
            BlockToken::Open(_) | BlockToken::Close(_) => None,
        }
    }
}

/// The tokens of a page in document order. Linear.
pub fn tokens(document: &Document) -> Vec<BlockToken> {
    let mut tokens = Vec::new();
    let mut walk = document.walk(document.root());
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Open(id) => match (document.text(id), document.local_name(id)) {
                (Some(text), _) => push_text(&mut tokens, id, text),
                (None, Some(_)) => {
                    tokens.push(BlockToken::Open(id));
                    if visibility::holds_no_text(document, id) {
                        walk.skip_children(id);
                    }
                }
                (None, None) => {}
            },
            Edge::Close(id) if document.local_name(id).is_some_and(|name| !is_void(name)) => {
                tokens.push(BlockToken::Close(id))
            }
            Edge::Close(_) => {}
        }
    }
    tokens
}

fn push_text(tokens: &mut Vec<BlockToken>, node: NodeId, text: &str) {
    let mut word_start = None;
    for (at, c) in text.char_indices() {
        match (is_word_char(c), word_start) {
            (true, None) => word_start = Some(at),
            (true, Some(_)) => {}
            (false, start) => {
                if let Some(start) = start {
                    tokens.push(BlockToken::Word(node, start..at));
                    word_start = None;
                }
                if !c.is_whitespace() {
                    tokens.push(BlockToken::Symbol(node, at..at + c.len_utf8()));
                }
            }
        }
    }
    if let Some(start) = word_start {
        tokens.push(BlockToken::Word(node, start..text.len()));
    }
}

/// The HTML standard's void elements (section 13.1.2), which have no end tag, and the obsolete
/// elements that parse alike.
pub(crate) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn tags_words_and_symbols_come_in_order() {
        let document = parse(
            "<p>It’s 3.5 km<br>naïve <script>x</script><select><option>x</select></p>".as_bytes(),
            None,
            &Default::default(),
        );
        let rows: Vec<String> = tokens(&document)
            .iter()
            .map(|token| match token {
                BlockToken::Open(id) => format!("<{}>", document.local_name(*id).unwrap()),
                BlockToken::Close(id) => format!("</{}>", document.local_name(*id).unwrap()),
                BlockToken::Word(id, range) | BlockToken::Symbol(id, range) => {
                    document.text(*id).unwrap()[range.clone()].into()
                }
            })
            .collect();
        assert_eq!(
            rows.join(" "),
            "<html> <head> </head> <body> <p> It ’ s 3 . 5 km <br> naïve <script> </script> <select> </select> </p> </body> </html>"
        );
    }
}
