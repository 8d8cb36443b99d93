//! The cost of whole pages, stage by stage.
//!
//! `cargo bench -p tsrec-lab --bench pages -- time ROUNDS FOLDER…` prints a line of JSON for each
//! folder of pages (`*.html`, `*.html.gz`): milliseconds per page of each stage, from the fastest
//! round. `… -- parse ROUNDS FOLDER` and `… -- whole ROUNDS FOLDER` repeat one stage, so that
//! `benches/peers` can compare its processor time with other tools. `… -- once FILE…` runs each
//! stage once, for a profiler. `… -- diff ROUNDS SET…` (a folder with `meta.jsonl` and `html/`)
//! compares each page with the page of its host that has the most similar URL. It prints the
//! milliseconds per page of parsing, and of the template diff of both parsed pages, with the
//! sibling's side prepared. `… -- memory ROUNDS SET…` teaches each site its first ten pages. It
//! extracts the other pages alone and from that memory, and prints the milliseconds per page of
//! each stage, and the ratio of whole pages. `… -- steps FILE…` prints the most steps of a page,
//! from which `html.steps` is calibrated, and its file.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints what it measured")]

use tsrec_terminal::corpus::Set;
use tsrec_terminal::input::whole_page;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;
use tsrec_core::analysis::Analysis;
use tsrec_core::extract::template::TemplateDiff;
use tsrec_core::extract::{Extract, Extracted, Extraction, Page, Sibling};
use tsrec_core::html::{Document, Limits};
use tsrec_core::pairing::rank;
use tsrec_core::template::Site;
use tsrec_core::tsrec::TagSequence;
use tsrec_core::tsrec::build::tag_sequence;
use url::Url;

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
            stages::stage_render(&stages::stage_extract(Page::new(&document)));
        }),
        ["diff", rounds, sets @ ..] => {
            let rounds = rounds.parse().expect("the number of rounds");
            sets.iter().for_each(|set| diff(Path::new(set), rounds));
        }
        ["memory", rounds, sets @ ..] => {
            let rounds = rounds.parse().expect("the number of rounds");
            sets.iter().for_each(|set| memory(Path::new(set), rounds));
        }
        ["steps", files @ ..] => {
            let steps = |file| (steps(&whole_page(Path::new(file)).expect("a page")), file);
            let (most, file) = files.iter().map(|file| steps(*file)).max().expect("a file");
            println!("{most} steps: {file}");
        }
        ["once", files @ ..] => files.iter().for_each(|file| once(&whole_page(Path::new(file)).expect("a page"))),
        // Plain `cargo bench` only checks that it runs.
        _ => once(b"<p>A page to see that it runs.</p>"),
    }
}

/// The steps of a page, from parsing to rendering, without siblings.
fn steps(bytes: &[u8]) -> u64 {
    let document = stages::stage_parse(bytes);
    let found = stages::stage_extract(Page::new(&document));
    found.described();
    found.steps().made()
}

/// The stages of a page, each in its own function so that a profile can name it.
mod stages {
    use super::*;

    #[inline(never)]
    pub(super) fn stage_parse(bytes: &[u8]) -> Document {
        tsrec_core::html::parse(bytes, None, &Limits::default())
    }

    /// A plain html5ever tree. The other stages' instructions are given as a multiple of this
    /// one's.
    #[inline(never)]
    pub(super) fn stage_reference(bytes: &[u8]) -> RcDom {
        let text = String::from_utf8_lossy(bytes);
        parse_document(RcDom::default(), ParseOpts::default()).one(&*text)
    }

    #[inline(never)]
    pub(super) fn stage_sequence(document: &Document) -> TagSequence<'_> {
        tag_sequence(document)
    }

    #[inline(never)]
    pub(super) fn stage_analysis(document: &Document) -> Analysis {
        Analysis::new(document)
    }

    #[inline(never)]
    pub(super) fn stage_extract(page: Page<'_>) -> Extracted<'_> {
        Extract::new(page).run().expect("auto needs no sibling")
    }

    #[inline(never)]
    pub(super) fn stage_diff(page: &Page<'_>, sibling: &Sibling<'_>) -> Extraction {
        TemplateDiff::against(page, sibling)
    }

    #[inline(never)]
    pub(super) fn stage_render(found: &Extracted<'_>) -> String {
        found.text()
    }
}

/// Extracts a small page. The model and the tables of words and names are loaded once per process,
/// and no stage may count that.
fn warm_up() {
    let document = tsrec_core::html::parse(b"<p>warm", None, &Limits::default());
    Extract::new(Page::new(&document)).run().expect("auto needs no sibling");
}

fn once(bytes: &[u8]) {
    warm_up();
    stages::stage_reference(bytes);
    let document = stages::stage_parse(bytes);
    stages::stage_analysis(&document);
    let found = stages::stage_extract(Page::new(&document));
    let text = stages::stage_render(&found);
    let sibling = Sibling::of_sequence("itself", stages::stage_sequence(&document), None);
    stages::stage_diff(found.page(), &sibling);
    let blocks = found.page().analysis().blocks().len();
    println!("{} nodes, {blocks} blocks, {} bytes of text", document.len(), text.len());
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

/// One round over all pages. Dropping a value counts to the stage that made it last: documents to
/// rendering.
fn round(pages: &[Vec<u8>]) -> [Duration; 4] {
    let mut times = [Duration::ZERO; 4];
    for bytes in pages {
        let begin = Instant::now();
        let document = stages::stage_parse(bytes);
        let parsed = Instant::now();
        let page = Page::new(&document);
        let analysed = Instant::now();
        let found = stages::stage_extract(page);
        let extracted = Instant::now();
        let text = stages::stage_render(&found);
        drop((text, found));
        drop(document);
        let steps = [parsed - begin, analysed - parsed, extracted - analysed, extracted.elapsed()];
        times.iter_mut().zip(steps).for_each(|(time, step)| *time += step);
    }
    times
}

/// The template diff of each page of a set that has a sibling in it.
fn diff(set: &Path, rounds: usize) {
    let pairs = pairs(set);
    let best = (0..rounds).map(|_| diff_round(&pairs)).min_by_key(|(parse, _)| *parse);
    let (parse, diff) = best.expect("one round at least");
    let ms = |time: Duration| time.as_secs_f64() * 1e3 / pairs.len() as f64;
    println!(
        "{}",
        serde_json::json!({
            "set": set,
            "pairs": pairs.len(),
            "parse_ms": ms(parse),
            "diff_ms": ms(diff),
            "ratio": diff.as_secs_f64() / parse.as_secs_f64(),
        })
    );
}

/// The times of parsing the pages and of the diffs. Each diff builds the page's sequence; the
/// sibling's side is already compared.
fn diff_round(pairs: &[(Vec<u8>, Vec<u8>)]) -> (Duration, Duration) {
    let mut times = (Duration::ZERO, Duration::ZERO);
    for (bytes, sibling) in pairs {
        let other = stages::stage_parse(sibling);
        let other = Sibling::of_sequence("sibling", tag_sequence(&other), None);
        let begin = Instant::now();
        let document = stages::stage_parse(bytes);
        times.0 += begin.elapsed();
        TemplateDiff::against(&Page::new(&document), &other);
        // A new page, because the compared one would already have its side prepared.
        let page = Page::new(&document);
        let begin = Instant::now();
        stages::stage_diff(&page, &other);
        times.1 += begin.elapsed();
    }
    times
}

/// The number of pages that a site's memory learns. Goals for pages from memory count from there.
const LEARNED: usize = 10;

/// A site's memory of its first pages, and its other pages with their addresses.
struct LearnedSite {
    memory: Site,
    later: Vec<(Url, Vec<u8>)>,
}

/// Times the extraction of pages from the memory of their site, and of the same pages alone.
fn memory(set: &Path, rounds: usize) {
    warm_up();
    let sites = learned_sites(set);
    assert!(!sites.is_empty(), "{}: no site has more than {LEARNED} pages with an address", set.display());
    let times: Vec<[Duration; 4]> = (0..rounds).map(|_| memory_round(&sites)).collect();
    // Each stage by its quickest round: the ratio is of what the work costs, not of the load.
    let best = [0, 1, 2, 3].map(|stage| times.iter().map(|round| round[stage]).min().expect("one round at least"));
    let pages: usize = sites.iter().map(|site| site.later.len()).sum();
    let [parse, analysis, alone, known] = best.map(|time| time.as_secs_f64() * 1e3 / pages as f64);
    println!(
        "{}",
        serde_json::json!({
            "set": set,
            "pages": pages,
            "parse_ms": parse,
            "analysis_ms": analysis,
            "alone_ms": alone,
            "memory_ms": known,
            "ratio": (parse + analysis + known) / (parse + analysis + alone),
        })
    );
}

/// The sites of a set that have more than [`LEARNED`] pages. The first ones are learned, by id.
fn learned_sites(set: &Path) -> Vec<LearnedSite> {
    let info = read_set(set);
    let with_url = |&page: &usize| Some((info.pages[page].url.clone()?, page_of(set, &info.pages[page].id)));
    let pages_of_site = |site: Vec<usize>| site.iter().filter_map(with_url).collect();
    info.sites().into_iter().map(pages_of_site).filter_map(learned).collect()
}

/// Teaches a site its first pages. `None` if there are no others.
fn learned(mut pages: Vec<(Url, Vec<u8>)>) -> Option<LearnedSite> {
    let later = pages.split_off(LEARNED.min(pages.len()));
    let mut memory = Site::default();
    for (url, bytes) in pages.iter().filter(|_| !later.is_empty()) {
        let document = stages::stage_parse(bytes);
        let found = Extract::new(Page::new(&document)).url(url).site(&memory).run().expect("auto needs no sibling");
        found.teach(&mut memory);
    }
    (!later.is_empty()).then_some(LearnedSite { memory, later })
}

/// The times of parsing and of analysis, then of the content's text alone and from memory.
fn memory_round(sites: &[LearnedSite]) -> [Duration; 4] {
    let mut times = [Duration::ZERO; 4];
    let mut add = |stage: usize, begin: Instant| times[stage] += begin.elapsed();
    for site in sites {
        for (url, bytes) in &site.later {
            let begin = Instant::now();
            let document = stages::stage_parse(bytes);
            add(0, begin);
            let begin = Instant::now();
            let page = Page::new(&document);
            add(1, begin);
            for known in [false, true] {
                let page = page.clone();
                let begin = Instant::now();
                let request = Extract::new(page).url(url);
                let request = if known { request.site(&site.memory) } else { request };
                let text = stages::stage_render(&request.run().expect("auto needs no sibling"));
                add(2 + usize::from(known), begin);
                drop(text);
            }
        }
    }
    times
}

/// Each page of a set with the page of its host that has the most similar URL.
fn pairs(set: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    let info = read_set(set);
    let entries: Vec<(&str, &Url)> =
        info.pages.iter().filter_map(|page| Some((page.id.as_str(), page.url.as_ref()?))).collect();
    let sibling =
        |url: &Url| rank(url, &entries, |(_, other)| other).into_iter().find(|rated| rated.similarity.same_host);
    entries.iter().filter_map(|(id, url)| Some((page_of(set, id), page_of(set, sibling(url)?.candidate.0)))).collect()
}

fn read_set(folder: &Path) -> Set {
    let meta = std::fs::read_to_string(folder.join("meta.jsonl")).expect("a set has a meta.jsonl");
    Set::read(&folder.display().to_string(), &meta).expect("a line of JSON for each page")
}

/// A page of a set, decompressed.
fn page_of(set: &Path, id: &str) -> Vec<u8> {
    let file = ["html", "html.gz"].map(|suffix| set.join(format!("html/{id}.{suffix}")));
    whole_page(file.iter().find(|file| file.exists()).expect("a page for each entry")).expect("a page")
}

/// The pages of a folder, decompressed.
fn pages(folder: &Path) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();
    files.sort();
    files.iter().map(|file| whole_page(file).expect("a page")).collect()
}
