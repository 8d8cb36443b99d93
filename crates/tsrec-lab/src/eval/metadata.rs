//! Title, authors and date of publication, compared with what a person read on the page.
//!
//! A value is right if it equals gold after Unicode's NFKC, with case and punctuation folded.
//! Authors are compared as lists: the gold string is split as the page's own strings are
//! ([`split_authors`]). Dates are compared by day, or by month if gold has no day.

use icu_normalizer::ComposingNormalizer;
use serde::Serialize;

use tsrec_core::metadata::{Metadata, split_authors};
use tsrec_core::words::words;
use tsrec_terminal::corpus::SetPageInfo;

/// The verdict on a field of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldVerdict {
    /// The value equals gold.
    Right,
    /// The value differs from gold.
    Wrong,
    /// Gold has a value, the extraction has none.
    Missing,
    /// Gold has no value, the extraction has one.
    False,
    /// Neither has a value.
    Silent,
}

/// The verdicts on the fields of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PageVerdict {
    /// The title.
    pub title: FieldVerdict,
    /// The authors.
    pub author: FieldVerdict,
    /// The date of publication.
    pub date: FieldVerdict,
}

/// Figures of a field over pages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FieldScore {
    /// Of the pages with gold, the share with the right value. `None` if no page has gold.
    pub right: Option<f64>,
    /// Of the pages without gold, the share without a value. `None` if every page has gold.
    pub silent: Option<f64>,
    /// The number of pages without gold that got a value.
    pub falsely: usize,
}

/// Judges the metadata of a page.
pub fn judge(gold: &SetPageInfo, found: &Metadata) -> PageVerdict {
    let authors = |names: &[String]| folded(&names.join(" "));
    // Some sets write an empty string for missing gold.
    let stated = |gold: &Option<String>| gold.clone().filter(|gold| !gold.trim().is_empty());
    let gold_authors = stated(&gold.author).map(|author| authors(&split_authors(&author)));
    let found_authors = Some(authors(&found.authors)).filter(|authors| !authors.is_empty());
    let day = found.published.as_deref().map(|date| date.split('T').next().unwrap_or(date));
    // Some pages only give a month.
    let as_precise = |gold: &str| day.map(|day| day.get(..gold.len().min(day.len())).unwrap_or(day).to_owned());
    PageVerdict {
        title: verdict(stated(&gold.title).as_deref().map(folded), found.title.as_deref().map(folded)),
        author: verdict(gold_authors, found_authors),
        date: match stated(&gold.date) {
            Some(gold) => verdict(Some(gold.clone()), as_precise(&gold)),
            None => verdict(None, day.map(str::to_owned)),
        },
    }
}

fn verdict(gold: Option<String>, found: Option<String>) -> FieldVerdict {
    match (gold, found) {
        (Some(gold), Some(found)) if gold == found => FieldVerdict::Right,
        (Some(_), Some(_)) => FieldVerdict::Wrong,
        (Some(_), None) => FieldVerdict::Missing,
        (None, Some(_)) => FieldVerdict::False,
        (None, None) => FieldVerdict::Silent,
    }
}

/// The figures of a field over pages.
pub fn score(verdicts: impl Iterator<Item = FieldVerdict>) -> FieldScore {
    let [mut right, mut given, mut silent, mut falsely] = [0usize; 4];
    for verdict in verdicts {
        match verdict {
            FieldVerdict::Right => (right, given) = (right + 1, given + 1),
            FieldVerdict::Wrong | FieldVerdict::Missing => given += 1,
            FieldVerdict::False => falsely += 1,
            FieldVerdict::Silent => silent += 1,
        }
    }
    let share = |part: usize, all: usize| (all > 0).then(|| part as f64 / all as f64);
    FieldScore { right: share(right, given), silent: share(silent, silent + falsely), falsely }
}

/// A text in NFKC, in lower case, with single spaces between its words.
fn folded(text: &str) -> String {
    let text = ComposingNormalizer::new_nfkc().normalize(text).to_lowercase();
    words(&text).map(|word| word.replace('_', " ")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gold(title: &str, author: Option<&str>, date: Option<&str>) -> SetPageInfo {
        let own = |text: &str| text.to_owned();
        SetPageInfo { title: Some(own(title)), author: author.map(own), date: date.map(own), ..SetPageInfo::default() }
    }

    #[test]
    fn fields_are_judged_as_read() {
        let found = Metadata {
            title: Some("The \u{fb01}rst ferry!".to_owned()),
            authors: vec!["Ann Orr".to_owned(), "Ben Ley".to_owned()],
            published: Some("2026-01-02T03:04:05Z".to_owned()),
            ..Metadata::default()
        };
        use FieldVerdict::{False, Missing, Right, Silent, Wrong};
        for (gold, found, expect) in [
            (
                gold("the first \u{201c}Ferry\u{201d}", Some("Ann Orr and Ben Ley"), Some("2026-01-02")),
                &found,
                [Right; 3],
            ),
            (gold("ferry", Some("Ann Orr"), Some("2026-01")), &found, [Wrong, Wrong, Right]),
            (gold("ferry", None, None), &found, [Wrong, False, False]),
            (gold("ferry", None, None), &Metadata::default(), [Missing, Silent, Silent]),
        ] {
            let PageVerdict { title, author, date } = judge(&gold, found);
            assert_eq!([title, author, date], expect, "{gold:?}");
        }
        let score = score([Right, Wrong, Missing, Right, False, Silent, Silent, Silent].into_iter());
        assert_eq!((score.right, score.silent, score.falsely), (Some(0.5), Some(0.75), 1));
    }
}
