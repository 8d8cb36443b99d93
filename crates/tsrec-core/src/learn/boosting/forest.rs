//! Trees for scoring: flat arrays, one step per node.

use std::ops::Range;

use super::Rows;
use super::abreast::{self, Lanes, Question};
use super::exit::Exit;
use super::grow::{self, GrownTree};

/// The most columns that a model can use.
pub(super) const MOST_COLUMNS: usize = 32_767;
/// The most leaves of a tree. With the splits between them, node numbers fit into 16 bits.
pub(super) const MOST_LEAVES: usize = 32_767;
/// The depth at which no leaf is split further (judgement). It limits the recursion of
/// explanations, whose cost is its square.
pub(super) const DEEPEST: usize = 64;
/// Rows that go down a tree together. The remaining rows go in groups of half as many, then one at
/// a time.
const ABREAST: usize = 8;

/// A split or a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ForestNode {
    /// A split's threshold: values up to it go left. For a leaf, its value.
    pub(super) number: f32,
    /// The column of a split; 0 for a leaf.
    pub(super) column: u16,
    /// Whether an absent value goes left.
    pub(super) absent_left: bool,
    /// Left and right child, counted from the tree's root. A leaf is its own child.
    pub(super) children: [u16; 2],
}

impl ForestNode {
    /// The node that a value leads to.
    #[inline]
    pub(super) fn next(&self, value: f32) -> u16 {
        let right = (value > self.number) | (value.is_nan() & !self.absent_left);
        self.children[usize::from(right)]
    }

    pub(super) fn is_leaf(&self, at: usize) -> bool {
        usize::from(self.children[0]) == at
    }
}

/// Trees and their base scores. The trees of several outputs alternate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Forest {
    pub(super) columns: usize,
    /// The score of each output before any tree.
    pub(super) base: Vec<f32>,
    /// The trees one after the other. The root comes first, left before right, children after their
    /// parents.
    pub(super) nodes: Vec<ForestNode>,
    /// The same nodes in the form used for scoring.
    pub(super) questions: Vec<Question>,
    /// How much of its tree's training weight reached each node, in no fixed unit, at least 1.
    pub(super) covers: Vec<u32>,
    /// Where each tree begins in `nodes`.
    pub(super) roots: Vec<u32>,
    /// The early exits, in the order of the trees. None for several outputs.
    pub(super) exits: Vec<Exit>,
}

/// A leaf's cover counts parts of the tree's weight, of which there are this many.
const COVER_PARTS: f64 = 65_535.0;

impl Forest {
    /// A forest without trees, with memory for `nodes` nodes.
    pub(super) fn with_capacity(columns: usize, base: Vec<f32>, nodes: usize) -> Forest {
        Forest {
            columns,
            base,
            nodes: Vec::with_capacity(nodes),
            questions: Vec::with_capacity(nodes),
            covers: Vec::with_capacity(nodes),
            roots: Vec::new(),
            exits: Vec::new(),
        }
    }

    pub(super) fn new(base: Vec<f32>, trees: &[GrownTree], edges: &[Vec<f32>]) -> Forest {
        let nodes = trees.iter().map(|tree| tree.nodes.len()).sum();
        let mut forest = Forest::with_capacity(edges.len(), base, nodes);
        trees.iter().for_each(|tree| forest.add(tree, edges));
        forest
    }

    /// Adds a tree with its thresholds. Its nodes are stored in depth-first order.
    fn add(&mut self, tree: &GrownTree, edges: &[Vec<f32>]) {
        let root = self.nodes.len();
        let weight =
            |node: &grow::GrownNode| if let grow::GrownNode::Leaf { weight, .. } = node { *weight } else { 0.0 };
        let total: f64 = tree.nodes.iter().map(weight).sum();
        // Nodes still to add, each with the parent whose right child it is.
        let mut pending: Vec<(usize, Option<usize>)> = vec![(0, None)];
        while let Some((at, parent)) = pending.pop() {
            let here = self.nodes.len() - root;
            if let Some(parent) = parent {
                self.nodes[root + parent].children[1] = here as u16;
            }
            match &tree.nodes[at] {
                grow::GrownNode::Leaf { value, weight } => {
                    let cover = (weight / total * COVER_PARTS).round().clamp(1.0, COVER_PARTS);
                    self.leaf(here, *value, cover as u16);
                }
                grow::GrownNode::Split { split, children } => {
                    let threshold = edges[split.column][usize::from(split.bin) - 1];
                    self.split(here, split.column as u16, threshold, split.absent_left);
                    pending.extend([(children[1], Some(here)), (children[0], None)]);
                }
            }
        }
        self.close(root);
    }

    /// Adds a leaf at index `here` of the tree that is being added.
    pub(super) fn leaf(&mut self, here: usize, value: f32, cover: u16) {
        let children = [here as u16; 2];
        self.nodes.push(ForestNode { number: value, column: 0, absent_left: false, children });
        self.covers.push(u32::from(cover));
    }

    /// Adds a split at this index. Its left child is the next node; its right child is set later.
    pub(super) fn split(&mut self, here: usize, column: u16, threshold: f32, absent_left: bool) {
        self.nodes.push(ForestNode { number: threshold, column, absent_left, children: [here as u16 + 1; 2] });
        self.covers.push(0);
    }

    /// Ends the tree that begins at `root`, and sums the covers of its splits from below.
    pub(super) fn close(&mut self, root: usize) {
        self.roots.push(root as u32);
        for at in (root..self.nodes.len()).rev() {
            let node = self.nodes[at];
            if !node.is_leaf(at - root) {
                let [left, right] = node.children.map(|child| self.covers[root + usize::from(child)]);
                self.covers[at] = left + right;
            }
        }
        let tree = self.nodes[root..].iter().enumerate();
        self.questions.extend(tree.map(|(at, node)| Question::from_node(node, at, self.columns)));
    }

    /// The nodes of each tree, in the order of the trees.
    pub(super) fn trees(&self) -> impl ExactSizeIterator<Item = &[ForestNode]> {
        (0..self.roots.len()).map(|tree| &self.nodes[self.range(tree)])
    }

    /// The range of a tree's nodes.
    pub(super) fn range(&self, tree: usize) -> Range<usize> {
        let end = self.roots.get(tree + 1).map_or(self.nodes.len(), |&root| root as usize);
        self.roots[tree] as usize..end
    }

    pub(super) fn leaves(&self) -> usize {
        self.trees().map(|tree| tree.len().div_ceil(2)).sum()
    }

    fn check(&self, columns: usize) {
        assert_eq!(columns, self.columns, "a row has the columns that were trained on");
    }

    /// The trees between two exits, each group with the exit after it. The last group has none.
    pub(super) fn legs(&self) -> impl Iterator<Item = (Range<usize>, Option<&Exit>)> {
        let ends = self.exits.iter().map(|exit| (exit.trees as usize, Some(exit))).chain([(self.roots.len(), None)]);
        ends.scan(0, |begin, (end, exit)| Some((std::mem::replace(begin, end)..end, exit)))
    }

    /// The node ranges of that leg's trees for one output.
    fn of_output(&self, leg: Range<usize>, output: usize) -> impl Iterator<Item = Range<usize>> {
        leg.skip(output).step_by(self.base.len()).map(|tree| self.range(tree))
    }

    /// The score of one output. O(trees · depth).
    ///
    /// # Panics
    /// When the row has not the columns trained on.
    pub(super) fn score(&self, row: &[f32], output: usize) -> f64 {
        self.check(row.len());
        let mut score = f64::from(self.base[output]);
        for (leg, exit) in self.legs() {
            self.of_output(leg, output).for_each(|tree| score += f64::from(value(&self.nodes[tree], row)));
            if let Some(rest) = exit.and_then(|exit| exit.rest(score)) {
                return score + rest;
            }
        }
        score
    }

    /// Appends the score of one output for each row.
    pub(super) fn score_all(&self, rows: &Rows, output: usize, scores: &mut Vec<f64>) {
        self.check(rows.columns());
        let start = scores.len();
        scores.resize(start + rows.len(), f64::from(self.base[output]));
        let scores = &mut scores[start..];
        let together = self.columns <= abreast::MOST_COLUMNS;
        let mut lanes =
            together.then(|| (Lanes::<ABREAST>::new(self.columns), Lanes::<{ ABREAST / 2 }>::new(self.columns)));
        // The rows that have not exited yet.
        let mut within: Vec<usize> = (0..rows.len()).collect();
        for (leg, exit) in self.legs() {
            // A few rows go down all trees before the next rows, so that their values stay in the
            // cache.
            let trees = || self.of_output(leg.clone(), output);
            let mut rest = &within[..];
            if let Some((many, half)) = &mut lanes {
                rest = self.descend(many, rows, rest, trees, scores);
                rest = self.descend(half, rows, rest, trees, scores);
            }
            for &row in rest {
                trees().for_each(|tree| scores[row] += f64::from(value(&self.nodes[tree], rows.row(row))));
            }
            if let Some(exit) = exit {
                within.retain(|&row| match exit.rest(scores[row]) {
                    Some(rest) => {
                        scores[row] += rest;
                        false
                    }
                    None => true,
                });
            }
        }
    }

    /// Adds these trees' values for rows, `N` at a time. Returns the remaining rows.
    fn descend<'w, const N: usize, T: Iterator<Item = Range<usize>>>(
        &self,
        lanes: &mut Lanes<N>,
        rows: &Rows,
        within: &'w [usize],
        trees: impl Fn() -> T,
        scores: &mut [f64],
    ) -> &'w [usize] {
        let (chunks, rest) = within.as_chunks::<N>();
        for few in chunks {
            let values = lanes.lay_out(few.map(|row| rows.row(row)));
            let mut sums = few.map(|row| scores[row]);
            trees().for_each(|tree| abreast::add(&self.questions[tree], values, &mut sums));
            few.iter().zip(sums).for_each(|(&row, sum)| scores[row] = sum);
        }
        rest
    }
}

/// The tree's value for a row.
pub(super) fn value(tree: &[ForestNode], row: &[f32]) -> f32 {
    let mut at = 0;
    loop {
        let node = &tree[at];
        if node.is_leaf(at) {
            return node.number;
        }
        at = usize::from(node.next(row[usize::from(node.column)]));
    }
}
