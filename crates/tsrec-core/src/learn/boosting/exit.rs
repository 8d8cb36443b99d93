//! Where rows leave a model early, since the trees that are left would not change what is made of
//! them.
//!
//! "Early Exit Optimizations for Additive Machine Learned Ranking Systems" (Cambazoglu et al.
//! 2010), with thresholds on the score. They are found on the rows trained on: a row leaves where
//! all but a few of those that had its score by then were sure in the end. What the trees left out
//! would have added to it is known in the mean.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Rows;
use super::forest::Forest;

/// After which share of the trees rows may leave. Judgement: half of a page's blocks can go after
/// the first, and more exits bring little more.
const AFTER: [f64; 3] = [1.0 / 12.0, 1.0 / 6.0, 3.0 / 8.0];
/// The log-odds that are sure: 0.12 or 0.88, which decide no page. (Judgement, by F1 on pages that
/// were not seen: the same to 0.001 from 1 to 2.)
const SURE: f64 = 2.0;
/// The share of the rows that leave, by weight, which were not sure in the end. Judgement.
const FEW: f64 = 1e-3;

/// A place among the trees where rows leave.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Exit {
    /// How many trees come before it.
    pub(super) trees: u32,
    /// Rows leave whose score is at most the first or at least the second.
    pub(super) bounds: [f32; 2],
    /// What is added to their score for the trees that they are not shown.
    pub(super) rests: [f32; 2],
}

impl Exit {
    /// What is added to the score of a row that leaves. `None` for those that go on.
    pub(super) fn rest(&self, score: f64) -> Option<f64> {
        let [low, high] = self.bounds.map(f64::from);
        let rest = if score <= low { self.rests[0] } else { self.rests[1] };
        (score <= low || score >= high).then_some(f64::from(rest))
    }

    pub(super) fn is_sound(&self) -> bool {
        self.bounds.iter().all(|bound| !bound.is_nan()) && self.rests.iter().all(|rest| rest.is_finite())
    }
}

/// The exits of a model of one output without any, by the rows that it was trained on. O(rows ·
/// trees · depth).
pub(super) fn find(forest: &Forest, rows: &Rows, weights: &[f32]) -> Vec<Exit> {
    let trees = forest.roots.len();
    // Of few trees several shares are one place.
    let places = BTreeSet::from(AFTER.map(|share| (share * trees as f64).round() as u32));
    let last = scores(forest, rows);
    let mut within: Vec<usize> = (0..rows.len()).filter(|&row| weights[row] > 0.0).collect();
    let mut exits = Vec::new();
    for place in places.into_iter().filter(|&place| place > 0 && (place as usize) < trees) {
        let scores = scores(&forest.first(place as usize), rows);
        let (low, below) = sure(&within, weights, &scores, &last, -1.0);
        let (high, above) = sure(&within, weights, &scores, &last, 1.0);
        let exit = Exit { trees: place, bounds: [low, high], rests: [below, above] };
        within.retain(|&row| exit.rest(scores[row]).is_none());
        exits.push(exit);
    }
    exits
}

fn scores(forest: &Forest, rows: &Rows) -> Vec<f64> {
    let mut scores = Vec::with_capacity(rows.len());
    forest.score_all(rows, 0, &mut scores);
    scores
}

/// The score from which on, to the side of `sign`, all but a few of the rows are sure in the end,
/// and what is added to them on the way there, in the mean. An infinity, and nothing, where no
/// score is such.
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
