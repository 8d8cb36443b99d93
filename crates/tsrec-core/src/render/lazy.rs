//! Lazily loaded pictures: an `img` with a placeholder, and beside it a `noscript` with the picture
//! for readers without scripts. Both are one picture.

use std::collections::{HashMap, HashSet};

use crate::html::document::{Document, NodeId};
use crate::html::is_space;

/// Most nodes of a wrapper around a picture. Judgement.
const MOST_NODES: usize = 8;

/// Pictures and their placeholders.
#[derive(Debug, Default)]
pub(super) struct Lazy {
    /// For each `img` with a placeholder, the `img` of its `noscript`.
    pictures: HashMap<NodeId, NodeId>,
    /// The reverse map.
    placeholders: HashMap<NodeId, NodeId>,
}

impl Lazy {
    /// Finds those of a page. Linear in the page.
    pub(super) fn find(document: &Document) -> Lazy {
        let mut found = Lazy::default();
        let noscripts = document.descendants(document.root()).filter(|&node| document.is_element(node, "noscript"));
        let parents: HashSet<NodeId> = noscripts.filter_map(|noscript| document.parent(noscript)).collect();
        // Only within one parent do pairs depend on their order.
        for parent in parents {
            let is_blank = |node| document.text(node).is_some_and(|text| text.chars().all(is_space));
            let children: Vec<NodeId> = document.children(parent).filter(|&child| !is_blank(child)).collect();
            for pair in children.windows(2) {
                found.pair(document, pair[0], pair[1]);
            }
        }
        found
    }

    /// Treats neighbours as one picture, if one is the other's `noscript`.
    fn pair(&mut self, document: &Document, first: NodeId, second: NodeId) {
        let is_noscript = |node| document.is_element(node, "noscript");
        let (noscript, beside) = match (is_noscript(first), is_noscript(second)) {
            (true, false) => (first, second),
            (false, true) => (second, first),
            _ => return,
        };
        let (Some(picture), Some(placeholder)) = (only_picture(document, noscript), only_picture(document, beside))
        else {
            return;
        };
        let is_free = !self.placeholders.contains_key(&picture) && !self.pictures.contains_key(&placeholder);
        if is_free && !is_pixel(document, picture) && stands_for(document, placeholder, picture) {
            self.pictures.insert(placeholder, picture);
            self.placeholders.insert(picture, placeholder);
        }
    }

    /// The picture that an `img` stands for.
    pub(super) fn picture(&self, placeholder: NodeId) -> Option<NodeId> {
        self.pictures.get(&placeholder).copied()
    }

    /// Whether an `img` has a placeholder that is shown in its place.
    pub(super) fn has_placeholder(&self, picture: NodeId) -> bool {
        self.placeholders.contains_key(&picture)
    }
}

/// The only `img` in an element without text, or the element itself.
fn only_picture(document: &Document, node: NodeId) -> Option<NodeId> {
    let mut nodes = document.descendants(node);
    let near: Vec<NodeId> = nodes.by_ref().take(MOST_NODES).collect();
    let has_text = near.iter().any(|&node| document.text(node).is_some_and(|text| !text.chars().all(is_space)));
    let mut pictures = near.iter().filter(|&&node| document.is_element(node, "img"));
    let picture = pictures.next().filter(|_| pictures.next().is_none())?;
    (!has_text && nodes.next().is_none()).then_some(*picture)
}

/// Whether an `img` is a placeholder of the other. It has no fetchable URL, or names another URL
/// beside it, or has the same URL or words.
fn stands_for(document: &Document, placeholder: NodeId, picture: NodeId) -> bool {
    let is_same = |name: &str| {
        let given = document.attribute(placeholder, name).filter(|value| !value.trim().is_empty());
        given.is_some() && given == document.attribute(picture, name)
    };
    let source = document.attribute(placeholder, "src").unwrap_or_default().trim();
    let is_inline = source.is_empty() || source.starts_with("data:") || source.starts_with("about:");
    let mut attributes = document.attributes(placeholder).iter();
    is_inline
        || is_same("src")
        || is_same("alt")
        || attributes.any(|given| given.name.starts_with("data-") && given.name.contains("src"))
}

/// Whether an image is at most a pixel wide or high, like images that count readers.
pub(super) fn is_pixel(document: &Document, node: NodeId) -> bool {
    ["width", "height"].iter().any(|name| {
        let given = document.attribute(node, name).unwrap_or_default().trim();
        let number = given.strip_suffix("px").unwrap_or(given);
        number.parse::<f64>().is_ok_and(|pixels| pixels <= 1.0)
    })
}
