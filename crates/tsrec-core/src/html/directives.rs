//! What a page asks of those who index it: the words of `<meta name=robots>` and of `X-Robots-Tag`.
//!
//! There is no standard; these are the words that the large search engines honour and that mean
//! something here. Several lists add up: whatever one of them forbids is forbidden.

use html5ever::local_name;

use super::document::Document;

/// Names in `<meta name=…>` whose words are for us: those for every crawler, and our own.
const ADDRESSED: [&str; 2] = ["robots", "tsrec"];

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// The page is not to be stored: `noindex`, `none`.
    pub noindex: bool,
    /// Its links are to be left alone: `nofollow`, `none`.
    pub nofollow: bool,
    /// No copy of the page as it came is to be kept: `noarchive`, `nocache`.
    pub noarchive: bool,
    /// From when on the page is not to be stored, as written: `unavailable_after`. Of several the
    /// first counts.
    pub unavailable_after: Option<String>,
}

impl Directives {
    /// What a page's `<meta>` asks of every crawler, of tsrec, and of one with this product token.
    /// One pass over the tree.
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

    /// Adds a list of words with commas between. Words that mean nothing here are skipped.
    pub fn add(&mut self, list: &str) {
        let mut words = list.split(',').map(str::trim).peekable();
        while let Some(word) = words.next() {
            let (name, value) = word.split_once(':').map_or((word, ""), |(name, value)| (name.trim(), value.trim()));
            match name.to_ascii_lowercase().as_str() {
                "noindex" => self.noindex = true,
                "nofollow" => self.nofollow = true,
                "none" => (self.noindex, self.nofollow) = (true, true),
                "noarchive" | "nocache" => self.noarchive = true,
                "unavailable_after" => {
                    // A date may hold a comma, after the name of its day.
                    let rest = words.next_if(|next| next.starts_with(|c: char| c.is_ascii_digit()));
                    let date = rest.map_or_else(|| value.to_owned(), |rest| format!("{value}, {rest}"));
                    self.unavailable_after.get_or_insert(date);
                }
                _ => {}
            }
        }
    }
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
        ] {
            let mut directives = Directives::default();
            lists.iter().for_each(|list| directives.add(list));
            let expect = Directives { noindex, nofollow, noarchive, unavailable_after: date.map(str::to_owned) };
            assert_eq!(directives, expect, "{lists:?}");
        }
    }
}
