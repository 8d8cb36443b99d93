//! Links of headings to themselves, by which readers take their addresses: `<h2>Usage <a
//! href="#usage">¶</a></h2>`.

use crate::html::document::{Document, NodeId};
use crate::html::printable;

/// Nodes of a link that are looked at. Judgement: one of these holds a sign or an icon.
const MOST_NODES: usize = 16;
/// Elements around a heading that may bear its name: documentation has it on the section.
/// Judgement.
const NAMED_AROUND: usize = 2;
/// What such a link says, where it does not show a sign.
const WORD: &str = "permalink";

/// Whether a node stands in such a link. Quick for text that says more than that. Linear in the
/// node's depth.
pub(crate) fn is_in(document: &Document, node: NodeId) -> bool {
    if document.text(node).is_some_and(|text| !says_nothing(text)) {
        return false;
    }
    let mut around = document.ancestors(node);
    let Some(link) = around.by_ref().find(|&around| document.is_element(around, "a")) else { return false };
    let heading = around.find(|&around| document.is_heading(around));
    heading.is_some_and(|heading| is_permalink(document, link, heading))
}

fn is_permalink(document: &Document, link: NodeId, heading: NodeId) -> bool {
    let mut nodes = document.descendants(link);
    let mut texts = nodes.by_ref().take(MOST_NODES).filter_map(|node| document.text(node));
    texts.all(says_nothing) && nodes.next().is_none() && leads_to(document, link, heading)
}

/// No letter and no digit, or the one word.
fn says_nothing(text: &str) -> bool {
    !text.chars().any(char::is_alphanumeric) || printable(text).trim().eq_ignore_ascii_case(WORD)
}

/// Whether a link leads to a place of this page: to any, or, where it gives the whole address, by
/// the name of the heading.
fn leads_to(document: &Document, link: NodeId, heading: NodeId) -> bool {
    let Some((page, name)) = document.attribute(link, "href").and_then(|target| target.split_once('#')) else {
        return false;
    };
    let has_name = |node| document.attribute(node, "id").is_some_and(|id| id == name);
    page.trim().is_empty()
        || document.descendants(heading).take(MOST_NODES).any(has_name)
        || document.ancestors(heading).take(NAMED_AROUND).any(has_name)
}
