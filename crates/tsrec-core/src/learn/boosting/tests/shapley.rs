//! Compares explanations with the definition of Shapley values.

use proptest::prelude::*;

use super::cases::{noisy, small};
use crate::learn::boosting::forest::Forest;
use crate::learn::boosting::form::Form;
use crate::learn::boosting::{Model, Training, train};

/// The forest's mean score if only some columns are known. Unknown columns go both ways, by the
/// covers.
fn known(forest: &Forest, row: &[f32], columns: u32) -> f64 {
    let tree = |tree: usize| {
        let range = forest.range(tree);
        let (nodes, covers) = (&forest.nodes[range.clone()], &forest.covers[range]);
        let mut pending = vec![(0, 1.0)];
        let mut mean = 0.0;
        while let Some((at, share)) = pending.pop() {
            let node = &nodes[at];
            if node.is_leaf(at) {
                mean += share * f64::from(node.number);
            } else if columns >> node.column & 1 == 1 {
                pending.push((usize::from(node.next(row[usize::from(node.column)])), share));
            } else {
                for child in node.children.map(usize::from) {
                    pending.push((child, share * f64::from(covers[child]) / f64::from(covers[at])));
                }
            }
        }
        mean
    };
    f64::from(forest.base[0]) + (0..forest.roots.len()).map(tree).sum::<f64>()
}

/// The definition: the mean of what a column adds, over all orders in which columns may become
/// known.
fn shapley(forest: &Forest, row: &[f32], column: usize) -> f64 {
    let columns = forest.columns;
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    let others = (0..1u32 << columns).filter(|set| set >> column & 1 == 0);
    let adds = others.map(|set| {
        let size = set.count_ones() as usize;
        let weight = factorial(size) * factorial(columns - size - 1) / factorial(columns);
        weight * (known(forest, row, set | 1 << column) - known(forest, row, set))
    });
    adds.sum()
}

fn model(seed: u64, columns: usize) -> Model {
    let (rows, labels, weights) = noisy(300, columns, seed);
    train(&rows, &labels, &weights, &Training { trees: 4, ..small() }, |_| {}).unwrap().model
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn contributions_are_shapley_values(seed: u64) {
        let model = model(seed, 5);
        let forest = Forest::try_from(Form::from(model.clone())).unwrap();
        let (asked, ..) = noisy(5, 5, seed ^ 1);
        for row in asked.iter() {
            let explanation = model.explain(row);
            prop_assert!((explanation.base - known(&forest, row, 0)).abs() < 1e-9);
            for (column, contribution) in explanation.contributions.iter().enumerate() {
                let expect = shapley(&forest, row, column);
                prop_assert!((contribution - expect).abs() < 1e-9, "column {}: {} {}", column, contribution, expect);
            }
        }
    }

    #[test]
    fn contributions_sum_to_the_score(seed: u64) {
        let (rows, labels, weights) = noisy(300, 12, seed);
        let training = Training { early_exits: seed.is_multiple_of(2), ..small() };
        let model = train(&rows, &labels, &weights, &training, |_| {}).unwrap().model;
        let (asked, ..) = noisy(20, 12, seed ^ 1);
        for row in asked.iter() {
            let explanation = model.explain(row);
            let sum = explanation.base + explanation.contributions.iter().sum::<f64>();
            prop_assert!((sum - f64::from(model.predict(row))).abs() < 1e-5, "{} {}", sum, model.predict(row));
        }
    }
}
