//! The report of kinds: the detected kinds of pages, and how often a person's label agrees.

use super::outcome::PageOutcome;
use super::table::ScoreCell;
use tsrec_core::evidence::kind::PageKind;

/// The report's columns: the number of pages with a detected kind; of those that a person labelled
/// too, the share that agrees; and the number of pages detected as each of [`PageKind::ALL`].
pub(super) const COLUMNS: [&str; 2 + PageKind::ALL.len()] = [
    "pages", "right", "article", "forum", "product", "collect", "listing", "docs", "service", "empty", "error",
    "consent",
];

/// The figures of some pages. `None` if no page has a detected kind.
pub(super) fn cells(pages: &[&PageOutcome]) -> Option<Vec<ScoreCell>> {
    let told: Vec<(PageKind, Option<&str>)> =
        pages.iter().filter_map(|page| Some((page.judged.told?, page.judged.kind.as_deref()))).collect();
    let known: Vec<bool> = told.iter().filter_map(|(told, kind)| Some(told.as_str() == (*kind)?)).collect();
    let right = known.iter().filter(|right| **right).count();
    let share = (!known.is_empty()).then(|| right as f64 / known.len() as f64);
    let counts = PageKind::ALL.map(|kind| ScoreCell::Count(told.iter().filter(|(told, _)| *told == kind).count()));
    let first = [ScoreCell::Count(told.len()), ScoreCell::Score(share)];
    (!told.is_empty()).then(|| first.into_iter().chain(counts).collect())
}
