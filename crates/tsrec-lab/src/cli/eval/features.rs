//! Measures block features without a model (Ziegler, Skubacz 2007, sections 4.2 and 4.3).

use std::io::Write;

use anyhow::{Result, ensure};

use super::args::EvalReport;
use super::parts::PagesByPart;
use crate::cli::corpus::{Corpus, SetPage};
use crate::eval::score::score;
use tsrec_core::html;
use tsrec_core::html::{Document, Limits};
use tsrec_core::page::Content;
use tsrec_core::render::text::text;
use tsrec_papers::block::features::Bound;
use tsrec_papers::block::removal::Splitting;
use tsrec_papers::swarm::baselines::{all_blocks, all_text};
use tsrec_papers::swarm::ground::Ground;
use tsrec_terminal::parallel::in_parallel;

/// Prints a report on the pages, or on the held-out ones.
pub(super) fn print(
    out: &mut impl Write,
    report: EvalReport,
    splitting: Splitting,
    corpora: &[Corpus],
    parts: Option<&PagesByPart>,
) -> Result<()> {
    let mut sets = Vec::new();
    for (set, corpus) in corpora.iter().enumerate() {
        let is_held = |page: usize| parts.is_none_or(|parts| parts[set][page] == 0);
        let pages = corpus.entries().enumerate().filter(|(page, _)| is_held(*page)).map(|(_, entry)| entry);
        sets.push((corpus.name(), GoldPage::read_all(&pages.collect::<Vec<_>>())?));
    }
    ensure!(sets.iter().any(|(_, pages)| !pages.is_empty()), "no gold text with a word in it");
    match report {
        EvalReport::Baselines => baselines(out, splitting, &sets),
        _ => features(out, splitting, &sets),
    }
}

/// A page with a word in its gold.
struct GoldPage {
    document: Document,
    gold: String,
}

impl GoldPage {
    fn read_all(entries: &[SetPage<'_>]) -> Result<Vec<GoldPage>> {
        let pages = in_parallel(entries, |entry| {
            let Some(gold) = entry.gold_text()?.filter(|gold| score(gold, "").is_some()) else { return Ok(None) };
            Ok(Some(GoldPage { document: html::parse(&entry.html()?, None, &Limits::default()), gold }))
        });
        pages.into_iter().filter_map(Result::transpose).collect()
    }

    fn cosine(&self, content: &Content) -> f64 {
        score(&self.gold, &text(&self.document, content)).map_or(0.0, |score| score.cosine)
    }
}

/// One row per set, and one for all pages of all sets together.
fn baselines(out: &mut impl Write, splitting: Splitting, sets: &[(&str, Vec<GoldPage>)]) -> Result<()> {
    writeln!(out, "{:<18}{:>6} {:>7} {:>7} {:>7}", "dataset", "pages", "TB", "PR", "bound")?;
    let all: Vec<&GoldPage> = sets.iter().flat_map(|(_, pages)| pages).collect();
    let sets = sets.iter().map(|(name, pages)| (*name, pages.iter().collect::<Vec<&GoldPage>>()));
    for (name, pages) in sets.chain([("all", all)]).filter(|(_, pages)| !pages.is_empty()) {
        let cosines = in_parallel(&pages, |page| {
            let blocks = all_blocks(&page.document, splitting);
            (page.cosine(&all_text(&page.document)), page.cosine(&blocks))
        });
        let mean = |of: fn(&(f64, f64)) -> f64| cosines.iter().map(of).sum::<f64>() / cosines.len() as f64;
        let bound = ground(&pages, splitting).best_choice();
        let (tb, pr) = (mean(|cosines| cosines.0), mean(|cosines| cosines.1));
        writeln!(out, "{name:<18}{:>6} {tb:>7.4} {pr:>7.4} {bound:>7.4}", pages.len())?;
    }
    Ok(())
}

/// One row per feature, over all pages of all sets together.
fn features(out: &mut impl Write, splitting: Splitting, sets: &[(&str, Vec<GoldPage>)]) -> Result<()> {
    let pages: Vec<&GoldPage> = sets.iter().flat_map(|(_, pages)| pages).collect();
    writeln!(out, "{:<24}{:>8} {:>10} {:>7}", "feature", "bound", "threshold", "cosine")?;
    for single in ground(&pages, splitting).single_features() {
        let bound = match single.feature.bound() {
            Bound::Least => "at least",
            Bound::Most => "at most",
        };
        writeln!(out, "{:<24}{bound:>8} {:>10.4} {:>7.4}", single.feature, single.threshold, single.fitness)?;
    }
    Ok(())
}

fn ground(pages: &[&GoldPage], splitting: Splitting) -> Ground {
    let mut ground = Ground::default();
    pages.iter().for_each(|page| ground.add(&page.document, splitting, &page.gold));
    ground
}
