//! Columns in bins. Each value becomes a byte, so that a histogram counts bytes and a split lies
//! between two bins.

use std::ops::Range;

use super::rows::Rows;
use crate::learn::parallel::{self, Workers};

/// How many columns are read at a time. Their values in a row fill a line of the cache.
const READ: usize = 16;

/// The bin of absent values.
pub(super) const ABSENT: u8 = 0;

/// Binned rows. Bin 0 of a column holds absent values. Bin `b` holds those above `edges[b - 2]` and
/// at most `edges[b - 1]`. The last edge is infinite.
pub(super) struct BinnedRows {
    /// For each column, the upper edges of its bins, ascending.
    pub(super) edges: Vec<Vec<f32>>,
    /// For each column, the bin of each row.
    pub(super) columns: Vec<Vec<u8>>,
}

impl BinnedRows {
    /// Bins the rows. Rows of weight 0 do not influence the edges. O(n log n) for each column.
    pub(super) fn new(rows: &Rows, weights: &[f32], bins: usize, workers: &dyn Workers) -> BinnedRows {
        let columns = rows.columns();
        let groups = (0..columns).step_by(READ).map(|first| first..columns.min(first + READ)).collect();
        let groups = parallel::map(workers, groups, |columns: Range<usize>| {
            let edges: Vec<Vec<f32>> =
                distinct(rows, weights, columns.clone()).map(|column| edges(&column, bins)).collect();
            let mut binned: Vec<Vec<u8>> = edges.iter().map(|_| Vec::with_capacity(rows.len())).collect();
            for row in rows.iter() {
                for ((column, edges), &value) in binned.iter_mut().zip(&edges).zip(&row[columns.clone()]) {
                    column.push(bin_of(value, edges));
                }
            }
            (edges, binned)
        });
        let (edges, columns): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
        BinnedRows { edges: edges.into_iter().flatten().collect(), columns: columns.into_iter().flatten().collect() }
    }
}

fn bin_of(value: f32, edges: &[f32]) -> u8 {
    if value.is_nan() { ABSENT } else { 1 + edges.partition_point(|edge| *edge < value) as u8 }
}

/// For each of these columns, the values that are not absent, ascending, each with its weight.
fn distinct(rows: &Rows, weights: &[f32], columns: Range<usize>) -> impl Iterator<Item = Vec<(f32, f64)>> {
    // Integer keys sort several times faster than floats.
    let mut keys = vec![Vec::with_capacity(rows.len()); columns.len()];
    for (row, &weight) in rows.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
        for (keys, &value) in keys.iter_mut().zip(&row[columns.clone()]).filter(|(_, value)| !value.is_nan()) {
            // Minus zero counts as zero, as it does for a split.
            keys.push(u64::from(ordered(value + 0.0)) << 32 | u64::from(weight.to_bits()));
        }
    }
    keys.into_iter().map(|mut keys| {
        keys.sort_unstable();
        added(&keys)
    })
}

/// The values in ascending keys, with the weights of equal ones added up.
fn added(keys: &[u64]) -> Vec<(f32, f64)> {
    let mut values: Vec<(f32, f64)> = Vec::new();
    for key in keys {
        let (value, weight) = (unordered((key >> 32) as u32), f64::from(f32::from_bits(*key as u32)));
        match values.last_mut() {
            Some(last) if last.0 == value => last.1 += weight,
            _ => values.push((value, weight)),
        }
    }
    values
}

/// A number's bits, changed so that they sort as the numbers do.
fn ordered(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

fn unordered(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}

/// Upper edges of at most `bins` bins of about equal weight. If there are few values, each gets its
/// own bin. Otherwise a value as heavy as a fair bin gets its own, or one shared with less than
/// half a bin of others. The remaining values share the remaining bins, as in LightGBM's
/// `GreedyFindBin`.
fn edges(values: &[(f32, f64)], bins: usize) -> Vec<f32> {
    let mut edges = Vec::new();
    if values.len() <= bins {
        edges.extend(values.windows(2).map(|pair| between(pair[0].0, pair[1].0)));
    } else {
        let fair = values.iter().map(|value| value.1).sum::<f64>() / bins as f64;
        let heavy = |value: &(f32, f64)| value.1 >= fair;
        let mut rest_bins = bins - values.iter().filter(|value| heavy(value)).count();
        let mut rest: f64 = values.iter().filter(|value| !heavy(value)).map(|value| value.1).sum();
        let (mut aim, mut weight) = (rest / rest_bins.max(1) as f64, 0.0);
        for pair in values.windows(2) {
            let [value, next] = [&pair[0], &pair[1]];
            weight += value.1;
            if !heavy(value) {
                rest -= value.1;
            }
            if heavy(value) || weight >= aim || (heavy(next) && weight >= aim / 2.0) {
                edges.push(between(value.0, next.0));
                weight = 0.0;
                if !heavy(value) {
                    rest_bins = rest_bins.saturating_sub(1);
                    aim = rest / rest_bins.max(1) as f64;
                }
                if edges.len() + 1 == bins {
                    break;
                }
            }
        }
    }
    edges.push(f32::INFINITY);
    edges
}

/// A number from `low` to below `high`, halfway if possible.
fn between(low: f32, high: f32) -> f32 {
    let middle = f64::midpoint(f64::from(low), f64::from(high)) as f32;
    if low <= middle && middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{between, ordered, unordered};
    use crate::learn::boosting::Rows;
    use crate::learn::boosting::bins::BinnedRows;
    use crate::learn::parallel::tests::Backwards;

    fn column(values: &[f32]) -> Rows {
        let mut rows = Rows::new(1);
        values.iter().for_each(|&value| rows.push(&[value]));
        rows
    }

    #[test]
    fn few_values_have_a_bin_each() {
        let rows = column(&[2.0, f32::NAN, -1.0, 2.0, 0.0, -0.0]);
        let table = BinnedRows::new(&rows, &[1.0; 6], 3, &Backwards(1));
        assert_eq!(table.edges, [[-0.5, 1.0, f32::INFINITY]]);
        assert_eq!(table.columns, [[3, 0, 1, 3, 2, 2]]);
    }

    #[test]
    fn many_values_share_bins_of_equal_weight_and_a_heavy_one_keeps_its_own() {
        let mut values = vec![500.25; 1000];
        values.extend((0..1000).map(|i| i as f32));
        let rows = column(&values);
        let edges = BinnedRows::new(&rows, &[1.0; 2000], 11, &Backwards(1)).edges.remove(0);
        assert_eq!(edges.len(), 11);
        let own: Vec<_> = edges.windows(2).filter(|pair| pair[0] < 500.25 && 500.25 < pair[1]).collect();
        assert!(own.len() == 1 && own[0][0] > 450.0 && own[0][1] < 501.0, "{edges:?}");
        let first = edges[0];
        assert!((90.0..120.0).contains(&first), "{edges:?}");
    }

    #[test]
    fn an_edge_is_never_the_higher_value() {
        let next = f32::from_bits(1.0f32.to_bits() + 1);
        let infinite = f32::INFINITY;
        for (low, high, expect) in [
            (1.0, 2.0, 1.5),
            (1.0, next, 1.0),
            (f32::MAX, infinite, f32::MAX),
            (-infinite, infinite, -infinite),
            (-f32::MAX, f32::MAX, 0.0),
        ] {
            assert_eq!(between(low, high), expect);
        }
    }

    proptest! {
        #[test]
        fn a_bin_holds_what_lies_between_its_edges(
            values in proptest::collection::vec((prop::num::f32::ANY, 0.0f32..3.0), 1..200), bins in 2usize..20,
        ) {
            let (values, weights): (Vec<f32>, Vec<f32>) = values.into_iter().unzip();
            let table = BinnedRows::new(&column(&values), &weights, bins, &Backwards(2));
            let edges = &table.edges[0];
            prop_assert!(edges.len() <= bins && edges.is_sorted() && edges.last() == Some(&f32::INFINITY));
            for (row, &value) in values.iter().enumerate() {
                match usize::from(table.columns[0][row]) {
                    0 => prop_assert!(value.is_nan()),
                    bin => prop_assert!(value <= edges[bin - 1] && (bin == 1 || value > edges[bin - 2])),
                }
            }
        }

        #[test]
        fn keys_ascend_as_numbers_do(a in prop::num::f32::NORMAL, b in prop::num::f32::NORMAL) {
            prop_assert_eq!(ordered(a).cmp(&ordered(b)), a.total_cmp(&b));
            prop_assert_eq!(unordered(ordered(a)), a);
        }
    }
}
