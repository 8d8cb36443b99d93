//! Content as plain text: one block per line, with line breaks as in a browser.

use super::code::Code;
use super::written::{Pieces, WrittenText, written};
use crate::html::document::{Document, Edge, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::is_space;
use crate::page::Content;

/// The content as text, without a line break at its end. White space is folded, except in `pre`.
/// Blank lines separate paragraphs, line breaks separate list items and table rows, spaces separate
/// table cells. Ruby annotations are in parentheses. Linear in the page.
pub fn text(document: &Document, content: &Content) -> String {
    if content.pieces().is_empty() {
        return String::new();
    }
    let content = written(document, content);
    let mut out = TextWriter::default();
    let mut pieces = Pieces::new(document, &content);
    for edge in document.walk(document.root()) {
        if pieces.are_done() {
            break;
        }
        match edge {
            Edge::Open(id) => match (document.text(id), document.local_name(id)) {
                (Some(text), _) => match pieces.at(id) {
                    Some(piece) => out.piece(&piece),
                    None if text.chars().all(is_space) => out.blank(text),
                    None => {}
                },
                (None, Some(name)) => out.open(document, id, name),
                (None, None) => {}
            },
            Edge::Close(id) => {
                if let Some(name) = document.local_name(id) {
                    out.close(document, id, name);
                }
            }
        }
    }
    out.finish()
}

/// What must come before the next text.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

/// The open ruby annotation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RubyAnnotation {
    /// Nothing of it is written yet.
    Due(NodeId),
    /// Its parenthesis and first text are written.
    Begun(NodeId),
}

#[derive(Default)]
struct TextWriter {
    text: String,
    gap: Gap,
    /// The open preformatted text.
    code: Option<(NodeId, Code)>,
    annotation: Option<RubyAnnotation>,
}

impl TextWriter {
    fn open(&mut self, document: &Document, id: NodeId, name: &str) {
        if let Some((_, code)) = &mut self.code {
            code.boundary(name);
            return;
        }
        self.separate(document, id, name, default_display(name));
        match name {
            "pre" => self.code = Some((id, Code::default())),
            "rt" if self.annotation.is_none() => self.annotation = Some(RubyAnnotation::Due(id)),
            _ => {}
        }
    }

    fn close(&mut self, document: &Document, id: NodeId, name: &str) {
        if self.code.as_ref().is_some_and(|(code, _)| *code == id) {
            self.end_code();
        }
        let display = default_display(name);
        match &mut self.code {
            _ if display != DefaultDisplay::Block => {}
            Some((_, code)) => {
                code.boundary(name);
            }
            None => self.separate(document, id, name, display),
        }
        if let Some(RubyAnnotation::Due(of) | RubyAnnotation::Begun(of)) = self.annotation
            && of == id
        {
            self.end_annotation();
        }
    }

    fn piece(&mut self, piece: &WrittenText<'_>) {
        if let Some((_, code)) = &mut self.code {
            return code.text(&piece.text);
        }
        if piece.begins_paragraph {
            self.gap = Gap::Paragraph;
        }
        if piece.is_apart_before {
            self.space();
        }
        self.flow(&piece.text);
        if piece.is_apart_after {
            self.space();
        }
    }

    /// White space between texts.
    fn blank(&mut self, text: &str) {
        match &mut self.code {
            Some((_, code)) => code.text(text),
            None => self.space(),
        }
    }

    fn end_code(&mut self) {
        let Some((_, code)) = self.code.take() else { return };
        if !code.finish().is_empty() {
            self.fill_gap();
            self.text.push_str(code.finish());
        }
    }

    fn end_annotation(&mut self) {
        if let Some(RubyAnnotation::Begun(_)) = self.annotation.take() {
            self.gap = Gap::None;
            self.text.push(')');
        }
    }

    fn finish(mut self) -> String {
        self.end_code();
        self.end_annotation();
        self.text.truncate(self.text.trim_end().len());
        self.text
    }

    /// The boundary at the beginning or end of an element.
    fn separate(&mut self, document: &Document, id: NodeId, name: &str, display: DefaultDisplay) {
        let gap = match (display, name) {
            // The second line break in a row leaves a line blank.
            (DefaultDisplay::LineBreak, _) if self.gap == Gap::Line => Gap::Paragraph,
            (DefaultDisplay::LineBreak, _) => Gap::Line,
            (DefaultDisplay::Block, "td" | "th") => Gap::Space,
            (DefaultDisplay::Block, "li" | "dt" | "dd" | "tr" | "option" | "caption" | "tbody" | "thead" | "tfoot") => {
                Gap::Line
            }
            // A paragraph that is alone in a list item or cell adds no blank line.
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
                if let Some(RubyAnnotation::Due(annotation)) = self.annotation {
                    self.annotation = Some(RubyAnnotation::Begun(annotation));
                    self.gap = Gap::None;
                    self.text.push('(');
                }
                self.fill_gap();
                self.text.push_str(bare);
            }
            if bare.len() < word.len() {
                self.space();
            }
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
            ("a<br>b<br><br>c<br> <br><br>d", "a\nb\n\nc\n\nd"),
            ("<ul><li>a<li><p>b</p><li>c</ul>d", "a\nb\nc\n\nd"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><td>c<td>d</table>", "a b\nc d"),
            ("<pre>\n  a\n    b\n</pre>c", "  a\n    b\n\nc"),
            ("<pre>a\n<b>b</b>\n<i>c</i>\n\n</pre><p>d", "a\nb\nc\n\nd"),
            ("<div>one<p>two</p>three</div>", "one\n\ntwo\n\nthree"),
            ("a<img>b", "a b"),
            ("<pre><div>a</div><div><br></div><div>  b</div></pre>", "a\n\n  b"),
            ("<pre><code><span>a</span><br><br><span>b</span></code></pre>", "a\n\nb"),
            ("<table><tr><td>a<br>b</td><td><ul><li>c<li>d</ul></td><td><p>e</p></td><td>f</table>", "a\nb\nc\nd\ne f"),
            ("un\u{ad}broken\u{1b}[0m", "unbroken[0m"),
            ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> <ruby>字 <rt>ji</rt></ruby>", "漢(kan) 字(ji)"),
            ("<q>a</q> b<sup>2</sup>", "a b2"),
            ("<h2 id=a>A <a href='#a'>¶</a></h2>b", "A\n\nb"),
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
