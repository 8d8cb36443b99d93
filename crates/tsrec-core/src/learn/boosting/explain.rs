//! What each column adds to a score: exact Shapley values of the trees.
//!
//! The values are those of "From Local Explanations to Global Understanding with Explainable AI for
//! Trees" (Lundberg et al. 2020), path-dependent: an unknown column goes both ways, as the training
//! weights did. The model stores a node's share of these weights as its cover, rounded to 65,535ths
//! of its tree's.
//!
//! The algorithm differs from the paper's, which extends and unwinds a list of weights at each
//! step. For a leaf, the columns on the path are of two kinds: those that lead this row to the
//! leaf, and those that do not. If a column of the second kind is known, the row goes elsewhere. So
//! the sum over sets of known columns needs only sets of the first kind, and sets of one size have
//! one weight. What remains are the elementary symmetric polynomials of their shares.

use std::sync::LazyLock;

use super::forest::{DEEPEST, Forest, ForestNode, value};

/// A score, split into contributions.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The score when nothing is known about a row: the mean of the evaluated trees over all
    /// training rows. If the row exited early, it includes what was added for the skipped trees.
    pub base: f64,
    /// What knowing each column adds. With the base it sums to the score, except for rounding.
    pub contributions: Vec<f64>,
}

/// Splits the score of one output. O(leaves · depth²), where depth counts only columns that lead
/// the row to the leaf.
///
/// # Panics
/// When the row has not the columns trained on, or there is no such output.
pub(super) fn explain(forest: &Forest, row: &[f32], output: usize) -> Explanation {
    assert_eq!(row.len(), forest.columns, "a row has the columns that were trained on");
    let outputs = forest.base.len();
    assert!(output < outputs, "there are {outputs} outputs");
    let mut explanation =
        Explanation { base: f64::from(forest.base[output]), contributions: vec![0.0; forest.columns] };
    let mut score = explanation.base;
    let mut walk = LeafWalk { row, way: Vec::new(), sums: Vec::new(), contributions: &mut explanation.contributions };
    for (leg, exit) in forest.legs() {
        for tree in leg.skip(output).step_by(outputs) {
            let range = forest.range(tree);
            let tree = ExplainedTree { nodes: &forest.nodes[range.clone()], covers: &forest.covers[range] };
            explanation.base += tree.mean();
            score += f64::from(value(tree.nodes, row));
            walk.visit(tree, 0);
        }
        if let Some(rest) = exit.and_then(|exit| exit.rest(score)) {
            explanation.base += rest;
            break;
        }
    }
    explanation
}

#[derive(Clone, Copy)]
struct ExplainedTree<'a> {
    nodes: &'a [ForestNode],
    covers: &'a [u32],
}

impl ExplainedTree<'_> {
    /// The mean of the tree's values.
    fn mean(&self) -> f64 {
        let leaves = self.nodes.iter().zip(self.covers).enumerate().filter(|(at, (node, _))| node.is_leaf(*at));
        let sum: f64 = leaves.map(|(_, (node, &cover))| f64::from(node.number) * f64::from(cover)).sum();
        sum / f64::from(self.covers[0])
    }
}

/// A column on the path to a node.
#[derive(Clone, Copy)]
struct PathStep {
    column: u16,
    /// The share of rows that go this way if the column is unknown.
    share: f64,
    /// Whether this row goes this way if the column is known.
    comes: bool,
}

/// A walk over all leaves.
struct LeafWalk<'a> {
    row: &'a [f32],
    /// The columns on the path to the current node, each once.
    way: Vec<PathStep>,
    /// For a leaf and each set size: the sum of the products of shares, over sets of that size of
    /// the columns that lead the row to the leaf.
    sums: Vec<f64>,
    contributions: &'a mut [f64],
}

impl LeafWalk<'_> {
    /// Visits a node and those below. The recursion is as deep as the tree, which is limited.
    fn visit(&mut self, tree: ExplainedTree<'_>, at: usize) {
        let node = &tree.nodes[at];
        if node.is_leaf(at) {
            return self.leaf(f64::from(node.number));
        }
        let taken = node.next(self.row[usize::from(node.column)]);
        // A column that was asked before is still one player.
        let asked = self.way.iter().position(|step| step.column == node.column);
        let place = asked.unwrap_or(self.way.len());
        if asked.is_none() {
            self.way.push(PathStep { column: node.column, share: 1.0, comes: true });
        }
        let before = self.way[place];
        for child in node.children {
            let share = f64::from(tree.covers[usize::from(child)]) / f64::from(tree.covers[at]);
            let comes = before.comes && child == taken;
            self.way[place] = PathStep { share: before.share * share, comes, ..before };
            self.visit(tree, usize::from(child));
        }
        match asked {
            Some(place) => self.way[place] = before,
            None => drop(self.way.pop()),
        }
    }

    /// Adds to each column's contribution what the leaf at the end of the path gives.
    fn leaf(&mut self, value: f64) {
        let LeafWalk { way, sums, contributions, .. } = self;
        let weights = &WEIGHTS[way.len()];
        // Columns that lead the row elsewhere must be unknown.
        let reached: f64 = value * way.iter().filter(|step| !step.comes).map(|step| step.share).product::<f64>();
        sums.clear();
        sums.push(1.0);
        for step in way.iter().filter(|step| step.comes) {
            sums.push(0.0);
            for size in (1..sums.len()).rev() {
                sums[size] += sums[size - 1] * step.share;
            }
        }
        // Unknown columns count by their share; the others are known, next to the column itself.
        let known = sums.len() - 1;
        let lost = || reached * (0..=known).map(|size| sums[size] * weights[known - size]).sum::<f64>();
        let lost = if known < way.len() { lost() } else { 0.0 };
        for step in way.iter() {
            let contribution = &mut contributions[usize::from(step.column)];
            if !step.comes {
                *contribution -= lost;
                continue;
            }
            // The sums without this column: divide it out of the polynomial.
            let (mut without, mut sum) = (0.0, 0.0);
            for size in 0..known {
                without = sums[size] - step.share * without;
                sum += without * weights[known - 1 - size];
            }
            *contribution += reached * (1.0 - step.share) * sum;
        }
    }
}

/// By the number of columns, and the number known before a given one: the share of all orders in
/// which exactly these come before it.
static WEIGHTS: LazyLock<Vec<Vec<f64>>> = LazyLock::new(|| {
    let weights = |columns: usize| {
        let first = 1.0 / columns as f64;
        // 1 / (n · (n - 1 over k)), each from the one before.
        let next = move |weight: &f64, known: usize| weight * known as f64 / (columns - known) as f64;
        (1..columns).fold(vec![first], |mut weights, known| {
            weights.push(next(&weights[known - 1], known));
            weights
        })
    };
    (0..=DEEPEST).map(weights).collect()
});
