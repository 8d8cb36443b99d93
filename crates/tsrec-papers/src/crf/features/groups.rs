//! `div-group.word-ratio` and `td-group.word-ratio`: how much text stands together (section 4.2).
//!
//! Blocks with the same nearest `div` (or `td`) form a group. Blocks without one form a group too.
//! The ratio is the group's share of the page's words, without words in links.

use super::BlockView;

/// The share of each block's group.
pub(super) fn numbers(name: &str, view: &BlockView<'_>) -> Option<Vec<f64>> {
    match name {
        "div-group.word-ratio" => Some(ratios(view, "div")),
        "td-group.word-ratio" => Some(ratios(view, "td")),
        _ => None,
    }
}

/// The share of each block's group, where this element makes the groups.
pub(super) fn ratios(view: &BlockView<'_>, element: &str) -> Vec<f64> {
    let mut nearest = vec![view.document.root(); view.document.len()];
    for id in view.document.descendants(view.document.root()) {
        nearest[id.index()] = match view.document.parent(id) {
            _ if view.document.is_element(id, element) => id,
            Some(parent) => nearest[parent.index()],
            None => id,
        };
    }
    let groups: Vec<usize> = view.blocks.iter().map(|block| nearest[block.parent.index()].index()).collect();
    let mut sizes = vec![0; view.document.len()];
    let mut total = 0;
    for (index, &group) in groups.iter().enumerate().filter(|(index, _)| !view.linked[*index]) {
        sizes[group] += view.words[index];
        total += view.words[index];
    }
    groups.into_iter().map(|group| sizes[group] as f64 / total.max(1) as f64).collect()
}
