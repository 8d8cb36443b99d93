//! Content as plain text: one block a line, as a browser would break them.

use crate::html::document::{Document, Edge, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::is_space;
use crate::page::Content;

/// The content as text, without a line break at its end. White space is folded, except in `pre`; paragraphs are apart by a blank line,
/// list items and table rows by a line break, table cells by a space. Linear in the page.
pub fn text(document: &Document, content: &Content) -> String {
    let mut out = Writer::default();
    let mut pieces = content.pieces().iter().peekable();
    let mut preformatted = 0;
    for edge in document.walk(document.root()) {
        if pieces.peek().is_none() {
            break;
        }
        match edge {
            Edge::Open(id) => match (document.text(id), document.local_name(id)) {
                (Some(text), _) => match pieces.next_if(|piece| piece.node == id) {
                    Some(piece) if preformatted > 0 => out.preformatted(&text[piece.range.clone()]),
                    Some(piece) => {
                        // A segmentation cuts at words: what stood around them still keeps them apart.
                        out.flow(text[..piece.range.start].chars().next_back().map_or("", space_or_none));
                        out.flow(&text[piece.range.clone()]);
                        out.flow(text[piece.range.end..].chars().next().map_or("", space_or_none));
                    }
                    None if !text.chars().all(is_space) => {}
                    None if preformatted > 0 => out.preformatted_space(text),
                    None => out.space(),
                },
                (None, Some(name)) => {
                    preformatted += usize::from(&**name == "pre");
                    out.separate(document, id, name);
                }
                (None, None) => {}
            },
            Edge::Close(id) => {
                if let Some(name) = document.local_name(id) {
                    preformatted -= usize::from(&**name == "pre");
                    if default_display(name) == DefaultDisplay::Block {
                        out.separate(document, id, name);
                    }
                }
            }
        }
    }
    out.text.truncate(out.text.trim_end().len());
    out.text
}

fn space_or_none(c: char) -> &'static str {
    if is_space(c) { " " } else { "" }
}

/// What is due before the next text.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

#[derive(Default)]
struct Writer {
    text: String,
    gap: Gap,
}

impl Writer {
    /// The boundary that an element makes, at either of its ends.
    fn separate(&mut self, document: &Document, id: NodeId, name: &str) {
        let gap = match (default_display(name), name) {
            (DefaultDisplay::LineBreak, _) => Gap::Line,
            (DefaultDisplay::Block, "td" | "th") => Gap::Space,
            (DefaultDisplay::Block, "li" | "dt" | "dd" | "tr" | "option" | "caption" | "tbody" | "thead" | "tfoot") => {
                Gap::Line
            }
            // A paragraph that is all there is in a list item or a cell does not set it apart further.
            (DefaultDisplay::Block, _) if is_alone_in_item(document, id) => Gap::None,
            (DefaultDisplay::Block, _) => Gap::Paragraph,
            (DefaultDisplay::Replaced, _) => Gap::Space,
            _ => Gap::None,
        };
        self.gap = self.gap.max(gap);
    }

    fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    fn flow(&mut self, text: &str) {
        for word in text.split_inclusive(is_space) {
            let bare = word.trim_end_matches(is_space);
            if !bare.is_empty() {
                self.fill_gap();
                self.text.push_str(bare);
            }
            if bare.len() < word.len() {
                self.space();
            }
        }
    }

    /// Text with its line breaks; those at the ends of a block are the block's.
    fn preformatted(&mut self, text: &str) {
        if text.trim().is_empty() {
            return self.preformatted_space(text);
        }
        let begins_block = self.gap >= Gap::Line || self.text.is_empty();
        self.fill_gap();
        self.text.push_str(if begins_block { text.trim_start_matches('\n') } else { text });
    }

    /// White space between preformatted texts; before the first of a block it is layout.
    fn preformatted_space(&mut self, space: &str) {
        if self.gap < Gap::Line && !self.text.is_empty() {
            self.text.push_str(space);
        }
    }

    fn fill_gap(&mut self) {
        if !self.text.is_empty() {
            if self.gap >= Gap::Line {
                self.text.truncate(self.text.trim_end().len());
            }
            self.text.push_str(match self.gap {
                Gap::None => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            });
        }
        self.gap = Gap::None;
    }
}

fn is_alone_in_item(document: &Document, id: NodeId) -> bool {
    let Some(parent) = document.parent(id) else { return false };
    let in_item = document.local_name(parent).is_some_and(|name| matches!(&**name, "li" | "td" | "th" | "dd" | "dt"));
    let is_blank = |node| document.text(node).is_some_and(|text| text.chars().all(is_space));
    in_item && document.children(parent).all(|child| child == id || is_blank(child))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::page::Piece;

    fn check(page: &str, expect: &str) {
        let document = parse(page.as_bytes(), None, &Default::default());
        let texts = document
            .descendants(document.root())
            .filter(|&id| document.text(id).is_some_and(|text| !text.trim().is_empty()));
        let content = Content::new(texts.map(|id| Piece::whole(&document, id)));
        assert_eq!(text(&document, &content), expect, "{page}");
    }

    #[test]
    fn blocks_become_lines() {
        for (page, expect) in [
            ("", ""),
            ("<p>a  b\n<b>c</b>d<p>e", "a b cd\n\ne"),
            ("<p>a <b>b</b> <i>c</i></p>", "a b c"),
            ("a<br>b<br><br>c", "a\nb\nc"),
            ("<ul><li>a<li><p>b</p><li>c</ul>d", "a\nb\nc\n\nd"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><td>c<td>d</table>", "a b\nc d"),
            ("<pre>\n  a\n    b\n</pre>c", "  a\n    b\n\nc"),
            ("<pre>a\n<b>b</b>\n<i>c</i>\n\n</pre><p>d", "a\nb\nc\n\nd"),
            ("<div>one<p>two</p>three</div>", "one\n\ntwo\n\nthree"),
            ("a<img>b", "a b"),
        ] {
            check(page, expect);
        }
    }

    #[test]
    fn pieces_of_text_are_cut_out() {
        let document = parse(b"<p>one two three", None, &Default::default());
        let node = document.descendants(document.root()).find(|&id| document.text(id).is_some()).unwrap();
        assert_eq!(text(&document, &Content::new([Piece { node, range: 4..7 }])), "two");
    }

    #[test]
    fn words_that_were_cut_out_stay_apart() {
        let document = parse(b"<p>they kept <abbr>PST</abbr>, (al<b>most</b>) all", None, &Default::default());
        let texts: Vec<_> = document.descendants(document.root()).filter(|&id| document.text(id).is_some()).collect();
        let piece = |index: usize, range| Piece { node: texts[index], range };
        let pieces = [piece(0, 0..9), piece(1, 0..3), piece(2, 0..1), piece(2, 3..5), piece(3, 0..4), piece(4, 2..5)];
        assert_eq!(text(&document, &Content::new(pieces)), "they kept PST, (almost all");
    }
}
