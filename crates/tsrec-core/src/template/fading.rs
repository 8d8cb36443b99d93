//! What was long ago fades: a template is remembered by its last pages, a generation or two of
//! them.
//!
//! Beside a template that has had a [`GENERATION`] of pages its newer pages are remembered once
//! more, apart. When these are a generation, they are what is remembered. So a place that is no
//! longer seen is forgotten, text that came to repeat is soon known for it, and each count is the
//! count of real pages. What a person said stays.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::memory::encoded_len;
use super::{Memory, Template};

/// Pages of a generation. Judgement: what one more page says of so many is hardly seen, and a
/// section of a site that has not come up among as many is rare or gone.
pub(super) const GENERATION: u32 = 256;

/// The newer pages of templates, by the number of the template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Newer(BTreeMap<u32, Memory>);

impl Newer {
    /// A page was added to a template. O(places of the page), and once in a generation O(places of
    /// the template).
    pub(super) fn add(&mut self, template: &mut Template, page: &Memory, most_bytes: usize) {
        if template.memory.pages() <= GENERATION {
            return;
        }
        let newer = self.0.entry(template.number).or_default();
        newer.merge(page);
        newer.bound(most_bytes / 2);
        if newer.pages() >= GENERATION {
            let mut newer = self.0.remove(&template.number).unwrap_or_default();
            newer.take_taught(&template.memory);
            template.memory = newer;
        }
    }

    /// Keeps those of these templates alone.
    pub(super) fn keep(&mut self, templates: &[Template]) {
        self.0.retain(|number, _| templates.iter().any(|template| template.number == *number));
    }

    /// Brings what is kept for a template within so many bytes, and gives how many it takes.
    pub(super) fn bound_bytes(&mut self, number: u32, most_bytes: usize) -> usize {
        if let Some(newer) = self.0.get_mut(&number) {
            newer.bound_bytes(most_bytes);
        }
        self.bytes(number)
    }

    /// What it takes for a template in a file.
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

    /// A page of places with text of their own.
    fn page(places: std::ops::Range<u64>, number: u64) -> Memory {
        Memory::of_page(places.map(|place| seen(place, number << 20 | place)))
    }

    /// One whose places have the text of every other page, but for the first: or it would be a page
    /// that is known.
    fn repeating(number: u64) -> Memory {
        Memory::of_page((0..12).map(|place| seen(place, if place > 0 { place } else { number << 20 })))
    }

    #[test]
    fn a_place_that_is_no_longer_seen_is_forgotten() {
        let mut site = Site::default();
        (0..300).for_each(|number| drop(site.learn(&page(0..12, number))));
        // Place 0 is gone, the others stay.
        for number in 300..300 + 2 * u64::from(GENERATION) {
            assert_eq!(site.learn(&page(1..12, number)).number, 1);
        }
        let memory = &site.templates()[0].memory;
        assert_eq!((memory.place(0), memory.places().len()), (None, 11));
        assert!((GENERATION..=2 * GENERATION).contains(&memory.pages()), "{}", memory.pages());
    }

    #[test]
    fn text_that_came_to_repeat_is_known_for_it() {
        let mut site = Site::default();
        let repeated = |site: &Site| site.templates()[0].memory.place(3).unwrap().repeated();
        (0..1_000).for_each(|number| drop(site.learn(&page(0..12, number))));
        assert_eq!(repeated(&site), 0.0);
        for number in 1_000..1_000 + 2 * u64::from(GENERATION) {
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
