//! `container.*`: the elements around the block (section 4.1).

use super::{BlockView, Features};
use tsrec_core::html::Document;

/// `container.NAME` of an element's name, or `container.class-NAME` of a class: 1 inside such an
/// element, else 0.
pub(super) fn numbers(what: &str, view: &BlockView<'_>, features: &Features) -> Option<Vec<f64>> {
    let inside = match what.strip_prefix("class-") {
        Some(class) => {
            let names = features.classes.get(class)?;
            inside(view.document, |name| names.iter().any(|of| of == name))
        }
        None => inside(view.document, |name| name == what),
    };
    Some(view.blocks.iter().map(|block| f64::from(u8::from(inside[block.parent.index()]))).collect())
}

/// For every node, whether it is such an element or is inside one. One pass, since parents come
/// first.
pub(super) fn inside(document: &Document, is_one: impl Fn(&str) -> bool) -> Vec<bool> {
    let mut inside = vec![false; document.len()];
    for id in document.descendants(document.root()) {
        let inherited = document.parent(id).is_some_and(|parent| inside[parent.index()]);
        inside[id.index()] = inherited || document.local_name(id).is_some_and(|name| is_one(name));
    }
    inside
}
