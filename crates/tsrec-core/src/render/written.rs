//! Which content every format writes, and how its text is cut.

use std::borrow::Cow;
use std::iter::Peekable;
use std::ops::Range;
use std::slice;

use super::debris::{self, Debris};
use super::gutter::Gutters;
use super::{labels, shortcodes};
use crate::html::document::{Document, NodeId};
use crate::html::permalink;
use crate::html::{is_space, printable};
use crate::page::{Content, Piece};

/// Removes content that is there for another medium: parentheses for browsers without ruby (we
/// write our own), permalinks of headings, buttons, shortcodes, line numbers beside code, links
/// back from footnotes, text that is only read aloud, and text without visible characters.
/// Linear in the page.
pub(super) fn written<'c>(document: &Document, content: &'c Content) -> Cow<'c, Content> {
    let written = written_with_ways_back(document, content);
    without(written, |piece| debris::way_back(document, piece.node).is_some())
}

/// Like [`written`], but links back from footnotes stay.
pub(super) fn written_with_ways_back<'c>(document: &Document, content: &'c Content) -> Cow<'c, Content> {
    let mut gutters = Gutters::default();
    let mut debris = Debris::find(document);
    changed(Cow::Borrowed(content), |piece| {
        let text = piece.text(document);
        let is_fallback = || document.parent(piece.node).is_some_and(|parent| document.is_element(parent, "rp"));
        if debris::is_spoken(document, piece.node) {
            return None;
        }
        if is_plain(text) {
            return (!is_fallback() && !debris.has_found(piece.node)).then(|| piece.range.clone());
        }
        let is_unseen = || !text.is_empty() && !text.contains(char::is_alphanumeric) && printable(text).is_empty();
        let is_dropped = is_fallback()
            || is_unseen()
            || permalink::is_in(document, piece.node)
            || debris.holds(document, piece.node)
            || gutters.hold(document, piece.node);
        let is_code =
            || document.ancestors(piece.node).any(|around| matches!(document.name(around), Some("pre" | "code")));
        let bare = Some(shortcodes::trimmed(text)).filter(|bare| bare.len() == text.len() || !is_code());
        let bare = bare.unwrap_or(0..text.len());
        let range = || piece.range.start + bare.start..piece.range.start + bare.end;
        let has_only_shortcodes = bare.is_empty() && !text.is_empty();
        (!is_dropped && !has_only_shortcodes).then(range)
    })
}

/// Whether a text is nothing of the above for what it says: quick, and true of most texts.
fn is_plain(text: &str) -> bool {
    let bare = text.trim();
    bare.len() > permalink::LONGEST && bare.starts_with(char::is_alphabetic) && !bare.ends_with(']')
}

/// The content without some pieces. Borrowed if there are none.
pub(super) fn without<'c>(content: Cow<'c, Content>, mut is_one: impl FnMut(&Piece) -> bool) -> Cow<'c, Content> {
    changed(content, |piece| (!is_one(piece)).then(|| piece.range.clone()))
}

/// The content with other ranges of its pieces, without those that get none. Borrowed if nothing
/// changes.
fn changed<'c>(content: Cow<'c, Content>, range: impl FnMut(&Piece) -> Option<Range<usize>>) -> Cow<'c, Content> {
    let ranges: Vec<_> = content.pieces().iter().map(range).collect();
    if content.pieces().iter().zip(&ranges).all(|(piece, range)| range.as_ref() == Some(&piece.range)) {
        return content;
    }
    let pieces = content
        .pieces()
        .iter()
        .zip(ranges)
        .filter_map(|(piece, range)| Some(Piece { node: piece.node, range: range? }));
    Cow::Owned(Content::new(pieces).parted_at(content.paragraphs().to_vec()))
}

/// The pieces of the content, read along with a walk over the page.
pub(super) struct Pieces<'d> {
    document: &'d Document,
    pieces: Peekable<slice::Iter<'d, Piece>>,
    paragraphs: Peekable<slice::Iter<'d, NodeId>>,
    /// Whether a paragraph has begun since the last piece.
    is_parted: bool,
    /// The last text that was read.
    before: Option<NodeId>,
}

/// A piece's text, safe to show. A segmentation cuts at words; white space around them still
/// separates them.
pub(super) struct WrittenText<'d> {
    pub(super) text: Cow<'d, str>,
    /// True if the content says that a paragraph begins with it.
    pub(super) begins_paragraph: bool,
    /// True if white space is before it in its text node.
    pub(super) is_apart_before: bool,
    /// True if white space is after it.
    pub(super) is_apart_after: bool,
}

impl<'d> Pieces<'d> {
    pub(super) fn new(document: &'d Document, content: &'d Content) -> Self {
        let paragraphs = content.paragraphs().iter().peekable();
        Pieces { document, pieces: content.pieces().iter().peekable(), paragraphs, is_parted: false, before: None }
    }

    /// True if no more pieces follow.
    pub(super) fn are_done(&mut self) -> bool {
        self.pieces.peek().is_none()
    }

    /// The kept text of a text node, if that node has the next piece.
    pub(super) fn at(&mut self, node: NodeId) -> Option<WrittenText<'d>> {
        self.is_parted |= self.paragraphs.next_if(|paragraph| **paragraph == node).is_some();
        let Piece { range, .. } = self.pieces.next_if(|piece| piece.node == node)?;
        let text = self.document.text(node)?;
        Some(WrittenText {
            text: printable(&text[range.clone()]),
            begins_paragraph: std::mem::take(&mut self.is_parted),
            is_apart_before: text[..range.start].ends_with(is_space)
                || self.before.replace(node).is_some_and(|before| {
                    parts_sentences(self.document, before, node) || labels::are_two(self.document, before, node)
                }),
            is_apart_after: text[range.end..].starts_with(is_space),
        })
    }
}

/// Whether a sentence ends with one element and the next begins with another of its kind directly
/// after it. Such elements are paragraphs by the page's style sheet.
fn parts_sentences(document: &Document, before: NodeId, after: NodeId) -> bool {
    let (Some(ended), Some(begun)) = (document.text(before), document.text(after)) else { return false };
    let mut last = ended.chars().rev();
    let is_end = matches!(last.next(), Some('.' | '!' | '?')) && last.next().is_some_and(char::is_lowercase);
    if !is_end || !begun.starts_with(char::is_uppercase) {
        return false;
    }
    let (Some(first), Some(second)) = (document.parent(before), document.parent(after)) else { return false };
    let is_code = |node| document.ancestors(node).any(|around| matches!(document.name(around), Some("code" | "pre")));
    document.local_name(first) == document.local_name(second)
        && document.parent(first) == document.parent(second)
        // Nodes are numbered in the page's order.
        && second.index() == before.index() + 1
        && !is_code(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn long_texts_are_dropped_for_where_they_stand_and_short_ones_for_what_they_say() {
        let long = "The ferry sails at nine, and the band plays on the quay";
        for (page, expect) in [
            (format!("<p>{long}</p>"), long.len()),
            (format!("<p><ruby>ferry<rp>{long}</rp></ruby></p>"), 5),
            (format!("<h2>Quay <button>{long}</button></h2>"), 5),
            (format!("<pre>quay<span class=copy-code>{}</span></pre>", "copycopy".repeat(8)), 4),
            (format!("<p>{long} [vc_row id=\"1\"]</p>"), long.len()),
            (format!("<h2>Quay<a href=#quay>permalink</a></h2><p>{long}</p>"), 4 + long.len()),
        ] {
            let document = parse(page.as_bytes(), None, &Default::default());
            let texts = document.descendants(document.root()).filter(|&node| document.text(node).is_some());
            let all = Content::new(texts.map(|node| Piece::whole(&document, node)));
            let content = written(&document, &all);
            let length: usize = content.pieces().iter().map(|piece| piece.range.len()).sum();
            assert_eq!(length, expect, "{page}");
        }
    }
}
