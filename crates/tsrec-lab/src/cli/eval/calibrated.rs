//! The report of calibration: whether confidence equals the measured F1, and whether it finds
//! failures.

use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};

use super::table::{ScoreCell, ScoreRow, ScoreTable};
use crate::eval::calibration::{Tenth, expected_error, failure_auc, kept_f1, tenths};

/// The columns of a row of pages:
/// - the distance between confidence and F1, by tenths
/// - how well confidence ranks failures
/// - the mean F1 of all pages, and of the rest without the least confident one, two or three tenths
pub(super) const COLUMNS: [&str; 8] = ["pages", "error", "auc<.5", "auc<.8", "F1", "-10%", "-20%", "-30%"];
/// An extraction with an F1 below this is a failure. Judgement: half of the words are wrong or
/// lost, or more than a reader would tolerate.
pub(super) const FAILURES: [f64; 2] = [0.5, 0.8];
/// The shares of pages that are dropped.
const DROPPED: [f64; 4] = [0.0, 0.1, 0.2, 0.3];

/// The figures of some pages, from the confidence and F1 of each. `None` without pages.
pub(super) fn cells(pairs: &[(f64, f64)]) -> Option<Vec<ScoreCell>> {
    let error = (!pairs.is_empty()).then(|| expected_error(&tenths(pairs)))?;
    let ranked = FAILURES.map(|least| failure_auc(pairs, least));
    let kept = DROPPED.map(|dropped| kept_f1(pairs, dropped));
    let scores = std::iter::once(Some(error)).chain(ranked).chain(kept);
    Some(std::iter::once(ScoreCell::Count(pairs.len())).chain(scores.map(ScoreCell::Score)).collect())
}

/// One row for each tenth of confidence that has a page.
pub(super) fn by_tenths(pairs: &[(f64, f64)]) -> ScoreTable {
    let columns = vec!["pages", "conf", "F1", "F1-conf"];
    ScoreTable { columns, rows: tenths(pairs).iter().map(row).collect() }
}

fn row(tenth: &Tenth) -> ScoreRow {
    let scores = [tenth.confidence, tenth.f1, tenth.f1 - tenth.confidence].map(|score| ScoreCell::Score(Some(score)));
    ScoreRow {
        name: format!("{:.1} to {:.1}", tenth.from, tenth.from + 0.1),
        cells: std::iter::once(ScoreCell::Count(tenth.pages)).chain(scores).collect(),
    }
}

/// Prints the tenths of all pages, and below them the table of their groups.
pub(super) fn print(out: &mut impl Write, pairs: &[(f64, f64)], groups: &ScoreTable) -> Result<()> {
    by_tenths(pairs).print_headed(out, "confidence")?;
    writeln!(out)?;
    groups.print(out)
}

/// The same as one JSON object.
pub(super) fn print_json(out: &mut impl Write, pairs: &[(f64, f64)], groups: &ScoreTable) -> Result<()> {
    let rows: Vec<Value> = groups.rows.iter().map(|row| named(&groups.columns, row)).collect();
    Ok(writeln!(out, "{}", json!({ "tenths": tenths(pairs), "rows": rows }))?)
}

fn named(columns: &[&str], row: &ScoreRow) -> Value {
    let cells = columns.iter().zip(&row.cells).map(|(column, cell)| ((*column).to_owned(), cell.json()));
    let name = ("name".to_owned(), row.name.clone().into());
    Value::Object(std::iter::once(name).chain(cells).collect())
}
