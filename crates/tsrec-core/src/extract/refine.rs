//! What the decision on blocks misses, because it sees words and not what a box is for. Rules
//! remove what a box of the template leaves behind, and boxes that the markup names. Captions are
//! kept together, footnotes with their references, terms with their descriptions, cells with their
//! rows, and headings and code with the texts around them. Documentation keeps its headline.
//!
//! All others only remove. Each looks at kept blocks alone, so a page pays for what it keeps.

mod between;
mod boxes;
mod captions;
mod headline;
mod invitations;
mod labels;
mod notes;
mod others;
mod rows;
mod terms;

use crate::analysis::{Analysis, Block, Container};
use crate::evidence::kind::PageKind;
use crate::html::Document;

/// Completes `kept`, which has an entry for each block, as `likely` has with the probability of
/// content: terms, cells, headings, code, captions and notes of what is kept. Then removes from it
/// labels of advertisements, invitations to follow the site, boxes that their names call no
/// content, headings of which the whole section is dropped, and texts without words whose box is
/// dropped. Linear in the blocks, times the depth.
pub(super) fn refine(
    document: &Document,
    analysis: &Analysis,
    kind: Option<PageKind>,
    likely: &[f32],
    kept: &mut [bool],
) {
    terms::keep(document, analysis, likely, kept);
    rows::keep(document, analysis, kind, likely, kept);
    between::keep(document, analysis, kind, likely, kept);
    headline::keep(analysis, kind, likely, kept);
    captions::keep(analysis, kept);
    captions::keep_sources(analysis, kept);
    labels::remove(document, analysis, kept);
    invitations::remove(analysis, kept);
    notes::keep(document, analysis, kept);
    boxes::remove(analysis, kind, kept);
    others::remove(document, analysis, kept);
    if !has_cards(kind) {
        remove_hollow_headings(document, analysis, kept);
    }
    remove_wordless(analysis, kept);
}

/// Whether headings of such pages name cards, whose other text is often dropped.
fn has_cards(kind: Option<PageKind>) -> bool {
    matches!(kind, Some(PageKind::Service | PageKind::Collection | PageKind::Listing | PageKind::Product))
}

fn kept_blocks<'a>(analysis: &'a Analysis, kept: &'a [bool]) -> impl Iterator<Item = (usize, &'a Block)> {
    analysis.blocks().iter().enumerate().filter(|(at, _)| kept[*at])
}

/// Removes headings below the first text of which the section has words and keeps none. A heading
/// that is a link names another page, and stays.
fn remove_hollow_headings(document: &Document, analysis: &Analysis, kept: &mut [bool]) {
    let first_text = kept_blocks(analysis, kept)
        .find(|(_, block)| block.text.words > 0 && analysis.heading_level(block).is_none())
        .map_or(kept.len(), |(at, _)| at);
    for at in (first_text..kept.len()).rev() {
        let block = &analysis.blocks()[at];
        if !kept[at] || block.linked.words > 0 {
            continue;
        }
        if let Some(level) = analysis.heading_level(block).filter(|&level| level > 1)
            && is_hollow(document, analysis, kept, at, level)
        {
            kept[at] = false;
        }
    }
}

/// The most words of links beside a heading in a box of its own. Judgement: wikis offer to edit a
/// section in two ways.
const BESIDE_HEADING: u32 = 5;

/// Whether the section below a heading has words of which none are kept. It ends with the next
/// heading of its level, or with the box that holds the heading and more than links to work with
/// it. Buttons have no words.
fn is_hollow(document: &Document, analysis: &Analysis, kept: &[bool], heading: usize, level: u8) -> bool {
    let blocks = analysis.blocks();
    let words = blocks[heading].text.words;
    let holds_more = |container: &Container| {
        let (beside, linked) = (container.text.words.saturating_sub(words), container.linked_words);
        container.blocks.end as usize > heading + 1 && (beside > BESIDE_HEADING || linked < beside || beside == 0)
    };
    let around = analysis.around(&blocks[heading]).find(|(_, container)| holds_more(container));
    let Some((_, around)) = around else { return false };
    let section = heading + 1..around.blocks.end as usize;
    let ends = |block: &Block| analysis.heading_level(block).is_some_and(|next| next <= level);
    let is_button = |block: &Block| {
        let leaf = analysis.leaves_of(block).first();
        leaf.is_some_and(|leaf| document.ancestors(leaf.node).take(2).any(|above| document.is_element(above, "button")))
    };
    let is_text = |block: &Block| block.text.words > 0 && !block.hidden && !is_button(block);
    let mut below = section.take_while(|&at| !ends(&blocks[at])).filter(|&at| is_text(&blocks[at]));
    let Some(first) = below.next() else { return false };
    !kept[first] && below.all(|at| !kept[at])
}

/// Removes texts without words, such as bars and arrows, unless words are kept in the nearest box
/// that has any.
fn remove_wordless(analysis: &Analysis, kept: &mut [bool]) {
    let is_wordless = |block: &Block| block.text.words == 0;
    if !kept_blocks(analysis, kept).any(|(_, block)| is_wordless(block)) {
        return;
    }
    // For each block, how many blocks with words are kept before it.
    let mut before = Vec::with_capacity(kept.len() + 1);
    before.push(0_usize);
    for (block, &kept) in analysis.blocks().iter().zip(&*kept) {
        before.push(before[before.len() - 1] + usize::from(kept && !is_wordless(block)));
    }
    for (at, block) in analysis.blocks().iter().enumerate().filter(|(_, block)| is_wordless(block)) {
        let around = analysis.around(block).find(|(_, container)| container.text.words > 0);
        let keeps_words = |blocks: &std::ops::Range<u32>| before[blocks.start as usize] < before[blocks.end as usize];
        kept[at] &= around.is_some_and(|(_, container)| keeps_words(&container.blocks));
    }
}

#[cfg(test)]
mod tests;
