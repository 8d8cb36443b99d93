//! The maximum subsequence: the run of consecutive scores with the greatest sum.
//!
//! "Extracting Article Text from the Web with Maximum Subsequence Segmentation" (Pasternack, Roth 2009), section 6.1
//! and figure 1. The paper says subsequence for what is a substring, and so do we.

use std::ops::Range;

/// The run of scores with the greatest sum, and that sum; the first of several. `None` unless some score is positive.
/// One pass, linear.
///
/// ```
/// use tsrec::learn::subsequence::maximum;
/// assert_eq!(maximum([-1.0, 2.0, -0.5, 3.0, -4.0]), Some((1..4, 4.5)));
/// assert_eq!(maximum([-1.0]), None);
/// ```
pub fn maximum(scores: impl IntoIterator<Item = f64>) -> Option<(Range<usize>, f64)> {
    let mut best: Option<(Range<usize>, f64)> = None;
    let (mut start, mut sum) = (0, 0.0);
    for (index, score) in scores.into_iter().enumerate() {
        sum += score;
        if sum > best.as_ref().map_or(0.0, |(_, most)| *most) {
            best = Some((start..index + 1, sum));
        }
        // The figure restarts below zero; at zero nothing is gained by the run so far either.
        if sum <= 0.0 {
            (start, sum) = (index + 1, 0.0);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::maximum;

    proptest! {
        #[test]
        fn no_run_has_a_greater_sum(scores in proptest::collection::vec(-8i32..8, 0..60)) {
            let sum = |range: std::ops::Range<usize>| scores[range].iter().sum::<i32>();
            let most = (0..scores.len())
                .flat_map(|from| (from + 1..=scores.len()).map(move |to| from..to))
                .map(sum)
                .max()
                .unwrap_or(0);
            match maximum(scores.iter().map(|&s| f64::from(s))) {
                None => prop_assert!(most <= 0),
                Some((range, value)) => {
                    prop_assert_eq!(value, f64::from(most));
                    prop_assert_eq!(sum(range), most);
                }
            }
        }
    }
}
