//! `tsrec-lab eval --compare BEFORE AFTER`: compares two runs page by page.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::args::Args;
use super::rows::{group_of, headline};
use super::table::{ScoreCell, ScoreRow, ScoreTable};
use crate::eval::bootstrap::interval;
use crate::eval::judged::Judged;
use tsrec_terminal::progress::progress;

/// The columns: the means of both runs, their difference with its interval, and the number of pages
/// that are better or worse by more than [`EQUAL`].
const COLUMNS: [&str; 8] = ["pages", "before", "after", "diff", "low", "high", "better", "worse"];
/// Scores that differ by less are equal. This is one word in two thousand.
const EQUAL: f64 = 5e-4;

/// A page in both runs.
#[derive(Clone)]
struct Pair {
    site: String,
    before: f64,
    after: f64,
}

/// Prints one row per set, kind or site, and one over all pages that are in a row.
pub(super) fn print(out: &mut impl Write, args: &Args, before: &Path, after: &Path) -> Result<()> {
    let mut others = read(before)?;
    let (mut groups, mut all): (BTreeMap<String, Vec<Pair>>, Vec<Pair>) = Default::default();
    let mut alone = 0;
    for (key, judged) in read(after)? {
        let Some(other) = others.remove(&key) else {
            alone += 1;
            continue;
        };
        let scores = headline(args.report, &other).zip(headline(args.report, &judged));
        let Some((before, after)) = scores else { continue };
        if let Some(group) = group_of(args.by, &judged) {
            let pair = Pair { site: judged.site_key(), before, after };
            all.push(pair.clone());
            groups.entry(group).or_default().push(pair);
        }
    }
    alone += others.len();
    if alone > 0 {
        progress(&format!("{alone} pages are in one of the runs alone, and left out\n"));
    }
    ensure!(!all.is_empty(), "{} and {} have no page with a score in common", before.display(), after.display());
    let mut rows: Vec<ScoreRow> = groups.into_iter().map(|(name, pairs)| row(args, name, &pairs)).collect();
    if rows.len() > 1 {
        rows.push(row(args, "all".to_owned(), &all));
    }
    ScoreTable { columns: COLUMNS.to_vec(), rows }.print(out)
}

fn row(args: &Args, name: String, pairs: &[Pair]) -> ScoreRow {
    let mean = |value: fn(&Pair) -> f64| pairs.iter().map(value).sum::<f64>() / pairs.len() as f64;
    let found = interval(pairs.iter().map(|pair| (&pair.site, pair.after - pair.before)), args.seed);
    let better = pairs.iter().filter(|pair| pair.after - pair.before > EQUAL).count();
    let worse = pairs.iter().filter(|pair| pair.before - pair.after > EQUAL).count();
    let scores = [
        Some(mean(|pair| pair.before)),
        Some(mean(|pair| pair.after)),
        Some(mean(|pair| pair.after - pair.before)),
        found.map(|found| found.low),
        found.map(|found| found.high),
    ];
    let counts = [better, worse].map(ScoreCell::Count);
    let cells = std::iter::once(ScoreCell::Count(pairs.len())).chain(scores.map(ScoreCell::Score)).chain(counts);
    ScoreRow { name, cells: cells.collect() }
}

/// The pages of a run, by set and id. Lines about a whole set are skipped.
fn read(file: &Path) -> Result<BTreeMap<(String, String), Judged>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let mut pages = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = || format!("{}, line {}: nothing that tsrec-lab eval --json writes", file.display(), number + 1);
        let line: serde_json::Value = serde_json::from_str(line).with_context(wrong)?;
        if line.get("mean").is_none() {
            let judged: Judged = serde_json::from_value(line).with_context(wrong)?;
            pages.insert((judged.dataset.clone(), judged.id.clone()), judged);
        }
    }
    Ok(pages)
}
