//! What each column adds to a score: Shapley values, exact for the trees as they are.
//!
//! The values are those of "From Local Explanations to Global Understanding with Explainable AI for
//! Trees" (Lundberg et al. 2020), path-dependent: a column that is not known goes both ways, as the
//! training weights did. The cover of a node is what the model stores of these weights, rounded to
//! 65,535ths of its tree's. They are not come by as there, by a list of weights that is extended
//! and unwound at each step: of a leaf the columns on the way part into those by which the row
//! comes there and those by which it does not. Known ones of the second kind lead elsewhere, so the
//! sum over sets of known columns is one over sets of the first kind alone, and sets of one size
//! have one weight: what is left are the elementary symmetric polynomials of their shares.

use std::sync::LazyLock;

use super::forest::{DEEPEST, Forest, ForestNode, value};

/// A score, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The score when nothing is known of a row: what all rows trained on have in the mean, by the
    /// trees that were asked of this one, and what stands for the others where it left early.
    pub base: f64,
    /// What knowing each column adds; with the base it sums to the score, rounding apart.
    pub contributions: Vec<f64>,
}

/// Takes the score of one output apart. O(leaves · depth²), of which depth only those columns count
/// by which the row comes to a leaf.
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
    /// What the tree says in the mean.
    fn mean(&self) -> f64 {
        let leaves = self.nodes.iter().zip(self.covers).enumerate().filter(|(at, (node, _))| node.is_leaf(*at));
        let sum: f64 = leaves.map(|(_, (node, &cover))| f64::from(node.number) * f64::from(cover)).sum();
        sum / f64::from(self.covers[0])
    }
}

/// A column on the way to a node.
#[derive(Clone, Copy)]
struct PathStep {
    column: u16,
    /// The share of rows that come this way when the column is not known.
    share: f64,
    /// Whether this row comes this way when it is.
    comes: bool,
}

/// A walk over all leaves.
struct LeafWalk<'a> {
    row: &'a [f32],
    /// The columns on the way to where it is, each once.
    way: Vec<PathStep>,
    /// Of a leaf: for each size the sum, over sets of so many of the columns by which the row comes
    /// there, of the product of their shares.
    sums: Vec<f64>,
    contributions: &'a mut [f64],
}

impl LeafWalk<'_> {
    /// Goes down from a node. As deep as the tree, which has a bound.
    fn visit(&mut self, tree: ExplainedTree<'_>, at: usize) {
        let node = &tree.nodes[at];
        if node.is_leaf(at) {
            return self.leaf(f64::from(node.number));
        }
        let taken = node.next(self.row[usize::from(node.column)]);
        // A column that was asked before is one player still.
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

    /// What a leaf at the end of the way adds to each column's contribution.
    fn leaf(&mut self, value: f64) {
        let LeafWalk { way, sums, contributions, .. } = self;
        let weights = &WEIGHTS[way.len()];
        // Columns by which the row does not come here are not known, or it would be elsewhere.
        let reached: f64 = value * way.iter().filter(|step| !step.comes).map(|step| step.share).product::<f64>();
        sums.clear();
        sums.push(1.0);
        for step in way.iter().filter(|step| step.comes) {
            sums.push(0.0);
            for size in (1..sums.len()).rev() {
                sums[size] += sums[size - 1] * step.share;
            }
        }
        // Those that are not known have the share; the others are known, beside the column itself.
        let known = sums.len() - 1;
        let lost = || reached * (0..=known).map(|size| sums[size] * weights[known - size]).sum::<f64>();
        let lost = if known < way.len() { lost() } else { 0.0 };
        for step in way.iter() {
            let contribution = &mut contributions[usize::from(step.column)];
            if !step.comes {
                *contribution -= lost;
                continue;
            }
            // The sums without this column: it is divided out of the polynomial.
            let (mut without, mut sum) = (0.0, 0.0);
            for size in 0..known {
                without = sums[size] - step.share * without;
                sum += without * weights[known - 1 - size];
            }
            *contribution += reached * (1.0 - step.share) * sum;
        }
    }
}

/// By how many columns there are, and how many are known before the one that is asked for: the
/// share of their orders in which it is so.
static WEIGHTS: LazyLock<Vec<Vec<f64>>> = LazyLock::new(|| {
    let weights = |columns: usize| {
        let first = 1.0 / columns as f64;
        // 1 / (n · (n - 1 over k)), each of that before.
        let next = move |weight: &f64, known: usize| weight * known as f64 / (columns - known) as f64;
        (1..columns).fold(vec![first], |mut weights, known| {
            weights.push(next(&weights[known - 1], known));
            weights
        })
    };
    (0..=DEEPEST).map(weights).collect()
});
