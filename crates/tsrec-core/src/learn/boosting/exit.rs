//! Early exits: rows leave a model when its remaining trees would not change the decision.
//!
//! From "Early Exit Optimizations for Additive Machine Learned Ranking Systems" (Cambazoglu et al.
//! 2010), with thresholds on the score. Training rows set the thresholds: a row exits where nearly
//! all training rows with this partial score ended clearly on one side. The mean of what the
//! skipped trees would have added is known and added.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The shares of the trees after which rows may exit. Judgement: half of a page's blocks can exit
/// after the first, and more exits gain little.
const AFTER: [f64; 3] = [1.0 / 12.0, 1.0 / 6.0, 3.0 / 8.0];
/// Log-odds that count as sure: 0.12 or 0.88, which decide no page. (Judgement, by F1 on unseen
/// pages: the same to 0.001 from 1 to 2.)
const SURE: f64 = 2.0;
/// The weighted share of exiting rows that may end unsure. Judgement.
const FEW: f64 = 1e-3;

/// A position among the trees where rows may exit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Exit {
    /// The number of trees before it.
    pub(super) trees: u32,
    /// Rows exit if their score is at most the first or at least the second.
    pub(super) bounds: [f32; 2],
    /// What is added to their score for the skipped trees.
    pub(super) rests: [f32; 2],
}

impl Exit {
    /// What is added to the score of a row that exits; `None` if it goes on.
    pub(super) fn rest(&self, score: f64) -> Option<f64> {
        let [low, high] = self.bounds.map(f64::from);
        let rest = if score <= low { self.rests[0] } else { self.rests[1] };
        (score <= low || score >= high).then_some(f64::from(rest))
    }

    pub(super) fn is_sound(&self) -> bool {
        self.bounds.iter().all(|bound| !bound.is_nan()) && self.rests.iter().all(|rest| rest.is_finite())
    }
}

/// The numbers of trees after which rows may exit. Of few trees, several shares are the same
/// number.
pub(super) fn places(trees: usize) -> BTreeSet<usize> {
    let places = AFTER.map(|share| (share * trees as f64).round() as usize);
    places.into_iter().filter(|&place| place > 0 && place < trees).collect()
}

/// The exits of a model with one output. `partial` has the scores of its training rows after some
/// numbers of trees, `last` those after all trees. O(n log n) in the rows.
pub(super) fn find(partial: &[(usize, Vec<f64>)], last: &[f64], weights: &[f32]) -> Vec<Exit> {
    let mut within: Vec<usize> = (0..weights.len()).filter(|&row| weights[row] > 0.0).collect();
    let mut exits = Vec::new();
    for (trees, scores) in partial {
        let (low, below) = sure(&within, weights, scores, last, -1.0);
        let (high, above) = sure(&within, weights, scores, last, 1.0);
        let exit = Exit { trees: *trees as u32, bounds: [low, high], rests: [below, above] };
        within.retain(|&row| exit.rest(scores[row]).is_none());
        exits.push(exit);
    }
    exits
}

/// The score beyond which, on the side of `sign`, nearly all rows end sure, and the mean of what
/// the later trees add to them. If there is no such score: infinity and 0.
fn sure(within: &[usize], weights: &[f32], scores: &[f64], last: &[f64], sign: f64) -> (f32, f32) {
    let mut order = within.to_vec();
    order.sort_by(|&a, &b| (sign * scores[b]).total_cmp(&(sign * scores[a])));
    let (mut all, mut unsure, mut added) = (0.0, 0.0, 0.0);
    let mut found = (sign * f64::INFINITY, 0.0);
    for row in order {
        let weight = f64::from(weights[row]);
        all += weight;
        unsure += if sign * last[row] < SURE { weight } else { 0.0 };
        added += weight * (last[row] - scores[row]);
        if unsure <= FEW * all && sign * scores[row] > 0.0 {
            found = (scores[row], added / all);
        }
    }
    (found.0 as f32, found.1 as f32)
}
