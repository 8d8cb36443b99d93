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
        let end = text.char_indices().nth(by.chars().count()).map_or(text.len(), |(at, _)| at);
        let (begin, rest) = text.split_at(end);
        if !begin.chars().flat_map(char::to_lowercase).map(medial).eq(by.chars().map(medial)) {
            return None;
        }
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

/// A sigma as it is within words: a capital one does not say where it is.
fn medial(letter: char) -> char {
    if letter == 'ς' { 'σ' } else { letter }
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
