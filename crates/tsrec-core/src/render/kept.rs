//! What is kept of a page's tree besides text: the elements around it, links and images.

use url::Url;

use super::images::{Image, Images};
use crate::html::document::{Document, NodeId};
use crate::html::{permalink, printable};
use crate::page::Content;

/// What is kept besides the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// The targets of links. The text of a link is always kept.
    pub links: bool,
    /// Images within the text.
    pub images: bool,
}

impl Default for Along {
    fn default() -> Self {
        Along { links: true, images: true }
    }
}

/// How many elements without words may be around a line across the page. Judgement.
const MOST_WRAPPERS: usize = 4;

/// A document with its kept content.
pub(super) struct KeptContent<'d> {
    pub(super) document: &'d Document,
    base: Option<&'d Url>,
    along: Along,
    /// For every node, whether it holds kept text or a kept image.
    holds: Vec<bool>,
    images: Images<'d>,
}

impl<'d> KeptContent<'d> {
    /// For content as [written](super::written). Linear in the page.
    pub(super) fn new(document: &'d Document, content: &Content, base: Option<&'d Url>, along: Along) -> Self {
        let mut holds = vec![false; document.len()];
        for piece in content.pieces() {
            mark(document, piece.node, &mut holds);
        }
        let images = if along.images { Images::find(document, base, &mut holds) } else { Images::none() };
        KeptContent { document, base, along, holds, images }
    }

    /// Whether a node holds kept text or a kept image.
    pub(super) fn holds(&self, node: NodeId) -> bool {
        self.holds[node.index()]
    }

    /// Whether a line across the page is kept: the nearest element around it that holds words holds
    /// kept ones. Linear in the nodes of elements without kept text.
    pub(super) fn holds_around(&self, node: NodeId) -> bool {
        self.document.parent(node).is_some_and(|parent| self.holds(parent)) || {
            let document = self.document;
            let has_words = |&around: &NodeId| {
                self.holds(around)
                    || document
                        .descendants(around)
                        .any(|node| document.text(node).is_some_and(|text| text.contains(char::is_alphanumeric)))
            };
            document.ancestors(node).take(MOST_WRAPPERS).find(has_words).is_some_and(|around| self.holds(around))
        }
    }

    /// The target of an `a`, if links are wanted and it is safe (http, https or mailto). It is
    /// absolute if the page's URL is known. A heading or term that leads to itself is no link.
    pub(super) fn link(&self, node: NodeId) -> Option<String> {
        let target = self.document.attribute(node, "href").filter(|_| self.along.links)?;
        safe(target, self.base).filter(|_| !permalink::is_around_title(self.document, node, target, self.base))
    }

    /// The image of an element, if it is kept.
    pub(super) fn image(&self, node: NodeId) -> Option<&Image<'d>> {
        self.images.at(node)
    }
}

/// Marks a node and its ancestors.
pub(super) fn mark(document: &Document, node: NodeId, marked: &mut [bool]) {
    marked[node.index()] = true;
    for ancestor in document.ancestors(node) {
        if std::mem::replace(&mut marked[ancestor.index()], true) {
            break;
        }
    }
}

/// A safe URL: absolute if a base is known, with a scheme that cannot run anything.
pub(super) fn safe(value: &str, base: Option<&Url>) -> Option<String> {
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
