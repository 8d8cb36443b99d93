//! What a site's pages have at each place.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::sums::{Mean, SpreadSums, units, value};
use super::texts::Texts;
use crate::analysis::names::mix;
use crate::float::{exp, log2_count};
use crate::words::hashed::Numbers;

/// How many evidence values a place keeps the mean of.
pub const EVIDENCE: usize = 16;

/// A template may have one place per this many bytes of its limit, whatever its places take.
/// Judgement: they usually take some 110, and 500 if 32 different texts were there. 64 KiB make 400
/// places.
const BYTES_PER_PLACE: usize = 163;

/// The least share of a page's blocks at places of a template for the page to be of it. On the sets
/// of `EVALUATION.md`, nine tenths of the pages of a site's own template have more, and one in a
/// hundred pages of another site.
pub const LEAST_ALIKE: f32 = 0.4;

/// The share of a place's words on which labels may disagree and still count as one decision:
/// mistakes are ignored.
const ONE_MIND: f32 = 0.05;

/// What we remember of a site's pages, by place. Merging the memories of two halves of a site gives
/// that of the whole, in any order, to the byte.
///
/// Its sums depend on the model that scored the pages. Do not merge memories of different models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    pages: u32,
    /// The words of all its pages, and their likely words of content.
    words: u64,
    likely: i64,
    places: BTreeMap<u64, Place>,
}

/// A block of a page, with what we remember of it.
#[derive(Clone, Copy, Debug)]
pub struct SeenBlock {
    /// Its place.
    pub place: u64,
    /// The hash of its text.
    pub text: u64,
    /// Its words.
    pub words: u32,
    /// Its own score, in log-odds of content.
    pub odds: f32,
    /// Its evidence; NaN if absent.
    pub evidence: [f32; EVIDENCE],
}

/// What we remember of a place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pages: u32,
    blocks: u32,
    words: u64,
    /// The weight of its blocks, in units: their words, and almost nothing for blocks without
    /// words.
    weight: i64,
    /// Over words: the probability of content, and its log-odds.
    likely: SpreadSums,
    odds: SpreadSums,
    /// The least and the greatest log-odds, in units.
    least: i64,
    greatest: i64,
    /// Over blocks: the logarithm of their length.
    length: SpreadSums,
    evidence: [Mean; EVIDENCE],
    texts: Texts,
    taught: TaughtWords,
}

/// What a person labelled at a place: how many words are content, out of how many labelled.
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

/// Collects one page's blocks for its memory.
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
        let likely = 1.0 / (1.0 + exp(-seen.odds));
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

/// The weight of a block without words, in words.
const LEAST_WEIGHT: f32 = 1.0 / 1024.0;

impl Memory {
    /// The memory of one page. O(blocks + places · log places).
    pub fn of_page(blocks: impl Iterator<Item = SeenBlock>) -> Memory {
        let mut page = OfPage::default();
        blocks.for_each(|seen| page.see(&seen));
        page.into_memory()
    }

    /// Adds the memory of other pages. O(places).
    pub fn merge(&mut self, other: &Memory) {
        self.pages = self.pages.saturating_add(other.pages);
        self.words = self.words.saturating_add(other.words);
        self.likely = self.likely.saturating_add(other.likely);
        for (&key, place) in &other.places {
            self.places.entry(key).or_default().merge(place);
        }
    }

    /// Adds the places of another memory that this one does not have. O(places of the other · log
    /// places).
    pub(super) fn add_places(&mut self, other: &Memory) {
        for (&key, place) in &other.places {
            self.places.entry(key).or_insert_with(|| place.clone());
        }
    }

    /// The part of this memory at the places of another, which is all that is needed to judge the
    /// other's page. O(places of the other · log places).
    pub(super) fn at_places_of(&self, other: &Memory) -> Memory {
        let at = |key: &u64| self.places.get(key).map(|place| (*key, place.clone()));
        let places = other.places.keys().filter_map(at).collect();
        Memory { places, pages: self.pages, words: self.words, likely: self.likely }
    }

    /// A hash of a page's places and texts. It identifies the same page later.
    pub fn fingerprint(&self) -> u64 {
        let places = self.places.iter();
        places.fold(0, |hash, (&key, place)| {
            place.texts.hashes().fold(mix(hash, key), |hash, text| mix(hash, text.into()))
        })
    }

    /// Forgets the places with the fewest words until there are no more than a template of
    /// `most_bytes` may have. Places that a person taught go last. Merging is exact up to here: a
    /// forgotten place starts again. O(places · log places) if some go.
    pub fn bound(&mut self, most_bytes: usize) {
        let gone = self.places.len().saturating_sub(most_bytes / BYTES_PER_PLACE);
        if gone > 0 {
            self.least_places().into_iter().take(gone).for_each(|key| drop(self.places.remove(&key)));
        }
    }

    /// The same, until the rest takes at most `most_bytes` in a file. O(places), each written once.
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

    /// Its places, in the order in which they are forgotten.
    fn least_places(&self) -> Vec<u64> {
        let mut places: Vec<_> =
            self.places.iter().map(|(&key, place)| (place.taught.words > 0, place.words, key)).collect();
        places.sort_unstable();
        places.into_iter().map(|(_, _, key)| key).collect()
    }

    /// The share of its blocks at places that the other has.
    pub fn alike(&self, other: &Memory) -> f32 {
        let (mut known, mut all) = (0, 0);
        for (key, place) in &self.places {
            let blocks = u64::from(place.blocks);
            all += blocks;
            known += if other.places.contains_key(key) { blocks } else { 0 };
        }
        if all == 0 { 0.0 } else { known as f32 / all as f32 }
    }

    /// The share of its frame that the other has. The frame is the places that nine tenths of its
    /// pages have: a bar, a menu, a footer. 0 without a frame. O(places · log places).
    pub(super) fn frame_shared(&self, other: &Memory) -> f32 {
        let frame = self.places.iter().filter(|(_, place)| u64::from(place.pages) * 10 >= u64::from(self.pages) * 9);
        let (mut known, mut all) = (0, 0);
        for (key, _) in frame {
            all += 1;
            known += i32::from(other.places.contains_key(key));
        }
        if all == 0 { 0.0 } else { known as f32 / all as f32 }
    }

    /// Adds a person's label of a block: whether it is content. Ignores places that the memory does
    /// not have.
    pub fn teach(&mut self, place: u64, words: u32, is_content: bool) {
        if let Some(place) = self.places.get_mut(&place) {
            place.taught.words = place.taught.words.saturating_add(u64::from(words));
            let kept = if is_content { u64::from(words) } else { 0 };
            place.taught.kept = place.taught.kept.saturating_add(kept);
        }
    }

    /// Adds the labels of another memory's places, if this one has the places.
    pub(super) fn merge_taught(&mut self, other: &Memory) {
        for (key, place) in &other.places {
            if let Some(own) = self.places.get_mut(key) {
                own.taught.merge(place.taught);
            }
        }
    }

    /// Replaces its labels by those of another memory, even at places that this one does not have.
    pub(super) fn take_taught(&mut self, other: &Memory) {
        self.forget_taught();
        for (&key, place) in other.places.iter().filter(|(_, place)| place.taught.words > 0) {
            self.places.entry(key).or_default().taught = place.taught;
        }
    }

    /// Whether a person labelled any place.
    pub fn is_taught(&self) -> bool {
        self.places.values().any(|place| place.taught.words > 0)
    }

    /// Words at places that a person labelled both as content and as not. Nothing is learned from
    /// those.
    pub fn undecided_words(&self) -> u64 {
        let undecided = self.places.values().filter(|place| place.taught().is_some() && place.mind().is_none());
        undecided.map(|place| place.words).sum()
    }

    /// Keeps the places and their labels, and drops everything about the pages.
    pub(super) fn start_over(&mut self) {
        let places = std::mem::take(&mut self.places);
        let emptied = |place: Place| Place { taught: place.taught, ..Place::default() };
        *self = Memory {
            places: places.into_iter().map(|(key, place)| (key, emptied(place))).collect(),
            ..Memory::default()
        };
    }

    /// Removes all labels.
    pub fn forget_taught(&mut self) {
        self.places.values_mut().for_each(|place| place.taught = TaughtWords::default());
    }

    /// The number of pages.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// True without pages.
    pub fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// Its places, with their hashes.
    pub fn places(&self) -> impl ExactSizeIterator<Item = (u64, &Place)> {
        self.places.iter().map(|(&key, place)| (key, place))
    }

    /// A place, if any page has it.
    pub fn place(&self, place: u64) -> Option<&Place> {
        self.places.get(&place)
    }

    /// The words of all pages.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// The likely words of content of all pages.
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
        self.length.add(log2_count(seen.words), 1.0);
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

    /// The share of the place's labelled words that are content; `None` without labels.
    pub fn taught(&self) -> Option<f32> {
        (self.taught.words > 0).then(|| self.taught.kept as f32 / self.taught.words as f32)
    }

    /// Whether the labels at this place say content. `None` if there are none or they disagree:
    /// then the place does not tell content from the rest.
    pub fn mind(&self) -> Option<bool> {
        let share = self.taught()?;
        (share <= ONE_MIND).then_some(false).or((share >= 1.0 - ONE_MIND).then_some(true))
    }

    /// The number of pages that have it.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The number of its blocks, on all pages.
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

    /// The least and greatest log-odds of its blocks.
    pub fn range(&self) -> (f32, f32) {
        (value(self.least), value(self.greatest))
    }

    /// Mean and spread of the length of its blocks, as log2 of words plus one.
    pub fn length(&self) -> (f32, f32) {
        (self.length.mean(self.blocks as f32), self.length.spread(self.blocks as f32))
    }

    /// Its likely words of content.
    pub fn likely_words(&self) -> f32 {
        self.likely.sum()
    }

    /// The mean of each evidence value; NaN if it was always absent.
    pub fn evidence(&self) -> [f32; EVIDENCE] {
        self.evidence.map(Mean::get)
    }

    /// The approximate number of different texts at the place.
    pub fn different_texts(&self) -> f32 {
        self.texts.different()
    }

    /// The share of its words whose text more than one page has there.
    pub fn repeated(&self) -> f32 {
        self.texts.repeated()
    }

    /// The number of pages with this text at the place. 0 if none has it, or if a place has very
    /// many texts and this one is not in the sample.
    pub fn pages_of_text(&self, hash: u64) -> u32 {
        self.texts.pages_of(hash)
    }

    /// The number of pages that have a text of the place there, on average over words.
    pub fn text_pages(&self) -> f32 {
        self.texts.pages()
    }
}

/// The size of a value in a file, in bytes.
pub(super) fn encoded_len(value: &impl Serialize) -> usize {
    postcard::to_stdvec(value).map_or(0, |bytes| bytes.len())
}

#[cfg(test)]
mod tests;
