//! The two steps of the template diff (Li et al. 2006, section 5): they find the common parts of a
//! page, and then the regular parts of the rest.
//!
//! There are two versions: ours, and the paper's as printed. They differ in the alignment, in what
//! equal elements are ([`crate::tsrec::common`]), and in what [`Prose`] is.

use crate::page::Label;
use crate::tsrec::align::{Alignment, BUDGET};
use crate::tsrec::common::{match_sequences, match_sequences_as_printed};
use crate::tsrec::regular::{Groups, PatternId, SubtreeGroup, patterns, sub_tree_groups, tree_match};
use crate::tsrec::{TagSequence, WordCounts};

/// An element with this many words of unlinked text or more is never regular. This is the paper's
/// heuristic against its failure F1. Calibration: `tsrec-lab eval --method template` on the tuning
/// pages is flat from 8 to 20.
pub(super) const LONG_TEXT: u32 = 20;

/// The result of the paper's two steps: labels common, regular and hidden, and content for the
/// rest.
pub(super) struct Comparison {
    pub(super) labels: Vec<Label>,
    /// For each common element, the equal one of the sibling.
    pub(super) partners: Vec<Option<usize>>,
    /// For each element that is in a group of the rest, that group.
    pub(super) groups: Vec<Option<ElementGroup>>,
    /// See [`Alignment::exact`].
    pub(super) exact: bool,
}

/// The compact group that an element of the rest is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ElementGroup {
    /// The number of the group's siblings.
    pub(super) siblings: u32,
    /// Whether the sibling page has a group of the same pattern in the same order.
    pub(super) is_matched: bool,
}

impl Comparison {
    /// Finds the greatest number of equal pairs in order, and keeps prose by its paragraphs.
    pub(super) fn ours(page: &TagSequence<'_>, sibling: &TagSequence<'_>) -> Self {
        Self::new(page, sibling, match_sequences(page, sibling, BUDGET), Prose::ByParagraph)
    }

    /// Uses the printed table, and the paper's heuristic against F1 if `keeps_long_text`: see
    /// [`Prose::ByGroup`].
    pub(super) fn printed(page: &TagSequence<'_>, sibling: &TagSequence<'_>, keeps_long_text: bool) -> Self {
        let prose = if keeps_long_text { Prose::ByGroup } else { Prose::Unknown };
        Self::new(page, sibling, match_sequences_as_printed(page, sibling), prose)
    }

    fn new(page: &TagSequence<'_>, sibling: &TagSequence<'_>, alignment: Alignment, prose: Prose) -> Self {
        let mut labels: Vec<Label> =
            page.elements().iter().map(|element| if element.hidden { Label::Hidden } else { Label::Content }).collect();
        let mut partners = vec![None; labels.len()];
        let mut sibling_common = vec![false; sibling.elements().len()];
        for (left, right) in alignment.pairs {
            labels[left] = Label::Common;
            partners[left] = Some(right);
            sibling_common[right] = true;
        }
        let groups = mark_regular(page, sibling, &mut labels, &sibling_common, prose);
        Comparison { labels, partners, groups, exact: alignment.exact }
    }
}

/// What of a group is prose, which is never regular.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prose {
    /// Nothing. The paper's column R1.
    Unknown,
    /// The whole group, if a long text is anywhere in its region. The paper stops "matching it"
    /// (section 6) and does not say what "it" is. Here it is the group, on either page: `treeMatch`
    /// compares whole groups, and this keeps the most text. So such a group also leaves `nextMatch`
    /// where it is.
    ByGroup,
    /// Ours: long texts, and if a sibling of the group is one, the siblings that are mostly
    /// unlinked.
    ByParagraph,
}

/// The paper's `treeMatch`: marks groups in the rest of the page that match a group in the rest of
/// the sibling. Returns the group of each element.
fn mark_regular(
    page: &TagSequence<'_>,
    sibling: &TagSequence<'_>,
    labels: &mut [Label],
    sibling_common: &[bool],
    prose: Prose,
) -> Vec<Option<ElementGroup>> {
    let rest = (0..labels.len()).filter(|&index| labels[index] == Label::Content).collect();
    let sibling_rest = sibling.visible().filter(|&index| !sibling_common[index]).collect();
    let (own, others) = (GroupedRest::new(page, rest), GroupedRest::new(sibling, sibling_rest));
    let ((numbers, patterns), (_, sibling_patterns)) = (own.matchable(prose), others.matchable(prose));
    let matched = tree_match(&patterns, &sibling_patterns);
    let mut groups = own.of_elements(labels.len());
    for (number, _) in numbers.into_iter().zip(matched).filter(|(_, matched)| matched.is_some()) {
        own.regular(number, prose).for_each(|index| labels[index] = Label::Regular);
        for &index in own.in_region(own.groups.get(number)) {
            groups[index] = groups[index].map(|group| ElementGroup { is_matched: true, ..group });
        }
    }
    groups
}

/// What sequence matching left of a page, in groups.
struct GroupedRest<'s> {
    sequence: &'s TagSequence<'s>,
    /// The elements that are not common, ascending.
    rest: Vec<usize>,
    groups: Groups,
}

impl<'s> GroupedRest<'s> {
    fn new(sequence: &'s TagSequence<'s>, rest: Vec<usize>) -> Self {
        let groups = sub_tree_groups(sequence, rest.iter().copied());
        GroupedRest { sequence, rest, groups }
    }

    /// The groups that are matched, by number, and their patterns.
    fn matchable(&self, prose: Prose) -> (Vec<usize>, Vec<PatternId>) {
        let groups = self.groups.iter().zip(self.groups.patterns(patterns(self.sequence))).enumerate();
        groups
            .filter(|(_, (group, _))| prose != Prose::ByGroup || !self.holds_long_text(self.in_region(group)))
            .map(|(number, (_, pattern))| (number, pattern))
            .unzip()
    }

    /// The elements in the region of a group.
    fn in_region(&self, group: &SubtreeGroup) -> &[usize] {
        let begins = |&index: &usize| self.sequence.elements()[index].begin;
        let from = self.rest.partition_point(|index| begins(index) < group.begin);
        let to = self.rest.partition_point(|index| begins(index) <= group.end);
        &self.rest[from..to]
    }

    /// The group of each element, as unmatched. Linear.
    fn of_elements(&self, elements: usize) -> Vec<Option<ElementGroup>> {
        let mut groups = vec![None; elements];
        for group in self.groups.iter() {
            let siblings = self.groups.siblings(group).len() as u32;
            for &index in self.in_region(group) {
                groups[index] = Some(ElementGroup { siblings, is_matched: false });
            }
        }
        groups
    }

    fn holds_long_text(&self, elements: &[usize]) -> bool {
        elements.iter().any(|&index| is_long_text(self.sequence.word_counts()[index]))
    }

    /// The elements of a matched group that are regular.
    fn regular(&self, number: usize, prose: Prose) -> impl Iterator<Item = usize> {
        let group = self.groups.get(number);
        let group_is_prose = self.holds_long_text(self.groups.siblings(group));
        let words = self.sequence.word_counts();
        self.in_region(group).iter().copied().filter(move |&index| {
            let is_sibling = self.sequence.elements()[index].level == group.level;
            let is_prose =
                is_long_text(words[index]) || (group_is_prose && is_sibling && is_mostly_unlinked(words[index]));
            prose != Prose::ByParagraph || !is_prose
        })
    }
}

/// Short paragraphs between long ones are prose too.
fn is_mostly_unlinked(words: WordCounts) -> bool {
    words.free > words.linked
}

fn is_long_text(words: WordCounts) -> bool {
    words.free >= LONG_TEXT
}
