//! Segmentation into runs with a cost per run: the general form of the maximum subsequence.
//!
//! One free run gives [`subsequence::maximum`](super::subsequence::maximum) (Pasternack, Roth
//! 2009). Any number of free runs gives a threshold. In between, a run is kept if it gains more
//! than its cost.

use std::ops::Range;

/// The runs of scores with the greatest sum, minus `cost` for each run. Linear; it keeps two
/// numbers per score.
///
/// `cost` is at least 0. If several choices are best, the one that keeps less wins.
///
/// ```
/// use tsrec_core::learn::segmentation::runs;
/// let scores = [3.0, -1.0, 2.0, -4.0, 1.5];
/// assert_eq!(runs(&scores, 0.0), [0..1, 2..3, 4..5]);
/// assert_eq!(runs(&scores, 1.2), [0..3, 4..5]);
/// assert_eq!(runs(&scores, 2.0), [0..3]);
/// assert!(runs(&scores, 9.0).is_empty());
/// ```
pub fn runs(scores: &[f64], cost: f64) -> Vec<Range<usize>> {
    // The best sums up to here of choices that end outside a run and inside one, and whether the
    // step before was inside.
    let (mut outside, mut inside) = (0.0, f64::NEG_INFINITY);
    let mut from_inside = Vec::with_capacity(scores.len());
    for &score in scores {
        let closes = inside > outside;
        let goes_on = inside >= outside - cost;
        let next_outside = if closes { inside } else { outside };
        inside = score + if goes_on { inside } else { outside - cost };
        outside = next_outside;
        from_inside.push((closes, goes_on));
    }
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut is_inside = inside > outside;
    for (at, &(closes, goes_on)) in from_inside.iter().enumerate().rev() {
        if is_inside {
            match runs.last_mut() {
                Some(run) if run.start == at + 1 => run.start = at,
                _ => runs.push(at..at + 1),
            }
        }
        is_inside = if is_inside { goes_on } else { closes };
    }
    runs.reverse();
    runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::runs;

    fn value(kept: impl Iterator<Item = bool>, scores: &[i32], cost: i32) -> i32 {
        let mut last = false;
        kept.zip(scores).fold(0, |sum, (kept, score)| {
            let begins = kept && !last;
            last = kept;
            sum + if kept { *score } else { 0 } - if begins { cost } else { 0 }
        })
    }

    proptest! {
        #[test]
        fn no_choice_is_worth_more(scores in proptest::collection::vec(-6i32..6, 0..12), cost in 0i32..8) {
            let found = runs(&scores.iter().map(|&s| f64::from(s)).collect::<Vec<_>>(), f64::from(cost));
            let kept = (0..scores.len()).map(|at| found.iter().any(|run| run.contains(&at)));
            let best = (0u32..1 << scores.len())
                .map(|bits| value((0..scores.len()).map(|at| bits >> at & 1 == 1), &scores, cost))
                .max()
                .unwrap();
            prop_assert_eq!(value(kept, &scores, cost), best);
            prop_assert!(found.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
