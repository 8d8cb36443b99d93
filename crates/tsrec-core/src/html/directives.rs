//! What a page asks of crawlers and indexers, in `<meta name=robots>` and `X-Robots-Tag`.
//!
//! There is no standard. We read the words that the large search engines obey, as far as they apply
//! here. Several lists add up: if one of them forbids something, it is forbidden.

use html5ever::local_name;

use super::document::Document;

/// Names in `<meta name=…>` that address us: the one for every crawler, and our own.
const ADDRESSED: [&str; 2] = ["robots", "tsrec"];

/// What the page asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Do not store the page: `noindex`, `none`.
    pub noindex: bool,
    /// Do not follow its links: `nofollow`, `none`.
    pub nofollow: bool,
    /// Keep no copy of the original page: `noarchive`, `nocache`.
    pub noarchive: bool,
    /// The date from which the page must not be stored, as written: `unavailable_after`. The first
    /// one counts.
    pub unavailable_after: Option<String>,
}

impl Directives {
    /// What a page's `<meta>` asks of every crawler, of tsrec, and of the crawler with this product
    /// token. One pass over the tree.
    pub fn from_document(document: &Document, product_token: Option<&str>) -> Directives {
        let mut found = Directives::default();
        for id in document.named(local_name!("meta")) {
            let mut names = ADDRESSED.into_iter().chain(product_token);
            let given = document.attribute(id, "name").unwrap_or_default().trim();
            if names.any(|ours| given.eq_ignore_ascii_case(ours)) {
                found.add(document.attribute(id, "content").unwrap_or_default());
            }
        }
        found
    }

    /// Adds a list of words, parted by commas, semicolons or blanks. Unknown words are skipped,
    /// with their value. A date goes as far as the next word that is known, since it may hold all
    /// of these.
    pub fn add(&mut self, list: &str) {
        let mut rest = list;
        loop {
            rest = rest.trim_start_matches(is_separator);
            let word = &rest[..rest.find(|c| is_separator(c) || c == ':').unwrap_or(rest.len())];
            if rest.is_empty() {
                return;
            }
            rest = &rest[word.len()..];
            let value = rest.trim_start().strip_prefix(':').map(str::trim_start);
            match (word.to_ascii_lowercase().as_str(), value) {
                ("noindex", _) => self.noindex = true,
                ("nofollow", _) => self.nofollow = true,
                ("none", _) => (self.noindex, self.nofollow) = (true, true),
                ("noarchive" | "nocache", _) => self.noarchive = true,
                ("unavailable_after", _) => {
                    let value = value.unwrap_or(rest);
                    let (date, after) = value.split_at(next_word(value));
                    let date = date.trim_matches(is_separator);
                    self.unavailable_after.get_or_insert(date.to_owned());
                    rest = after;
                    continue;
                }
                (_, Some(value)) => {
                    rest = &value[value.find(is_separator).unwrap_or(value.len())..];
                    continue;
                }
                _ => {}
            }
            rest = value.unwrap_or(rest);
        }
    }
}

/// Words that end a date.
const WORDS: [&str; 18] = [
    "all",
    "follow",
    "index",
    "indexifembedded",
    "max-image-preview",
    "max-snippet",
    "max-video-preview",
    "noarchive",
    "nocache",
    "nofollow",
    "noimageindex",
    "noindex",
    "none",
    "noodp",
    "nosnippet",
    "notranslate",
    "noydir",
    "unavailable_after",
];

fn is_separator(letter: char) -> bool {
    matches!(letter, ',' | ';') || letter.is_whitespace()
}

/// Where the first known word of a text begins; its end if there is none. Linear.
fn next_word(text: &str) -> usize {
    let mut at = 0;
    for part in text.split_inclusive(is_separator) {
        let word = part.trim_end_matches(is_separator).split(':').next().unwrap_or_default();
        if WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            return at;
        }
        at += part.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn what_is_said_to_us_by_name_counts() {
        for (name, expect) in [
            ("robots", true),
            ("TSREC", true),
            (" ExampleBot ", true),
            ("otherbot", false),
            ("example", false),
            ("", false),
        ] {
            let page = format!("<meta name='{name}' content='noindex, noarchive, unavailable_after: 2027-01-01'>");
            let found =
                Directives::from_document(&parse(page.as_bytes(), None, &Default::default()), Some("examplebot"));
            assert_eq!((found.noindex, found.nofollow, found.noarchive), (expect, false, expect), "{name:?}");
            assert_eq!(found.unavailable_after.is_some(), expect, "{name:?}");
        }
        let page = b"<meta name=robots content=nofollow><meta name=tsrec content=noindex>";
        let found = Directives::from_document(&parse(page, None, &Default::default()), None);
        assert!(found.noindex && found.nofollow, "whatever one of them forbids is forbidden");
    }

    #[test]
    fn words_are_read_whatever_their_case_and_add_up() {
        for (lists, [noindex, nofollow, noarchive], date) in [
            (&["index, follow"][..], [false, false, false], None),
            (&["NoIndex"], [true, false, false], None),
            (&["none"], [true, true, false], None),
            (&["noarchive", " nofollow ,x"], [false, true, true], None),
            (&["max-snippet: 5, nocache"], [false, false, true], None),
            (&["unavailable_after: 2025-06-25"], [false; 3], Some("2025-06-25")),
            (
                &["unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT, noindex"],
                [true, false, false],
                Some("Wed, 25 Jun 2025 15:00:00 GMT"),
            ),
            (&["unavailable_after: a", "unavailable_after: b"], [false; 3], Some("a")),
            (&["noindexed, no index, ,"], [false; 3], None),
            (&["noindex nofollow"], [true, true, false], None),
            (&["noindex;nofollow"], [true, true, false], None),
            (&["noindex ; nofollow; noarchive"], [true, true, true], None),
            (&["noindex\n\tnofollow"], [true, true, false], None),
            (&["index;follow"], [false; 3], None),
            (&["max-snippet:-1 max-image-preview:large noindex"], [true, false, false], None),
            (&["max-snippet: none, nofollow"], [false, true, false], None),
            (
                &["unavailable_after: 25 Jun 2025 15:00:00 GMT noindex"],
                [true, false, false],
                Some("25 Jun 2025 15:00:00 GMT"),
            ),
            (
                &["unavailable_after: 25 Jun 2025 15:00:00 GMT; noarchive"],
                [false, false, true],
                Some("25 Jun 2025 15:00:00 GMT"),
            ),
            (
                &["nofollow unavailable_after: 2025-06-25T15:00:00+02:00"],
                [false, true, false],
                Some("2025-06-25T15:00:00+02:00"),
            ),
            (
                &["unavailable_after:Wednesday, 25-Jun-25 15:00:00 GMT,max-snippet:0"],
                [false; 3],
                Some("Wednesday, 25-Jun-25 15:00:00 GMT"),
            ),
            (&["Unavailable_After : 25-Aug-2007 15:00:00 EST"], [false; 3], Some("25-Aug-2007 15:00:00 EST")),
            (&["unavailable_after"], [false; 3], Some("")),
            (&[":, ; :"], [false; 3], None),
        ] {
            let mut directives = Directives::default();
            lists.iter().for_each(|list| directives.add(list));
            let expect = Directives { noindex, nofollow, noarchive, unavailable_after: date.map(str::to_owned) };
            assert_eq!(directives, expect, "{lists:?}");
        }
    }
}
