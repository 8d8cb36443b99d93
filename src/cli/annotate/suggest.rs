//! Labels to begin with: what an extraction keeps is content, of the type that its tag says, and the rest is other.

use std::ops::Range;

use super::outline::Outline;
use tsrec_core::block::block_label::BlockLabel;
use tsrec_core::block::text_blocks::{Source, TextBlock};
use tsrec_core::html::Document;
use tsrec_core::html::elements::{DefaultDisplay, default_display};
use tsrec_core::page::Content;

/// A label for each block. Linear in the page, apart from the depth of its tags.
pub(super) fn suggest(
    document: &Document,
    blocks: &[TextBlock],
    outline: &Outline,
    content: &Content,
) -> Vec<BlockLabel> {
    let mut kept: Vec<Range<usize>> = vec![0..0; document.len()];
    for piece in content.pieces() {
        kept[piece.node.index()] = piece.range.clone();
    }
    // True when a header, paragraph or list item has begun on the line that the block stands in.
    let mut begun = false;
    let label = |(block, shown): (&TextBlock, &super::outline::Block)| {
        begun &= !shown.begins;
        if !is_kept(block, &kept) {
            return BlockLabel::Other;
        }
        match std::mem::replace(&mut begun, true) {
            true => BlockLabel::Continuation,
            false => type_of(document, block),
        }
    };
    blocks.iter().zip(outline.blocks()).map(label).collect()
}

/// True when most of the block is kept. An alternative text never is: extractions keep text nodes.
fn is_kept(block: &TextBlock, kept: &[Range<usize>]) -> bool {
    let Source::Text { node, range } = &block.source else { return false };
    let piece = &kept[node.index()];
    let both = range.end.min(piece.end).saturating_sub(range.start.max(piece.start));
    both > 0 && both >= block.text.len() / 2
}

/// What the tags around a block say it is. A paragraph in a list item is a list item.
fn type_of(document: &Document, block: &TextBlock) -> BlockLabel {
    for name in block.containers(document).filter_map(|node| document.local_name(node)) {
        match &**name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => return BlockLabel::Header,
            "li" | "dt" | "dd" => return BlockLabel::List,
            "p" => {}
            other if default_display(other) == DefaultDisplay::Block => break,
            _ => {}
        }
    }
    BlockLabel::Paragraph
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::block::text_blocks::text_blocks;
    use tsrec_core::html::parse;
    use tsrec_core::page::Piece;

    /// The labels suggested for a body of which all text without an x is kept, as their keys.
    fn check(body: &str, expect: &str) {
        let document = parse(format!("<!DOCTYPE html><body>{body}").as_bytes(), None, &Default::default());
        let blocks = text_blocks(&document);
        let texts = document.descendants(document.root()).filter(|&node| document.text(node).is_some());
        let kept = texts.filter(|&node| document.text(node).is_some_and(|text| !text.contains('x')));
        let content = Content::new(kept.map(|node| Piece::whole(&document, node)));
        let labels = suggest(&document, &blocks, &Outline::new(&document, &blocks), &content);
        assert_eq!(labels.into_iter().map(BlockLabel::key).collect::<String>(), expect, "{body}");
    }

    #[test]
    fn tags_give_the_type() {
        check("<ul><li>x</ul><h1><b>a</b></h1><p>a<p>b <a>c</a> d<ul><li>a<li><p>b</ul><div>a", "ohppccllp");
        check("<p><b>x</b> a <a>b</a><p>c <img alt=cat> d <a>x</a> e", "opcpococ");
        check("<p>a<br>b<br><br>c", "pcp");
        check("<dl><dt>a<dd>b</dl><td>a<blockquote>b", "llpp");
        check("<pre>a\nb\n\nc</pre>", "pcp");
    }
}
