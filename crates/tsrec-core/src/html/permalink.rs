//! Links from headings to themselves, from which readers copy the URL: `<h2>Usage <a
//! href="#usage">¶</a></h2>`.

use url::Url;

use crate::html::document::{Document, NodeId};
use crate::html::printable;

/// How many nodes of a link are examined. Judgement: one of these holds a sign or an icon.
const MOST_NODES: usize = 16;
/// How many elements around a heading may have its id. Documentation often puts the id on the
/// section. Judgement.
const NAMED_AROUND: usize = 2;
/// Texts of such a link that are words, in lower case.
const WORDS: [&str; 10] = [
    "permalink",
    "link",
    "anchor",
    "anchor link",
    "permanent link",
    "direct link",
    "copy link",
    "section link",
    "link to this heading",
    "link to this section",
];
/// Most bytes of such a text that has letters or digits.
pub(crate) const LONGEST: usize = 40;
/// Signs of such a link, also outside of headings: in terms, captions and paragraphs.
const SIGNS: [&str; 5] = ["¶", "#", "🔗", "⚓", "§"];

/// Whether a node is in such a link. Quick for other text. Linear in the node's depth.
pub(crate) fn is_in(document: &Document, node: NodeId) -> bool {
    if document.text(node).is_some_and(|text| !says_nothing(text)) {
        return false;
    }
    let mut around = document.ancestors(node);
    let Some(link) = around.by_ref().find(|&around| document.is_element(around, "a")) else { return false };
    match around.find(|&around| document.is_heading(around)) {
        Some(heading) => is_permalink(document, link, heading),
        None => is_sign(document, node, link),
    }
}

/// Whether links within this page are around all words of a heading, and this is one of them, or
/// whether a link in a term leads to the term. Links in `sup` refer to notes. Linear in the node's
/// depth.
pub(crate) fn is_around_title(document: &Document, link: NodeId, target: &str, page: Option<&Url>) -> bool {
    let is_one = |name: &str| matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt");
    let title = document.ancestors(link).take(NAMED_AROUND).find(|&node| document.name(node).is_some_and(is_one));
    let Some(title) = title else { return false };
    let target = target.trim();
    let is_note = document.ancestors(link).take(NAMED_AROUND).any(|node| document.is_element(node, "sup"))
        || document.descendants(link).take(MOST_NODES).any(|node| document.is_element(node, "sup"));
    match target.strip_prefix('#') {
        Some(_) if is_note => false,
        Some(name) => names(document, name, link, title) || is_linked_within(document, title),
        None => {
            document.is_element(title, "h1") && page.is_some_and(|page| page.join(target).is_ok_and(|to| &to == page))
        }
    }
}

/// Whether all words of a heading are in links within this page.
fn is_linked_within(document: &Document, heading: NodeId) -> bool {
    let leads_within = |node| document.attribute(node, "href").is_some_and(|target| target.trim().starts_with('#'));
    let mut nodes = document.descendants(heading);
    let mut texts = nodes
        .by_ref()
        .take(MOST_NODES)
        .filter(|&node| document.text(node).is_some_and(|text| text.contains(char::is_alphabetic)));
    document.is_heading(heading)
        && texts.all(|text| document.ancestors(text).take_while(|&around| around != heading).any(leads_within))
        && nodes.next().is_none()
}

/// Whether a name is that of a link or of the title that it is in.
fn names(document: &Document, name: &str, link: NodeId, title: NodeId) -> bool {
    let has_name = |node| ["id", "name"].iter().any(|&key| document.attribute(node, key) == Some(name));
    has_name(link)
        || has_name(title)
        || document.ancestors(title).take(NAMED_AROUND).any(has_name)
        || document.descendants(title).take(MOST_NODES).any(has_name)
}

/// Whether a link to this page has only a sign. A section sign is one only in terms and captions,
/// and in the section that it leads to: in sentences it may refer to another one.
fn is_sign(document: &Document, node: NodeId, link: NodeId) -> bool {
    let sign = document.text(node).unwrap_or_default().trim();
    let target = document.attribute(link, "href").and_then(|target| target.trim().strip_prefix('#'));
    let Some(name) = target.filter(|name| !name.is_empty()) else { return false };
    let is_term = |node| matches!(document.name(node), Some("dt" | "caption" | "figcaption"));
    let is_target = |node| document.attribute(node, "id").is_some_and(|id| id == name);
    SIGNS.contains(&sign)
        && document.parent(node) == Some(link)
        && (sign != "§" || document.ancestors(link).take(NAMED_AROUND + 1).any(|node| is_term(node) || is_target(node)))
}

fn is_permalink(document: &Document, link: NodeId, heading: NodeId) -> bool {
    let mut nodes = document.descendants(link);
    let mut texts = nodes.by_ref().take(MOST_NODES).filter_map(|node| document.text(node));
    texts.all(says_nothing)
        && nodes.next().is_none()
        && leads_to(document, link, heading)
        && has_other_words(document, link, heading)
}

/// True of a text without letters and digits, and of those words.
fn says_nothing(text: &str) -> bool {
    if !text.chars().any(char::is_alphanumeric) {
        return true;
    }
    if text.len() > LONGEST {
        return false;
    }
    let said = printable(text);
    let said = said.trim();
    WORDS.iter().any(|word| said.eq_ignore_ascii_case(word))
}

/// Whether a heading has words outside of a link, or the link has none that it could be about.
fn has_other_words(document: &Document, link: NodeId, heading: NodeId) -> bool {
    let has_words = |node| document.text(node).is_some_and(|text| text.contains(char::is_alphanumeric));
    let is_other = |&node: &NodeId| has_words(node) && !document.ancestors(node).any(|above| above == link);
    !document.descendants(link).any(has_words)
        || document.descendants(heading).take(MOST_NODES).any(|node| is_other(&node))
}

/// Whether a link leads to this page. A bare fragment always does. A full URL must have the
/// heading's name as its fragment.
fn leads_to(document: &Document, link: NodeId, heading: NodeId) -> bool {
    let Some((page, name)) = document.attribute(link, "href").and_then(|target| target.split_once('#')) else {
        return false;
    };
    let has_name = |node| document.attribute(node, "id").is_some_and(|id| id == name);
    page.trim().is_empty()
        || document.descendants(heading).take(MOST_NODES).any(has_name)
        || document.ancestors(heading).take(NAMED_AROUND).any(has_name)
}
