//! `tsrec-lab eval DIR…`: extraction measured against gold text.

mod args;
mod calibrated;
mod compare;
mod curves;
mod features;
mod floors;
mod html;
mod kept;
mod kinds;
mod language;
mod lines;
mod markup;
mod measure;
mod metadata;
mod outcome;
mod parts;
mod plan;
mod rows;
mod siblings;
mod sites;
mod snippets;
mod table;
mod worst;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use self::args::{By, EvalReport};
use self::measure::{Judgements, judge_sets};
use self::rows::Layout;
use self::table::ScoreTable;
use super::corpus::Corpus;
use crate::eval::score::{PageScore, mean};
use tsrec_core::extract::choice::Choice;
use tsrec_terminal::usage;

pub(super) use self::args::Args;

/// A site with at least this mean F1 counts as extracted right. Li et al. 2006 judged by eye; this
/// is judgement too.
const GOOD: f64 = 0.9;

pub(super) fn run(args: &Args) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if let [before, after] = &args.compare[..] {
        return compare::print(&mut out, args, before, after);
    }
    if let Some(file) = &args.floors {
        return floors::run(file, args);
    }
    usage::ensure(
        !args.json
            || matches!(args.report, Some(EvalReport::Calibration | EvalReport::Metadata))
            || (args.report.is_none() && args.by == By::Set),
        "--json is for the text's scores and --report metadata, a page a line, and for --report calibration",
    )?;
    let per_page = args.json || args.worst.is_some() || args.html.is_some() || args.texts.is_some() || args.intervals;
    match args.report {
        Some(report) if !report.judges_pages() => {
            usage::ensure(
                !per_page,
                "this --report is about no page alone: leave --texts, --intervals, --worst and --html out",
            )?;
            match report.has_rows() {
                true => measure::table(args)?.print(&mut out),
                false => print_curve(&mut out, report, args, &args.said.read(&args.sets)?),
            }
        }
        _ => judge(&mut out, args),
    }
}

/// Judges every page, and writes the requested report.
fn judge(out: &mut impl Write, args: &Args) -> Result<()> {
    let sets = judge_sets(args, &args.said.read(&args.sets)?)?;
    if let Some(texts) = &args.texts {
        sets.iter().try_for_each(|set| write_texts(texts, set))?;
    }
    if args.json && args.report != Some(EvalReport::Calibration) {
        return sets.iter().try_for_each(|set| print_json(out, args.report, set));
    }
    let table = measure::tabulate(Layout::from_args(args), &sets);
    ensure!(!table.rows.is_empty(), "{}", nothing_known(args));
    if args.report == Some(EvalReport::Calibration) {
        let pairs = rows::pairs(args.report, sets.iter().flat_map(|set| &set.outcomes));
        match args.json {
            true => return calibrated::print_json(out, &pairs, &table),
            false => calibrated::print(out, &pairs, &table)?,
        }
    } else {
        table.print(out)?;
    }
    if args.by == By::Site && args.report.is_none() {
        print_good_sites(out, &table)?;
    }
    if let Some(most) = args.worst {
        worst::print(out, args, &sets, most)?;
    }
    if let Some(file) = &args.html {
        html::write(file, args, &sets)?;
    }
    Ok(())
}

/// Why there is no row, and how to get one.
fn nothing_known(args: &Args) -> &'static str {
    match (args.report, args.by) {
        (Some(EvalReport::Metadata), _) => {
            "no page of these sets has gold metadata: title, author and date in its line of meta.jsonl"
        }
        (_, By::Kind) => {
            "the kind of no page of these sets is known: page_type in its line of meta.jsonl, or --kind SET=KIND"
        }
        (Some(EvalReport::Markdown), _) => {
            "no page of these sets has snippets: with and without in its line of meta.jsonl"
        }
        _ => "nothing is known of the pages by which they could be put into rows",
    }
}

fn print_good_sites(out: &mut impl Write, table: &ScoreTable) -> Result<()> {
    let f1: Vec<f64> = table.rows.iter().filter_map(|row| table.value(&row.name, "bowF")).collect();
    let good = f1.iter().filter(|f1| **f1 >= GOOD).count();
    Ok(writeln!(out, "{good} of {} sites with a mean bowF of {GOOD} and more", f1.len())?)
}

/// Prints a report with its own table, which needs no method.
fn print_curve(out: &mut impl Write, report: EvalReport, args: &Args, corpora: &[Corpus]) -> Result<()> {
    usage::ensure(
        args.method == Choice::Auto
            && args.options.model.is_none()
            && args.folds.is_none()
            && args.leave_out_language.is_none()
            && args.by == By::Set,
        "this --report needs no method: leave --method, --model, --folds, --leave-out-language and --by out",
    )?;
    match report {
        EvalReport::Baselines | EvalReport::Features => {
            let parts = args.hold_out.map(|share| plan::hold_out(corpora, share, args.seed)).transpose()?;
            features::print(out, report, args.training.swarm.splitting(), corpora, parts.as_ref())
        }
        _ => curves::print(out, report, args, corpora),
    }
}

fn write_texts(texts: &Path, set: &Judgements) -> Result<()> {
    let folder = texts.join(&set.set);
    std::fs::create_dir_all(&folder).with_context(|| format!("folder {} cannot be made", folder.display()))?;
    for outcome in &set.outcomes {
        let file = folder.join(format!("{}.txt", outcome.judged.id));
        std::fs::write(&file, &outcome.text).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    Ok(())
}

/// Prints one line per page.
fn print_json(out: &mut impl Write, report: Option<EvalReport>, set: &Judgements) -> Result<()> {
    for outcome in &set.outcomes {
        match (report, &outcome.metadata) {
            (Some(EvalReport::Metadata), None) => {}
            (Some(EvalReport::Metadata), Some(found)) => metadata::print_json(out, &set.set, &outcome.judged, found)?,
            _ => writeln!(out, "{}", serde_json::to_string(&outcome.judged)?)?,
        }
    }
    let scores: Vec<PageScore> = set.outcomes.iter().filter_map(|outcome| outcome.judged.scores.clone()).collect();
    Ok(writeln!(out, "{}", json!({ "dataset": set.set, "mean": mean(&scores) }))?)
}
