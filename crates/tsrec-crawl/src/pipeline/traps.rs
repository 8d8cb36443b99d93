//! Spider traps: patterns of URLs whose pages say nothing new.
//!
//! A calendar, a session id in the URL, a sort order: the URLs never end, the pages are copies.
//! From outside they look like any others; what tells them is their content, which we have. The
//! URLs of a host fall into patterns; where nearly all pages of a pattern are copies of each other,
//! or say nothing beside the template, the pattern is a [`Trap`]: its URLs are neither taken in nor
//! asked for, for a day. Then some of its pages are looked at: a site that was closed for an hour
//! said the same on all of them, too. If they say what the others said it is a trap again, for
//! twice as long, up to a month; the frontier remembers it over restarts. Pure.

use std::collections::{HashMap, VecDeque};

use jiff::{SignedDuration, Timestamp};
use url::Url;

use crate::frontier::Trap;
use tsrec_core::pairing::pattern::pattern;
use tsrec_core::words::simhash::{hash, of_hashes};
use tsrec_core::words::words;

/// Pages of a pattern that must be seen before it is judged. Judgement: a section of a small site
/// has fewer.
const LEAST_SEEN: u32 = 20;
/// The same where it was a trap before, if all of them are copies. Judgement: that one page is like
/// another may happen, not that three are.
const LEAST_SEEN_AGAIN: u32 = 3;
/// Of ten pages so many must be copies. Judgement: sites that repeat themselves have some pages of
/// their own.
const COPIES_OF_TEN: u32 = 9;
/// How long a pattern is taken for a trap the first time, in hours. Judgement: a site that is
/// closed opens again within a day.
const FIRST_HOURS: i64 = 24;
/// How often that is doubled at most. Judgement: a month, and a few requests in it.
const MOST_DOUBLED: u32 = 5;
/// Patterns that are learned at a time; then all begin anew. Judgement: some ten megabytes.
const MOST_PATTERNS: usize = 20_000;
/// Words below which a page says nothing. Judgement: "No events on this day".
const THIN: usize = 10;
/// Bits of 64 in which the fingerprints of copies may differ: Manku, Jain, Das Sarma 2007,
/// "Detecting near-duplicates for web crawling", found 3 right for eight billion pages.
const NEAR: u32 = 3;

/// A host and a pattern of its URLs: what is a trap, or is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TrapPlace {
    pub(super) host: String,
    pub(super) pattern: String,
}

impl TrapPlace {
    /// `None` for a URL without a host.
    pub(super) fn from_url(url: &Url) -> Option<TrapPlace> {
        Some(TrapPlace { host: url.host_str()?.to_owned(), pattern: pattern(url) })
    }
}

/// What the pages of patterns were like, until they are judged.
#[derive(Debug, Default)]
pub(super) struct Traps(HashMap<TrapPlace, TrapEvidence>);

#[derive(Debug, Default)]
struct TrapEvidence {
    pages: u32,
    copies: u32,
    latest: VecDeque<u64>,
}

impl Traps {
    /// Notes the [fingerprint] of a page that was not known before; `before` is what the frontier
    /// remembers of its pattern. Tells what it is to remember instead, if this page decides.
    pub(super) fn note(
        &mut self,
        place: &TrapPlace,
        print: Option<u64>,
        before: Option<&Trap>,
        now: Timestamp,
    ) -> Option<Option<Trap>> {
        if before.is_some_and(|trap| is_shut(trap, now)) {
            return None;
        }
        if self.0.len() >= MOST_PATTERNS && !self.0.contains_key(place) {
            self.0.clear();
        }
        let seen = self.0.entry(place.clone()).or_insert_with(|| TrapEvidence::after(before));
        seen.add(print);
        let decided = match seen.is_trap(before.is_some()) {
            true => Some(caught(before, seen.latest.iter().copied().collect(), now)),
            false if before.is_some() && seen.pages >= LEAST_SEEN => None,
            false => return None,
        };
        self.0.remove(place);
        Some(decided)
    }
}

/// Whether what is stored of a pattern, by its fingerprints, says that it is no trap, which its
/// latest pages seem to tell: it counts as seen.
pub(super) fn is_refuted(trap: &Trap, stored: &[Option<u64>]) -> bool {
    let latest = trap.prints.iter().copied().collect();
    let mut seen = TrapEvidence { pages: LEAST_SEEN, copies: LEAST_SEEN, latest };
    stored.iter().for_each(|&print| seen.add(print));
    !seen.is_trap(false)
}

/// Whether new pages of a trap are not asked for.
pub(super) fn is_shut(trap: &Trap, now: Timestamp) -> bool {
    now < trap.until
}

/// What is a trap from now on, once more or for the first time.
fn caught(before: Option<&Trap>, prints: Vec<u64>, now: Timestamp) -> Trap {
    let times = before.map_or(0, |trap| trap.times);
    let hours = SignedDuration::from_hours(FIRST_HOURS << times.min(MOST_DOUBLED));
    Trap { until: now.saturating_add(hours).unwrap_or(Timestamp::MAX), times: times.saturating_add(1), prints }
}

impl TrapEvidence {
    fn after(before: Option<&Trap>) -> TrapEvidence {
        TrapEvidence {
            latest: before.map(|trap| trap.prints.iter().copied().collect()).unwrap_or_default(),
            ..TrapEvidence::default()
        }
    }

    fn add(&mut self, print: Option<u64>) {
        let is_copy = print.is_none_or(|print| self.latest.iter().any(|other| (print ^ other).count_ones() <= NEAR));
        self.pages += 1;
        self.copies += u32::from(is_copy);
        if let Some(print) = print {
            self.latest.push_back(print);
            if self.latest.len() > Trap::MOST_PRINTS {
                self.latest.pop_front();
            }
        }
    }

    fn is_trap(&self, was_one: bool) -> bool {
        let is_again = was_one && self.pages >= LEAST_SEEN_AGAIN && self.copies == self.pages;
        is_again || self.pages >= LEAST_SEEN && self.copies * 10 >= self.pages * COPIES_OF_TEN
    }
}

/// The simhash of what a page says, its title and its text, numbers left out; `None` for one that
/// says nothing.
pub(super) fn fingerprint(title: Option<&str>, text: &str) -> Option<u64> {
    let said = [title.unwrap_or_default().to_lowercase(), text.to_lowercase()];
    let hashes: Vec<u64> = said.iter().flat_map(|part| words(part)).filter_map(hash_of_letters).collect();
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
        assert_eq!(fingerprint(None, text), tsrec_core::words::simhash::simhash(&plain));
        assert_eq!(fingerprint(Some("On 5 May"), &text["On 5 May".len()..]), fingerprint(None, text));
        assert_eq!(fingerprint(Some("Calendar"), "1 2 3 4 5 6 7 8 9 10 11 12 May"), None);
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

    fn later(hours: i64) -> Timestamp {
        NOON + SignedDuration::from_hours(hours)
    }

    /// A crawl that remembers what it is told, for the pattern of one URL.
    #[derive(Default)]
    struct Crawl {
        traps: Traps,
        remembered: Option<Trap>,
    }

    impl Crawl {
        fn note(&mut self, path: &str, text: &str, now: Timestamp) {
            self.note_page(path, None, text, now);
        }

        fn note_page(&mut self, path: &str, title: Option<&str>, text: &str, now: Timestamp) {
            let (place, print) = (TrapPlace::from_url(&url(path)).unwrap(), fingerprint(title, text));
            if let Some(decided) = self.traps.note(&place, print, self.remembered.as_ref(), now) {
                self.remembered = decided;
            }
        }

        /// New pages until the pattern is shut; gives their number, at most forty.
        fn until_shut(&mut self, path: &str, text: &str, now: Timestamp) -> usize {
            let is_shut = |trap: &Option<Trap>| trap.as_ref().is_some_and(|trap| is_shut(trap, now));
            (0..40)
                .take_while(|n| {
                    let asks = !is_shut(&self.remembered);
                    if asks {
                        self.note(&format!("{path}{n}"), &format!("{text} {n}"), now);
                    }
                    asks
                })
                .count()
        }
    }

    #[test]
    fn a_calendar_and_a_session_id_are_traps_for_longer_each_time() {
        for path in ["/calendar/2031/", "/page?sid="] {
            let mut crawl = Crawl::default();
            let mut at = 0;
            for (pages, hours) in [(20, 24), (3, 48), (3, 96), (3, 192), (3, 384), (3, 768), (3, 768)] {
                assert_eq!(crawl.until_shut(path, EMPTY_DAY, later(at)), pages, "{path} after {at} hours");
                at += hours;
                assert_eq!(crawl.remembered.as_ref().unwrap().until, later(at), "{path}");
                // The process starts again.
                crawl.traps = Traps::default();
            }
        }
    }

    #[test]
    fn what_says_something_else_after_a_while_is_none_any_more() {
        let mut crawl = Crawl::default();
        crawl.until_shut("/day/", EMPTY_DAY, NOON);
        (0..LEAST_SEEN).for_each(|n| crawl.note(&format!("/day/{n}"), &story(n as usize), later(24)));
        assert_eq!(crawl.remembered, None);
        assert_eq!(crawl.until_shut("/day/", EMPTY_DAY, later(25)), 20, "it is learned anew");
    }

    /// A page in flight while the pattern was shut.
    #[test]
    fn what_comes_late_decides_nothing() {
        let mut crawl = Crawl::default();
        crawl.until_shut("/day/", EMPTY_DAY, NOON);
        let shut = crawl.remembered.clone();
        (0..40).for_each(|n| crawl.note(&format!("/day/{n}"), &story(n), later(23)));
        assert_eq!(crawl.remembered, shut);
    }

    #[test]
    fn pages_that_say_nothing_are_copies_of_each_other() {
        let mut crawl = Crawl::default();
        let months = ["January", "May", "June"].iter().cycle().take(30).enumerate();
        months.for_each(|(n, month)| crawl.note(&format!("/c/{n}"), &format!("No events in {month}"), NOON));
        assert_eq!(crawl.remembered.map(|trap| trap.times), Some(1));
    }

    /// Pages of pictures have hardly any text.
    #[test]
    fn what_differs_in_its_titles_is_no_trap() {
        let mut crawl = Crawl::default();
        for n in 0..100 {
            crawl.note_page(&format!("/photo/{n}"), Some(&story(n)[..60]), "Seen by the old pier", NOON);
        }
        assert_eq!(crawl.remembered, None);
    }

    fn story(n: usize) -> String {
        let words = ["ferry", "harbour", "council", "winter", "choir", "bridge", "market", "school", "boat", "museum"];
        let story: Vec<&str> = (0..40).map(|at| words[(n * 7 + at * (n % 9 + 1) + n / 10) % words.len()]).collect();
        format!("{} {}", story.join(" "), "x".repeat(n))
    }

    #[test]
    fn a_section_of_articles_is_no_trap() {
        let mut crawl = Crawl::default();
        for n in 0..200 {
            let copy = format!("{EMPTY_DAY} {}", "x".repeat(n));
            crawl.note(&format!("/news/2026/{n}"), &if n % 3 == 0 { copy } else { story(n) }, NOON);
            assert_eq!(crawl.remembered, None, "{n}");
        }
    }
}
