//! The semi-supervised approach (section 6.2.4): a model learns more from unlabelled pages of the
//! source.
//!
//! Ten times, it takes the pages with the most reliable labels as true, and counts a new classifier
//! from their trigrams alone. A trigram is more important, and scores more, the closer it is to the
//! article's edges. So the run of tokens finds the edges. A source's own pages know those best
//! ("everything up to the comments").
//!
//! The classes' own probabilities are part of the classifier, as in the supervised approach. With a
//! model of [`Recipe::Transfer`], both classes count as equally likely here too, and the model
//! still judges the trigrams that the source has not shown. The reason: the paper had a hundred
//! pages per source, but a crawl has only a few siblings.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::features::trigrams;
use super::model::{MssModel, Recipe};
use super::reliability::reliability;
use super::supervised::Supervised;
use tsrec_core::block::symbols::{Symbol, symbols};
use tsrec_core::block::tokens::tokens;
use tsrec_core::extract::mss::clean::clean;
use tsrec_core::extract::{Extraction, Extractor, Method, NoSibling, PageContext};
use tsrec_core::html::Document;
use tsrec_core::learn::naive_bayes::{BayesClass, NaiveBayes, probability};
use tsrec_core::learn::subsequence;

/// Rounds of labelling and learning (section 7.5).
pub const ROUNDS: usize = 10;
/// The share of each source's pages to learn from (section 6.2.4).
const SHARE: f64 = 0.6;
/// The distance from the article's edge, in tokens, at which a trigram has no importance (the
/// paper's d).
const REACH: f64 = 64.0;
/// A trigram's score is multiplied by 1 plus this times its importance (the paper's c).
const WEIGHT: f64 = 24.0;

/// A classifier that has learned from a source's own pages. Linear in the page.
#[derive(Clone, Debug)]
pub struct Semi {
    /// The model for trigrams that were not seen, in [`Recipe::Transfer`].
    start: Option<MssModel>,
    counts: NaiveBayes<1>,
    importance: HashMap<u32, Importance>,
}

impl Semi {
    /// Learns from pages of some sources, starting with a model's labels for them. Each round is
    /// linear in the pages.
    ///
    /// Without pages, or if no round finds an article on any page, the result extracts nothing.
    pub fn bootstrap(start: &MssModel, sources: &[Vec<&[Symbol]>]) -> Semi {
        let supervised = Supervised::new(start.clone());
        let mut labels = relabel(sources, |page| supervised.predict(page));
        let mut learned = Semi {
            start: (start.recipe() == Recipe::Transfer).then(|| start.clone()),
            counts: NaiveBayes::default(),
            importance: HashMap::new(),
        };
        for _ in 0..ROUNDS {
            learned.relearn(&most_reliable(sources, &labels));
            labels = relabel(sources, |page| learned.predict(page));
        }
        learned
    }

    /// Forgets the last round and learns from these pages.
    fn relearn(&mut self, pages: &[(&[Symbol], Range<usize>)]) {
        (self.counts, self.importance) = Default::default();
        for (page, article) in pages {
            for (at, trigram) in trigrams(page).enumerate() {
                let class = if article.contains(&at) { BayesClass::In } else { BayesClass::Out };
                self.counts.observe(class, [trigram]);
                self.importance.entry(trigram).or_default().add(closeness(at, article));
            }
        }
    }

    /// The article's block of tokens, and its reliability. `None` if no token is likely enough.
    pub fn predict(&self, page: &[Symbol]) -> Option<(Range<usize>, f64)> {
        let (prior, unseen) = match &self.start {
            Some(start) => (0.0, start.probabilities(page)),
            None => (self.counts.prior(), vec![probability(self.counts.prior()); page.len()]),
        };
        let (probabilities, scores): (Vec<f64>, Vec<f64>) = trigrams(page)
            .zip(unseen)
            .map(|(trigram, unseen)| {
                let p = self.counts.log_odds(0, trigram).map_or(unseen, |odds| probability(prior + odds));
                let importance = self.importance.get(&trigram).map_or(0.0, Importance::mean);
                (p, (p - 0.5) * (importance * WEIGHT + 1.0))
            })
            .unzip();
        let (block, _) = subsequence::maximum(scores)?;
        let reliability = reliability(&probabilities, &block);
        Some((block, reliability))
    }
}

/// The method: a classifier that has learned from a source's own pages, or learns when a page
/// comes.
#[derive(Clone, Debug)]
pub struct SemiSupervised {
    start: MssModel,
    learned: Option<Semi>,
}

impl SemiSupervised {
    /// Creates the method with this start model.
    pub fn new(start: MssModel) -> Self {
        SemiSupervised { start, learned: None }
    }

    fn learned_from(&self, sources: &[Vec<&Document>]) -> Semi {
        let read = |page: &&Document| symbols(page, &tokens(page));
        let symbols: Vec<Vec<Vec<Symbol>>> = sources.iter().map(|pages| pages.iter().map(read).collect()).collect();
        let sources: Vec<Vec<&[Symbol]>> =
            symbols.iter().map(|pages| pages.iter().map(Vec::as_slice).collect()).collect();
        Semi::bootstrap(&self.start, &sources)
    }
}

impl Extractor for SemiSupervised {
    /// Confidence is the windowed reliability: how sure the classifier is of the tokens at the
    /// block's edges.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let document = context.page().document();
        let learned = match &self.learned {
            Some(learned) => Cow::Borrowed(learned),
            None => {
                let siblings = context.siblings().filter_map(|sibling| sibling.document());
                Cow::Owned(self.learned_from(&[std::iter::once(document).chain(siblings).collect()]))
            }
        };
        let tokens = tokens(document);
        let found = learned.predict(&symbols(document, &tokens));
        let (content, confidence) =
            found.map_or_else(Default::default, |(block, reliability)| (clean(document, &tokens[block]), reliability));
        Ok(Extraction::of_page(Method::Semi, content, confidence))
    }

    fn learns(&self) -> bool {
        true
    }

    fn learn(&mut self, sources: &[Vec<&Document>]) {
        self.learned = Some(self.learned_from(sources));
    }
}

/// A page's article and its reliability.
type ArticleLabel = Option<(Range<usize>, f64)>;

fn relabel(sources: &[Vec<&[Symbol]>], predict: impl Fn(&[Symbol]) -> ArticleLabel) -> Vec<Vec<ArticleLabel>> {
    sources.iter().map(|pages| pages.iter().map(|page| predict(page)).collect()).collect()
}

/// The [`SHARE`] of each source's pages with the most reliable labels, at least one; the first of
/// equals. Pages without an article are left out.
fn most_reliable<'p>(sources: &[Vec<&'p [Symbol]>], labels: &[Vec<ArticleLabel>]) -> Vec<(&'p [Symbol], Range<usize>)> {
    let mut taken = Vec::new();
    for (pages, labels) in sources.iter().zip(labels) {
        let count = ((pages.len() as f64 * SHARE).round() as usize).max(1);
        let mut labelled: Vec<_> =
            pages.iter().zip(labels).filter_map(|(page, label)| Some((*page, label.clone()?))).collect();
        labelled.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
        taken.extend(labelled.into_iter().take(count).map(|(page, (article, _))| (page, article)));
    }
    taken
}

/// The closeness of a trigram's tokens to the article's edges.
#[derive(Clone, Copy, Debug, Default)]
struct Importance {
    sum: f64,
    count: u32,
}

impl Importance {
    fn add(&mut self, closeness: f64) {
        self.sum += closeness;
        self.count += 1;
    }

    /// From 0 (every token is far from any edge) to 1 (each is next to one).
    fn mean(&self) -> f64 {
        self.sum / f64::from(self.count)
    }
}

/// From 1 next to one of the article's edges to 0 from [`REACH`] tokens away on. The printed
/// formula has Max for the outer min, a division too many, and a sum for the mean. It would leave
/// [0, 1].
fn closeness(at: usize, article: &Range<usize>) -> f64 {
    let to = |edge: usize| (at as f64 + 0.5 - edge as f64).abs();
    let distance = to(article.start).min(to(article.end)) - 0.5;
    (REACH - distance.min(REACH)) / REACH
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mss::model::Setting;
    use crate::mss::toy;
    use tsrec_core::html::parse;
    use tsrec_core::render::text::text;

    #[test]
    fn importance_falls_with_the_distance_from_an_edge() {
        for (at, expect) in [
            (100, 1.0),
            (99, 1.0),
            (101, 63.0 / 64.0),
            (299, 1.0),
            (300, 1.0),
            (316, 48.0 / 64.0),
            (164, 0.0),
            (0, 0.0),
        ] {
            assert_eq!(closeness(at, &(100..300)), expect, "{at}");
        }
    }

    #[test]
    fn a_source_is_learned_from_its_own_pages() {
        let model = toy::model(Setting::Article);
        let pages: Vec<Document> =
            (0..10).map(|number| parse(toy::page(number, "").as_bytes(), None, &Default::default())).collect();
        let mut semi = SemiSupervised::new(model);
        semi.learn(&[pages.iter().collect()]);
        let document = parse(toy::page(77, "").as_bytes(), None, &Default::default());
        let extraction = semi.extract(&PageContext::alone(&document)).unwrap();
        assert_eq!(text(&document, &extraction.content), toy::article(77));
        assert_eq!(extraction.method, Method::Semi);
        assert!(extraction.confidence > 0.9, "{}", extraction.confidence);
    }

    #[test]
    fn without_pages_nothing_is_learned_and_nothing_found() {
        let model = toy::model(Setting::Article);
        for sources in [vec![], vec![vec![]], vec![vec![&[][..]]]] {
            let semi = Semi::bootstrap(&model, &sources);
            assert_eq!(semi.predict(&[]), None);
        }
    }

    #[test]
    fn of_each_source_the_most_reliable_pages_are_taken() {
        let page: &[Symbol] = &[];
        let sources = vec![vec![page; 5], vec![page; 1], vec![page; 2]];
        let label = |reliability: f64| Some((0..1, reliability));
        let labels =
            vec![vec![label(0.5), label(0.9), None, label(0.7), label(0.8)], vec![label(0.1)], vec![None, None]];
        assert_eq!(most_reliable(&sources, &labels).len(), 3 + 1);
    }
}
