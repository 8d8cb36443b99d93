//! How cost grows with page size, over families of generated pages. Most families are made to take
//! long.
//!
//! `cargo bench -p tsrec-lab --bench growth` prints a line for each family and stage. It has
//! milliseconds per megabyte at 0.25, 1, 4 and 9.5 MB (`html::Limits` cut at 10). Then come the
//! time for the 4 MB page and the peak memory of the process, as a multiple of the page size. Each
//! case runs in its own process. The bench fails if a stage takes over a second for 4 MB, or if
//! memory is over fourteen times the page (the aim is twelve). `… -- once STAGE FAMILY BYTES` runs
//! one case, for `benches/instructions` to count.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

use std::process::Command;
use std::time::Instant;

use tsrec_core::extract::template::TemplateDiff;
use tsrec_core::extract::{Extract, Page, Sibling};
use tsrec_core::html::{self, Document, Limits};
use tsrec_core::template::{ENOUGH_PAGES, Site};
use tsrec_core::tsrec::build::tag_sequence;

/// Sizes in bytes: a quarter of a megabyte, one, four, and nearly the limit.
const SIZES: [usize; 4] = [250_000, 1_000_000, 4_000_000, 9_500_000];
/// The index of the size that the bounds apply to.
const HELD: usize = 2;
/// Time limit of a stage, in seconds.
const MOST_TIME: f64 = 1.0;
/// Limit on the process's memory, as a multiple of the page size. The aim is 12. If a page's
/// elements have eight bytes each, it has a node for every four bytes until `html::Limits` cut it.
const MOST_MEMORY: f64 = 14.0;
/// Memory of the process for a page of a thousand bytes: the program and the model.
const EMPTY_PROCESS: u64 = 6 << 20;

const STAGES: [&str; 4] = ["parse", "whole", "known", "diff"];
/// The size of the pages from which a site is known, in bytes. Judgement: their places are those of
/// a long page of the family, and to learn them takes no time.
const LEARNED: usize = 25_000;

/// The piece of a page at a number. The second argument says which of two siblings the page is.
type Piece = fn(usize, usize) -> String;

/// A family: the beginning of the page, and the piece that repeats until the page is full.
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
    // Each symbol occurs nearly everywhere, and no two stretches share an order.
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
        other => panic!("{other:?}: see the head of growth.rs"),
    }
}

/// The page of a family that has at least this many bytes, and at most one piece more.
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

/// The last steps of SplitMix64.
fn mixed(n: usize) -> usize {
    let n = (n as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) as usize
}

/// The stages, each in its own function so that a profile can name it.
mod stages {
    use super::*;

    #[inline(never)]
    pub(super) fn stage_parse(bytes: &[u8]) -> Document {
        tsrec_core::html::parse(bytes, None, &Limits::default())
    }

    /// Everything after parsing.
    #[inline(never)]
    pub(super) fn stage_whole(document: &Document) -> String {
        Extract::new(document).run().expect("auto needs no sibling").text()
    }

    /// The same with the memory of the site.
    #[inline(never)]
    pub(super) fn stage_known(document: &Document, site: &Site) -> String {
        Extract::new(document).site(site).run().expect("auto needs no sibling").text()
    }

    /// The template diff of two parsed pages, with neither side prepared.
    #[inline(never)]
    pub(super) fn stage_diff(document: &Document, sibling: &Sibling<'_>) -> usize {
        TemplateDiff::against(&Page::new(document), sibling).content.pieces().len()
    }
}

/// Runs one case. Prints its seconds and the peak size of the process in bytes.
fn once(stage: &str, family: &str, bytes: usize) {
    // The model and the tables are loaded once per process. No stage may count that.
    let small = html::parse(b"<p>warm", None, &Limits::default());
    Extract::new(Page::new(&small)).run().expect("auto needs no sibling");
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
        "known" => {
            let mut site = Site::default();
            for side in 1..=ENOUGH_PAGES as usize {
                // Pages of some families differ by their length alone, and a page is learned once.
                let other = html::parse(&page(family, LEARNED + 1_000 * side, side), None, &Limits::default());
                Extract::new(&other).run().expect("auto needs no sibling").teach(&mut site);
            }
            let begin = Instant::now();
            stages::stage_known(&document, &site);
            begin.elapsed()
        }
        "diff" => {
            let other = stages::stage_parse(&page(family, bytes, 1));
            let other = Sibling::of_sequence("sibling", tag_sequence(&other), None);
            let begin = Instant::now();
            stages::stage_diff(&document, &other);
            begin.elapsed()
        }
        _ => panic!("{stage} is none of {STAGES:?}"),
    };
    println!("{} {}", took.as_secs_f64(), largest());
}

/// Peak memory of this process, in bytes.
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

/// The fastest of three runs, each in its own process.
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
