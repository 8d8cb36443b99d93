//! What is known of each block of a page, by name, and the one score over it.
//!
//! Every piece of evidence is a column with a name, a kind and a sentence that says what it is
//! ([`columns`]). Absent evidence is a NaN, which the boosted trees treat as absent, not as another
//! value. The score has two stages: the first judges a block by its own evidence and its
//! neighbours'; the second judges the *place* where it stands, by what the pages of the site have
//! there and what the first says of them. Both are pooled. A page that is alone has places too:
//! what the first says of one card of a listing is heard for all of them.

mod ablation;
mod batches;
mod cells;
pub mod column;
mod containers;
pub mod decide;
mod dominant;
mod hashes;
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

/// The width of a block's own evidence.
static OWN: LazyLock<usize> = LazyLock::new(|| own_columns().count());
static TAKEN: LazyLock<Vec<usize>> = LazyLock::new(|| neighbours::taken(&own_columns().collect::<Vec<_>>()));

/// The evidence of every block of a page, a row each, [`columns`] numbers a row: two thousand bytes
/// a block. Linear in the page.
pub fn rows(analysis: &Analysis, url: Option<&Url>, tables: &Tables) -> Vec<f32> {
    let mut all = Vec::with_capacity(columns().len() * analysis.blocks().len());
    batches::each_batch(analysis, url, tables, |rows| all.extend_from_slice(rows.values()));
    all
}

/// Every column of both stages.
pub fn all_columns() -> impl Iterator<Item = &'static Column> {
    columns().iter().chain(place_columns())
}

#[cfg(test)]
mod tests;
