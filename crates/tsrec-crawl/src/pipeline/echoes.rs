//! Echoes: what a host says once more under a third pattern of URLs.
//!
//! A page that is gone and answers 200 says what the host's other missing pages say (a soft 404); a
//! print view, or one of a session, says what the page says. Where title and text, numbers left
//! out, are those of pages of two other patterns, there is no page of its own: it is not stored,
//! and a record that said something else is deleted. Of one pattern the pages may well say the
//! same; that is a [trap](super::traps). What was stored is not looked at again until it changes,
//! so that the first two stay. Learned anew after a restart. Pure.

use std::hash::{DefaultHasher, Hash, Hasher};

use url::Url;

use tsrec_core::pairing::pattern::pattern_hash;

/// Texts remembered at most, each at a slot that its hash tells; another with the same slot takes
/// its place. Judgement: four megabytes, which do not grow.
const SLOTS: usize = 1 << 18;

/// Who said what.
#[derive(Debug)]
pub(super) struct Echoes(Vec<TextPatterns>);

/// The first two patterns whose pages say a text, the same twice where there is one alone.
#[derive(Clone, Copy, Debug, Default)]
struct TextPatterns {
    text: u64,
    first: u32,
    second: u32,
}

impl Default for Echoes {
    fn default() -> Self {
        Echoes(vec![TextPatterns::default(); SLOTS])
    }
}

/// What a page says, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageText {
    /// The hash of its host, title and text.
    text: u64,
    /// That of its pattern.
    pattern: u32,
}

impl PageText {
    /// Of the [fingerprint](super::traps::fingerprint) of what it says.
    pub(super) fn new(url: &Url, said: u64) -> PageText {
        let mut hasher = DefaultHasher::new();
        (url.host_str(), said).hash(&mut hasher);
        PageText { text: hasher.finish(), pattern: pattern_hash(url) }
    }
}

impl Echoes {
    /// True of what pages of two other patterns say.
    pub(super) fn has(&self, said: PageText) -> bool {
        let TextPatterns { text, first, second } = self.0[slot(said.text)];
        text == said.text && first != second && ![first, second].contains(&said.pattern)
    }

    /// Notes what a page says that is stored.
    pub(super) fn note(&mut self, said: PageText) {
        let patterns = &mut self.0[slot(said.text)];
        if patterns.text != said.text {
            *patterns = TextPatterns { text: said.text, first: said.pattern, second: said.pattern };
        } else if patterns.first == patterns.second {
            patterns.second = said.pattern;
        }
    }
}

fn slot(text: u64) -> usize {
    text as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::super::traps::fingerprint;
    use super::*;

    const SORRY: &str = "The page that you were looking for is not here any more.";

    fn said(url: &str, title: &str, text: &str) -> Option<PageText> {
        Some(PageText::new(&url.parse().unwrap(), fingerprint(Some(title), text)?))
    }

    #[test]
    fn what_two_other_patterns_say_is_an_echo() {
        let mut echoes = Echoes::default();
        for stored in ["/news/2026/old", "/news/2027/old", "/shop?item=7"] {
            let says = said(&format!("http://a.example{stored}"), "Sorry", &format!("{SORRY} Request 4711.")).unwrap();
            assert!(!echoes.has(says), "{stored}");
            echoes.note(says);
        }
        let later = format!("{SORRY} Request 4712.");
        for (at, title, text, expect) in [
            ("http://a.example/about/us", "Sorry", &*later, true),
            ("http://a.example/news/2028/older", "Sorry", &later, false),
            ("http://b.example/about/us", "Sorry", &later, false),
            ("http://a.example/about/us", "About us", &later, false),
            ("http://a.example/about/us", "Sorry", "We are on holiday until the ferry sails again, as it does.", false),
        ] {
            assert_eq!(echoes.has(said(at, title, text).unwrap()), expect, "{at}: {title}: {text}");
        }
        assert!(said("http://a.example/about/us", "Home", "").is_none());
    }

    #[test]
    fn a_text_with_the_same_slot_takes_the_place() {
        let mut echoes = Echoes::default();
        let says = |text: u64, pattern| PageText { text, pattern };
        let (one, other) = (7, 7 + SLOTS as u64);
        [says(one, 1), says(one, 1), says(one, 2), says(one, 3)].into_iter().for_each(|said| echoes.note(said));
        assert_eq!([1, 2, 3].map(|pattern| echoes.has(says(one, pattern))), [false, false, true]);
        assert!(!echoes.has(says(other, 3)));
        echoes.note(says(other, 1));
        assert_eq!([one, other].map(|text| echoes.has(says(text, 3))), [false, false]);
    }
}
