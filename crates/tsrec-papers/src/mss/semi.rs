//! The semi-supervised approach (section 6.2.4): a model learns on from a source's own pages, which
//! nobody labelled.
//!
//! Ten times over, the pages whose labels look most reliable are taken as true, and a new
//! classifier is counted from their trigrams alone. A trigram is the more important the closer to
//! the article's edges it stands, and scores the more: so the run of tokens finds the edges, which
//! is what a source's own pages know best ("everything up to the comments").
//!
//! The classes' own probabilities are part of the classifier, as in the supervised approach.
//! Started from a model of [`Recipe::Transfer`], both are taken as equally likely here too, and the
//! model goes on speaking for the trigrams that the source has not shown: the paper had a hundred
//! pages a source, a crawl's siblings are a handful.

use std::collections::HashMap;
use std::ops::Range;

use super::features::trigrams;
use super::model::{MssModel, Recipe};
use super::reliability::reliability;
use super::supervised::Supervised;
use tsrec_core::block::symbols::{Symbol, symbols};
use tsrec_core::block::tokens::tokens;
use tsrec_core::extract::mss::clean::clean;
use tsrec_core::extract::{Extraction, Extractor, Method, Page};
use tsrec_core::learn::naive_bayes::{BayesClass, NaiveBayes, probability};
use tsrec_core::learn::subsequence;

/// Rounds of labelling and learning (section 7.5).
pub const ROUNDS: usize = 10;
/// The share of each source's pages that are learned from (section 6.2.4).
const SHARE: f64 = 0.6;
/// Tokens from the article's edge at which a trigram has no importance left (the paper's d).
const REACH: f64 = 64.0;
/// How much more the most important trigram scores than one without importance, less one (the
/// paper's c).
const WEIGHT: f64 = 24.0;

/// A classifier that has learned a source's own pages. Linear in the page.
#[derive(Clone, Debug)]
pub struct Semi {
    /// What speaks for trigrams that were not seen, in the recipe [`Recipe::Transfer`].
    start: Option<MssModel>,
    counts: NaiveBayes<1>,
    importance: HashMap<u32, Importance>,
}

impl Semi {
    /// Learns from pages of some sources, starting with a model's labels for them. Linear in the
    /// pages, for each round.
    ///
    /// Without pages, or where no round finds an article on any, the result extracts nothing.
    pub fn bootstrap(start: &MssModel, sources: &[Vec<&[Symbol]>]) -> Semi {
        let supervised = Supervised::new(start);
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

    /// Forgets what the last round taught, and learns from these pages.
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

    /// The block of tokens that the article is, and how reliable that is. `None` where no token is
    /// likely enough.
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

impl Extractor for Semi {
    /// Confidence is the windowed reliability: how sure the classifier is of the tokens at the
    /// block's edges.
    fn extract(&self, page: &Page<'_>) -> Extraction {
        let tokens = tokens(page.document());
        let found = self.predict(&symbols(page.document(), &tokens));
        let (content, confidence) = found.map_or_else(Default::default, |(block, reliability)| {
            (clean(page.document(), &tokens[block]), reliability)
        });
        Extraction::of_page(Method::Semi, content, confidence)
    }
}

/// What a page was found to be: its article, and how reliable that is.
type ArticleLabel = Option<(Range<usize>, f64)>;

fn relabel(sources: &[Vec<&[Symbol]>], predict: impl Fn(&[Symbol]) -> ArticleLabel) -> Vec<Vec<ArticleLabel>> {
    sources.iter().map(|pages| pages.iter().map(|page| predict(page)).collect()).collect()
}

/// The [`SHARE`] of each source's pages with the most reliable labels, one at least; of equals the
/// first. Pages without an article are not taken.
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

    /// From 0, where every token is far from any edge, to 1, where each stands next to one.
    fn mean(&self) -> f64 {
        self.sum / f64::from(self.count)
    }
}

/// From 1 next to one of the article's edges to 0 from [`REACH`] tokens away on. The printed
/// formula has Max for the outer min, a division too many, and a sum for the mean, which would
/// leave [0, 1].
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
        let pages: Vec<Vec<Symbol>> = (0..10)
            .map(|number| {
                let document = parse(toy::page(number, "").as_bytes(), None, &Default::default());
                symbols(&document, &tokens(&document))
            })
            .collect();
        let source: Vec<&[Symbol]> = pages.iter().map(Vec::as_slice).collect();
        let semi = Semi::bootstrap(&model, &[source]);
        let document = parse(toy::page(77, "").as_bytes(), None, &Default::default());
        let extraction = semi.extract(&Page::new(&document));
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
