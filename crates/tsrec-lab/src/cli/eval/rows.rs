//! The tables of the reports that judge extractions: one row per set, kind of page or site.

use std::collections::BTreeMap;

use super::args::{Args, By, EvalReport};
use super::outcome::PageOutcome;
use super::table::{ScoreCell, ScoreRow, ScoreTable};
use super::{calibrated, kinds, lines, markup, metadata, snippets};
use crate::eval::bootstrap::interval;
use crate::eval::judged::Judged;
use crate::eval::score::{PageScore, mean};
use crate::eval::wcxb;
use crate::eval::wcxb::{Snippets, WordScore};

/// The columns of the text's scores.
const TEXT: [&str; 10] = ["pages", "empty", "bowP", "bowR", "bowF", "rougeL", "CE", "shF1", "acc", "cosine"];
/// The columns of WCXB's measure.
const WCXB: [&str; 6] = ["pages", "P", "R", "F1", "with", "without"];

/// The layout of a table of pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The measure; `None` for the text.
    pub(super) report: Option<EvalReport>,
    pub(super) by: By,
    /// Whether the F1 gets its interval.
    pub(super) intervals: bool,
    /// The seed of the intervals.
    pub(super) seed: u64,
}

impl Layout {
    pub(super) fn from_args(args: &Args) -> Self {
        Layout { report: args.report, by: args.by, intervals: args.intervals, seed: args.seed }
    }
}

/// A table without rows.
pub(super) fn table(layout: Layout) -> ScoreTable {
    let mut columns = match layout.report {
        Some(EvalReport::Markup) => markup::COLUMNS.to_vec(),
        Some(EvalReport::Segments) => lines::COLUMNS.to_vec(),
        Some(EvalReport::Wcxb) => WCXB.to_vec(),
        Some(EvalReport::Metadata) => metadata::COLUMNS.to_vec(),
        Some(EvalReport::Markdown) => snippets::COLUMNS.to_vec(),
        Some(EvalReport::Calibration) => calibrated::COLUMNS.to_vec(),
        Some(EvalReport::Kinds) => kinds::COLUMNS.to_vec(),
        _ => TEXT.to_vec(),
    };
    if layout.intervals {
        columns.extend(["low", "high"]);
    }
    ScoreTable { columns, rows: Vec::new() }
}

/// The rows of a set. A group of pages without a measure has no row.
pub(super) fn rows(layout: Layout, outcomes: &[PageOutcome]) -> Vec<ScoreRow> {
    let mut groups: BTreeMap<String, Vec<&PageOutcome>> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(group) = group_of(layout.by, &outcome.judged) {
            groups.entry(group).or_default().push(outcome);
        }
    }
    groups.into_iter().filter_map(|(name, pages)| row(layout, name, &pages)).collect()
}

/// The name of a page's row. `None` if rows are kinds and the page's kind is unknown.
pub(super) fn group_of(by: By, judged: &Judged) -> Option<String> {
    let set = &judged.dataset;
    match by {
        By::Set => Some(set.clone()),
        By::Kind => judged.kind.as_ref().map(|kind| format!("{set}/{kind}")),
        By::Site => Some(format!("{set}/{}", judged.site.as_deref().unwrap_or(&judged.id))),
    }
}

/// The row of some pages. `None` if none of them can be measured.
pub(super) fn row(layout: Layout, name: String, pages: &[&PageOutcome]) -> Option<ScoreRow> {
    let mut cells = cells(layout.report, pages)?;
    if layout.intervals {
        let values =
            pages.iter().filter_map(|page| Some((page.judged.site_key(), headline(layout.report, &page.judged)?)));
        let found = interval(values, layout.seed);
        cells.extend([ScoreCell::Score(found.map(|found| found.low)), ScoreCell::Score(found.map(|found| found.high))]);
    }
    Some(ScoreRow { name, cells })
}

/// The main F1 of a report.
pub(super) fn headline(report: Option<EvalReport>, judged: &Judged) -> Option<f64> {
    match report {
        Some(EvalReport::Wcxb) => judged.wcxb.map(|score| score.f1),
        _ => judged.bow_f1(),
    }
}

/// Confidence and the report's main F1, for each page that has both.
pub(super) fn pairs<'o>(report: Option<EvalReport>, pages: impl Iterator<Item = &'o PageOutcome>) -> Vec<(f64, f64)> {
    pages.filter_map(|page| Some((page.judged.confidence?, headline(report, &page.judged)?))).collect()
}

/// The figures of some pages. `None` if none of them can be measured.
fn cells(report: Option<EvalReport>, pages: &[&PageOutcome]) -> Option<Vec<ScoreCell>> {
    match report {
        Some(EvalReport::Markup) => Some(markup_cells(pages)),
        Some(EvalReport::Segments) => Some(lines::cells(pages)),
        Some(EvalReport::Wcxb) => wcxb_cells(pages),
        Some(EvalReport::Kinds) => kinds::cells(pages),
        Some(EvalReport::Metadata) => metadata::cells(pages.iter().filter_map(|page| page.metadata.as_ref())),
        Some(EvalReport::Markdown) => snippets::cells(pages.iter().filter_map(|page| page.snippets)),
        Some(EvalReport::Calibration) => calibrated::cells(&pairs(report, pages.iter().copied())),
        _ => text_cells(pages),
    }
}

fn text_cells(pages: &[&PageOutcome]) -> Option<Vec<ScoreCell>> {
    let scores: Vec<PageScore> = pages.iter().filter_map(|page| page.judged.scores.clone()).collect();
    let set = (!scores.is_empty()).then(|| mean(&scores))?;
    let scores = [
        set.bow_precision,
        set.bow_recall,
        set.bow_f1,
        set.rouge_l,
        set.cleaneval,
        set.shingle_f1,
        set.accuracy,
        set.cosine,
    ];
    let counts = [set.pages, set.empty].map(ScoreCell::Count);
    Some(counts.into_iter().chain(scores.map(|score| ScoreCell::Score(Some(score)))).collect())
}

fn markup_cells(pages: &[&PageOutcome]) -> Vec<ScoreCell> {
    let judged = pages.iter().filter_map(|page| Some((page.markup.as_ref()?, page.judged.scores.as_ref()?.cleaneval)));
    markup::cells(&judged.collect::<Vec<_>>())
}

fn wcxb_cells(pages: &[&PageOutcome]) -> Option<Vec<ScoreCell>> {
    let pages: Vec<(WordScore, Option<Snippets>)> =
        pages.iter().filter_map(|page| Some((page.judged.wcxb?, page.judged.snippets))).collect();
    let scores: Vec<WordScore> = pages.iter().map(|(score, _)| *score).collect();
    let set = (!scores.is_empty()).then(|| wcxb::mean(&scores))?;
    // As the set's author counts: on a page without an extraction, no snippet was found.
    let snippets: Vec<Snippets> = pages.iter().map(|(_, snippets)| snippets.unwrap_or_default()).collect();
    let has_snippets = pages.iter().any(|(_, snippets)| snippets.is_some());
    let found = has_snippets.then(|| wcxb::mean_snippets(&snippets));
    let values = [
        Some(set.precision),
        Some(set.recall),
        Some(set.f1),
        found.map(|found| found.with),
        found.map(|found| found.without),
    ];
    Some(std::iter::once(ScoreCell::Count(scores.len())).chain(values.map(ScoreCell::Score)).collect())
}
