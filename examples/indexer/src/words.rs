//! How the index splits text into words, in any language.
//!
//! Text is cut where Unicode ends words (UAX #29). So each character of Chinese, of Japanese and,
//! with its marks, of Thai is a word of its own. None of these languages writes spaces. Katakana
//! and Hangul are cut in the same way: the standard leaves runs of them whole, and Korean joins its
//! particles to its words. A query is cut alike. Words that were joined in it must stand side by
//! side, in order (the query parser makes a phrase of them): 東京 finds 東京都 and not 京東. That finds a
//! little too much, such as 京都 within 東京都, and needs no dictionary. Letters are compared without
//! case and, if Latin, without accents. There are no stems and no stop words, because they belong
//! to one language.

use tantivy::tokenizer::{
    AsciiFoldingFilter, LowerCaser, RemoveLongFilter, TextAnalyzer, Token, TokenStream, Tokenizer,
};
use unicode_segmentation::UnicodeSegmentation;

/// The name of the analyzer in the index.
pub(crate) const NAME: &str = "words";

/// The index leaves out longer words, in bytes: they are numbers and data that people do not search
/// for. tantivy allows at most 65,530.
const LONGEST: usize = 200;

/// Cuts text into words and folds them.
pub(crate) fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(Words)
        .filter(RemoveLongFilter::limit(LONGEST))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .build()
}

#[derive(Clone)]
struct Words;

struct Cut<'t> {
    /// Remaining words with their offsets, the next one last.
    left: Vec<(usize, &'t str)>,
    token: Token,
}

impl Tokenizer for Words {
    type TokenStream<'t> = Cut<'t>;

    fn token_stream<'t>(&'t mut self, text: &'t str) -> Cut<'t> {
        let mut left = Vec::new();
        for (begin, word) in text.unicode_word_indices() {
            if word.chars().any(is_cut) {
                left.extend(word.grapheme_indices(true).map(|(at, character)| (begin + at, character)));
            } else {
                left.push((begin, word));
            }
        }
        left.reverse();
        Cut { left, token: Token::default() }
    }
}

impl TokenStream for Cut<'_> {
    fn advance(&mut self) -> bool {
        let Some((begin, word)) = self.left.pop() else { return false };
        self.token.text.clear();
        self.token.text.push_str(word);
        (self.token.offset_from, self.token.offset_to) = (begin, begin + word.len());
        // The default position is one before the first.
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// Katakana and Hangul, full and half width.
fn is_cut(c: char) -> bool {
    matches!(c, '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' | '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let (mut analyzer, mut found) = (analyzer(), Vec::new());
        let mut stream = analyzer.token_stream(text);
        while let Some(token) = stream.next() {
            assert_eq!(token.position, found.len());
            assert!(text.get(token.offset_from..token.offset_to).is_some());
            found.push(token.text.clone());
        }
        found
    }

    #[test]
    fn words_of_any_language_are_cut() {
        for (text, expected) in [
            ("It's 3.14, isn't it?", "it's 3.14 isn't it"),
            ("Größe, Café; naïve", "grosse cafe naive"),
            ("東京都に住む。", "東 京 都 に 住 む"),
            ("コーヒー", "コ ー ヒ ー"),
            ("서울에서", "서 울 에 서"),
            ("ที่นี่", "ที่ นี่"),
            ("हिन्दी में", "हिन्दी में"),
            ("слово و كلمة", "слово و كلمة"),
            ("tag_sequence, C++", "tag_sequence c"),
            ("", ""),
        ] {
            assert_eq!(cut(text).join(" "), expected, "{text}");
        }
        assert!(cut(&"x".repeat(201)).is_empty());
    }
}
