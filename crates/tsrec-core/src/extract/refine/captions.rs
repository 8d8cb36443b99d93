//! Captions of figures inside the kept text, and the sources of quotations.
//!
//! The gold of many training sets has no captions. So the score is in doubt about them, keeps one
//! and drops the next. A reader wants all captions of a page or none.

use crate::analysis::{Analysis, Block, Tag};

/// The words of the longest caption. Judgement: a longer text in a figure is a story of its own.
const LONGEST: u32 = 60;

/// The words of the longest line that names a source. Judgement: a name, a post and a work.
const LONGEST_SOURCE: u32 = 20;
/// How many elements around such a line may be the quotation.
const AROUND: usize = 3;

/// Keeps all captions of figures in the text, if one of them is kept. Such a figure has kept text
/// before and after it in the nearest box with more than the figure. Figures next to each other
/// count as one. O(n · depth) in the blocks.
pub(super) fn keep(analysis: &Analysis, kept: &mut [bool]) {
    let blocks = analysis.blocks();
    let figures: Vec<Option<u32>> = blocks.iter().map(|block| figure(analysis, block)).collect();
    if figures.iter().all(Option::is_none) {
        return;
    }
    let is_passed = |at: usize| figures[at].is_some() || blocks[at].text.words == 0;
    let before = nearest(0..blocks.len(), is_passed);
    let after = nearest((0..blocks.len()).rev(), is_passed);
    let is_inside = |at: usize, figure: u32| {
        let own = &analysis.container(figure).blocks;
        let larger = analysis.upwards(figure).find(|(_, around)| around.blocks != *own);
        let around = larger.map_or(0..0, |(_, around)| around.blocks.clone());
        let is_kept = |text: Option<usize>| text.is_some_and(|text| kept[text] && around.contains(&(text as u32)));
        is_kept(before[at]) && is_kept(after[at])
    };
    let captions: Vec<usize> = (0..blocks.len())
        .filter(|&at| is_short_caption(analysis, &blocks[at]))
        .filter(|&at| figures[at].is_some_and(|figure| is_inside(at, figure)))
        .collect();
    if captions.iter().any(|&at| kept[at]) {
        captions.into_iter().for_each(|at| kept[at] = true);
    }
}

/// Keeps the line that names the source of a quotation, the last in it or the caption of a figure
/// around it, if the text before it in the quotation is kept. O(n) in the blocks.
pub(super) fn keep_sources(analysis: &Analysis, kept: &mut [bool]) {
    for (at, block) in analysis.blocks().iter().enumerate().skip(1) {
        if kept[at] || !kept[at - 1] || block.hidden || !(1..=LONGEST_SOURCE).contains(&block.text.words) {
            continue;
        }
        let mut around = analysis.around(block).take(AROUND);
        let quote = around.find(|(_, container)| container.tag == Tag::Blockquote);
        kept[at] = quote.is_some_and(|(_, quote)| quote.blocks.start < at as u32 && quote.blocks.end == at as u32 + 1)
            || is_caption_of_quotation(analysis, at);
    }
}

/// Whether a block is the caption of a figure, and the block before it in a quotation there.
fn is_caption_of_quotation(analysis: &Analysis, at: usize) -> bool {
    let blocks = analysis.blocks();
    is_short_caption(analysis, &blocks[at])
        && figure(analysis, &blocks[at]).is_some_and(|figure| {
            let mut before = analysis.around(&blocks[at - 1]).map(|(number, container)| (number, container.tag));
            before.any(|(_, tag)| tag == Tag::Blockquote) && before.any(|(number, _)| number == figure)
        })
}

/// The outermost figure around a block.
fn figure(analysis: &Analysis, block: &Block) -> Option<u32> {
    analysis.around(block).filter(|(_, container)| container.tag == Tag::Figure).last().map(|(number, _)| number)
}

fn is_short_caption(analysis: &Analysis, block: &Block) -> bool {
    let is_caption = analysis.around(block).any(|(_, container)| container.tag == Tag::Caption);
    is_caption && !block.hidden && block.text.words <= LONGEST && block.linked.words == 0
}

/// For each block the nearest block before it, in this order, that is not passed.
fn nearest(order: impl Iterator<Item = usize>, is_passed: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let order: Vec<usize> = order.collect();
    let (mut found, mut last) = (vec![None; order.len()], None);
    for at in order {
        found[at] = last;
        if !is_passed(at) {
            last = Some(at);
        }
    }
    found
}
