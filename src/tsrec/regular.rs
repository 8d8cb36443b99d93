//! Regular parts: subtree grouping, compacting and tree matching (Li et al. 2006, section 5.2).
//!
//! What sequence matching left over falls into groups of siblings. A group's pattern is its structure with the text
//! abstracted, and with repetitions compacted: a list of five links and one of eight have the same pattern. A group
//! whose pattern stands on the sibling page too, in the same order, is regular: its structure is rigid, so it is
//! template.
//!
//! Deviations from the print:
//! - figure 8 forgets the last group, and would cut a group wherever a nested element stands between two siblings;
//!   here whatever lies inside the group's region belongs to the group, as the paper's text says;
//! - figure 10 compares neighbours but never merges them; here equal neighbours become one `(pattern)*`, at every
//!   depth;
//! - a long run of unlinked text is never regular: the paper's heuristic against its failure F1.

use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;

use rustc_hash::FxHasher;

use super::sequence::{ANONYMOUS, Inline, TagSequence};

/// A group of siblings, none of which is common; with all that lies between its codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The `begin` of the parent that the siblings share.
    pub parent: u32,
    /// The level that the siblings share.
    pub level: u32,
    /// The `begin` of the first sibling.
    pub begin: u32,
    /// The `end` of the last sibling.
    pub end: u32,
    /// The siblings, by index into the sequence.
    pub siblings: Vec<usize>,
}

/// The paper's `subTreeGroup` (figure 8): groups what is left of a sequence. `rest` holds indices of elements, in
/// ascending order. Linear.
pub fn sub_tree_groups(sequence: &TagSequence<'_>, rest: &[usize]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for &index in rest {
        let element = &sequence.elements()[index];
        match groups.last_mut() {
            Some(group) if group.begin < element.begin && element.end < group.end => {} // inside the region already
            Some(group) if element.level == group.level && element.parent == group.parent => {
                group.end = element.end;
                group.siblings.push(index);
            }
            _ => groups.push(Group {
                parent: element.parent,
                level: element.level,
                begin: element.begin,
                end: element.end,
                siblings: vec![index],
            }),
        }
    }
    groups
}

/// The compacted pattern of a subtree or a group, as a hash: equal patterns are equal numbers, on whatever page they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatternId(NonZeroU64);

/// The patterns of a sequence's subtrees, by element; hidden elements have none. Made once for each sequence.
pub fn patterns<'s>(sequence: &'s TagSequence<'_>) -> &'s [Option<PatternId>] {
    &sequence.prepared().patterns
}

/// Linear in the sequence.
pub(super) fn patterns_of_elements(sequence: &TagSequence<'_>) -> Vec<Option<PatternId>> {
    let elements = sequence.elements();
    let mut patterns = vec![None; elements.len()];
    // Backwards, children come before their parents, and nothing between them that is not below these: for each level the children of the parent to come.
    let mut open: Vec<Compacted<PatternId>> = Vec::new();
    for (index, element) in elements.iter().enumerate().rev().filter(|(_, element)| !element.hidden) {
        // A sequence that was read may say of a level what it likes.
        let level = (element.level as usize).min(elements.len());
        open.resize(open.len().max(level + 2), Compacted::default());
        let pattern = pattern(&element.name, sequence.content(element), &std::mem::take(&mut open[level + 1]));
        patterns[index] = Some(pattern);
        open[level].push(pattern);
    }
    patterns
}

/// The paper's `compactGroup` (figure 10): the pattern of a group, given its elements' patterns.
pub fn compact_group(group: &Group, elements: &[Option<PatternId>]) -> PatternId {
    let mut siblings = Compacted::default();
    group.siblings.iter().rev().filter_map(|&index| elements[index]).for_each(|pattern| siblings.push(pattern));
    pattern(ANONYMOUS, &[], &siblings)
}

/// What a pattern is made of: a subtree's name, its inline content with the text abstracted, and its children.
fn pattern(name: &str, content: &[Inline<'_>], below: &Compacted<PatternId>) -> PatternId {
    let mut inline = Compacted::default();
    shapes(content, |shape| inline.push(shape));
    let mut hasher = FxHasher::default();
    (name, inline.hash, below.hash).hash(&mut hasher);
    PatternId(NonZeroU64::new(hasher.finish()).unwrap_or(NonZeroU64::MIN))
}

/// Patterns, from the last to the first, with equal neighbours merged: `(pattern)*`. One occurrence and many are the same. Kept as a hash.
#[derive(Clone, Debug)]
struct Compacted<T> {
    hash: u64,
    latest: Option<T>,
}

impl<T> Default for Compacted<T> {
    fn default() -> Self {
        Compacted { hash: 0, latest: None }
    }
}

impl<T: Copy + PartialEq + Hash> Compacted<T> {
    fn push(&mut self, pattern: T) {
        if self.latest != Some(pattern) {
            let mut hasher = FxHasher::default();
            (self.hash, pattern).hash(&mut hasher);
            (self.hash, self.latest) = (hasher.finish(), Some(pattern));
        }
    }
}

/// A piece of inline content as a pattern: the tag, if one stands before it, and whether there is text.
#[derive(Clone, Copy, PartialEq, Hash)]
struct InlineShape<'c> {
    tag: Option<&'c str>,
    text: bool,
}

/// Gives inline content as patterns: the tags, each with the text after it, which is abstracted.
fn shapes<'c>(content: &'c [Inline<'_>], mut take: impl FnMut(InlineShape<'c>)) {
    let mut pieces = content.iter().peekable();
    while let Some(piece) = pieces.next() {
        take(match piece {
            Inline::Tag(name) => {
                let text = pieces.next_if(|next| matches!(next, Inline::Text { .. })).is_some();
                InlineShape { tag: Some(name), text }
            }
            Inline::Text { .. } => InlineShape { tag: None, text: true },
        });
    }
}

/// The paper's `treeMatch` (figure 9): for each group of the page the group of the sibling that has the same pattern, looking only behind
/// the group matched last (`nextMatch`). O(groups of the page × groups of the sibling) comparisons of numbers.
pub fn tree_match(page: &[PatternId], sibling: &[PatternId]) -> Vec<Option<usize>> {
    let mut next_match = 0;
    page.iter()
        .map(|pattern| {
            let found = next_match + sibling[next_match..].iter().position(|other| other == pattern)?;
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

    /// The patterns of the one group that the children of `body` make.
    fn group_patterns(fragments: &[&str]) -> Vec<PatternId> {
        fragments
            .iter()
            .map(|fragment| {
                let document = parse(format!("<body>{fragment}").as_bytes(), None, &Default::default());
                let sequence = tag_sequence(&document);
                let rest: Vec<usize> = (2..sequence.elements().len()).collect();
                let groups = sub_tree_groups(&sequence, &rest);
                assert_eq!(groups.len(), 1, "{fragment}");
                compact_group(&groups[0], patterns(&sequence))
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
        let groups = sub_tree_groups(&sequence, &rest);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0].siblings, [div + 1, ul, ul + 3]);
        assert_eq!(groups[1].siblings, [ul + 4]);
    }

    #[test]
    fn the_last_group_counts_and_no_group_is_no_error() {
        let sequence = TagSequence::default();
        assert!(sub_tree_groups(&sequence, &[]).is_empty());
        let document = parse(b"<p>a", None, &Default::default());
        assert_eq!(sub_tree_groups(&tag_sequence(&document), &[2]).len(), 1);
    }

    #[test]
    fn matching_keeps_the_order() {
        let id = |number| PatternId(NonZeroU64::new(number).unwrap());
        assert_eq!(tree_match(&[id(1), id(2), id(1)], &[id(2), id(1), id(3)]), [Some(1), None, None]);
        assert_eq!(tree_match(&[id(2), id(1)], &[id(2), id(3), id(1)]), [Some(0), Some(2)]);
        assert_eq!(tree_match(&[id(2)], &[]), [None]);
    }
}
