//! List items: their numbers and tasks.

use crate::html::document::{Document, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::is_space;

/// The number in an attribute of a list or an item.
pub(super) fn number(document: &Document, node: NodeId, attribute: &str) -> Option<u32> {
    document.attribute(node, attribute)?.trim().parse().ok()
}

/// Whether a numbered list counts down.
pub(super) fn is_reversed(document: &Document, list: NodeId) -> bool {
    document.is_element(list, "ol") && document.attribute(list, "reversed").is_some()
}

/// The number of the first item of a numbered list. One that counts down ends with 1, if the page
/// does not say where it begins (HTML standard, section 4.4.5).
pub(super) fn first(document: &Document, list: NodeId) -> u32 {
    let items = || document.children(list).filter(|&item| document.is_element(item, "li")).count();
    let last = || if is_reversed(document, list) { u32::try_from(items()).unwrap_or(1) } else { 1 };
    number(document, list, "start").unwrap_or_else(last)
}

/// How many elements around a checkbox may name it. Judgement.
const AROUND: usize = 4;

/// Whether a checkbox at the beginning of a list item is ticked. Such an item is a task. Recipes
/// have them beside ingredients, for readers to tick.
pub(super) fn task(document: &Document, node: NodeId) -> Option<bool> {
    let kind = document.attribute(node, "type").filter(|_| document.is_element(node, "input"))?;
    let is_of_recipe = |around| {
        let class = document.attribute(around, "class").unwrap_or_default();
        class.contains("ingredient") || class.contains("recipe") || class.contains("wprm")
    };
    let is_task = kind.eq_ignore_ascii_case("checkbox")
        && begins_item(document, node)
        && !document.ancestors(node).take(AROUND).chain([node]).any(is_of_recipe);
    is_task.then(|| document.attribute(node, "checked").is_some())
}

/// Whether an element is the first thing in its list item.
fn begins_item(document: &Document, mut node: NodeId) -> bool {
    let is_blank = |node: &NodeId| document.text(*node).is_some_and(|text| text.chars().all(is_space));
    while let Some(around) = document.parent(node) {
        let is_first = document.children(around).find(|child| !is_blank(child)) == Some(node);
        match document.name(around) {
            Some("li") => return is_first,
            Some(name) if is_first && (name == "p" || default_display(name) == DefaultDisplay::Inline) => node = around,
            _ => return false,
        }
    }
    false
}
