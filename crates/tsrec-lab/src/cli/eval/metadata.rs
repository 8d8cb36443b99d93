//! `tsrec-lab eval --report metadata`: title, authors and date against gold.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::table::ScoreCell;
use crate::eval::judged::Judged;
use crate::eval::metadata::{FieldVerdict, PageVerdict, judge, score};
use tsrec_core::metadata::Described;
use tsrec_terminal::corpus::SetPageInfo;
use tsrec_terminal::json::json_line;

/// Right titles; right authors, pages without one that are given one, and the share of those that
/// are not; the same of dates.
pub(super) const COLUMNS: [&str; 8] = ["pages", "title", "author", "a-false", "a-none", "date", "d-false", "d-none"];

/// What was read of a page, with what should have been.
pub(super) struct PageMetadata {
    gold: SetPageInfo,
    found: Described,
    verdict: PageVerdict,
}

impl PageMetadata {
    /// `None` of a page of a set that has no such gold.
    pub(super) fn new(gold: &SetPageInfo, found: Described) -> Option<PageMetadata> {
        let verdict = judge(gold, &found.metadata);
        gold.title.is_some().then(|| PageMetadata { gold: gold.clone(), found, verdict })
    }
}

/// The figures of some pages. `None` where no page has such gold.
pub(super) fn cells<'p>(pages: impl Iterator<Item = &'p PageMetadata>) -> Option<Vec<ScoreCell>> {
    let verdicts: Vec<PageVerdict> = pages.map(|page| page.verdict).collect();
    let of = |field: fn(&PageVerdict) -> FieldVerdict| score(verdicts.iter().map(field));
    let (title, author, date) = (of(|page| page.title), of(|page| page.author), of(|page| page.date));
    let mut cells = vec![ScoreCell::Count(verdicts.len()), ScoreCell::Score(title.right)];
    for field in [author, date] {
        cells.extend([ScoreCell::Score(field.right), ScoreCell::Count(field.falsely), ScoreCell::Score(field.silent)]);
    }
    (!verdicts.is_empty()).then_some(cells)
}

/// A line about a page: gold, what was found and where, and what became of it.
pub(super) fn print_json(out: &mut impl Write, set: &str, page: &Judged, metadata: &PageMetadata) -> Result<()> {
    let PageMetadata { gold, found, verdict } = metadata;
    let gold = json!({ "title": gold.title, "author": gold.author, "date": gold.date });
    json_line(
        out,
        &json!({
            "dataset": set,
            "id": page.id,
            "kind": page.kind,
            "gold": gold,
            "found": found.metadata,
            "sources": found.sources,
            "verdict": verdict,
        }),
    )
}
