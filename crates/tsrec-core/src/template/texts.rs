//! A sample of the texts at a place.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

/// How many texts of a place are kept. Judgement: shares are then accurate to about 0.1, and a
/// place needs at most 0.4 KB for them.
const KEPT: usize = 32;

/// The texts with the least hashes of all texts seen, ascending. The text alone decides what is in
/// the sample, so the samples of two halves of a site merge to that of the whole (bottom-k sketch;
/// Cohen, Kaplan 2007, "Summarizing Data Using Bottom-k Sketches"). It is a list, because a tree of
/// so few would take twice the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Texts(Vec<(u32, Text)>);

/// A text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Text {
    /// The number of pages that have it.
    pages: u32,
    /// Its words, summed over those pages.
    words: u32,
}

impl Text {
    fn merge(&mut self, other: Text) {
        self.pages = self.pages.saturating_add(other.pages);
        self.words = self.words.saturating_add(other.words);
    }
}

/// A file may list them in any order.
impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Texts, D::Error> {
        let texts = BTreeMap::<u32, Text>::deserialize(from)?;
        Ok(Texts(texts.into_iter().take(KEPT).collect()))
    }
}

impl Texts {
    /// Adds a text of the current page.
    pub(super) fn see(&mut self, hash: u64, words: u32) {
        let hash = (hash >> 32) as u32;
        match self.find(hash) {
            Ok(at) => self.0[at].1.words = self.0[at].1.words.saturating_add(words.max(1)),
            Err(KEPT) => {}
            Err(at) => {
                self.0.insert(at, (hash, Text { pages: 1, words: words.max(1) }));
                self.0.truncate(KEPT);
            }
        }
    }

    /// Adds those of other pages. A dropped text has a hash greater than all that stay, so it can
    /// never come back with only part of its count.
    pub(super) fn merge(&mut self, other: &Texts) {
        let mut at = 0;
        for &(hash, text) in &other.0 {
            at += self.0[at..].partition_point(|(own, _)| *own < hash);
            match self.0.get_mut(at) {
                Some((own, known)) if *own == hash => known.merge(text),
                _ if at == KEPT => break,
                _ => {
                    self.0.insert(at, (hash, text));
                    self.0.truncate(KEPT);
                }
            }
        }
    }

    fn find(&self, hash: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&hash, |(own, _)| *own)
    }

    /// The number of pages with the text. 0 if none has it or it is not in the sample.
    pub(super) fn pages_of(&self, hash: u64) -> u32 {
        self.find((hash >> 32) as u32).map_or(0, |at| self.0[at].1.pages)
    }

    /// The hashes of its texts, ascending.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().map(|(hash, _)| *hash)
    }

    /// The approximate number of different texts.
    pub(super) fn different(&self) -> f32 {
        match self.0.last() {
            Some(&(greatest, _)) if self.0.len() == KEPT => {
                (KEPT - 1) as f32 * (u32::MAX as f32 / (greatest as f32 + 1.0))
            }
            _ => self.0.len() as f32,
        }
    }

    /// The share of the words whose text more than one page has.
    pub(super) fn repeated(&self) -> f32 {
        self.mean(|text| f32::from(u8::from(text.pages > 1)))
    }

    /// The number of pages with a text, on average over words.
    pub(super) fn pages(&self) -> f32 {
        self.mean(|text| text.pages as f32)
    }

    fn mean(&self, of: impl Fn(&Text) -> f32) -> f32 {
        let words: f32 = self.0.iter().map(|(_, text)| text.words as f32).sum();
        self.0.iter().map(|(_, text)| of(text) * text.words as f32).sum::<f32>() / words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of a page, by their numbers.
    fn page(numbers: impl Iterator<Item = u64>) -> Texts {
        let mut texts = Texts::default();
        numbers.for_each(|number| texts.see(number.wrapping_mul(0x9e37_79b9_7f4a_7c15), 3));
        texts
    }

    #[test]
    fn the_sample_of_two_halves_is_that_of_the_whole() {
        let pages: Vec<Texts> = (0..40).map(|n| page((n * 7..n * 7 + 20).chain([0]))).collect();
        let merged = |pages: &[Texts]| {
            let mut all = Texts::default();
            pages.iter().for_each(|page| all.merge(page));
            all
        };
        let (whole, (a, b)) = (merged(&pages), pages.split_at(13));
        let mut halves = merged(b);
        halves.merge(&merged(a));
        assert_eq!(halves, whole);
        assert_eq!((whole.0.len(), whole.pages_of(0)), (KEPT, 40), "of hash zero none has less");
        assert!(whole.0.is_sorted_by_key(|(hash, _)| *hash));
        let all = (0..40).flat_map(|n| n * 7..n * 7 + 20).chain([0]).collect::<std::collections::HashSet<u64>>();
        assert!((whole.different() / all.len() as f32 - 1.0).abs() < 0.3, "{} of {}", whole.different(), all.len());
    }

    #[test]
    fn a_file_may_name_them_in_any_order_and_too_many() {
        let tree = |numbers: &mut dyn Iterator<Item = u32>| {
            numbers.map(|hash| (hash, Text { pages: 1, words: 1 })).collect::<Vec<_>>()
        };
        let written = postcard::to_stdvec(&tree(&mut (0..99).rev())).unwrap();
        let read: Texts = postcard::from_bytes(&written).unwrap();
        assert_eq!(read.0, tree(&mut (0..KEPT as u32)));
        assert_eq!(postcard::from_bytes::<Texts>(&postcard::to_stdvec(&read).unwrap()).unwrap(), read);
    }
}
