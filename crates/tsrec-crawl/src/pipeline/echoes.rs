//! Echoes: the same text under a third URL pattern of a host.
//!
//! A missing page that answers 200 says what the host's other missing pages say (a soft 404). A
//! print view, or a page with a session id, says what the page says. Same title and text (numbers
//! ignored) as pages under two other URL patterns: an echo. An echo is not stored, and a record
//! that said something else is deleted. Pages of one pattern may well be the same; that is a
//! [trap](super::traps). A stored page is checked again only when it changes, so that the first two
//! stay. This is learned anew after a restart. Pure.

use std::hash::{DefaultHasher, Hash, Hasher};

use url::Url;

use tsrec_core::pairing::pattern::pattern_hash;

/// Most texts remembered, each at a slot that depends on its hash. Another text with the same slot
/// replaces it. Judgement: four megabytes, which do not grow.
const SLOTS: usize = 1 << 18;

/// Which patterns have which text.
#[derive(Debug)]
pub(super) struct Echoes(Vec<TextPatterns>);

/// The first two patterns with a text. If there is only one, it is here twice.
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

/// A page's text and pattern, as hashes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageText {
    /// The hash of its host, title and text.
    text: u64,
    /// The hash of its pattern.
    pattern: u32,
}

impl PageText {
    /// From the [fingerprint](super::traps::fingerprint) of its text.
    pub(super) fn new(url: &Url, said: u64) -> PageText {
        let mut hasher = DefaultHasher::new();
        (url.host_str(), said).hash(&mut hasher);
        PageText { text: hasher.finish(), pattern: pattern_hash(url) }
    }
}

impl Echoes {
    /// Whether pages of two other patterns have this text.
    pub(super) fn has(&self, said: PageText) -> bool {
        let TextPatterns { text, first, second } = self.0[slot(said.text)];
        text == said.text && first != second && ![first, second].contains(&said.pattern)
    }

    /// Notes the text of a stored page.
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
