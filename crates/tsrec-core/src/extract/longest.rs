//! The longest cell or `div`: baseline 1 of Pasternack and Roth 2009 (section 6.2.1).
//!
//! Of all table cells and `div` elements, this method takes the one whose text has the most
//! characters, including nested elements. In a tie, the inner element wins, since it describes the
//! text more closely.

use super::{Extraction, Extractor, Method, NoSibling, Page, PageContext};
use crate::html::document::{Edge, NodeId};
use crate::page::{Content, Piece};

/// The longest cell or `div`. On a page without one, everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Longest;

impl Extractor for Longest {
    /// Confidence is the share of the page's visible characters outside the element. It is high if
    /// the element is a small part of the page, and 0 if everything was taken.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let page = context.page();
        let sizes = visible_characters(page);
        let total = sizes[page.document.root().index()];
        let longest = page
            .document
            .descendants(page.document.root())
            .filter(|&id| page.document.local_name(id).is_some_and(|name| matches!(&**name, "td" | "th" | "div")))
            .filter(|&id| sizes[id.index()] > 0)
            .max_by_key(|&id| sizes[id.index()]) // the last of several: the innermost
            .unwrap_or(page.document.root());
        let content = visible_text(page, longest);
        let confidence = if total == 0 { 0.0 } else { 1.0 - sizes[longest.index()] as f64 / total as f64 };
        Ok(Extraction::of_page(Method::Longest, content, confidence))
    }
}

/// For each node, the number of visible characters in it and below it, without white space.
fn visible_characters(page: &Page<'_>) -> Vec<usize> {
    let document = page.document;
    let mut sizes = vec![0; document.len()];
    let mut walk = document.walk(document.root());
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Open(id) => match document.text(id) {
                Some(text) => sizes[id.index()] = text.chars().filter(|c| !c.is_whitespace()).count(),
                None if page.analysis.holds_no_text(id) => walk.skip_children(id),
                None => {}
            },
            Edge::Close(id) => {
                if let Some(parent) = document.parent(id) {
                    sizes[parent.index()] += sizes[id.index()];
                }
            }
        }
    }
    sizes
}

fn visible_text(page: &Page<'_>, top: NodeId) -> Content {
    let document = page.document;
    let mut pieces = Vec::new();
    let mut walk = document.walk(top);
    while let Some(edge) = walk.next() {
        let Edge::Open(id) = edge else { continue };
        match document.text(id) {
            Some(text) if !text.trim().is_empty() => pieces.push(Piece::whole(document, id)),
            Some(_) => {}
            None if page.analysis.holds_no_text(id) => walk.skip_children(id),
            None => {}
        }
    }
    Content::new(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::render::text::text;

    #[test]
    fn the_longest_element_is_taken() {
        for (page, expect) in [
            ("", ""),
            ("no div at all", "no div at all"),
            ("<div>short</div><div><div>much longer <p hidden>and hidden</p></div></div>", "much longer"),
            ("<table><tr><td>one<td>two three</table>", "two three"),
            ("seen<div hidden><div>not seen</div></div>", "seen"),
            ("<div>seen<select><option>not text</select></div>", "seen"),
        ] {
            let document = parse(page.as_bytes(), None, &Default::default());
            let extraction = Longest.extract(&PageContext::alone(&document)).unwrap();
            assert_eq!(text(&document, &extraction.content), expect);
        }
    }
}
