//! Spider traps: patterns of URLs whose pages say nothing new.
//!
//! Examples are a calendar, a session id in the URL, a sort order: the URLs never end, and the
//! pages are copies. Such URLs look like any others, but the content shows the copies: the same
//! words, and no [numbers](super::numbers) of their own. The URLs of a host fall into patterns. If
//! nearly all of the latest pages of a pattern are copies of pages before them, or say nothing
//! beside the template, the pattern is a [`Trap`]. For a day its URLs are neither added nor
//! fetched. Then some of its pages are fetched again, since a site that was closed for an hour said
//! the same on all pages, too. If they say what the others said, the pattern is a trap again, for
//! twice as long, up to a month. The frontier remembers it over restarts. Pure.

use std::collections::{HashMap, HashSet, VecDeque};

use jiff::{SignedDuration, Timestamp};
use url::Url;

use crate::frontier::Trap;
use tsrec_core::pairing::pattern::pattern;
use tsrec_core::words::simhash::{hash, of_hashes};
use tsrec_core::words::words;

/// Pages of a pattern seen before it is judged. Judgement: a section of a small site has fewer.
const LEAST_SEEN: u32 = 20;
/// The same for a pattern that was a trap before, if all of them are copies. Judgement: one page
/// may be like another by chance, but hardly three.
const LEAST_SEEN_AGAIN: u32 = 3;
/// Of ten pages this many must be copies. Judgement: sites that repeat themselves have some pages
/// of their own.
const COPIES_OF_TEN: u32 = 9;
/// How long a pattern counts as a trap the first time, in hours. Judgement: a site that is closed
/// opens again within a day.
const FIRST_HOURS: i64 = 24;
/// How often that time is doubled at most. Judgement: a month, and a few requests in it.
const MOST_DOUBLED: u32 = 5;
/// Patterns learned at a time; then all begin anew. Judgement: some ten megabytes.
const MOST_PATTERNS: usize = 20_000;
/// Pages of a pattern whose numbers are remembered; then the others are learned anew. Judgement: a
/// trap repeats itself sooner, and a section of so many pages is none.
const MOST_NUMBERS: usize = 4_096;
/// A page with fewer words says nothing. Judgement: "No events on this day".
const THIN: usize = 10;
/// Bits of 64 in which the fingerprints of copies may differ: Manku, Jain, Das Sarma 2007,
/// "Detecting near-duplicates for web crawling", found 3 right for eight billion pages.
const NEAR: u32 = 3;

/// A host and a pattern of its URLs, which may be a trap.
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

/// Evidence on the pages of patterns, until they are judged.
#[derive(Debug, Default)]
pub(super) struct Traps(HashMap<TrapPlace, TrapEvidence>);

/// What a page says, for comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PagePrint {
    /// The [`fingerprint`] of its words; `None` if it says nothing.
    pub(super) words: Option<u64>,
    /// Its [own numbers](super::numbers).
    pub(super) numbers: Option<u64>,
}

#[derive(Debug, Default)]
struct TrapEvidence {
    pages: u32,
    copies: u32,
    /// Which of the latest pages are copies.
    recent: VecDeque<bool>,
    latest: VecDeque<u64>,
    /// The numbers of all pages.
    numbers: HashSet<u64>,
}

impl Traps {
    /// Notes the [fingerprint] of a page that was not known before. `before` is what the frontier
    /// remembers of its pattern. If this page decides, returns what the frontier should remember
    /// instead.
    pub(super) fn note(
        &mut self,
        place: &TrapPlace,
        print: PagePrint,
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

/// Whether the stored pages of a pattern, by their fingerprints, show that it is no trap, although
/// its latest pages suggest one. These latest pages count as seen.
pub(super) fn is_refuted(trap: &Trap, stored: &[PagePrint]) -> bool {
    let latest = trap.prints.iter().copied().collect();
    let mut seen = TrapEvidence { pages: LEAST_SEEN, copies: LEAST_SEEN, latest, ..TrapEvidence::default() };
    stored.iter().for_each(|&print| seen.add(print));
    !are_copies(seen.copies, seen.pages)
}

fn are_copies(copies: u32, pages: u32) -> bool {
    copies * 10 >= pages * COPIES_OF_TEN
}

/// Whether a trap is active: new pages of it are not fetched.
pub(super) fn is_shut(trap: &Trap, now: Timestamp) -> bool {
    now < trap.until
}

/// A trap from now on, for the first time or again.
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

    fn add(&mut self, print: PagePrint) {
        let PagePrint { words, numbers } = print;
        let says_same = words.is_none_or(|words| self.latest.iter().any(|other| (words ^ other).count_ones() <= NEAR));
        let has_own = numbers.is_some_and(|numbers| self.numbers.insert(numbers));
        let is_copy = says_same && !has_own;
        self.pages += 1;
        self.copies += u32::from(is_copy);
        self.recent.push_back(is_copy);
        if self.recent.len() > LEAST_SEEN as usize {
            self.recent.pop_front();
        }
        if self.numbers.len() > MOST_NUMBERS {
            self.numbers.clear();
        }
        if let Some(print) = words {
            self.latest.push_back(print);
            if self.latest.len() > Trap::MOST_PRINTS {
                self.latest.pop_front();
            }
        }
    }

    fn is_trap(&self, was_one: bool) -> bool {
        let is_again = was_one && self.pages >= LEAST_SEEN_AGAIN && self.copies == self.pages;
        let recent = self.recent.iter().filter(|is_copy| **is_copy).count();
        is_again || self.pages >= LEAST_SEEN && are_copies(recent.try_into().unwrap_or(u32::MAX), LEAST_SEEN)
    }
}

/// The simhash of a page's title and text, numbers left out. `None` for a page that says nothing.
pub(super) fn fingerprint(title: Option<&str>, text: &str) -> Option<u64> {
    let said = [title.unwrap_or_default().to_lowercase(), text.to_lowercase()];
    let hashes: Vec<u64> = said.iter().flat_map(|part| words(part)).filter_map(hash_of_letters).collect();
    if hashes.len() < THIN { None } else { of_hashes(hashes.into_iter()) }
}

/// The hash of a word without its numeric characters, if anything is left. A
/// [name](is_name_with_digits) is hashed whole.
fn hash_of_letters(word: &str) -> Option<u64> {
    if is_name_with_digits(word) {
        return Some(hash(word.bytes()));
    }
    if word.is_ascii() {
        let letters = word.bytes().filter(|byte| !byte.is_ascii_digit());
        return letters.clone().next().map(|_| hash(letters));
    }
    let letters: String = word.chars().filter(|letter| !letter.is_numeric()).collect();
    (!letters.is_empty()).then(|| hash(letters.bytes()))
}

/// Most numbers in a name. Judgement: `int8x16x4_t` has three, and a session id more.
const MOST_NUMBERS_IN_NAME: usize = 3;

/// True of names such as `int8x16_t` or `utf8mb4`: they begin with a letter, and have a number
/// between letters. `May12`, `w45`, `28th` and `2031T12` are none. O(bytes).
fn is_name_with_digits(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    if !word.is_ascii() || !is_letter(0) {
        return false;
    }
    let ends: Vec<usize> =
        (1..bytes.len()).filter(|&at| is_digit(at) && !is_digit(at + 1)).take(MOST_NUMBERS_IN_NAME + 1).collect();
    let is_between = |&end: &usize| {
        let begin = (0..=end).rev().find(|&at| !is_digit(at));
        begin.is_some_and(is_letter) && is_letter(end + 1)
    };
    ends.len() <= MOST_NUMBERS_IN_NAME && ends.iter().any(is_between)
}

#[cfg(test)]
mod tests {
    use super::super::numbers::own_numbers;
    use super::*;

    fn url(text: &str) -> Url {
        format!("http://a.example{text}").parse().unwrap()
    }

    #[test]
    fn a_fingerprint_is_that_of_the_text_without_its_numbers() {
        let text =
            "On 5 May 2026 the 4711v sails at 9:30 — at ٣ in Ⅳ², naïvely, from pier 12 to pier b7, and home again";
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

    /// A crawl that remembers the trap state of one URL's pattern.
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
            let place = TrapPlace::from_url(&url(path)).unwrap();
            let print = PagePrint { words: fingerprint(title, text), numbers: own_numbers(&url(path), title, text) };
            if let Some(decided) = self.traps.note(&place, print, self.remembered.as_ref(), now) {
                self.remembered = decided;
            }
        }

        /// Adds new pages until the pattern is a trap. Returns their number, at most forty.
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

    /// Types of a manual, which differ in their names alone.
    #[test]
    fn what_differs_in_a_name_with_digits_is_no_trap() {
        let mut crawl = Crawl::default();
        for n in 0..60 {
            let name = format!("int{}x{}x{}_t", 8 << (n % 4), n / 12 + 1, n / 4 % 3 + 2);
            let text = format!("Struct {name}. A type with vectors. impl Clone for {name}. impl Debug for {name}.");
            crawl.note_page(&format!("/arch/arm/struct.{name}.html"), Some(&name), &text, NOON);
            assert_eq!(crawl.remembered, None, "{n}: {text}");
        }
    }

    #[test]
    fn names_with_digits_are_told_from_dates_and_sessions() {
        for name in ["int8x16x4_t", "i8x16", "utf8mb4", "vld1q_s16"] {
            assert!(is_name_with_digits(name), "{name}");
        }
        for other in ["may12", "w45", "28th", "2031t12", "a8f3c2d9e1", "9f8a7b", "f32", "제3회", "", "7"] {
            assert!(!is_name_with_digits(other), "{other}");
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

    /// A page that was in flight when the pattern became a trap.
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

    /// Pages whose words are the same, and whose numbers are their own.
    #[test]
    fn what_differs_in_its_numbers_is_no_trap() {
        let families: [(&str, &dyn Fn(usize) -> String); 6] = [
            ("/product/", &|n| format!("This rope of {} mm is sold by the metre, for {} euro.", 6 + n % 9, 20 + n * 7)),
            ("/product/", &|n| {
                format!("This rope is sold by the metre, on the quay and by mail, for {}.50 euro.", n + 3)
            }),
            ("/item?id=", &|n| {
                format!("A chain of {} links, {} kg each, from the yard at the old pier.", n * 3 + 70, n % 5)
            }),
            ("/tides/2026/05/", &|n| {
                format!(
                    "High water comes at {}:{:02} and {}:{:02} to the pier, as it always did.",
                    1 + n / 60,
                    n % 60,
                    13 + n / 60,
                    n % 60
                )
            }),
            ("/prices/", &|n| {
                format!("Cod {}, herring {}, plaice {}, eel {}, all by the kilo.", n + 90, n * 2 + 70, n + 99, n * 3)
            }),
            ("/stock?day=", &|n| {
                format!("The share closed at {}.{} after a day of little trade on the exchange.", 40 + n % 7, n)
            }),
        ];
        for (path, text) in families {
            let mut crawl = Crawl::default();
            for n in 0..151 {
                crawl.note(&format!("{path}{n}"), &text(n), NOON);
                assert_eq!(crawl.remembered, None, "{path}{n}: {}", text(n));
            }
        }
    }

    /// Endless calendars, whatever numbers they show, and sessions.
    #[test]
    fn endless_pages_are_traps_within_sixty_pages() {
        let grid = (1..=31).map(|day| day.to_string()).collect::<Vec<_>>().join(" ");
        let families: [(&str, &dyn Fn(usize) -> String); 7] = [
            ("/calendar/2031/", &|n| {
                format!("May {}: {grid}. There are no events in this month, or in the next.", 2031 + n / 12)
            }),
            ("/day/", &|n| {
                format!("{} May {}: there are no events on this day. Look at the week.", n % 31 + 1, 2031 + n / 365)
            }),
            ("/day/", &|n| format!("Thursday, {} May: there are no events on this day. Look at the week.", n % 28 + 1)),
            ("/calendar?date=2031-05-", &|n| {
                format!("2031-05-{n}: week {}, and there are no events on this day.", n % 53)
            }),
            ("/calendar?month=", &|n| {
                format!("May {}: there are no events in this month. Look at the year.", 2031 + n / 12)
            }),
            ("/page?session=", &|_| {
                "This rope of 12 mm is sold by the metre, for 48.50 euro, at the old pier.".to_owned()
            }),
            ("/list?page=", &|n| format!("Page {n} of 12. There is nothing more to show on this list of 240 boats.")),
        ];
        for (path, text) in families {
            let mut crawl = Crawl::default();
            let pages = (0..200).find(|n| {
                crawl.note(&format!("{path}{n}"), &text(*n), NOON);
                crawl.remembered.is_some()
            });
            assert!(pages.is_some_and(|pages| pages < 55), "{path}: {pages:?}");
        }
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
