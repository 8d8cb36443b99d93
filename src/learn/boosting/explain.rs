//! What each column adds to a score: Shapley values, exact for the trees as they are.
//!
//! "From Local Explanations to Global Understanding with Explainable AI for Trees" (Lundberg et al. 2020), algorithm 2,
//! path-dependent: a column that is not known goes both ways, as the training weights did. The cover of a node is what
//! the model stores of these weights, rounded to 65,535ths of its tree's.

use super::forest::{Forest, Node, value};

/// A score, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The score when nothing is known of a row: what all rows trained on have in the mean, by the trees that were asked of this one, and what stands for
    /// the others where it left early.
    pub base: f64,
    /// What knowing each column adds; with the base it sums to the score, rounding apart.
    pub contributions: Vec<f64>,
}

/// Takes the score of one output apart. O(leaves · depth²).
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
    for (leg, exit) in forest.legs() {
        for tree in leg.skip(output).step_by(outputs) {
            let range = forest.range(tree);
            let walk = Walk { nodes: &forest.nodes[range.clone()], covers: &forest.covers[range], row };
            explanation.base += walk.mean();
            score += f64::from(value(walk.nodes, row));
            let root = Step { column: None, zero: 1.0, one: 1.0, weight: 0.0 };
            walk.visit(0, Vec::new(), root, &mut explanation.contributions);
        }
        if let Some(rest) = exit.and_then(|exit| exit.rest(score)) {
            explanation.base += rest;
            break;
        }
    }
    explanation
}

/// A column on the way to a node.
#[derive(Clone, Copy)]
struct Step {
    /// `None` for the first, which is no column's.
    column: Option<u16>,
    /// The share of rows that come this way when the column is not known.
    zero: f64,
    /// 1 if this row comes this way, else 0.
    one: f64,
    /// The weight of the sets of columns that have as many members as stand before it.
    weight: f64,
}

struct Walk<'a> {
    nodes: &'a [Node],
    covers: &'a [u32],
    row: &'a [f32],
}

impl Walk<'_> {
    /// What the tree says in the mean.
    fn mean(&self) -> f64 {
        let leaves = self.nodes.iter().zip(self.covers).enumerate().filter(|(at, (node, _))| node.is_leaf(*at));
        let sum: f64 = leaves.map(|(_, (node, &cover))| f64::from(node.number) * f64::from(cover)).sum();
        sum / f64::from(self.covers[0])
    }

    /// Goes down from a node that `step` led to. As deep as the tree, which has a bound.
    fn visit(&self, at: usize, mut path: Vec<Step>, step: Step, contributions: &mut [f64]) {
        extend(&mut path, step);
        let node = &self.nodes[at];
        if node.is_leaf(at) {
            for (index, step) in path.iter().enumerate() {
                if let Some(column) = step.column {
                    let weight = unwound_sum(&path, index);
                    contributions[usize::from(column)] += weight * (step.one - step.zero) * f64::from(node.number);
                }
            }
            return;
        }
        // A column that was asked before is one player still: its earlier step is undone and its shares taken over.
        let mut before = Step { column: Some(node.column), zero: 1.0, one: 1.0, weight: 0.0 };
        if let Some(index) = path.iter().position(|step| step.column == Some(node.column)) {
            (before.zero, before.one) = (path[index].zero, path[index].one);
            unwind(&mut path, index);
        }
        let taken = node.next(self.row[usize::from(node.column)]);
        for child in node.children {
            let share = f64::from(self.covers[usize::from(child)]) / f64::from(self.covers[at]);
            let one = if child == taken { before.one } else { 0.0 };
            let step = Step { zero: before.zero * share, one, ..before };
            self.visit(usize::from(child), path.clone(), step, contributions);
        }
    }
}

/// EXTEND of the paper: one more column, whose known and unknown sides every set of those before may go with.
fn extend(path: &mut Vec<Step>, step: Step) {
    let length = path.len();
    let all = (length + 1) as f64;
    path.push(Step { weight: if length == 0 { 1.0 } else { 0.0 }, ..step });
    for index in (0..length).rev() {
        let weight = path[index].weight;
        path[index + 1].weight += step.one * weight * (index + 1) as f64 / all;
        path[index].weight = step.zero * weight * (length - index) as f64 / all;
    }
}

/// UNWIND of the paper: takes a column off again.
fn unwind(path: &mut Vec<Step>, index: usize) {
    let weights = unwound(path, index);
    path.remove(index);
    for (step, weight) in path.iter_mut().zip(weights.into_iter().rev()) {
        step.weight = weight;
    }
}

/// The sum of the weights once a column is taken off.
fn unwound_sum(path: &[Step], index: usize) -> f64 {
    unwound(path, index).into_iter().sum()
}

/// The weights once a column is taken off, last first.
fn unwound(path: &[Step], index: usize) -> Vec<f64> {
    let last = path.len() - 1;
    let all = path.len() as f64;
    let Step { zero, one, .. } = path[index];
    let mut next = path[last].weight;
    let mut weights = Vec::with_capacity(last);
    for at in (0..last).rev() {
        let weight = if one == 0.0 {
            path[at].weight * all / (zero * (last - at) as f64)
        } else {
            let weight = next * all / ((at + 1) as f64 * one);
            next = path[at].weight - weight * zero * (last - at) as f64 / all;
            weight
        };
        weights.push(weight);
    }
    weights
}
