//! The report of kinds: what kinds of pages were told, and how often a person said the same.

use super::outcome::Outcome;
use super::table::Cell;
use crate::evidence::kind::PageKind;

/// The report's columns: pages whose kind was told; the share of those whose kind a person named too that are told right; and how many are told to be
/// of each of [`KINDS`].
pub(super) const COLUMNS: [&str; 2 + KINDS.len()] = [
    "pages", "right", "article", "forum", "product", "collect", "listing", "docs", "service", "empty", "error",
    "consent",
];

/// The kinds, in the order of the columns.
const KINDS: [PageKind; 10] = [
    PageKind::Article,
    PageKind::Forum,
    PageKind::Product,
    PageKind::Collection,
    PageKind::Listing,
    PageKind::Documentation,
    PageKind::Service,
    PageKind::Empty,
    PageKind::Error,
    PageKind::ConsentWall,
];

/// The figures of some pages. `None` where no kind was told.
pub(super) fn cells(pages: &[&Outcome]) -> Option<Vec<Cell>> {
    let told: Vec<(PageKind, Option<&str>)> =
        pages.iter().filter_map(|page| Some((page.judged.told?, page.judged.kind.as_deref()))).collect();
    let known: Vec<bool> = told.iter().filter_map(|(told, kind)| Some(told.as_str() == (*kind)?)).collect();
    let right = known.iter().filter(|right| **right).count();
    let share = (!known.is_empty()).then(|| right as f64 / known.len() as f64);
    let counts = KINDS.map(|kind| Cell::Count(told.iter().filter(|(told, _)| *told == kind).count()));
    let first = [Cell::Count(told.len()), Cell::Score(share)];
    (!told.is_empty()).then(|| first.into_iter().chain(counts).collect())
}
