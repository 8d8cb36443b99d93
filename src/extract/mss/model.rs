//! What training leaves behind: log odds of hashed features.

use serde::{Deserialize, Serialize};

use super::cleaneval;
use super::features::{trigrams, unclosed_tags};
use crate::block::symbols::Symbol;
use crate::learn::model::Payload;
use crate::learn::naive_bayes::probability;

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Setting {
    /// The text of an article: trigrams (section 6.2.3).
    Article,
    /// Any kind of page: single tokens, recall before precision (section 7.7).
    CleanEval,
}

/// How a model is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recipe {
    /// As the paper has it.
    #[default]
    Paper,
    /// Ours, for pages unlike the training pages, whose trigrams are mostly unseen and whose layout is of another kind:
    ///
    /// - both classes are taken as equally likely, so that a token without evidence scores nothing at all;
    /// - the most recent unclosed tag is no evidence (`td` is where articles stand in one year, and menus in another);
    /// - a value that occurred once in training counts as unseen;
    /// - where a trigram is unseen, its first token speaks for it, at half its weight.
    Transfer,
}

/// The weight of a token that speaks for an unseen trigram. Judgement: on the four `big9` sets the mean F1 is 0.923 at 0, 0.936 at a half, 0.933 at 1.
const BACKOFF: f64 = 0.5;

/// A trained local classifier. It holds hashes and odds, no words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    setting: Setting,
    recipe: Recipe,
    /// ln(P(in) / P(out)) of any token.
    prior: f64,
    /// Of trigrams, or of single tokens in the setting [`Setting::CleanEval`].
    tokens: Table,
    /// Of most recent unclosed tags; empty in the recipe [`Recipe::Transfer`].
    tags: Table,
    /// Of single tokens, where trigrams are unseen; empty but for [`Setting::Article`] in that recipe.
    backoff: Table,
}

impl Payload for Model {
    const METHOD: &'static str = "mss";
    const VERSION: u32 = 3;
}

impl Model {
    pub(super) fn new(
        setting: Setting,
        recipe: Recipe,
        prior: f64,
        tokens: Table,
        tags: Table,
        backoff: Table,
    ) -> Model {
        Model { setting, recipe, prior, tokens, tags, backoff }
    }

    /// How it was counted.
    pub fn recipe(&self) -> Recipe {
        self.recipe
    }

    /// What the model is for.
    pub fn setting(&self) -> Setting {
        self.setting
    }

    /// The number of features whose odds it knows.
    pub fn features(&self) -> usize {
        self.tokens.len() + self.tags.len() + self.backoff.len()
    }

    /// For each symbol the probability that it belongs to the content. O(n log f) for f features.
    pub fn probabilities(&self, symbols: &[Symbol]) -> Vec<f64> {
        let tokens: Vec<f64> = match self.setting {
            Setting::Article => {
                let odds = trigrams(symbols).zip(symbols).map(|(trigram, first)| {
                    let unseen = || self.backoff.log_odds(first.code).map_or(0.0, |odds| BACKOFF * odds);
                    self.tokens.log_odds(trigram).unwrap_or_else(unseen)
                });
                odds.collect()
            }
            Setting::CleanEval => cleaneval::log_odds(&self.tokens, symbols),
        };
        let tags = unclosed_tags(symbols).map(|tag| self.tags.log_odds(tag).unwrap_or(0.0));
        tokens.into_iter().zip(tags).map(|(token, tag)| probability(self.prior + token + tag)).collect()
    }
}

/// Log odds by hashed value, in steps of 1/`STEPS`; some four bytes each when stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Table {
    /// Ascending.
    values: Vec<u32>,
    odds: Vec<i8>,
}

/// Steps of log odds to 1. Judgement: 8 bits then reach to odds of 2,800 to 1, and the steps are far below what counts can tell.
const STEPS: f64 = 16.0;

impl Table {
    /// A table of values, which come in ascending order, and their log odds.
    pub(super) fn new(entries: impl IntoIterator<Item = (u32, f64)>) -> Table {
        // The cast saturates.
        let (values, odds) = entries.into_iter().map(|(value, odds)| (value, (odds * STEPS).round() as i8)).unzip();
        Table { values, odds }
    }

    /// The log odds of a value, if it is known. O(log n).
    pub(super) fn log_odds(&self, value: u32) -> Option<f64> {
        let at = self.values.binary_search(&value).ok()?;
        Some(f64::from(self.odds[at]) / STEPS)
    }

    fn len(&self) -> usize {
        self.values.len()
    }
}

/// A [`Table`] as it is stored: each value as its distance from the one before.
#[derive(Serialize, Deserialize)]
struct Packed {
    gaps: Vec<u32>,
    odds: Vec<i8>,
}

impl From<Table> for Packed {
    fn from(table: Table) -> Packed {
        let before = std::iter::once(0).chain(table.values.iter().copied());
        Packed {
            gaps: table.values.iter().zip(before).map(|(value, before)| value - before).collect(),
            odds: table.odds,
        }
    }
}

impl TryFrom<Packed> for Table {
    type Error = &'static str;

    fn try_from(packed: Packed) -> Result<Table, &'static str> {
        if packed.gaps.len() != packed.odds.len() {
            return Err("a table has not one odds a value");
        }
        let mut last = 0u32;
        let values: Option<Vec<u32>> = packed
            .gaps
            .into_iter()
            .enumerate()
            .map(|(at, gap)| {
                last = last.checked_add(gap).filter(|_| gap > 0 || at == 0)?;
                Some(last)
            })
            .collect();
        Ok(Table { values: values.ok_or("a table's values do not ascend")?, odds: packed.odds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::model::{Header, encode};

    #[test]
    fn tables_keep_what_eight_bits_can_hold() {
        let table = Table::new([(0, 0.0), (7, 1.03), (u32::MAX, -100.0)]);
        for (value, expect) in [(0, Some(0.0)), (7, Some(1.0)), (8, None), (u32::MAX, Some(-8.0))] {
            assert_eq!(table.log_odds(value), expect, "{value}");
        }
    }

    #[test]
    fn models_come_back_and_damage_is_seen() {
        let tokens = Table::new([(5, 1.0), (900, -2.0), (u32::MAX, 0.5)]);
        let model =
            Model::new(Setting::Article, Recipe::Transfer, 0.25, tokens, Table::default(), Table::new([(8, 1.0)]));
        let header = Header {
            method: Model::METHOD.to_owned(),
            version: Model::VERSION,
            corpus: String::new(),
            seed: 0,
            command: String::new(),
        };
        let payload = model.to_payload();
        assert_eq!(Model::from_payload(&header, &payload).unwrap(), model);
        assert!(encode(&header, &payload).len() > payload.len());
        // Gaps that sum up beyond 32 bits, a value twice, and odds that are missing.
        for (gaps, odds) in [(vec![u32::MAX, 1], vec![1, 1]), (vec![3, 0], vec![1, 1]), (vec![3], vec![])] {
            assert!(Table::try_from(Packed { gaps, odds }).is_err());
        }
    }
}
