//! Scores of extracted text against gold text, over words.
//!
//! Words are those of [`tsrec_core::words::words`], in lower case for all scores but the exact
//! ones.

use std::collections::HashMap;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

use tsrec_core::learn::similarity::{Moments, is_term, similarity};
use tsrec_core::tsrec::align::lcs_length;
use tsrec_core::words::words;

/// The scores of one page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageScore {
    /// Precision over multisets of words.
    pub bow_precision: f64,
    /// Recall over multisets of words.
    pub bow_recall: f64,
    /// F1 over multisets of words.
    pub bow_f1: f64,
    /// F1 from the longest common subsequence of words (ROUGE-L).
    pub rouge_l: f64,
    /// CleanEval's text-only score: LCS / (|gold| + |text| − LCS).
    pub cleaneval: f64,
    /// Word 4-grams in both, in the text alone, and in the gold alone.
    pub shingles: Shingles,
    /// True when the word sequences are equal, case included.
    pub exact: bool,
    /// Cosine of term frequencies (terms longer than one character) times the ratio of the shorter
    /// length to the longer (Ziegler, Skubacz 2007).
    pub cosine: f64,
    /// True when the text holds no word.
    pub empty: bool,
}

/// Counts over multisets of word 4-grams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shingles {
    /// In both.
    pub true_positives: usize,
    /// In the text alone.
    pub false_positives: usize,
    /// In the gold alone.
    pub false_negatives: usize,
}

/// The means over the pages of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SetScore {
    /// Pages scored: those whose gold holds a word.
    pub pages: usize,
    /// Pages without output.
    pub empty: usize,
    /// Mean [`PageScore::bow_precision`].
    pub bow_precision: f64,
    /// Mean [`PageScore::bow_recall`].
    pub bow_recall: f64,
    /// Mean [`PageScore::bow_f1`].
    pub bow_f1: f64,
    /// Mean [`PageScore::rouge_l`].
    pub rouge_l: f64,
    /// Mean [`PageScore::cleaneval`].
    pub cleaneval: f64,
    /// F1 of the mean precision and the mean recall over 4-grams, each over the pages that have
    /// any.
    pub shingle_f1: f64,
    /// Share of pages with [`PageScore::exact`].
    pub accuracy: f64,
    /// Mean [`PageScore::cosine`].
    pub cosine: f64,
}

/// Scores a text. `None` when the gold text holds no word: there is nothing to measure against.
/// O(gold × text / 64) for the longest common subsequence, the rest linear.
pub fn score(gold: &str, text: &str) -> Option<PageScore> {
    let (gold_words, text_words): (Vec<&str>, Vec<&str>) = (words(gold).collect(), words(text).collect());
    if gold_words.is_empty() {
        return None;
    }
    let (g, t) = (lower(&gold_words), lower(&text_words));
    let (gold_bag, text_bag) = (bag(&g), bag(&t));
    let shared = shared(&gold_bag, &text_bag);
    let (precision, recall) = (ratio(shared, t.len()), ratio(shared, g.len()));
    let lcs = word_lcs(&g, &t);
    Some(PageScore {
        bow_precision: precision,
        bow_recall: recall,
        bow_f1: harmonic(precision, recall),
        rouge_l: ratio(2 * lcs, g.len() + t.len()),
        cleaneval: ratio(lcs, g.len() + t.len() - lcs),
        shingles: shingles(&g, &t),
        exact: gold_words == text_words,
        cosine: cosine(&gold_bag, &text_bag),
        empty: t.is_empty(),
    })
}

/// The means over a set's pages.
pub fn mean(scores: &[PageScore]) -> SetScore {
    let of = |value: &dyn Fn(&PageScore) -> f64| ratio_of_sums(scores.iter().map(value));
    let precision = ratio_of_sums(scores.iter().filter_map(|s| {
        let Shingles { true_positives: tp, false_positives: fp, .. } = s.shingles;
        (tp + fp > 0).then(|| ratio(tp, tp + fp))
    }));
    let recall = ratio_of_sums(scores.iter().filter_map(|s| {
        let Shingles { true_positives: tp, false_negatives: missed, .. } = s.shingles;
        (tp + missed > 0).then(|| ratio(tp, tp + missed))
    }));
    SetScore {
        pages: scores.len(),
        empty: scores.iter().filter(|s| s.empty).count(),
        bow_precision: of(&|s| s.bow_precision),
        bow_recall: of(&|s| s.bow_recall),
        bow_f1: of(&|s| s.bow_f1),
        rouge_l: of(&|s| s.rouge_l),
        cleaneval: of(&|s| s.cleaneval),
        shingle_f1: harmonic(precision, recall),
        accuracy: of(&|s| f64::from(u8::from(s.exact))),
        cosine: of(&|s| s.cosine),
    }
}

fn lower(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_lowercase()).collect()
}

fn bag<T: Hash + Eq>(items: impl IntoIterator<Item = T>) -> HashMap<T, usize> {
    let mut bag = HashMap::new();
    for item in items {
        *bag.entry(item).or_insert(0) += 1;
    }
    bag
}

fn shared<T: Hash + Eq>(a: &HashMap<T, usize>, b: &HashMap<T, usize>) -> usize {
    a.iter().map(|(item, &count)| count.min(b.get(item).copied().unwrap_or(0))).sum()
}

fn word_lcs(gold: &[String], text: &[String]) -> usize {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |word| {
        let next = numbers.len() as u32;
        *numbers.entry(word).or_insert(next)
    };
    let gold: Vec<u32> = gold.iter().map(|word| number(word)).collect();
    let text: Vec<u32> = text.iter().map(|word| number(word)).collect();
    lcs_length(&gold, &text)
}

/// Words in a shingle.
const SHINGLE: usize = 4;

fn shingles(gold: &[String], text: &[String]) -> Shingles {
    /// A text of fewer words is one shingle.
    fn word_counts(words: &[String]) -> HashMap<&[String], usize> {
        match words.len() {
            0 => HashMap::new(),
            n if n < SHINGLE => bag([words]),
            _ => bag(words.windows(SHINGLE)),
        }
    }
    let (gold, text) = (word_counts(gold), word_counts(text));
    let both = shared(&gold, &text);
    Shingles {
        true_positives: both,
        false_positives: text.values().sum::<usize>() - both,
        false_negatives: gold.values().sum::<usize>() - both,
    }
}

fn cosine(gold: &HashMap<&String, usize>, text: &HashMap<&String, usize>) -> f64 {
    let moments = |bag: &HashMap<&String, usize>| {
        Moments::from_frequencies(bag.iter().filter(|(word, _)| is_term(word)).map(|(_, &count)| count as u64))
    };
    let product = gold.iter().filter(|(word, _)| is_term(word)).filter_map(|(word, &n)| Some(n * text.get(word)?));
    similarity(product.sum::<usize>() as u64, moments(gold), moments(text))
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn harmonic(a: f64, b: f64) -> f64 {
    if a + b == 0.0 { 0.0 } else { 2.0 * a * b / (a + b) }
}

fn ratio_of_sums(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_gold_is_not_scored() {
        assert_eq!(score(" .", "text"), None);
    }

    #[test]
    fn scores_are_those_worked_by_hand() {
        let s = score("the dog barked", "The dog").unwrap();
        assert_eq!((s.bow_precision, s.bow_recall), (1.0, 2.0 / 3.0));
        assert_eq!((s.bow_f1, s.rouge_l, s.cleaneval), (0.8, 0.8, 2.0 / 3.0));
        assert_eq!(s.shingles, Shingles { true_positives: 0, false_positives: 1, false_negatives: 1 });
        let cosine = 2.0 / 6f64.sqrt() * (2.0 / 3.0);
        assert!(!s.exact && !s.empty && (s.cosine - cosine).abs() < 1e-12);
    }

    #[test]
    fn order_counts_where_it_should() {
        let s = score("a b c d e f", "d e f a b c").unwrap();
        assert_eq!((s.bow_f1, s.rouge_l, s.cleaneval), (1.0, 0.5, 3.0 / 9.0));
    }

    #[test]
    fn no_text_scores_nothing() {
        let s = score("a b", "").unwrap();
        assert!(s.empty && s.bow_f1 == 0.0 && s.cosine == 0.0 && s.rouge_l == 0.0);
        let set = mean(&[s, score("a b", "a b").unwrap()]);
        assert_eq!((set.pages, set.empty, set.bow_f1, set.accuracy), (2, 1, 0.5, 0.5));
        assert!((set.shingle_f1 - 2.0 * 0.5 / 1.5).abs() < 1e-12);
    }
}
