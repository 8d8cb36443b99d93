//! Training rows.

use crate::learn::boosting::{Rows, Training};
use crate::learn::random::Random;

/// Rows of numbers from 0 to 1, some absent. The label depends on the first two columns and on
/// whether the third is absent, with some noise.
pub(super) fn noisy(count: usize, columns: usize, seed: u64) -> (Rows, Vec<f32>, Vec<f32>) {
    let mut random = Random::new(seed);
    let (mut rows, mut labels, mut weights) = (Rows::new(columns), Vec::new(), Vec::new());
    for _ in 0..count {
        let mut row: Vec<f32> = (0..columns).map(|_| random.unit() as f32).collect();
        for value in &mut row[2..] {
            if random.unit() < 0.2 {
                *value = f32::NAN;
            }
        }
        let odds = 6.0 * (row[0] - 0.5) * (row[1] - 0.3) + if row[2].is_nan() { 1.0 } else { -row[2] };
        labels.push(f32::from(u8::from(random.unit() < 1.0 / (1.0 + f64::from(-4.0 * odds).exp()))));
        weights.push(random.unit() as f32 + 0.1);
        rows.push(&row);
    }
    (rows, labels, weights)
}

/// Settings for little data.
pub(super) fn small() -> Training {
    Training { trees: 20, leaves: 8, least_leaf_rows: 3, ..Training::default() }
}
