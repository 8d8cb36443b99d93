//! How much of a text is stop words, and so in which language it is written (Ziegler, Skubacz 2007, section 3.3).
//!
//! The paper uses lists of 14 languages and does not name them. Ours are the 14 for which the Snowball project published
//! lists at the paper's time; they come from the crate `stop-words`, and hold only words without a meaning of their own.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::words::words;

/// The languages, by their codes in ISO 639-1.
pub const LANGUAGES: [&str; 14] = ["da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ru", "sv", "tr"];

/// How much of a text is stop words, in the language that has the most of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StopWords {
    /// The language, one of [`LANGUAGES`]; the first of several. `None` when the text holds no stop word of any.
    pub language: Option<&'static str>,
    /// Their share of the text's words, 0 to 1.
    pub share: f64,
}

/// For each stop word, its languages: bit `i` stands for `LANGUAGES[i]`.
static LISTS: LazyLock<HashMap<&'static str, u16>> = LazyLock::new(|| {
    let mut lists = HashMap::new();
    for (index, language) in LANGUAGES.into_iter().enumerate() {
        for &word in stop_words::lookup(language).unwrap_or_default() {
            *lists.entry(word).or_insert(0) |= 1 << index;
        }
    }
    lists
});

/// Counts the stop words of a text in every language. Linear: one look-up a word.
pub fn stop_words(text: &str) -> StopWords {
    let mut counts = [0_usize; LANGUAGES.len()];
    let mut all = 0_usize;
    for word in words(text) {
        all += 1;
        let languages = LISTS.get(word.to_lowercase().as_str()).copied().unwrap_or(0);
        for (index, count) in counts.iter_mut().enumerate() {
            *count += usize::from(languages >> index & 1);
        }
    }
    match (0..LANGUAGES.len()).rev().max_by_key(|&index| counts[index]) {
        Some(best) if counts[best] > 0 => {
            StopWords { language: Some(LANGUAGES[best]), share: counts[best] as f64 / all as f64 }
        }
        _ => StopWords::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_list() {
        for (index, language) in LANGUAGES.iter().enumerate() {
            assert!(LISTS.values().filter(|&bits| bits >> index & 1 == 1).count() > 50, "{language}");
        }
    }

    #[test]
    fn stop_words_name_the_language() {
        for (text, expect) in [
            ("The harbour was not closed when they came back to it.", Some("en")),
            ("Der Hafen war nicht geschlossen, als sie zu ihm zurückkamen.", Some("de")),
            ("Le port n'était pas fermé quand ils sont revenus avec nous.", Some("fr")),
            ("El puerto no estaba cerrado cuando ellos volvieron a él.", Some("es")),
            ("Il porto non era chiuso quando sono tornati con noi dalla città.", Some("it")),
            ("O porto não estava fechado quando eles voltaram com a gente para ele.", Some("pt")),
            ("De haven was niet gesloten toen zij er weer naar toe kwamen.", Some("nl")),
            ("Hamnen var inte stängd när de kom tillbaka till den.", Some("sv")),
            ("Satama ei ollut kiinni, kun he tulivat sinne takaisin.", Some("fi")),
            ("A kikötő nem volt zárva, amikor ők már visszatértek ide.", Some("hu")),
            ("Гавань не была закрыта, когда они вернулись к нему.", Some("ru")),
            ("Sport Video Bilder 2026", None),
            ("", None),
        ] {
            assert_eq!(stop_words(text).language, expect, "{text}");
        }
    }

    #[test]
    fn the_share_is_of_all_words() {
        assert_eq!(stop_words("The harbour and THE lighthouse"), StopWords { language: Some("en"), share: 0.6 });
    }
}
