//! Tells the kinds of pages by their features. It is a table of weights by hash, learned by
//! [regression](crate::learn::regression).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::PageKind;
use super::features::{self, FeatureGroup};
use crate::analysis::Analysis;
use crate::evidence::hashes::Hashes;
use crate::evidence::lesson::BlockLesson;
use crate::learn::regression;
use crate::learn::regression::RegressionExample;

/// The log-probability of each kind given a page's features, in the order of [`PageKind::LEARNED`].
/// Absent if nothing was learned.
pub(in crate::evidence) type Called = [f32; KINDS];

/// The number of learned kinds.
pub(super) const KINDS: usize = PageKind::LEARNED.len();

/// Weights by hash. Reading one from damaged bytes gives an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "TableParts", into = "TableParts")]
pub(in crate::evidence) struct KindTable {
    hashes: Hashes,
    weights: Vec<[i8; KINDS]>,
    /// The value of one step of a weight.
    step: f32,
    /// The value of each kind without any feature.
    base: [f32; KINDS],
}

/// A table in its stored form.
#[derive(Serialize, Deserialize)]
struct TableParts {
    entries: Vec<ClassWeights>,
    step: f32,
    base: [f32; KINDS],
}

/// The difference to the previous hash, and the weights of the hash.
#[derive(Serialize, Deserialize)]
struct ClassWeights(u32, [i8; KINDS]);

impl From<KindTable> for TableParts {
    fn from(table: KindTable) -> TableParts {
        let entries =
            table.hashes.steps().zip(table.weights).map(|(step, weights)| ClassWeights(step, weights)).collect();
        TableParts { entries, step: table.step, base: table.base }
    }
}

impl TryFrom<TableParts> for KindTable {
    type Error = &'static str;

    fn try_from(parts: TableParts) -> Result<KindTable, &'static str> {
        let TableParts { entries, step, base } = parts;
        if !step.is_finite() || !base.iter().all(|base| base.is_finite()) {
            return Err("a table of kinds has weights that are no numbers");
        }
        let hashes = Hashes::of_steps(entries.iter().map(|entry| entry.0))?;
        let weights = entries.into_iter().map(|entry| entry.1).collect();
        Ok(KindTable { hashes, weights, step, base })
    }
}

/// The variance of the prior of a weight. Calibration: on the pages of `wcxb-dev`, in five folds by
/// site, this regression alone gets 0.860 right. With a fourth of the variance it gets 0.858, and
/// with three times as much 0.860.
const VARIANCE: f64 = 20.0;
/// The least number of sites that must have a feature, as for names and words.
const LEAST_SITES: usize = 3;

/// The value of a feature if its group has this many known ones on the page. Each of many counts
/// little.
fn share(count: u32) -> f32 {
    1.0 / (count as f32 + 3.0).sqrt()
}

impl KindTable {
    /// The log-probabilities of the kinds, from the page's features. Linear in the page.
    pub(in crate::evidence) fn log_probabilities(&self, analysis: &Analysis) -> Called {
        if self.weights.is_empty() {
            return [f32::NAN; KINDS];
        }
        let mut seen = vec![false; self.weights.len()];
        let mut groups = [(0_u32, [0_i32; KINDS]); FeatureGroup::COUNT];
        features::each(analysis, |group, hash| {
            let Some(found) = self.hashes.find(hash) else { return };
            if !std::mem::replace(&mut seen[found], true) {
                let (count, sums) = &mut groups[group as usize];
                *count += 1;
                sums.iter_mut().zip(self.weights[found]).for_each(|(sum, weight)| *sum += i32::from(weight));
            }
        });
        let mut scores = self.base.map(f64::from);
        for (count, sums) in groups {
            let worth = f64::from(self.step * share(count));
            scores.iter_mut().zip(sums).for_each(|(score, sum)| *score += worth * f64::from(sum));
        }
        regression::normalise(&mut scores);
        scores.map(|score| score as f32)
    }

    /// Learns from the pages whose kind is known, each with the number of its site. Of the features
    /// that three sites have, it keeps the most telling ones, up to a limit.
    pub(in crate::evidence) fn train<'l>(
        lessons: impl Iterator<Item = (&'l BlockLesson, u32)>,
        most: usize,
    ) -> KindTable {
        let pages: Vec<KindPage> = lessons.filter_map(|(lesson, site)| KindPage::new(lesson, site)).collect();
        let mut sites: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for page in &pages {
            for &hash in page.features.keys() {
                sites.entry(hash).or_default().insert(page.site);
            }
        }
        let common: Vec<u32> = sites.iter().filter(|(_, of)| of.len() >= LEAST_SITES).map(|(&hash, _)| hash).collect();
        let all = LearnedWeights::new(&pages, common);
        let telling = LearnedWeights::new(&pages, all.most_telling(&sites, most));
        telling.table()
    }
}

/// A page whose kind is known.
struct KindPage {
    features: BTreeMap<u32, FeatureGroup>,
    kind: usize,
    site: u32,
}

impl KindPage {
    fn new(lesson: &BlockLesson, site: u32) -> Option<KindPage> {
        let kind = PageKind::LEARNED.iter().position(|&kind| Some(kind) == lesson.kind)?;
        let mut features = BTreeMap::new();
        features::each(&lesson.analysis, |group, hash| {
            features.insert(hash, group);
        });
        Some(KindPage { features, kind, site })
    }
}

/// Learned weights of some features.
struct LearnedWeights {
    /// The features in ascending order.
    hashes: Vec<u32>,
    weights: regression::Weights,
}

impl LearnedWeights {
    fn new(pages: &[KindPage], hashes: Vec<u32>) -> LearnedWeights {
        let known = Hashes::new(hashes.clone());
        let example = |page: &KindPage| {
            let found: Vec<(u32, FeatureGroup)> =
                page.features.iter().filter_map(|(&hash, &group)| Some((known.find(hash)? as u32, group))).collect();
            let mut counts = [0; FeatureGroup::COUNT];
            found.iter().for_each(|(_, group)| counts[*group as usize] += 1);
            let features = found.iter().map(|&(feature, group)| (feature, share(counts[group as usize]))).collect();
            RegressionExample { features, class: page.kind, weight: 1.0 }
        };
        let examples: Vec<RegressionExample> = pages.iter().map(example).collect();
        let weights = regression::train(&examples, hashes.len(), KINDS, VARIANCE);
        LearnedWeights { hashes, weights }
    }

    /// The hashes with the greatest weights, where features of many sites rank higher.
    fn most_telling(&self, sites: &BTreeMap<u32, BTreeSet<u32>>, most: usize) -> Vec<u32> {
        let tells = |(&hash, weights): (&u32, &[f64])| {
            let greatest = weights.iter().fold(0.0_f64, |greatest, weight| greatest.max(weight.abs()));
            (hash, greatest * (sites[&hash].len() as f64).sqrt())
        };
        let mut telling: Vec<(u32, f64)> =
            self.hashes.iter().zip(self.weights.features.chunks_exact(KINDS)).map(tells).collect();
        telling.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        telling.truncate(most);
        let mut hashes: Vec<u32> = telling.into_iter().map(|(hash, _)| hash).collect();
        hashes.sort_unstable();
        hashes
    }

    /// The table, with weights in 255 steps.
    fn table(self) -> KindTable {
        let greatest = self.weights.features.iter().fold(0.0_f64, |greatest, weight| greatest.max(weight.abs()));
        let step = (greatest / 127.0) as f32;
        let quantised = |weights: &[f64]| {
            std::array::from_fn(|kind| (weights[kind] / f64::from(step).max(f64::MIN_POSITIVE)).round() as i8)
        };
        KindTable {
            weights: self.weights.features.chunks_exact(KINDS).map(quantised).collect(),
            hashes: Hashes::new(self.hashes),
            step,
            base: std::array::from_fn(|kind| self.weights.base[kind] as f32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::page::Gold;

    /// A page of a product, or a story. Title and names show the kind.
    fn page(product: bool) -> BlockLesson {
        let (class, title) =
            if product { ("add-to-cart", "Buy the kettle") } else { ("byline", "The day of the kettle") };
        let html = format!("<title>{title}</title><div class={class}><h1>{title}</h1><p>Boils.</div>");
        let document = parse(html.as_bytes(), None, &Default::default());
        let kind = if product { PageKind::Product } else { PageKind::Article };
        BlockLesson::new(Analysis::new(&document), None, Some(kind), &Gold::unmarked(&document))
    }

    fn trained(sites: usize, most: usize) -> KindTable {
        let lessons: Vec<(BlockLesson, u32)> =
            (0..sites).flat_map(|site| [true, false].map(|product| (page(product), site as u32))).collect();
        KindTable::train(lessons.iter().map(|(lesson, site)| (lesson, *site)), most)
    }

    /// The probability of each kind.
    fn told(table: &KindTable, lesson: &BlockLesson) -> Called {
        table.log_probabilities(&lesson.analysis).map(f32::exp)
    }

    #[test]
    fn what_pages_are_called_tells_their_kind_on_another_site() {
        let table = trained(6, 4_000);
        for (product, expect) in [(true, PageKind::Product), (false, PageKind::Article)] {
            let probabilities = told(&table, &page(product));
            let number = PageKind::LEARNED.iter().position(|&kind| kind == expect).unwrap();
            assert!(probabilities[number] > 0.8, "{expect}: {probabilities:?}");
            assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{probabilities:?}");
        }
    }

    #[test]
    fn what_two_sites_have_is_not_kept_and_of_the_rest_so_many() {
        assert_eq!(trained(LEAST_SITES - 1, 4_000).weights.len(), 0);
        assert_eq!(trained(LEAST_SITES, 5).weights.len(), 5);
    }

    #[test]
    fn without_pages_whose_kind_is_known_nothing_is_told() {
        let table = KindTable::train(std::iter::empty(), 4_000);
        assert!(told(&table, &page(true)).iter().all(|probability| probability.is_nan()));
    }

    #[test]
    fn a_table_comes_back_and_weights_that_are_no_numbers_are_an_error() {
        let table = trained(4, 4_000);
        let parts = || TableParts::from(table.clone());
        assert_eq!(KindTable::try_from(parts()), Ok(table.clone()));
        let no_number = "a table of kinds has weights that are no numbers";
        assert_eq!(KindTable::try_from(TableParts { step: f32::NAN, ..parts() }), Err(no_number));
        assert_eq!(KindTable::try_from(TableParts { base: [f32::INFINITY; KINDS], ..parts() }), Err(no_number));
    }
}
