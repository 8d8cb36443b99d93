//! The measure of WCXB (Foley 2026, "WCXB", arXiv 2605.21097): F1 over bags of words, its mean over
//! all pages.
//!
//! It differs from [`score`](super::score) for a page without gold words: that page counts 1 if
//! nothing was extracted, else 0. It also looks for snippets that must, or must not, be in the
//! text.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use tsrec_core::words::words;

/// The score of a page, or the mean over pages; each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WordScore {
    /// Precision over multisets of words.
    pub precision: f64,
    /// Recall over multisets of words.
    pub recall: f64,
    /// F1 over multisets of words. As a mean: the mean of the pages' F1.
    pub f1: f64,
}

impl WordScore {
    fn all(value: f64) -> Self {
        WordScore { precision: value, recall: value, f1: value }
    }
}

/// Scores a text. Linear.
///
/// ```
/// use tsrec_lab::eval::wcxb::score;
/// assert_eq!(score("The ferry sails", "the FERRY").recall, 2.0 / 3.0);
/// assert_eq!(score("", "").f1, 1.0);
/// assert_eq!(score("", "a menu").f1, 0.0);
/// ```
pub fn score(gold: &str, text: &str) -> WordScore {
    // Lower case first: some letters then become two, and one of those is not part of a word.
    let (gold, text) = (gold.to_lowercase(), text.to_lowercase());
    let (gold, text): (Vec<&str>, Vec<&str>) = (words(&gold).collect(), words(&text).collect());
    if gold.is_empty() {
        return WordScore::all(if text.is_empty() { 1.0 } else { 0.0 });
    }
    let mut bag: HashMap<&str, usize> = HashMap::new();
    gold.iter().for_each(|word| *bag.entry(word).or_default() += 1);
    let mut both = 0;
    for word in &text {
        if let Some(left) = bag.get_mut(word).filter(|left| **left > 0) {
            *left -= 1;
            both += 1;
        }
    }
    if both == 0 {
        return WordScore::default();
    }
    let (precision, recall) = (f64::from(both) / text.len() as f64, f64::from(both) / gold.len() as f64);
    WordScore { precision, recall, f1: 2.0 * precision * recall / (precision + recall) }
}

/// The mean over pages, with equal weight for each; 0 without pages.
pub fn mean(pages: &[WordScore]) -> WordScore {
    let mean = |value: fn(&WordScore) -> f64| pages.iter().map(value).sum::<f64>() / pages.len().max(1) as f64;
    WordScore { precision: mean(|page| page.precision), recall: mean(|page| page.recall), f1: mean(|page| page.f1) }
}

/// The mean over pages, with equal weight for each; 0 without pages.
pub fn mean_snippets(pages: &[Snippets]) -> Snippets {
    let mean = |value: fn(&Snippets) -> f64| pages.iter().map(value).sum::<f64>() / pages.len().max(1) as f64;
    Snippets { with: mean(|page| page.with), without: mean(|page| page.without) }
}

/// The shares of a page's snippets that are in its text, ignoring case; 0 if there are none. Also
/// the means of these over pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snippets {
    /// The share of the required snippets.
    pub with: f64,
    /// The share of the forbidden snippets.
    pub without: f64,
}

/// Looks for snippets. Linear in the text for each of them.
pub fn snippets(with: &[String], without: &[String], text: &str) -> Snippets {
    let text = text.to_lowercase();
    let share = |snippets: &[String]| {
        let found = snippets.iter().filter(|snippet| text.contains(&snippet.to_lowercase())).count();
        found as f64 / snippets.len().max(1) as f64
    };
    Snippets { with: share(with), without: share(without) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_worked_by_hand() {
        for (gold, text, precision, recall) in [
            ("a b c d", "a b", 1.0, 0.5),
            ("a a b", "a b b", 2.0 / 3.0, 2.0 / 3.0),
            ("a", "b", 0.0, 0.0),
            ("a", " - ", 0.0, 0.0),
            (" - ", "a", 0.0, 0.0),
            (" - ", "", 1.0, 1.0),
            ("Straße", "STRASSE straße", 0.5, 1.0),
        ] {
            let score = score(gold, text);
            assert_eq!((score.precision, score.recall), (precision, recall), "{gold} / {text}");
        }
    }

    #[test]
    fn snippets_are_found_whatever_their_case() {
        let list = |snippets: &[&str]| snippets.iter().map(|&snippet| snippet.to_owned()).collect::<Vec<_>>();
        let found = snippets(&list(&["The Ferry", "the cat"]), &list(&["Menu"]), "the ferry sails. MENU");
        assert_eq!(found, Snippets { with: 0.5, without: 1.0 });
        assert_eq!(snippets(&[], &[], "x"), Snippets::default());
    }
}
