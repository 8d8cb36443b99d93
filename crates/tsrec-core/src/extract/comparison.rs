//! The two steps of the template diff (Li et al. 2006, section 5): what of a page is common, and
//! what of the rest is regular.
//!
//! In two readings: ours, and the paper's as it is printed.

use crate::page::Label;
use crate::tsrec::align::{Alignment, BUDGET};
use crate::tsrec::common::{match_sequences, match_sequences_as_printed};
use crate::tsrec::regular::{patterns, sub_tree_groups, tree_match};
use crate::tsrec::{TagSequence, WordCounts};

/// Words of unlinked text from which an element is never regular: the paper's heuristic against its
/// failure F1. Calibration: `tsrec-lab eval --method template` on the tuning pages is flat from 8
/// to 20.
pub(super) const LONG_TEXT: u32 = 20;

/// What the two steps of the paper found: labels common, regular, hidden, and content for the rest.
pub(super) struct Comparison {
    pub(super) labels: Vec<Label>,
    /// For each element the equal one of the sibling, if it is common.
    pub(super) partners: Vec<Option<usize>>,
    /// See [`Alignment::exact`].
    pub(super) exact: bool,
}

impl Comparison {
    /// As many equal pairs as can stand in order, and prose is kept by its paragraphs.
    pub(super) fn ours(page: &TagSequence<'_>, sibling: &TagSequence<'_>) -> Self {
        Self::new(page, sibling, match_sequences(page, sibling, BUDGET), is_prose_by_paragraph)
    }

    /// The printed table, and the paper's heuristic against F1 as it words it: a group with a long
    /// text is not matched.
    pub(super) fn printed(page: &TagSequence<'_>, sibling: &TagSequence<'_>) -> Self {
        Self::new(page, sibling, match_sequences_as_printed(page, sibling), |_, group_is_prose, _| group_is_prose)
    }

    fn new(page: &TagSequence<'_>, sibling: &TagSequence<'_>, alignment: Alignment, is_prose: IsProse) -> Self {
        let mut labels: Vec<Label> =
            page.elements().iter().map(|element| if element.hidden { Label::Hidden } else { Label::Content }).collect();
        let mut partners = vec![None; labels.len()];
        let mut sibling_common = vec![false; sibling.elements().len()];
        for (left, right) in alignment.pairs {
            labels[left] = Label::Common;
            partners[left] = Some(right);
            sibling_common[right] = true;
        }
        mark_regular(page, sibling, &mut labels, &sibling_common, is_prose);
        Comparison { labels, partners, exact: alignment.exact }
    }
}

/// Whether an element of a group is prose, which is never regular: told the element's words,
/// whether its group holds a long text, and whether it is one of the group's siblings.
type IsProse = fn(WordCounts, bool, bool) -> bool;

fn is_prose_by_paragraph(words: WordCounts, group_is_prose: bool, is_sibling: bool) -> bool {
    is_long_text(words) || (group_is_prose && is_sibling && is_mostly_unlinked(words))
}

/// The paper's `treeMatch`: marks the groups of the page's rest that have their like in the
/// sibling's.
fn mark_regular(
    page: &TagSequence<'_>,
    sibling: &TagSequence<'_>,
    labels: &mut [Label],
    sibling_common: &[bool],
    is_prose: IsProse,
) {
    let rest: Vec<usize> = (0..labels.len()).filter(|&index| labels[index] == Label::Content).collect();
    let sibling_rest = sibling.visible().filter(|&index| !sibling_common[index]);
    let (groups, sibling_groups) =
        (sub_tree_groups(page, rest.iter().copied()), sub_tree_groups(sibling, sibling_rest));
    let matched = tree_match(&groups.patterns(patterns(page)), &sibling_groups.patterns(patterns(sibling)));
    let words = page.word_counts();
    let mut rest = rest.into_iter().peekable();
    for (group, matched) in groups.iter().zip(matched) {
        let group_is_prose = groups.siblings(group).iter().any(|&index| is_long_text(words[index]));
        while let Some(index) = rest.next_if(|&index| page.elements()[index].begin <= group.end) {
            let element = &page.elements()[index];
            if matched.is_some() && !is_prose(words[index], group_is_prose, element.level == group.level) {
                labels[index] = Label::Regular;
            }
        }
    }
}

/// The short paragraphs between long ones are as much prose as these.
fn is_mostly_unlinked(words: WordCounts) -> bool {
    words.free > words.linked
}

fn is_long_text(words: WordCounts) -> bool {
    words.free >= LONG_TEXT
}
