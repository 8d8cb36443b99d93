//! Labels of text blocks from gold: the field is trained on them and measured against them.

use std::ops::Range;

use tsrec_core::block::block_label::BlockLabel;
use tsrec_core::block::text_blocks::{TextBlock, TextSource};
use tsrec_core::extract::starts;
use tsrec_core::html::Document;
use tsrec_core::page::{BlockType, Content, Gold, GoldWord, Start};

/// The label of each block.
///
/// A block is content if more than half of its words are. A block without words is content if the
/// blocks on both sides are.
///
/// If the gold has markup, a content block with the beginning of a marked block gets its type. If
/// that beginning lies in a block that is not content, the next content block gets the type. All
/// other content blocks are continuations. If the gold has no markup, the tags decide ([`starts`]).
///
/// Alternative texts are other: gold only has words of text nodes. The first content block always
/// begins a header, paragraph or list. Linear.
pub fn labels(document: &Document, blocks: &[TextBlock], gold: &Gold) -> Vec<BlockLabel> {
    let marks = marks(document, blocks, gold);
    let kept = kept(&marks);
    let by_tags = starts::by_tags(document, blocks, &kept);
    let mut pending = None;
    let mut begun = false;
    let mut label = |index: usize| {
        pending = marks[index].start.or(pending);
        if !kept[index] {
            return BlockLabel::Other;
        }
        let start = match gold.has_markup && (begun || pending.is_some()) {
            true => pending.take(),
            false => by_tags[index],
        };
        begun = true;
        start.map_or(BlockLabel::Continuation, BlockLabel::from)
    };
    (0..blocks.len()).map(&mut label).collect()
}

/// The labels that match an extraction, by any method. A block with kept text is content. It begins
/// what the first start in it says. Linear.
pub fn labels_of(document: &Document, blocks: &[TextBlock], content: &Content, starts: &[Start]) -> Vec<BlockLabel> {
    let mut kept: Vec<Option<&Range<usize>>> = vec![None; document.len()];
    for piece in content.pieces() {
        kept[piece.node.index()] = Some(&piece.range);
    }
    let mut by_node: Vec<Vec<Start>> = vec![Vec::new(); document.len()];
    starts.iter().for_each(|start| by_node[start.node.index()].push(*start));
    let label = |block: &TextBlock| {
        let TextSource::Text { node, range } = &block.source else { return BlockLabel::Other };
        let overlaps = |piece: &Range<usize>| piece.start.max(range.start) < piece.end.min(range.end);
        if !kept[node.index()].is_some_and(overlaps) {
            return BlockLabel::Other;
        }
        let start = by_node[node.index()].iter().find(|start| range.contains(&start.at));
        start.map_or(BlockLabel::Continuation, |start| BlockLabel::from(start.kind))
    };
    blocks.iter().map(label).collect()
}

/// What the gold says about a block.
#[derive(Clone, Default)]
struct GoldMark {
    words: usize,
    kept: usize,
    start: Option<BlockType>,
    alt: bool,
}

fn marks(document: &Document, blocks: &[TextBlock], gold: &Gold) -> Vec<GoldMark> {
    let mut marks = vec![GoldMark::default(); blocks.len()];
    let mut first_of: Vec<Option<usize>> = vec![None; document.len()];
    for (index, block) in blocks.iter().enumerate() {
        match block.source {
            TextSource::Text { node, .. } => {
                first_of[node.index()].get_or_insert(index);
            }
            TextSource::Alt { .. } => marks[index].alt = true,
        }
    }
    let mut at = 0;
    for word in &gold.words {
        let Some(first) = first_of[word.node.index()] else { continue };
        at = at.max(first);
        while !holds(&blocks[at], word) {
            at += 1;
        }
        marks[at].words += 1;
        marks[at].kept += usize::from(word.kept);
        marks[at].start = marks[at].start.or(word.start);
    }
    marks
}

/// Every visible word is in a block of its node.
fn holds(block: &TextBlock, word: &GoldWord) -> bool {
    matches!(&block.source, TextSource::Text { node, range } if *node == word.node && range.contains(&word.range.start))
}

fn kept(marks: &[GoldMark]) -> Vec<bool> {
    let mut kept: Vec<bool> = marks.iter().map(|mark| 2 * mark.kept > mark.words).collect();
    let is_blank = |index: usize| marks[index].words == 0 && !marks[index].alt;
    // A run of blocks without words is content if it is between content.
    let mut index = 0;
    while index < marks.len() {
        let end = (index..marks.len()).find(|&at| !is_blank(at)).unwrap_or(marks.len());
        let between = index > 0 && kept[index - 1] && end < marks.len() && kept[end];
        kept[index..end].fill(between);
        index = end + 1;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::block::text_blocks::text_blocks;
    use tsrec_core::html::parse;

    /// Gold of a page with the kept words in capitals. `H`, `P` and `L` with a colon, before a
    /// word, begin a block.
    fn check(body: &str, has_markup: bool, expect: &str) {
        let document = parse(format!("<body>{body}").as_bytes(), None, &Default::default());
        let mut words: Vec<GoldWord> = Vec::new();
        for node in document.descendants(document.root()) {
            let Some(text) = document.text(node) else { continue };
            let mut from = 0;
            for word in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
                let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
                let range = from..from + bare.len();
                from += word.len();
                if !bare.is_empty() {
                    let kept = bare.chars().all(char::is_uppercase);
                    let start = bare.chars().next().filter(|_| has_markup && bare.len() == 2);
                    let start = start.and_then(|letter| BlockType::from_letter(letter.to_ascii_lowercase()));
                    words.push(GoldWord { node, range, kept, start });
                }
            }
        }
        let blocks = text_blocks(&document);
        let found = labels(&document, &blocks, &Gold { words: words.clone(), has_markup, ..Gold::default() });
        assert_eq!(found.into_iter().map(BlockLabel::key).collect::<String>(), expect, "{body}");
        // Reads back the starts that the tags give for the same content.
        if !has_markup {
            let content = Gold { words, has_markup, ..Gold::default() }.content();
            let starts = starts::of_content(&document, &content);
            let back = labels_of(&document, &blocks, &content, &starts);
            assert_eq!(back.into_iter().map(BlockLabel::key).collect::<String>(), expect, "{body}");
        }
    }

    #[test]
    fn marked_gold_says_what_begins() {
        check("", true, "");
        check("menu<h1>HH AAA</h1><p>PP <a>AAA</a> BBB<p>menu<p>AAA", true, "ohpccoc");
        check("<pre>LL AAA\nBBB\nLL\n</pre>", true, "lcl");
        // Half of the words is not enough. The paragraph that began there begins at the next kept
        // block.
        check("<p>PP aaa<p>AAA", true, "op");
        // Text before the first mark gets its start from its tags.
        check("<h2>AAA</h2><p>PP", true, "hp");
        check("<p>PP <b>!</b> <i>AAA</i> <b>!</b> aaa", true, "pccoo");
        check("<p>PP <img alt=photo> AAA", true, "poc");
    }

    #[test]
    fn without_marks_the_tags_say_it() {
        check("menu<h1>AAA</h1><p>AAA <a>BBB</a> CCC<ul><li>AAA<li>BBB</ul>menu", false, "ohpccllo");
        check("AAA<br>BBB<br><br>CCC", false, "pcp");
        check("<p>AAA<img alt=photo>BBB", false, "poc");
    }
}
