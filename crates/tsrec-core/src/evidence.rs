//! The evidence of each block of a page, and the learned score over it.
//!
//! Every piece of evidence is a column with a name, a kind and a sentence that describes it
//! ([`columns`]). Absent evidence is a NaN. The boosted trees treat it as absent, not as another
//! value.
//!
//! The score has three stages. The first judges a block by its own evidence and its neighbours'.
//! The second judges the *place* of the block, by the evidence and the first-stage scores of all
//! blocks that the site's pages have there. Both are pooled, and other pages of the site can only
//! raise a block. The third lowers or raises it by what the template diff found: with a sibling, or
//! with the memory of the site. A text that the diff lowers inside the content stays. A page
//! without known siblings has places too: the cards of a listing share a place, so the score of one
//! counts for all.

mod ablation;
mod batches;
mod cells;
pub mod column;
mod containers;
pub mod decide;
pub mod diff;
mod dominant;
mod hashes;
mod inside;
pub mod kind;
pub mod lesson;
pub mod model;
mod names;
mod neighbours;
mod page;
mod places;
mod pool;
mod position;
mod reader;
mod score;
mod site;
pub mod tables;
mod tags;
mod text;
pub mod training;
mod within;
mod words;

use std::sync::LazyLock;

use url::Url;

pub use column::{Column, Kind};
pub use places::{place_columns, teach};
use tables::Tables;

use crate::analysis::Analysis;

/// The columns of a block's own evidence, in the order of a row.
fn own_columns() -> impl Iterator<Item = Column> {
    [
        text::COLUMNS,
        tags::COLUMNS,
        containers::COLUMNS,
        position::COLUMNS,
        page::COLUMNS,
        names::COLUMNS,
        words::COLUMNS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// The columns of the first stage, in the order of a row.
pub fn columns() -> &'static [Column] {
    static ALL: LazyLock<Vec<Column>> = LazyLock::new(|| own_columns().chain(neighbours::columns()).collect());
    &ALL
}

/// The number of columns of a block's own evidence.
static OWN: LazyLock<usize> = LazyLock::new(|| own_columns().count());
static TAKEN: LazyLock<Vec<usize>> = LazyLock::new(|| neighbours::taken(&own_columns().collect::<Vec<_>>()));

/// The evidence of every block of a page, one row of [`columns`] numbers for each. This takes two
/// thousand bytes for each block. Linear in the page.
pub fn rows(analysis: &Analysis, url: Option<&Url>, tables: &Tables) -> Vec<f32> {
    let mut all = Vec::with_capacity(columns().len() * analysis.blocks().len());
    batches::each_batch(analysis, url, tables, |rows| all.extend_from_slice(rows.values()));
    all
}

/// The columns of the third stage, in the order of a row.
pub fn diff_columns() -> &'static [Column] {
    diff::COLUMNS
}

/// Every column of all stages.
pub fn all_columns() -> impl Iterator<Item = &'static Column> {
    columns().iter().chain(place_columns()).chain(diff_columns())
}

#[cfg(test)]
mod tests;
