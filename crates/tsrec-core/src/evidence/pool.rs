//! The pool: combines the scores of a block and of its place.
//!
//! The log-odds are a weighted sum of both: a log-linear opinion pool (Genest, Zidek 1986,
//! "Combining Probability Distributions"). The weights are fitted on pages that neither stage saw.
//! So they also correct trees that are too confident on unseen pages.

use serde::{Deserialize, Serialize};

use crate::learn::lbfgs;

/// The penalty on weights for their distance from the trees' own output, against a mean loss in
/// nats. Judgement: on real pages it has no effect. If trees make no mistake at all, weights would
/// grow without end.
const PENALTY: f64 = 1e-3;

/// The weights of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Pool {
    /// The weight of the block itself.
    pub(super) own: f32,
    /// The weight of its place; 0 if no other page is known.
    pub(super) place: f32,
    /// A constant that is added, in log-odds.
    pub(super) base: f32,
}

/// A block for the fit: its own score, the score of its place, its label, and its weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) own: f32,
    pub(super) place: f32,
    pub(super) is_content: bool,
    pub(super) weight: f32,
}

impl Pool {
    /// The weights that make the labels likeliest (logistic regression), linear in the cases.
    /// Weights are never below 0, so a more certain score never counts for less.
    pub(super) fn fit(cases: &[Case]) -> Pool {
        let total: f64 = cases.iter().map(|case| f64::from(case.weight)).sum();
        let config = lbfgs::Config { tolerance: 1e-9, ..lbfgs::Config::default() };
        let loss = |at: &[f64], gradient: &mut [f64]| {
            let away = [at[0] - 1.0, at[1], 0.0];
            let mut loss = away.iter().map(|away| 0.5 * PENALTY * away * away).sum();
            gradient.iter_mut().zip(away).for_each(|(sum, away)| *sum = PENALTY * away);
            for case in cases {
                let values = [f64::from(case.own), f64::from(case.place), 1.0];
                let odds: f64 = at.iter().zip(values).map(|(weight, value)| weight * value).sum();
                let signed = if case.is_content { -odds } else { odds };
                let weight = f64::from(case.weight) / total.max(f64::MIN_POSITIVE);
                // ln(1 + e^x) without overflow, and its slope.
                loss += weight * (signed.max(0.0) + (-signed.abs()).exp().ln_1p());
                let slope = weight / (1.0 + (-signed).exp()) * if case.is_content { -1.0 } else { 1.0 };
                gradient.iter_mut().zip(values).for_each(|(sum, value)| *sum += slope * value);
            }
            loss
        };
        let [own, place, base] = *lbfgs::minimise(vec![1.0, 0.0, 0.0], &config, loss, |_, _| {}).point else {
            unreachable!("a minimum has the arguments of its start");
        };
        Pool { own: (own as f32).max(0.0), place: (place as f32).max(0.0), base: base as f32 }
    }

    /// The log-odds of content.
    pub(super) fn odds(&self, own: f32, place: f32) -> f32 {
        self.own * own + self.place * place + self.base
    }

    pub(super) fn is_sound(&self) -> bool {
        [self.own, self.place, self.base].into_iter().all(f32::is_finite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A score that is right gets weight, one that is not gets none, and one that exaggerates gets
    /// less.
    #[test]
    fn weights_say_whom_to_believe() {
        let case = |n: usize| {
            let is_content = n.is_multiple_of(3);
            let truth = if is_content { 4.0 } else { -4.0 };
            let wrong = n.is_multiple_of(10);
            Case {
                own: if wrong { -truth } else { truth },
                place: if n.is_multiple_of(2) { 3.0 } else { -3.0 },
                is_content,
                weight: 1.0,
            }
        };
        let pool = Pool::fit(&(0..600).map(case).collect::<Vec<_>>());
        // 90 % right is 2.2 in log-odds, but the score gives 4.
        assert!((0.45..0.65).contains(&pool.own) && pool.place < 0.05, "{pool:?}");
        assert!(pool.odds(4.0, 0.0) > 1.5 && pool.is_sound());
        let none = Pool::fit(&[]);
        assert_eq!((none.own, none.place, none.base), (1.0, 0.0, 0.0));
    }
}
