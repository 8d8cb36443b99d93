//! What a word is: the unit of all text counts.
//!
//! A word is a maximal run of letters, digits and underscores, as `\w+` matches it. In scripts
//! without spaces that would be a whole sentence. There, each ideograph and kana letter counts as a
//! word, and so do each four letters of the South-East Asian scripts (judgement: about their mean
//! word length).

pub(crate) mod hashed;
pub mod simhash;

use std::ops::Range;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// True of characters that make words: letters, numbers of any kind, and the underscore.
///
/// Combining marks end a word, as in the reference scorer (`\w` of Python's `re`).
pub fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    is_plain_letter(c)
        || !is_plain_punctuation(c)
            && matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

/// True of Unicode ranges that hold only letters that are not numbers: Latin, Cyrillic, kana,
/// ideographs, Hangul. Most non-ASCII letters of most texts are there. False means that the Unicode
/// tables must be searched.
#[inline]
pub(crate) fn is_plain_letter(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2c1}' | '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}'
        | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// True of ranges without letters, numbers and marks: dashes, quotation marks, spaces, ideographic
/// punctuation. False means nothing.
#[inline]
pub(crate) fn is_plain_punctuation(c: char) -> bool {
    matches!(c, '\u{a0}'..='\u{a9}' | '\u{ab}'..='\u{b1}' | '\u{2010}'..='\u{2064}' | '\u{3000}'..='\u{3004}' | '\u{ff01}'..='\u{ff0f}')
}

/// The words of a text, in order: maximal runs of [`is_word_char`].
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word_char(c)).filter(|word| !word.is_empty())
}

/// The byte ranges of a text's words, with each ideograph by itself. Gold text is aligned by these,
/// because some of it lost the spaces and tags between words and ideographs.
pub fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = rest.find(|&(_, c)| is_word_char(c))?;
        let mut end = start + first.len_utf8();
        if !is_ideograph(first) {
            while let Some((at, c)) = rest.next_if(|&(_, c)| is_word_char(c) && !is_ideograph(c)) {
                end = at + c.len_utf8();
            }
        }
        Some(start..end)
    })
}

/// Letters of a South-East Asian script that count as one word.
pub(crate) const LETTERS_A_WORD: usize = 4;

/// True of an ideograph or a kana letter; each counts as a word.
pub(crate) fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// True of a letter of a South-East Asian script without spaces: Thai, Lao, Burmese, Khmer.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// The number of words in a text. Within each of its [`words`], each ideograph counts, each few
/// letters of a script without spaces, and each remaining run. One pass, linear.
pub fn count(text: &str) -> usize {
    if text.is_ascii() {
        let mut within = false;
        return text.bytes().fold(0, |count, byte| {
            let before = std::mem::replace(&mut within, byte.is_ascii_alphanumeric() | (byte == b'_'));
            count + usize::from(within & !before)
        });
    }
    let (mut count, mut unspaced, mut other) = (0, 0, false);
    for c in text.chars() {
        if !is_word_char(c) {
            count += usize::from(other) + usize::div_ceil(unspaced, LETTERS_A_WORD);
            (unspaced, other) = (0, false);
        } else if c.is_ascii() {
            other = true;
        } else if is_ideograph(c) {
            count += 1;
        } else if is_unspaced(c) {
            unspaced += 1;
        } else {
            other = true;
        }
    }
    count + usize::from(other) + usize::div_ceil(unspaced, LETTERS_A_WORD)
}

/// The longest prefix of at most `most` bytes that ends between characters.
pub fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

/// A count for people: `1 page`, `2 pages`.
pub fn number_of(count: impl std::fmt::Display, what: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_end_between_characters() {
        for (text, most, expect) in
            [("", 3, ""), ("abc", 3, "abc"), ("abc", 2, "ab"), ("a\u{e9}", 2, "a"), ("\u{1f600}", 3, "")]
        {
            assert_eq!(beginning(text, most), expect);
        }
    }

    #[test]
    fn words_are_runs() {
        assert_eq!(words("It's 3.5 o_clock — naïve!").collect::<Vec<_>>(), ["It", "s", "3", "5", "o_clock", "naïve"]);
        assert_eq!(words(" ,. ").count(), 0);
    }

    /// The quick checks agree with the Unicode tables.
    #[test]
    fn plain_letters_and_punctuation_are_so_in_unicode() {
        use GeneralCategoryGroup::{Letter, Mark, Number};
        for c in ('\u{80}'..=char::MAX).filter(|c| !c.is_ascii()) {
            let group = c.general_category_group();
            if is_plain_letter(c) {
                assert!(group == Letter && c.is_alphabetic() && !c.is_numeric(), "{c:?}");
            }
            if is_plain_punctuation(c) {
                assert!(![Letter, Mark, Number].contains(&group), "{c:?}");
            }
            assert_eq!(is_word_char(c), matches!(group, Letter | Number), "{c:?}");
        }
    }

    #[test]
    fn ideographs_are_pieces_of_their_own() {
        let pieces = |text| pieces(text).map(|range| text[range].to_owned()).collect::<Vec<_>>();
        assert_eq!(pieces("It's 在React的 x."), ["It", "s", "在", "React", "的", "x"]);
        assert!(pieces(" .").is_empty());
    }

    #[test]
    fn unspaced_scripts_are_counted_too() {
        for (text, expect) in
            [("", 0), ("two words", 2), ("漢字かな", 4), ("HTML漢字", 3), ("한국어 문장", 2), ("ภาษาไทย", 2)]
        {
            assert_eq!(count(text), expect, "{text}");
        }
    }
}
