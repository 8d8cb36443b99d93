//! Maximum subsequence segmentation takes linear time. Training and prediction run over one page's
//! tokens once, twice, four and eight times.
//!
//! `cargo bench --bench mss`; criterion prints the tokens per second, which stay about the same.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tsrec_core::block::symbols::{Symbol, symbols};
use tsrec_core::block::tokens::tokens;
use tsrec_core::html::{Limits, parse};
use tsrec_papers::mss::model::{MssModel, Setting};
use tsrec_papers::mss::semi::Semi;
use tsrec_papers::mss::supervised::Supervised;
use tsrec_papers::mss::train::Trainer;

fn linear(criterion: &mut Criterion) {
    let model = trained(&page(1)).finish().expect("the page has content and other text");
    for times in [1, 2, 4, 8] {
        let page = page(times);
        let symbols = symbols_of(&page);
        let mut group = criterion.benchmark_group(format!("{times} times, {} tokens", symbols.len()));
        group.throughput(Throughput::Elements(symbols.len() as u64));
        group.bench_function("train", |b| b.iter(|| trained(black_box(&page))));
        let supervised = Supervised::new(model.clone());
        group.bench_function("predict", |b| b.iter(|| supervised.predict(black_box(&symbols))));
        group.bench_function("bootstrap, a page", |b| b.iter(|| bootstrapped(&model, black_box(&symbols))));
        group.finish();
    }
}

fn bootstrapped(model: &MssModel, symbols: &[Symbol]) -> Semi {
    Semi::bootstrap(model, &[vec![symbols]])
}

fn trained(page: &str) -> Trainer {
    let symbols = symbols_of(page);
    let count = symbols.len();
    let mut trainer = Trainer::new(Setting::Article);
    trainer.learn(&symbols, count / 4..count * 3 / 4);
    trainer
}

fn symbols_of(page: &str) -> Vec<Symbol> {
    let document = parse(page.as_bytes(), None, &Limits::default());
    symbols(&document, &tokens(&document))
}

/// A menu, paragraphs and a second menu, each this many times as long. It has few words, in an
/// order that hardly repeats.
fn page(times: usize) -> String {
    let menu: String = (0..100 * times).map(|i| format!("<li><a href=/{i}>Topic {}</a>", i % 7)).collect();
    let paragraph = |i: usize| {
        let words: Vec<String> = (0..60).map(|j| format!("word{}", (i * 37 + j * j * 11 + i * j) % 997)).collect();
        format!("<p>{}.</p>", words.join(" "))
    };
    let paragraphs: String = (0..50 * times).map(paragraph).collect();
    format!("<ul>{menu}</ul><div>{paragraphs}</div><ul>{menu}</ul>")
}

criterion_group!(benches, linear);
criterion_main!(benches);
