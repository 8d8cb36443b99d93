//! The losses, their derivatives, and the derivatives as integers.

use super::histogram::{RowDerivatives, Scale};
use crate::learn::naive_bayes::probability;
use crate::learn::parallel::{self, Workers};

/// The first and second derivative of a row's loss with respect to its score, times its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Derivatives {
    pub(super) first: f32,
    pub(super) second: f32,
}

/// Labels of rows, for one of two tasks.
pub(super) enum Task<'a> {
    /// Labels from 0 to 1, logistic loss, one score per row.
    Binary(&'a [f32]),
    /// The number of a class, cross entropy of the softmax, a score for each class.
    Classes(&'a [usize], usize),
}

/// If all labels are the same, base log odds stop at those of one in a million.
const LEAST_SHARE: f64 = 1e-6;

impl Task<'_> {
    /// How many scores a row has.
    pub(super) fn outputs(&self) -> usize {
        match self {
            Task::Binary(_) => 1,
            Task::Classes(_, classes) => *classes,
        }
    }

    /// The best scores when nothing is known about a row.
    pub(super) fn base(&self, weights: &[f32]) -> Vec<f32> {
        let total: f64 = weights.iter().copied().map(f64::from).sum();
        let share = |of: &dyn Fn(usize) -> f64| {
            let sum: f64 = weights.iter().enumerate().map(|(row, &weight)| f64::from(weight) * of(row)).sum();
            (sum / total).clamp(LEAST_SHARE, 1.0 - LEAST_SHARE)
        };
        match self {
            Task::Binary(labels) => {
                let share = share(&|row| f64::from(labels[row]));
                vec![(share / (1.0 - share)).ln() as f32]
            }
            Task::Classes(labels, classes) => {
                (0..*classes).map(|class| share(&|row| f64::from(u8::from(labels[row] == class))).ln() as f32).collect()
            }
        }
    }

    /// The derivatives for each output of each row, at these scores.
    pub(super) fn derivatives(
        &self,
        scores: &[Vec<f64>],
        weights: &[f32],
        workers: &dyn Workers,
    ) -> Vec<Vec<Derivatives>> {
        let mut all = vec![vec![Derivatives::default(); weights.len()]; scores.len()];
        match self {
            Task::Binary(labels) => parallel::fill(workers, &mut all[0], |row| {
                let probability = probability(scores[0][row]);
                derivatives(probability, f64::from(labels[row]), f64::from(weights[row]))
            }),
            Task::Classes(labels, classes) => {
                // Friedman's factor for the diagonal of the Hessian; the rest of the Hessian is
                // ignored.
                let factor = *classes as f64 / (*classes as f64 - 1.0);
                let totals: Vec<f64> = (0..weights.len()).map(|row| log_sum(scores, row)).collect();
                for (class, all) in all.iter_mut().enumerate() {
                    parallel::fill(workers, all, |row| {
                        let probability = (scores[class][row] - totals[row]).exp();
                        let label = f64::from(u8::from(labels[row] == class));
                        let mut both = derivatives(probability, label, f64::from(weights[row]));
                        both.second *= factor as f32;
                        both
                    });
                }
            }
        }
        all
    }

    /// The weighted mean loss in nats.
    pub(super) fn loss(&self, scores: &[Vec<f64>], weights: &[f32], workers: &dyn Workers) -> f64 {
        let loss = |row: usize| match self {
            Task::Binary(labels) => {
                let score = scores[0][row];
                score.max(0.0) + (-score.abs()).exp().ln_1p() - f64::from(labels[row]) * score
            }
            Task::Classes(labels, _) => log_sum(scores, row) - scores[labels[row]][row],
        };
        let sum = parallel::sum(workers, weights.len(), |row| f64::from(weights[row]) * loss(row));
        sum / parallel::sum(workers, weights.len(), |row| f64::from(weights[row]))
    }
}

fn derivatives(probability: f64, label: f64, weight: f64) -> Derivatives {
    Derivatives {
        first: (weight * (probability - label)) as f32,
        second: (weight * probability * (1.0 - probability)) as f32,
    }
}

/// The logarithm of the sum of a row's exponentiated scores.
fn log_sum(scores: &[Vec<f64>], row: usize) -> f64 {
    let most = scores.iter().map(|scores| scores[row]).fold(f64::NEG_INFINITY, f64::max);
    most + scores.iter().map(|scores| (scores[row] - most).exp()).sum::<f64>().ln()
}

/// The greatest gradient becomes 2 to the 30th. The sum over the most rows then fits in 64 bits.
const GRADIENT_BITS: i32 = 30;
/// The sum of all Hessians becomes 2 to the 38th. With rounding it fits in the 40 bits of a sum.
const HESSIAN_SUM_BITS: i32 = 38;
/// No single Hessian exceeds 2 to the 31st, so that it fits in 32 bits.
const HESSIAN_BITS: i32 = 31;

/// The derivatives of the rows of a tree as integers, and the value of one unit. `None` if nothing
/// is left to learn.
pub(super) fn entries(derivatives: &[Derivatives], rows: &[u32]) -> Option<(Vec<RowDerivatives>, Scale)> {
    let (mut steepest, mut most, mut sum) = (0.0f64, 0.0f64, 0.0f64);
    for &row in rows {
        let Derivatives { first, second } = derivatives[row as usize];
        steepest = steepest.max(f64::from(first.abs()));
        most = most.max(f64::from(second));
        sum += f64::from(second);
    }
    if steepest <= 0.0 || sum <= 0.0 {
        return None;
    }
    let gradient = 2f64.powi(GRADIENT_BITS) / steepest;
    let hessian = (2f64.powi(HESSIAN_SUM_BITS) / sum).min(2f64.powi(HESSIAN_BITS) / most);
    let entry = |(at, &row): (u32, &u32)| {
        let Derivatives { first, second } = derivatives[row as usize];
        let gradient = (f64::from(first) * gradient).round_ties_even() as i32;
        RowDerivatives { row: at, gradient, hessian: (f64::from(second) * hessian).round_ties_even() as u32 }
    };
    let entries = (0..).zip(rows).map(entry).collect();
    Some((entries, Scale { gradient: gradient.recip(), hessian: hessian.recip() }))
}
