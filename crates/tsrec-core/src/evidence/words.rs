//! Evidence from a block's words and their usual meaning.

use super::column::evidence;
use super::tables::WordOdds;

evidence! { Words, |words: &WordOdds| {
    "first word", "the log-odds of its first word as a first word", words.first;
    "last word", "of its last word as a last word", words.last;
    "words mean", "of its words, and of the pairs in a short block, on average", words.mean;
    "words least", "of the one that speaks most against content", words.least;
    "words greatest", "of the one that speaks most for it", words.greatest;
    "words known", "share of them that the table has", words.known;
} }
