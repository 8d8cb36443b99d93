//! Models on disk are small, read back the same, and give only an error when damaged.

use proptest::prelude::*;

use super::cases::{noisy, small};
use crate::learn::boosting::exit::Exit;
use crate::learn::boosting::{ClassModel, Model, Training, train, train_classes};

fn model(seed: u64) -> Model {
    let (rows, labels, weights) = noisy(400, 6, seed);
    let training = Training { early_exits: true, ..small() };
    train(&rows, &labels, &weights, &training, |_| {}).unwrap().model
}

fn classes() -> ClassModel {
    let (rows, labels, weights) = noisy(200, 6, 1);
    let labels: Vec<usize> = labels.iter().map(|&label| label as usize).collect();
    let training = Training { trees: 3, ..small() };
    train_classes(&rows, &labels, 3, &weights, &training, |_| {}).unwrap().model
}

#[test]
fn a_model_comes_back() {
    let model = model(1);
    let read: Model = postcard::from_bytes(&postcard::to_stdvec(&model).unwrap()).unwrap();
    assert_eq!(read, model);
    let classes = classes();
    let bytes = postcard::to_stdvec(&classes).unwrap();
    assert_eq!(postcard::from_bytes::<ClassModel>(&bytes).unwrap(), classes);
    assert!(postcard::from_bytes::<Model>(&bytes).is_err(), "three outputs are not one");
    assert!(postcard::from_bytes::<ClassModel>(&postcard::to_stdvec(&model).unwrap()).is_err());
}

#[test]
fn a_shortened_model_gives_nearly_the_same() {
    let (rows, labels, weights) = noisy(400, 6, 1);
    let full = train(&rows, &labels, &weights, &small(), |_| {}).unwrap().model;
    let short = full.clone().shortened();
    assert_ne!(short, full);
    assert_eq!(short.clone().shortened(), short);
    let apart = full.predict_batch(&rows).into_iter().zip(short.predict_batch(&rows)).map(|(a, b)| (a - b).abs());
    assert!(apart.fold(0.0, f32::max) < 0.02);
    // Zeros end each value.
    let bytes = |model: &Model| postcard::to_stdvec(model).unwrap();
    let zeros = |model: &Model| bytes(model).iter().filter(|&&byte| byte == 0).count();
    assert_eq!(bytes(&short).len(), bytes(&full).len());
    assert!(zeros(&short) >= zeros(&full) + 2 * full.leaves() * 9 / 10);
}

/// There are so few trees that two exits would be at one position.
#[test]
fn a_model_of_few_trees_comes_back() {
    let (rows, labels, weights) = noisy(400, 6, 4);
    for trees in 1..20 {
        let training = Training { trees, early_exits: true, ..small() };
        let model = train(&rows, &labels, &weights, &training, |_| {}).unwrap().model;
        let read: Model = postcard::from_bytes(&postcard::to_stdvec(&model).unwrap()).unwrap();
        assert_eq!(read, model, "{trees} trees");
    }
}

#[test]
fn a_node_takes_less_than_ten_bytes() {
    let (rows, labels, weights) = noisy(20_000, 130, 2);
    let training = Training { trees: 20, leaves: 24, ..Training::default() };
    let model = train(&rows, &labels, &weights, &training, |_| {}).unwrap().model;
    let bytes = postcard::to_stdvec(&model).unwrap().len();
    let nodes = 2 * model.leaves() - model.trees();
    assert_eq!(model.leaves(), 480);
    assert!(bytes < 10 * nodes, "{bytes} bytes, {nodes} nodes");
}

#[test]
fn a_model_cut_short_is_an_error() {
    let bytes = postcard::to_stdvec(&model(3)).unwrap();
    for length in 0..bytes.len() {
        assert!(postcard::from_bytes::<Model>(&bytes[..length]).is_err(), "{length} of {}", bytes.len());
    }
}

/// Whatever bytes are read as a model, it gives every row a number and explains it.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(model) = postcard::from_bytes::<Model>(bytes) {
        for value in [f32::NAN, f32::NEG_INFINITY, -1.0, 0.3, 1.0, f32::INFINITY] {
            let row = vec![value; model.columns()];
            prop_assert!(!model.predict(&row).is_nan());
            prop_assert_eq!(model.explain(&row).contributions.len(), model.columns());
        }
        // It can be written again.
        let again = postcard::to_stdvec(&model).unwrap();
        prop_assert_eq!(postcard::from_bytes::<Model>(&again).unwrap(), model);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_damaged_model_is_an_error_or_a_model(flips in proptest::collection::vec((0usize..100_000, 0u8..8), 1..4)) {
        let mut bytes = postcard::to_stdvec(&model(4)).unwrap();
        for (at, bit) in flips {
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
        }
        check(&bytes)?;
    }

    #[test]
    fn any_form_is_an_error_or_a_model(
        base in proptest::collection::vec(-1.0f32..1.0, 1..2),
        thresholds in proptest::collection::vec(Just(vec![-0.5f32, 0.5]), 1..3),
        codes in proptest::collection::vec(0u16..6, 1..40),
        ranks in proptest::collection::vec(0u8..2, 0..20),
        leaves in proptest::collection::vec((-1.0f32..1.0, 1u16..9), 0..20),
        exits in proptest::collection::vec((0u32..4, [-1.0f32..1.0, -1.0f32..1.0], [-1.0f32..1.0, -1.0f32..1.0]), 0..3),
    ) {
        let (values, covers): (Vec<f32>, Vec<u16>) = leaves.into_iter().unzip();
        check(&postcard::to_stdvec(&(base, thresholds, codes, ranks, values, covers, exits)).unwrap())?;
    }
}

#[test]
fn a_tree_deeper_than_any_that_is_grown_is_refused() {
    let chain = |depth: usize| {
        let mut codes = [1u16, 0].repeat(depth);
        codes.push(0);
        let (ranks, values, covers) = (vec![0u8; depth], vec![1.0f32; depth + 1], vec![1u16; depth + 1]);
        let exits: Vec<Exit> = Vec::new();
        let form = (vec![0.0f32], vec![vec![0.5f32]], codes, ranks, values, covers, exits);
        postcard::from_bytes::<Model>(&postcard::to_stdvec(&form).unwrap())
    };
    assert!(chain(100_000).is_err() && chain(65).is_err());
    let deepest = chain(64).unwrap();
    assert_eq!((deepest.trees(), deepest.leaves()), (1, 65));
    assert!((deepest.explain(&[0.0]).contributions[0] + deepest.explain(&[0.0]).base - 1.0).abs() < 1e-9);
}
