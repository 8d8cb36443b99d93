//! Cleans the block found (section 4.2). It removes the contents of every `iframe` and `table`, and
//! of every `div` that holds a link, an `iframe`, a `table`, an image or an embedded object.
//!
//! Only pairs with both tags in the block count. Cleaning comes before the dangling tags are
//! closed, since the other order removes the article with the `div` around it. Tokens come from a
//! tree, so an end tag closes the last start tag that is still open.

use crate::block::symbols::{Symbol, SymbolKind};
use crate::block::tokens::{BlockToken, is_void};
use crate::html::document::Document;
use crate::page::{Content, Piece};

/// The text of a block of tokens, without the contents that section 4.2 removes.
pub fn clean(document: &Document, block: &[BlockToken]) -> Content {
    let dropped = dropped(block.iter().map(|token| part_of_token(document, token)));
    content(block.iter().zip(dropped).filter(|(_, dropped)| !dropped).map(|(token, _)| token))
}

/// The same for a page that is stored as symbols only: whether each symbol of the block stays.
pub fn clean_symbols(block: &[Symbol]) -> Vec<bool> {
    let roles = ROLES.map(|(name, role)| (Symbol::new(SymbolKind::Open, &format!("<{name}>")).code, role));
    let role =
        |symbol: &Symbol| roles.iter().find(|(code, _)| *code == symbol.code).map_or(Role::Other, |(_, role)| *role);
    let parts = block.iter().map(|symbol| match symbol.kind {
        SymbolKind::Open => TokenRole::Open(role(symbol)),
        SymbolKind::Void => TokenRole::Void(role(symbol)),
        SymbolKind::Close => TokenRole::Close,
        SymbolKind::Word | SymbolKind::Symbol => TokenRole::Text,
    });
    dropped(parts).into_iter().map(|dropped| !dropped).collect()
}

/// All text of a block of tokens.
pub fn whole(block: &[BlockToken]) -> Content {
    content(block.iter())
}

fn content<'t>(tokens: impl Iterator<Item = &'t BlockToken>) -> Content {
    Content::new(tokens.filter_map(|token| {
        let (node, range) = token.text()?;
        Some(Piece { node, range: range.clone() })
    }))
}

/// The role of a token in the cleaning.
#[derive(Clone, Copy)]
enum TokenRole {
    Open(Role),
    /// A start tag without an end tag.
    Void(Role),
    Close,
    Text,
}

/// The role of an element in the cleaning.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// Goes, and so does the `div` around it.
    Foreign,
    /// Stays, but the `div` around it goes.
    Embedded,
    /// Goes if it holds one of the above.
    Division,
    Other,
}

const ROLES: [(&str, Role); 8] = [
    ("iframe", Role::Foreign),
    ("table", Role::Foreign),
    ("a", Role::Embedded),
    ("img", Role::Embedded),
    ("embed", Role::Embedded),
    ("applet", Role::Embedded),
    ("object", Role::Embedded),
    ("div", Role::Division),
];

fn part_of_token(document: &Document, token: &BlockToken) -> TokenRole {
    match *token {
        BlockToken::Open(node) => {
            let name = document.local_name(node).map_or("", |name| name);
            let role = ROLES.iter().find(|(other, _)| *other == name).map_or(Role::Other, |(_, role)| *role);
            if is_void(name) { TokenRole::Void(role) } else { TokenRole::Open(role) }
        }
        BlockToken::Close(_) => TokenRole::Close,
        BlockToken::Word(..) | BlockToken::Symbol(..) => TokenRole::Text,
    }
}

/// An element whose start tag lies in the block.
struct OpenTag {
    role: Role,
    index: usize,
    /// Whether it holds a link or an embedded object.
    embeds: bool,
}

/// Whether each part of a block is removed. Linear but for the depth.
fn dropped(parts: impl Iterator<Item = TokenRole>) -> Vec<bool> {
    let mut dropped = Vec::new();
    let mut open: Vec<OpenTag> = Vec::new();
    for (index, part) in parts.enumerate() {
        dropped.push(false);
        match part {
            TokenRole::Open(role) | TokenRole::Void(role) => {
                if matches!(role, Role::Foreign | Role::Embedded) {
                    open.iter_mut().for_each(|outer| outer.embeds = true);
                }
                if matches!(part, TokenRole::Open(_)) {
                    open.push(OpenTag { role, index, embeds: false });
                }
            }
            TokenRole::Close => {
                let goes =
                    |opened: &OpenTag| opened.role == Role::Foreign || (opened.role == Role::Division && opened.embeds);
                if let Some(opened) = open.pop().filter(goes) {
                    dropped[opened.index..index].fill(true);
                }
            }
            TokenRole::Text => {}
        }
    }
    dropped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::symbols::symbols;
    use crate::block::tokens::tokens;
    use crate::html::parse;

    #[test]
    fn symbols_are_cleaned_as_tokens_are() {
        for (page, expect) in [
            ("a<div>b<img>c</div>d", "ad"),
            ("a<div>b<br>c</div>d", "abcd"),
            ("a<div>b<div>c<a>d</a></div>e</div>f", "af"),
            ("a<div>b</div><table><tr><td>c</table><p>d <a>e</a>", "abde"),
            ("<div>a<span>b<embed>c</span>d</div>e<object>f</object>", "e"),
        ] {
            let document = parse(page.as_bytes(), None, &Default::default());
            let block = tokens(&document);
            let text = |content: Content| -> String {
                let pieces = content.pieces().iter().map(|piece| piece.text(&document).replace(' ', ""));
                pieces.collect()
            };
            assert_eq!(text(clean(&document, &block)), expect, "{page}");
            let stays = clean_symbols(&symbols(&document, &block));
            let kept = block.iter().zip(stays).filter(|(_, stays)| *stays).map(|(token, _)| token);
            assert_eq!(text(content(kept)), expect, "{page}");
        }
    }
}
