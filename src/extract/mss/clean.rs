//! Cleaning the block found (section 4.2): the contents of every `iframe` and `table` go, and of every `div` that holds a link, an `iframe`, a
//! `table`, an image or an embedded object.
//!
//! Only pairs whose both tags lie in the block count, and cleaning comes before the dangling tags are closed: the other order throws the
//! article away with the `div` it stands in.

use crate::block::tokens::Token;
use crate::html::document::{Document, NodeId};
use crate::page::{Content, Piece};

/// The text of a block of tokens, without the contents of what section 4.2 removes.
pub(super) fn clean(document: &Document, block: &[Token]) -> Content {
    let mut dropped = vec![false; block.len()];
    let mut open: Vec<Opened> = Vec::new();
    for (index, token) in block.iter().enumerate() {
        match *token {
            Token::Open(node) => {
                if is_embedding(document, node) {
                    open.iter_mut().for_each(|outer| outer.embeds = true);
                }
                open.push(Opened { node, index, embeds: false });
            }
            Token::Close(node) => {
                let Some(at) = open.iter().rposition(|opened| opened.node == node) else { continue };
                let opened = open.swap_remove(at);
                open.truncate(at); // void elements, which never close
                let drop = match document.name(node).map(|name| &**name) {
                    Some("iframe" | "table") => true,
                    Some("div") => opened.embeds,
                    _ => false,
                };
                if drop {
                    dropped[opened.index..index].fill(true);
                }
            }
            Token::Word(..) | Token::Symbol(..) => {}
        }
    }
    let kept = block.iter().zip(dropped).filter(|(_, dropped)| !dropped);
    content(kept.map(|(token, _)| token))
}

/// All text of a block of tokens.
pub(super) fn whole(block: &[Token]) -> Content {
    content(block.iter())
}

fn content<'t>(tokens: impl Iterator<Item = &'t Token>) -> Content {
    Content::new(tokens.filter_map(|token| {
        let (node, range) = token.text()?;
        Some(Piece { node, range: range.clone() })
    }))
}

/// An element whose start tag lies in the block.
struct Opened {
    node: NodeId,
    index: usize,
    /// Whether a link or an embedded object stands inside.
    embeds: bool,
}

fn is_embedding(document: &Document, node: NodeId) -> bool {
    document
        .name(node)
        .is_some_and(|name| matches!(&**name, "a" | "iframe" | "table" | "img" | "embed" | "applet" | "object"))
}
