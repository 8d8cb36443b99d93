//! From arguments to figures: reads sets, judges pages, makes rows.

use anyhow::{Result, ensure};

use super::args::{Args, EvalReport};
use super::outcome::{PageOutcome, judge_all};
use super::plan::Plan;
use super::rows::{self, Layout};
use super::siblings;
use super::table::ScoreTable;
use crate::cli::corpus::Corpus;
use tsrec_terminal::progress;

/// The judged pages of a set.
pub(super) struct Judgements {
    /// The set's name.
    pub(super) set: String,
    pub(super) outcomes: Vec<PageOutcome>,
}

/// The table of a report that judges extractions.
pub(super) fn table(args: &Args) -> Result<ScoreTable> {
    let corpora = args.said.read(&args.sets)?;
    match args.report {
        Some(EvalReport::Siblings) => siblings::table(args, &corpora),
        _ => Ok(tabulate(Layout::from_args(args), &judge_sets(args, &corpora)?)),
    }
}

/// Extracts and judges the pages of each set that can be judged. A set is left out if all its pages
/// were training pages.
pub(super) fn judge_sets(args: &Args, corpora: &[Corpus]) -> Result<Vec<Judgements>> {
    let mut plan = Plan::new(args, corpora)?;
    let mut sets = Vec::new();
    for (set, corpus) in corpora.iter().enumerate() {
        let outcomes = judge_all(args, corpus, set, &mut plan)?;
        let has_gold = outcomes.iter().any(|outcome| outcome.judged.scores.is_some());
        ensure!(has_gold || plan.holds_out(), "{}: no gold text with a word in it", corpus.name());
        if has_gold {
            sets.push(Judgements { set: corpus.name().to_owned(), outcomes });
        }
    }
    progress::clear();
    Ok(sets)
}

/// The rows of all sets. With intervals, and for calibration and kinds, it adds a row over all
/// pages that are in a row.
pub(super) fn tabulate(layout: Layout, sets: &[Judgements]) -> ScoreTable {
    let mut table = rows::table(layout);
    table.rows = sets.iter().flat_map(|set| rows::rows(layout, &set.outcomes)).collect();
    let has_all = layout.intervals || matches!(layout.report, Some(EvalReport::Calibration | EvalReport::Kinds));
    if has_all && table.rows.len() > 1 {
        let in_a_row = |page: &&PageOutcome| rows::group_of(layout.by, &page.judged).is_some();
        let all: Vec<&PageOutcome> = sets.iter().flat_map(|set| &set.outcomes).filter(in_a_row).collect();
        table.rows.extend(rows::row(layout, "all".to_owned(), &all));
    }
    table
}
