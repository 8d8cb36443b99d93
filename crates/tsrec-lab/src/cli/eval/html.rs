//! `tsrec-lab eval --html FILE`: a run's figures as one HTML page without other files.

mod chart;

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::args::{Args, By};
use super::calibrated;
use super::measure::{Judgements, tabulate};
use super::outcome::PageOutcome;
use super::rows::{Layout, headline, pairs};
use super::table::{ScoreCell, ScoreTable};
use super::worst::worst;
use crate::eval::calibration::{expected_error, failure_auc, tenths};
use crate::eval::wcxb::WordScore;
use tsrec_core::render::html;
use tsrec_terminal::whole_file;

/// The number of worst pages to show if `--worst` does not set it.
const WORST: usize = 20;

const STYLE: &str = include_str!("html/style.css");

/// Writes the page.
pub(super) fn write(file: &Path, args: &Args, sets: &[Judgements]) -> Result<()> {
    whole_file::write(file, page(args, sets)?.as_bytes())
}

fn page(args: &Args, sets: &[Judgements]) -> Result<String> {
    let mut page = String::new();
    let title = format!("tsrec-lab eval: {}", args.method);
    write!(page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>", escape(&title))?;
    write!(page, "<meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body><main>")?;
    let pages: usize = sets.iter().map(|set| set.outcomes.len()).sum();
    let names: Vec<&str> = sets.iter().map(|set| set.set.as_str()).collect();
    writeln!(page, "<h1>{}</h1>", escape(&title))?;
    writeln!(page, "<p>{pages} pages of {} sets: {}. {}</p>", sets.len(), escape(&names.join(", ")), how(args))?;
    for (heading, by) in [("By set", By::Set), ("By kind of page", By::Kind)] {
        let table = tabulate(Layout { by, intervals: true, ..Layout::from_args(args) }, sets);
        if table.rows.iter().any(|row| row.name != "all") {
            writeln!(page, "<h2>{heading}</h2>")?;
            push_table(&mut page, &table)?;
        }
    }
    push_distribution(&mut page, args, sets)?;
    push_confidence(&mut page, args, sets)?;
    push_worst(&mut page, args, sets)?;
    page.push_str("</main></body></html>\n");
    Ok(page)
}

/// Explains how to read the figures.
fn how(args: &Args) -> String {
    let judged_by = match (args.folds, args.hold_out, &args.leave_out_language) {
        (Some(folds), ..) => {
            format!("Each page was judged by a model of the other {} of {folds} parts; no site is in two. ", folds - 1)
        }
        (_, Some(share), _) => {
            format!("The model learned from the other pages: {share} of them were held out, by site. ")
        }
        (.., Some(code)) => format!("The model learned from sites without a page in {}. ", escape(code)),
        _ => String::new(),
    };
    let siblings = match (args.strangers, args.siblings) {
        (true, _) => "Pages were offered pages of other sites".to_owned(),
        (_, 0) => "Pages were offered no sibling".to_owned(),
        (_, most) => format!("Pages were offered up to {most} siblings"),
    };
    format!("{judged_by}{siblings}. Intervals hold 95 of 100 drawings of sites.")
}

fn push_table(page: &mut String, table: &ScoreTable) -> Result<()> {
    page.push_str("<table><thead><tr><th></th>");
    for column in &table.columns {
        write!(page, "<th>{column}</th>")?;
    }
    page.push_str("</tr></thead><tbody>\n");
    for row in &table.rows {
        write!(page, "<tr><th>{}</th>", escape(&row.name))?;
        for cell in &row.cells {
            write!(page, "<td>{}</td>", cell.shown())?;
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table>\n");
    Ok(())
}

/// The distribution of the pages' F1.
fn push_distribution(page: &mut String, args: &Args, sets: &[Judgements]) -> Result<()> {
    page.push_str("<h2>Pages by F1</h2>\n<div class=\"charts\">\n");
    for set in sets {
        let scores: Vec<f64> = set.outcomes.iter().filter_map(|page| headline(args.report, &page.judged)).collect();
        writeln!(page, "<figure>{}<figcaption>{}</figcaption></figure>", chart::histogram(&scores), escape(&set.set))?;
    }
    page.push_str("</div>\n");
    Ok(())
}

/// Whether confidence matches F1.
fn push_confidence(page: &mut String, args: &Args, sets: &[Judgements]) -> Result<()> {
    let pairs = pairs(args.report, sets.iter().flat_map(|set| &set.outcomes));
    if pairs.is_empty() {
        return Ok(());
    }
    writeln!(
        page,
        "<h2>Confidence</h2>\n<p>Mean distance between confidence and F1, by tenths: {:.4}.",
        expected_error(&tenths(&pairs))
    )?;
    for least in calibrated::FAILURES {
        match failure_auc(&pairs, least) {
            Some(auc) => writeln!(
                page,
                "Of a page with an F1 below {least} and another, the failed one has the lower confidence in {auc:.4} of all pairs."
            )?,
            None => writeln!(page, "No page, or every page, has an F1 below {least}.")?,
        }
    }
    page.push_str("</p>\n");
    push_table(page, &calibrated::by_tenths(&pairs))
}

fn push_worst(page: &mut String, args: &Args, sets: &[Judgements]) -> Result<()> {
    page.push_str("<h2>Worst pages</h2>\n<table class=\"worst\"><thead><tr><th></th>");
    for head in ["F1", "precision", "recall", "confidence", "wrongly kept", "wrongly lost", "not on the page", "method"]
    {
        write!(page, "<th>{head}</th>")?;
    }
    page.push_str("</tr></thead><tbody>\n");
    for (f1, outcome) in worst(args.report, sets, args.worst.unwrap_or(WORST)) {
        push_worst_page(page, f1, outcome)?;
    }
    page.push_str("</tbody></table>\n");
    Ok(())
}

fn push_worst_page(page: &mut String, f1: f64, outcome: &PageOutcome) -> Result<()> {
    let judged = &outcome.judged;
    write!(page, "<tr><th>{}/{}", escape(&judged.dataset), escape(&judged.id))?;
    if let Some(kind) = &judged.kind {
        write!(page, " <small>{}</small>", escape(kind))?;
    }
    page.push_str("</th>");
    let words = |of: fn(&WordScore) -> f64| ScoreCell::Score(judged.wcxb.as_ref().map(of));
    let scores = [
        ScoreCell::Score(Some(f1)),
        words(|score| score.precision),
        words(|score| score.recall),
        ScoreCell::Score(judged.confidence),
    ];
    for cell in scores {
        write!(page, "<td>{}</td>", cell.shown())?;
    }
    let mistakes = outcome.mistakes.clone().unwrap_or_default();
    for count in [mistakes.wrongly_kept, mistakes.wrongly_lost, mistakes.absent] {
        write!(page, "<td>{count}</td>")?;
    }
    write!(page, "<td>{}</td></tr>", judged.method.map_or("-", |method| method.as_str()))?;
    if !mistakes.places.is_empty() {
        page.push_str("<tr class=\"places\"><td colspan=\"9\"><ul>");
        for place in &mistakes.places {
            let (kept, lost) = (place.wrongly_kept, place.wrongly_lost);
            write!(page, "<li>{kept} kept, {lost} lost: <code>{}</code></li>", escape(&place.path))?;
        }
        page.push_str("</ul></td></tr>");
    }
    page.push('\n');
    Ok(())
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    html::escape(&mut out, text);
    out
}
