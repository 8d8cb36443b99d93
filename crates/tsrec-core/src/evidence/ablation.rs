//! Removes evidence, to measure what it is worth.

use super::column::{Column, Kind};
use super::{columns, neighbours};

/// For each column, whether it is evidence of one of these kinds, or repeats such evidence of a
/// neighbour.
fn are_of(kinds: &[Kind], all: &[Column]) -> Vec<bool> {
    let kind_of = |name: &str| columns().iter().find(|column| column.name == name).map(|column| column.kind);
    let is_of = |column: &Column| {
        let repeated = neighbours::repeated(column).and_then(kind_of);
        kinds.iter().any(|&kind| column.kind == kind || repeated == Some(kind))
    };
    all.iter().map(is_of).collect()
}

/// Makes evidence of these kinds absent in rows of these columns. Trees do not split on a column
/// without values. So a model that was trained without some evidence does not read it either.
pub(super) fn remove(kinds: &[Kind], columns: &[Column], rows: &mut [f32]) {
    if kinds.is_empty() {
        return;
    }
    let are_of = are_of(kinds, columns);
    for row in rows.chunks_exact_mut(columns.len()) {
        row.iter_mut().zip(&are_of).filter(|(_, is_of)| **is_of).for_each(|(value, _)| *value = f32::NAN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{all_columns, diff_columns, place_columns};

    #[test]
    fn what_neighbours_repeat_goes_with_what_they_repeat() {
        let gone = |kinds: &[Kind], name: &str| {
            let all: Vec<Column> = all_columns().copied().collect();
            let at = all.iter().position(|column| column.name == name).unwrap();
            are_of(kinds, &all)[at]
        };
        assert!(gone(&[Kind::Names], "names sum") && gone(&[Kind::Names], "-1 names sum"));
        assert!(gone(&[Kind::Neighbours], "-1 names sum") && !gone(&[Kind::Neighbours], "names sum"));
        assert!(gone(&[Kind::Names], "there names sum") && !gone(&[Kind::Names], "site repeats"));
        assert!(gone(&[Kind::Text, Kind::Site], "site repeats") && !gone(&[Kind::Score], "site repeats"));
        for kind in Kind::ALL {
            let stages = [columns(), place_columns(), diff_columns()];
            assert!(stages.iter().any(|all| are_of(&[kind], all).contains(&true)), "{kind}");
        }
    }
}
