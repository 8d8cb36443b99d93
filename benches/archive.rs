//! Memory that a crawl of an archive takes as it goes on.
//!
//! `TSREC_RECORDS=100000 cargo bench --bench archive` (default: 20,000) builds an archive of this
//! many pages of some 4 KB, twenty per host. It crawls them with `tsrec crawl --from-warc` and
//! small caches, so that these soon fill. It prints the process's memory as the pages come in. It
//! fails if memory grows by more than half a kilobyte per page once the caches are full. With
//! `TSREC_REVISITS=10` a revisit of an earlier page follows every tenth page, so that the crawl
//! must remember the place of every answer.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

mod support;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use support::{memory, metric, metrics, mix};
use tsrec_crawl::warc::{NewRecord, Packing, WarcWriter};

const PAGES_PER_HOST: u64 = 20;
/// Time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Printed lines.
const LINES: u64 = 20;
/// The share of the pages after which the caches are full. Judgement.
const WARM: f64 = 0.25;
/// Memory allowed per page, in bytes, once the caches are full. Calibration: 20,000 pages took 143
/// on a quiet machine, 24,000 some 400 on a busy one. Part of it is sled's table of its own pages;
/// the rest was not isolated.
const BYTES_PER_PAGE: f64 = 512.0;

fn main() {
    let records = std::env::var("TSREC_RECORDS").map_or(20_000, |records| records.parse().expect("a number"));
    let dir = tempfile::tempdir().expect("a directory");
    let revisits = std::env::var("TSREC_REVISITS").ok().map(|each| each.parse().expect("a number"));
    let archive = dir.path().join("generated.warc.gz");
    generate(&archive, records, revisits);
    let size = archive.metadata().expect("a file").len() >> 20;
    println!("{records} pages of {} hosts, {size} MB packed", records.div_ceil(PAGES_PER_HOST));

    let api = free_port();
    let config = dir.path().join("config.toml");
    let text = "[crawl]\nmemory = 67108864\n[store]\ncache_capacity = 1048576\nsite_cache_bytes = 2097152\n[log]\nfilter = 'error'\n";
    std::fs::write(&config, text).expect("a configuration");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.args(["crawl", "--listen", &api.to_string(), "--from-warc"]).arg(&archive).arg("--config").arg(&config);
    command.arg("--data-dir").arg(dir.path().join("data"));
    let mut child = command.stdout(Stdio::null()).spawn().expect("the program");
    let (began, mut looks) = (Instant::now(), Vec::new());
    while child.try_wait().expect("a child").is_none() {
        let (pages, memory) = (pages(api), memory(&child, "VmRSS:"));
        if pages > 0 && memory > 0 {
            if looks.last().is_none_or(|&(last, _)| pages * LINES / records > last * LINES / records) {
                println!("{:>5} s: {pages:>7} pages, {:.1} MB", began.elapsed().as_secs(), mega(memory as f64));
            }
            looks.push((pages, memory));
        }
        std::thread::sleep(LOOK_EVERY);
    }
    assert!(child.wait().expect("a child").success(), "the crawl failed");
    println!("done after {:.0} s", began.elapsed().as_secs_f64());
    let warm = |look: &&(u64, u64)| look.0 as f64 > records as f64 * WARM;
    let warm: Vec<(f64, f64)> =
        looks.iter().filter(warm).map(|&(pages, memory)| (pages as f64, memory as f64)).collect();
    let slope = slope(&warm);
    println!("once the caches are full: {slope:.0} B more a page, over {} looks", warm.len());
    assert!(slope <= BYTES_PER_PAGE, "memory grows by {slope:.0} B a page");
}

/// Growth of the second value per unit of the first: the slope of the least-squares line.
fn slope(points: &[(f64, f64)]) -> f64 {
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let [both, own] = points
        .iter()
        .fold([0.0, 0.0], |[both, own], point| [both + (point.0 - x) * (point.1 - y), own + (point.0 - x).powi(2)]);
    both / own
}

fn generate(path: &Path, records: u64, revisits: Option<u64>) {
    let mut writer = WarcWriter::new(BufWriter::new(File::create(path).expect("a file")), Packing::Gzip);
    for n in 0..records {
        let url = address(n);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
        let record = NewRecord {
            target: Some(&url),
            content_type: "application/http;msgtype=response",
            block: [head, &html(n)].concat().into_bytes().into(),
            ..NewRecord::new("response", Timestamp::UNIX_EPOCH)
        };
        writer.write(&record).expect("written");
        if revisits.is_some_and(|each| n % each == 0) {
            let of = address(mix(n) % (n + 1));
            let later = Timestamp::from_second(n as i64 + 1).expect("a date");
            let fields = vec![("WARC-Refers-To-Target-URI", of.clone())];
            let record = NewRecord { target: Some(&of), fields, ..NewRecord::new("revisit", later) };
            writer.write(&record).expect("written");
        }
    }
    writer.into_inner().flush().expect("written");
}

fn address(n: u64) -> String {
    format!("http://host-{}.example/articles/{n}.html", n / PAGES_PER_HOST)
}

/// The text that all pages of the host share, and an article.
fn html(n: u64) -> String {
    let host = n / PAGES_PER_HOST;
    let nav: String = (0..15).map(|k| format!("<li><a href=/{k}>{}</a></li>", words(host * 100 + k, 2))).collect();
    let story: String = (0..6).map(|k| format!("<p>{}.</p>", words(1_000_000 + n * 10 + k, 60))).collect();
    format!(
        "<!doctype html><html lang=en><title>{}</title><nav><ul>{nav}</ul></nav><main><h1>{}</h1>{story}</main><footer>{}</footer></html>",
        words(n, 5),
        words(n, 5),
        words(host, 30)
    )
}

fn words(seed: u64, count: u64) -> String {
    (0..count).map(|n| format!("{:x} ", mix(mix(seed) % 9_973 + n * n) >> 44)).collect()
}

/// Pages in the store.
fn pages(api: SocketAddr) -> u64 {
    metric(&metrics(api), "tsrec_store_pages") as u64
}

/// In MiB.
fn mega(bytes: f64) -> f64 {
    bytes / f64::from(1 << 20)
}

fn free_port() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port")
}
