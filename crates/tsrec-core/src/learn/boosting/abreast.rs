//! Rows that go down trees together.
//!
//! A step takes no branch that depends on the row, and eight rows step in turn, so that a processor
//! works on one while it waits for another ("Runtime Optimizations for Tree-Based Machine Learning
//! Models", Asadi, Lin, de Vries 2014: predication and vectorisation). So that a step is one
//! comparison, numbers are compared as [keys](key), and a row's are laid out twice: once with what
//! is absent above all keys, and once with it below them.

use std::hint::select_unpredictable;

use super::forest::ForestNode;

/// A node as rows are asked it: keys above `key` go `right`, all others to the node that comes
/// next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Question {
    /// That of a split's threshold, of a leaf's value.
    key: i32,
    /// A cell of a [laid out](Lanes::lay_out) row.
    cell: u16,
    /// The right child, counted from the root; a leaf itself.
    right: u16,
}

impl Question {
    /// The node at that place of its tree, of rows of so many columns, 32,767 at most.
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

/// A whole number that is to others as the number is to theirs: the bits after the sign grow with a
/// float's magnitude.
#[inline]
fn key(number: f32) -> i32 {
    // Both zeros are one.
    let bits = (number + 0.0).to_bits() as i32;
    bits ^ ((bits >> 31) & i32::MAX)
}

/// The number of a key.
#[inline]
fn number(key: i32) -> f32 {
    f32::from_bits((key ^ ((key >> 31) & i32::MAX)) as u32)
}

/// The most columns of rows that go down together: a processor finds a cell fastest where rows lie
/// apart by what a program knows beforehand. Judgement: a block has half as many.
pub(super) const MOST_COLUMNS: usize = 512;

/// Room for a row. Rows that lie apart by a power of two would contend for the same places of the
/// nearest cache.
type Cells = [i32; 2 * MOST_COLUMNS + 16];

/// Rows laid out to be asked, `N` at a time.
pub(super) struct Lanes<const N: usize> {
    columns: usize,
    rows: Vec<Cells>,
}

impl<const N: usize> Lanes<N> {
    /// For rows of so many columns, [`MOST_COLUMNS`] at most.
    pub(super) fn new(columns: usize) -> Self {
        // What no row is laid out over is above all keys.
        Lanes { columns, rows: vec![[i32::MAX; size_of::<Cells>() / size_of::<i32>()]; N] }
    }

    /// Lays rows out: all keys, absent ones above all; all keys, absent ones below all; one above
    /// all.
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

/// Adds what a tree says of rows that are laid out, which go down together until all have come to a
/// leaf.
#[allow(clippy::needless_range_loop, reason = "iterators in step were calls in builds without link-time optimisation")]
pub(super) fn add<const N: usize>(tree: &[Question], rows: &[Cells; N], scores: &mut [f64; N]) {
    let mut places = [0_usize; N];
    loop {
        let mut moved = 0;
        for lane in 0..N {
            let place = places[lane];
            let Question { key, cell, right } = tree[place];
            // A branch would be guessed wrong every other time.
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
