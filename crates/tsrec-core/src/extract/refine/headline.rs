//! The headline of documentation.
//!
//! A page's menu and its list of contents repeat the headline, so the score drops it with them, and
//! a reader does not see what the page documents.

use crate::analysis::Analysis;
use crate::evidence::kind::PageKind;

/// The words of the longest headline. Judgement: a signature has as many.
const LONGEST: u32 = 40;
/// The least probability that it is content. Judgement, as for other headings: on 14 manuals the
/// same from 0.02 to 0.1, and fewer come back at 0.3.
const LEAST_LIKELY: f32 = 0.02;

/// Keeps the only `h1` of documentation, if it stands above what is kept and is no link. `likely`
/// has the probability of content for each block. O(n · depth) in the blocks.
pub(super) fn keep(analysis: &Analysis, kind: Option<PageKind>, likely: &[f32], kept: &mut [bool]) {
    if kind != Some(PageKind::Documentation) {
        return;
    }
    let blocks = analysis.blocks();
    let mut texts = blocks.iter().enumerate().filter(|(_, block)| block.text.words > 0 && !block.hidden);
    let mut headlines = texts.clone().filter(|(_, block)| analysis.heading_level(block) == Some(1));
    if let (Some((at, headline)), None) = (headlines.next(), headlines.next())
        && headline.text.words <= LONGEST
        && headline.linked.words == 0
        && texts.find(|(at, _)| kept[*at]).is_some_and(|(first, _)| at < first)
    {
        kept[at] |= likely[at] >= LEAST_LIKELY;
    }
}
