//! Sums that do not depend on the order of addition.

use serde::{Deserialize, Serialize};

/// Sums are integers, in this unit. Each summand is rounded once; the sum is exact.
const UNIT: f32 = 1.0 / 1024.0;

/// A sum and a sum of squares, for mean and spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SpreadSums {
    sum: i64,
    squares: i64,
}

/// A sum of the values that are not absent, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mean {
    sum: i64,
    count: u32,
}

/// A number in units, rounded half away from zero. The standard library's rounding is a function
/// call on some processors, and this runs dozens of times per block.
pub(super) fn units(value: f32) -> i64 {
    let value = value / UNIT;
    let whole = value as i64;
    // Exact, because neither number has digits that the other lacks. For numbers beyond all
    // integers and for NaN the rest is not used.
    let rest = value - whole as f32;
    whole.saturating_add(i64::from(rest >= 0.5) - i64::from(rest <= -0.5))
}

/// The number for these units.
pub(super) fn value(units: i64) -> f32 {
    units as f32 * UNIT
}

impl SpreadSums {
    pub(super) fn add(&mut self, value: f32, weight: f32) {
        self.sum = self.sum.saturating_add(units(value * weight));
        self.squares = self.squares.saturating_add(units(value * value * weight));
    }

    pub(super) fn merge(&mut self, other: SpreadSums) {
        self.sum = self.sum.saturating_add(other.sum);
        self.squares = self.squares.saturating_add(other.squares);
    }

    pub(super) fn sum(self) -> f32 {
        value(self.sum)
    }

    pub(super) fn mean(self, weight: f32) -> f32 {
        value(self.sum) / weight
    }

    pub(super) fn spread(self, weight: f32) -> f32 {
        let mean = self.mean(weight);
        (value(self.squares) / weight - mean * mean).max(0.0).sqrt()
    }
}

impl Mean {
    pub(super) fn add(&mut self, value: f32) {
        if !value.is_nan() {
            self.sum = self.sum.saturating_add(units(value));
            self.count = self.count.saturating_add(1);
        }
    }

    pub(super) fn merge(&mut self, other: Mean) {
        self.sum = self.sum.saturating_add(other.sum);
        self.count = self.count.saturating_add(other.count);
    }

    /// The mean; NaN if nothing was added.
    pub(super) fn get(self) -> f32 {
        if self.count == 0 { f32::NAN } else { value(self.sum) / self.count as f32 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn units_are_rounded_as_the_standard_library_rounds(
            value in prop_oneof![proptest::num::f32::ANY, -2.0_f32..2.0, (-9_000_i32..9_000).prop_map(|n| n as f32 * UNIT / 2.0)]
        ) {
            prop_assert_eq!(units(value), (value / UNIT).round() as i64, "{}", value);
        }
    }
}
