//! Evidence from the names around a block and their usual meaning.

use super::column::evidence;
use super::reader::{EvidenceReader, NAMED};
use crate::analysis::Block;

/// The names of the containers around a block, the nearest first.
pub(super) struct Named {
    levels: [f32; NAMED],
    greatest: f32,
    least: f32,
    sum: f32,
    nearest: f32,
}

impl Named {
    pub(super) fn new(page: &EvidenceReader<'_>, block: &Block) -> Self {
        let mut named =
            Named { levels: [f32::NAN; NAMED], greatest: f32::NAN, least: f32::NAN, sum: f32::NAN, nearest: f32::NAN };
        for (level, (at, _)) in page.analysis.around(block).take(NAMED).enumerate() {
            let Some(odds) = page.names.get(at) else { continue };
            named.levels[level] = odds.sum;
            if named.sum.is_nan() {
                (named.nearest, named.sum) = (odds.sum, 0.0);
            }
            named.sum += odds.sum;
            named.greatest = named.greatest.max(odds.greatest);
            named.least = named.least.min(odds.least);
        }
        named
    }
}

evidence! { Names, |named: &Named| {
    "names greatest", "the log-odds of the name around it that speaks most for content", named.greatest;
    "names least", "of the one that speaks most against it", named.least;
    "names sum", "of all of eight containers", named.sum;
    "names nearest", "of the nearest container that has one that is known", named.nearest;
    "names 1", "of the container that its text stands in", named.levels[0];
    "names 2", "of the one around it", named.levels[1];
    "names 3", "of the third", named.levels[2];
    "names 4", "of the fourth", named.levels[3];
    "names 5", "of the fifth", named.levels[4];
} }
