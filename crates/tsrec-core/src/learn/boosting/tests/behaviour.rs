//! Training as a caller sees it.

use crate::learn::parallel::tests::Backwards;
use proptest::prelude::*;

use super::cases::{noisy, small};
use crate::learn::boosting::{Rows, Training, train, train_classes};

const ABSENT: f32 = f32::NAN;

fn rows<const N: usize>(values: &[[f32; N]]) -> Rows {
    let mut rows = Rows::new(N);
    values.iter().for_each(|row| rows.push(row));
    rows
}

#[test]
fn any_number_of_workers_gives_the_same_bytes() {
    let (rows, labels, weights) = noisy(3000, 21, 1);
    let model = |workers: &'static Backwards, seed| {
        let shares = Training { row_share: 0.7, column_share: 0.6, ..small() };
        let training = Training { workers, seed, trees: 8, ..shares };
        let trained = train(&rows, &labels, &weights, &training, |_| {}).unwrap();
        (postcard::to_stdvec(&trained.model).unwrap(), trained.gain)
    };
    let one = model(&Backwards(1), 7);
    for workers in [&Backwards(2), &Backwards(3), &Backwards(16)] {
        assert!(model(workers, 7) == one, "{workers:?}");
    }
    assert!(model(&Backwards(1), 8).0 != one.0, "the seed says what is drawn");
}

#[test]
fn any_number_of_workers_gives_the_same_classes() {
    let (rows, labels, weights) = noisy(500, 9, 1);
    let labels: Vec<usize> = labels.iter().enumerate().map(|(row, &label)| label as usize + row % 2).collect();
    let model = |workers: &'static Backwards| {
        let training = Training { workers, trees: 4, column_share: 0.5, ..small() };
        train_classes(&rows, &labels, 3, &weights, &training, |_| {}).unwrap().model
    };
    assert_eq!(model(&Backwards(1)), model(&Backwards(4)));
}

#[test]
fn every_round_lowers_the_loss() {
    let (rows, labels, weights) = noisy(1000, 6, 2);
    let mut losses = Vec::new();
    let trained = train(&rows, &labels, &weights, &small(), |round| {
        assert_eq!((round.number, round.of), (losses.len() + 1, 20));
        losses.push(round.loss());
    });
    assert!(losses.len() == 20 && losses.is_sorted_by(|a, b| a > b), "{losses:?}");

    // The reported loss is the model's own.
    let model = trained.unwrap().model;
    let loss = |((row, &label), &weight): ((&[f32], &f32), &f32)| {
        let probability = model.probability(row);
        f64::from(weight) * -f64::from(if label > 0.5 { probability } else { 1.0 - probability }).ln()
    };
    let sum: f64 = rows.iter().zip(&labels).zip(&weights).map(loss).sum();
    let mean = sum / weights.iter().map(|&weight| f64::from(weight)).sum::<f64>();
    assert!((mean - losses[19]).abs() < 1e-5, "{mean} {losses:?}");
}

#[test]
fn gain_tells_the_columns_that_matter() {
    let (rows, labels, weights) = noisy(3000, 6, 3);
    let gain = train(&rows, &labels, &weights, &small(), |_| {}).unwrap().gain;
    let idle = gain[3..].iter().copied().fold(0.0, f64::max);
    assert!(gain[..3].iter().all(|&gain| gain > 2.0 * idle), "{gain:?}");
}

#[test]
fn absence_has_a_side_of_its_own() {
    // Absent with the high values, absent with the low ones, absent against all others.
    for (labels, expect) in [([0.0, 1.0, 1.0], true), ([1.0, 0.0, 1.0], true), ([0.0, 0.0, 1.0], true)] {
        let rows = rows(&[[1.0], [2.0], [ABSENT]].repeat(5));
        let training = Training { least_leaf_rows: 1, least_leaf_weight: 0.0, trees: 50, leaves: 3, ..small() };
        let model = train(&rows, &labels.repeat(5), &[1.0; 15], &training, |_| {}).unwrap().model;
        for (value, label) in [1.0, 2.0, ABSENT].into_iter().zip(labels) {
            assert_eq!(model.probability(&[value]) > 0.5, label > 0.5, "{value} of {labels:?}");
        }
        assert_eq!(model.probability(&[ABSENT]) > 0.5, expect);
    }
}

#[test]
fn absence_that_training_never_met_goes_with_the_many() {
    let rows = rows(&[[1.0], [2.0], [2.0], [2.0]].repeat(5));
    let training = Training { least_leaf_rows: 1, ..small() };
    let model = train(&rows, &[1.0, 0.0, 0.0, 0.0].repeat(5), &[1.0; 20], &training, |_| {}).unwrap().model;
    assert_eq!(model.predict(&[ABSENT]), model.predict(&[2.0]));
    assert!(model.predict(&[1.0]) > model.predict(&[2.0]));
}

#[test]
fn infinite_values_are_values() {
    let infinite = f32::INFINITY;
    let rows = rows(&[[-infinite], [f32::MAX], [infinite], [ABSENT]].repeat(5));
    let labels = [1.0, 0.0, 1.0, 0.0];
    let training = Training { least_leaf_rows: 1, least_leaf_weight: 0.0, trees: 50, ..small() };
    let model = train(&rows, &labels.repeat(5), &[1.0; 20], &training, |_| {}).unwrap().model;
    for (value, label) in [-infinite, f32::MAX, infinite, ABSENT].into_iter().zip(labels) {
        assert_eq!(model.probability(&[value]) > 0.5, label > 0.5, "{value}");
    }
    assert_eq!(model.predict_batch(&rows), rows.iter().map(|row| model.predict(row)).collect::<Vec<_>>());
}

#[test]
fn labels_between_are_probabilities() {
    let rows = rows(&[[0.0], [1.0]].repeat(20));
    let training = Training { trees: 200, ..small() };
    let model = train(&rows, &[0.2, 0.7].repeat(20), &[1.0; 40], &training, |_| {}).unwrap().model;
    for (value, expect) in [(0.0, 0.2), (1.0, 0.7)] {
        let probability = model.probability(&[value]);
        assert!((probability - expect).abs() < 1e-3, "{probability} {expect}");
    }
}

#[test]
fn where_nothing_can_be_told_apart_the_base_rate_is_left() {
    for label in [0.0, 0.25, 1.0] {
        let mut rounds = 0;
        let rows = rows(&[[1.0, ABSENT]].repeat(40));
        let model = train(&rows, &[label; 40], &[1.0; 40], &small(), |_| rounds += 1).unwrap().model;
        assert_eq!((model.trees(), rounds), (0, 0));
        assert!((model.probability(&[5.0, 5.0]) - label).abs() < 1e-5);
    }
}

#[test]
fn classes_are_told_apart() {
    let (rows, _, weights) = noisy(600, 4, 4);
    let class = |row: &[f32]| match (row[0] > 0.5, row[1] > 0.4) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 3,
    };
    let labels: Vec<usize> = rows.iter().map(class).collect();
    let mut losses = Vec::new();
    let trained = train_classes(&rows, &labels, 4, &weights, &small(), |round| losses.push(round.loss())).unwrap();
    assert!(losses.is_sorted_by(|a, b| a > b), "{losses:?}");
    assert_eq!((trained.model.classes(), trained.model.trees()), (4, 80));
    let (others, ..) = noisy(600, 4, 5);
    let right = others.iter().filter(|row| trained.model.classify(row).0 == class(row)).count();
    assert!(right > 580, "{right}");
    for row in others.iter() {
        let probabilities = trained.model.probabilities(row);
        assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(probabilities[2] < 0.01, "a class without rows: {probabilities:?}");
    }
}

/// Two rows in three are clear by their first column; the others need many trees.
#[test]
fn clear_rows_leave_early_and_are_decided_alike() {
    let (mut all, mut labels) = (Rows::new(3), Vec::new());
    for number in 0..3000_u16 {
        let [a, b] = [number % 16 / 4, number % 4].map(f32::from);
        let kind = f32::from(number % 3);
        all.push(&[kind, a, b]);
        labels.push(if kind < 2.0 { kind } else { f32::from(u8::from((a as u8 ^ b as u8) % 2 == 1)) });
    }
    let weights = vec![1.0; all.len()];
    let training = Training { trees: 120, ..small() };
    let whole = train(&all, &labels, &weights, &training, |_| {}).unwrap().model;
    let early = train(&all, &labels, &weights, &Training { early_exits: true, ..training }, |_| {}).unwrap().model;
    let (mut left, mut shown) = (0, 0);
    for (by_all, by_some) in whole.predict_batch(&all).into_iter().zip(early.predict_batch(&all)) {
        assert_eq!(by_all > 0.0, by_some > 0.0, "{by_all} {by_some}");
        let is_same = (by_all - by_some).abs() < 1e-6;
        (left, shown) = (left + usize::from(!is_same), shown + usize::from(is_same));
    }
    assert!(left > 1500, "{left} left early, {shown} did not");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let two = rows(&[[0.0], [1.0]]);
    let refused = |labels: &[f32], weights: &[f32], training: Training| {
        train(&two, labels, weights, &training, |_| {}).map(|_| ()).unwrap_err().to_string()
    };
    let fine = [0.0, 1.0];
    for (labels, weights, expect) in [
        (&fine[..], &[1.0][..], "2 rows, 2 labels, 1 weights"),
        (&[0.0], &[1.0, 1.0], "2 rows, 1 labels, 2 weights"),
        (&[0.0, 1.5], &[1.0, 1.0], "row 1 has the label 1.5"),
        (&[ABSENT, 1.0], &[1.0, 1.0], "row 0 has the label NaN"),
        (&fine, &[1.0, -1.0], "row 1 has the weight -1"),
        (&fine, &[1.0, ABSENT], "row 1 has the weight NaN"),
        (&fine, &[0.0, 0.0], "no row has a weight"),
    ] {
        assert_eq!(refused(labels, weights, small()), expect);
    }
    for (name, training) in [
        ("leaves", Training { leaves: 1, ..small() }),
        ("learning_rate", Training { learning_rate: 0.0, ..small() }),
        ("least_leaf_weight", Training { least_leaf_weight: -1.0, ..small() }),
        ("lambda", Training { lambda: f64::NAN, ..small() }),
        ("least_gain", Training { least_gain: f64::INFINITY, ..small() }),
        ("bins", Training { bins: 256, ..small() }),
        ("row_share", Training { row_share: 0.0, ..small() }),
        ("column_share", Training { column_share: 1.1, ..small() }),
    ] {
        let message = refused(&fine, &[1.0, 1.0], training);
        assert!(message.starts_with(&format!("{name} is out of its range")), "{message}");
    }
    let classes = |labels: &[usize], classes| {
        train_classes(&two, labels, classes, &[1.0, 1.0], &small(), |_| {}).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(classes(&[0, 0], 1), "1 classes are no choice");
    assert_eq!(classes(&[0, 2], 2), "row 1 is of class 2, and there are 2");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_row_without_weight_is_as_if_it_were_not_there(seed: u64, share in prop::sample::select(vec![0.5, 1.0])) {
        let (rows, labels, mut weights) = noisy(120, 5, seed);
        weights.iter_mut().step_by(3).for_each(|weight| *weight = 0.0);
        let (mut kept, mut kept_labels, mut kept_weights) = (Rows::new(5), Vec::new(), Vec::new());
        for row in (0..rows.len()).filter(|&row| weights[row] > 0.0) {
            kept.push(rows.row(row));
            kept_labels.push(labels[row]);
            kept_weights.push(weights[row]);
        }
        let training = Training { trees: 5, row_share: share, ..small() };
        let all = train(&rows, &labels, &weights, &training, |_| {}).unwrap();
        let without = train(&kept, &kept_labels, &kept_weights, &training, |_| {}).unwrap();
        prop_assert_eq!(all.model, without.model);
    }

    #[test]
    fn a_batch_says_what_each_row_says(seed: u64, count in 1usize..40, early_exits: bool) {
        let (rows, labels, weights) = noisy(150, 5, seed);
        let training = Training { early_exits, ..small() };
        let model = train(&rows, &labels, &weights, &training, |_| {}).unwrap().model;
        let (asked, ..) = noisy(count, 5, seed ^ 1);
        let each: Vec<f32> = asked.iter().map(|row| model.predict(row)).collect();
        prop_assert_eq!(model.predict_batch(&asked), each);
    }
}
