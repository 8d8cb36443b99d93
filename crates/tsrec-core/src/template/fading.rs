//! Old observations of a template expire: only its last two generations of pages count.
//!
//! After a [`GENERATION`] of pages, a template also collects its newer pages in a second memory.
//! When these are twice as many as those before them, they replace the first memory. So places that
//! are no longer seen are forgotten, text that newly repeats is known in time, and each count is a
//! count of real pages. A crawl reads a site directory by directory. Since generations grow, a
//! template is never judged by one directory alone. What a person taught stays.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::memory::encoded_len;
use super::{Memory, Template};

/// Pages of the first generation. Judgement: one more page hardly changes so many. A section of a
/// site without a page among them is rare or gone.
pub(super) const GENERATION: u32 = 256;

/// Pages of the longest generation. Judgement: the largest directories of like pages have some
/// 3,000 (Rust's `core::arch`). The price: a change at old places of a large template shows in full
/// only after up to 8,192 pages.
const LONGEST: u32 = 4_096;

/// The newer pages of each template, by its number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Newer(BTreeMap<u32, Memory>);

impl Newer {
    /// Adds a page to a template. O(places of the page); once per generation O(places of the
    /// template).
    pub(super) fn add(&mut self, template: &mut Template, page: &Memory, most_bytes: usize) {
        if template.memory.pages() <= GENERATION {
            return;
        }
        let newer = self.0.entry(template.number).or_default();
        newer.merge(page);
        newer.bound(most_bytes / 2);
        // The newer pages are in the first memory, too.
        let before = template.memory.pages().saturating_sub(newer.pages());
        if newer.pages() >= (2 * before).clamp(GENERATION, LONGEST) {
            let mut newer = self.0.remove(&template.number).unwrap_or_default();
            newer.take_taught(&template.memory);
            template.memory = newer;
        }
    }

    /// Keeps only those of these templates.
    pub(super) fn keep(&mut self, templates: &[Template]) {
        self.0.retain(|number, _| templates.iter().any(|template| template.number == *number));
    }

    /// Limits what is kept for a template to `most_bytes`, and returns its size.
    pub(super) fn bound_bytes(&mut self, number: u32, most_bytes: usize) -> usize {
        if let Some(newer) = self.0.get_mut(&number) {
            newer.bound_bytes(most_bytes);
        }
        self.bytes(number)
    }

    /// Its size for a template in a file, in bytes.
    pub(super) fn bytes(&self, number: u32) -> usize {
        self.0.get(&number).map_or(0, |newer| encoded_len(&(number, newer)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{Bounds, EVIDENCE, SeenBlock, Site};

    fn seen(place: u64, text: u64) -> SeenBlock {
        let text = text.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        SeenBlock { place, text, words: 10, odds: 0.0, evidence: [0.0; EVIDENCE] }
    }

    /// A page of places with their own text.
    fn page(places: std::ops::Range<u64>, number: u64) -> Memory {
        Memory::of_page(places.map(|place| seen(place, number << 20 | place)))
    }

    /// A page whose places have the same text on every page, except the first; else it would be a
    /// known page.
    fn repeating(number: u64) -> Memory {
        Memory::of_page((0..12).map(|place| seen(place, if place > 0 { place } else { number << 20 })))
    }

    #[test]
    fn a_place_that_is_no_longer_seen_is_forgotten() {
        let mut site = Site::default();
        (0..300).for_each(|number| drop(site.learn(&page(0..12, number))));
        // Place 0 is gone; the others stay.
        for number in 300..2_000 {
            assert_eq!(site.learn(&page(1..12, number)).number, 1);
        }
        let memory = &site.templates()[0].memory;
        assert_eq!((memory.place(0), memory.places().len()), (None, 11));
    }

    #[test]
    fn at_least_half_of_all_pages_count_and_in_the_end_some_thousand() {
        let mut site = Site::default();
        for number in 0..5 * LONGEST {
            site.learn(&page(0..5, u64::from(number)));
            let pages = site.templates()[0].memory.pages();
            let least = (number / 2).min(LONGEST);
            assert!((least..=2 * LONGEST).contains(&pages), "{pages} of {number}");
        }
    }

    /// A crawl reads a large directory in one go. What its pages have in common is not what the
    /// site's pages have in common.
    #[test]
    fn one_directory_is_not_all_that_counts() {
        let mut site = Site::default();
        (0..3_000).for_each(|number| drop(site.learn(&page(0..12, number))));
        (3_000..6_000).for_each(|number| drop(site.learn(&repeating(number))));
        let repeated = site.templates()[0].memory.place(3).unwrap().repeated();
        assert!(repeated < 0.9, "{repeated}");
    }

    #[test]
    fn text_that_came_to_repeat_is_known_for_it() {
        let mut site = Site::default();
        let repeated = |site: &Site| site.templates()[0].memory.place(3).unwrap().repeated();
        (0..1_000).for_each(|number| drop(site.learn(&page(0..12, number))));
        assert_eq!(repeated(&site), 0.0);
        for number in 1_000..4_000 {
            site.learn(&repeating(number));
        }
        assert!(repeated(&site) > 0.99, "{}", repeated(&site));
    }

    #[test]
    fn what_a_person_said_does_not_fade() {
        let mut site = Site::default();
        let mut taught = page(0..12, 0);
        taught.teach(0, 10, true);
        taught.teach(5, 10, false);
        site.learn(&taught);
        (1..1_500).for_each(|number| drop(site.learn(&page(1..12, number))));
        let said = |place| site.templates()[0].memory.place(place).and_then(|place| place.taught());
        assert_eq!((said(0), said(5), said(6)), (Some(1.0), Some(0.0), None));
        assert!(site.forget_taught(1));
        (1_500..2_500).for_each(|number| drop(site.learn(&page(1..12, number))));
        assert!(!site.templates()[0].memory.is_taught(), "what was taken back does not come back");
    }

    #[test]
    fn both_generations_keep_to_the_bounds() {
        let mut site = Site::default();
        let bounds = Bounds { templates: 2, template_bytes: 16 << 10 };
        for number in 0..3 * u64::from(GENERATION) / 2 {
            site.learn_within(&page(0..90, number), crate::template::Visit::default(), &bounds);
        }
        site.enforce(&bounds);
        assert!(site.newer.bytes(1) > 0);
        let bytes = site.bytes_of(1);
        assert!(bytes <= bounds.template_bytes && bytes > bounds.template_bytes / 2, "{bytes}");
        assert!(postcard::to_stdvec(&site).unwrap().len() < bytes + 32);
    }
}
