//! Content that was stored as [HTML](super::html), to be written again in any format.

use super::tei::TeiHeader;
use super::{Along, html, markdown, tei, text};
use crate::html::{Document, Limits, is_space, parse};
use crate::page::{Content, Piece};

/// Content without its page. All of it is kept, and its links are as absolute as when it was
/// written.
#[derive(Debug)]
pub struct Fragment {
    document: Document,
    content: Content,
}

impl Fragment {
    /// Reads what [`html`](html::html) wrote. Linear; never fails. Any other input passes the same
    /// closed list of names.
    ///
    /// ```
    /// use tsrec_core::render::{Along, Fragment};
    ///
    /// let fragment = Fragment::parse("<h2>Ferry</h2><p>It <em>sails</em>.</p>");
    /// assert_eq!(fragment.markdown(Along::default()), "## Ferry\n\nIt *sails*.");
    /// ```
    pub fn parse(html: &str) -> Fragment {
        let document = parse(html.as_bytes(), Some("utf-8"), &Limits { bytes: html.len().max(1), ..Limits::default() });
        let texts = document.descendants(document.root()).filter(|&node| is_seen(&document, node));
        let content = Content::new(texts.map(|node| Piece::whole(&document, node)));
        Fragment { document, content }
    }

    /// Turns plain text into a fragment of paragraphs. Blank lines separate them, as
    /// [`text`](text::text) writes them.
    pub fn of_text(text: &str) -> Fragment {
        let mut paragraphs = String::new();
        for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
            paragraphs.push_str("<p>");
            for (index, line) in paragraph.lines().enumerate() {
                paragraphs.push_str(if index > 0 { "<br>" } else { "" });
                html::escape(&mut paragraphs, line);
            }
            paragraphs.push_str("</p>\n");
        }
        Fragment::parse(&paragraphs)
    }

    /// Like [`text::text`] of the page.
    pub fn text(&self) -> String {
        text::text(&self.document, &self.content)
    }

    /// Like [`html::html`] of the page.
    pub fn html(&self, along: Along) -> String {
        html::html(&self.document, &self.content, None, along)
    }

    /// Like [`markdown::markdown`] of the page.
    pub fn markdown(&self, along: Along) -> String {
        markdown::markdown(&self.document, &self.content, None, along)
    }

    /// Like [`tei::tei`] of the page.
    pub fn tei(&self, along: Along, header: &TeiHeader) -> String {
        tei::tei(&self.document, &self.content, None, along, header)
    }
}

/// True of text that is not only white space between markup.
fn is_seen(document: &Document, node: crate::html::document::NodeId) -> bool {
    document.text(node).is_some_and(|text| !text.chars().all(is_space))
}
