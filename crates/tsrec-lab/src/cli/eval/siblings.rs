//! The learning curve: F1 over bags of words, by the number of siblings offered to each page.

use std::collections::BTreeMap;

use anyhow::Result;

use super::args::Args;
use super::outcome;
use super::plan::Plan;
use super::rows::group_of;
use super::sites::over_pages;
use super::table::{ScoreCell, ScoreRow, ScoreTable};
use crate::cli::corpus::Corpus;
use crate::eval::judged::Judged;
use tsrec_terminal::progress;

/// The numbers of siblings to offer.
const COUNTS: [usize; 6] = [0, 1, 2, 4, 8, usize::MAX];
/// The report's columns: `paired` is the number of pages with a sibling.
const COLUMNS: [&str; 8] = ["pages", "paired", "0", "1", "2", "4", "8", "all"];

/// A page's result for each number of siblings, and how many it has.
struct Curve {
    judged: Judged,
    f1: [f64; COUNTS.len()],
    has_sibling: bool,
}

/// One row per set or group of pages.
pub(super) fn table(args: &Args, corpora: &[Corpus]) -> Result<ScoreTable> {
    let mut plan = Plan::new(args, corpora)?;
    let mut rows = Vec::new();
    for (set, corpus) in corpora.iter().enumerate() {
        let curves = curves(args, corpus, set, &mut plan)?;
        let mut groups: BTreeMap<String, Vec<&Curve>> = BTreeMap::new();
        for curve in &curves {
            if let Some(group) = group_of(args.by, &curve.judged) {
                groups.entry(group).or_default().push(curve);
            }
        }
        rows.extend(groups.into_iter().map(|(name, curves)| ScoreRow { name, cells: cells(&curves) }));
    }
    progress::clear();
    Ok(ScoreTable { columns: COLUMNS.to_vec(), rows })
}

/// The curve of each page of a set with a word in its gold.
fn curves(args: &Args, corpus: &Corpus, set: usize, plan: &mut Plan) -> Result<Vec<Curve>> {
    outcome::learn(args, corpus, plan)?;
    let plan = &*plan;
    let is_wanted = |page| plan.extractor(set, page).is_some();
    let curves = over_pages(args, corpus, is_wanted, |subject| {
        let Some(extractor) = plan.extractor(set, subject.index) else { return Ok(None) };
        let offered = subject.offered();
        let (mut f1, mut last): (Vec<f64>, Option<Judged>) = (Vec::new(), None);
        let mut before = None;
        for count in COUNTS.map(|count| count.min(offered)) {
            // If the page has fewer siblings than offered, the result is the same: do not extract
            // twice.
            if before.replace(count) != Some(count) {
                last = Some(outcome::extract(args, extractor, subject, count)?.outcome.judged);
            }
            let Some(value) = last.as_ref().and_then(Judged::bow_f1) else { return Ok(None) };
            f1.push(value);
        }
        let f1 = f1.try_into().expect("one for each count");
        Ok(last.map(|judged| Curve { judged, f1, has_sibling: offered > 0 }))
    })?;
    Ok(curves.into_iter().filter_map(|(_, curve)| curve).collect())
}

fn cells(curves: &[&Curve]) -> Vec<ScoreCell> {
    let counts = [curves.len(), curves.iter().filter(|curve| curve.has_sibling).count()].map(ScoreCell::Count);
    let mean = |at: usize| curves.iter().map(|curve| curve.f1[at]).sum::<f64>() / curves.len() as f64;
    counts.into_iter().chain((0..COUNTS.len()).map(|at| ScoreCell::Score(Some(mean(at))))).collect()
}
