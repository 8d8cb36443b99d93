//! From probabilities to a decision: which blocks are kept, and how good that is expected to be.
//!
//! F1 is greatest when a block is kept whose probability is above half of the F1 that is reached (Lipton, Elkan, Narayanaswamy 2014, "Optimal
//! Thresholding of Classifiers to Maximize F1 Measure"). So the blocks are segmented by (p − F/2) · words, with a cost for each run that is begun, and F is what
//! comes of it: a few rounds settle both (Dinkelbach 1967).

use crate::learn::segmentation::runs;

/// Rounds at most: F settles in three or four.
const ROUNDS: usize = 8;

/// What was decided of a page's blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Whether each is kept.
    pub kept: Vec<bool>,
    /// The F1 that is expected of it, from 0 to 1, were the probabilities true and independent of each other.
    pub expected_f1: f64,
}

/// Decides. `likely` gives the probability of each block, `words` its words, `run_cost` what beginning a run costs, in words. Linear.
pub fn decide(likely: &[f32], words: &[u32], run_cost: f64) -> Decision {
    let words: Vec<f64> = words.iter().map(|&words| f64::from(words)).collect();
    let likely: Vec<f64> = likely.iter().map(|&likely| f64::from(likely)).collect();
    let total: f64 = likely.iter().zip(&words).map(|(p, w)| p * w).sum();
    let mut best = Decision { kept: vec![false; words.len()], expected_f1: 0.0 };
    let mut expected = 0.0;
    for _ in 0..ROUNDS {
        let scores: Vec<f64> = likely.iter().zip(&words).map(|(p, w)| (p - expected / 2.0) * w).collect();
        let mut kept = vec![false; words.len()];
        let (mut hit, mut size) = (0.0, 0.0);
        for at in runs(&scores, run_cost).into_iter().flatten() {
            kept[at] = true;
            hit += likely[at] * words[at];
            size += words[at];
        }
        let reached = if size + total > 0.0 { 2.0 * hit / (size + total) } else { 0.0 };
        let settled = (reached - expected).abs() < 1e-6;
        best = Decision { kept, expected_f1: reached };
        expected = reached;
        if settled {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::decide;

    #[test]
    fn what_is_likelier_than_half_the_f1_is_kept() {
        let decision = decide(&[0.9, 0.9, 0.1, 0.5, 0.05], &[100, 50, 40, 40, 200], 0.0);
        assert_eq!(decision.kept, [true, true, false, true, false]);
        // 2 · (90 + 45 + 20) / (190 + 90 + 45 + 4 + 20 + 10)
        assert!((decision.expected_f1 - 310.0 / 359.0).abs() < 1e-6, "{}", decision.expected_f1);
    }

    #[test]
    fn runs_that_gain_less_than_their_cost_are_left() {
        let likely = [0.9, 0.0, 0.9, 0.0, 0.9];
        let words = [100, 10, 100, 500, 3];
        assert_eq!(decide(&likely, &words, 0.0).kept, [true, false, true, false, true]);
        assert_eq!(decide(&likely, &words, 5.0).kept, [true, true, true, false, false]);
        assert_eq!(decide(&[], &[], 1.0).expected_f1, 0.0);
        assert!(decide(&[0.0, 0.0], &[5, 5], 1.0).kept.iter().all(|kept| !kept));
    }
}
