//! Evidence from the blocks before and after a block: their most telling columns.

/// Neighbours on either side that are read.
pub(super) const REACH: usize = 2;

/// The columns that are taken from each neighbour, by name.
const TAKEN: [&str; 11] = [
    "words",
    "unlinked",
    "linked share",
    "sentences",
    "heading",
    "in item",
    "names sum",
    "names nearest",
    "words mean",
    "place blocks",
    "c1 linked",
];

/// The names of a neighbour's columns: `TAKEN` for each of -2, -1, +1, +2.
const NAMES: [[&str; TAKEN.len()]; 2 * REACH] = [
    [
        "-2 words",
        "-2 unlinked",
        "-2 linked share",
        "-2 sentences",
        "-2 heading",
        "-2 in item",
        "-2 names sum",
        "-2 names nearest",
        "-2 words mean",
        "-2 place blocks",
        "-2 c1 linked",
    ],
    [
        "-1 words",
        "-1 unlinked",
        "-1 linked share",
        "-1 sentences",
        "-1 heading",
        "-1 in item",
        "-1 names sum",
        "-1 names nearest",
        "-1 words mean",
        "-1 place blocks",
        "-1 c1 linked",
    ],
    [
        "+1 words",
        "+1 unlinked",
        "+1 linked share",
        "+1 sentences",
        "+1 heading",
        "+1 in item",
        "+1 names sum",
        "+1 names nearest",
        "+1 words mean",
        "+1 place blocks",
        "+1 c1 linked",
    ],
    [
        "+2 words",
        "+2 unlinked",
        "+2 linked share",
        "+2 sentences",
        "+2 heading",
        "+2 in item",
        "+2 names sum",
        "+2 names nearest",
        "+2 words mean",
        "+2 place blocks",
        "+2 c1 linked",
    ],
];

use super::column::{Column, Kind};

/// The columns of the neighbours' evidence.
pub(super) fn columns() -> impl Iterator<Item = Column> {
    NAMES.into_iter().flatten().map(|name| Column {
        name,
        kind: Kind::Neighbours,
        about: "the same of a block before (-) or after (+) it; absent at the ends of the page",
    })
}

/// The column of the block's own evidence that a neighbour's column repeats. `None` for other
/// columns.
pub(super) fn repeated(column: &Column) -> Option<&'static str> {
    let is_neighbours = column.kind == Kind::Neighbours;
    column.name.split_once(' ').map(|(_, name)| name).filter(|_| is_neighbours)
}

/// The indices of the taken columns in `own`.
pub(super) fn taken(own: &[Column]) -> Vec<usize> {
    let at = |name: &str| own.iter().position(|column| column.name == name);
    TAKEN.into_iter().map(|name| at(name).expect("a column that is taken is one of a block's own")).collect()
}

/// Appends the neighbours' evidence to `row`. `own` gives the own evidence of the block this many
/// steps away, or `None` past the ends of the page.
pub(super) fn fill<'o>(row: &mut Vec<f32>, own: impl Fn(isize) -> Option<&'o [f32]>, taken: &[usize]) {
    let reach = REACH as isize;
    for step in (-reach..=reach).filter(|&step| step != 0) {
        match own(step) {
            Some(other) => row.extend(taken.iter().map(|&column| other[column])),
            None => row.extend(taken.iter().map(|_| f32::NAN)),
        }
    }
}
