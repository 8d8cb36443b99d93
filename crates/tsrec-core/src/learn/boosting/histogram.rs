//! Histograms of derivatives by bin, from which splits are chosen.

use std::ops::{Add, AddAssign, Sub};

use super::sample::LANES;

/// A row of a growing tree: its index among the tree's rows, and its derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowDerivatives {
    pub(super) row: u32,
    pub(super) gradient: i32,
    pub(super) hessian: u32,
}

/// The value of one unit of the integers in [`RowDerivatives`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) gradient: f64,
    pub(super) hessian: f64,
}

/// The low bits of a word count rows; its high bits sum the Hessians.
const ROW_BITS: u32 = 24;

/// The most rows that can be counted.
pub(super) const MOST_ROWS: usize = (1 << ROW_BITS) - 1;

/// Exact sums over rows: the gradients, the Hessians, and the number of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GradientSums {
    gradient: i64,
    /// Hessians in the high bits, rows in the low ones: one addition for both.
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

    /// The sums over the remaining rows. `other` must be over some of these rows.
    #[inline]
    fn sub(self, other: GradientSums) -> GradientSums {
        GradientSums { gradient: self.gradient - other.gradient, packed: self.packed - other.packed }
    }
}

/// Counts rows into the histograms of a block of columns. `offsets` are counted from the first.
/// O(rows + bins).
pub(super) fn count(
    block: &[[u8; LANES]],
    entries: &[RowDerivatives],
    offsets: &[usize],
    histogram: &mut [GradientSums],
) {
    let most = offsets.windows(2).map(|lane| lane[1] - lane[0]).max().unwrap_or(0);
    // Small histograms stay in the first-level cache.
    let count = if most <= 128 { count_in::<128> } else { count_in::<256> };
    count(block, entries, offsets, histogram);
}

/// Counts rows of columns with at most `BINS` bins, a power of two.
fn count_in<const BINS: usize>(
    block: &[[u8; LANES]],
    entries: &[RowDerivatives],
    offsets: &[usize],
    histogram: &mut [GradientSums],
) {
    // A remainder cannot index past the array, so only the row's index is checked below.
    let mut counted = [[GradientSums::default(); BINS]; LANES];
    for entry in entries {
        for (sums, bin) in counted.iter_mut().zip(block[entry.row as usize]) {
            sums[usize::from(bin) % BINS].count(entry);
        }
    }
    for (lane, sums) in offsets.windows(2).zip(counted) {
        let place = &mut histogram[lane[0] - offsets[0]..lane[1] - offsets[0]];
        place.copy_from_slice(&sums[..place.len()]);
    }
}

/// Subtracts a child's histogram from its parent's, which becomes the other child's. O(bins).
pub(super) fn subtract(parent: &mut [GradientSums], child: &[GradientSums]) {
    for (parent, child) in parent.iter_mut().zip(child) {
        *parent = *parent - *child;
    }
}
