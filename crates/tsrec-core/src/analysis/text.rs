//! Counts characters and words of a text in one pass.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::words::{LETTERS_A_WORD, is_ideograph, is_plain_letter, is_plain_punctuation, is_unspaced, is_word_char};

/// Counts of a piece of text. Counts add up: those of a block are the sums of its leaves' counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextCounts {
    /// Words, as [`crate::words::count`] counts them.
    pub words: u32,
    /// Characters that are not white space.
    pub characters: u32,
    /// Letters of any script.
    pub letters: u32,
    /// Letters in upper case.
    pub capitals: u32,
    /// Words that begin with a letter in upper case.
    pub capitalised: u32,
    /// Digits, in any script.
    pub digits: u32,
    /// Marks that end a sentence, in any script, and follow a word.
    pub sentence_ends: u32,
    /// Commas, in any script.
    pub commas: u32,
    /// Characters that are not letters, digits, white space, or marks of sentences.
    pub symbols: u32,
}

/// The [`TextCounts`] that are kept for an element, of all text in it. A page has as many elements
/// as texts, so an element keeps only these four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextSums {
    /// Words.
    pub words: u32,
    /// Digits.
    pub digits: u32,
    /// Marks that end a sentence.
    pub sentence_ends: u32,
    /// Commas.
    pub commas: u32,
}

impl From<TextCounts> for TextSums {
    fn from(counts: TextCounts) -> TextSums {
        let TextCounts { words, digits, sentence_ends, commas, .. } = counts;
        TextSums { words, digits, sentence_ends, commas }
    }
}

impl std::ops::AddAssign for TextSums {
    fn add_assign(&mut self, other: Self) {
        self.words += other.words;
        self.digits += other.digits;
        self.sentence_ends += other.sentence_ends;
        self.commas += other.commas;
    }
}

impl std::ops::AddAssign for TextCounts {
    fn add_assign(&mut self, other: Self) {
        self.words += other.words;
        self.characters += other.characters;
        self.letters += other.letters;
        self.capitals += other.capitals;
        self.capitalised += other.capitalised;
        self.digits += other.digits;
        self.sentence_ends += other.sentence_ends;
        self.commas += other.commas;
        self.symbols += other.symbols;
    }
}

/// True of a mark that ends a sentence. Latin, Greek and Cyrillic share theirs. Armenian, Arabic
/// and Urdu, Devanagari and its neighbours, Ethiopic, Khmer, Myanmar, Tibetan, Chinese and Japanese
/// have their own. Thai ends sentences with a space.
pub fn ends_sentence(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '…'
            | '։'
            | '؟'
            | '۔'
            | '।'
            | '॥'
            | '።'
            | '។'
            | '၊'
            | '။'
            | '།'
            | '。'
            | '！'
            | '？'
            | '．'
            | '｡'
    )
}

/// True of a comma, in any script.
pub fn is_comma(c: char) -> bool {
    matches!(c, ',' | '،' | '、' | '，' | '､' | '՝' | '፣' | '﹐')
}

/// True of a sign that belongs to the letter before it.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && !is_plain_punctuation(c) && c.general_category_group() == GeneralCategoryGroup::Mark
}

/// The hash of a word: FNV-1a over its lower-case characters.
#[derive(Clone, Copy)]
pub struct WordHash(u32);

const FNV_PRIME: u32 = 0x0100_0193;

impl WordHash {
    /// The hash of no characters.
    pub const EMPTY: WordHash = WordHash(0x811c_9dc5);

    /// Adds one more character, whatever its case.
    #[inline]
    pub fn with(self, c: char) -> WordHash {
        if c.is_ascii() {
            return WordHash((self.0 ^ u32::from(c.to_ascii_lowercase())).wrapping_mul(FNV_PRIME));
        }
        c.to_lowercase().fold(self, |hash, c| WordHash((hash.0 ^ u32::from(c)).wrapping_mul(FNV_PRIME)))
    }

    /// The hash of a whole word.
    pub fn from_word(word: &str) -> WordHash {
        word.chars().fold(WordHash::EMPTY, WordHash::with)
    }

    /// The final hash. Multiplication leaves the low bits weak, so the high bits are mixed into
    /// them.
    #[inline]
    pub fn finish(self) -> u32 {
        let mixed = (self.0 ^ (self.0 >> 16)).wrapping_mul(0x85eb_ca6b);
        mixed ^ (mixed >> 13)
    }
}

/// Counts a text, and passes the hash of each of its words to `word`, in order. One pass, linear.
///
/// In scripts without spaces each ideograph is a word. In the South-East Asian scripts each four
/// letters are one. See [`crate::words`].
pub fn count(text: &str, mut word: impl FnMut(u32)) -> TextCounts {
    let mut counts = TextCounts::default();
    let mut run = WordRun::default();
    let mut after_word = false;
    let mut rest = text;
    while let Some(&byte) = rest.as_bytes().first() {
        // Most characters are ASCII, which needs neither decoding nor Unicode's tables.
        if byte.is_ascii() {
            let taken = run.push_ascii(rest.as_bytes(), &mut counts);
            rest = &rest[taken.max(1)..];
            if taken == 0 {
                let ends_word = run.end(&mut word) || after_word;
                after_word = false;
                count_ascii_mark(byte, ends_word, &mut counts);
            }
            continue;
        }
        let Some(c) = rest.chars().next() else { break };
        rest = &rest[c.len_utf8()..];
        if is_word_char(c) {
            run.push(c, &mut counts, &mut word);
            counts.characters += 1;
            if is_plain_letter(c) {
                counts.letters += 1;
                counts.capitals += u32::from(c.is_uppercase());
            } else {
                counts.letters += u32::from(c.is_alphabetic());
                counts.capitals += u32::from(c.is_uppercase());
                counts.digits += u32::from(c.is_numeric());
            }
            continue;
        }
        // Vowel signs and the like end a word for the word count, but a sentence may still end
        // right after them.
        let ends_word = run.end(&mut word) || after_word;
        after_word = ends_word && is_mark(c);
        if c.is_whitespace() {
            continue;
        }
        counts.characters += 1;
        if ends_sentence(c) {
            counts.sentence_ends += u32::from(ends_word);
        } else if is_comma(c) {
            counts.commas += 1;
        } else {
            counts.symbols += u32::from(!is_mark(c));
        }
    }
    run.end(&mut word);
    counts
}

/// Counts an ASCII character that is not part of a word.
fn count_ascii_mark(byte: u8, ends_word: bool, counts: &mut TextCounts) {
    match byte {
        b'\t'..=b'\r' | b' ' => return,
        b'.' | b'!' | b'?' => counts.sentence_ends += u32::from(ends_word),
        b',' => counts.commas += 1,
        _ => counts.symbols += 1,
    }
    counts.characters += 1;
}

/// What the count needs to know of an ASCII character in a word.
#[derive(Clone, Copy)]
struct WordByte {
    /// The character in lower case, or 0 if no word has it.
    lower: u8,
    letter: u8,
    capital: u8,
    digit: u8,
}

/// One entry for each byte. Bytes past ASCII are not word bytes here.
static WORD_BYTES: [WordByte; 256] = {
    let mut table = [WordByte { lower: 0, letter: 0, capital: 0, digit: 0 }; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            table[byte as usize] = WordByte {
                lower: byte.to_ascii_lowercase(),
                letter: byte.is_ascii_alphabetic() as u8,
                capital: byte.is_ascii_uppercase() as u8,
                digit: byte.is_ascii_digit() as u8,
            };
        }
        byte += 1;
    }
    table
};

/// A run of word characters during the count.
#[derive(Default)]
struct WordRun {
    /// The hash of the letters of a script with spaces.
    spaced: Option<WordHash>,
    /// The hash and the number of the letters of a South-East Asian script since the last whole
    /// word.
    unspaced: Option<(WordHash, usize)>,
    any: bool,
    /// Whether the letters of a script with spaces have been counted already, since they are one
    /// word for each run.
    counted: bool,
}

impl WordRun {
    /// Takes the ASCII word characters at the beginning of a text, and returns how many they are.
    fn push_ascii(&mut self, text: &[u8], counts: &mut TextCounts) -> usize {
        let (mut hash, mut taken) = (self.spaced.unwrap_or(WordHash::EMPTY).0, 0);
        for &byte in text {
            let WordByte { lower, letter, capital, digit } = WORD_BYTES[usize::from(byte)];
            if lower == 0 {
                break;
            }
            hash = (hash ^ u32::from(lower)).wrapping_mul(FNV_PRIME);
            counts.letters += u32::from(letter);
            counts.capitals += u32::from(capital);
            counts.digits += u32::from(digit);
            taken += 1;
        }
        if taken > 0 {
            self.any = true;
            if !std::mem::replace(&mut self.counted, true) {
                counts.words += 1;
                counts.capitalised += u32::from(text[0].is_ascii_uppercase());
            }
            self.spaced = Some(WordHash(hash));
            counts.characters += taken as u32;
        }
        taken
    }

    fn push(&mut self, c: char, counts: &mut TextCounts, word: &mut impl FnMut(u32)) {
        self.any = true;
        if c.is_ascii() || !(is_ideograph(c) || is_unspaced(c)) {
            let begins = self.spaced.is_none();
            if begins && !self.counted {
                counts.words += 1;
                self.counted = true;
                counts.capitalised += u32::from(c.is_uppercase());
            }
            self.spaced = Some(self.spaced.unwrap_or(WordHash::EMPTY).with(c));
            return;
        }
        self.flush_spaced(word);
        if is_ideograph(c) {
            counts.words += 1;
            word(WordHash::EMPTY.with(c).finish());
            return;
        }
        let (hash, letters) = self.unspaced.unwrap_or((WordHash::EMPTY, 0));
        counts.words += u32::from(letters == 0);
        let (hash, letters) = (hash.with(c), letters + 1);
        self.unspaced = if letters == LETTERS_A_WORD {
            word(hash.finish());
            None
        } else {
            Some((hash, letters))
        };
    }

    fn flush_spaced(&mut self, word: &mut impl FnMut(u32)) {
        if let Some(hash) = self.spaced.take() {
            word(hash.finish());
        }
    }

    /// Ends the run. False if there was none.
    fn end(&mut self, word: &mut impl FnMut(u32)) -> bool {
        self.flush_spaced(word);
        if let Some((hash, _)) = self.unspaced.take() {
            word(hash.finish());
        }
        self.counted = false;
        std::mem::take(&mut self.any)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::words;

    fn counted(text: &str) -> (TextCounts, usize) {
        let mut hashes = 0;
        let counts = count(text, |_| hashes += 1);
        (counts, hashes)
    }

    #[test]
    fn marks_of_sentences_are_known_in_many_scripts() {
        for (text, sentences, commas) in [
            ("It sails, she said. Does it?", 2, 1),
            ("... .", 0, 0),
            ("船は出る、今日。", 1, 1),
            ("تبحر العبّارة، اليوم؟", 1, 1),
            ("नाव चलती है।", 1, 0),
            ("Пароход идёт, сегодня!", 1, 1),
        ] {
            let (counts, _) = counted(text);
            assert_eq!((counts.sentence_ends, counts.commas), (sentences, commas), "{text}");
        }
    }

    #[test]
    fn letters_capitals_and_digits_are_told_apart() {
        let (counts, hashes) = counted("Über 3,5 Mio. EUR – naïve");
        assert_eq!((counts.words, hashes), (6, 6));
        assert_eq!((counts.letters, counts.capitals, counts.digits, counts.capitalised), (15, 5, 2, 3));
        assert_eq!((counts.commas, counts.sentence_ends, counts.symbols, counts.characters), (1, 1, 1, 20));
    }

    #[test]
    fn case_is_nothing_to_a_hash() {
        assert_eq!(WordHash::from_word("Éric").finish(), WordHash::from_word("éRIC").finish());
        assert_ne!(WordHash::from_word("ab").finish(), WordHash::from_word("ba").finish());
    }

    proptest! {
        #[test]
        fn words_are_those_of_the_word_counter(text in "(漢|字|か|ก|า|ไ|م|a|B|9|_| |\\.|,|é){0,24}") {
            let (counts, _) = counted(&text);
            prop_assert_eq!(counts.words as usize, words::count(&text));
        }
    }
}
