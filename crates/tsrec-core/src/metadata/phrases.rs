//! Lists of words that labels on a page may have.

/// Beginnings of words, or phrases, in lower case, with a `|` between them.
pub(super) struct LabelPhrases(pub(super) &'static str);

impl LabelPhrases {
    /// True if a text has one of them, in any case. Linear in the text, for each of them.
    pub(super) fn are_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.0.split('|').any(|phrase| text.contains(phrase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_any_case_and_script() {
        let phrases = LabelPhrases("veröffentlich|mis à jour|обновл|更新");
        for text in ["Veröffentlicht am", "VERÖFFENTLICHT", "Mis à jour le 3 mai", "ОБНОВЛЕНО", "最終更新日"]
        {
            assert!(phrases.are_in(text), "{text}");
        }
        for text in ["", "Veroffentlicht", "mis à", "обнов"] {
            assert!(!phrases.are_in(text), "{text}");
        }
    }
}
