//! The measures of Marek 2007 (chapter 5): labels of text blocks, and CleanEval's scores with
//! markup.

use super::table::ScoreCell;
use crate::eval::markup::markup_f1;
use tsrec_core::block::block_label::BlockLabel;
use tsrec_core::block::text_blocks::{TextSource, text_blocks};
use tsrec_core::extract::Extraction;
use tsrec_core::html::Document;
use tsrec_core::page::Gold;
use tsrec_core::render::cleaneval::cleaneval;
use tsrec_papers::crf::{LabelledBlocks, labels, labels_of};

/// The report's columns: labels, and content against noise, over all blocks; the scores as means
/// over the pages.
pub(super) const COLUMNS: [&str; 8] = ["pages", "blocks", "labels", "content", "text", "markup", "total", "bound"];

/// The result for one page.
pub(super) struct PageMarkup {
    /// For each text block the label of the gold, and the one found. Alternative texts are left
    /// out, since gold has none.
    labels: Vec<(BlockLabel, BlockLabel)>,
    /// `None` if the gold has no marks.
    markup: Option<f64>,
    /// The score of the gold's own labels: the highest score that labels of these blocks can reach.
    /// `None` if the gold has no marks.
    bound: Option<f64>,
}

/// Judges an extraction, by any method, against the page's gold. If there is gold text with marks,
/// it is used too.
pub(super) fn judge(
    gold_markup: Option<&str>,
    document: &Document,
    extraction: &Extraction,
    gold: &Gold,
) -> PageMarkup {
    let blocks = text_blocks(document);
    let found = labels_of(document, &blocks, &extraction.content, &extraction.starts(document));
    let gold = labels(document, &blocks, gold);
    let is_text = |at: &usize| matches!(blocks[*at].source, TextSource::Text { .. });
    let pairs = (0..blocks.len()).filter(is_text).map(|at| (gold[at], found[at])).collect();
    let of_gold = LabelledBlocks { blocks, labels: gold, marginals: Vec::new() };
    let score = |found: &str| gold_markup.and_then(|markup| markup_f1(markup, found));
    PageMarkup {
        labels: pairs,
        markup: score(&extraction.cleaneval(document)),
        bound: score(&cleaneval(document, &of_gold.content(), &of_gold.starts())),
    }
}

/// The figures of some pages, each with its text-only score.
pub(super) fn cells(judged: &[(&PageMarkup, f64)]) -> Vec<ScoreCell> {
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
    let counts = [judged.len(), pairs.len()].map(ScoreCell::Count);
    counts.into_iter().chain(values.map(ScoreCell::Score)).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
