//! From log-odds to a decision: which blocks to keep, and the F1 to expect.
//!
//! If errors of blocks are independent, F1 is greatest when every block is kept whose probability
//! is above half of the F1 that is reached (Lipton, Elkan, Narayanaswamy 2014, "Optimal
//! Thresholding of Classifiers to Maximize F1 Measure"). For the Fβ of a [`Favor`] it is the Fβ
//! that is reached, divided by 1 + β². On a page errors are not independent: the cards of a listing
//! are either all content or none of them is.
//!
//! So the decision is for several scenarios at once. In each scenario the log-odds of all blocks of
//! the page are off by the same amount (the random intercept of a mixed logistic model). The
//! decision with the best average is taken. No scenario changes the order of the blocks, so one
//! pass over them finds the best threshold. Then the blocks are segmented by the gain of each, (p −
//! F/2) · words, with a cost for each run that begins.

use serde::{Deserialize, Serialize};

use super::favor::Favor;
use super::score::probability;
use crate::learn::segmentation::runs;

/// The scenarios: the error of the page in standard deviations, and the probability of that. They
/// are the Gauss–Hermite quadrature of the normal distribution with five points (Abramowitz, Stegun
/// 1964, table 25.10).
const SCENARIOS: [(f32, f64); 5] =
    [(-2.856_97, 0.011_257), (-1.355_626, 0.222_076), (0.0, 0.533_334), (1.355_626, 0.222_076), (2.856_97, 0.011_257)];

/// If no block of a page has log-odds above this (0.7 %), the page has no content. Judgement: it is
/// between what a person says is no content (−8) and the likeliest block of any page of the
/// training sets with content (above −4, out of fold). Maximising the expected F1 alone would keep
/// the likeliest block of every page.
const NOTHING: f32 = -5.0;

/// One sum over blocks for each scenario.
type ScenarioSums = [f64; SCENARIOS.len()];

/// The probability that a block is content, in each scenario.
type Likely = [f32; SCENARIOS.len()];

/// The parameters of decisions. Training finds them on pages that no model saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Decider {
    /// The standard deviation of a page's error, in log-odds. At 0, errors of blocks are
    /// independent.
    pub(super) doubt: f32,
    /// The cost of beginning a run of blocks, in words.
    pub(super) run_cost: f32,
}

/// The decision for a page's blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Whether each block is kept.
    pub kept: Vec<bool>,
    /// The expected F1, from 0 to 1, if the probabilities and the scenarios are right.
    pub expected_f1: f64,
}

impl Decider {
    /// Decides. `odds` are the log-odds of each block, `words` its words. O(n log n).
    pub(super) fn decide(&self, odds: &[f32], words: &[u32], favor: Favor) -> Decision {
        if odds.iter().all(|&odds| odds <= NOTHING) {
            return Decision { kept: vec![false; odds.len()], expected_f1: 0.0 };
        }
        let likely: Vec<Likely> = odds.iter().map(|&odds| self.likely(odds)).collect();
        let total = sum(likely.iter().zip(words));
        let beta_squared = favor.beta_squared();
        let threshold =
            best_threshold(odds, &likely, words, KeptBlocks { total, beta_squared, ..KeptBlocks::default() });
        let gains = threshold.gains();
        let score = |(likely, &words): (&Likely, &u32)| f64::from(words) * gains.gain(likely);
        let scores: Vec<f64> = likely.iter().zip(words).map(score).collect();
        let mut kept = vec![false; words.len()];
        runs(&scores, f64::from(self.run_cost)).into_iter().flatten().for_each(|at| kept[at] = true);
        let chosen = || likely.iter().zip(words).zip(&kept).filter(|(_, kept)| **kept).map(|(block, _)| block);
        let size = chosen().map(|(_, &words)| f64::from(words)).sum();
        let chosen = KeptBlocks { hit: sum(chosen()), size, total, beta_squared: 1.0 };
        Decision { kept, expected_f1: chosen.expected() }
    }

    /// The probability of content in each scenario. The log-odds are stretched so that the average
    /// probability over the scenarios does not change (MacKay 1992, "The Evidence Framework Applied
    /// to Classification Networks").
    fn likely(&self, odds: f32) -> Likely {
        let stretched = odds * (1.0 + std::f32::consts::PI / 8.0 * self.doubt * self.doubt).sqrt();
        SCENARIOS.map(|(off, _)| probability(stretched + off * self.doubt))
    }

    pub(super) fn is_sound(&self) -> bool {
        [self.doubt, self.run_cost].into_iter().all(|value| value >= 0.0 && value.is_finite())
    }
}

/// A choice of blocks. For each scenario it has the content words in the choice and the content
/// words of the page. It also has the words of the choice.
#[derive(Clone, Copy, Default)]
struct KeptBlocks {
    hit: ScenarioSums,
    size: f64,
    total: ScenarioSums,
    /// The square of the β of the measure.
    beta_squared: f64,
}

impl KeptBlocks {
    /// The expected Fβ.
    fn expected(&self) -> f64 {
        self.each().map(|(weight, measure, _)| weight * measure).sum()
    }

    fn gains(&self) -> Gains {
        let (mut weights, mut least) = (ScenarioSums::default(), ScenarioSums::default());
        for (at, (weight, measure, all)) in self.each().enumerate() {
            (weights[at], least[at]) = (weight / all.max(f64::MIN_POSITIVE), measure / (1.0 + self.beta_squared));
        }
        Gains { weights, least, all: weights.iter().sum() }
    }

    /// For each scenario its weight, the Fβ, and the sum of kept words and β² times the content
    /// words.
    fn each(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        SCENARIOS.iter().zip(&self.hit).zip(&self.total).map(|((&(_, weight), hit), total)| {
            let all = self.size + self.beta_squared * total;
            (weight, if all > 0.0 { (1.0 + self.beta_squared) * hit / all } else { 0.0 }, all)
        })
    }
}

/// The gain from keeping a word, given a choice: the mean of p − F/(1 + β²) over the scenarios. In
/// a scenario with few words each word counts for more.
struct Gains {
    weights: ScenarioSums,
    /// The probability from which on a word gains in each scenario: for F1 half of it.
    least: ScenarioSums,
    /// The sum of the weights.
    all: f64,
}

impl Gains {
    /// The gain of a word that is content with these probabilities.
    fn gain(&self, likely: &Likely) -> f64 {
        let each = self.weights.iter().zip(&self.least).zip(likely);
        each.map(|((weight, least), &p)| weight * (f64::from(p) - least)).sum::<f64>() / self.all
    }
}

/// The threshold on log-odds with the greatest expected Fβ, beginning with no block.
fn best_threshold(odds: &[f32], likely: &[Likely], words: &[u32], none: KeptBlocks) -> KeptBlocks {
    let mut order: Vec<u32> = (0..odds.len() as u32).collect();
    order.sort_by(|&a, &b| odds[b as usize].total_cmp(&odds[a as usize]));
    let mut choice = none;
    let (mut best, mut reached) = (choice, 0.0);
    for at in order {
        let (likely, words) = (likely[at as usize], f64::from(words[at as usize]));
        choice.size += words;
        choice.hit.iter_mut().zip(likely).for_each(|(hit, p)| *hit += f64::from(p) * words);
        let expected = choice.expected();
        if expected > reached {
            (best, reached) = (choice, expected);
        }
    }
    best
}

/// The content words in each scenario.
fn sum<'a>(blocks: impl Iterator<Item = (&'a Likely, &'a u32)>) -> ScenarioSums {
    let mut sums = ScenarioSums::default();
    for (likely, &words) in blocks {
        sums.iter_mut().zip(likely).for_each(|(sum, &p)| *sum += f64::from(p) * f64::from(words));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::{Decider, Favor, SCENARIOS};

    /// The log-odds of a probability.
    fn odds<const N: usize>(likely: [f32; N]) -> [f32; N] {
        likely.map(|p| (p / (1.0 - p)).ln())
    }

    fn sure(run_cost: f32) -> Decider {
        Decider { doubt: 0.0, run_cost }
    }

    #[test]
    fn what_is_likelier_than_half_the_f1_is_kept() {
        let decision = sure(0.0).decide(&odds([0.9, 0.9, 0.1, 0.5, 0.05]), &[100, 50, 40, 40, 200], Favor::Balance);
        assert_eq!(decision.kept, [true, true, false, true, false]);
        // 2 · (90 + 45 + 20) / (190 + 90 + 45 + 4 + 20 + 10)
        assert!((decision.expected_f1 - 310.0 / 359.0).abs() < 1e-5, "{}", decision.expected_f1);
    }

    #[test]
    fn runs_that_gain_less_than_their_cost_are_left() {
        let likely = odds([0.9, 0.001, 0.9, 0.001, 0.9]);
        let words = [100, 10, 100, 500, 3];
        assert_eq!(sure(0.0).decide(&likely, &words, Favor::Balance).kept, [true, false, true, false, true]);
        assert_eq!(sure(5.0).decide(&likely, &words, Favor::Balance).kept, [true, true, true, false, false]);
        assert_eq!(sure(1.0).decide(&[], &[], Favor::Balance).expected_f1, 0.0);
        assert_eq!(sure(0.0).decide(&[-8.0, -5.5], &[5, 5], Favor::Balance).kept, [false, false]);
    }

    /// Many blocks have probability one half, beside a few sure ones. If they are independent, half
    /// of them are content, and keeping all pays. If they are content all together or not at all,
    /// it does not.
    #[test]
    fn blocks_that_err_together_are_kept_with_more_care() {
        let likely = odds([0.97, 0.97, 0.97, 0.44, 0.44, 0.44, 0.44]);
        let words = [60; 7];
        let of = |doubt| Decider { doubt, run_cost: 0.0 }.decide(&likely, &words, Favor::Balance);
        assert_eq!(of(0.0).kept, [true; 7]);
        assert_eq!(of(3.0).kept, [true, true, true, false, false, false, false]);
    }

    /// A sure block, some doubtful ones, and some that are unlikely.
    #[test]
    fn the_favoured_measure_moves_the_threshold() {
        let (likely, words) = (odds([0.95, 0.7, 0.5, 0.3, 0.15, 0.02]), [100; 6]);
        let kept = |favor, doubt| {
            let decision = Decider { doubt, run_cost: 0.0 }.decide(&likely, &words, favor);
            decision.kept.iter().filter(|kept| **kept).count()
        };
        for doubt in [0.0, 2.0] {
            let kept = [Favor::Precision, Favor::Balance, Favor::Recall].map(|favor| kept(favor, doubt));
            assert!(kept[0] < kept[1] && kept[1] < kept[2], "{kept:?} at {doubt}");
        }
    }

    #[test]
    fn scenarios_keep_each_probability_on_average() {
        assert!((SCENARIOS.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-5);
        for doubt in [0.5, 2.0, 4.0] {
            for p in [0.02_f32, 0.3, 0.5, 0.9] {
                let [odds] = odds([p]);
                let likely = Decider { doubt, run_cost: 0.0 }.likely(odds);
                let mean: f64 = SCENARIOS.iter().zip(likely).map(|((_, weight), p)| weight * f64::from(p)).sum();
                assert!((mean - f64::from(p)).abs() < 0.03, "{p} is {mean} at {doubt}");
            }
        }
    }
}
