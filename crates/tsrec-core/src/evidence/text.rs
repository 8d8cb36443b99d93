//! Evidence from a block's own text.

use super::column::{evidence, flag, share};
use super::reader::EvidenceReader;
use crate::analysis::Block;

evidence! { Text, |page: &EvidenceReader<'_>, number: u32, block: &Block| {
    "words", "words of the block", block.text.words;
    "characters", "characters that are not white space", block.text.characters;
    "unlinked", "words outside links", block.text.words - block.linked.words.min(block.text.words);
    "linked share", "share of its characters in links", share(block.linked.characters, block.text.characters);
    "links", "links", block.linked.links;
    "sentences", "ends of sentences", block.text.sentence_ends;
    "sentence rate", "ends of sentences a word", share(block.text.sentence_ends, block.text.words);
    "commas", "commas", block.text.commas;
    "comma rate", "commas a word", share(block.text.commas, block.text.words);
    "stop words", "share of its words that are stop words of the page's language", page.stop_words(block);
    "capitals", "share of its letters in upper case", share(block.text.capitals, block.text.letters);
    "capitalised", "share of its words with a capital first", share(block.text.capitalised, block.text.words);
    "digits", "share of its characters that are digits", share(block.text.digits, block.text.characters);
    "symbols", "share of its characters that are neither letters, digits nor marks of sentences", share(block.text.symbols, block.text.characters);
    "word length", "letters and digits a word", share(block.text.letters + block.text.digits, block.text.words);
    "emphasised", "share of its characters in b, strong, i, em", share(block.emphasised, block.text.characters);
    "leaves", "text nodes", block.leaves.len();
    "ending", "its last character: 0 a letter or digit, 1 the end of a sentence, 2 a colon, 3 a comma, 4 any other", block.ending as u8;
    "begins with capital", "1 where its first letter is in upper case", flag(block.begins_with_capital);
    "breaks before", "br elements directly before it", block.breaks_before;
    "hidden", "1 for text that the markup hides", flag(block.hidden);
    "repeats", "blocks of the same words on the page", page.repeats(number);
} }
