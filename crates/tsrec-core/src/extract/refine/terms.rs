//! Terms of description lists.
//!
//! The score sees words, and the term of a reference has few that tell. So it drops some terms and
//! keeps what describes them, which says nothing to a reader then.

use crate::analysis::{Analysis, Block, Container, Tag};
use crate::html::Document;

/// The words of the longest term. Judgement: the signature of a function has as many.
const LONGEST: u32 = 40;
/// The least probability that a term is content. Judgement: what a person labelled as no content
/// has less, and so has a box of the template.
const LEAST_LIKELY: f32 = 0.001;

/// Keeps terms whose description is kept, also several terms of one description. `likely` has the
/// probability of content for each block. O(n · depth) in the blocks.
pub(super) fn keep(document: &Document, analysis: &Analysis, likely: &[f32], kept: &mut [bool]) {
    let mut next: Option<usize> = None;
    for (at, block) in analysis.blocks().iter().enumerate().rev() {
        if block.hidden || block.text.words == 0 {
            continue;
        }
        let after = next.replace(at).filter(|&after| kept[after]);
        if !kept[at] && block.text.words <= LONGEST && likely[at] >= LEAST_LIKELY {
            kept[at] = after.is_some_and(|after| is_term_of(document, analysis, block, &analysis.blocks()[after]));
        }
    }
}

/// Whether a block is a term, and the next one in its description, or in another term of the list.
fn is_term_of(document: &Document, analysis: &Analysis, term: &Block, next: &Block) -> bool {
    let mut parts = of_lists(analysis, term).filter(|part| document.is_element(part.node, "dt"));
    parts.next().is_some_and(|term| of_lists(analysis, next).any(|next| next.parent == term.parent))
}

/// The terms and descriptions that a block is in, the nearest first.
fn of_lists<'a>(analysis: &'a Analysis, block: &Block) -> impl Iterator<Item = &'a Container> {
    analysis.around(block).map(|(_, container)| container).filter(|container| container.tag == Tag::Description)
}
