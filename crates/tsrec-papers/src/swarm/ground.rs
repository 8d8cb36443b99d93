//! The pages on which particles are judged: blocks with features and term counts, measured once.
//!
//! Judging a set of thresholds then only compares numbers and adds sparse vectors of small
//! integers. It takes some milliseconds for 500 pages and is exact in any order.

use std::collections::HashMap;
use std::sync::Arc;

use super::thresholds::Thresholds;
use crate::block::features::{FEATURES, features};
use crate::block::removal::{MergedBlock, Splitting, text_blocks};
use tsrec_core::html::Document;
use tsrec_core::learn::similarity::{Moments, is_term, similarity};
use tsrec_core::words::words;

/// Pages on which thresholds are judged.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    pages: Vec<Arc<MeasuredPage>>,
}

/// A measured page.
#[derive(Clone, Debug)]
pub(super) struct MeasuredPage {
    pub(super) blocks: Vec<MeasuredBlock>,
    gold: Moments,
    /// The page's terms are the numbers below this one.
    vocabulary: usize,
}

/// A measured block.
#[derive(Clone, Debug)]
pub(super) struct MeasuredBlock {
    pub(super) values: [f64; FEATURES],
    pub(super) words: usize,
    /// Its terms with their frequencies, by ascending term.
    terms: Vec<(u32, u64)>,
    /// The scalar product of its frequencies with the gold's.
    pub(super) product: u64,
    /// The sum of its frequencies.
    pub(super) length: u64,
}

impl Ground {
    /// Adds a page. A page with no word in its gold is skipped, as in evaluation. Linear in the
    /// page.
    pub fn add(&mut self, document: &Document, splitting: Splitting, gold: &str) {
        if words(gold).next().is_some() {
            self.add_judged(Arc::new(MeasuredPage::new(&text_blocks(document, splitting), gold)));
        }
    }

    pub(super) fn add_judged(&mut self, page: Arc<MeasuredPage>) {
        self.pages.push(page);
    }

    /// The number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// True if there is no page.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The mean similarity of the pages' gold to the blocks that meet the thresholds, 0 to 1: the
    /// paper's μ (section 3.5.3). 0 without pages. Linear in the blocks and in the accepted blocks'
    /// terms.
    pub fn fitness(&self, thresholds: &Thresholds) -> f64 {
        let mut sum = Sum::default();
        let similarity = |page: &MeasuredPage| {
            sum.clear(page);
            page.blocks.iter().filter(|block| thresholds.accept(&block.values)).for_each(|block| sum.add(block));
            sum.similarity(page)
        };
        self.mean(similarity)
    }

    /// The mean of a measure over the pages.
    pub(super) fn mean(&self, mut measure: impl FnMut(&MeasuredPage) -> f64) -> f64 {
        if self.is_empty() { 0.0 } else { self.pages.iter().map(|page| measure(page)).sum::<f64>() / self.len() as f64 }
    }

    /// Every block's features and words.
    pub(super) fn features(&self) -> impl Iterator<Item = (&[f64; FEATURES], usize)> + Clone {
        self.pages.iter().flat_map(|page| &page.blocks).map(|block| (&block.values, block.words))
    }
}

impl MeasuredPage {
    pub(super) fn new(blocks: &[MergedBlock], gold: &str) -> Self {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let gold_terms = count(gold, &mut numbers);
        let gold: HashMap<u32, u64> = gold_terms.iter().copied().collect();
        let blocks = blocks.iter().map(|block| {
            let measured = features(block);
            let terms = count(&block.text, &mut numbers);
            let product = terms.iter().filter_map(|(term, n)| Some(n * gold.get(term)?)).sum();
            let length = terms.iter().map(|(_, n)| n).sum();
            MeasuredBlock { values: measured.values, words: measured.words, terms, product, length }
        });
        let blocks = blocks.collect();
        MeasuredPage {
            blocks,
            gold: Moments::from_frequencies(gold_terms.into_iter().map(|(_, n)| n)),
            vocabulary: numbers.len(),
        }
    }
}

/// A text's terms with their frequencies, by ascending number. New terms get the next numbers.
fn count(text: &str, numbers: &mut HashMap<String, u32>) -> Vec<(u32, u64)> {
    let mut terms: Vec<u32> = words(text)
        .map(str::to_lowercase)
        .filter(|word| is_term(word))
        .map(|word| {
            let next = numbers.len() as u32;
            *numbers.entry(word).or_insert(next)
        })
        .collect();
    terms.sort_unstable();
    terms.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect()
}

/// The text of some of a page's blocks, as counts that give its similarity to the gold.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    frequencies: Vec<u64>,
    text: Moments,
    product: u64,
}

impl Sum {
    /// Starts with no block of this page.
    pub(super) fn clear(&mut self, page: &MeasuredPage) {
        self.frequencies.clear();
        self.frequencies.resize(page.vocabulary, 0);
        (self.text, self.product) = (Moments::default(), 0);
    }

    /// Adds a block.
    pub(super) fn add(&mut self, block: &MeasuredBlock) {
        for &(term, n) in &block.terms {
            let frequency = &mut self.frequencies[term as usize];
            self.text.squares += n * (2 * *frequency + n);
            *frequency += n;
        }
        self.text.length += block.length;
        self.product += block.product;
    }

    /// Removes a block that was added before.
    pub(super) fn remove(&mut self, block: &MeasuredBlock) {
        for &(term, n) in &block.terms {
            let frequency = &mut self.frequencies[term as usize];
            *frequency -= n;
            self.text.squares -= n * (2 * *frequency + n);
        }
        self.text.length -= block.length;
        self.product -= block.product;
    }

    pub(super) fn similarity(&self, page: &MeasuredPage) -> f64 {
        similarity(self.product, page.gold, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::features::BlockFeature;
    use tsrec_core::html::parse;

    const PAGE: &str = "<p>the ferry sails</p><p>the menu</p><p>the ferry again, and again</p>";

    fn ground(gold: &str) -> Ground {
        let mut ground = Ground::default();
        ground.add(&parse(PAGE.as_bytes(), None, &Default::default()), Splitting::Blocks, gold);
        ground
    }

    #[test]
    fn fitness_is_the_similarity_of_what_is_kept() {
        let all = similarity(9, Moments::from_frequencies([1, 1, 1]), Moments::from_frequencies([3, 2, 1, 1, 2, 1]));
        for (gold, thresholds, expect) in [
            ("ferry the, sails", Thresholds::OPEN, all * 6.0 / 9.0),
            ("ferry the, sails", Thresholds::only(BlockFeature::SentenceLength, 100.0), 0.0),
            ("The ferry again and again!", Thresholds::only(BlockFeature::SentenceLength, 5.0), 1.0),
        ] {
            let found = ground(gold).fitness(&thresholds);
            assert!((found - expect).abs() < 1e-12, "{gold}: {found}, not {expect}");
        }
    }

    #[test]
    fn a_page_without_gold_is_not_judged() {
        assert!(ground(" ... ").is_empty());
        assert_eq!(Ground::default().fitness(&Thresholds::OPEN), 0.0);
    }

    #[test]
    fn removing_undoes_adding() {
        let ground = ground("the ferry");
        let page = &ground.pages[0];
        let mut sum = Sum::default();
        sum.clear(page);
        sum.add(&page.blocks[0]);
        let before = sum.clone();
        sum.add(&page.blocks[2]);
        sum.remove(&page.blocks[2]);
        assert_eq!((sum.frequencies, sum.text, sum.product), (before.frequencies, before.text, before.product));
    }
}
