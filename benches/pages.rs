//! What whole pages cost, stage by stage.
//!
//! `cargo bench --bench pages -- time ROUNDS FOLDER…` prints a line of JSON for each folder of pages (`*.html`, `*.html.gz`): milliseconds a page of each stage, of the quickest round.
//! `… -- parse ROUNDS FOLDER` and `… -- whole ROUNDS FOLDER` do one thing over and over, for `benches/peers` to put its processor time beside that of other tools; `… -- once FILE…` does
//! each stage once, for a profiler.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints what it measured")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tsrec::analysis::Analysis;
use tsrec::extract::cascade::Cascade;
use tsrec::extract::{Extraction, Extractor, Page};
use tsrec::html::{Document, Limits};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["time", rounds, folders @ ..] => {
            let rounds = rounds.parse().expect("the number of rounds");
            folders.iter().for_each(|folder| time(Path::new(folder), rounds));
        }
        ["parse", rounds, folder] => repeat(folder, rounds, |bytes| {
            stages::stage_parse(bytes);
        }),
        ["whole", rounds, folder] => repeat(folder, rounds, |bytes| {
            let document = stages::stage_parse(bytes);
            let extraction = stages::stage_extract(&Page::new(&document));
            stages::stage_render(&document, &extraction);
        }),
        ["once", files @ ..] => files.iter().for_each(|file| once(&read(Path::new(file)))),
        // What `cargo bench` without more asks for: that it runs.
        _ => once(b"<p>A page to see that it runs.</p>"),
    }
}

/// The stages of a page, each a function that a profile can name.
mod stages {
    use super::*;

    #[inline(never)]
    pub(super) fn stage_parse(bytes: &[u8]) -> Document {
        tsrec::html::parse(bytes, None, &Limits::default())
    }

    #[inline(never)]
    pub(super) fn stage_analysis(document: &Document) -> Analysis {
        Analysis::new(document)
    }

    #[inline(never)]
    pub(super) fn stage_extract(page: &Page<'_>) -> Extraction {
        Cascade::default().extract(page)
    }

    #[inline(never)]
    pub(super) fn stage_render(document: &Document, extraction: &Extraction) -> String {
        tsrec::render::text::text(document, &extraction.content)
    }
}

/// Reads the model, which is done once in a process.
fn warm_up() {
    let document = stages::stage_parse(b"<p>warm");
    Cascade::default().extract(&Page::new(&document));
}

fn once(bytes: &[u8]) {
    warm_up();
    let document = stages::stage_parse(bytes);
    stages::stage_analysis(&document);
    let page = Page::new(&document);
    let extraction = stages::stage_extract(&page);
    let text = stages::stage_render(&document, &extraction);
    println!("{} nodes, {} blocks, {} bytes of text", document.len(), page.analysis().blocks().len(), text.len());
}

fn repeat(folder: &str, rounds: &str, work: impl Fn(&[u8])) {
    let pages = pages(Path::new(folder));
    let rounds: usize = rounds.parse().expect("the number of rounds");
    (0..rounds).for_each(|_| pages.iter().for_each(|page| work(page)));
}

fn time(folder: &Path, rounds: usize) {
    warm_up();
    let pages = pages(folder);
    let best = (0..rounds).map(|_| round(&pages)).min_by_key(|times| times.iter().sum::<Duration>());
    let [parse, analysis, extract, render] =
        best.expect("one round at least").map(|time| time.as_secs_f64() * 1e3 / pages.len() as f64);
    println!(
        "{}",
        serde_json::json!({
            "folder": folder,
            "pages": pages.len(),
            "bytes": pages.iter().map(Vec::len).sum::<usize>(),
            "parse_ms": parse,
            "analysis_ms": analysis,
            "extract_ms": extract,
            "render_ms": render,
            "whole_ms": parse + analysis + extract + render,
        })
    );
}

/// One round over all pages. What is dropped counts to where it was made last: documents to rendering.
fn round(pages: &[Vec<u8>]) -> [Duration; 4] {
    let mut times = [Duration::ZERO; 4];
    for bytes in pages {
        let begin = Instant::now();
        let document = stages::stage_parse(bytes);
        let parsed = Instant::now();
        let page = Page::new(&document);
        let analysed = Instant::now();
        let extraction = stages::stage_extract(&page);
        let extracted = Instant::now();
        let text = stages::stage_render(&document, &extraction);
        drop((text, extraction, page));
        drop(document);
        let steps = [parsed - begin, analysed - parsed, extracted - analysed, extracted.elapsed()];
        times.iter_mut().zip(steps).for_each(|(time, step)| *time += step);
    }
    times
}

/// The pages of a folder, unpacked.
fn pages(folder: &Path) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn read(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if file.extension().is_none_or(|extension| extension != "gz") {
        return bytes;
    }
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(&*bytes)
        .read_to_end(&mut unpacked)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    unpacked
}
