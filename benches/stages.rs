//! The cost of each stage of the core, on two articles of the demo site and on a page of some 2,000
//! elements.
//!
//! `cargo bench`; the stages of one page form one group, with `parse` first for comparison.

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use tsrec_core::analysis::Analysis;
use tsrec_core::extract::blocks::Blocks;
use tsrec_core::extract::mss::Mss;
use tsrec_core::extract::scored::Scored;
use tsrec_core::extract::template::TemplateDiff;
use tsrec_core::extract::{Extract, Extractor, Method, Page, PageContext, Sibling};
use tsrec_core::html::{Document, Limits, parse};
use tsrec_core::render::text::text;
use tsrec_core::template::Site;
use tsrec_core::tsrec::TagSequence;
use tsrec_core::tsrec::align::BUDGET;
use tsrec_core::tsrec::build::tag_sequence;
use tsrec_core::tsrec::common::match_sequences;
use tsrec_core::tsrec::regular::{patterns, sub_tree_groups, tree_match};
use tsrec_papers::segments::Segments;
use tsrec_papers::style::compute;

const NEWS: &str = "news/2026/03/harbour-dredging-to-start-after-easter.html";
const OTHER_NEWS: &str = "news/2026/04/school-roof-will-collect-rain.html";
const CULTURE: &str = "culture/2026/03/museum-puts-a-century-of-knots-on-show.html";
const OTHER_CULTURE: &str = "culture/2026/04/film-club-moves-into-the-ice-house.html";

fn stages(criterion: &mut Criterion) {
    bench(criterion, "news", &demo(NEWS), &demo(OTHER_NEWS));
    bench(criterion, "culture", &demo(CULTURE), &demo(OTHER_CULTURE));
    bench(criterion, "synthetic", &synthetic(0), &synthetic(1));
}

fn bench(criterion: &mut Criterion, name: &str, page: &[u8], sibling: &[u8]) {
    let [document, other] = [page, sibling].map(parsed);
    let page_at_hand = Page::new(&document);
    let sibling = Sibling::new("sibling", &other);
    let extraction = TemplateDiff::against(&page_at_hand, &sibling);
    let (sequence, other) = (tag_sequence(&document), tag_sequence(&other));
    assert!(extraction.attempts[0].passed(), "{name}: not what the diff is for: {:?}", extraction.attempts);
    let (rest, other_rest) = rests(&sequence, &other);

    let site = site_of(page);
    let learned = Scored::shipped().remember(&page_at_hand);
    let from_memory = || Extract::new(&page_at_hand).site(&site).run().expect("auto needs no sibling");
    assert_eq!(from_memory().method(), Method::Memory, "{name}: memory does not know it");
    let alone = PageContext::alone(&page_at_hand);

    let mut group = criterion.benchmark_group(format!("{name}, {} elements", sequence.elements().len()));
    group.bench_function("parse", |b| b.iter(|| parsed(black_box(page))));
    group.bench_function("tag_sequence", |b| b.iter(|| tag_sequence(black_box(&document))));
    group.bench_function("match_sequences", |b| b.iter(|| match_sequences(black_box(&sequence), &other, BUDGET)));
    group.bench_function("regular", |b| b.iter(|| regular(black_box(&sequence), &rest, &other, &other_rest)));
    group.bench_function("template", |b| b.iter(|| TemplateDiff::against(black_box(&page_at_hand), &sibling)));
    group.bench_function("mss", |b| b.iter(|| Mss::default().extract(black_box(&alone))));
    group.bench_function("mss-blocks", |b| b.iter(|| Blocks.extract(black_box(&alone))));
    group.bench_function("style", |b| b.iter(|| compute(black_box(&document))));
    group.bench_function("segments", |b| b.iter(|| Segments::default().extract(black_box(&alone))));
    group.bench_function("analysis", |b| b.iter(|| Analysis::new(black_box(&document))));
    group.bench_function("score", |b| b.iter(|| Scored::shipped().extract(black_box(&alone))));
    group.bench_function("from memory", |b| b.iter(from_memory));
    group.bench_function("learn", |b| {
        // As the crawl learns a page. The page's own memory is not timed, since extraction builds
        // it anyway.
        b.iter_batched_ref(|| site.clone(), |site| site.learn(black_box(&learned)), BatchSize::LargeInput);
    });
    group.bench_function("text", |b| b.iter(|| text(black_box(&document), &extraction.content)));
    group.finish();
}

/// A site that has learned the page a hundred times, each time with other words.
fn site_of(page: &[u8]) -> Site {
    let mut site = Site::default();
    for n in 0..100 {
        let other = String::from_utf8_lossy(page).replace(" the ", &format!(" {n} "));
        site.learn(&Scored::shipped().remember(&Page::new(&parsed(other.as_bytes()))));
    }
    site
}

fn parsed(bytes: &[u8]) -> Document {
    parse(bytes, None, &Limits::default())
}

/// The visible elements that only one of two sequences has.
fn rests(page: &TagSequence<'_>, sibling: &TagSequence<'_>) -> (Vec<usize>, Vec<usize>) {
    let (left, right): (Vec<usize>, Vec<usize>) = match_sequences(page, sibling, BUDGET).pairs.into_iter().unzip();
    let rest = |sequence: &TagSequence<'_>, common: &[usize]| {
        sequence.visible().filter(|index| common.binary_search(index).is_err()).collect()
    };
    (rest(page, &left), rest(sibling, &right))
}

/// The regular parts (grouping, compacting and tree matching) of sequences whose patterns are
/// known.
fn regular(
    page: &TagSequence<'_>,
    rest: &[usize],
    sibling: &TagSequence<'_>,
    sibling_rest: &[usize],
) -> Vec<Option<usize>> {
    let compacted = |sequence: &TagSequence<'_>, rest: &[usize]| -> Vec<_> {
        sub_tree_groups(sequence, rest.iter().copied()).patterns(patterns(sequence))
    };
    let (page, sibling) = (compacted(page, rest), compacted(sibling, sibling_rest));
    tree_match(&page, &sibling)
}

fn demo(path: &str) -> Vec<u8> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo").join(path);
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// A page of some 2,000 elements: a menu that all pages share, its own article, and teasers.
/// Neighbouring pages share half of the teasers.
fn synthetic(number: usize) -> Vec<u8> {
    let mut page = String::from("<!doctype html><title>Page</title><ul>");
    let mut add = |piece: std::fmt::Arguments<'_>| page.write_fmt(piece).expect("a String takes all that is written");
    (0..160).for_each(|i| add(format_args!("<li><a href=/topic/{i}>Topic {i}</a>\n")));
    add(format_args!("</ul><article><h1>Article {number}</h1>"));
    for i in 0..240 {
        add(format_args!("<p>In paragraph {i} of article {number} "));
        (0..30).for_each(|j| add(format_args!("word{} ", (i * 37 + j * 11 + number * 101) % 997)));
        add(format_args!("and <a href=/{i}>one link</a> and <em>an emphasis</em>.</p>\n"));
    }
    add(format_args!("</article><div class=more>"));
    for i in (0..400).map(|i| i + 200 * number) {
        add(format_args!(
            "<div class=teaser><h3><a href=/story/{i}>Story {i} has a title</a></h3>\
             <p>What story {i} is about, in a few words.</p><p class=date>{} March</p></div>\n",
            1 + i % 31
        ));
    }
    add(format_args!("</div><footer><p>The foot of the page.</p></footer>"));
    page.into_bytes()
}

criterion_group!(benches, stages);
criterion_main!(benches);
