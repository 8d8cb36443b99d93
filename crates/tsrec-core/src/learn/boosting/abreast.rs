//! Moves several rows down the trees together.
//!
//! A step has no branch that depends on the row, and eight rows step in turn. So the processor
//! works on one row while it waits for another ("Runtime Optimizations for Tree-Based Machine
//! Learning Models", Asadi, Lin, de Vries 2014: predication and vectorisation). To make a step one
//! comparison, numbers are compared as [keys](key). A row is laid out twice: once with absent
//! values above all keys, once with them below.

use std::hint::select_unpredictable;

use super::forest::ForestNode;

/// A node in the form used for scoring. Keys above `key` go to `right`, all others to the next
/// node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Question {
    /// The key of a split's threshold or of a leaf's value.
    key: i32,
    /// The cell of a [laid out](Lanes::lay_out) row to compare.
    cell: u16,
    /// The right child, counted from the root. A leaf is its own right child.
    right: u16,
}

impl Question {
    /// The question of the node at index `at` of its tree, for rows of at most 32,767 columns.
    pub(super) fn from_node(node: &ForestNode, at: usize, columns: usize) -> Question {
        let column = usize::from(node.column);
        let cell = match (node.is_leaf(at), node.absent_left) {
            (true, _) => 2 * columns, // above any key: a leaf leads to itself
            (false, false) => column,
            (false, true) => columns + column,
        };
        Question { key: key(node.number), cell: cell as u16, right: node.children[1] }
    }
}

/// An integer that sorts as the number does. The bits after the sign grow with a float's magnitude.
#[inline]
fn key(number: f32) -> i32 {
    // Both zeros get one key.
    let bits = (number + 0.0).to_bits() as i32;
    bits ^ ((bits >> 31) & i32::MAX)
}

/// The number that a key stands for.
#[inline]
fn number(key: i32) -> f32 {
    f32::from_bits((key ^ ((key >> 31) & i32::MAX)) as u32)
}

/// The most columns of rows that are scored together. A processor finds a cell fastest if the
/// distance between rows is a constant. Judgement: a block has half as many.
pub(super) const MOST_COLUMNS: usize = 512;

/// Space for a row. Rows at distances of a power of two would compete for the same cache lines.
type Cells = [i32; 2 * MOST_COLUMNS + 16];

/// `N` rows laid out for scoring.
pub(super) struct Lanes<const N: usize> {
    columns: usize,
    rows: Vec<Cells>,
}

impl<const N: usize> Lanes<N> {
    /// For rows of `columns` columns, at most [`MOST_COLUMNS`].
    pub(super) fn new(columns: usize) -> Self {
        // Cells that no row fills are above all keys.
        Lanes { columns, rows: vec![[i32::MAX; size_of::<Cells>() / size_of::<i32>()]; N] }
    }

    /// Lays rows out as three parts: the keys with absent ones above all, the keys with absent ones
    /// below all, and one value above all.
    pub(super) fn lay_out(&mut self, rows: [&[f32]; N]) -> &[Cells; N] {
        for (row, cells) in rows.iter().zip(&mut self.rows) {
            let (above, below) = cells.split_at_mut(self.columns);
            for ((&value, above), below) in row.iter().zip(above).zip(below) {
                let (key, absent) = (key(value), value.is_nan());
                *above = if absent { i32::MAX } else { key };
                *below = if absent { i32::MIN } else { key };
            }
        }
        self.rows.first_chunk().expect("as many as go together")
    }
}

/// Adds a tree's values for laid out rows. The rows go down together until all have reached a leaf.
#[allow(clippy::needless_range_loop, reason = "iterators in step were calls in builds without link-time optimisation")]
pub(super) fn add<const N: usize>(tree: &[Question], rows: &[Cells; N], scores: &mut [f64; N]) {
    let mut places = [0_usize; N];
    loop {
        let mut moved = 0;
        for lane in 0..N {
            let place = places[lane];
            let Question { key, cell, right } = tree[place];
            // The processor would mispredict a branch every other time.
            let goes_right = rows[lane][usize::from(cell)] > key;
            let next = select_unpredictable(goes_right, usize::from(right), place + 1);
            moved |= next ^ place;
            places[lane] = next;
        }
        if moved == 0 {
            break;
        }
    }
    for lane in 0..N {
        scores[lane] += f64::from(number(tree[places[lane]].key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_to_each_other_as_their_numbers_are(a: f32, b: f32) {
            prop_assert_eq!(key(a) > key(b), a > b);
            prop_assert_eq!(number(key(a)), a);
        }
    }

    #[test]
    fn infinities_lie_within_and_zeros_are_one() {
        let ascending = [f32::NEG_INFINITY, f32::MIN, -1.0, -f32::MIN_POSITIVE, 0.0, 1.0, f32::MAX, f32::INFINITY];
        let keys = ascending.map(key);
        assert!(keys.is_sorted() && i32::MIN < keys[0] && keys[7] < i32::MAX);
        assert_eq!(key(-0.0), key(0.0));
    }
}
