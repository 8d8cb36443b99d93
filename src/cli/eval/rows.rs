//! The tables of the reports that judge extractions: a row a set, a kind of page or a site.

use std::collections::BTreeMap;

use super::args::{By, Report};
use super::outcome::Outcome;
use super::table::{Cell, Row, Table};
use super::{lines, markup};
use crate::eval::score::{PageScore, mean};
use crate::eval::wcxb::{self, Snippets, WordScore};

/// The columns of the text's scores.
const TEXT: [&str; 10] = ["pages", "empty", "bowP", "bowR", "bowF", "rougeL", "CE", "shF1", "acc", "cosine"];
/// Those of WCXB's measure.
const WCXB: [&str; 6] = ["pages", "P", "R", "F1", "with", "without"];

/// A table without rows.
pub(super) fn table(report: Option<Report>) -> Table {
    let columns = match report {
        Some(Report::Markup) => markup::COLUMNS.to_vec(),
        Some(Report::Segments) => lines::COLUMNS.to_vec(),
        Some(Report::Wcxb) => WCXB.to_vec(),
        _ => TEXT.to_vec(),
    };
    Table { columns, rows: Vec::new() }
}

/// The rows of a set; a group of pages that cannot be measured has none.
pub(super) fn rows(report: Option<Report>, by: By, set: &str, outcomes: &[Outcome]) -> Vec<Row> {
    let groups = groups(by, set, outcomes);
    groups.into_iter().filter_map(|(name, pages)| Some(Row { name, cells: cells(report, &pages)? })).collect()
}

/// The pages of each group, by the name of its row.
fn groups<'o>(by: By, set: &str, outcomes: &'o [Outcome]) -> BTreeMap<String, Vec<&'o Outcome>> {
    let mut groups: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        let judged = &outcome.judged;
        let group = match by {
            By::Set => Some(set.to_owned()),
            By::Kind => judged.kind.as_ref().map(|kind| format!("{set}/{kind}")),
            By::Site => Some(format!("{set}/{}", judged.site.as_deref().unwrap_or(&judged.id))),
        };
        groups.entry(group.unwrap_or_default()).or_default().push(outcome);
    }
    groups.remove("");
    groups
}

/// The figures of some pages. `None` where none of them can be measured.
fn cells(report: Option<Report>, pages: &[&Outcome]) -> Option<Vec<Cell>> {
    match report {
        Some(Report::Markup) => Some(markup::cells(pages)),
        Some(Report::Segments) => Some(lines::cells(pages)),
        Some(Report::Wcxb) => wcxb_cells(pages),
        _ => text_cells(pages),
    }
}

fn text_cells(pages: &[&Outcome]) -> Option<Vec<Cell>> {
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
    let counts = [set.pages, set.empty].map(Cell::Count);
    Some(counts.into_iter().chain(scores.map(|score| Cell::Score(Some(score)))).collect())
}

fn wcxb_cells(pages: &[&Outcome]) -> Option<Vec<Cell>> {
    let scores: Vec<WordScore> = pages.iter().filter_map(|page| page.judged.wcxb).collect();
    let snippets: Vec<Snippets> = pages.iter().filter_map(|page| page.judged.snippets).collect();
    let set = (!scores.is_empty()).then(|| wcxb::mean(&scores))?;
    let found = (!snippets.is_empty()).then(|| wcxb::mean_snippets(&snippets));
    let values = [
        Some(set.precision),
        Some(set.recall),
        Some(set.f1),
        found.map(|found| found.with),
        found.map(|found| found.without),
    ];
    Some(std::iter::once(Cell::Count(scores.len())).chain(values.map(Cell::Score)).collect())
}
