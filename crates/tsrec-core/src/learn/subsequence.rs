//! The maximum subsequence: the run of consecutive scores with the greatest sum.
//!
//! "Extracting Article Text from the Web with Maximum Subsequence Segmentation" (Pasternack, Roth
//! 2009), section 6.1 and figure 1. Like the paper, we say subsequence for a substring. All maximal
//! runs are found as in "A Linear Time Algorithm for Finding All Maximal Scoring Subsequences"
//! (Ruzzo, Tompa 1999).

use std::ops::Range;

/// The run of scores with the greatest sum, and that sum; the first if several are equal. `None`
/// unless some score is positive. One pass, linear.
///
/// ```
/// use tsrec_core::learn::subsequence::maximum;
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
        // The figure restarts below zero. At zero the run so far gains nothing either.
        if sum <= 0.0 {
            (start, sum) = (index + 1, 0.0);
        }
    }
    best
}

/// All maximal runs of scores with their sums, in order. The first one is the run with the greatest
/// sum; the rest on either side of it is searched in the same way. Runs do not touch. One pass,
/// linear time and memory.
///
/// ```
/// use tsrec_core::learn::subsequence::all_maximal;
/// assert_eq!(all_maximal([4.0, -5.0, 3.0, -3.0, 1.0, 2.0]), [(0..1, 4.0), (2..3, 3.0), (4..6, 3.0)]);
/// ```
pub fn all_maximal(scores: impl IntoIterator<Item = f64>) -> Vec<(Range<usize>, f64)> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut total = 0.0;
    for (index, score) in scores.into_iter().enumerate() {
        let before = total;
        total += score;
        if score <= 0.0 {
            continue;
        }
        let mut run = Candidate { range: index..index + 1, left: before, right: total, nearest: None };
        loop {
            // The nearest candidate on the left that begins lower than this one. The chain of
            // `nearest` skips none.
            let mut nearest = candidates.len().checked_sub(1);
            while let Some(at) = nearest
                && candidates[at].left >= run.left
            {
                nearest = candidates[at].nearest;
            }
            match nearest {
                // The gap costs less than either end gains, so they become one run.
                Some(at) if candidates[at].right < run.right => {
                    run.range.start = candidates[at].range.start;
                    run.left = candidates[at].left;
                    candidates.truncate(at);
                }
                _ => {
                    run.nearest = nearest;
                    candidates.push(run);
                    break;
                }
            }
        }
    }
    candidates.into_iter().map(|run| (run.range, run.right - run.left)).collect()
}

/// The `k` maximal runs with the greatest sums, greatest first; equal ones in order. O(n + m log m)
/// for m maximal runs.
pub fn k_best(scores: impl IntoIterator<Item = f64>, k: usize) -> Vec<(Range<usize>, f64)> {
    let mut runs = all_maximal(scores);
    runs.sort_by(|a, b| b.1.total_cmp(&a.1));
    runs.truncate(k);
    runs
}

/// A run that may still become part of a longer one.
struct Candidate {
    range: Range<usize>,
    /// The sum of all scores before its first.
    left: f64,
    /// The sum of all scores up to its last.
    right: f64,
    /// The nearest candidate before it whose `left` is smaller.
    nearest: Option<usize>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Range, all_maximal, k_best, maximum};

    /// The definition, by brute force: the run with the greatest sum, then the same on its left and
    /// right. If several are equal: the shortest, then the first.
    fn oracle(scores: &[i32], at: usize, runs: &mut Vec<(Range<usize>, f64)>) {
        let all = (0..scores.len()).flat_map(|from| (from + 1..=scores.len()).map(move |to| from..to));
        let sum = |range: &Range<usize>| scores[range.clone()].iter().sum::<i32>();
        let best = all.max_by_key(|range| (sum(range), std::cmp::Reverse((range.len(), range.start))));
        let Some(best) = best.filter(|range| sum(range) > 0) else { return };
        oracle(&scores[..best.start], at, runs);
        runs.push((at + best.start..at + best.end, f64::from(sum(&best))));
        oracle(&scores[best.end..], at + best.end, runs);
    }

    #[test]
    fn the_example_of_ruzzo_and_tompa() {
        let scores = [4.0, -5.0, 3.0, -3.0, 1.0, 2.0, -2.0, 2.0, -2.0, 1.0, 5.0];
        assert_eq!(all_maximal(scores), [(0..1, 4.0), (2..3, 3.0), (4..11, 7.0)]);
        assert_eq!(k_best(scores, 2), [(4..11, 7.0), (0..1, 4.0)]);
        assert!(k_best(scores, 0).is_empty() && all_maximal([0.0, -1.0]).is_empty());
    }

    proptest! {
        #[test]
        fn maximal_runs_are_those_of_the_definition(scores in proptest::collection::vec(-6i32..6, 0..40)) {
            let runs = all_maximal(scores.iter().map(|&s| f64::from(s)));
            let mut expect = Vec::new();
            oracle(&scores, 0, &mut expect);
            prop_assert_eq!(&runs, &expect);
            let best = k_best(scores.iter().map(|&s| f64::from(s)), 1).pop();
            let maximum = maximum(scores.iter().map(|&s| f64::from(s)));
            prop_assert_eq!(best.map(|run| run.1), maximum.map(|run| run.1));
        }

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
