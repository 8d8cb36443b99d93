//! Tables of names and words: learned log-odds of content, by hash.
//!
//! A name is a word in `class`, `id`, `role` or `itemprop` of a container around a block. A word is
//! one of a block's own. Both are stored as 32-bit hashes, so that nobody can read text of a page
//! from a table. A table has only names and words of several sites, so that it reveals no single
//! site.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::hashes::Hashes;
use super::reader::NameOdds;
use crate::analysis::names::mix;
use crate::analysis::{Analysis, Block};

/// The step of stored log-odds. An `i8` then covers -8 to 8.
const STEP: f32 = 1.0 / 16.0;
/// A prior weight on each side, in pages. Judgement: a name that one page has says little.
const PRIOR: f64 = 1.0;
/// Blocks of at most this many words are also judged by their pairs of words.
const SHORT: usize = 8;
/// The greatest number of words read of a long block: the first ones. Judgement: the beginning of a
/// text shows what it is.
const MOST_WORDS: usize = 64;

/// Log-odds by hash. Reading a table from damaged bytes gives an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<HashedOdds>", into = "Vec<HashedOdds>")]
pub struct OddsTable {
    hashes: Hashes,
    odds: Vec<i8>,
}

/// The difference to the previous hash, and the log-odds of the hash.
#[derive(Serialize, Deserialize)]
struct HashedOdds(u32, i8);

impl From<OddsTable> for Vec<HashedOdds> {
    fn from(table: OddsTable) -> Vec<HashedOdds> {
        table.hashes.steps().zip(table.odds).map(|(step, odds)| HashedOdds(step, odds)).collect()
    }
}

impl TryFrom<Vec<HashedOdds>> for OddsTable {
    type Error = &'static str;

    fn try_from(entries: Vec<HashedOdds>) -> Result<OddsTable, &'static str> {
        let hashes = Hashes::of_steps(entries.iter().map(|entry| entry.0))?;
        Ok(OddsTable { hashes, odds: entries.into_iter().map(|entry| entry.1).collect() })
    }
}

/// The tables of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    /// The table of names.
    pub names: OddsTable,
    /// The table of words.
    pub words: OddsTable,
}

impl OddsTable {
    /// The log-odds of a hash. `None` if the table lacks it.
    pub fn get(&self, hash: u32) -> Option<f32> {
        self.hashes.find(hash).map(|found| f32::from(self.odds[found]) * STEP)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.odds.len()
    }

    /// True if it has no entries.
    pub fn is_empty(&self) -> bool {
        self.odds.is_empty()
    }
}

impl Tables {
    /// The log-odds of the names of a container. `None` if the table has none of them.
    pub(super) fn name_odds(&self, names: &[u32]) -> Option<NameOdds> {
        names.iter().filter_map(|&name| self.names.get(name)).fold(None, |odds, value| {
            Some(match odds {
                None => NameOdds { sum: value, least: value, greatest: value },
                Some(NameOdds { sum, least, greatest }) => {
                    NameOdds { sum: sum + value, least: least.min(value), greatest: greatest.max(value) }
                }
            })
        })
    }
}

/// The log-odds of the words of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordOdds {
    pub(super) first: f32,
    pub(super) last: f32,
    pub(super) mean: f32,
    pub(super) least: f32,
    pub(super) greatest: f32,
    pub(super) known: f32,
}

impl Tables {
    /// The log-odds of the words of a block. Absent if no word is known.
    pub(super) fn word_odds(&self, words: &[u32]) -> WordOdds {
        let odds = |key: Option<u32>| key.and_then(|key| self.words.get(key)).unwrap_or(f32::NAN);
        let (mut sum, mut count, mut least, mut greatest) = (0.0, 0_u32, f32::NAN, f32::NAN);
        let mut keys = 0_u32;
        each_key(words, |key| {
            keys += 1;
            if let Some(value) = self.words.get(key) {
                sum += value;
                count += 1;
                least = least.min(value);
                greatest = greatest.max(value);
            }
        });
        WordOdds {
            first: odds(first_key(words)),
            last: odds(last_key(words)),
            mean: if count == 0 { f32::NAN } else { sum / count as f32 },
            least,
            greatest,
            known: if keys == 0 { f32::NAN } else { count as f32 / keys as f32 },
        }
    }
}

fn first_key(words: &[u32]) -> Option<u32> {
    words.first().map(|&word| salted(word, 1))
}

fn last_key(words: &[u32]) -> Option<u32> {
    words.last().map(|&word| salted(word, 2))
}

fn salted(word: u32, salt: u64) -> u32 {
    (mix(u64::from(word), salt) >> 32) as u32
}

/// Passes the table keys of a block's words to `key`, and the pairs of a short block.
fn each_key(words: &[u32], mut key: impl FnMut(u32)) {
    words.iter().take(MOST_WORDS).for_each(|&word| key(word));
    if words.len() <= SHORT {
        words.windows(2).for_each(|pair| key((mix(mix(3, u64::from(pair[0])), u64::from(pair[1])) >> 32) as u32));
        if !words.is_empty() {
            key(whole(words));
        }
    }
}

/// The key of all words of a block together, in their order.
pub(super) fn whole(words: &[u32]) -> u32 {
    (words.iter().fold(5, |hash, &word| mix(hash, u64::from(word))) >> 32) as u32
}

/// Counts for a table.
#[derive(Clone, Debug, Default)]
pub(super) struct OddsCounter {
    counts: HashMap<u32, Count>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    kept: f64,
    dropped: f64,
    sites: u32,
    last_site: u32,
}

impl OddsCounter {
    /// Adds one key of a block, with the block's weight. All keys of a site must come together.
    fn add(&mut self, key: u32, site: u32, weight: f64, kept: bool) {
        let count = self.counts.entry(key).or_default();
        if count.sites == 0 || count.last_site != site {
            count.sites += 1;
            count.last_site = site;
        }
        *if kept { &mut count.kept } else { &mut count.dropped } += weight;
    }

    /// Makes the table of keys that this many sites have. Of those it keeps the `most` telling.
    fn table(&self, least_sites: u32, most: usize) -> OddsTable {
        let (kept, dropped) =
            self.counts.values().fold((PRIOR, PRIOR), |(kept, dropped), c| (kept + c.kept, dropped + c.dropped));
        let base = (kept / dropped).ln();
        let odds = |count: &Count| {
            let share = kept / (kept + dropped);
            ((count.kept + PRIOR * share) / (count.dropped + PRIOR * (1.0 - share))).ln() - base
        };
        let mut entries: Vec<(u32, f64, f64)> = self
            .counts
            .iter()
            .filter(|(_, count)| count.sites >= least_sites)
            .map(|(&key, count)| (key, odds(count), odds(count).abs() * (count.kept + count.dropped)))
            .collect();
        entries.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        entries.truncate(most);
        entries.sort_by_key(|entry| entry.0);
        let quantised = |odds: f64| (odds / f64::from(STEP)).round().clamp(-127.0, 127.0) as i8;
        OddsTable {
            hashes: Hashes::new(entries.iter().map(|entry| entry.0).collect()),
            odds: entries.iter().map(|entry| quantised(entry.1)).collect(),
        }
    }
}

/// Counts of names and words over labelled pages.
#[derive(Clone, Debug, Default)]
pub(super) struct Counting {
    names: OddsCounter,
    words: OddsCounter,
}

/// The least number of sites that must have a name (issue: three).
const NAME_SITES: u32 = 3;
/// The least number of sites that must have a word.
const WORD_SITES: u32 = 6;

impl Counting {
    /// Counts a page. `kept` gives for each block whether it is content, and `weights` its weight.
    pub(super) fn add(&mut self, analysis: &Analysis, site: u32, weights: &[f32], kept: &[bool]) {
        for ((block, &weight), &kept) in analysis.blocks().iter().zip(weights).zip(kept) {
            if weight == 0.0 {
                continue;
            }
            self.add_block(analysis, block, site, f64::from(weight), kept);
        }
    }

    fn add_block(&mut self, analysis: &Analysis, block: &Block, site: u32, weight: f64, kept: bool) {
        for (_, container) in analysis.around(block).take(super::reader::NAMED) {
            for &name in analysis.names(container) {
                self.names.add(name, site, weight, kept);
            }
        }
        let words = analysis.words(block);
        for key in first_key(words).into_iter().chain(last_key(words)) {
            self.words.add(key, site, weight, kept);
        }
        each_key(words, |key| self.words.add(key, site, weight, kept));
    }

    /// The tables, with at most this many names and words.
    pub(super) fn tables(&self, most_names: usize, most_words: usize) -> Tables {
        Tables { names: self.names.table(NAME_SITES, most_names), words: self.words.table(WORD_SITES, most_words) }
    }
}
