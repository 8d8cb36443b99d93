//! Words for `by` before the name of an author.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::is_east_asian;
use super::words::{JOINED_BY, SURNAMES, by};

/// The words by their first letter, in their order: most texts begin with no such letter.
static BY_FIRST: LazyLock<BTreeMap<char, Vec<(&str, bool)>>> = LazyLock::new(|| {
    let mut entries = BTreeMap::<char, Vec<(&str, bool)>>::new();
    for (by, with_colon) in by() {
        by.chars().next().into_iter().for_each(|first| entries.entry(first).or_default().push((by, with_colon)));
    }
    entries
});

/// What follows a word for `by` at the beginning of a text, if there is one. Empty if nothing
/// follows.
pub(in crate::metadata) fn without_by(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['（', '【', '(', '[', ' ']);
    let entries = BY_FIRST.get(&text.chars().next()?.to_lowercase().next()?)?;
    entries.iter().find_map(|(by, with_colon)| {
        let mut letters = text.chars();
        if !by.chars().all(|wanted| letters.next().is_some_and(|letter| is_same(letter, wanted))) {
            return None;
        }
        let rest = letters.as_str();
        let is_word = by.chars().all(|c| ('\u{2e80}'..='\u{d7ff}').contains(&c) || matches!(c, '・' | '/'));
        let is_mark = |c: char| {
            c.is_whitespace()
                || matches!(c, ':' | '：' | '/' | '／')
                || is_word && matches!(c, '|' | '｜' | '丨' | '=' | '＝' | '・' | '·')
        };
        // It is a particle of a name or a heading, unless a colon or a name follows.
        let is_direct = || {
            let name = rest.split(['／', '/', '（', '）', '】', ' ', '\u{3000}']).next().unwrap_or_default();
            JOINED_BY.contains(by)
                && name.starts_with(|c| SURNAMES.contains(c))
                && is_east_asian(name)
                && name.chars().count() <= 4
        };
        let has_colon = rest.trim_start().starts_with([':', '：']);
        let is_by = match with_colon {
            true => has_colon,
            false => rest.is_empty() || rest.starts_with(is_mark) || is_direct(),
        };
        is_by.then(|| rest.trim_start_matches(is_mark).trim())
    })
}

/// Whether a letter is that small one. A capital sigma does not say where in a word it is.
fn is_same(letter: char, small: char) -> bool {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase() == small;
    }
    let mut lower = letter.to_lowercase();
    let medial = |letter| if letter == 'ς' { 'σ' } else { letter };
    lower.next().map(medial) == Some(medial(small)) && lower.next().is_none()
}

/// The same for a phrase such as `written by`, with which nothing else begins.
pub(in crate::metadata) fn without_phrase(text: &str) -> Option<&str> {
    let rest = without_by(text)?;
    let before = text.trim_end().strip_suffix(rest).unwrap_or(text).trim_end_matches([':', '：', ' ', '\u{a0}']);
    before.trim().contains(' ').then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_get_longer_in_lower_case_may_follow() {
        assert_eq!(without_by("Yazan: İpek Vural"), Some("İpek Vural"));
        assert_eq!(without_by("By İİİ"), Some("İİİ"));
    }

    #[test]
    fn each_word_for_by_is_found_in_small_and_in_capital_letters() {
        for (by, _) in by() {
            for text in [format!("{by}: Ann Orr"), format!("{}: Ann Orr", by.to_uppercase())] {
                let is_found = without_by(&text).is_some_and(|rest| rest.ends_with("Ann Orr"));
                // Some letters have no one capital: `ß`.
                assert!(is_found || text.to_lowercase() != format!("{by}: ann orr"), "{text}");
            }
        }
        assert_eq!(["", "(", "Quay 7"].map(without_by), [None; 3]);
    }
}
