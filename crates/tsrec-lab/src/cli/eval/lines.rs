//! Precision and recall over text segments (Luo et al. 2009, section 5).

use super::outcome::PageOutcome;
use super::table::ScoreCell;
use crate::eval::score::{PageScore, mean};
use crate::eval::segments;
use crate::eval::segments::PageSegments;

/// The report's columns: means over the pages, with the F1 over words.
pub(super) const COLUMNS: [&str; 4] = ["pages", "segP", "segR", "bowF"];

/// The figures of some pages.
pub(super) fn cells(pages: &[&PageOutcome]) -> Vec<ScoreCell> {
    let found: Vec<PageSegments> = pages.iter().filter_map(|page| page.segments).collect();
    let scores: Vec<PageScore> = pages.iter().filter_map(|page| page.judged.scores.clone()).collect();
    let means = segments::mean(&found);
    let values = [means.precision, means.recall, mean(&scores).bow_f1];
    std::iter::once(ScoreCell::Count(found.len())).chain(values.map(|value| ScoreCell::Score(Some(value)))).collect()
}
