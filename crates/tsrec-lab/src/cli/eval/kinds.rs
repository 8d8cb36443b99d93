//! The report of kinds: what kinds of pages were told, and how often a person said the same.

use super::outcome::PageOutcome;
use super::table::ScoreCell;
use tsrec_core::evidence::kind::PageKind;

/// The report's columns: pages whose kind was told; the share of those whose kind a person named
/// too that are told right; and how many are told to be of each of [`PageKind::ALL`].
pub(super) const COLUMNS: [&str; 2 + PageKind::ALL.len()] = [
    "pages", "right", "article", "forum", "product", "collect", "listing", "docs", "service", "empty", "error",
    "consent",
];

/// The figures of some pages. `None` where no kind was told.
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
