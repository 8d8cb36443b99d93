//! The beginnings and types of blocks that the tags show, for methods that find only the content.

use std::ops::Range;

use crate::block::text_blocks::{BlockTag, TextBlock, TextSource, text_blocks};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::{Document, NodeId};
use crate::page::{BlockType, Content, Start};

/// The number of line breaks that separate paragraphs: "a single line break does not usually split
/// a paragraph, while two or more usually do" (Marek 2007, section 4.1).
const PARTING_BREAKS: usize = 2;

/// For each block, the type that begins with it, if one does. A kept block begins something if a
/// tag or two line breaks interrupted the flow of text since the last kept one. It is a header
/// inside `h1` to `h6`, a list item inside `li`, `dt` or `dd`, and else a paragraph. Linear.
pub fn by_tags(document: &Document, blocks: &[TextBlock], kept: &[bool]) -> Vec<Option<BlockType>> {
    let types = types(document);
    let (mut parted, mut breaks) = (true, 0);
    let mut start = |block: &TextBlock, kept: bool| {
        for tag in &block.distance {
            match default_display(tag.name()) {
                DefaultDisplay::Block => parted = true,
                DefaultDisplay::LineBreak if matches!(tag, BlockTag::Open(_)) => breaks += 1,
                _ => {}
            }
        }
        parted |= breaks >= PARTING_BREAKS;
        breaks = 0;
        let begins = kept && parted;
        parted &= !kept;
        begins.then(|| types[block.parent.index()])
    };
    blocks.iter().zip(kept).map(|(block, &kept)| start(block, kept)).collect()
}

/// The beginnings of blocks in a content, from its tags. Linear in the page.
pub fn of_content(document: &Document, content: &Content) -> Vec<Start> {
    let blocks = text_blocks(document);
    let mut pieces: Vec<Option<&Range<usize>>> = vec![None; document.len()];
    for piece in content.pieces() {
        pieces[piece.node.index()] = Some(&piece.range);
    }
    // The beginning of the kept part of each block.
    let from = |block: &TextBlock| {
        let TextSource::Text { node, range } = &block.source else { return None };
        let piece = pieces[node.index()]?;
        let from = piece.start.max(range.start);
        (from < piece.end.min(range.end)).then_some((*node, from))
    };
    let places: Vec<Option<(NodeId, usize)>> = blocks.iter().map(from).collect();
    let kept: Vec<bool> = places.iter().map(Option::is_some).collect();
    let begins = by_tags(document, &blocks, &kept).into_iter().zip(places);
    begins
        .filter_map(|(kind, place)| {
            let (node, at) = place?;
            Some(Start { node, at, kind: kind? })
        })
        .collect()
}

/// For every node, the type of a block that begins there: a header inside `h1` to `h6`, a list item
/// inside `li`, `dt` or `dd`, else a paragraph. The nearest element with a type decides. Linear.
pub fn types(document: &Document) -> Vec<BlockType> {
    let mut types = vec![BlockType::Paragraph; document.len()];
    for id in document.descendants(document.root()) {
        types[id.index()] = match document.local_name(id).map(|name| &**name) {
            Some("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => BlockType::Header,
            Some("li" | "dt" | "dd") => BlockType::List,
            // A cell or a `div` in a list item is part of the item.
            _ => document.parent(id).map_or(BlockType::Paragraph, |parent| types[parent.index()]),
        };
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::page::Piece;

    /// Content is in capitals. Each start is shown as its letter and the text from there on.
    fn check(body: &str, expect: &[&str]) {
        let document = parse(format!("<body>{body}").as_bytes(), None, &Default::default());
        let pieces = document.descendants(document.root()).filter_map(|node| {
            let text = document.text(node)?;
            let start = text.find(char::is_uppercase)?;
            let end = text.rfind(char::is_uppercase)? + 1;
            Some(Piece { node, range: start..end })
        });
        let content = Content::new(pieces);
        let rows: Vec<String> = of_content(&document, &content)
            .iter()
            .map(|start| format!("{} {}", start.kind.letter(), &document.text(start.node).unwrap()[start.at..]))
            .collect();
        assert_eq!(rows, expect, "{body}");
    }

    #[test]
    fn tags_begin_blocks() {
        check("", &[]);
        check("<p>x", &[]);
        check("<h1>A <b>B</b></h1><p>C<br>D<br><br>E<ul><li>F<li><p>G</ul>", &["h A ", "p C", "p E", "l F", "l G"]);
        check("x <p>a A B</p> C", &["p A B", "p C"]);
        check("<p>A<i>x</i>B<p>x<p>C", &["p A", "p C"]);
        check("<pre>A\nB\n\nC</pre>", &["p A\nB\n\nC", "p C"]);
    }
}
