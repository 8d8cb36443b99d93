//! Spider traps: patterns of URLs whose pages say nothing new.
//!
//! A calendar, a session id in the URL, a sort order: the URLs never end, the pages are copies. From outside they look
//! like any others; what tells them is their content, which we have. The URLs of a host fall into patterns; where nearly
//! all pages of a pattern are copies of each other, or say nothing beside the template, the pattern is a trap: its URLs
//! are neither taken in nor asked for any more. That is learned anew after a restart, for some pages a trap. Pure.

use std::collections::{HashMap, VecDeque};

use url::Url;

use crate::pairing::pattern::pattern;
use crate::words::simhash::of_words;
use crate::words::words;

/// Pages of a pattern that must be seen before it is judged. Judgement: a section of a small site has fewer.
const LEAST_SEEN: u32 = 20;
/// Of ten pages so many must be copies. Judgement: sites that repeat themselves have some pages of their own.
const COPIES_OF_TEN: u32 = 9;
/// Fingerprints kept for a pattern, the latest.
const KEPT: usize = 32;
/// Patterns remembered; then all is learned anew. Judgement: some ten megabytes.
const MOST_PATTERNS: usize = 20_000;
/// Words below which a page says nothing. Judgement: "No events on this day".
const THIN: usize = 10;
/// Bits of 64 in which the fingerprints of copies may differ: Manku, Jain, Das Sarma 2007, "Detecting near-duplicates
/// for web crawling", found 3 right for eight billion pages.
const NEAR: u32 = 3;

/// What the pages of patterns were like.
#[derive(Debug, Default)]
pub(super) struct Traps {
    patterns: HashMap<(String, String), Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    pages: u32,
    copies: u32,
    latest: VecDeque<u64>,
}

impl Traps {
    /// Notes the content of a page that was not known before. Tells the pattern, if this page makes it a trap.
    pub(super) fn note(&mut self, url: &Url, text: &str) -> Option<String> {
        let key = (url.host_str()?.to_owned(), pattern(url));
        if self.patterns.len() >= MOST_PATTERNS && !self.patterns.contains_key(&key) {
            self.patterns.clear();
        }
        let seen = self.patterns.entry(key.clone()).or_default();
        let was_trap = seen.is_trap();
        let print = fingerprint(text);
        let is_copy = print.is_none_or(|print| seen.latest.iter().any(|other| (print ^ other).count_ones() <= NEAR));
        seen.pages += 1;
        seen.copies += u32::from(is_copy);
        if let Some(print) = print {
            seen.latest.push_back(print);
            if seen.latest.len() > KEPT {
                seen.latest.pop_front();
            }
        }
        (!was_trap && seen.is_trap()).then_some(key.1)
    }

    /// The pattern of a URL, if it is a trap.
    pub(super) fn trap(&self, url: &Url) -> Option<String> {
        let key = (url.host_str()?.to_owned(), pattern(url));
        self.patterns.get(&key).is_some_and(Seen::is_trap).then_some(key.1)
    }
}

impl Seen {
    fn is_trap(&self) -> bool {
        self.pages >= LEAST_SEEN && self.copies * 10 >= self.pages * COPIES_OF_TEN
    }
}

/// The simhash of a text, numbers left out; `None` for one that says nothing.
pub(super) fn fingerprint(text: &str) -> Option<u64> {
    let text: String = text.chars().filter(|letter| !letter.is_numeric()).flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = words(&text).collect();
    if words.len() < THIN { None } else { of_words(words.into_iter()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        format!("http://a.example{text}").parse().unwrap()
    }

    #[test]
    fn urls_fall_into_patterns() {
        for (text, expect) in [
            ("/", "/*"),
            ("/calendar/2031/05", "/calendar/#/#"),
            ("/news/2026/story-of-the-ferry", "/news/#/*"),
            ("/page?sid=ab12&a=1", "/page?a&sid"),
            ("/shop;jsessionid=77/list", "/shop;*/*"),
            ("/list;jsessionid=77", "/list;*"),
        ] {
            assert_eq!(pattern(&url(text)), expect, "{text}");
        }
    }

    const EMPTY_DAY: &str = "There are no events on this day. Look at the week, or at the month, or add an event.";

    #[test]
    fn a_calendar_and_a_session_id_are_traps() {
        for trap in ["/calendar/2031/", "/page?sid="] {
            let mut traps = Traps::default();
            let caught = (0..40).find_map(|n| traps.note(&url(&format!("{trap}{n}")), &format!("{EMPTY_DAY} {n}")));
            assert!(caught.is_some() && traps.trap(&url(&format!("{trap}999"))).is_some(), "{trap}");
            assert_eq!(traps.trap(&url("/news/2031/a-story")), None);
        }
    }

    #[test]
    fn pages_that_say_nothing_are_copies_of_each_other() {
        let mut traps = Traps::default();
        let months = ["January", "May", "June"].iter().cycle().take(30).enumerate();
        months.for_each(|(n, month)| drop(traps.note(&url(&format!("/c/{n}")), &format!("No events in {month}"))));
        assert_eq!(traps.trap(&url("/c/77")).as_deref(), Some("/c/#"));
    }

    #[test]
    fn a_section_of_articles_is_no_trap() {
        let mut traps = Traps::default();
        let words = ["ferry", "harbour", "council", "winter", "choir", "bridge", "market", "school", "boat", "museum"];
        for n in 0..200usize {
            let story: Vec<&str> = (0..40).map(|at| words[(n * 7 + at * (n % 9 + 1) + n / 10) % words.len()]).collect();
            let copy = if n % 3 == 0 { EMPTY_DAY.to_owned() } else { story.join(" ") };
            assert_eq!(traps.note(&url(&format!("/news/2026/{n}")), &format!("{copy} {}", "x".repeat(n))), None, "{n}");
        }
    }
}
