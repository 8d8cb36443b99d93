//! The similarity of two texts by their terms (Ziegler, Skubacz 2007, section 3.5.2, formulas 2 and
//! 3).
//!
//! The cosine compares the term frequencies. It is multiplied by the ratio of the shorter text's
//! length to the longer's, so that a text and the same text twice are not equal.

/// True of a word that counts as a term: longer than one character.
pub fn is_term(word: &str) -> bool {
    word.chars().nth(1).is_some()
}

/// The numbers of one text that the similarity needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    /// The number of terms with repetitions: the sum of the frequencies.
    pub length: u64,
    /// The sum of the frequencies' squares.
    pub squares: u64,
}

impl Moments {
    /// The moments of these frequencies.
    pub fn from_frequencies(frequencies: impl IntoIterator<Item = u64>) -> Self {
        frequencies.into_iter().fold(Moments::default(), |sum, frequency| Moments {
            length: sum.length + frequency,
            squares: sum.squares + frequency * frequency,
        })
    }
}

/// The similarity of two texts, 0 to 1. `product` is the scalar product of their frequencies. 0 if
/// either has no term.
///
/// ```
/// use tsrec_core::learn::similarity::{Moments, similarity};
/// // "ab cd" and "ab cd ab cd".
/// let (once, twice) = (Moments::from_frequencies([1, 1]), Moments::from_frequencies([2, 2]));
/// assert_eq!(similarity(4, once, twice), 0.5);
/// ```
pub fn similarity(product: u64, a: Moments, b: Moments) -> f64 {
    let norm = (a.squares as f64 * b.squares as f64).sqrt();
    if norm == 0.0 {
        return 0.0;
    }
    let shorter = a.length.min(b.length) as f64 / a.length.max(b.length) as f64;
    product as f64 / norm * shorter
}
