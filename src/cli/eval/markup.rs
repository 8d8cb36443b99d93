//! The measures of Marek 2007 (chapter 5): labels of text blocks, and CleanEval's scores with markup.

use std::io::Write;

use anyhow::Result;

use super::{Entry, Outcome};
use crate::block::block_label::BlockLabel;
use crate::block::text_blocks::{Source, text_blocks};
use crate::eval::markup::markup_f1;
use crate::extract::crf::{Labelled, labels, labels_of};
use crate::extract::{Extraction, starts};
use crate::html::Document;
use crate::page::Gold;
use crate::render::cleaneval::cleaneval;

/// What came of one page.
pub(super) struct PageMarkup {
    /// For each text block the label of the gold, and the one found. Alternative texts are left out: gold has none.
    labels: Vec<(BlockLabel, BlockLabel)>,
    /// `None` where the gold has no marks.
    markup: Option<f64>,
    /// What the gold's own labels would score: the most that labelling these blocks can reach. `None` as above.
    bound: Option<f64>,
}

/// Judges an extraction, by whichever method, against the page's gold.
pub(super) fn judge(entry: &Entry, document: &Document, extraction: &Extraction, gold: &Gold) -> PageMarkup {
    let blocks = text_blocks(document);
    let begins = match extraction.starts.is_empty() {
        true => starts::of_content(document, &extraction.content),
        false => extraction.starts.clone(),
    };
    let found = labels_of(document, &blocks, &extraction.content, &begins);
    let gold = labels(document, &blocks, gold);
    let is_text = |at: &usize| matches!(blocks[*at].source, Source::Text { .. });
    let pairs = (0..blocks.len()).filter(is_text).map(|at| (gold[at], found[at])).collect();
    let of_gold = Labelled { blocks, labels: gold, marginals: Vec::new() };
    let score = |found: &str| entry.markup().and_then(|markup| markup_f1(markup, found));
    PageMarkup {
        labels: pairs,
        markup: score(&extraction.cleaneval(document)),
        bound: score(&cleaneval(document, &of_gold.content(), &of_gold.starts())),
    }
}

fn print_header(out: &mut impl Write) -> Result<()> {
    let columns =
        ["labels", "content", "text", "markup", "total", "bound"].map(|column| format!("{column:>7}")).join(" ");
    writeln!(out, "{:<18}{:>6}{:>8} {columns}", "dataset", "pages", "blocks")?;
    Ok(())
}

/// A set's row: labels and content against noise over all blocks, the scores as means over the pages.
pub(super) fn print_set(out: &mut impl Write, name: &str, outcomes: &[Outcome], has_head: bool) -> Result<()> {
    if !has_head {
        print_header(out)?;
    }
    let judged: Vec<(&PageMarkup, f64)> =
        outcomes.iter().filter_map(|o| Some((o.markup.as_ref()?, o.score.as_ref()?.cleaneval))).collect();
    let pairs: Vec<(BlockLabel, BlockLabel)> =
        judged.iter().flat_map(|(page, _)| page.labels.iter().copied()).collect();
    let share = |is_right: &dyn Fn(&(BlockLabel, BlockLabel)) -> bool| {
        pairs.iter().filter(|pair| is_right(pair)).count() as f64 / pairs.len().max(1) as f64
    };
    let text = mean(judged.iter().map(|(_, text)| *text));
    let markup = mean(judged.iter().filter_map(|(page, _)| page.markup));
    let values = [
        Some(share(&|(gold, found)| gold == found)),
        Some(share(&|(gold, found)| gold.is_content() == found.is_content())),
        text,
        markup,
        text.zip(markup).map(|(text, markup)| (text + markup) / 2.0),
        mean(judged.iter().filter_map(|(page, _)| page.bound)),
    ];
    let cell = |value: Option<f64>| value.map_or_else(|| format!("{:>7}", "-"), |value| format!("{value:>7.4}"));
    writeln!(out, "{name:<18}{:>6}{:>8} {}", judged.len(), pairs.len(), values.map(cell).join(" "))?;
    Ok(())
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
