//! Footnotes of the kept text.

use std::collections::HashSet;

use crate::analysis::Analysis;
use crate::html::{Document, footnotes};

/// The words of the longest note. Judgement.
const LONGEST: u32 = 120;
/// Notes with more than this share of the kept words are a list of sources. Judgement.
const SHARE: u32 = 4;
/// The bytes of the longest reference.
const LONGEST_REFERENCE: usize = 8;
/// How many elements around the text of a reference may be its link.
const AROUND: usize = 3;

/// Keeps the notes to which kept text refers. O(n · depth) in the page, if there are any.
pub(super) fn keep(document: &Document, analysis: &Analysis, kept: &mut [bool]) {
    let mut names = HashSet::new();
    for leaf in analysis.leaves().iter().filter(|leaf| kept[leaf.block as usize]) {
        if document.text(leaf.node).is_some_and(|text| text.trim().len() <= LONGEST_REFERENCE) {
            let link = document.ancestors(leaf.node).take(AROUND).find(|&around| document.is_element(around, "a"));
            let link = link.filter(|&link| footnotes::is_reference(document, link));
            names.extend(link.and_then(|link| footnotes::target(document, link)));
        }
    }
    if names.is_empty() {
        return;
    }
    let notes: HashSet<_> = footnotes::notes(document, &names).into_values().flatten().collect();
    let blocks = analysis.blocks();
    let containers = analysis.containers().iter().filter(|container| notes.contains(&container.node));
    let notes: Vec<_> = containers.filter(|note| (1..=LONGEST).contains(&note.text.words)).collect();
    let text: u32 = blocks.iter().zip(&*kept).filter(|(_, kept)| **kept).map(|(block, _)| block.text.words).sum();
    if SHARE * notes.iter().map(|note| note.text.words).sum::<u32>() <= text {
        notes.iter().for_each(|note| kept[note.blocks.start as usize..note.blocks.end as usize].fill(true));
    }
}
