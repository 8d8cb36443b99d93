//! `split.*`: counts of the opening and closing tags between a block and the one before it (section
//! 4.1).

use super::BlockView;
use tsrec_core::block::text_blocks::BlockTag;
use tsrec_core::html::elements::{DefaultDisplay, default_display};

/// `split.NAME` of an element's name, `split.class-inline` and `split.class-block`.
pub(super) fn numbers(what: &str, view: &BlockView<'_>) -> Option<Vec<f64>> {
    let count = |counts: &dyn Fn(&str) -> bool| {
        let of = |tags: &[BlockTag]| tags.iter().filter(|tag| counts(tag.name())).count() as f64;
        view.blocks.iter().map(|block| of(&block.distance)).collect()
    };
    match what {
        "class-inline" => Some(count(&|name| default_display(name) == DefaultDisplay::Inline)),
        "class-block" => Some(count(&|name| default_display(name) == DefaultDisplay::Block)),
        name if name.starts_with("class-") => None,
        name => Some(count(&|of| of == name)),
    }
}
