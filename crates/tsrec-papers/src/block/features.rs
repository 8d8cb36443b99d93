//! The eight features of a text block (Ziegler, Skubacz 2007, sections 3.2 to 3.4).
//!
//! # Deviations
//!
//! - The paper compares one part of a whole with the rest (alphanumeric characters, stop words,
//!   words in links). Here the value is that part's share of the whole: a/(a+b) for the paper's
//!   a/b. Both order blocks in the same way, so the possible decisions are the same. The share
//!   stays finite when there is no rest.
//! - The paper uses a trained sentence splitter. Here sentences follow Unicode's annex 29, which
//!   knows no abbreviations and ends a sentence after "Mr.". Words are those of
//!   [`tsrec_core::words`].

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use super::removal::MergedBlock;
use tsrec_core::analysis::language::stop_words;
use tsrec_core::words;

/// A feature, in the paper's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BlockFeature {
    /// Words per sentence, on average.
    SentenceLength,
    /// Number of sentences.
    Sentences,
    /// Letters and digits, as a share of all characters, white space included.
    Alphanumeric,
    /// Stop words as a share of all words. Of 14 languages, the one with the most stop words
    /// counts.
    StopWords,
    /// Words in links as a share of all words.
    Anchor,
    /// Elements that format text, per word.
    Format,
    /// Lists and list items, per word.
    List,
    /// Headlines, paragraphs, breaks and alignment, per word.
    Structure,
}

/// The side of its threshold on which a feature of content lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Content has at least the threshold.
    Least,
    /// Content has at most the threshold.
    Most,
}

/// The number of features.
pub const FEATURES: usize = 8;

impl BlockFeature {
    /// Every feature, in the paper's order: `ALL[i] as usize == i`.
    pub const ALL: [BlockFeature; FEATURES] = [
        BlockFeature::SentenceLength,
        BlockFeature::Sentences,
        BlockFeature::Alphanumeric,
        BlockFeature::StopWords,
        BlockFeature::Anchor,
        BlockFeature::Format,
        BlockFeature::List,
        BlockFeature::Structure,
    ];

    /// The side on which content lies.
    pub fn bound(self) -> Bound {
        match self {
            BlockFeature::Anchor | BlockFeature::List => Bound::Most,
            _ => Bound::Least,
        }
    }

    /// The name that is printed for the feature.
    pub fn as_str(self) -> &'static str {
        match self {
            BlockFeature::SentenceLength => "sentence length",
            BlockFeature::Sentences => "sentences",
            BlockFeature::Alphanumeric => "alphanumeric share",
            BlockFeature::StopWords => "stop-word share",
            BlockFeature::Anchor => "anchor share",
            BlockFeature::Format => "format tags a word",
            BlockFeature::List => "list elements a word",
            BlockFeature::Structure => "structure tags a word",
        }
    }
}

impl fmt::Display for BlockFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A block's features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockFeatures {
    /// The values, by [`BlockFeature`]. Each is finite and at least 0. A value is 0 if there is
    /// nothing to measure.
    pub values: [f64; FEATURES],
    /// The language of the counted stop words, as an ISO 639-1 code: see
    /// [`tsrec_core::analysis::language`].
    pub language: Option<&'static str>,
    /// The block's words, as [`words::count`] counts them.
    pub words: usize,
}

/// Measures a block. Linear in its text.
pub fn features(block: &MergedBlock) -> BlockFeatures {
    let words = words::count(&block.text);
    let sentences = block.text.unicode_sentences().count();
    let stop_words = stop_words(&block.text);
    let linked: usize = block.linked.iter().map(|range| words::count(&block.text[range.clone()])).sum();
    let value = |feature| match feature {
        BlockFeature::SentenceLength => ratio(words, sentences),
        BlockFeature::Sentences => sentences as f64,
        BlockFeature::Alphanumeric => {
            ratio(block.text.chars().filter(|c| c.is_alphanumeric()).count(), block.text.chars().count())
        }
        BlockFeature::StopWords => stop_words.share,
        // A word that is partly in a link counts both inside and outside it. The ratio must not
        // exceed 1.
        BlockFeature::Anchor => ratio(linked, words).min(1.0),
        BlockFeature::Format => ratio(block.removed.format, words),
        BlockFeature::List => ratio(block.removed.list, words),
        BlockFeature::Structure => ratio(block.removed.structure, words),
    };
    BlockFeatures { values: BlockFeature::ALL.map(value), language: stop_words.language, words }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::removal::{Splitting, text_blocks};
    use tsrec_core::html::parse;

    fn check(page: &str, expect: [f64; FEATURES]) {
        let document = parse(page.as_bytes(), None, &Default::default());
        let blocks = text_blocks(&document, Splitting::Paper);
        assert_eq!(blocks.len(), 1, "{page}");
        let features = features(&blocks[0]);
        for ((feature, value), expect) in BlockFeature::ALL.into_iter().zip(features.values).zip(expect) {
            assert!((value - expect).abs() < 1e-12, "{page}: {feature} is {value}, not {expect}");
        }
    }

    #[test]
    fn values_are_those_counted_by_hand() {
        // Order: sentence length, sentences, alphanumeric, stop words, anchor, format, list,
        // structure.
        check("Ferry sails. It sails today!", [2.5, 2.0, 22.0 / 28.0, 0.2, 0.0, 0.0, 0.0, 0.0]);
        check("<p>The <b>old</b> <i>ferry</i><br>sails", [4.0, 1.0, 16.0 / 19.0, 0.25, 0.0, 0.5, 0.0, 0.5]);
        check("<ul><li><a>Sport</a><li><a>World news</a> x</ul>", [4.0, 1.0, 15.0 / 18.0, 0.0, 0.75, 0.0, 0.75, 0.0]);
        check("<h1>A</h1><p><a href=/>B</a></p>", [2.0, 1.0, 2.0 / 3.0, 0.5, 0.5, 0.0, 0.0, 1.0]);
        // No word, no sentence: there must be no division by zero.
        check("<b>|</b> ...", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        // Half of a word in a link.
        check("<a>foo</a>bar", [1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn lines_of_the_source_end_no_sentence() {
        check("The ferry\nsails\n\nagain.", [4.0, 1.0, 18.0 / 22.0, 0.5, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn features_stand_at_their_index() {
        for (index, feature) in BlockFeature::ALL.into_iter().enumerate() {
            assert_eq!(feature as usize, index);
        }
    }
}
