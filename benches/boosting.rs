//! Boosted trees: the time to train on some rows, and to ask a model of some 2,000 leaves about a
//! row.
//!
//! `cargo bench --bench boosting`. A page has some 300 rows; parsing it takes 1 to 3 ms
//! (`cargo bench --bench stages`).

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tsrec_core::learn::boosting::{Rows, Training, train};
use tsrec_core::learn::random::Random;

const COLUMNS: usize = 120;

fn boosting(criterion: &mut Criterion) {
    let (rows, labels) = rows(20_000, 1);
    let weights = vec![1.0; rows.len()];
    let training = |trees| Training { trees, leaves: 24, ..Training::default() };
    let learn =
        |trees| train(&rows, &labels, &weights, &training(trees), |_| {}).expect("the rows are fit to learn from");
    let model = learn(80).model;
    let (page, _) = self::rows(300, 2);

    let mut group = criterion.benchmark_group(format!("{} leaves", model.leaves()));
    group.throughput(Throughput::Elements(page.len() as u64));
    group.bench_function("predict, a page", |b| b.iter(|| page.iter().map(|row| model.predict(row)).sum::<f32>()));
    group.bench_function("predict_batch, a page", |b| b.iter(|| model.predict_batch(black_box(&page))));
    group.throughput(Throughput::Elements(1));
    group.bench_function("explain, a row", |b| b.iter(|| model.explain(black_box(page.row(0)))));
    group.finish();

    let mut group = criterion.benchmark_group(format!("{} rows of {COLUMNS} columns", rows.len()));
    group.sample_size(10);
    group.bench_function("train 10 trees", |b| b.iter(|| learn(black_box(10))));
    group.finish();
}

/// Rows like those of a page: counts, shares, flags, and some absent values. The label depends on a
/// few of them.
fn rows(count: usize, seed: u64) -> (Rows, Vec<f32>) {
    let mut random = Random::new(seed);
    let (mut rows, mut labels) = (Rows::with_capacity(COLUMNS, count), Vec::new());
    for _ in 0..count {
        let row: Vec<f32> = (0..COLUMNS).map(|column| value(column, random.unit() as f32)).collect();
        let odds = (row[0] - 2.0) * row[1] - row[4] + 3.0 * row[5] * row[9];
        labels.push(f32::from(u8::from(random.unit() < 1.0 / (1.0 + f64::from(-odds).exp()))));
        rows.push(&row);
    }
    (rows, labels)
}

fn value(column: usize, unit: f32) -> f32 {
    match column % 4 {
        0 => (unit * 4.0).exp().floor(),
        1 => unit,
        2 => f32::from(u8::from(unit > 0.8)),
        _ if unit < 0.2 => f32::NAN,
        _ => unit * 10.0,
    }
}

criterion_group!(benches, boosting);
criterion_main!(benches);
