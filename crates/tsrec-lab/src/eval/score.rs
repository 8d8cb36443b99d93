//! Scores of extracted text against gold text, over words.
//!
//! Words are in lower case for all scores but the exact ones. Han and kana characters are words of
//! their own, see [`score_words`]: Chinese and Japanese put no spaces between words. The cosine
//! counts runs of letters instead, as its paper does, because it ignores words of one character.

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
    /// True if the word sequences are equal, case included.
    pub exact: bool,
    /// Cosine of term frequencies (terms longer than one character) times the ratio of the shorter
    /// length to the longer (Ziegler, Skubacz 2007).
    pub cosine: f64,
    /// True if the text holds no word.
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
    /// Number of scored pages: those with a word in their gold.
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

/// The words of a text, as scores count them. These are runs of letters, digits and underscores
/// ([`words`]), but each Han or kana character is a word of its own. Half-width kana and Hangul
/// stay in runs. The ranges are those that scorers of Chinese text use.
///
/// ```
/// use tsrec_lab::eval::score::score_words;
/// assert_eq!(score_words("iPhone 15手机").collect::<Vec<_>>(), ["iPhone", "15", "手", "机"]);
/// ```
pub fn score_words(text: &str) -> impl Iterator<Item = &str> {
    words(text).flat_map(|run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let end = if is_alone(first) { first.len_utf8() } else { rest.find(is_alone).unwrap_or(rest.len()) };
            let (word, after) = rest.split_at(end);
            rest = after;
            Some(word)
        })
    })
}

/// True of Han and kana characters.
fn is_alone(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Scores a text. `None` if the gold text holds no word: there is nothing to compare with. The
/// longest common subsequence takes O(gold × text / 64), the rest is linear.
pub fn score(gold: &str, text: &str) -> Option<PageScore> {
    let (gold_words, text_words): (Vec<&str>, Vec<&str>) = (score_words(gold).collect(), score_words(text).collect());
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
        cosine: cosine(gold, text),
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

/// Number of words in a shingle.
const SHINGLE: usize = 4;

fn shingles(gold: &[String], text: &[String]) -> Shingles {
    /// A text with fewer words is one shingle.
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

fn cosine(gold: &str, text: &str) -> f64 {
    let terms = |text: &str| bag(words(text).filter(|word| is_term(word)).map(str::to_lowercase));
    let moments = |bag: &HashMap<String, usize>| Moments::from_frequencies(bag.values().map(|&count| count as u64));
    let (gold, text) = (terms(gold), terms(text));
    let product: usize = gold.iter().filter_map(|(word, &n)| Some(n * text.get(word)?)).sum();
    similarity(product as u64, moments(&gold), moments(&text))
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
    fn han_and_kana_characters_are_words() {
        for (text, expect) in [
            ("\u{65b0}\u{534e}\u{793e}", &["\u{65b0}", "\u{534e}", "\u{793e}"][..]),
            ("\u{3072}\u{3089}", &["\u{3072}", "\u{3089}"]),
            ("\u{30b3}\u{30fc}\u{30d2}", &["\u{30b3}", "\u{30fc}", "\u{30d2}"]),
            ("\u{ff76}\u{ff85} \u{ff21}\u{ff11}", &["\u{ff76}\u{ff85}", "\u{ff21}\u{ff11}"]),
            ("iPhone15\u{624b}\u{673a}Pro", &["iPhone15", "\u{624b}", "\u{673a}", "Pro"]),
            ("2011\u{5e74}9\u{6708}", &["2011", "\u{5e74}", "9", "\u{6708}"]),
            ("\u{c11c}\u{c6b8} \u{314b}\u{314b}", &["\u{c11c}\u{c6b8}", "\u{314b}\u{314b}"]),
            ("\u{300c}\u{4eca}\u{300d}\u{3001}\u{30fb}\u{65e5}", &["\u{4eca}", "\u{65e5}"]),
            ("\u{e20}\u{e32}\u{e29}\u{e32}", &["\u{e20}\u{e32}\u{e29}\u{e32}"]),
            ("na\u{ef}ve o_clock 3.5", &["na\u{ef}ve", "o_clock", "3", "5"]),
            ("\u{f900}\u{3400}", &["\u{f900}", "\u{3400}"]),
        ] {
            assert_eq!(score_words(text).collect::<Vec<_>>(), expect, "{text}");
        }
    }

    /// One sentence of two is kept. As runs, nothing would be in common with a gold that lacks the
    /// comma.
    #[test]
    fn chinese_is_scored_by_character() {
        let s = score("\u{4eca}\u{5929}\u{4e0b}\u{96e8}", "\u{4eca}\u{5929}\u{ff0c}\u{4e0b}").unwrap();
        assert_eq!((s.bow_precision, s.bow_recall), (1.0, 0.75));
        assert_eq!((s.rouge_l, s.cleaneval), (6.0 / 7.0, 0.75));
        let runs = score("\u{4eca}\u{5929} ab", "\u{4eca}\u{5929} ab").unwrap();
        assert!((runs.cosine - 1.0).abs() < 1e-12, "its terms are runs: {}", runs.cosine);
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
