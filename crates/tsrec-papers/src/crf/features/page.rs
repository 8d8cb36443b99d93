//! `document.*` and `position`: features of the whole page (section 4.3).

use super::{BlockView, groups, sentences};

/// `document.word-count`, `sentence-count`, `block-count`, `max-div-group` and `max-td-group`.
pub(super) fn numbers(what: &str, view: &BlockView<'_>) -> Option<Vec<f64>> {
    let most = |ratios: Vec<f64>| ratios.into_iter().fold(0.0, f64::max);
    let number = match what {
        "word-count" => view.words.iter().sum::<usize>() as f64,
        "sentence-count" => view.blocks.iter().map(|block| sentences::count(&block.text)).sum::<usize>() as f64,
        "block-count" => view.blocks.len() as f64,
        "max-div-group" => most(groups::ratios(view, "div")),
        "max-td-group" => most(groups::ratios(view, "td")),
        _ => return None,
    };
    Some(view.same(number))
}

/// The position of each block in the page, counted in blocks: from 0, below 1.
pub(super) fn positions(view: &BlockView<'_>) -> Vec<f64> {
    (0..view.blocks.len()).map(|index| index as f64 / view.blocks.len() as f64).collect()
}
