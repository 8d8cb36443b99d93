//! Scores by site, as template extraction is judged: a template is understood or it is not.

use std::io::Write;

use anyhow::Result;

use super::Outcome;
use crate::cli::corpus::Corpus;
use crate::eval::score::{PageScore, mean};

/// The mean F1 from which a site counts as extracted right: Li et al. 2006 judged by eye; this is judgement too.
pub(super) const GOOD: f64 = 0.9;

/// Prints a row a site of the set, and says of each whether it is good.
pub(super) fn print(out: &mut impl Write, corpus: &Corpus, outcomes: &[Outcome]) -> Result<Vec<bool>> {
    let mut good = Vec::new();
    for pages in corpus.sites() {
        let scores: Vec<PageScore> = pages.iter().filter_map(|&page| outcomes[page].score.clone()).collect();
        if scores.is_empty() {
            continue;
        }
        let entry = &corpus.entries[pages[0]];
        let site = entry.site.as_deref().unwrap_or(&entry.id);
        let bow_f1 = mean(&scores).bow_f1;
        writeln!(out, "{:<18}{site:<40}{:>6} {bow_f1:>7.4}", corpus.name, scores.len())?;
        good.push(bow_f1 >= GOOD);
    }
    Ok(good)
}
