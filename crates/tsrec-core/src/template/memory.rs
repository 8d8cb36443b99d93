//! What a site's pages have at each place.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::sums::{Mean, SpreadSums, units, value};
use super::texts::Texts;
use crate::analysis::names::mix;
use crate::words::hashed::Numbers;

/// Numbers of each block that a place remembers the mean of.
pub const EVIDENCE: usize = 16;

/// A template has no more than one place for so many bytes that it may take, whatever its places
/// take. Judgement: they take some 110 as a rule, and 500 where 32 different texts stood; 64 KiB
/// make 400 places.
const BYTES_PER_PLACE: usize = 163;

/// The least share of a page's blocks that stand at places of a template for the page to be of it.
/// On the sets of `EVALUATION.md` nine tenths of the pages of a site's own template have more, and
/// one in a hundred pages of another site.
pub const LEAST_ALIKE: f32 = 0.4;

/// Shares of a place's words from which a person was of one mind about it: a slip of the hand is
/// let pass.
const ONE_MIND: f32 = 0.05;

/// What is remembered of a site's pages, by place. Memories of two halves of a site merge to that
/// of the whole, in whatever order, to the byte.
///
/// What it sums depends on the model that scored the pages; memories of different models are not to
/// be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    pages: u32,
    /// Words, and likely words of content, of all its pages.
    words: u64,
    likely: i64,
    places: BTreeMap<u64, Place>,
}

/// A block of a page, as it is remembered.
#[derive(Clone, Copy, Debug)]
pub struct SeenBlock {
    /// Where it stands.
    pub place: u64,
    /// Its text, as a hash.
    pub text: u64,
    /// Its words.
    pub words: u32,
    /// What the score says of it by itself, in log-odds of content.
    pub odds: f32,
    /// Evidence of it; NaN where that is absent.
    pub evidence: [f32; EVIDENCE],
}

/// What stands at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pages: u32,
    blocks: u32,
    words: u64,
    /// What blocks weigh, in units: their words, and next to nothing where they have none.
    weight: i64,
    /// Over words: the probability of content, and its log-odds.
    likely: SpreadSums,
    odds: SpreadSums,
    /// The least and the greatest log-odds, in units.
    least: i64,
    greatest: i64,
    /// Over blocks: their length, as a logarithm.
    length: SpreadSums,
    evidence: [Mean; EVIDENCE],
    texts: Texts,
    taught: TaughtWords,
}

/// What a person said of the words at a place: how many are content, and of how many it was said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct TaughtWords {
    kept: u64,
    words: u64,
}

impl TaughtWords {
    fn merge(&mut self, other: TaughtWords) {
        self.kept = self.kept.saturating_add(other.kept);
        self.words = self.words.saturating_add(other.words);
    }
}

/// What is remembered of one page, while its blocks come.
#[derive(Default)]
pub struct OfPage {
    words: u64,
    likely: i64,
    numbers: Numbers<u64>,
    places: Vec<(u64, Place)>,
}

impl OfPage {
    /// Adds a block. O(1).
    pub fn see(&mut self, seen: &SeenBlock) {
        let likely = 1.0 / (1.0 + (-seen.odds).exp());
        self.words += u64::from(seen.words);
        self.likely += units(seen.words as f32 * likely);
        let number = self.numbers.number(seen.place) as usize;
        if number == self.places.len() {
            self.places.push((seen.place, Place::default()));
        }
        self.places[number].1.see(seen, likely);
    }

    /// The memory of the page. O(places · log places).
    pub fn into_memory(self) -> Memory {
        let OfPage { words, likely, places, .. } = self;
        Memory { pages: 1, words, likely, places: places.into_iter().collect() }
    }
}

/// What a block without words weighs, in words.
const LEAST_WEIGHT: f32 = 1.0 / 1024.0;

impl Memory {
    /// Of one page. O(blocks + places · log places).
    pub fn of_page(blocks: impl Iterator<Item = SeenBlock>) -> Memory {
        let mut page = OfPage::default();
        blocks.for_each(|seen| page.see(&seen));
        page.into_memory()
    }

    /// Adds what other pages have. O(places).
    pub fn merge(&mut self, other: &Memory) {
        self.pages = self.pages.saturating_add(other.pages);
        self.words = self.words.saturating_add(other.words);
        self.likely = self.likely.saturating_add(other.likely);
        for (&key, place) in &other.places {
            self.places.entry(key).or_default().merge(place);
        }
    }

    /// The same with the places alone that another has: all that a page of it is judged by.
    /// O(places of the other · log places).
    pub(super) fn at_places_of(&self, other: &Memory) -> Memory {
        let at = |key: &u64| self.places.get(key).map(|place| (*key, place.clone()));
        let places = other.places.keys().filter_map(at).collect();
        Memory { places, pages: self.pages, words: self.words, likely: self.likely }
    }

    /// What stands where on a page, as a hash: the same page again is known by it.
    pub fn fingerprint(&self) -> u64 {
        let places = self.places.iter();
        places.fold(0, |hash, (&key, place)| {
            place.texts.hashes().fold(mix(hash, key), |hash, text| mix(hash, text.into()))
        })
    }

    /// Forgets the places with the fewest words, until there are no more than a template of so many
    /// bytes may have; those of which a person said something go last. What merging promises holds
    /// up to here: a place that was forgotten begins anew. O(places · log places) where some go.
    pub fn bound(&mut self, most_bytes: usize) {
        let gone = self.places.len().saturating_sub(most_bytes / BYTES_PER_PLACE);
        if gone > 0 {
            self.least_places().into_iter().take(gone).for_each(|key| drop(self.places.remove(&key)));
        }
    }

    /// The same, until what is left takes no more than so many bytes in a file. O(places), with
    /// each of them written once.
    pub(super) fn bound_bytes(&mut self, most_bytes: usize) {
        let mut bytes = encoded_len(self);
        let mut least = self.least_places().into_iter();
        while bytes > most_bytes
            && let Some(key) = least.next()
        {
            let place = self.places.remove(&key);
            bytes = bytes.saturating_sub(encoded_len(&(key, place.unwrap_or_default())));
        }
    }

    /// Its places, in the order in which they go.
    fn least_places(&self) -> Vec<u64> {
        let mut places: Vec<_> =
            self.places.iter().map(|(&key, place)| (place.taught.words > 0, place.words, key)).collect();
        places.sort_unstable();
        places.into_iter().map(|(_, _, key)| key).collect()
    }

    /// The share of its blocks that stand at places which the other has.
    pub fn alike(&self, other: &Memory) -> f32 {
        let (mut known, mut all) = (0, 0);
        for (key, place) in &self.places {
            let blocks = u64::from(place.blocks);
            all += blocks;
            known += if other.places.contains_key(key) { blocks } else { 0 };
        }
        if all == 0 { 0.0 } else { known as f32 / all as f32 }
    }

    /// Enters what a person said of a block: whether it is content. Of a place that the memory does
    /// not have nothing is entered.
    pub fn teach(&mut self, place: u64, words: u32, is_content: bool) {
        if let Some(place) = self.places.get_mut(&place) {
            place.taught.words = place.taught.words.saturating_add(u64::from(words));
            let kept = if is_content { u64::from(words) } else { 0 };
            place.taught.kept = place.taught.kept.saturating_add(kept);
        }
    }

    /// Adds what a person said of another memory's places, where this one has them.
    pub(super) fn merge_taught(&mut self, other: &Memory) {
        for (key, place) in &other.places {
            if let Some(own) = self.places.get_mut(key) {
                own.taught.merge(place.taught);
            }
        }
    }

    /// Has what a person said of another memory's places, and nothing else that was said: also at
    /// places that this one does not have.
    pub(super) fn take_taught(&mut self, other: &Memory) {
        self.forget_taught();
        for (&key, place) in other.places.iter().filter(|(_, place)| place.taught.words > 0) {
            self.places.entry(key).or_default().taught = place.taught;
        }
    }

    /// Whether a person said anything of any place.
    pub fn is_taught(&self) -> bool {
        self.places.values().any(|place| place.taught.words > 0)
    }

    /// Words at places of which a person said both, that they are content and that they are not: of
    /// those nothing is learned.
    pub fn undecided_words(&self) -> u64 {
        let undecided = self.places.values().filter(|place| place.taught().is_some() && place.mind().is_none());
        undecided.map(|place| place.words).sum()
    }

    /// Keeps which places there are and what was said of them, and nothing of the pages.
    pub(super) fn start_over(&mut self) {
        let places = std::mem::take(&mut self.places);
        let emptied = |place: Place| Place { taught: place.taught, ..Place::default() };
        *self = Memory {
            places: places.into_iter().map(|(key, place)| (key, emptied(place))).collect(),
            ..Memory::default()
        };
    }

    /// Takes back all that was taught.
    pub fn forget_taught(&mut self) {
        self.places.values_mut().for_each(|place| place.taught = TaughtWords::default());
    }

    /// How many pages are remembered.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// True where no page is.
    pub fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// Its places, by their hash.
    pub fn places(&self) -> impl ExactSizeIterator<Item = (u64, &Place)> {
        self.places.iter().map(|(&key, place)| (key, place))
    }

    /// What stands at a place, where any of the pages has it.
    pub fn place(&self, place: u64) -> Option<&Place> {
        self.places.get(&place)
    }

    /// Words of all pages.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Likely words of content of all pages.
    pub fn likely_words(&self) -> f32 {
        value(self.likely)
    }
}

impl Place {
    fn see(&mut self, seen: &SeenBlock, likely: f32) {
        let (weight, odds) = ((seen.words as f32).max(LEAST_WEIGHT), units(seen.odds));
        let first = self.blocks == 0;
        self.pages = 1;
        self.blocks += 1;
        self.words += u64::from(seen.words);
        self.weight += units(weight);
        self.likely.add(likely, weight);
        self.odds.add(seen.odds, weight);
        self.least = if first { odds } else { self.least.min(odds) };
        self.greatest = if first { odds } else { self.greatest.max(odds) };
        self.length.add((1.0 + seen.words as f32).log2(), 1.0);
        for (mean, &value) in self.evidence.iter_mut().zip(&seen.evidence) {
            mean.add(value);
        }
        self.texts.see(seen.text, seen.words);
    }

    fn merge(&mut self, other: &Place) {
        if self.blocks == 0 {
            let taught = self.taught;
            *self = other.clone();
            self.taught.merge(taught);
            return;
        }
        if other.blocks == 0 {
            self.taught.merge(other.taught);
            return;
        }
        self.pages = self.pages.saturating_add(other.pages);
        self.blocks = self.blocks.saturating_add(other.blocks);
        self.words = self.words.saturating_add(other.words);
        self.weight = self.weight.saturating_add(other.weight);
        self.likely.merge(other.likely);
        self.odds.merge(other.odds);
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
        self.length.merge(other.length);
        for (own, other) in self.evidence.iter_mut().zip(&other.evidence) {
            own.merge(*other);
        }
        self.texts.merge(&other.texts);
        self.taught.merge(other.taught);
    }

    /// What a person said of the place: the share of its words that are content; `None` where
    /// nobody said anything.
    pub fn taught(&self) -> Option<f32> {
        (self.taught.words > 0).then(|| self.taught.kept as f32 / self.taught.words as f32)
    }

    /// Whether a person called what stands there content; `None` where that was not said, or not
    /// with one mind: then a place does not tell content from the rest.
    pub fn mind(&self) -> Option<bool> {
        let share = self.taught()?;
        (share <= ONE_MIND).then_some(false).or((share >= 1.0 - ONE_MIND).then_some(true))
    }

    /// Pages that have it.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Blocks that stand there, on all pages.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Their words.
    pub fn words(&self) -> u64 {
        self.words
    }

    fn weight(&self) -> f32 {
        value(self.weight)
    }

    /// Mean and spread of the probability of content, over words.
    pub fn likely(&self) -> (f32, f32) {
        (self.likely.mean(self.weight()), self.likely.spread(self.weight()))
    }

    /// Mean and spread of its log-odds, over words.
    pub fn odds(&self) -> (f32, f32) {
        (self.odds.mean(self.weight()), self.odds.spread(self.weight()))
    }

    /// The least and the greatest log-odds of its blocks.
    pub fn range(&self) -> (f32, f32) {
        (value(self.least), value(self.greatest))
    }

    /// Mean and spread of the length of its blocks, as log2 of a word more than they have.
    pub fn length(&self) -> (f32, f32) {
        (self.length.mean(self.blocks as f32), self.length.spread(self.blocks as f32))
    }

    /// Likely words of content there.
    pub fn likely_words(&self) -> f32 {
        self.likely.sum()
    }

    /// The mean of each number that is remembered; NaN where it was always absent.
    pub fn evidence(&self) -> [f32; EVIDENCE] {
        self.evidence.map(Mean::get)
    }

    /// About how many different texts stand there.
    pub fn different_texts(&self) -> f32 {
        self.texts.different()
    }

    /// The share of its words whose text more than one page has there.
    pub fn repeated(&self) -> f32 {
        self.texts.repeated()
    }

    /// How many pages have this text there; 0 where none has it, or it is not in the sample of a
    /// place with very many texts.
    pub fn pages_of_text(&self, hash: u64) -> u32 {
        self.texts.pages_of(hash)
    }

    /// On how many pages a text of the place stands there, on average over words.
    pub fn text_pages(&self) -> f32 {
        self.texts.pages()
    }
}

/// What a value takes in a file, in bytes.
pub(super) fn encoded_len(value: &impl Serialize) -> usize {
    postcard::to_stdvec(value).map_or(0, |bytes| bytes.len())
}

#[cfg(test)]
mod tests;
