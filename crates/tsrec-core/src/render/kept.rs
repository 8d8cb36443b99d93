//! What of a page's tree goes along with the text that is kept: the elements that hold it, links
//! and images.

use std::borrow::Cow;

use url::Url;

use super::lazy::{Lazy, is_pixel};
use crate::html::document::{Document, NodeId};
use crate::html::permalink;
use crate::html::{is_space, printable, visibility};
use crate::page::Content;

/// What goes along with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// Where links lead. The text of a link is kept anyway.
    pub links: bool,
    /// Images that stand amid the text.
    pub images: bool,
}

impl Default for Along {
    fn default() -> Self {
        Along { links: true, images: true }
    }
}

/// A document with what is kept of it.
pub(super) struct KeptContent<'d> {
    pub(super) document: &'d Document,
    base: Option<&'d Url>,
    along: Along,
    /// For every node, whether it holds kept text.
    holds: Vec<bool>,
    /// For every node, whether it holds any text at all; empty where no image is asked for.
    has_text: Vec<bool>,
    /// Images that scripts load; none where no image is asked for.
    lazy: Lazy,
}

/// An image, ready to be shown.
pub(super) struct Image<'d> {
    pub(super) source: String,
    pub(super) alternative: Cow<'d, str>,
}

impl<'d> KeptContent<'d> {
    /// Of content as it is [written](super::written). Linear in the page.
    pub(super) fn new(document: &'d Document, content: &Content, base: Option<&'d Url>, along: Along) -> Self {
        let mut holds = vec![false; document.len()];
        for piece in content.pieces() {
            mark(document, piece.node, &mut holds);
        }
        let mut has_text = Vec::new();
        if along.images {
            has_text = vec![false; document.len()];
            let is_text = |node: &NodeId| document.text(*node).is_some_and(|text| !text.chars().all(is_space));
            for node in document.descendants(document.root()).filter(is_text) {
                mark(document, node, &mut has_text);
            }
        }
        let lazy = if along.images { Lazy::find(document) } else { Lazy::default() };
        KeptContent { document, base, along, holds, has_text, lazy }
    }

    /// Whether a node holds text that is kept.
    pub(super) fn holds(&self, node: NodeId) -> bool {
        self.holds[node.index()]
    }

    /// Where an `a` leads, if it is to be said and safe: made absolute where the page's address is
    /// known; http, https and mailto.
    pub(super) fn link(&self, node: NodeId) -> Option<String> {
        let target = self.document.attribute(node, "href").filter(|_| self.along.links)?;
        safe(target, self.base)
    }

    /// An `img` that goes along. It does where the nearest element around it that has any text has
    /// some that is kept: so pictures between paragraphs do, in wrappers of their own too, and
    /// those of teasers that were dropped do not. Nor do those that nobody sees, or that lead a
    /// heading to itself.
    pub(super) fn image(&self, node: NodeId) -> Option<Image<'d>> {
        let document = self.document;
        if !self.along.images || !document.is_element(node, "img") || self.lazy.has_placeholder(node) {
            return None;
        }
        let around = document.ancestors(node).find(|ancestor| self.has_text[ancestor.index()])?;
        let is_page = document.is_element(around, "html") || document.parent(around).is_none();
        if !self.holds(around) || is_page || self.is_unseen(node, around) || permalink::is_in(document, node) {
            return None;
        }
        let picture = self.lazy.picture(node);
        let source = picture.and_then(|picture| self.source(picture)).or_else(|| self.source(node))?;
        let alternative = |node| document.attribute(node, "alt").map(str::trim).filter(|text| !text.is_empty());
        let alternative = alternative(node).or_else(|| alternative(picture?)).unwrap_or_default();
        Some(Image { source, alternative: printable(alternative) })
    }

    /// Whether an image is a pixel, or hidden, or anything between it and the element around it is.
    /// A `noscript` hides none: what is in it is kept, too.
    fn is_unseen(&self, node: NodeId, around: NodeId) -> bool {
        let document = self.document;
        // A placeholder may be hidden until it is loaded.
        let own = Some(node).filter(|&node| self.lazy.picture(node).is_none());
        let mut between = document.ancestors(node).take_while(|&ancestor| ancestor != around).chain(own);
        own.is_some_and(|node| is_pixel(document, node))
            || between.any(|node| !document.is_element(node, "noscript") && visibility::is_hidden(document, node))
    }

    /// Where an image is found.
    fn source(&self, node: NodeId) -> Option<String> {
        // What pages load later stands beside a placeholder.
        let sources = ["data-src", "data-lazy-src", "data-original", "src"];
        let mut found = sources.iter().filter_map(|name| self.document.attribute(node, name));
        found.find_map(|source| safe(source, self.base).filter(|url| !url.starts_with("mailto:")))
    }
}

/// Marks a node and those around it.
fn mark(document: &Document, node: NodeId, marked: &mut [bool]) {
    marked[node.index()] = true;
    for ancestor in document.ancestors(node) {
        if std::mem::replace(&mut marked[ancestor.index()], true) {
            break;
        }
    }
}

/// An address as it may be shown: absolute where a base is known, of a scheme that runs nothing.
fn safe(value: &str, base: Option<&Url>) -> Option<String> {
    let value = value.trim();
    if value.is_empty() {
        return None;
    }
    let url = match base {
        Some(base) => base.join(value).ok(),
        None => match Url::parse(value) {
            Err(url::ParseError::RelativeUrlWithoutBase) => return Some(printable(value).into_owned()),
            parsed => parsed.ok(),
        },
    };
    url.filter(|url| matches!(url.scheme(), "http" | "https" | "mailto")).map(String::from)
}
