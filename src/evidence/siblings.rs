//! What pages of the same site say of a block: what stands at its place there, and whether they have its text.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::column::{evidence, log};
use super::reader::place_of;
use super::score::probability;
use crate::analysis::{Analysis, Block};

/// What a page leaves behind for its siblings: a line a block, and no text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    blocks: Vec<Line>,
}

/// A block of a page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    /// Where it stands.
    place: u64,
    /// Its words, as a hash.
    text: u64,
    words: u16,
    /// The first stage's probability, in steps of 1/255.
    likely: u8,
}

impl Trace {
    /// Of a page whose blocks the first stage gave these log-odds.
    pub fn new(analysis: &Analysis, odds: &[f32]) -> Self {
        let line = |(block, &odds): (&Block, &f32)| Line {
            place: place_of(analysis, block),
            text: block.hash,
            words: u16::try_from(block.text.words).unwrap_or(u16::MAX),
            likely: (probability(odds) * 255.0).round() as u8,
        };
        Trace { blocks: analysis.blocks().iter().zip(odds).map(line).collect() }
    }
}

/// What several pages of a site have at each place.
#[derive(Clone, Debug, Default)]
pub struct Site {
    pages: u32,
    places: HashMap<u64, Place>,
    /// On how many pages a text stands.
    texts: HashMap<u64, u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    pages: u32,
    blocks: u32,
    words: f32,
    /// Sums over words of the probability, and of its square.
    likely: f32,
    squares: f32,
    /// Words of texts that more than one page has.
    repeated: f32,
    last_page: u32,
}

impl Site {
    /// Of these pages. Linear.
    pub fn new<'t>(pages: impl Iterator<Item = &'t Trace> + Clone) -> Self {
        let mut site = Site::default();
        let mut last: HashMap<u64, u32> = HashMap::new();
        for (number, page) in (1..).zip(pages.clone()) {
            site.pages = number;
            for line in &page.blocks {
                if last.insert(line.text, number) != Some(number) {
                    *site.texts.entry(line.text).or_insert(0) += 1;
                }
            }
        }
        for (number, page) in (1..).zip(pages) {
            for line in &page.blocks {
                let (words, likely) = (f32::from(line.words), f32::from(line.likely) / 255.0);
                let repeats = site.texts[&line.text] > 1;
                let place = site.places.entry(line.place).or_default();
                place.pages += u32::from(place.last_page != number);
                place.last_page = number;
                place.blocks += 1;
                place.words += words;
                place.likely += words * likely;
                place.squares += words * likely * likely;
                place.repeated += if repeats { words } else { 0.0 };
            }
        }
        site
    }

    fn share(&self, pages: u32) -> f32 {
        if self.pages == 0 { f32::NAN } else { pages as f32 / self.pages as f32 }
    }
}

/// What a site says of one block.
pub(super) struct AtPlace<'a> {
    site: &'a Site,
    place: Place,
    texts: u32,
}

impl<'a> AtPlace<'a> {
    pub(super) fn new(site: &'a Site, analysis: &Analysis, block: &Block) -> Self {
        let place = site.places.get(&place_of(analysis, block)).copied().unwrap_or_default();
        AtPlace { site, place, texts: site.texts.get(&block.hash).copied().unwrap_or(0) }
    }

    fn mean(&self) -> f32 {
        self.of_words(self.place.likely)
    }

    fn spread(&self) -> f32 {
        let mean = self.mean();
        (self.of_words(self.place.squares) - mean * mean).max(0.0).sqrt()
    }

    fn of_words(&self, sum: f32) -> f32 {
        if self.place.words < 0.5 { f32::NAN } else { sum / self.place.words }
    }
}

evidence! { Siblings, |at: &AtPlace<'_>| {
    "siblings", "pages of the site that are known", if at.site.pages == 0 { f32::NAN } else { log(at.site.pages) };
    "sibling texts", "share of them that have its text", at.site.share(at.texts);
    "sibling places", "share of them that have its place", at.site.share(at.place.pages);
    "sibling score", "likely share of content there", at.mean();
    "sibling spread", "how far probabilities there differ", at.spread();
    "sibling words", "words a page there", at.place.words / (at.place.pages as f32);
    "sibling blocks", "blocks a page there", at.place.blocks as f32 / (at.place.pages as f32);
    "sibling repeats", "share of the words there that more than one of the pages has", at.of_words(at.place.repeated);
} }
