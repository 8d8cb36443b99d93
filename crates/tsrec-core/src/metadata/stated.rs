//! Counts what pages of a site state about themselves: how their titles begin and end, their
//! authors, their dates.
//!
//! What nearly all pages state belongs to the site, not to one page. We keep hashes of the most
//! frequent values of each field (Space-Saving; Metwally, Agrawal and El Abbadi, ICDT 2005). The
//! count of a value that most pages state is exact, except for values that held its slot before.
//! Other counts are rough. Memory does not grow with the pages.

use serde::{Deserialize, Serialize};

use super::fold;
use super::site::{ends, parts};
use crate::words::simhash;

/// How many values of a field are kept. Judgement: eight others never displace a value that nine
/// tenths of the pages state.
const KEPT: usize = 8;
/// The same for ends of titles, of which a page has several. Judgement: see [`END_SHARE`].
const KEPT_ENDS: usize = 32;
/// The share of pages that must state a value for it to be the site's. Judgement: all of a few
/// pages; of many, one in ten may be of another kind.
const SHARE: f64 = 0.9;
/// The share of pages whose titles must have an end for it to be no part of the headline.
/// Judgement: a manual in four languages. A value that was seen once counts at most five of 32
/// pages, as a page has at most five ends.
const END_SHARE: f64 = 0.25;
/// Fewest pages with such an end, if not nearly all have it. Judgement: parts of one story.
const LEAST_ENDS: u32 = 6;
/// How many other pages it takes to know an author or date as the site's. Judgement: two pages may
/// share a day and an author.
const ENOUGH: u32 = 2;
/// After this many pages all counts are halved, so that old values expire. Judgement: two of the
/// longest generations of a template. So a site is not judged by one directory of like pages.
const FADES_AT: u32 = 8_192;

/// Counts of what one or many pages state. O(1) in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    pages: u32,
    /// How many of them have a title.
    titled: u32,
    titles: ValueCounts,
    beginnings: ValueCounts,
    endings: ValueCounts,
    authors: ValueCounts,
    published: ValueCounts,
}

/// The most frequent values of a field: hash, and number of pages that state it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ValueCounts(Vec<(u32, u32)>);

impl Stated {
    /// Counts one page: its whole title, and the authors and date that it states, believed or not.
    pub(super) fn of_page(title: Option<&str>, authors: &[String], published: Option<&str>) -> Stated {
        let mut stated = Stated { pages: 1, ..Stated::default() };
        if let Some(title) = title {
            let parts = parts(title);
            let first = parts.first().filter(|_| parts.len() > 1).map(|part| hash(&title[part.clone()]));
            stated.titled = 1;
            stated.titles = ValueCounts::from_values(Some(hash(title)));
            stated.beginnings = ValueCounts::from_values(first);
            stated.endings = ValueCounts::from_values(ends(title).map(|(_, from)| hash(&title[from..])));
        }
        stated.authors = ValueCounts::from_values((!authors.is_empty()).then(|| hash_of_all(authors)));
        stated.published = ValueCounts::from_values(published.map(hash));
        stated
    }

    /// Adds the counts of other pages. O(1).
    pub fn add(&mut self, other: &Stated) {
        if self.pages >= FADES_AT {
            self.fields().into_iter().for_each(ValueCounts::halve);
            (self.pages, self.titled) = (self.pages / 2, self.titled / 2);
        }
        self.pages = self.pages.saturating_add(other.pages);
        self.titled = self.titled.saturating_add(other.titled);
        self.titles.add(&other.titles, KEPT);
        self.beginnings.add(&other.beginnings, KEPT);
        self.endings.add(&other.endings, KEPT_ENDS);
        self.authors.add(&other.authors, KEPT);
        self.published.add(&other.published, KEPT);
    }

    fn fields(&mut self) -> [&mut ValueCounts; 5] {
        [&mut self.titles, &mut self.beginnings, &mut self.endings, &mut self.authors, &mut self.published]
    }

    /// The number of counted pages. After a halving it is less than the real number.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The part of a title that the site's other pages share, at its end or beginning. It is never
    /// the whole title.
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

    /// The ends of a title that titles of other pages have too: after a separator, or in brackets.
    /// Nearly all have them, or a large part of many.
    pub(super) fn shared_ends<'t>(&self, title: &'t str) -> impl Iterator<Item = &'t str> {
        let differs = self.titles.of_value(hash(title)) < self.titled;
        let is_shared = move |end: &&str| {
            let count = self.endings.of_value(hash(end));
            let is_of_many = count >= LEAST_ENDS && f64::from(count) >= END_SHARE * f64::from(self.titled);
            differs && !fold(end).is_empty() && (is_most(count, self.titled) || is_of_many)
        };
        ends(title).map(|(_, from)| &title[from..]).filter(is_shared).collect::<Vec<_>>().into_iter()
    }

    /// True of authors that every other page states too.
    pub(super) fn has_everywhere(&self, authors: &[String]) -> bool {
        self.pages >= ENOUGH && is_most(self.authors.of_value(hash_of_all(authors)), self.pages)
    }

    /// True of a date that every other page states too.
    pub(super) fn is_date_everywhere(&self, published: &str) -> bool {
        self.pages >= ENOUGH && is_most(self.published.of_value(hash(published)), self.pages)
    }
}

impl ValueCounts {
    fn from_values(values: impl IntoIterator<Item = u32>) -> ValueCounts {
        let mut counts: Vec<(u32, u32)> = values.into_iter().map(|value| (value, 1)).collect();
        counts.sort_unstable();
        counts.dedup();
        ValueCounts(counts)
    }

    fn of_value(&self, value: u32) -> u32 {
        self.0.iter().find(|(kept, _)| *kept == value).map_or(0, |(_, count)| *count)
    }

    fn add(&mut self, other: &ValueCounts, most: usize) {
        for &(value, count) in &other.0 {
            if let Some((_, own)) = self.0.iter_mut().find(|(kept, _)| *kept == value) {
                *own = own.saturating_add(count);
            } else if self.0.len() < most {
                self.0.push((value, count));
            } else if let Some(least) = self.0.iter_mut().min_by_key(|(kept, count)| (*count, *kept)) {
                // It may have been counted before it was displaced.
                *least = (value, least.1.saturating_add(count));
            }
        }
    }

    fn halve(&mut self) {
        self.0.iter_mut().for_each(|(_, count)| *count /= 2);
        self.0.retain(|(_, count)| *count > 0);
    }
}

/// Hashes a value as people compare it: without marks and case.
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
        assert!(bytes < (4 * KEPT + KEPT_ENDS) * 10, "{bytes}");
    }

    #[test]
    fn ends_of_titles_are_shared_by_nearly_all_or_by_a_large_part_of_many() {
        let mut site = Stated::default();
        for number in 0..2_000 {
            let end = match number % 3 {
                0 => " - Harbour Server Version 2.4",
                1 => " - Serveur du port - Version 2.4",
                _ => " (Harbour 17 & Quay 17)",
            };
            site.add(&page(&format!("mod {number} - draft {number}{end}"), &[], None));
        }
        for (title, expect) in [
            ("core - Harbour Server Version 2.4", &["Harbour Server Version 2.4"][..]),
            ("core - Serveur du port - Version 2.4", &["Version 2.4", "Serveur du port - Version 2.4"]),
            ("Clob (Harbour 17 & Quay 17)", &["(Harbour 17 & Quay 17)"]),
            ("Clob (draft)", &[]),
            ("core - draft 7", &[]),
        ] {
            assert_eq!(site.shared_ends(title).collect::<Vec<_>>(), expect, "{title}");
        }
        let few = page("Ferry | Sport", &[], None);
        assert_eq!(few.shared_ends("A cat | Sport").collect::<Vec<_>>(), ["Sport"]);
        assert_eq!(few.shared_ends("Ferry | Sport").count(), 0, "the same title");
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

    /// A crawl reads a large directory in one go, and then others. The directory's name is no end
    /// of the site's titles, and the site's name is one still.
    #[test]
    fn the_name_of_one_directory_is_no_end_of_all_titles() {
        let mut site = Stated::default();
        (0..6_000).for_each(|number| site.add(&page(&format!("Quay {number} - Harbour"), &[], None)));
        (0..1_400).for_each(|number| site.add(&page(&format!("tide {number} - in tides"), &[], None)));
        let ends = |title| site.shared_ends(title).collect::<Vec<_>>();
        assert_eq!((ends("Mole - Harbour"), ends("Ebb - in tides")), (vec!["Harbour"], vec![]));
    }

    #[test]
    fn what_is_no_longer_stated_fades() {
        let mut site = Stated::default();
        (0..20_000).for_each(|number| site.add(&page(&format!("Ferry {number} - The Courier"), &[], None)));
        (0..64).for_each(|number| site.add(&page(&format!("Cat {number} - The Herald"), &[], None)));
        assert_eq!(site.shared_part("A ferry - The Herald"), None, "not yet");
        (0..2 * FADES_AT).for_each(|number| site.add(&page(&format!("Ferry {number} - The Herald"), &[], None)));
        assert_eq!(site.shared_part("A ferry - The Herald"), Some("The Herald"));
        assert!(site.pages() <= FADES_AT);
    }
}
