//! Sequence matching as printed: the edit-distance table (Li et al. 2006, section 5.1 and figure
//! 5).
//!
//! We keep it to measure what our own alignment ([`super::align`]) gains. We correct two printed
//! errors. Line 14 has no cost for insertion and deletion, so the empty alignment would be the
//! cheapest; here each costs 1, like a mismatch. Lines 15 to 17 mark every cell whose minimum comes
//! from the diagonal, even off an optimal path, and substitutions too. Here we trace one optimal
//! path back from the end, the diagonal first among equally cheap steps, and mark only its equal
//! pairs.

use super::align::Alignment;

/// The most cells of the table: a byte each, so 128 MiB. Judgement: two sequences of 11,000
/// elements; real pages have 200 to 5,000.
pub const TABLE: usize = 1 << 27;

/// The last step of the cheapest path to a cell.
const DIAGONAL: u8 = 0;
const UP: u8 = 1;
const LEFT: u8 = 2;

/// Aligns two sequences with the fewest insertions, deletions and substitutions. `None` if the
/// table would have more than [`TABLE`] cells. O(left × right) time and bytes.
///
/// ```
/// use tsrec_core::tsrec::edit::align;
/// // A substitution and two insertions cost as much as one insertion and one deletion would with the equal pair between them.
/// assert_eq!(align(&[1, 2, 3], &[1, 9, 3]).unwrap().pairs, [(0, 0), (2, 2)]);
/// ```
pub fn align<T: PartialEq>(left: &[T], right: &[T]) -> Option<Alignment> {
    let width = right.len() + 1;
    let cells = (left.len() + 1).checked_mul(width).filter(|&cells| cells <= TABLE)?;
    let mut ways = vec![LEFT; cells];
    let mut above: Vec<u32> = (0..=right.len() as u32).collect();
    let mut row = above.clone();
    for (i, l) in left.iter().enumerate() {
        row[0] = i as u32 + 1;
        ways[(i + 1) * width] = UP;
        for (j, r) in right.iter().enumerate() {
            let diagonal = above[j] + u32::from(l != r);
            let (up, across) = (above[j + 1] + 1, row[j] + 1);
            let least = diagonal.min(up).min(across);
            row[j + 1] = least;
            ways[(i + 1) * width + j + 1] = match least {
                least if least == diagonal => DIAGONAL,
                least if least == up => UP,
                _ => LEFT,
            };
        }
        std::mem::swap(&mut above, &mut row);
    }
    Some(Alignment { pairs: trace_back(left, right, &ways), exact: true })
}

fn trace_back<T: PartialEq>(left: &[T], right: &[T], ways: &[u8]) -> Vec<(usize, usize)> {
    let (mut i, mut j) = (left.len(), right.len());
    let mut pairs = Vec::new();
    while i > 0 && j > 0 {
        match ways[i * (right.len() + 1) + j] {
            DIAGONAL => {
                (i, j) = (i - 1, j - 1);
                if left[i] == right[j] {
                    pairs.push((i, j));
                }
            }
            UP => i -= 1,
            _ => j -= 1,
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The distance by its definition.
    fn distance(left: &[u32], right: &[u32]) -> usize {
        match (left, right) {
            ([], rest) | (rest, []) => rest.len(),
            ([l, left @ ..], [r, right @ ..]) if l == r => distance(left, right),
            ([_, l @ ..], [_, r @ ..]) => 1 + distance(l, r).min(distance(l, right)).min(distance(left, r)),
        }
    }

    proptest! {
        #[test]
        fn the_path_costs_the_distance(
            left in proptest::collection::vec(0u32..4, 0..8),
            right in proptest::collection::vec(0u32..4, 0..8),
        ) {
            let pairs = align(&left, &right).unwrap().pairs;
            prop_assert!(pairs.iter().all(|&(i, j)| left[i] == right[j]));
            prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            // Between two pairs, substitutions cover the shorter side.
            let mut cost = 0;
            let (mut i, mut j) = (0, 0);
            for &(to_i, to_j) in pairs.iter().chain([&(left.len(), right.len())]) {
                cost += (to_i - i).max(to_j - j);
                (i, j) = (to_i + 1, to_j + 1);
            }
            prop_assert_eq!(cost, distance(&left, &right));
        }
    }

    #[test]
    fn an_equal_pair_is_traded_for_substitutions() {
        // Why our own template diff maximises equal pairs: here, losing the 1 of both sides costs
        // no more than keeping it.
        assert_eq!(align(&[1, 2], &[3, 1]).unwrap().pairs, []);
        assert!(align(&vec![0; 20_000], &vec![0; 20_000]).is_none());
    }
}
