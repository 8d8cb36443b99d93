//! Spider traps: patterns of URLs whose pages say nothing new.
//!
//! A calendar, a session id in the URL, a sort order: the URLs never end, the pages are copies. From outside they look
//! like any others; what tells them is their content, which we have. The URLs of a host fall into patterns; where nearly
//! all pages of a pattern are copies of each other, or say nothing beside the template, the pattern is a trap: its URLs
//! are neither taken in nor asked for, for a day. Then it is learned anew, for some pages a trap: a site that was closed for an hour said the same on all of them, too. Pure.

use std::collections::{HashMap, VecDeque};

use jiff::{SignedDuration, Timestamp};
use url::Url;

use crate::pairing::pattern::pattern;
use crate::words::simhash::{hash, of_hashes};
use crate::words::words;

/// Pages of a pattern that must be seen before it is judged. Judgement: a section of a small site has fewer.
const LEAST_SEEN: u32 = 20;
/// Of ten pages so many must be copies. Judgement: sites that repeat themselves have some pages of their own.
const COPIES_OF_TEN: u32 = 9;
/// How long a pattern is taken for a trap. Judgement: so a trap costs some twenty requests a day.
const CAUGHT_FOR: SignedDuration = SignedDuration::from_hours(24);
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
    /// When it was found to be a trap.
    caught_at: Option<Timestamp>,
}

impl Traps {
    /// Notes the content of a page that was not known before. Tells the pattern, if this page makes it a trap.
    pub(super) fn note(&mut self, url: &Url, text: &str, now: Timestamp) -> Option<String> {
        let key = (url.host_str()?.to_owned(), pattern(url));
        if self.patterns.len() >= MOST_PATTERNS && !self.patterns.contains_key(&key) {
            self.patterns.clear();
        }
        let seen = self.patterns.entry(key.clone()).or_default();
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
        let is_caught = seen.caught_at.is_none() && seen.is_trap();
        if is_caught {
            seen.caught_at = Some(now);
        }
        is_caught.then_some(key.1)
    }

    /// The pattern of a URL, if it is a trap.
    pub(super) fn trap(&mut self, url: &Url, now: Timestamp) -> Option<String> {
        let key = (url.host_str()?.to_owned(), pattern(url));
        let caught_at = self.patterns.get(&key)?.caught_at?;
        if now.duration_since(caught_at) >= CAUGHT_FOR {
            self.patterns.remove(&key);
            return None;
        }
        Some(key.1)
    }
}

impl Seen {
    fn is_trap(&self) -> bool {
        self.pages >= LEAST_SEEN && self.copies * 10 >= self.pages * COPIES_OF_TEN
    }
}

/// The simhash of a text, numbers left out; `None` for one that says nothing.
pub(super) fn fingerprint(text: &str) -> Option<u64> {
    let text = text.to_lowercase();
    let hashes: Vec<u64> = words(&text).filter_map(hash_of_letters).collect();
    if hashes.len() < THIN { None } else { of_hashes(hashes.into_iter()) }
}

/// The hash of a word without what is numeric in it, if anything else is.
fn hash_of_letters(word: &str) -> Option<u64> {
    if word.is_ascii() {
        let letters = word.bytes().filter(|byte| !byte.is_ascii_digit());
        return letters.clone().next().map(|_| hash(letters));
    }
    let letters: String = word.chars().filter(|letter| !letter.is_numeric()).collect();
    (!letters.is_empty()).then(|| hash(letters.bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        format!("http://a.example{text}").parse().unwrap()
    }

    #[test]
    fn a_fingerprint_is_that_of_the_text_without_its_numbers() {
        let text =
            "On 5 May 2026 the m4711v sails at 9:30 — at ٣ in Ⅳ², naïvely, from pier 12 to pier b7, and home again";
        let plain: String = text.chars().filter(|letter| !letter.is_numeric()).collect();
        assert_eq!(fingerprint(text), crate::words::simhash::simhash(&plain));
        assert_eq!(fingerprint("1 2 3 4 5 6 7 8 9 10 11 12 May"), None);
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

    const NOON: Timestamp = Timestamp::UNIX_EPOCH;
    const EMPTY_DAY: &str = "There are no events on this day. Look at the week, or at the month, or add an event.";

    #[test]
    fn a_calendar_and_a_session_id_are_traps() {
        for trap in ["/calendar/2031/", "/page?sid="] {
            let mut traps = Traps::default();
            let caught =
                (0..40).find_map(|n| traps.note(&url(&format!("{trap}{n}")), &format!("{EMPTY_DAY} {n}"), NOON));
            let mut is_trap = |now| traps.trap(&url(&format!("{trap}999")), now).is_some();
            let later = |hours| NOON + SignedDuration::from_hours(hours);
            assert!(caught.is_some() && is_trap(NOON) && is_trap(later(23)), "{trap}");
            assert!(!is_trap(later(24)) && !is_trap(NOON), "{trap}: it is learned anew");
            assert_eq!(traps.trap(&url("/news/2031/a-story"), NOON), None);
        }
    }

    #[test]
    fn pages_that_say_nothing_are_copies_of_each_other() {
        let mut traps = Traps::default();
        let months = ["January", "May", "June"].iter().cycle().take(30).enumerate();
        months
            .for_each(|(n, month)| drop(traps.note(&url(&format!("/c/{n}")), &format!("No events in {month}"), NOON)));
        assert_eq!(traps.trap(&url("/c/77"), NOON).as_deref(), Some("/c/#"));
    }

    #[test]
    fn a_section_of_articles_is_no_trap() {
        let mut traps = Traps::default();
        let words = ["ferry", "harbour", "council", "winter", "choir", "bridge", "market", "school", "boat", "museum"];
        for n in 0..200usize {
            let story: Vec<&str> = (0..40).map(|at| words[(n * 7 + at * (n % 9 + 1) + n / 10) % words.len()]).collect();
            let copy = if n % 3 == 0 { EMPTY_DAY.to_owned() } else { story.join(" ") };
            assert_eq!(
                traps.note(&url(&format!("/news/2026/{n}")), &format!("{copy} {}", "x".repeat(n)), NOON),
                None,
                "{n}"
            );
        }
    }
}
