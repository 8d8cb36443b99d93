//! Which texts stand at a place, by a sample.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Texts of a place that are kept. Judgement: shares are then told to about 0.1, and a place takes at most 0.4 KB for them.
const KEPT: usize = 32;

/// The texts with the least hashes, of all that were seen: a sample that is drawn by the text alone, so that the samples of two halves of a site make
/// the sample of the whole (bottom-k sketch; Cohen, Kaplan 2007, "Summarizing Data Using Bottom-k Sketches").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Texts(BTreeMap<u32, Text>);

/// A text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Text {
    /// Pages that have it.
    pages: u32,
    /// Its words, on all of them together.
    words: u32,
}

impl Texts {
    /// Adds a text of the page that is being read.
    pub(super) fn see(&mut self, hash: u64, words: u32) {
        let text = self.0.entry((hash >> 32) as u32).or_default();
        text.pages = 1;
        text.words = text.words.saturating_add(words.max(1));
        self.bound();
    }

    pub(super) fn merge(&mut self, other: &Texts) {
        for (&hash, text) in &other.0 {
            let own = self.0.entry(hash).or_default();
            own.pages = own.pages.saturating_add(text.pages);
            own.words = own.words.saturating_add(text.words);
        }
        self.bound();
    }

    /// How many pages have the text; 0 where none has it, or it is not in the sample.
    pub(super) fn pages_of(&self, hash: u64) -> u32 {
        self.0.get(&((hash >> 32) as u32)).map_or(0, |text| text.pages)
    }

    /// The hashes of its texts, ascending.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.keys().copied()
    }

    /// The words of all its texts.
    pub(super) fn words(&self) -> u64 {
        self.0.values().map(|text| u64::from(text.words)).sum()
    }

    /// The words of those that the other has too.
    pub(super) fn shared(&self, other: &Texts) -> u64 {
        let both = self.0.iter().filter(|(hash, _)| other.0.contains_key(hash));
        both.map(|(_, text)| u64::from(text.words)).sum()
    }

    /// A text that goes has a hash greater than all that stay, so it can never come back with only a part of what was seen of it.
    fn bound(&mut self) {
        while self.0.len() > KEPT {
            self.0.pop_last();
        }
    }

    /// About how many different texts there are.
    pub(super) fn different(&self) -> f32 {
        match self.0.last_key_value() {
            Some((&greatest, _)) if self.0.len() == KEPT => {
                (KEPT - 1) as f32 * (u32::MAX as f32 / (greatest as f32 + 1.0))
            }
            _ => self.0.len() as f32,
        }
    }

    /// The share of the words whose text more than one page has.
    pub(super) fn repeated(&self) -> f32 {
        self.mean(|text| f32::from(u8::from(text.pages > 1)))
    }

    /// On how many pages a text stands, on average over words.
    pub(super) fn pages(&self) -> f32 {
        self.mean(|text| text.pages as f32)
    }

    fn mean(&self, of: impl Fn(&Text) -> f32) -> f32 {
        let words: f32 = self.0.values().map(|text| text.words as f32).sum();
        self.0.values().map(|text| of(text) * text.words as f32).sum::<f32>() / words
    }
}
