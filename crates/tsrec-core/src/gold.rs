//! Aligns gold text with the page it was taken from.
//!
//! Gold text says which words are content, but not where they are on the page. A word such as "the"
//! is everywhere, so words are aligned in runs. First come runs of four words that both sides have
//! in order. Then, in the gaps between those, come runs of two. Last come single words, if the gap
//! on the page is hardly longer than the one in the gold.

use std::collections::HashMap;
use std::ops::Range;

use crate::html::Document;
use crate::page::{BlockType, Gold, GoldWord};
use crate::tsrec::align::{BUDGET, align as longest_common};
use crate::words::{pieces, words};

/// The lengths of runs to look for, in this order.
const RUNS: [usize; 3] = [4, 2, 1];
/// Single words are matched only in short gaps. A gap of the page may have this many words for each
/// gold word there, plus [`SLACK`]. Judgement: in longer gaps, the words of a sentence match words
/// scattered over a menu.
const STRETCH: usize = 2;
/// See [`STRETCH`].
const SLACK: usize = 8;

/// Aligns bare gold text with a page, and skips gold words that the page does not have. O(page ×
/// gold / 64).
///
/// ```
/// use tsrec_core::gold::align;
/// use tsrec_core::html::{Limits, parse};
/// let page = parse(b"<ul><li>The news</ul><p>The ferry sails again.</p><p>The end", None, &Limits::default());
/// let kept: Vec<bool> = align(&page, "The ferry sails again.").words.iter().map(|word| word.kept).collect();
/// assert_eq!(kept, [false, false, true, true, true, true, false, false]);
/// ```
pub fn align(document: &Document, gold: &str) -> Gold {
    let lower: Vec<String> = pieces(gold).map(|range| gold[range].to_lowercase()).collect();
    mark(document, &lower).0
}

/// Aligns gold text with CleanEval's markup: `<h>`, `<p>` or `<l>` before each block. A block
/// begins at the first of its words that the page has. Otherwise works as [`align`].
pub fn align_markup(document: &Document, markup: &str) -> Gold {
    let (lower, starts) = read_markup(markup);
    let (mut gold, found) = mark(document, &lower);
    let mut pending = None;
    for (number, start) in starts.into_iter().enumerate() {
        pending = start.or(pending);
        if let Some(at) = found[number] {
            gold.words[at].start = pending.take();
        }
    }
    gold.has_markup = true;
    gold
}

/// Marks the page's words that the gold has. Also gives for each gold word the visible word of the
/// page that matches it in order.
fn mark(document: &Document, gold: &[String]) -> (Gold, Vec<Option<usize>>) {
    let mut page = Gold::unmarked(document);
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut number = |word: &str| {
        let next = numbers.len() as u32;
        *numbers.entry(word.to_lowercase()).or_insert(next)
    };
    let mut of_page =
        |word: &GoldWord| number(&document.text(word.node).expect("words stand in text nodes")[word.range.clone()]);
    let seen: Vec<u32> = page.words.iter().map(&mut of_page).collect();
    let hidden: Vec<u32> = page.hidden.iter().map(&mut of_page).collect();
    let right: Vec<u32> = gold.iter().map(|word| number(word)).collect();
    let mut found = vec![None; gold.len()];
    for (at, of) in match_runs(&seen, &right) {
        page.words[at].kept = true;
        found[of] = Some(at);
    }
    let mut left: Vec<bool> = found.iter().map(Option::is_none).collect();
    for (words, numbers) in [(&mut page.words, &seen), (&mut page.hidden, &hidden)] {
        let mut free: Vec<bool> = words.iter().map(|word| !word.kept).collect();
        for at in moved_runs(numbers, &mut free, &right, &mut left) {
            words[at].kept = true;
        }
    }
    page.lost = left.into_iter().filter(|&left| left).count();
    (page, found)
}

/// Runs of this many words are matched wherever they are on the page. Judgement: two texts hardly
/// share four words in a row by chance. Here order does not help, so six are required.
const MOVED: usize = 6;

/// Matches the words of runs that the gold has in another order than the page, such as posts sorted
/// differently. Words that are not `free`, or not `left`, are already matched. If a text repeats
/// itself, its first unmatched copy is taken. Linear but for such texts.
fn moved_runs(page: &[u32], free: &mut [bool], gold: &[u32], left: &mut [bool]) -> Vec<usize> {
    let mut starts: HashMap<&[u32], Vec<usize>> = HashMap::new();
    for (at, run) in gold.windows(MOVED).enumerate().rev() {
        if left[at..at + MOVED].iter().all(|&left| left) {
            starts.entry(run).or_default().push(at);
        }
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at + MOVED <= page.len() {
        let run =
            if free[at..at + MOVED].iter().all(|&free| free) { starts.get_mut(&page[at..at + MOVED]) } else { None };
        let start = run.and_then(|starts| {
            while starts.last().is_some_and(|&start| !left[start..start + MOVED].iter().all(|&left| left)) {
                starts.pop();
            }
            starts.pop()
        });
        let Some(start) = start else {
            at += 1;
            continue;
        };
        let mut of = start;
        while at < page.len() && of < gold.len() && free[at] && left[of] && page[at] == gold[of] {
            (free[at], left[of]) = (false, false);
            found.push(at);
            (at, of) = (at + 1, of + 1);
        }
    }
    found
}

/// Pairs of equal words, ascending on both sides.
fn match_runs(page: &[u32], gold: &[u32]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for run in RUNS {
        let mut gaps: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        let (mut from_page, mut from_gold) = (0, 0);
        for &(i, j) in pairs.iter().chain([&(page.len(), gold.len())]) {
            gaps.push((from_page..i, from_gold..j));
            (from_page, from_gold) = (i + 1, j + 1);
        }
        for (page_gap, gold_gap) in gaps {
            if run > 1 || page_gap.len() <= STRETCH * gold_gap.len() + SLACK {
                pairs.extend(
                    runs_in_common(&page[page_gap.clone()], &gold[gold_gap.clone()], run)
                        .into_iter()
                        .map(|(i, j)| (page_gap.start + i, gold_gap.start + j)),
                );
            }
        }
        pairs.sort_unstable();
    }
    pairs
}

/// The words of the runs of this length that both sides have in order.
fn runs_in_common(page: &[u32], gold: &[u32], length: usize) -> Vec<(usize, usize)> {
    let mut numbers: HashMap<&[u32], u32> = HashMap::new();
    let left: Vec<u32> = page
        .windows(length)
        .map(|run| {
            let next = numbers.len() as u32;
            *numbers.entry(run).or_insert(next)
        })
        .collect();
    let unseen = numbers.len() as u32;
    let right: Vec<u32> = gold.windows(length).map(|run| *numbers.get(run).unwrap_or(&unseen)).collect();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (i, j) in longest_common(&left, &right, BUDGET).pairs {
        for step in 0..length {
            // Runs overlap, but each word has only one partner.
            if pairs.last().is_none_or(|&(last_i, last_j)| last_i < i + step && last_j < j + step) {
                pairs.push((i + step, j + step));
            }
        }
    }
    pairs
}

/// The words of marked-up gold in lower case, and for each word the type of the block that begins
/// there.
pub fn read_markup(markup: &str) -> (Vec<String>, Vec<Option<BlockType>>) {
    // The line that names the page is not part of its text.
    let text = markup.trim_start();
    let text = match text.strip_prefix("URL:") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, rest)| rest),
        None => text,
    };
    let (mut lower, mut starts) = (Vec::new(), Vec::new());
    let mut pending = None;
    let mut push = |text: &str, pending: &mut Option<BlockType>| {
        for word in words(text) {
            lower.push(word.to_lowercase());
            starts.push(pending.take());
        }
    };
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        push(&rest[..at], &mut pending);
        let mut tag = rest[at + 1..].chars();
        let kind = tag.next().and_then(|letter| BlockType::from_letter(letter.to_ascii_lowercase()));
        match (kind, tag.next()) {
            (Some(kind), Some('>')) => {
                pending = Some(kind);
                rest = &rest[at + 3..];
            }
            _ => rest = &rest[at + 1..],
        }
    }
    push(rest, &mut pending);
    (lower, starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    fn kept(page: &str, gold: &str) -> String {
        let document = parse(page.as_bytes(), None, &Default::default());
        let gold = align(&document, gold);
        let kept = gold.words.iter().chain(&gold.hidden).filter(|word| word.kept);
        kept.map(|word| &document.text(word.node).unwrap()[word.range.clone()]).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_found_by_their_company() {
        for (page, gold, expect) in [
            ("", "a b", ""),
            ("<p>a b", "", ""),
            // The "the" in the menu is another word.
            (
                "<li>the<li>a</li><p>over the quay a gull sails</p><li>the",
                "Over the quay a gull sails.",
                "over the quay a gull sails",
            ),
            // A word that the page spells differently does not break the run.
            (
                "<p>one two three four FIVE six seven eight nine ten",
                "one two three four 5 six seven eight nine ten",
                "one two three four six seven eight nine ten",
            ),
            // Words that the gold leaves out in the middle are not kept.
            (
                "<p>one two three four</p><div>advertisement here</div><p>five six seven eight",
                "one two three four five six seven eight",
                "one two three four five six seven eight",
            ),
            ("<p hidden>a b c d</p><p>a b c d", "a b c d", "a b c d"),
            // The gold has two texts in another order. In the second case the text is visible only
            // after a script runs.
            ("<p>a b c d e f g<p>h i j k l m n o", "h i j k l m n o a b c d e f g", "a b c d e f g h i j k l m n o"),
            (
                "<p>one two three four<p hidden>a b c d e f",
                "one two three four a b c d e f",
                "one two three four a b c d e f",
            ),
            ("<p>在 <b>React</b> 的组件 x", "在React的组件", "在 React 的 组 件"),
        ] {
            assert_eq!(kept(page, gold), expect, "{page}");
        }
    }

    #[test]
    fn marked_blocks_begin_at_their_first_word() {
        let document = parse(b"<h1>Ferry sails</h1><p>It was late by a year. A < b.<p>menu", None, &Default::default());
        let gold =
            align_markup(&document, "URL: http://a.example/\n\n<h>Ferry sails\n<p>It was late by a year. A < b.\n");
        let starts: Vec<(usize, BlockType)> =
            gold.words.iter().enumerate().filter_map(|(at, word)| Some((at, word.start?))).collect();
        assert_eq!(starts, [(0, BlockType::Header), (2, BlockType::Paragraph)]);
        assert_eq!(gold.kept(), 10);
        assert!(gold.has_markup);
    }
}
