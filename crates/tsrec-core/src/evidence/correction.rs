//! The third stage: corrects the pooled score of each block by what the template diff found and by
//! the score around it.

use std::sync::LazyLock;

use super::column::Column;
use super::within::WithinPage;
use super::{context, diff};
use crate::learn::boosting::Rows;

/// The columns of the third stage, in the order of a row.
pub fn correction_columns() -> &'static [Column] {
    static ALL: LazyLock<Vec<Column>> =
        LazyLock::new(|| [context::COLUMNS, diff::COLUMNS].into_iter().flatten().copied().collect());
    &ALL
}

/// The evidence of these blocks of a page, a row each.
pub(super) fn rows(page: &WithinPage<'_>, blocks: impl ExactSizeIterator<Item = usize>) -> Rows {
    let mut values = Vec::with_capacity(correction_columns().len() * blocks.len());
    for number in blocks {
        let block = page.block(number);
        context::fill(&mut values, &block);
        diff::fill(&mut values, &block);
    }
    Rows::of_values(correction_columns().len(), values)
}
