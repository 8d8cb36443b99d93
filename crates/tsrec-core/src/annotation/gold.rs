//! Turns labels of text blocks into the gold that learners read.

use super::{Annotation, Error};
use crate::block::block_label::BlockLabel;
use crate::block::text_blocks::{TextBlock, TextSource, text_blocks};
use crate::html::Document;
use crate::page::{BlockType, Gold};

/// The gold of a page that a person has labelled completely. `name` is the page's name in errors.
/// `bytes` are the bytes that `document` was parsed from, and `file` is the text of the annotation.
/// Linear.
pub fn read_gold(name: &str, bytes: &[u8], document: &Document, file: &str) -> Result<Gold, Error> {
    let blocks = text_blocks(document);
    let mut annotation = Annotation::new(name, bytes, blocks.iter().map(|block| block.text.clone()));
    annotation.resume(file)?;
    Ok(gold(document, &blocks, &annotation.complete()?))
}

/// The gold of a page's words, from one label for each block. Linear.
///
/// A header, paragraph or list item begins at the first of its words. A continuation belongs to the
/// last of these above it, even if blocks labelled other come between. If there is none above it,
/// the first kept word begins a paragraph. Alternative texts have no words in a text node. If a
/// block begins with one, it begins at the next kept word.
pub fn gold(document: &Document, blocks: &[TextBlock], labels: &[BlockLabel]) -> Gold {
    let mut words = Gold::unmarked(document).words;
    // The words of a node are consecutive, and so are the words of each of its lines. `next` is the
    // first word that no block has taken yet.
    let mut next = vec![words.len(); document.len()];
    for (at, word) in words.iter().enumerate().rev() {
        next[word.node.index()] = at;
    }
    let mut begun = Some(BlockType::Paragraph);
    for (block, &label) in blocks.iter().zip(labels) {
        begun = block_type(label).or(begun);
        let TextSource::Text { node, range } = &block.source else { continue };
        let next = &mut next[node.index()];
        while let Some(word) = words.get_mut(*next).filter(|word| word.node == *node && word.range.start < range.end) {
            *next += 1;
            if label.is_content() {
                word.kept = true;
                word.start = begun.take();
            }
        }
    }
    Gold { words, has_markup: true, ..Gold::default() }
}

/// The type of block that a label begins.
fn block_type(label: BlockLabel) -> Option<BlockType> {
    match label {
        BlockLabel::Header => Some(BlockType::Header),
        BlockLabel::Paragraph => Some(BlockType::Paragraph),
        BlockLabel::List => Some(BlockType::List),
        BlockLabel::Continuation | BlockLabel::Other => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    /// Labels the blocks of a body with these letters, and checks the words kept. A word that
    /// begins a block is shown with the block's letter.
    fn check(body: &str, letters: &str, expect: &str) {
        let document = parse(format!("<!DOCTYPE html><body>{body}").as_bytes(), None, &Default::default());
        let blocks = text_blocks(&document);
        let labels: Vec<BlockLabel> = letters.chars().filter_map(BlockLabel::from_key).collect();
        assert_eq!(labels.len(), blocks.len(), "{body}");
        let gold = gold(&document, &blocks, &labels);
        assert!(gold.has_markup);
        let words = gold.words.iter().filter(|word| word.kept).map(|word| {
            let text = &document.text(word.node).unwrap()[word.range.clone()];
            word.start.map_or(text.to_owned(), |start| format!("<{}>{text}", start.letter()))
        });
        assert_eq!(words.collect::<Vec<_>>().join(" "), expect, "{body} {letters}");
    }

    #[test]
    fn labels_mark_words() {
        let page = "<li>Home</li><h1>The ferry</h1><p>See <a>our site</a> for more.";
        check(page, "ohpcc", "<h>The ferry <p>See our site for more");
        check(page, "ooooo", "");
        check(page, "lhpoc", "<l>Home <h>The ferry <p>See for more");
        check(page, "ooccc", "<p>See our site for more");
        check(page, "oohhp", "<h>See <h>our site <p>for more");
    }

    #[test]
    fn lines_alternative_texts_and_wordless_blocks_keep_the_words_in_step() {
        check("<pre>one\ntwo three\nfour</pre>", "plo", "<p>one <l>two three");
        check("<img alt='A cat'>sits<p>there", "hcp", "<h>sits <p>there");
        check("<h1>&mdash;</h1><p>a <b>b</b>", "hop", "<p>b");
        check("<p hidden>never<p>seen<p>is", "op", "<p>is");
        // The parser moves stray text in a table before it. The order of the tree counts, not that
        // of the source.
        check("<table><tr><td>cell</td></tr>stray</table>", "po", "<p>stray");
    }

    #[test]
    fn training_reads_what_is_labelled_to_its_end() {
        let page = b"<h1>Ferry</h1><p>It sails";
        let document = parse(page, None, &Default::default());
        let texts = text_blocks(&document).into_iter().map(|block| block.text);
        let mut annotation = Annotation::new("a", page, texts);
        annotation.set_labels(&[Some(BlockLabel::Header), None]);
        assert!(read_gold("a", page, &document, &annotation.to_string()).unwrap_err().is_incomplete());
        annotation.set_labels(&[Some(BlockLabel::Header), Some(BlockLabel::Other)]);
        assert_eq!(read_gold("a", page, &document, &annotation.to_string()).unwrap().kept(), 1);
        assert!(read_gold("b", b"other", &document, &annotation.to_string()).unwrap_err().is_other_page());
    }
}
