//! The evidence for a page's kind: the columns of the page, counts over its likely content, and the
//! result of the table of features.

use std::collections::HashMap;

use super::table::{Called, KINDS};
use crate::analysis::Analysis;
use crate::evidence::{Kind, columns, page};
use crate::words::hashed::ByHash;

/// A row: the columns of the page, counts over its likely content, and the log-probabilities of
/// [`Called`].
pub(super) fn row(analysis: &Analysis, page: &[f32], likely: &[f32], called: &Called) -> Vec<f32> {
    [page, &LikelyContent::from_analysis(analysis, likely).values(), called].concat()
}

/// The columns of the page, from the row of a block.
pub(in crate::evidence) fn of_page(block: &[f32]) -> Vec<f32> {
    let page = columns().iter().zip(block).filter(|(column, _)| column.kind == Kind::Page);
    page.map(|(_, &value)| value).collect()
}

/// Columns of [`row`].
pub(super) const WIDTH: usize = page::COLUMNS.len() + KEPT + KINDS;
const KEPT: usize = 12;

/// Counts over the likely content.
#[derive(Default)]
struct LikelyContent {
    words: f32,
    blocks: f32,
    linked: f32,
    sentences: f32,
    commas: f32,
    digits: f32,
    repeated_places: f32,
    longest: f32,
    hidden: f32,
    places: HashMap<u64, f32, ByHash>,
}

impl LikelyContent {
    fn from_analysis(analysis: &Analysis, likely: &[f32]) -> LikelyContent {
        let mut kept = LikelyContent::default();
        for (block, &likely) in analysis.blocks().iter().zip(likely) {
            kept.words += likely * block.text.words as f32;
            kept.blocks += likely;
            kept.linked += likely * block.linked.words as f32;
            kept.sentences += likely * block.text.sentence_ends as f32;
            kept.commas += likely * block.text.commas as f32;
            kept.digits += likely * block.text.digits as f32;
            kept.hidden += likely * if block.hidden { block.text.words as f32 } else { 0.0 };
            kept.longest = kept.longest.max(if likely > 0.5 { block.text.words as f32 } else { 0.0 });
            *kept.places.entry(block.place).or_default() += likely;
        }
        kept.repeated_places = kept.places.values().copied().fold(0.0, f32::max);
        kept
    }

    fn values(&self) -> [f32; KEPT] {
        let a_word = |count: f32| if self.words < 0.5 { f32::NAN } else { count / self.words };
        let a_block = |count: f32| if self.blocks < 0.5 { f32::NAN } else { count / self.blocks };
        [
            self.words,
            self.blocks,
            a_block(self.words),
            a_word(self.linked),
            a_word(self.sentences),
            a_word(self.commas),
            a_word(self.digits),
            self.repeated_places,
            a_block(self.repeated_places),
            self.longest,
            a_word(self.longest),
            a_word(self.hidden),
        ]
    }
}
