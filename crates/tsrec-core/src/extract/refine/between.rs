//! Headings, code and gaps between kept texts.
//!
//! The score sees words. A heading, a question of a list of questions, or a declaration has few
//! that tell. So it drops some of them and keeps what they name, and readers are lost. On
//! documentation it also drops sentences in the middle of a text, since they tell of names alone.

use crate::analysis::{Analysis, Block, Leaf, Tag};
use crate::evidence::kind::PageKind;
use crate::html::Document;

/// The words of the longest heading. Judgement: a question has as many.
const LONGEST_HEADING: u32 = 40;
/// The words of the longest code. Judgement: longer code has words of its own that tell.
const LONGEST_CODE: u32 = 200;
/// The words of the longest gap. Judgement: a longer one may be a box. With 500 manuals gain 0.0004
/// more, and the documentation of `wcxb-dev` loses more.
const LONGEST_GAP: u32 = 200;
/// The least probability that a block is content. Calibration: on 13 sites of documentation it is
/// the same from 0.001 to 0.05 (EVALUATION.md, section 12). What a person labelled as no content
/// has less, and so has a box of the template.
const LEAST_LIKELY: f32 = 0.02;
/// How many elements around a block are searched for code and controls. Judgement.
const AROUND: usize = 3;

/// Keeps headings and code that have kept text before them, and after them in the same box. On
/// documentation it also keeps what is dropped between two kept texts. `likely` has the probability
/// of content for each block. O(n · depth) in the blocks.
pub(super) fn keep(
    document: &Document,
    analysis: &Analysis,
    kind: Option<PageKind>,
    likely: &[f32],
    kept: &mut [bool],
) {
    if kind == Some(PageKind::Documentation) {
        fill_gaps(analysis, likely, kept);
    }
    keep_headings_and_code(document, analysis, likely, kept);
}

/// The blocks with text that readers see.
fn seen(analysis: &Analysis) -> Vec<usize> {
    let blocks = analysis.blocks().iter().enumerate();
    blocks.filter(|(_, block)| block.text.words > 0 && !block.hidden).map(|(at, _)| at).collect()
}

/// Keeps runs of dropped blocks between kept ones, if each of them may be content and most of it is
/// no link.
fn fill_gaps(analysis: &Analysis, likely: &[f32], kept: &mut [bool]) {
    let blocks = analysis.blocks();
    let may_be_content = |at: usize| {
        let block = &blocks[at];
        likely[at] >= LEAST_LIKELY
            && 2 * block.linked.words <= block.text.words
            && !is_in(analysis, block, Tag::Control)
            && analysis.leaves_of(block).iter().all(|leaf| !analysis.is_side_matter(leaf.node))
    };
    let seen = seen(analysis);
    let runs = seen.chunk_by(|&a, &b| kept[a] == kept[b]);
    let gaps: Vec<&[usize]> = runs.filter(|run| !kept[run[0]]).collect();
    for gap in gaps {
        let words: u32 = gap.iter().map(|&at| blocks[at].text.words).sum();
        let is_inside = gap.first() != seen.first() && gap.last() != seen.last();
        if is_inside && words <= LONGEST_GAP && gap.iter().all(|&at| may_be_content(at)) {
            gap.iter().for_each(|&at| kept[at] = true);
        }
    }
}

fn keep_headings_and_code(document: &Document, analysis: &Analysis, likely: &[f32], kept: &mut [bool]) {
    let blocks = analysis.blocks();
    let seen = seen(analysis);
    let is_heading = |block: &Block| analysis.heading_level(block).is_some_and(|level| level > 1);
    let is_code = |block: &Block| is_in(analysis, block, Tag::Pre);
    // For each of them, whether the last text before it is kept, dropped headings and code apart.
    let mut before = Vec::with_capacity(seen.len());
    let mut last = false;
    for &at in &seen {
        before.push(last);
        if kept[at] || !is_heading(&blocks[at]) && !is_code(&blocks[at]) {
            last = kept[at];
        }
    }
    for (number, two) in seen.windows(2).enumerate().rev() {
        let (at, after, block) = (two[0], two[1], &blocks[two[0]]);
        if kept[at] || !kept[after] || !before[number] || likely[at] < LEAST_LIKELY {
            continue;
        }
        let is_name =
            || is_heading(block) && block.text.words <= LONGEST_HEADING && !is_other(document, analysis, block);
        let is_short_code = || is_code(block) && block.text.words <= LONGEST_CODE;
        kept[at] = (is_name() || is_short_code()) && is_in_box(analysis, block, at, after);
    }
}

/// True of a heading that names no part of the text: it leads to another page, or is a date.
fn is_other(document: &Document, analysis: &Analysis, block: &Block) -> bool {
    let leads_within = |leaf: &Leaf| {
        let link = document.ancestors(leaf.node).find(|&around| document.is_element(around, "a"));
        link.and_then(|link| document.attribute(link, "href")).is_some_and(|target| target.trim().starts_with('#'))
    };
    let leads_away = || analysis.leaves_of(block).iter().any(|leaf| leaf.linked && !leads_within(leaf));
    block.linked.words > 0 && leads_away() || 4 * block.text.digits > block.text.letters
}

/// Whether a block is in such an element.
fn is_in(analysis: &Analysis, block: &Block, tag: Tag) -> bool {
    analysis.around(block).take(AROUND).any(|(_, container)| container.tag == tag)
}

/// Whether the next text is in the nearest box that holds a block and more.
fn is_in_box(analysis: &Analysis, block: &Block, at: usize, after: usize) -> bool {
    let mut around = analysis.around(block).map(|(_, container)| &container.blocks);
    around.find(|blocks| blocks.end as usize > at + 1).is_some_and(|blocks| blocks.contains(&(after as u32)))
}
