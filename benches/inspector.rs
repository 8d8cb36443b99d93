//! How long the inspector's pages take on a large store, over HTTP on loopback.
//!
//! `cargo bench --bench inspector -- [PAGE…]`, with `TSREC_RECORDS` (default: 100,000), fills a
//! store with this many records. It adds the demo site's pages, a site of pages of 1,000 blocks,
//! and the given pages (HTML files, plain or `.gz`). They are stored as by a daemon that keeps
//! bytes, and each site has learned its pages. For each page the bench requests its view, and the
//! evidence that an opened element requests. It prints the milliseconds of the first request and
//! the median of twenty, from the connection to the last byte. It also prints the processor time of
//! all threads, which does not depend on how busy the machine is.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

use tsrec_terminal::input::whole_page;
#[allow(dead_code, reason = "the API's tests use more of it")]
#[path = "../tests/suite/support/serving.rs"]
mod serving;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
use tsrec_core::extract::Page;
use tsrec_core::extract::scored::Scored;
use tsrec_core::html::{Limits, parse};
use tsrec_crawl::memories::{Learning, SiteMemories};
use tsrec_store::{Config, Database, KeptBody, Parked, Store};
use url::Url;
use url::form_urlencoded::byte_serialize;

const PAGES_PER_HOST: u64 = 200;
/// Pages that share a flush, as with several workers.
const AT_A_TIME: u64 = 64;
/// Requests of each kind after the first.
const REQUESTS: usize = 20;
/// A delay that a person does not notice, in milliseconds.
const GOAL: f64 = 100.0;

fn main() {
    let records = std::env::var("TSREC_RECORDS").map_or(100_000, |records| records.parse().expect("a number"));
    let named: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").map(PathBuf::from).collect();
    let dir = tempfile::tempdir().expect("a directory");
    let database = Database::open(dir.path(), &Config::default()).expect("a store");
    let store = Store::new(&database);
    for n in 0..records {
        let url = format!("http://host-{}.example/articles/2026/{n}/about-the-harbour.html", n / PAGES_PER_HOST);
        store.put(&serving::page(&url, "The ferry sails again, and nobody minds.")).expect("stored");
        if n % AT_A_TIME == AT_A_TIME - 1 {
            database.durable().expect("durable");
        }
    }
    let memories = SiteMemories::over(&store, Default::default());
    let demo = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo"));
    let mut looked_at = keep(&memories, "demo.example", &demo);
    looked_at.truncate(1);
    let large: Vec<PathBuf> = (0..LARGE_PAGES).map(|n| dir.path().join(format!("large-{n}.html"))).collect();
    for (n, file) in large.iter().enumerate() {
        std::fs::write(file, large_page(n)).expect("a file");
    }
    looked_at.extend(keep(&memories, "large.example", &large).into_iter().take(1));
    for (n, file) in named.iter().enumerate() {
        looked_at.extend(keep(&memories, &format!("named-{n}.example"), std::slice::from_ref(file)));
    }
    database.durable().expect("durable");

    let parts = (None, Default::default());
    let serving = serving::Serving::within(&memories, parts, Default::default(), None, Limits::default());
    println!("{records} records");
    println!("| what | KB | first, ms | median, ms (goal {GOAL:.0}) | of the processor, ms |");
    println!("|---|---|---|---|---|");
    let of_host = format!("http://host-7.example/articles/2026/{}/about-the-harbour.html", 7 * PAGES_PER_HOST);
    row(serving.address, "the first page", "/");
    row(serving.address, "a search that finds one", &format!("/?q=HARBOUR+{}", records - 1));
    row(serving.address, "a search that finds all", "/?q=harbour");
    row(serving.address, "the pages of a host", "/?host=host-7.example");
    row(serving.address, "a record without its bytes", &target(&of_host));
    for (url, name) in looked_at {
        row(serving.address, &name, &target(&url));
        let view = get(serving.address, &target(&url));
        let (_, evidence) = view.split_once("<div class=why><a href=\"").expect("an element with evidence");
        let evidence = evidence.split('"').next().unwrap_or_default().replace("&amp;", "&");
        row(serving.address, "an element of it, opened", &evidence);
    }
}

/// Pages of the site with large pages.
const LARGE_PAGES: usize = 5;
/// Blocks per page.
const BLOCKS: usize = 1_000;

/// Half of its blocks are on every page of the site.
fn large_page(number: usize) -> String {
    let nav: String = (0..BLOCKS / 2).map(|n| format!("<li><a href=/{n}>Harbour {n}</a>")).collect();
    let story: String = (0..BLOCKS / 2)
        .map(|n| format!("<p>On day {number} of voyage {n} the ferry sailed at nine with the band on board, and a cat kept watch."))
        .collect();
    format!(
        "<!doctype html><title>Voyages {number}</title><nav><ul>{nav}</ul></nav><main><h1>Voyages {number}</h1>{story}</main>"
    )
}

fn target(url: &str) -> String {
    format!("/page?url={}", byte_serialize(url.as_bytes()).collect::<String>())
}

/// Repeats a request and prints its row.
fn row(address: SocketAddr, what: &str, target: &str) {
    let ask = || {
        let started = Instant::now();
        let length = get(address, target).len();
        (started.elapsed().as_secs_f64() * 1e3, length)
    };
    let (first, length) = ask();
    let before = clock_gettime(ClockId::ProcessCPUTime);
    let mut times: Vec<f64> = (0..REQUESTS).map(|_| ask().0).collect();
    let after = clock_gettime(ClockId::ProcessCPUTime);
    times.sort_by(f64::total_cmp);
    let spent = (after.tv_sec - before.tv_sec) as f64 * 1e3 + (after.tv_nsec - before.tv_nsec) as f64 / 1e6;
    let (median, spent) = (times[REQUESTS / 2], spent / REQUESTS as f64);
    println!("| {what} | {:.0} | {first:.1} | {median:.1} | {spent:.1} |", length as f64 / 1e3);
}

/// The answer to a request, which must be a page.
fn get(address: SocketAddr, target: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the inspector");
    write!(stream, "GET {target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").expect("it listens");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8(answer).expect("text");
    assert!(answer.starts_with("HTTP/1.1 200"), "{target}: {answer}");
    answer
}

/// Stores pages with their bytes, for a site that has learned them all. Returns their URLs, each
/// with a name.
fn keep(memories: &SiteMemories, host: &str, files: &[PathBuf]) -> Vec<(String, String)> {
    let mut kept = Vec::new();
    for (n, file) in files.iter().enumerate() {
        let body = whole_page(file).expect("a page");
        let document = parse(&body, None, &Limits::default());
        let url = Url::parse(&format!("http://{host}/{n}.html")).expect("a URL");
        let page = Page::new(&document).at(Some(&url));
        let memory = Scored::shipped().remember(&page);
        let record = serving::page(url.as_str(), "What is kept of it.");
        let parked = Parked { body, status: 200, charset: None, fetched_at: record.fetched_at, truncated: false };
        let body = Some(KeptBody { raw: true, ..KeptBody::new(&parked) });
        memories.learn(record, &Learning { kept: body, ..Learning::new(&memory) }).expect("stored");
        let blocks = page.analysis().blocks().len();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        kept.push((url.into(), format!("the page {name}, {blocks} blocks")));
    }
    kept
}

/// The pages of a folder and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("an entry of the folder").path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|extension| extension == "html") => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    files
}
