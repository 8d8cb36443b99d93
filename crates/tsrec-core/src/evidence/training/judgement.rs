//! Fits the pool of both stages and the decisions, on pages that neither stage saw.

use super::lesson_set::LessonSet;
use super::places::KNOWN;
use crate::evidence::decide::Decider;
use crate::evidence::pool::{Case, Pool};
use crate::evidence::score::probability;
use crate::learn::isotonic::Isotonic;

/// The candidates for a page's error, in log-odds, and for the cost of beginning a run, in words.
const DOUBTS: [f32; 7] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0];
const RUN_COSTS: [f32; 8] = [0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0];
/// Points of the calibration of confidence.
const KNOTS: usize = 12;

/// The parameters fitted on pages that their models never saw.
#[derive(Clone)]
pub(super) struct Judgement {
    pub(super) pool: Pool,
    pub(super) alone: Pool,
    pub(super) decider: Decider,
    pub(super) confidence: Isotonic,
}

/// The log-odds of each page's blocks, pooled with their places. Empty for a page whose places have
/// no log-odds.
pub(super) fn pooled(pool: &Pool, own: &[Vec<f32>], places: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let page = |(own, places): (&Vec<f32>, &Vec<f32>)| {
        own.iter().zip(places).map(|(&own, &place)| pool.odds(own, place)).collect()
    };
    own.iter().zip(places).map(page).collect()
}

/// Turns log-odds into probabilities, page by page.
pub(super) fn probabilities(odds: &[Vec<f32>]) -> Vec<Vec<f32>> {
    odds.iter().map(|page| page.iter().map(|&odds| probability(odds)).collect()).collect()
}

/// The decider with the best result, the first in a tie.
fn best<const N: usize>(deciders: [Decider; N], reached: impl Fn(&Decider) -> f64) -> Decider {
    let each = deciders.into_iter().map(|decider| (decider, reached(&decider)));
    each.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or_else(Decider::default, |(best, _)| best)
}

impl LessonSet<'_> {
    pub(super) fn judgement(&self, own: &[Vec<f32>], of_places: &[Vec<Vec<f32>>]) -> Judgement {
        let [single, others @ ..] = of_places else { unreachable!("there are several of KNOWN") };
        let alone = Pool::fit(&self.cases(own, single));
        let pool = Pool::fit(&others.iter().flat_map(|places| self.cases(own, places)).collect::<Vec<_>>());
        // A page is judged in two ways: alone, and with all known pages of its site.
        let ways = [pooled(&alone, own, single), pooled(&pool, own, &of_places[KNOWN.len() - 1])];
        let (decider, confidence) = self.decisions(&ways.each_ref());
        Judgement { pool, alone, decider, confidence }
    }

    /// The decider with the best result on pages judged in these ways, and its confidence.
    fn decisions(&self, ways: &[&Vec<Vec<f32>>]) -> (Decider, Isotonic) {
        let reached =
            |decider: &Decider| self.judge_all(ways, *decider).iter().map(|(_, f1)| f64::from(*f1)).sum::<f64>();
        let decider = best(DOUBTS.map(|doubt| Decider { doubt, run_cost: 0.0 }), reached);
        let decider = best(RUN_COSTS.map(|run_cost| Decider { run_cost, ..decider }), reached);
        (decider, self.confidence(ways, decider))
    }

    /// Calibrates the F1 that a decider expects of pages judged in these ways.
    pub(super) fn confidence(&self, ways: &[&Vec<Vec<f32>>], decider: Decider) -> Isotonic {
        let (expected, reached): (Vec<f32>, Vec<f32>) = self.judge_all(ways, decider).into_iter().unzip();
        let confidence = Isotonic::fit(&expected, &reached, &vec![1.0; expected.len()], KNOTS);
        confidence.expect("some page has content, or there are no two classes")
    }

    fn judge_all(&self, ways: &[&Vec<Vec<f32>>], decider: Decider) -> Vec<(f32, f32)> {
        ways.iter().flat_map(|odds| self.judge(odds, decider)).collect()
    }

    /// The blocks of the pages that have scores of places.
    fn cases(&self, own: &[Vec<f32>], places: &[Vec<f32>]) -> Vec<Case> {
        let mut cases = Vec::new();
        for ((lesson, own), places) in self.lessons.iter().zip(own).zip(places) {
            let blocks = own.iter().zip(places).zip(lesson.labels()).zip(lesson.weights());
            let case = |(((&own, &place), is_content), weight)| Case { own, place, is_content, weight };
            cases.extend(blocks.map(case).filter(|case| case.weight > 0.0));
        }
        cases
    }

    /// For each page with content, the expected F1 of the decision, uncalibrated, and the measured
    /// one.
    fn judge(&self, odds: &[Vec<f32>], decider: Decider) -> Vec<(f32, f32)> {
        let page = |number: usize| {
            let (lesson, odds) = (self.lessons[number], &odds[number]);
            if odds.len() != lesson.kept.len() {
                return None;
            }
            let words: Vec<u32> = lesson.analysis.blocks().iter().map(|block| block.text.words).collect();
            let decision = decider.decide(odds, &words);
            Some((decision.expected_f1 as f32, lesson.f1(&decision.kept)? as f32))
        };
        self.each_page(page).into_iter().flatten().collect()
    }
}
