//! The evidence of each block of a page, and the learned score over it.
//!
//! Every piece of evidence is a column with a name, a kind and a sentence that describes it
//! ([`columns`]). Absent evidence is a NaN. The boosted trees treat it as absent, not as another
//! value.
//!
//! The score has two stages. The first judges a block by its own evidence and its neighbours'. The
//! second judges the *place* of the block, by the evidence and the first-stage scores of all blocks
//! that the site's pages have there. The final score pools both. Where a site's repeated text is
//! inside the content, the page alone decides. A page without known siblings has places too: the
//! cards of a listing share a place, so the score of one counts for all.

mod ablation;
mod batches;
mod cells;
pub mod column;
mod containers;
pub mod decide;
mod dominant;
pub mod favor;
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
mod words;

use std::sync::LazyLock;


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
pub fn rows(analysis: &Analysis, tables: &Tables) -> Vec<f32> {
    let mut all = Vec::with_capacity(columns().len() * analysis.blocks().len());
    batches::each_batch(analysis, tables, |rows| all.extend_from_slice(rows.values()));
    all
}

/// Every column of both stages.
pub fn all_columns() -> impl Iterator<Item = &'static Column> {
    columns().iter().chain(place_columns())
}

#[cfg(test)]
mod tests;
