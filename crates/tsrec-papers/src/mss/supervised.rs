//! The supervised approach (section 6.2.3): a token's score is the probability that it is content,
//! minus one half. The content is the maximum subsequence of the scores.
//!
//! The constraint of section 7.4 is an option: it cuts off what follows the first `<hr>` of the
//! block. The ends are always well-formed, since the content is kept text at its place in the tree.

use std::ops::Range;

use super::cleaneval;
use super::model::{MssModel, Setting};
use super::reliability::reliability;
use tsrec_core::block::symbols::{Symbol, SymbolKind, symbols};
use tsrec_core::block::tokens::tokens;
use tsrec_core::extract::mss::clean::{clean, clean_symbols, whole};
use tsrec_core::extract::{Extraction, Extractor, Method, NoSibling, PageContext};
use tsrec_core::learn::subsequence;
use tsrec_core::page::WordSet;

/// Segmentation by a trained classifier. Linear in the page.
#[derive(Clone, Debug)]
pub struct Supervised {
    model: MssModel,
    rule_ends: bool,
}

impl Supervised {
    /// Creates the method with a model, in the setting that the model was trained for.
    pub fn new(model: MssModel) -> Self {
        Supervised { model, rule_ends: false }
    }

    /// Adds the constraint that the content ends at its first `<hr>`.
    pub fn ending_at_rule(mut self) -> Self {
        self.rule_ends = true;
        self
    }

    /// The block of tokens that holds the content, and its reliability. `None` if no token is
    /// likely enough.
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

    /// The words of the content, if only the page's symbols are left. They are those that
    /// [`extract`](Extractor::extract) finds. Linear.
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

impl Extractor for Supervised {
    /// Confidence is the windowed reliability of section 6.2.4: how sure the classifier is of the
    /// tokens at the block's edges.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let page = context.page();
        let tokens = tokens(page.document());
        let found = self.predict(&symbols(page.document(), &tokens));
        let (content, confidence) = found.map_or_else(Default::default, |(block, reliability)| {
            let content = match self.model.setting() {
                Setting::Article => clean(page.document(), &tokens[block]),
                Setting::CleanEval => whole(&tokens[block]),
            };
            (content, reliability)
        });
        Ok(Extraction::of_page(Method::Supervised, content, confidence))
    }
}

fn until_rule(symbols: &[Symbol], block: Range<usize>) -> Range<usize> {
    let rule = symbols[block.clone()].iter().position(|symbol| symbol.is_rule());
    block.start..rule.map_or(block.end, |rule| block.start + rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mss::toy;
    use crate::mss::train::{MssLesson, Trainer};
    use tsrec_core::html::parse;
    use tsrec_core::render::text::text;

    fn extracted(extractor: &dyn Extractor, page: &str) -> (String, f64) {
        let document = parse(page.as_bytes(), None, &Default::default());
        let extraction = extractor.extract(&PageContext::alone(&document)).unwrap();
        (text(&document, &extraction.content), extraction.confidence)
    }

    #[test]
    fn a_page_of_the_same_kind_is_understood() {
        let model = toy::model(Setting::Article);
        let (found, confidence) = extracted(&Supervised::new(model), &toy::page(9, ""));
        assert_eq!(found, toy::article(9));
        assert!(confidence > 0.9 && confidence <= 1.0, "{confidence}");
    }

    #[test]
    fn the_rule_ends_the_content_where_that_is_asked_for() {
        let model = toy::model(Setting::Article);
        let more = format!("<hr><p>{}</p>", toy::PROSE);
        let page = toy::page(9, &more);
        let both = format!("{}\n\n{}", toy::article(9), toy::PROSE);
        assert_eq!(extracted(&Supervised::new(model.clone()), &page).0, both);
        assert_eq!(extracted(&Supervised::new(model).ending_at_rule(), &page).0, toy::article(9));
    }

    #[test]
    fn a_page_without_text_gives_nothing() {
        for setting in [Setting::Article, Setting::CleanEval] {
            let model = toy::model(setting);
            for page in ["", "<p>", "<div><img><table></table></div>"] {
                assert_eq!(extracted(&Supervised::new(model.clone()), page).0, "", "{page}");
            }
        }
    }

    #[test]
    fn every_kind_of_page_is_left_uncleaned() {
        let after = format!("<div><a href=/>sails</a> {0}</div><p>{0}</p>", toy::PROSE);
        let page = toy::page(9, &after);
        let cleaned = format!("{}\n\n{}", toy::article(9), toy::PROSE);
        for (setting, expect) in [
            (Setting::Article, cleaned),
            (Setting::CleanEval, format!("{}\n\nsails {1}\n\n{1}", toy::article(9), toy::PROSE)),
        ] {
            assert_eq!(extracted(&Supervised::new(toy::model(setting)), &page).0, expect, "{setting:?}");
        }
    }

    #[test]
    fn training_twice_gives_the_same_model() {
        assert_eq!(toy::model(Setting::Article), toy::model(Setting::Article));
        let document = parse(toy::page(1, "").as_bytes(), None, &Default::default());
        let lesson = MssLesson::new(&document, &toy::gold(&document)).unwrap();
        let mut trainer = Trainer::new(Setting::Article).at_most(3);
        trainer.learn(&lesson.symbols, lesson.article);
        // Three trigrams, and the elements around the text: nothing, html, body, ul, li, a, div,
        // h1, p.
        assert_eq!(trainer.finish().unwrap().features(), 3 + 9);
    }
}
