//! CleanEval's score of markup: do blocks begin at the same words, as the same thing?
//!
//! No publication gives the contest's formula. Ours aligns the words of both sides by a longest
//! common subsequence. The score is F1 over the beginnings of blocks. A beginning is right if it is
//! at the same word as its counterpart, and has the same type. The total is the mean of this and
//! the text-only score ([`PageScore::cleaneval`](super::score::PageScore::cleaneval)).

use std::collections::HashMap;

use tsrec_core::gold::read_markup;
use tsrec_core::tsrec::align::{BUDGET, align};

/// The F1 over beginnings of blocks, from 0 to 1, of a text with `<h>`, `<p>` and `<l>`. `None` if
/// the gold has no block. O(gold × text / 64).
///
/// ```
/// use tsrec_lab::eval::markup::markup_f1;
/// assert_eq!(markup_f1("<h>Ferry\n<p>It sails.", "<p>Ferry\n<p>It sails."), Some(0.5));
/// ```
pub fn markup_f1(gold: &str, text: &str) -> Option<f64> {
    let (gold_words, gold_starts) = read_markup(gold);
    let (text_words, text_starts) = read_markup(text);
    let blocks = gold_starts.iter().flatten().count();
    if blocks == 0 {
        return None;
    }
    let found = text_starts.iter().flatten().count();
    let right = pairs(&gold_words, &text_words)
        .into_iter()
        .filter(|&(g, t)| gold_starts[g].is_some() && gold_starts[g] == text_starts[t])
        .count();
    Some(2.0 * right as f64 / (blocks + found) as f64)
}

/// Pairs of equal words, in order.
fn pairs(gold: &[String], text: &[String]) -> Vec<(usize, usize)> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let symbols: Vec<u32> = gold
        .iter()
        .chain(text)
        .map(|word| {
            let next = numbers.len() as u32;
            *numbers.entry(word).or_insert(next)
        })
        .collect();
    let (gold, text) = symbols.split_at(gold.len());
    align(gold, text, BUDGET).pairs
}

#[cfg(test)]
mod tests {
    use super::markup_f1;

    #[test]
    fn beginnings_are_compared_by_word_and_type() {
        for (gold, text, expect) in [
            ("", "<p>a", None),
            ("a b", "<p>a", None),
            ("<p>a", "", Some(0.0)),
            ("<p>a b", "<p>a b", Some(1.0)),
            ("<p>a b<p>c", "<p>a b c", Some(2.0 / 3.0)),
            ("<p>a b<p>c", "<p>a <l>b<p>c", Some(4.0 / 5.0)),
            ("<p>a b<p>c", "x <p>a b<p>c", Some(1.0)),
            ("<p>a b<p>c", "<p>b<p>c", Some(2.0 / 4.0)),
        ] {
            assert_eq!(markup_f1(gold, text), expect, "{gold} {text}");
        }
    }
}
