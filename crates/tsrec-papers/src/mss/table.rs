//! A table of log odds, as models store them: small, and exact enough.

use serde::{Deserialize, Serialize};

/// Log odds by hashed value, in steps of 1/`STEPS`. Each takes some four bytes when stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PackedOdds", into = "PackedOdds")]
pub struct TokenOdds {
    /// Ascending.
    values: Vec<u32>,
    odds: Vec<i8>,
}

/// Number of steps per 1 of log odds. Judgement: 8 bits then reach odds of 2,800 to 1, and the
/// steps are far finer than counts can be trusted.
const STEPS: f64 = 16.0;

impl TokenOdds {
    /// A table of values with their log odds. The values must be ascending.
    pub(super) fn new(entries: impl IntoIterator<Item = (u32, f64)>) -> TokenOdds {
        // The cast saturates.
        let (values, odds) = entries.into_iter().map(|(value, odds)| (value, (odds * STEPS).round() as i8)).unzip();
        TokenOdds { values, odds }
    }

    /// The log odds of a value, if the table has it. O(log n).
    pub(super) fn log_odds(&self, value: u32) -> Option<f64> {
        let at = self.values.binary_search(&value).ok()?;
        Some(f64::from(self.odds[at]) / STEPS)
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }
}

/// A [`TokenOdds`] in its stored form: each value as the difference to the one before.
#[derive(Serialize, Deserialize)]
struct PackedOdds {
    gaps: Vec<u32>,
    odds: Vec<i8>,
}

impl From<TokenOdds> for PackedOdds {
    fn from(table: TokenOdds) -> PackedOdds {
        let before = std::iter::once(0).chain(table.values.iter().copied());
        PackedOdds {
            gaps: table.values.iter().zip(before).map(|(value, before)| value - before).collect(),
            odds: table.odds,
        }
    }
}

impl TryFrom<PackedOdds> for TokenOdds {
    type Error = &'static str;

    fn try_from(packed: PackedOdds) -> Result<TokenOdds, &'static str> {
        if packed.gaps.len() != packed.odds.len() {
            return Err("a table has not one odds a value");
        }
        let mut last = 0u32;
        let values: Option<Vec<u32>> = packed
            .gaps
            .into_iter()
            .enumerate()
            .map(|(at, gap)| {
                last = last.checked_add(gap).filter(|_| gap > 0 || at == 0)?;
                Some(last)
            })
            .collect();
        Ok(TokenOdds { values: values.ok_or("a table's values do not ascend")?, odds: packed.odds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_keep_what_eight_bits_can_hold() {
        let table = TokenOdds::new([(0, 0.0), (7, 1.03), (u32::MAX, -100.0)]);
        for (value, expect) in [(0, Some(0.0)), (7, Some(1.0)), (8, None), (u32::MAX, Some(-8.0))] {
            assert_eq!(table.log_odds(value), expect, "{value}");
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        // Gaps with a sum above 32 bits, a repeated value, and missing odds.
        for (gaps, odds) in [(vec![u32::MAX, 1], vec![1, 1]), (vec![3, 0], vec![1, 1]), (vec![3], vec![])] {
            assert!(TokenOdds::try_from(PackedOdds { gaps, odds }).is_err());
        }
    }
}
