//! The daemon at full speed: 500 hosts on loopback, a tenth of them tarpits. The bench watches it
//! from outside.
//!
//! `TSREC_SECONDS=1200 cargo bench --bench load` (default: 60). With a memory limit:
//! `systemd-run --scope -p MemoryMax=1G cargo bench --bench load`, or from a shell in a control
//! group with one. Hosts have more pages than the daemon can fetch, so that each minute finds new
//! URLs. With `TSREC_PAGES=100` they have this many. These change every minute and are fetched
//! again and again, as in a crawl that has run for months. The bench then looks at memory only
//! after all of them are stored.
//!
//! Each host is an address of 127.0.0.0/8, so that no host waits for another's turn. The database's
//! cache is small, so that it soon fills. The bench fails if the daemon takes a gigabyte. It fails
//! if memory in any minute exceeds that of the first minute after the caches are full by more than
//! a twentieth plus 64 bytes per URL found since. The caches count as full two minutes and 10,000
//! pages after the start. It also fails if the tarpits stop the daemon, or if SIGTERM does not end
//! it within its grace.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

#[path = "support/loopback.rs"]
mod loopback;
mod support;

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use support::{memory, metric, metrics, mix};

const HOSTS: u64 = 500;
/// One host in this many never answers.
const TARPIT: u64 = 10;
/// Pages of a host: more than a fast machine fetches in twenty minutes. With 2,000, it had fetched
/// 890 of them by the nineteenth minute, and only links to missing pages were left.
const PAGES: u64 = 20_000;
/// Pages of a host when hosts are small and their pages change.
static FEW_PAGES: LazyLock<Option<u64>> =
    LazyLock::new(|| std::env::var("TSREC_PAGES").ok().map(|pages| pages.parse().expect("a number of pages")));
/// Seconds between two changes of a small host's page, and the shortest time until it is due again.
const EDITION: u64 = 60;
/// Memory limit of the daemon, in bytes.
const MOST_MEMORY: u64 = 1 << 30;
/// Time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// When the caches are full: in seconds, and pages. Judgement: an idle machine has some 40,000
/// pages by the second minute, one that also runs a build 7,000.
const WARM: (u64, f64) = (120, 10_000.0);
/// Memory allowed per URL, in bytes, once the caches are full. sled keeps a table of its pages,
/// which hold some ten entries each, and a URL has two to four entries. Calibration: 1,170 s with
/// 352,000 pages took 43.
const BYTES_PER_URL: f64 = 64.0;
/// Looks per minute.
const LOOKS: usize = 6;
/// `crawl.grace`, plus some time for the exit itself.
const GRACE: Duration = Duration::from_secs(25);

fn address(host: u64) -> String {
    format!("127.1.{}.{}", host / 250, host % 250 + 1)
}

fn words(seed: u64, count: u64) -> String {
    (0..count).map(|n| format!("{:x} ", mix(mix(seed) % 977 + n * n) >> 44)).collect()
}

async fn answer(headers: HeaderMap, uri: Uri) -> Response {
    let name = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let octets: Vec<u64> = name.split([':', '.']).filter_map(|octet| octet.parse().ok()).collect();
    let host = octets.get(2).copied().unwrap_or(0) * 250 + octets.get(3).copied().unwrap_or(1) - 1;
    if host.is_multiple_of(TARPIT) {
        tokio::time::sleep(Duration::from_secs(120)).await;
    }
    let page = uri.path().strip_prefix("/a/").and_then(|rest| rest.strip_suffix(".html"));
    match page.and_then(|n| n.parse::<u64>().ok()) {
        Some(n) if n < FEW_PAGES.unwrap_or(PAGES) => {
            ([(header::CONTENT_TYPE, "text/html")], html(host, n)).into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The pages of all hosts that answer, less one in a hundred, which may be in flight.
fn all_of(pages: u64) -> f64 {
    (HOSTS - HOSTS / TARPIT) as f64 * pages as f64 * 0.99
}

/// How often pages have changed: never if there are more pages than the daemon can fetch.
fn edition() -> u64 {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    FEW_PAGES.map_or(0, |_| BEGAN.elapsed().as_secs() / EDITION)
}

/// Some 15 KB: the text that all pages of the host share, and an article. Its first paragraph is
/// new in each edition.
fn html(host: u64, n: u64) -> String {
    let nav: String = (0..40)
        .map(|k| {
            format!("<li><a href=\"/a/{}.html\">{}</a></li>", k * 7 % FEW_PAGES.unwrap_or(PAGES), words(host + k, 3))
        })
        .collect();
    let next = |k: u64| FEW_PAGES.map_or(n * 3 + k, |pages| (n * 3 + k) % pages);
    let more: String = (1..9).map(|k| format!("<a href=\"/a/{}.html\">{}</a> ", next(k), words(n + k, 4))).collect();
    let seed = |k| host * 100_000 + n * 100 + k + if k == 0 { edition() << 40 } else { 0 };
    let story: String = (0..12).map(|k| format!("<p>{}</p>", words(seed(k), 90))).collect();
    format!(
        "<!DOCTYPE html><html><head><title>{}</title></head><body><nav><ul>{nav}</ul></nav><main><h1>{}</h1>{story}</main>\
         <aside>{more}</aside><footer>{}</footer></body></html>",
        words(n, 5),
        words(n, 5),
        words(host, 60)
    )
}

fn descriptors(child: &Child) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", child.id())).map_or(0, Iterator::count)
}

/// The bound below which this share of a histogram lies.
fn quantile(metrics: &str, name: &str, part: f64) -> String {
    let prefix = format!("{name}_bucket{{le=\"");
    let buckets = metrics.lines().filter_map(|line| line.strip_prefix(&prefix)?.split_once("\"} "));
    let counts: Vec<(&str, f64)> = buckets.filter_map(|(le, count)| Some((le, count.parse().ok()?))).collect();
    let all = counts.last().map_or(0.0, |(_, count)| *count);
    counts.iter().find(|(_, count)| *count >= all * part).map_or("?".into(), |(le, _)| format!("<= {le} s"))
}

fn main() {
    let seconds = std::env::var("TSREC_SECONDS").map_or(60, |seconds| seconds.parse().expect("a number"));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let port = runtime.block_on(loopback::serve((0..HOSTS).map(address), Router::new().fallback(answer)));
    let api = free_port();

    let dir = tempfile::tempdir().expect("a directory");
    let config = dir.path().join("config.toml");
    let text = format!(
        "seeds = {:?}\n[crawl]\nmemory = 268435456\n{}[store]\ncache_capacity = 16777216\n[log]\nfilter = 'error'\n",
        seeds(port),
        FEW_PAGES.map_or(String::new(), |_| revisits())
    );
    std::fs::write(&config, text).expect("a configuration");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.args(["crawl", "--allow-private-addresses", "--delay", "100ms", "--user-agent", "bench (a bench)"]);
    command
        .args(["--listen", &api.to_string(), "--config"])
        .arg(&config)
        .arg("--data-dir")
        .arg(dir.path().join("data"));
    let mut child = command.stdout(Stdio::null()).spawn().expect("the daemon");

    let (began, mut before) = (Instant::now(), 0.0);
    let mut warm = Vec::new();
    while began.elapsed().as_secs() < seconds {
        std::thread::sleep(LOOK_EVERY);
        assert!(child.try_wait().expect("a child").is_none(), "the daemon ended");
        let (metrics, held) = (metrics(api), memory(&child, "VmRSS:"));
        let pages = metric(&metrics, "tsrec_store_pages");
        let (bytes, at) = (metric(&metrics, "tsrec_store_bytes"), began.elapsed().as_secs());
        // Includes pages that are written again.
        let written = metric(&metrics, "tsrec_durable_seconds_count");
        println!(
            "{at:>5} s: {pages} pages, {:.1} written a second; {} MB of memory, {} descriptors, {:.0} B of disk a page",
            (written - before) / LOOK_EVERY.as_secs_f64(),
            held >> 20,
            descriptors(&child),
            bytes / pages.max(1.0)
        );
        assert!(written > before || pages >= 1.0 && at < 30, "the tarpits stop the others");
        before = written;
        if at > WARM.0 && pages >= FEW_PAGES.map_or(WARM.1, all_of) {
            warm.push([held as f64, urls(&metrics)]);
        }
    }
    let last = metrics(api);
    for name in ["fetch", "parse", "extract", "durable"].map(|stage| format!("tsrec_{stage}_seconds")) {
        println!("{name}: half {}, 99 % {}", quantile(&last, &name, 0.5), quantile(&last, &name, 0.99));
    }
    let peak = memory(&child, "VmHWM:");
    println!("at most {} MB of memory", peak >> 20);
    assert!(peak < MOST_MEMORY, "{peak} bytes of memory");
    let told = Instant::now();
    Command::new("kill").arg(child.id().to_string()).status().expect("kill");
    assert!(child.wait().expect("a child").success(), "SIGTERM ends it well");
    println!("ended {:.1} s after SIGTERM", told.elapsed().as_secs_f64());
    assert!(told.elapsed() < GRACE, "the grace was over");
    // Checked last, so that the bench prints the other figures in any case.
    let mean = |minute: &[[f64; 2]], of: usize| minute.iter().map(|look| look[of]).sum::<f64>() / LOOKS as f64;
    let minutes: Vec<[f64; 2]> = warm.chunks_exact(LOOKS).map(|minute| [mean(minute, 0), mean(minute, 1)]).collect();
    let [first, later @ ..] = &minutes[..] else { return println!("too short to tell whether memory is flat") };
    for minute in later {
        let [more, new] = [minute[0] - first[0], minute[1] - first[1]];
        println!("{:.1} MB, {:.0} URLs; since then {:+.1} MB, {new:+.0} URLs", mega(first[0]), first[1], mega(more));
        assert!(more <= first[0] / 20.0 + new * BYTES_PER_URL, "memory grows by {more} bytes for {new} URLs");
    }
}

/// Settings that make every page due again as soon as it has changed.
fn revisits() -> String {
    ["after", "least", "most"].map(|which| format!("refetch_{which} = '{EDITION}s'\n")).concat()
}

/// In MiB.
fn mega(bytes: f64) -> f64 {
    bytes / f64::from(1 << 20)
}

/// URLs that the frontier knows.
fn urls(metrics: &str) -> f64 {
    let states = ["discovered", "known", "failed"].map(|state| format!("tsrec_frontier_urls{{state=\"{state}\"}}"));
    states.iter().map(|name| metric(metrics, name)).sum()
}

fn seeds(port: u16) -> Vec<String> {
    (0..HOSTS).map(|host| format!("http://{}:{port}/a/0.html", address(host))).collect()
}

fn free_port() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port")
}
