//! The supervised approach (section 6.2.3): a token scores the probability that it is in the content, less one half, and the content is the
//! maximum subsequence of the scores.
//!
//! The constraint of section 7.4 is an option: what follows the first `<hr>` of the block is cut off. Ends are well-formed by construction,
//! since what is kept is text at its place in the tree.

use std::ops::Range;

use super::clean::{clean, clean_symbols, whole};
use super::model::{Model, Setting};
use super::reliability::reliability;
use super::{cleaneval, extraction};
use crate::block::symbols::{Symbol, SymbolKind, symbols};
use crate::block::tokens::tokens;
use crate::extract::{Extraction, Extractor, Method, Page};
use crate::learn::subsequence;
use crate::page::WordSet;

/// Segmentation by a trained classifier. Linear in the page.
#[derive(Clone, Copy, Debug)]
pub struct Supervised<'m> {
    model: &'m Model,
    rule_ends: bool,
}

impl<'m> Supervised<'m> {
    /// With a model, in the setting that the model was trained for.
    pub fn new(model: &'m Model) -> Self {
        Supervised { model, rule_ends: false }
    }

    /// With the constraint that the content ends at the first `<hr>` in it.
    pub fn ending_at_rule(mut self) -> Self {
        self.rule_ends = true;
        self
    }

    /// The block of tokens that the content lies in, and how reliable that is. `None` where no token is likely enough.
    pub fn predict(&self, symbols: &[Symbol]) -> Option<(Range<usize>, f64)> {
        let probabilities = self.model.probabilities(symbols);
        let bias = if self.model.setting() == Setting::CleanEval { cleaneval::BIAS } else { 0.0 };
        let (mut block, _) = subsequence::maximum(probabilities.iter().map(|p| p - 0.5 + bias))?;
        if self.rule_ends {
            block = until_rule(symbols, block);
        }
        let reliability = reliability(&probabilities, &block);
        Some((block, reliability))
    }

    /// The words of the content, of a page of which only the symbols are left: those that [`extract`](Extractor::extract) finds. Linear.
    pub fn words(&self, symbols: &[Symbol]) -> WordSet {
        let mut kept = vec![false; symbols.len()];
        if let Some((block, _)) = self.predict(symbols) {
            match self.model.setting() {
                Setting::Article => kept[block.clone()].copy_from_slice(&clean_symbols(&symbols[block])),
                Setting::CleanEval => kept[block].fill(true),
            }
        }
        let words = symbols.iter().zip(kept).filter(|(symbol, _)| symbol.kind == SymbolKind::Word);
        WordSet::new(words.map(|(_, kept)| kept))
    }
}

impl Extractor for Supervised<'_> {
    /// Confidence is the windowed reliability of section 6.2.4: how sure the classifier is of the tokens at the block's edges.
    fn extract(&self, page: &Page<'_>) -> Extraction {
        let tokens = tokens(page.document);
        let found = self.predict(&symbols(page.document, &tokens));
        let (content, confidence) = found.map_or_else(Default::default, |(block, reliability)| {
            let content = match self.model.setting() {
                Setting::Article => clean(page.document, &tokens[block]),
                Setting::CleanEval => whole(&tokens[block]),
            };
            (content, reliability)
        });
        extraction(page, Method::Supervised, content, confidence)
    }
}

fn until_rule(symbols: &[Symbol], block: Range<usize>) -> Range<usize> {
    let rule = symbols[block.clone()].iter().position(|symbol| symbol.is_rule());
    block.start..rule.map_or(block.end, |rule| block.start + rule)
}
