//! How cost grows with the page, over families of generated pages, most of which are made to take
//! long.
//!
//! `cargo bench --bench growth` prints a line for each family and stage: milliseconds a megabyte at
//! 0.25, 1, 4 and 9.5 MB (`html::Limits` cut at 10), then what the page of 4 MB took, and the
//! memory of the process at its largest, in times of the page. Each case runs in a process of its
//! own. Fails where a stage takes over a second for 4 MB, or memory is over fourteen times the page
//! (the aim is twelve). `… -- once STAGE FAMILY BYTES` is one case, for `benches/instructions` to
//! count.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

use std::process::Command;
use std::time::Instant;

use tsrec_core::extract::cascade::Cascade;
use tsrec_core::extract::template::TemplateDiff;
use tsrec_core::extract::{Extractor, Page, Sibling};
use tsrec_core::html::{Document, Limits};
use tsrec_core::tsrec::TagSequence;
use tsrec_core::tsrec::build::tag_sequence;

/// Sizes in bytes: a quarter of a megabyte, one, four, and what the limit leaves whole.
const SIZES: [usize; 4] = [250_000, 1_000_000, 4_000_000, 9_500_000];
/// The size that is held to the bounds.
const HELD: usize = 2;
/// In seconds, of a stage.
const MOST_TIME: f64 = 1.0;
/// The largest that the process may be, in times of the page. The aim is 12; a page of elements of
/// eight bytes has a node for every four until `html::Limits` cut it.
const MOST_MEMORY: f64 = 14.0;
/// What the process takes for a page of a thousand bytes: itself and the model.
const EMPTY_PROCESS: u64 = 6 << 20;

const STAGES: [&str; 3] = ["parse", "whole", "diff"];

/// The piece of a page at a number, given which of two siblings it is.
type Piece = fn(usize, usize) -> String;

/// A family: what the page begins with, and what is repeated until it is full.
const FAMILIES: [(&str, &str, Piece); 9] = [
    ("articles", "<!doctype html><title>Articles</title>", |n, side| {
        format!(
            "<article><h2>Story {n}</h2><p>{} <a href=/{n}>more</a>.</p><p>{}.</p></article>",
            words(n + side, 60),
            words(n + 7, 40)
        )
    }),
    ("short paragraphs", "", |_, _| "<p>a</p>".to_owned()),
    ("short paragraphs that differ", "", |n, side| format!("<p>a{}", 2 * n + side)),
    ("one paragraph", "<p>", |n, side| words(n + side, 20)),
    ("no text", "", |_, _| "<div></div>".to_owned()),
    // Each symbol stands nearly everywhere, in an order that no two stretches share.
    ("alternating", "", |n, side| {
        ["<p>a</p>", "<h2>b</h2>", "<ul><li>c</ul>"][mixed(n + side * 1_000_003) % 3].to_owned()
    }),
    ("nested inline", "", |_, _| "<b>a".to_owned()),
    ("nested blocks", "", |n, _| format!("<div class=c{n}>a")),
    ("menus in menus", "", |_, _| "<div aria-hidden=true><a href=/>a</a>".to_owned()),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["once", stage, family, bytes] => once(stage, family, bytes.parse().expect("a number of bytes")),
        ["families"] => FAMILIES.iter().for_each(|(family, ..)| println!("{family}")),
        [] => table(),
        other => panic!("{other:?}: see the head of benches/growth.rs"),
    }
}

/// The page of a family that is at least so long, and by no more than a piece.
fn page(family: &str, bytes: usize, side: usize) -> Vec<u8> {
    let (_, start, piece) = FAMILIES.iter().find(|(name, ..)| *name == family).expect("a family's name");
    let mut page = String::with_capacity(bytes + 1_000);
    page.push_str(start);
    for n in 0.. {
        if page.len() >= bytes {
            break;
        }
        page.push_str(&piece(n, side));
    }
    page.into_bytes()
}

fn words(seed: usize, count: usize) -> String {
    (0..count).map(|n| format!("word{} ", mixed(seed * 97 + n) % 4_999)).collect()
}

/// SplitMix64's last steps.
fn mixed(n: usize) -> usize {
    let n = (n as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) as usize
}

/// The stages, each a function that a profile can name.
mod stages {
    use super::*;

    #[inline(never)]
    pub(super) fn stage_parse(bytes: &[u8]) -> Document {
        tsrec_core::html::parse(bytes, None, &Limits::default())
    }

    /// All that follows parsing, alone.
    #[inline(never)]
    pub(super) fn stage_whole(document: &Document) -> String {
        let extraction = Cascade::default().extract(&Page::new(document));
        tsrec_core::render::text::text(document, &extraction.content)
    }

    /// The template diff of both parsed, neither side of which is prepared.
    #[inline(never)]
    pub(super) fn stage_diff(document: &Document, sibling: &TagSequence<'_>) -> usize {
        let template = TemplateDiff::new(Sibling { name: "sibling".to_owned(), sequence: sibling, memory: None });
        template.extract(&Page::new(document)).content.pieces().len()
    }
}

/// One case: prints its seconds and the largest size of the process in bytes.
fn once(stage: &str, family: &str, bytes: usize) {
    stages::stage_whole(&stages::stage_parse(b"<p>The model is read once."));
    let bytes_of_page = page(family, bytes, 0);
    let begin = Instant::now();
    let document = stages::stage_parse(&bytes_of_page);
    let parsed = begin.elapsed();
    let begin = Instant::now();
    let took = match stage {
        "parse" => parsed,
        "whole" => {
            stages::stage_whole(&document);
            begin.elapsed()
        }
        "diff" => {
            let other = stages::stage_parse(&page(family, bytes, 1));
            let other = tag_sequence(&other);
            let begin = Instant::now();
            stages::stage_diff(&document, &other);
            begin.elapsed()
        }
        _ => panic!("{stage} is none of {STAGES:?}"),
    };
    println!("{} {}", took.as_secs_f64(), largest());
}

/// The largest that this process was, in bytes.
fn largest() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its line");
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).expect("a number") << 10
}

fn table() {
    println!("| pages | stage | 0.25 MB | 1 MB | 4 MB | 9.5 MB | 4 MB take | memory, pages |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut failures = Vec::new();
    for (family, ..) in FAMILIES {
        for stage in STAGES {
            let found = SIZES.map(|bytes| measured(stage, family, bytes));
            let [a, b, c, d] = [0, 1, 2, 3].map(|at| found[at].0 * 1e3 / (SIZES[at] as f64 / 1e6));
            let pages = if stage == "diff" { 2.0 } else { 1.0 };
            let memory = found[HELD].1.saturating_sub(EMPTY_PROCESS) as f64 / (SIZES[HELD] as f64 * pages);
            let seconds = found[HELD].0;
            println!("| {family} | {stage} | {a:.0} | {b:.0} | {c:.0} | {d:.0} | {seconds:.2} s | {memory:.1} |");
            if seconds > MOST_TIME || memory > MOST_MEMORY {
                failures.push(format!("{family}, {stage}: {seconds:.2} s, memory of {memory:.1} pages"));
            }
        }
    }
    assert!(failures.is_empty(), "over the bounds:\n{}", failures.join("\n"));
}

/// The quickest of three, each in a process of its own.
fn measured(stage: &str, family: &str, bytes: usize) -> (f64, u64) {
    let run = || {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let output = command.args(["once", stage, family, &bytes.to_string()]).output().expect("a process");
        let text = String::from_utf8(output.stdout).expect("two numbers");
        assert!(output.status.success(), "{family}, {stage}: {}", String::from_utf8_lossy(&output.stderr));
        let (seconds, memory) = text.trim().split_once(' ').expect("two numbers");
        (seconds.parse::<f64>().expect("seconds"), memory.parse::<u64>().expect("bytes"))
    };
    [run(), run(), run()].into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("three")
}
