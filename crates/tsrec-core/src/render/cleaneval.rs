//! Content in CleanEval's markup: `<h>`, `<p>` or `<l>` before each header, paragraph and list item
//! (Marek 2007, section 2.3; the guidelines of CleanEval 2007).

use crate::html::document::{Document, Edge};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::{is_space, printable};
use crate::page::{Content, Start};

/// The content as blocks with a blank line between, each with its tag. Text that does not begin a
/// block joins the one before.
///
/// `starts` are in document order. One outside the content applies to the next kept text; if there
/// are several, the last counts. White space is folded, even in `pre`. Linear in the page.
pub fn cleaneval(document: &Document, content: &Content, starts: &[Start]) -> String {
    let mut out = CleanEvalWriter::default();
    let mut pieces = content.pieces().iter().peekable();
    let mut starts = starts.iter().peekable();
    for edge in document.walk(document.root()) {
        if pieces.peek().is_none() {
            break;
        }
        match edge {
            Edge::Open(id) => match (document.text(id), document.local_name(id)) {
                (Some(text), _) => {
                    let kept = pieces.next_if(|piece| piece.node == id).map(|piece| piece.range.clone());
                    // White space in text that is not kept still separates its neighbours.
                    let mut from = kept.as_ref().map_or(text.len(), |range| range.start);
                    let end = kept.map_or(text.len(), |range| range.end);
                    out.gap |= text[..from].contains(is_space);
                    while let Some(start) = starts.next_if(|start| start.node == id) {
                        let at = start.at.clamp(from, end);
                        out.flow(&text[from..at]);
                        out.begin(start.kind.letter());
                        from = at;
                    }
                    out.flow(&text[from..end]);
                    out.gap |= text[end..].contains(is_space);
                }
                (None, Some(name)) => out.gap |= default_display(name) != DefaultDisplay::Inline,
                (None, None) => {}
            },
            Edge::Close(id) => {
                out.gap |= document.local_name(id).is_some_and(|name| default_display(name) != DefaultDisplay::Inline)
            }
        }
    }
    out.text
}

#[derive(Default)]
struct CleanEvalWriter {
    text: String,
    /// The letter of the block that the next text begins.
    begins: Option<char>,
    /// Whether to write a space before the next text.
    gap: bool,
}

impl CleanEvalWriter {
    fn begin(&mut self, letter: char) {
        self.begins = Some(letter);
    }

    fn flow(&mut self, text: &str) {
        for word in printable(text).split_inclusive(is_space) {
            let bare = word.trim_end_matches(is_space);
            if !bare.is_empty() {
                self.separate();
                self.text.push_str(bare);
            }
            self.gap |= bare.len() < word.len();
        }
    }

    fn separate(&mut self) {
        match self.begins.take() {
            Some(letter) => {
                let blank = if self.text.is_empty() { "" } else { "\n\n" };
                self.text.push_str(&format!("{blank}<{letter}>"));
            }
            None if self.gap && !self.text.is_empty() => self.text.push(' '),
            None => {}
        }
        self.gap = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::page::{BlockType, Piece};

    /// Capitals are kept. A digit before a letter begins a block: 1 a header, 2 a paragraph, 3 an
    /// item.
    fn check(body: &str, expect: &str) {
        let document = parse(format!("<body>{body}").as_bytes(), None, &Default::default());
        let (mut pieces, mut starts) = (Vec::new(), Vec::new());
        for node in document.descendants(document.root()) {
            let Some(text) = document.text(node) else { continue };
            for (at, c) in text.char_indices() {
                match c {
                    '1' => starts.push(Start { node, at: at + 1, kind: BlockType::Header }),
                    '2' => starts.push(Start { node, at: at + 1, kind: BlockType::Paragraph }),
                    '3' => starts.push(Start { node, at: at + 1, kind: BlockType::List }),
                    c if c.is_uppercase() => pieces.push(Piece { node, range: at..at + 1 }),
                    _ => {}
                }
            }
        }
        assert_eq!(cleaneval(&document, &Content::new(pieces), &starts), expect, "{body}");
    }

    #[test]
    fn blocks_have_tags_and_continuations_are_joined() {
        check("", "");
        check("x", "");
        check("<h1>1A  B</h1> x <p>2C <a>D</a><i>E</i>, x <li>3F", "<h>A B\n\n<p>C DE\n\n<l>F");
        check("<p>2A<p>B<br>C", "<p>A B C");
        check("<p>A", "A");
        check("<p>1<p>2x<p>A", "<p>A");
        check("<pre>2A\n\nB</pre>", "<p>A B");
    }
}
