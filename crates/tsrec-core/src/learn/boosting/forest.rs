//! Trees as they are asked: flat arrays, one step a node.

use std::ops::Range;

use super::Rows;
use super::abreast::{self, Lanes, Question};
use super::exit::Exit;
use super::grow::{self, GrownTree};

/// The most columns that a model can ask for.
pub(super) const MOST_COLUMNS: usize = 32_767;
/// The most leaves of a tree: with the splits between them their numbers fit into 16 bits.
pub(super) const MOST_LEAVES: usize = 32_767;
/// The depth at which no leaf is split further (judgement): it bounds the recursion of explaining,
/// whose cost is its square.
pub(super) const DEEPEST: usize = 64;
/// Rows that go down a tree together; of those that are left over half as many, then single ones.
const ABREAST: usize = 8;

/// A question or an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ForestNode {
    /// Of a split the threshold: values up to it go left. Of a leaf the value.
    pub(super) number: f32,
    /// The column that is asked; 0 for a leaf.
    pub(super) column: u16,
    /// Whether an absent value goes left.
    pub(super) absent_left: bool,
    /// Left and right child, counted from the tree's root. A leaf's are itself.
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

/// Trees and what they start from. The trees of several outputs take turns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Forest {
    pub(super) columns: usize,
    /// The score of each output before any tree.
    pub(super) base: Vec<f32>,
    /// The trees one after the other, each root first, left before right, children after their
    /// parents.
    pub(super) nodes: Vec<ForestNode>,
    /// The same, as rows are asked.
    pub(super) questions: Vec<Question>,
    /// How much of its tree's training weight came to each node, in no particular unit, 1 at least.
    pub(super) covers: Vec<u32>,
    /// Where each tree begins in `nodes`.
    pub(super) roots: Vec<u32>,
    /// Where rows leave that are clear by then, in the order of the trees. None for several
    /// outputs.
    pub(super) exits: Vec<Exit>,
}

/// A leaf's cover is told in so many parts of the tree's.
const COVER_PARTS: f64 = 65_535.0;

impl Forest {
    /// No trees yet, with memory for so many nodes.
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

    /// Adds a tree with its thresholds, its nodes in the order of a walk.
    fn add(&mut self, tree: &GrownTree, edges: &[Vec<f32>]) {
        let root = self.nodes.len();
        let weight =
            |node: &grow::GrownNode| if let grow::GrownNode::Leaf { weight, .. } = node { *weight } else { 0.0 };
        let total: f64 = tree.nodes.iter().map(weight).sum();
        // Nodes to come, each with the parent whose right child it is.
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

    /// Adds a leaf at this place of the tree that is being added.
    pub(super) fn leaf(&mut self, here: usize, value: f32, cover: u16) {
        let children = [here as u16; 2];
        self.nodes.push(ForestNode { number: value, column: 0, absent_left: false, children });
        self.covers.push(u32::from(cover));
    }

    /// Adds a split at this place; its left child is the next node, its right child is yet to be
    /// set.
    pub(super) fn split(&mut self, here: usize, column: u16, threshold: f32, absent_left: bool) {
        self.nodes.push(ForestNode { number: threshold, column, absent_left, children: [here as u16 + 1; 2] });
        self.covers.push(0);
    }

    /// Ends the tree that begins at `root`: covers of splits are those of what lies below.
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

    /// Where a tree's nodes lie.
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

    /// The first so many trees of one output, without exits.
    pub(super) fn first(&self, trees: usize) -> Forest {
        let end = self.roots.get(trees).map_or(self.nodes.len(), |&root| root as usize);
        Forest {
            nodes: self.nodes[..end].to_vec(),
            questions: self.questions[..end].to_vec(),
            covers: self.covers[..end].to_vec(),
            roots: self.roots[..trees].to_vec(),
            exits: Vec::new(),
            base: self.base.clone(),
            ..*self
        }
    }

    /// The trees between two exits, each with the exit after them; the last have none.
    pub(super) fn legs(&self) -> impl Iterator<Item = (Range<usize>, Option<&Exit>)> {
        let ends = self.exits.iter().map(|exit| (exit.trees as usize, Some(exit))).chain([(self.roots.len(), None)]);
        ends.scan(0, |begin, (end, exit)| Some((std::mem::replace(begin, end)..end, exit)))
    }

    /// Where the trees of that leg lie which speak for an output.
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
        // The rows that have not left yet.
        let mut within: Vec<usize> = (0..rows.len()).collect();
        for (leg, exit) in self.legs() {
            // A few rows go down all trees before the next, so that their values stay in the cache.
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

    /// Adds what these trees say of rows, `N` at a time; gives those that are left over.
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

/// What a tree says of a row.
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
