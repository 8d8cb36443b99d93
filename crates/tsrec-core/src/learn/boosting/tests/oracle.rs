//! Compares the learner with its definition: exact greedy splits over the rows, without bins,
//! histograms or integers.

use crate::learn::parallel::tests::Backwards;
use proptest::prelude::*;

use super::cases::noisy;
use crate::learn::boosting::{Rows, Training, train};

/// A leaf of the oracle, with its best split.
struct Leaf {
    rows: Vec<usize>,
    best: Option<(f64, Vec<usize>, Vec<usize>)>,
}

/// Boosting as Friedman and Chen and Guestrin define it. Returns the scores of all rows.
fn oracle(rows: &Rows, labels: &[f32], weights: &[f32], training: &Training) -> Vec<f64> {
    let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let sum: f64 = weights.iter().zip(labels).map(|(&weight, &label)| f64::from(weight * label)).sum();
    let base = (sum / (total - sum)).ln();
    let mut scores = vec![base; rows.len()];
    for _ in 0..training.trees {
        let derivatives: Vec<[f64; 2]> = (0..rows.len())
            .map(|row| {
                let probability = 1.0 / (1.0 + (-scores[row]).exp());
                let weight = f64::from(weights[row]);
                [weight * (probability - f64::from(labels[row])), weight * probability * (1.0 - probability)]
            })
            .collect();
        for leaf in tree(rows, &derivatives, training) {
            let [gradient, hessian] = sums(&leaf.rows, &derivatives);
            for row in leaf.rows {
                scores[row] -= training.learning_rate * gradient / (hessian + training.lambda);
            }
        }
    }
    scores
}

fn tree(rows: &Rows, derivatives: &[[f64; 2]], training: &Training) -> Vec<Leaf> {
    let leaf = |members: Vec<usize>| Leaf { best: best(rows, &members, derivatives, training), rows: members };
    let mut leaves = vec![leaf((0..rows.len()).collect())];
    while leaves.len() < training.leaves {
        let gain = |leaf: &Leaf| leaf.best.as_ref().map_or(0.0, |best| best.0);
        let Some(at) = (0..leaves.len()).max_by(|&a, &b| gain(&leaves[a]).total_cmp(&gain(&leaves[b]))) else { break };
        let Some((_, left, right)) = leaves[at].best.take() else { break };
        leaves.push(leaf(right));
        leaves[at] = leaf(left);
    }
    leaves
}

fn best(
    rows: &Rows,
    members: &[usize],
    derivatives: &[[f64; 2]],
    training: &Training,
) -> Option<(f64, Vec<usize>, Vec<usize>)> {
    let worth = |members: &[usize]| {
        let [gradient, hessian] = sums(members, derivatives);
        gradient * gradient / (hessian + training.lambda)
    };
    let mut best: Option<(f64, Vec<usize>, Vec<usize>)> = None;
    for column in 0..rows.columns() {
        let value = |row: usize| rows.row(row)[column];
        let thresholds = members.iter().map(|&row| value(row)).filter(|value| !value.is_nan());
        for threshold in thresholds {
            for absent_left in [false, true] {
                let goes_left = |row: usize| value(row) <= threshold || (value(row).is_nan() && absent_left);
                let (left, right): (Vec<_>, Vec<_>) = members.iter().partition(|&&row| goes_left(row));
                let enough = |side: &[usize]| {
                    side.len() >= training.least_leaf_rows && sums(side, derivatives)[1] >= training.least_leaf_weight
                };
                if !enough(&left) || !enough(&right) {
                    continue;
                }
                let gain = worth(&left) + worth(&right) - worth(members);
                if gain > best.as_ref().map_or(training.least_gain, |best| best.0) {
                    best = Some((gain, left, right));
                }
            }
        }
    }
    best
}

fn sums(members: &[usize], derivatives: &[[f64; 2]]) -> [f64; 2] {
    members.iter().fold([0.0; 2], |sums, &row| [sums[0] + derivatives[row][0], sums[1] + derivatives[row][1]])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn histograms_find_what_trying_every_split_finds(
        seed: u64, count in 20usize..90, leaves in 2usize..7, lambda in 0.0f64..2.0, least_leaf_rows in 1usize..6,
    ) {
        let (rows, labels, weights) = noisy(count, 4, seed);
        prop_assume!(labels.contains(&0.0) && labels.contains(&1.0));
        // Random numbers have no ties, which two correct learners could break differently.
        let training = Training {
            trees: 3, leaves, lambda, least_leaf_rows, least_leaf_weight: 0.05, workers: &Backwards(2), ..Training::default()
        };
        let model = train(&rows, &labels, &weights, &training, |_| {}).unwrap().model;
        let expect = oracle(&rows, &labels, &weights, &training);
        for (row, expect) in expect.into_iter().enumerate() {
            let found = f64::from(model.predict(rows.row(row)));
            prop_assert!((found - expect).abs() < 1e-3, "row {}: {} and not {}", row, found, expect);
        }
    }
}
