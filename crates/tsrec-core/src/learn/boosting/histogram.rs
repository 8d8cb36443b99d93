//! Histograms of derivatives by bin: what a split is chosen from.

use std::ops::{Add, AddAssign, Sub};

use super::bins::{BinnedRows, LANES};

/// A row in a tree that grows: which one it is and its derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowDerivatives {
    pub(super) row: u32,
    pub(super) gradient: i32,
    pub(super) hessian: u32,
}

/// What one of an [`RowDerivatives`]'s integers is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) gradient: f64,
    pub(super) hessian: f64,
}

/// Rows are counted in the low bits of the word whose high bits sum the Hessians.
const ROW_BITS: u32 = 24;

/// The most rows that can be counted.
pub(super) const MOST_ROWS: usize = (1 << ROW_BITS) - 1;

/// Exact sums over rows: of the gradients, of the Hessians, and how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GradientSums {
    gradient: i64,
    /// Hessians above, rows below: one addition for both.
    packed: u64,
}

impl GradientSums {
    pub(super) fn from_entries(entries: &[RowDerivatives]) -> GradientSums {
        entries.iter().fold(GradientSums::default(), |mut sums, entry| {
            sums.count(entry);
            sums
        })
    }

    #[inline]
    fn count(&mut self, entry: &RowDerivatives) {
        self.gradient += i64::from(entry.gradient);
        self.packed += u64::from(entry.hessian) << ROW_BITS | 1;
    }

    #[inline]
    pub(super) fn rows(self) -> usize {
        (self.packed & MOST_ROWS as u64) as usize
    }

    #[inline]
    pub(super) fn gradient(self, scale: Scale) -> f64 {
        self.gradient as f64 * scale.gradient
    }

    #[inline]
    pub(super) fn hessian(self, scale: Scale) -> f64 {
        (self.packed >> ROW_BITS) as f64 * scale.hessian
    }
}

impl Add for GradientSums {
    type Output = GradientSums;

    #[inline]
    fn add(self, other: GradientSums) -> GradientSums {
        GradientSums { gradient: self.gradient + other.gradient, packed: self.packed + other.packed }
    }
}

impl AddAssign for GradientSums {
    #[inline]
    fn add_assign(&mut self, other: GradientSums) {
        *self = *self + other;
    }
}

impl Sub for GradientSums {
    type Output = GradientSums;

    /// The sums over the other rows; `other` is over some of this one's.
    #[inline]
    fn sub(self, other: GradientSums) -> GradientSums {
        GradientSums { gradient: self.gradient - other.gradient, packed: self.packed - other.packed }
    }
}

/// Where the bins of each column lie in a histogram: one after the other, with an end.
pub(super) fn offsets(table: &BinnedRows) -> Vec<usize> {
    let mut offsets = vec![0];
    for edges in &table.edges {
        offsets.push(offsets[offsets.len() - 1] + edges.len() + 1);
    }
    offsets
}

/// Counts rows into the histograms of a block of columns, which lie at `offsets` from the first's.
/// O(rows + bins).
pub(super) fn count(
    block: &[[u8; LANES]],
    entries: &[RowDerivatives],
    offsets: &[usize],
    histogram: &mut [GradientSums],
) {
    // A byte cannot leave an array of 256: no index is checked below but the row's.
    let mut counted = [[GradientSums::default(); 256]; LANES];
    for entry in entries {
        for (sums, bin) in counted.iter_mut().zip(block[entry.row as usize]) {
            sums[usize::from(bin)].count(entry);
        }
    }
    for (lane, sums) in offsets.windows(2).zip(counted) {
        let place = &mut histogram[lane[0] - offsets[0]..lane[1] - offsets[0]];
        place.copy_from_slice(&sums[..place.len()]);
    }
}

/// Takes a child's histogram from its parent's, which becomes the other child's. O(bins).
pub(super) fn subtract(parent: &mut [GradientSums], child: &[GradientSums]) {
    for (parent, child) in parent.iter_mut().zip(child) {
        *parent = *parent - *child;
    }
}
