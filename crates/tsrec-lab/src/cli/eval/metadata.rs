//! `tsrec-lab eval --report metadata`: compares title, authors and date with gold.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::table::ScoreCell;
use crate::eval::judged::Judged;
use crate::eval::metadata::{FieldVerdict, PageVerdict, judge, score};
use tsrec_core::metadata::Described;
use tsrec_terminal::corpus::SetPageInfo;
use tsrec_terminal::json::json_line;

/// The share of right titles. For authors: the share that is right, the number of pages without an
/// author that got one, and the share of those that got none. The same for dates.
pub(super) const COLUMNS: [&str; 8] = ["pages", "title", "author", "a-false", "a-none", "date", "d-false", "d-none"];

/// The metadata found on a page, with its gold.
pub(super) struct PageMetadata {
    gold: SetPageInfo,
    found: Described,
    verdict: PageVerdict,
}

impl PageMetadata {
    /// `None` if the page's set has no such gold.
    pub(super) fn new(gold: &SetPageInfo, found: Described) -> Option<PageMetadata> {
        let verdict = judge(gold, &found.metadata);
        gold.title.is_some().then(|| PageMetadata { gold: gold.clone(), found, verdict })
    }
}

/// The figures of some pages. `None` if no page has such gold.
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

/// Prints one line about a page: gold, the found values with their sources, and the verdicts.
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
