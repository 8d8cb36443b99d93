//! Lists of words that labels on a page may have.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Beginnings of words, or phrases.
pub(super) struct LabelPhrases {
    phrases: &'static str,
    by_first: OnceLock<HashMap<char, Vec<&'static str>>>,
}

impl LabelPhrases {
    /// From phrases in lower case, with a `|` between them.
    pub(super) const fn from_list(phrases: &'static str) -> LabelPhrases {
        LabelPhrases { phrases, by_first: OnceLock::new() }
    }

    /// True if a text has one of them, in any case. Linear in the text.
    pub(super) fn are_in(&self, text: &str) -> bool {
        let by_first = self.by_first.get_or_init(|| {
            let mut by_first = HashMap::<char, Vec<&'static str>>::new();
            for phrase in self.phrases.split('|') {
                phrase.chars().next().into_iter().for_each(|first| by_first.entry(first).or_default().push(phrase));
            }
            by_first
        });
        let text = text.to_lowercase();
        text.char_indices().any(|(at, first)| {
            by_first.get(&first).is_some_and(|phrases| phrases.iter().any(|phrase| text[at..].starts_with(phrase)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_any_case_and_script() {
        let phrases = LabelPhrases::from_list("veröffentlich|mis à jour|обновл|更新|更改");
        for text in ["Veröffentlicht am", "VERÖFFENTLICHT", "Mis à jour le 3 mai", "ОБНОВЛЕНО", "最終更新日", "已更改"]
        {
            assert!(phrases.are_in(text), "{text}");
        }
        for text in ["", "Veroffentlicht", "mis à", "обнов", "更"] {
            assert!(!phrases.are_in(text), "{text}");
        }
    }
}
