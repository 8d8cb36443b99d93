//! Calibration: maps scores to observed outcomes, by a function that never falls.
//!
//! Isotonic regression by pooling adjacent violators ("An Empirical Distribution Function for
//! Sampling with Incomplete Information", Ayer et al. 1955; for classifiers, "Transforming
//! Classifier Scores into Accurate Multiclass Probability Estimates", Zadrozny, Elkan 2002). We
//! reduce its steps to a few knots with straight lines between, so that scores keep their order
//! within a step.

use serde::{Deserialize, Serialize};

/// A function of scores that never falls. It is straight between its knots, and constant before the
/// first and after the last. Reading it from damaged bytes gives an error.
///
/// ```
/// use tsrec_core::learn::isotonic::Isotonic;
/// // Of those scored 0.8, half came true.
/// let fitted = Isotonic::fit(&[0.2, 0.8, 0.8], &[0.0, 1.0, 0.0], &[1.0; 3], 10).unwrap();
/// assert_eq!([0.1, 0.2, 0.5, 0.8, 0.9].map(|score| fitted.value(score)), [0.0, 0.0, 0.25, 0.5, 0.5]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Knot>", into = "Vec<Knot>")]
pub struct Isotonic {
    knots: Vec<Knot>,
}

/// A point of the function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knot {
    /// The score.
    pub score: f32,
    /// The function's value there.
    pub value: f32,
}

/// Neighbouring scores that share one value.
#[derive(Clone, Copy, Debug)]
struct IsotonicBlock {
    weight: f64,
    /// The weighted mean of the scores.
    score: f64,
    /// The weighted mean of the outcomes.
    value: f64,
}

impl IsotonicBlock {
    fn joined(self, other: IsotonicBlock) -> IsotonicBlock {
        let weight = self.weight + other.weight;
        let mean = |own: f64, others: f64| own + (others - own) * (other.weight / weight);
        IsotonicBlock { weight, score: mean(self.score, other.score), value: mean(self.value, other.value) }
    }

    /// How much the weighted squared error grows when the two are joined.
    fn cost(self, other: IsotonicBlock) -> f64 {
        self.weight * other.weight / (self.weight + other.weight) * (self.value - other.value).powi(2)
    }
}

impl Isotonic {
    /// Fits outcomes to scores, with at most `most` knots. `None` if no score has a weight, or if a
    /// weighted score or its outcome is not finite. O(n log n) plus the square of the number of
    /// steps.
    ///
    /// If all outcomes of the lowest or highest scores are equal, the value there is exact: 0 or 1
    /// for events that never or always happened.
    ///
    /// # Panics
    /// When there are not as many outcomes and weights as scores, or no knot is allowed.
    pub fn fit(scores: &[f32], outcomes: &[f32], weights: &[f32], knots: usize) -> Option<Isotonic> {
        assert!(
            scores.len() == outcomes.len() && scores.len() == weights.len(),
            "each score has an outcome and weight"
        );
        assert!(knots > 0, "a function needs a knot");
        let given = scores.iter().zip(outcomes).zip(weights).filter(|(_, weight)| **weight > 0.0);
        let mut points: Vec<IsotonicBlock> = given
            .map(|((&score, &outcome), &weight)| IsotonicBlock {
                weight: f64::from(weight),
                score: f64::from(score),
                value: f64::from(outcome),
            })
            .collect();
        let is_finite =
            |point: &IsotonicBlock| point.weight.is_finite() && point.score.is_finite() && point.value.is_finite();
        if points.is_empty() || !points.iter().all(is_finite) {
            return None;
        }
        // Equal scores are ordered too, so that rounding does not depend on the input order.
        let order = |block: &IsotonicBlock| [block.score, block.value, block.weight];
        points.sort_by(|a, b| order(a).partial_cmp(&order(b)).expect("all are finite"));
        let mut blocks = pool(points);
        thin(&mut blocks, knots);
        Some(Isotonic::through(&blocks))
    }

    fn through(blocks: &[IsotonicBlock]) -> Isotonic {
        let mut knots: Vec<Knot> = Vec::new();
        for block in blocks {
            let knot = Knot { score: block.score as f32, value: block.value as f32 };
            // Two means may round to the same score.
            match knots.last_mut() {
                Some(last) if last.score >= knot.score => last.value = knot.value,
                _ => knots.push(knot),
            }
        }
        Isotonic { knots }
    }

    /// The value of a score. NaN gets the lowest value. O(log knots).
    pub fn value(&self, score: f32) -> f32 {
        let after = self.knots.partition_point(|knot| knot.score < score);
        let (Some(low), Some(high)) = (after.checked_sub(1).map(|at| self.knots[at]), self.knots.get(after)) else {
            return self.knots[after.min(self.knots.len() - 1)].value;
        };
        let way = (f64::from(score) - f64::from(low.score)) / (f64::from(high.score) - f64::from(low.score));
        let value = f64::from(low.value) + way * (f64::from(high.value) - f64::from(low.value));
        value as f32
    }

    /// The knots, by ascending score.
    pub fn knots(&self) -> &[Knot] {
        &self.knots
    }
}

/// Pools neighbours, in the order of scores, until values ascend. The result is the least squares
/// fit. Linear.
fn pool(points: Vec<IsotonicBlock>) -> Vec<IsotonicBlock> {
    let mut blocks: Vec<IsotonicBlock> = Vec::new();
    for mut block in equal_scores(points) {
        while let Some(last) = blocks.pop_if(|last| last.value >= block.value) {
            block = last.joined(block);
        }
        blocks.push(block);
    }
    blocks
}

/// Joins equal scores, so that each has one value.
fn equal_scores(points: Vec<IsotonicBlock>) -> Vec<IsotonicBlock> {
    let mut blocks: Vec<IsotonicBlock> = Vec::new();
    for point in points {
        match blocks.last_mut() {
            // `joined` is not used here: its mean of equal scores could round to another score.
            Some(last) if last.score == point.score => {
                *last = IsotonicBlock { score: last.score, ..last.joined(point) }
            }
            _ => blocks.push(point),
        }
    }
    blocks
}

/// Joins the neighbours that differ least until there are no more than `most` blocks (Ward 1963).
fn thin(blocks: &mut Vec<IsotonicBlock>, most: usize) {
    while blocks.len() > most {
        let costs = blocks.windows(2).map(|pair| pair[0].cost(pair[1])).enumerate();
        let (at, _) = costs.min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are two blocks");
        blocks[at] = blocks[at].joined(blocks[at + 1]);
        blocks.remove(at + 1);
    }
}

impl From<Isotonic> for Vec<Knot> {
    fn from(isotonic: Isotonic) -> Vec<Knot> {
        isotonic.knots
    }
}

impl TryFrom<Vec<Knot>> for Isotonic {
    type Error = &'static str;

    fn try_from(knots: Vec<Knot>) -> Result<Isotonic, &'static str> {
        if knots.is_empty() || !knots.iter().all(|knot| knot.score.is_finite() && knot.value.is_finite()) {
            return Err("a calibration without knots, or with one that is no number");
        }
        if !knots.windows(2).all(|pair| pair[0].score < pair[1].score && pair[0].value <= pair[1].value) {
            return Err("a calibration that falls");
        }
        Ok(Isotonic { knots })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Isotonic, IsotonicBlock, Knot, pool};
    use crate::learn::random::Random;

    #[test]
    fn a_bent_probability_is_made_straight_by_few_knots() {
        let mut random = Random::new(1);
        let chances: Vec<f64> = (0..20_000).map(|_| random.unit()).collect();
        let outcomes: Vec<f32> = chances.iter().map(|&chance| f32::from(u8::from(random.unit() < chance))).collect();
        // The classifier is overconfident on one side and underconfident on the other.
        let scores: Vec<f32> = chances.iter().map(|chance| chance.powi(3) as f32).collect();
        let fitted = Isotonic::fit(&scores, &outcomes, &[1.0; 20_000], 20).unwrap();
        assert!(fitted.knots().len() <= 20);
        for tenth in 1..10 {
            let chance = f64::from(tenth) / 10.0;
            let value = fitted.value(chance.powi(3) as f32);
            assert!((f64::from(value) - chance).abs() < 0.04, "{value} and not {chance}");
        }
    }

    #[test]
    fn what_cannot_be_fitted_is_not() {
        let none = f32::NAN;
        for (scores, outcomes, weights) in [
            (&[][..], &[][..], &[][..]),
            (&[1.0], &[1.0], &[0.0]),
            (&[none], &[1.0], &[1.0]),
            (&[1.0], &[none], &[1.0]),
            (&[1.0], &[1.0], &[f32::INFINITY]),
        ] {
            assert_eq!(Isotonic::fit(scores, outcomes, weights, 5), None);
        }
        let one = Isotonic::fit(&[1.0, none], &[0.25, none], &[1.0, 0.0], 5).unwrap();
        assert_eq!([0.0, 1.0, 2.0, none].map(|score| one.value(score)), [0.25; 4]);
    }

    #[test]
    fn damage_is_an_error() {
        let knot = |score, value| Knot { score, value };
        for (knots, is_fine) in [
            (vec![], false),
            (vec![knot(0.0, 1.0)], true),
            (vec![knot(0.0, 1.0), knot(1.0, 1.0)], true),
            (vec![knot(0.0, 1.0), knot(1.0, 0.5)], false),
            (vec![knot(1.0, 0.0), knot(1.0, 0.5)], false),
            (vec![knot(f32::NAN, 0.0)], false),
            (vec![knot(0.0, f32::INFINITY)], false),
        ] {
            let bytes = postcard::to_stdvec(&knots).unwrap();
            let read: Result<Isotonic, _> = postcard::from_bytes(&bytes);
            assert_eq!(read.is_ok(), is_fine, "{knots:?}");
            if let Ok(read) = read {
                assert_eq!(postcard::to_stdvec(&read).unwrap(), bytes);
            }
        }
    }

    proptest! {
        /// The value at a point is the maximum over all starts of the minimum over all ends of the
        /// mean between (Barlow et al. 1972, the max-min formula).
        #[test]
        fn pooling_gives_the_least_squares_fit(points in proptest::collection::vec((0u8..9, 1u8..5), 1..25)) {
            let block = |(at, &(value, weight)): (usize, &(u8, u8))| IsotonicBlock {
                weight: f64::from(weight), score: at as f64, value: f64::from(value),
            };
            let blocks: Vec<IsotonicBlock> = points.iter().enumerate().map(block).collect();
            let mean = |from: usize, to: usize| {
                let part = &blocks[from..=to];
                part.iter().map(|b| b.weight * b.value).sum::<f64>() / part.iter().map(|b| b.weight).sum::<f64>()
            };
            let expect: Vec<f64> = (0..blocks.len())
                .map(|at| {
                    let least = |from| (at..blocks.len()).map(|to| mean(from, to)).fold(f64::INFINITY, f64::min);
                    (0..=at).map(least).fold(f64::NEG_INFINITY, f64::max)
                })
                .collect();
            let mut found = Vec::new();
            let (mut weights, mut at) = (blocks.iter().map(|b| b.weight), 0);
            for pooled in pool(blocks.clone()) {
                let mut weight = 0.0;
                while weight + 0.5 < pooled.weight {
                    weight += weights.next().unwrap();
                    found.push(pooled.value);
                    at += 1;
                }
            }
            prop_assert_eq!(at, blocks.len());
            for (found, expect) in found.iter().zip(&expect) {
                prop_assert!((found - expect).abs() < 1e-9, "{:?} {:?}", found, expect);
            }
        }

        #[test]
        fn a_fit_never_falls_nor_leaves_the_outcomes(
            points in proptest::collection::vec((-5.0f32..5.0, 0.0f32..1.0, 0.0f32..3.0), 1..60),
            knots in 1usize..9,
            asked in proptest::collection::vec(-7.0f32..7.0, 2..20),
        ) {
            let scores: Vec<f32> = points.iter().map(|point| point.0).collect();
            let outcomes: Vec<f32> = points.iter().map(|point| point.1).collect();
            let weights: Vec<f32> = points.iter().map(|point| point.2).collect();
            prop_assume!(weights.iter().any(|&weight| weight > 0.0));
            let fitted = Isotonic::fit(&scores, &outcomes, &weights, knots).unwrap();
            prop_assert!((1..=knots).contains(&fitted.knots().len()));
            let mut asked = asked;
            asked.sort_by(f32::total_cmp);
            let values: Vec<f32> = asked.iter().map(|&score| fitted.value(score)).collect();
            prop_assert!(values.is_sorted(), "{:?}", values);
            let (least, most) = (outcomes.iter().copied().reduce(f32::min), outcomes.iter().copied().reduce(f32::max));
            prop_assert!(values.iter().all(|&value| least <= Some(value) && Some(value) <= most));

            let backwards = |values: &[f32]| values.iter().rev().copied().collect::<Vec<_>>();
            let again = Isotonic::fit(&backwards(&scores), &backwards(&outcomes), &backwards(&weights), knots);
            prop_assert_eq!(again.unwrap(), fitted, "the order of points does not matter");
        }
    }
}
