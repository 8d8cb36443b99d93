//! What pages of a site state of themselves, counted: how their titles begin and end, who wrote
//! them, when.
//!
//! What nearly all of them state alike is the site's, and no page's own. Values are hashes, and of
//! each field the most frequent are kept (Space-Saving; Metwally, Agrawal and El Abbadi, ICDT
//! 2005): what most pages state is counted exactly but for what stood there before, the rest
//! roughly, and nothing grows with the pages.

use serde::{Deserialize, Serialize};

use super::fold;
use super::site::parts;
use crate::words::simhash;

/// Values that are kept of a field. Judgement: one that nine tenths of the pages state is never
/// crowded out by eight.
const KEPT: usize = 8;
/// The share of the pages that state what is the site's. Judgement: all of a few; of many, one in
/// ten may be of another kind.
const SHARE: f64 = 0.9;
/// Other pages from which an author or a date is known to be the site's. Judgement: two pages may
/// be of one day and one hand.
const ENOUGH: u32 = 2;
/// Pages after which all counts are halved, so that what a site no longer states fades. Judgement:
/// as many as two generations of a template.
const FADES_AT: u32 = 512;

/// What pages state, counted. Of one page or of many; O(1) in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    pages: u32,
    /// Those of them that have a title.
    titled: u32,
    titles: ValueCounts,
    beginnings: ValueCounts,
    endings: ValueCounts,
    authors: ValueCounts,
    published: ValueCounts,
}

/// The most frequent values of a field, by their hash, and how many pages state each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ValueCounts(Vec<(u32, u32)>);

impl Stated {
    /// Of one page: its whole title, and what it states as its authors and its date, whether or not
    /// these are believed.
    pub(super) fn of_page(title: Option<&str>, authors: &[String], published: Option<&str>) -> Stated {
        let mut stated = Stated { pages: 1, ..Stated::default() };
        if let Some(title) = title {
            let parts = parts(title);
            let end = |part: Option<&std::ops::Range<usize>>| {
                part.filter(|_| parts.len() > 1).map(|part| hash(&title[part.clone()]))
            };
            stated.titled = 1;
            stated.titles = ValueCounts::from_value(Some(hash(title)));
            stated.beginnings = ValueCounts::from_value(end(parts.first()));
            stated.endings = ValueCounts::from_value(end(parts.last()));
        }
        stated.authors = ValueCounts::from_value((!authors.is_empty()).then(|| hash_of_all(authors)));
        stated.published = ValueCounts::from_value(published.map(hash));
        stated
    }

    /// Counts other pages as well. O(1).
    pub fn add(&mut self, other: &Stated) {
        if self.pages >= FADES_AT {
            self.fields().into_iter().for_each(ValueCounts::halve);
            (self.pages, self.titled) = (self.pages / 2, self.titled / 2);
        }
        self.pages = self.pages.saturating_add(other.pages);
        self.titled = self.titled.saturating_add(other.titled);
        self.titles.add(&other.titles);
        self.beginnings.add(&other.beginnings);
        self.endings.add(&other.endings);
        self.authors.add(&other.authors);
        self.published.add(&other.published);
    }

    fn fields(&mut self) -> [&mut ValueCounts; 5] {
        [&mut self.titles, &mut self.beginnings, &mut self.endings, &mut self.authors, &mut self.published]
    }

    /// Pages that were counted; fewer than there were, of many.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The part of a title that the site's others share, at its end or its beginning, and that is
    /// not all of it.
    pub(super) fn shared_part<'t>(&self, title: &'t str) -> Option<&'t str> {
        let parts = parts(title);
        let (first, last) = (parts.first()?, parts.last().filter(|_| parts.len() > 1)?);
        let differs = self.titles.of_value(hash(title)) < self.titled;
        let is_shared = |counts: &ValueCounts, part: &str| {
            !fold(part).is_empty() && is_most(counts.of_value(hash(part)), self.titled)
        };
        let (first, last) = (&title[first.clone()], &title[last.clone()]);
        let found = if is_shared(&self.endings, last) {
            Some(last)
        } else {
            is_shared(&self.beginnings, first).then_some(first)
        };
        found.filter(|_| differs).map(str::trim)
    }

    /// True of authors whom every other page states as well.
    pub(super) fn has_everywhere(&self, authors: &[String]) -> bool {
        self.pages >= ENOUGH && is_most(self.authors.of_value(hash_of_all(authors)), self.pages)
    }

    /// True of a date that every other page states as well.
    pub(super) fn is_date_everywhere(&self, published: &str) -> bool {
        self.pages >= ENOUGH && is_most(self.published.of_value(hash(published)), self.pages)
    }
}

impl ValueCounts {
    fn from_value(value: Option<u32>) -> ValueCounts {
        ValueCounts(value.map(|value| (value, 1)).into_iter().collect())
    }

    fn of_value(&self, value: u32) -> u32 {
        self.0.iter().find(|(kept, _)| *kept == value).map_or(0, |(_, count)| *count)
    }

    fn add(&mut self, other: &ValueCounts) {
        for &(value, count) in &other.0 {
            if let Some((_, own)) = self.0.iter_mut().find(|(kept, _)| *kept == value) {
                *own = own.saturating_add(count);
            } else if self.0.len() < KEPT {
                self.0.push((value, count));
            } else if let Some(least) = self.0.iter_mut().min_by_key(|(kept, count)| (*count, *kept)) {
                // It may have been counted before it was crowded out.
                *least = (value, least.1.saturating_add(count));
            }
        }
    }

    fn halve(&mut self) {
        self.0.iter_mut().for_each(|(_, count)| *count /= 2);
        self.0.retain(|(_, count)| *count > 0);
    }
}

/// Of a value as people compare it: without marks and case.
fn hash(value: &str) -> u32 {
    simhash::hash(fold(value).bytes()) as u32
}

fn hash_of_all(values: &[String]) -> u32 {
    hash(&values.join("\n"))
}

fn is_most(count: u32, of: u32) -> bool {
    of > 0 && f64::from(count) >= SHARE * f64::from(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(title: &str, authors: &[&str], published: Option<&str>) -> Stated {
        let authors: Vec<String> = authors.iter().map(|author| (*author).to_owned()).collect();
        Stated::of_page(Some(title), &authors, published)
    }

    #[test]
    fn what_nearly_all_pages_state_is_the_sites() {
        let mut site = Stated::default();
        for number in 0..2_000 {
            let by: &[&str] = if number % 20 == 0 { &["Ann Orr"] } else { &["Harbour Press"] };
            let end = if number % 20 == 1 { "Tickets" } else { "The Courier" };
            site.add(&page(&format!("Ferry {number} | {end}"), by, Some(&format!("2026-03-{:02}", number % 30))));
        }
        assert_eq!(site.shared_part("A cat | the courier"), Some("the courier"));
        assert_eq!((site.shared_part("A cat | Tickets"), site.shared_part("The Courier")), (None, None));
        assert!(site.has_everywhere(&["Harbour Press".to_owned()]) && !site.has_everywhere(&["Ann Orr".to_owned()]));
        assert!(!site.is_date_everywhere("2026-03-04"));
        let bytes = postcard::to_stdvec(&site).unwrap().len();
        assert!(bytes < 5 * KEPT * 10, "{bytes}");
    }

    #[test]
    fn one_page_or_one_title_says_nothing() {
        let one = page("Ferry | The Courier", &["Harbour Press"], Some("2026-03-03T09:00"));
        assert!(!one.has_everywhere(&["Harbour Press".to_owned()]) && !one.is_date_everywhere("2026-03-03T09:00"));
        let mut same = one.clone();
        same.add(&one);
        assert_eq!((one.shared_part("Ferry | The Courier"), same.shared_part("Ferry | The Courier")), (None, None));
        assert_eq!(one.shared_part("A cat | The Courier"), Some("The Courier"));
        assert_eq!(one.shared_part("Ferry | A cat"), Some("Ferry"));
        assert_eq!(page("Courier | Ferry | -", &[], None).shared_part("Courier | A cat | -"), Some("Courier"));
    }

    #[test]
    fn what_is_no_longer_stated_fades() {
        let mut site = Stated::default();
        (0..5_000).for_each(|number| site.add(&page(&format!("Ferry {number} - The Courier"), &[], None)));
        (0..64).for_each(|number| site.add(&page(&format!("Cat {number} - The Herald"), &[], None)));
        assert_eq!(site.shared_part("A ferry - The Herald"), None, "not yet");
        (0..2 * FADES_AT).for_each(|number| site.add(&page(&format!("Ferry {number} - The Herald"), &[], None)));
        assert_eq!(site.shared_part("A ferry - The Herald"), Some("The Herald"));
        assert!(site.pages() <= FADES_AT);
    }
}
