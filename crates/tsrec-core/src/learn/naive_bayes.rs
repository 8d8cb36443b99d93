//! Naive Bayes for two classes over categorical variables, counted in one pass.
//!
//! A case has one value for each of `N` variables. Values are numbers, usually hashes. The
//! classifier treats the variables as independent within a class. So the log odds are a sum: the
//! prior plus one term per variable.
//!
//! [`SMOOTHING`] smooths the probabilities. A value seen in one class only is strong evidence but
//! never certainty. A value never seen is no evidence: it counts as equally likely in both classes
//! (Pasternack, Roth 2009, section 6.2.3).

use std::collections::HashMap;

use crate::float::{exp_f64, ln_f64};

/// Added to each count (Lidstone). Pasternack and Roth do not give their number. Judgement, from
/// the tuning pages: from 0.05 to 1 the F1 of their methods changes by less than 0.01. 0 has no
/// logarithm.
pub const SMOOTHING: f64 = 0.1;

/// The class of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BayesClass {
    /// It is in the class that we look for.
    In,
    /// It is not.
    Out,
}

/// Counts of values by class. Memory grows with the number of distinct values, about 20 bytes each,
/// and not with the cases.
#[derive(Clone, Debug)]
pub struct NaiveBayes<const N: usize> {
    cases: [u64; 2],
    variables: [HashMap<u32, [u32; 2]>; N],
}

impl<const N: usize> Default for NaiveBayes<N> {
    fn default() -> Self {
        NaiveBayes { cases: [0; 2], variables: std::array::from_fn(|_| HashMap::new()) }
    }
}

impl<const N: usize> NaiveBayes<N> {
    /// Counts a case. O(N).
    pub fn observe(&mut self, class: BayesClass, values: [u32; N]) {
        self.cases[class as usize] += 1;
        for (variable, value) in self.variables.iter_mut().zip(values) {
            let count = &mut variable.entry(value).or_insert([0; 2])[class as usize];
            *count = count.saturating_add(1);
        }
    }

    /// The number of cases seen of a class.
    pub fn cases(&self, class: BayesClass) -> u64 {
        self.cases[class as usize]
    }

    /// ln(P(in) / P(out)) of a case without any values.
    pub fn prior(&self) -> f64 {
        let [inside, outside] = self.cases.map(|cases| cases as f64 + SMOOTHING);
        ln_f64(inside / outside)
    }

    /// ln(P(value | in) / P(value | out)); `None` for a value never seen.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn log_odds(&self, variable: usize, value: u32) -> Option<f64> {
        let counts = self.variables[variable].get(&value)?;
        Some(self.odds_of(variable, counts))
    }

    /// Every value seen of a variable, ascending, with its count over both classes and its log
    /// odds.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn values(&self, variable: usize) -> Vec<(u32, u64, f64)> {
        let seen = self.variables[variable].iter();
        let mut values: Vec<_> = seen
            .map(|(&value, counts)| (value, counts.iter().map(|&n| u64::from(n)).sum(), self.odds_of(variable, counts)))
            .collect();
        values.sort_unstable_by_key(|&(value, ..)| value);
        values
    }

    fn odds_of(&self, variable: usize, counts: &[u32; 2]) -> f64 {
        let distinct = self.variables[variable].len() as f64;
        let likelihood =
            |class: usize| (f64::from(counts[class]) + SMOOTHING) / (self.cases[class] as f64 + SMOOTHING * distinct);
        ln_f64(likelihood(BayesClass::In as usize) / likelihood(BayesClass::Out as usize))
    }
}

/// The probability for these log odds: between 0 and 1, and 0.5 at 0.
pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + exp_f64(-log_odds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taught(cases: &[(BayesClass, u32)]) -> NaiveBayes<1> {
        let mut bayes = NaiveBayes::default();
        cases.iter().for_each(|&(class, value)| bayes.observe(class, [value]));
        bayes
    }

    #[test]
    fn counts_become_odds() {
        use BayesClass::{In, Out};
        let bayes = taught(&[(In, 1), (In, 1), (In, 2), (Out, 2), (Out, 3), (Out, 3)]);
        assert_eq!((bayes.cases(In), bayes.cases(Out)), (3, 3));
        assert_eq!(bayes.prior(), 0.0);
        for (value, expect) in
            [(1, Some((2.1f64 / 0.1).ln())), (2, Some(0.0)), (3, Some((0.1f64 / 2.1).ln())), (4, None)]
        {
            match (bayes.log_odds(0, value), expect) {
                (Some(odds), Some(expect)) => assert!((odds - expect).abs() < 1e-12, "{value}: {odds} {expect}"),
                (odds, expect) => assert_eq!(odds, expect, "{value}"),
            }
        }
        assert_eq!(bayes.values(0).iter().map(|v| (v.0, v.1)).collect::<Vec<_>>(), [(1, 2), (2, 2), (3, 2)]);
    }

    #[test]
    fn probabilities_stay_within_their_range() {
        for (log_odds, expect) in [(0.0, 0.5), (1e9, 1.0), (-1e9, 0.0), (3f64.ln(), 0.75)] {
            assert!((probability(log_odds) - expect).abs() < 1e-12, "{log_odds}");
        }
    }
}
