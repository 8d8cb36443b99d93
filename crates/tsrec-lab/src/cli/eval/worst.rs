//! The pages with the lowest scores, and their mistakes.

use std::io::Write;

use anyhow::Result;

use super::args::{Args, EvalReport};
use super::measure::Judgements;
use super::outcome::PageOutcome;
use super::rows::headline;

/// The pages with the lowest F1 of all sets, at most `most`, the worst first, each with its F1.
pub(super) fn worst(report: Option<EvalReport>, sets: &[Judgements], most: usize) -> Vec<(f64, &PageOutcome)> {
    let pages = sets.iter().flat_map(|set| &set.outcomes);
    let mut rated: Vec<(f64, &PageOutcome)> =
        pages.filter_map(|page| Some((headline(report, &page.judged)?, page))).collect();
    rated.sort_by(|a, b| a.0.total_cmp(&b.0));
    rated.truncate(most);
    rated
}

/// Prints one line per page, and below it one for each of the places with most mistakes.
pub(super) fn print(out: &mut impl Write, args: &Args, sets: &[Judgements], most: usize) -> Result<()> {
    let pages = worst(args.report, sets, most);
    let name = |page: &PageOutcome| format!("{}/{}", page.judged.dataset, page.judged.id);
    let width = pages.iter().map(|(_, page)| name(page).chars().count()).fold(17, usize::max);
    let head = ["F1", "P", "R", "conf", "kept", "lost", "absent"].map(|head| format!(" {head:>7}")).concat();
    writeln!(out, "\n{:<width$}{head}  method", "worst page")?;
    for (f1, page) in pages {
        let judged = &page.judged;
        let score = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
        let count = |value: Option<usize>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        let mistakes = page.mistakes.as_ref();
        let cells = [
            format!("{f1:.4}"),
            score(judged.wcxb.map(|words| words.precision)),
            score(judged.wcxb.map(|words| words.recall)),
            score(judged.confidence),
            count(mistakes.map(|mistakes| mistakes.wrongly_kept)),
            count(mistakes.map(|mistakes| mistakes.wrongly_lost)),
            count(mistakes.map(|mistakes| mistakes.absent)),
        ];
        let cells = cells.map(|cell| format!(" {cell:>7}")).concat();
        let method = judged.method.map_or("-", |method| method.as_str());
        writeln!(out, "{:<width$}{cells}  {method}", name(page))?;
        for place in mistakes.iter().flat_map(|mistakes| &mistakes.places) {
            let (kept, lost) = (place.wrongly_kept, place.wrongly_lost);
            writeln!(out, "{:width$}{:>32} {kept:>7} {lost:>7}  {}", "", "", place.path)?;
        }
    }
    Ok(())
}
