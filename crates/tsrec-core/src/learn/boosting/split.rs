//! Finds the best split of a leaf by one column.

use super::Training;
use super::bins::ABSENT;
use super::histogram::{GradientSums, Scale};

/// A leaf split in two. Rows with the bins 1 to `bin` go left, those with higher bins go right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    pub(super) gain: f64,
    pub(super) column: usize,
    pub(super) bin: u8,
    pub(super) absent_left: bool,
    pub(super) left: GradientSums,
    pub(super) right: GradientSums,
}

impl Split {
    /// True of the bins that go left.
    #[inline]
    pub(super) fn goes_left(&self, bin: u8) -> bool {
        if bin == ABSENT { self.absent_left } else { bin <= self.bin }
    }
}

/// What is needed to judge splits.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) training: &'a Training,
    pub(super) scale: Scale,
}

impl Judge<'_> {
    /// The step that reduces a leaf's loss most, before the learning rate.
    pub(super) fn step(&self, sums: GradientSums) -> f64 {
        let curvature = sums.hessian(self.scale) + self.training.lambda;
        if curvature > 0.0 { -sums.gradient(self.scale) / curvature } else { 0.0 }
    }

    /// Twice the loss that the best step removes from a leaf.
    #[inline]
    fn worth(&self, sums: GradientSums) -> f64 {
        let gradient = sums.gradient(self.scale);
        let curvature = sums.hessian(self.scale) + self.training.lambda;
        if curvature > 0.0 { gradient * gradient / curvature } else { 0.0 }
    }

    #[inline]
    fn is_enough(&self, sums: GradientSums) -> bool {
        sums.rows() >= self.training.least_leaf_rows.max(1)
            && sums.hessian(self.scale) >= self.training.least_leaf_weight
    }

    /// The split with the greatest gain; the first if equal. Tries absent values on both sides.
    /// O(bins).
    pub(super) fn best(&self, column: usize, histogram: &[GradientSums], all: GradientSums) -> Option<Split> {
        let least_rows = self.training.least_leaf_rows.max(1);
        let absent = histogram[usize::from(ABSENT)];
        let whole = self.worth(all);
        let mut best: Option<Split> = None;
        let mut most = self.training.least_gain;
        let mut present = GradientSums::default();
        for (bin, &sums) in histogram.iter().enumerate().skip(1) {
            // Splitting after an empty bin is the same as splitting before it.
            if sums.rows() == 0 {
                continue;
            }
            present += sums;
            if all.rows() - present.rows() < least_rows {
                break;
            }
            let sides = [(false, present), (true, present + absent)];
            for (absent_left, left) in sides.into_iter().take(if absent.rows() > 0 { 2 } else { 1 }) {
                let right = all - left;
                if !self.is_enough(left) || !self.is_enough(right) {
                    continue;
                }
                let gain = self.worth(left) + self.worth(right) - whole;
                if gain > most {
                    most = gain;
                    let left_is_heavier = left.hessian(self.scale) >= right.hessian(self.scale);
                    let absent_left = if absent.rows() > 0 { absent_left } else { left_is_heavier };
                    best = Some(Split { gain, column, bin: bin as u8, absent_left, left, right });
                }
            }
        }
        best
    }
}
