//! `tsrec eval DIR…`: extraction measured against gold text.

mod args;
mod curves;
mod features;
mod lines;
mod markup;
mod outcome;
mod plan;
mod rows;
mod sites;
mod table;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use self::args::{By, Report, read};
use self::outcome::{Outcome, judge_all};
use self::plan::Plan;
use super::corpus::Corpus;
use super::progress;
use crate::eval::score::{PageScore, SetScore, mean};
use crate::extract::registry::Choice;

pub(super) use self::args::Args;

/// The mean F1 from which a site counts as extracted right: Li et al. 2006 judged by eye; this is judgement too.
const GOOD: f64 = 0.9;

pub(super) fn run(args: &Args) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let corpora = read(&args.sets)?;
    if let Some(report) = args.report.filter(|report| !report.judges_extractions()) {
        return print_without_extraction(&mut out, report, args, &corpora);
    }
    let sets = judge_sets(args, &corpora)?;
    progress::clear();
    if let Some(texts) = &args.texts {
        sets.iter().try_for_each(|(corpus, outcomes)| write_texts(texts, corpus, outcomes))?;
    }
    if args.json {
        return sets.iter().try_for_each(|(corpus, outcomes)| print_json(&mut out, corpus, outcomes));
    }
    let mut table = rows::table(args.report);
    for (corpus, outcomes) in &sets {
        table.rows.extend(rows::rows(args.report, args.by, corpus.name(), outcomes));
    }
    table.print(&mut out)?;
    if args.by == By::Site && args.report.is_none() {
        let f1: Vec<f64> = table.rows.iter().filter_map(|row| table.value(&row.name, "bowF")).collect();
        let good = f1.iter().filter(|f1| **f1 >= GOOD).count();
        writeln!(out, "{good} of {} sites with a mean bowF of {GOOD} and more", f1.len())?;
    }
    Ok(())
}

/// The pages of each set that can be judged, extracted and judged. A set of which all was learned from is left out.
fn judge_sets<'c>(args: &Args, corpora: &'c [Corpus]) -> Result<Vec<(&'c Corpus, Vec<Outcome>)>> {
    let mut plan = Plan::new(args, corpora)?;
    let mut sets = Vec::new();
    for (set, corpus) in corpora.iter().enumerate() {
        let outcomes = judge_all(args, corpus, set, &mut plan)?;
        let has_gold = outcomes.iter().any(|outcome| outcome.judged.scores.is_some());
        ensure!(has_gold || plan.holds_out(), "{}: no gold text with a word in it", corpus.name());
        if has_gold {
            sets.push((corpus, outcomes));
        }
    }
    Ok(sets)
}

/// Prints a report that needs no method.
fn print_without_extraction(out: &mut impl Write, report: Report, args: &Args, corpora: &[Corpus]) -> Result<()> {
    ensure!(
        args.method == Choice::Auto && args.options.model.is_none() && args.folds.is_none() && args.texts.is_none(),
        "this --report needs no method: leave --method, --model, --folds and --texts out"
    );
    match report {
        Report::Baselines | Report::Features => {
            let parts = args.hold_out.map(|share| plan::hold_out(corpora, share, args.seed)).transpose()?;
            features::print(out, report, args.training.swarm.splitting(), corpora, parts.as_ref())
        }
        _ => curves::print(out, report, args, corpora),
    }
}

fn write_texts(texts: &Path, corpus: &Corpus, outcomes: &[Outcome]) -> Result<()> {
    let folder = texts.join(corpus.name());
    std::fs::create_dir_all(&folder).with_context(|| format!("folder {} cannot be made", folder.display()))?;
    for Outcome { judged, text, .. } in outcomes {
        let file = folder.join(format!("{}.txt", judged.id));
        std::fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    Ok(())
}

fn print_json(out: &mut impl Write, corpus: &Corpus, outcomes: &[Outcome]) -> Result<()> {
    for outcome in outcomes {
        writeln!(out, "{}", serde_json::to_string(&outcome.judged)?)?;
    }
    let scores: Vec<PageScore> = outcomes.iter().filter_map(|outcome| outcome.judged.scores.clone()).collect();
    let set: SetScore = mean(&scores);
    Ok(writeln!(out, "{}", json!({ "dataset": corpus.name(), "mean": set }))?)
}
