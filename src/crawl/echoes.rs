//! Echoes: what a host says once more under a third pattern of URLs.
//!
//! A page that is gone and answers 200 says what the host's other missing pages say (a soft 404); a print view, or one of a session, says what the
//! page says. Where title and text, numbers left out, are those of pages of two other patterns, there is no page of its own: it is not stored, and
//! a record that said something else is deleted. Of one pattern the pages may well say the same; that is a [trap](super::traps).
//! What was stored is not looked at again until it changes, so that the first two stay. Learned anew after a restart. Pure.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use url::Url;

use super::traps::fingerprint;
use crate::pairing::pattern::pattern_hash;

/// Texts remembered; then all is learned anew. Judgement: some ten megabytes.
const MOST_TEXTS: usize = 200_000;

/// Who said what.
#[derive(Debug, Default)]
pub(super) struct Echoes {
    /// By the hash of host and text.
    said: HashMap<u64, Sayers>,
}

/// The first two patterns whose pages say a text.
#[derive(Debug)]
struct Sayers {
    first: u32,
    second: Option<u32>,
}

/// What a page says, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saying {
    /// The hash of its host, title and text.
    text: u64,
    /// That of its pattern.
    pattern: u32,
}

impl Saying {
    /// `None` where it says hardly anything.
    pub(super) fn of(url: &Url, title: Option<&str>, text: &str) -> Option<Saying> {
        let said = fingerprint(&format!("{} {text}", title.unwrap_or_default()))?;
        let mut hasher = DefaultHasher::new();
        (url.host_str(), said).hash(&mut hasher);
        Some(Saying { text: hasher.finish(), pattern: pattern_hash(url) })
    }
}

impl Echoes {
    /// True of what pages of two other patterns say.
    pub(super) fn has(&self, saying: Saying) -> bool {
        let said = self.said.get(&saying.text).and_then(|said| Some([said.first, said.second?]));
        said.is_some_and(|others| !others.contains(&saying.pattern))
    }

    /// Notes what a page says that is stored.
    pub(super) fn note(&mut self, saying: Saying) {
        if self.said.len() >= MOST_TEXTS && !self.said.contains_key(&saying.text) {
            self.said.clear();
        }
        let sayers = self.said.entry(saying.text).or_insert(Sayers { first: saying.pattern, second: None });
        if sayers.first != saying.pattern {
            sayers.second.get_or_insert(saying.pattern);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SORRY: &str = "The page that you were looking for is not here any more.";

    fn saying(url: &str, title: &str, text: &str) -> Option<Saying> {
        Saying::of(&url.parse().unwrap(), Some(title), text)
    }

    #[test]
    fn what_two_other_patterns_say_is_an_echo() {
        let mut echoes = Echoes::default();
        for stored in ["/news/2026/old", "/news/2027/old", "/shop?item=7"] {
            let says =
                saying(&format!("http://a.example{stored}"), "Sorry", &format!("{SORRY} Request 4711.")).unwrap();
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
            assert_eq!(echoes.has(saying(at, title, text).unwrap()), expect, "{at}: {title}: {text}");
        }
        assert!(saying("http://a.example/about/us", "Home", "").is_none());
    }
}
