//! Regular parts: subtree grouping, compacting and tree matching (Li et al. 2006, section 5.2).
//!
//! Sequence matching leaves groups of siblings. A group's pattern is its structure without its
//! text, with repetitions compacted: lists of five and of eight links have the same pattern. If the
//! sibling page has the same pattern too, in the same order, the group is regular: its structure is
//! rigid, so it is template.
//!
//! Deviations from the print:
//! - Figure 8 forgets the last group, and would cut a group at a nested element between two
//!   siblings. Here everything inside the group's region belongs to it, as the paper's text says.
//! - Figure 10 compares neighbours but never merges them. Here equal neighbours become one
//!   `(pattern)*`, at every depth.
//!
//! The paper's heuristic against its failure F1, that a long run of text is never regular, is not
//! here: the caller says which groups it matches.

use std::hash::Hasher;
use std::num::NonZeroU64;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};

use super::sequence::TagSequence;

/// A group of siblings, none of them common, with everything between its codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubtreeGroup {
    /// The `begin` of the siblings' parent.
    pub parent: u32,
    /// The level of the siblings.
    pub level: u32,
    /// The `begin` of the first sibling.
    pub begin: u32,
    /// The `end` of the last sibling.
    pub end: u32,
    /// The range of its siblings: see [`Groups::siblings`].
    siblings: Range<usize>,
}

/// The groups of the unmatched elements, in order.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    groups: Vec<SubtreeGroup>,
    /// The siblings of all groups, one group after the other.
    siblings: Vec<usize>,
}

impl Groups {
    /// All groups.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &SubtreeGroup> {
        self.groups.iter()
    }

    /// A group, by its number from 0.
    pub fn get(&self, number: usize) -> &SubtreeGroup {
        &self.groups[number]
    }

    /// The siblings of a group, by index into the sequence.
    pub fn siblings(&self, group: &SubtreeGroup) -> &[usize] {
        &self.siblings[group.siblings.clone()]
    }

    /// The [pattern](compact_group) of each group, from those of the sequence's elements.
    pub fn patterns(&self, elements: &[Option<PatternId>]) -> Vec<PatternId> {
        self.groups.iter().map(|group| compact_group(self.siblings(group), elements)).collect()
    }
}

/// The paper's `subTreeGroup` (figure 8): groups the unmatched elements. `rest` gives their indices
/// in ascending order. Linear.
pub fn sub_tree_groups(sequence: &TagSequence<'_>, rest: impl IntoIterator<Item = usize>) -> Groups {
    let Groups { mut groups, mut siblings } = Groups::default();
    for index in rest {
        let element = &sequence.elements()[index];
        match groups.last_mut() {
            Some(group) if group.begin < element.begin && element.end < group.end => continue, // inside the region already
            Some(group) if element.level == group.level && element.parent == group.parent => {
                group.end = element.end;
                group.siblings.end += 1;
            }
            _ => groups.push(SubtreeGroup {
                parent: element.parent,
                level: element.level,
                begin: element.begin,
                end: element.end,
                siblings: siblings.len()..siblings.len() + 1,
            }),
        }
        siblings.push(index);
    }
    Groups { groups, siblings }
}

/// The compacted pattern of a subtree or a group, as a hash. Equal patterns are equal numbers on
/// all pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatternId(NonZeroU64);

/// The patterns of a sequence's subtrees, by element; hidden elements have none. Computed once per
/// sequence.
pub fn patterns<'s>(sequence: &'s TagSequence<'_>) -> &'s [Option<PatternId>] {
    &sequence.prepared().patterns
}

/// The patterns of subtrees, summed up backwards. Children then come before their parents, and
/// everything between is below them.
pub(super) struct Patterns {
    /// By element.
    pub(super) of_elements: Vec<Option<PatternId>>,
    /// For each level, the children of the next parent.
    open: Vec<Compacted>,
}

impl Patterns {
    /// No patterns yet, for this many elements.
    pub(super) fn new(elements: usize) -> Patterns {
        Patterns { of_elements: vec![None; elements], open: vec![Compacted::default(); USUAL_LEVELS] }
    }

    /// Adds an element, from the hash of its name and its content without text.
    pub(super) fn sum_up(&mut self, index: usize, level: u32, name: u64, content: &Compacted) {
        // A stored sequence may hold any level.
        let level = (level as usize).min(self.of_elements.len());
        if self.open.len() < level + 2 {
            self.open.resize(level + 2, Compacted::default());
        }
        let below = std::mem::take(&mut self.open[level + 1]);
        let pattern = PatternId::new(name, content, &below);
        self.of_elements[index] = Some(pattern);
        self.open[level].push(pattern.0.get());
    }
}

/// Levels that most pages do not exceed. Judgement.
const USUAL_LEVELS: usize = 32;

/// The paper's `compactGroup` (figure 10): the pattern of a group, from its elements' patterns.
pub fn compact_group(siblings: &[usize], elements: &[Option<PatternId>]) -> PatternId {
    let mut below = Compacted::default();
    siblings.iter().rev().filter_map(|&index| elements[index]).for_each(|pattern| below.push(pattern.0.get()));
    PatternId::new(0, &Compacted::default(), &below)
}

impl PatternId {
    /// A pattern from the hash of a subtree's name, its inline content without text, and its
    /// children.
    fn new(name: u64, content: &Compacted, below: &Compacted) -> PatternId {
        let mut hasher = FxHasher::default();
        [name, content.hash, below.hash].into_iter().for_each(|hash| hasher.write_u64(hash));
        PatternId(NonZeroU64::new(hasher.finish()).unwrap_or(NonZeroU64::MIN))
    }
}

/// Hashes of patterns, with equal neighbours merged: `(pattern)*`. One occurrence and many are the
/// same. Stored as a hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Compacted {
    hash: u64,
    latest: Option<u64>,
}

impl Compacted {
    pub(super) fn push(&mut self, pattern: u64) {
        if self.latest != Some(pattern) {
            let mut hasher = FxHasher::default();
            hasher.write_u64(self.hash);
            hasher.write_u64(pattern);
            (self.hash, self.latest) = (hasher.finish(), Some(pattern));
        }
    }
}

/// The paper's `treeMatch` (figure 9): for each group of the page, the sibling's group with the
/// same pattern. It searches only after the group matched last (`nextMatch`). O(groups × log).
pub fn tree_match(page: &[PatternId], sibling: &[PatternId]) -> Vec<Option<usize>> {
    let mut places: FxHashMap<PatternId, Vec<usize>> = FxHashMap::default();
    sibling.iter().enumerate().for_each(|(at, pattern)| places.entry(*pattern).or_default().push(at));
    let mut next_match = 0;
    page.iter()
        .map(|pattern| {
            let of_pattern = places.get(pattern)?;
            let found = *of_pattern.get(of_pattern.partition_point(|&at| at < next_match))?;
            next_match = found + 1;
            Some(found)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::tsrec::build::tag_sequence;

    /// The patterns of the group that the children of `body` form.
    fn group_patterns(fragments: &[&str]) -> Vec<PatternId> {
        fragments
            .iter()
            .map(|fragment| {
                let document = parse(format!("<body>{fragment}").as_bytes(), None, &Default::default());
                let sequence = tag_sequence(&document);
                let rest: Vec<usize> = (2..sequence.elements().len()).collect();
                let patterns = sub_tree_groups(&sequence, rest).patterns(patterns(&sequence));
                assert_eq!(patterns.len(), 1, "{fragment}");
                patterns[0]
            })
            .collect()
    }

    #[test]
    fn repetitions_are_one_pattern() {
        for (same, a, b) in [
            (true, "<ul><li><a>x</a></ul>", "<ul><li><a>y</a><li><a>z</a><li><a>w</a></ul>"),
            (true, "<p>a<p>b", "<p>c"),
            (true, "<div><h3>a</h3><p>b</div><div><h3>c</h3><p>d<p>e</div>", "<div><h3>f</h3><p>g</div>"),
            (true, "<p><a>x</a><a>y</a>", "<p><a>z</a>"),
            (false, "<p>a", "<p><a>b</a>"),
            (false, "<p>a", "<div>a</div>"),
            (false, "<ul><li>a</ul>", "<ul><li>a<ul><li>b</ul></ul>"),
            (false, "<p>a<h2>b</h2>", "<h2>b</h2><p>a"),
            (true, "<div><ul><li>a<li>b</ul><ul><li>c</ul></div>", "<div><ul><li>d</ul></div>"),
        ] {
            let found = group_patterns(&[a, b]);
            assert_eq!(found[0] == found[1], same, "{a} and {b}");
        }
    }

    #[test]
    fn groups_are_siblings_with_all_that_lies_between_them() {
        let document = parse(b"<body><div><p>a<ul><li>b<li>c</ul><p>d</div><p>e", None, &Default::default());
        let sequence = tag_sequence(&document);
        let named = |name: &str| sequence.elements().iter().position(|e| &*e.name == name).unwrap();
        let (ul, div) = (named("ul"), named("div"));
        // Everything below the div, without the div itself, and then the last paragraph.
        let rest: Vec<usize> = (div + 1..sequence.elements().len()).collect();
        let groups = sub_tree_groups(&sequence, rest);
        let siblings: Vec<_> = groups.iter().map(|group| groups.siblings(group)).collect();
        assert_eq!(siblings, [&[div + 1, ul, ul + 3][..], &[ul + 4]]);
    }

    #[test]
    fn the_last_group_counts_and_no_group_is_no_error() {
        let sequence = TagSequence::default();
        assert_eq!(sub_tree_groups(&sequence, []).iter().len(), 0);
        let document = parse(b"<p>a", None, &Default::default());
        assert_eq!(sub_tree_groups(&tag_sequence(&document), [2]).iter().len(), 1);
    }

    #[test]
    fn matching_keeps_the_order() {
        let id = |number| PatternId(NonZeroU64::new(number).unwrap());
        assert_eq!(tree_match(&[id(1), id(2), id(1)], &[id(2), id(1), id(3)]), [Some(1), None, None]);
        assert_eq!(tree_match(&[id(2), id(1)], &[id(2), id(3), id(1)]), [Some(0), Some(2)]);
        assert_eq!(tree_match(&[id(2)], &[]), [None]);
    }
}
