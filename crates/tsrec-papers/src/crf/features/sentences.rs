//! `sentence.*`, `sentence-begin`, `sentence-end` (section 4.2).
//!
//! The naive count of the paper: a token ends a sentence if it ends in a full stop, an exclamation
//! mark or a question mark. Closing quotes and brackets after the mark are ignored.

use super::BlockView;

/// `sentence.count`, and `sentence.avg-length` in words.
pub(super) fn numbers(what: &str, view: &BlockView<'_>) -> Option<Vec<f64>> {
    match what {
        "count" => Some(view.texts(|text| count(text) as f64)),
        "avg-length" => {
            let lengths = view.blocks.iter().zip(&view.words);
            Some(lengths.map(|(block, &words)| words as f64 / count(&block.text).max(1) as f64).collect())
        }
        _ => None,
    }
}

/// 1 if the first letter or digit is a capital, else 0.
pub(super) fn begins(view: &BlockView<'_>) -> Vec<f64> {
    view.texts(|text| {
        let first = text.chars().find(|c| c.is_alphanumeric());
        f64::from(u8::from(first.is_some_and(char::is_uppercase)))
    })
}

/// 1 if the text ends a sentence, else 0.
pub(super) fn ends(view: &BlockView<'_>) -> Vec<f64> {
    view.texts(|text| f64::from(u8::from(ends_sentence(text))))
}

/// The number of sentences that end in a text.
pub(super) fn count(text: &str) -> usize {
    text.split_whitespace().filter(|token| ends_sentence(token)).count()
}

fn ends_sentence(text: &str) -> bool {
    let bare = text.trim_end_matches(['"', '\'', '”', '’', '»', ')', ']']);
    bare.ends_with(['.', '!', '?', '…', '。', '！', '？'])
}
