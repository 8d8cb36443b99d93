//! Precision and recall over text segments (Luo et al. 2009, section 5).

use std::io::Write;

use anyhow::Result;

use super::Outcome;
use crate::eval::score::{PageScore, mean};
use crate::eval::segments::{self, PageSegments};

/// A set's row: means over the pages, the F1 over words beside them.
pub(super) fn print_set(out: &mut impl Write, name: &str, outcomes: &[Outcome], has_head: bool) -> Result<()> {
    if !has_head {
        writeln!(out, "{:<18}{:>6} {:>7} {:>7} {:>7}", "dataset", "pages", "segP", "segR", "bowF")?;
    }
    let pages: Vec<PageSegments> = outcomes.iter().filter_map(|outcome| outcome.segments).collect();
    let scores: Vec<PageScore> = outcomes.iter().filter_map(|outcome| outcome.score.clone()).collect();
    let (means, words) = (segments::mean(&pages), mean(&scores).bow_f1);
    writeln!(out, "{name:<18}{:>6} {:>7.4} {:>7.4} {words:>7.4}", pages.len(), means.precision, means.recall)?;
    Ok(())
}
