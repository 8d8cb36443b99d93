//! Pages per processor second of the daemon, compared with `tsrec extract --batch --sites` on the
//! same pages. The daemon goes from fetching to durable records, the batch from files to content.
//!
//! `cargo bench --bench throughput -- [SET]` serves two hundred hosts on loopback with no delay,
//! each with 20 pages of one site. The pages come from a set (`meta.jsonl` with `id` and `site` or
//! `host`, `html/`), by default from the demo site. The bench prints pages per second of processor
//! time for both, and the ratio. It fails if a page is lost. The crawl does not follow the pages'
//! own links.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

#[path = "support/loopback.rs"]
mod loopback;

use tsrec_terminal::input::whole_page;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

const HOSTS: usize = 200;
const PAGES: usize = 20;
/// A daemon also fetches, stores and reports.
const GOAL: f64 = 0.6;

fn main() {
    let set = std::env::args().skip(1).find(|argument| argument != "--bench");
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo");
    let sites = Arc::new(set.map_or_else(|| vec![pages(&demo)], |set| sites(Path::new(&set))));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let served = Arc::clone(&sites);
    let app = Router::new().fallback(move |headers: HeaderMap, uri: Uri| {
        let answer = answer(&served, &headers, &uri);
        async { answer }
    });
    let port = runtime.block_on(loopback::serve((0..HOSTS).map(address), app));

    let dir = tempfile::tempdir().expect("a directory");
    let batch = batch(dir.path(), &sites);
    let daemon = daemon(dir.path(), port);
    let bytes: usize =
        (0..HOSTS).flat_map(|host| (0..PAGES).map(move |n| (host, n))).map(|(host, n)| of(&sites, host, n).len()).sum();
    let all = (HOSTS * PAGES) as f64;
    println!("{all} pages of {:.0} KB", bytes as f64 / all / 1e3);
    println!("batch:  {:.0} pages a second of processor time", all / batch);
    println!("daemon: {:.0} pages a second of processor time", all / daemon);
    println!("ratio:  {:.2} (goal {GOAL})", batch / daemon);
}

/// Pages by site and by number within the site.
type Sites = [Vec<Vec<u8>>];

/// The page of a host at a number. Hosts share sites, as hosts with the same software do.
fn of(sites: &Sites, host: usize, n: usize) -> &[u8] {
    let site = &sites[host % sites.len()];
    &site[n % site.len()]
}

fn address(host: usize) -> String {
    format!("127.3.0.{}", host + 1)
}

fn answer(sites: &Sites, headers: &HeaderMap, uri: &Uri) -> Response {
    let name = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let host = name
        .split(':')
        .next()
        .and_then(|address| address.rsplit('.').next())
        .and_then(|last| last.parse::<usize>().ok());
    let n = uri.path().strip_prefix("/story/").and_then(|rest| rest.strip_suffix(".html")).and_then(|n| n.parse().ok());
    match (host, n) {
        (Some(host @ 1..), Some(n)) => {
            ([(header::CONTENT_TYPE, "text/html")], of(sites, host - 1, n).to_vec()).into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Processor seconds of the batch, which reads the pages from files.
fn batch(dir: &Path, sites: &Sites) -> f64 {
    let mut list = String::new();
    for host in 0..HOSTS {
        for n in 0..PAGES {
            let file = dir.join(format!("{host}-{n}.html"));
            std::fs::write(&file, of(sites, host, n)).expect("a file");
            writeln!(list, "{}\thttp://{}/story/{n}.html", file.display(), address(host)).expect("a String takes all");
        }
    }
    std::fs::write(dir.join("list"), list).expect("a list");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.args(["extract", "--sites", "--batch"]).arg(dir.join("list")).arg("--out").arg(dir.join("out.jsonl"));
    spent(command.stdout(Stdio::null()))
}

/// Processor seconds of a crawl of exactly these pages.
fn daemon(dir: &Path, port: u16) -> f64 {
    let urls =
        (0..HOSTS).flat_map(|host| (0..PAGES).map(move |n| format!("http://{}:{port}/story/{n}.html", address(host))));
    let seeds: Vec<String> = urls.collect();
    let config = dir.join("config.toml");
    let text = format!(
        "seeds = {seeds:?}\n[crawl]\nmax_depth = 0\nlistings = false\n[frontier]\ndelay = '0s'\naddress_delay = '0s'\n[http]\nlisten = '127.0.0.1:0'\n[log]\nfilter = 'error'\n"
    );
    std::fs::write(&config, text).expect("a configuration");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.args(["crawl", "--once", "--allow-private-addresses", "--user-agent", "bench (a bench)", "--config"]);
    let data = dir.join("data");
    let seconds = spent(command.arg(&config).arg("--data-dir").arg(&data).stdout(Stdio::null()));
    let stored =
        Command::new(env!("CARGO_BIN_EXE_tsrec")).args(["list", "--data-dir"]).arg(&data).output().expect("a list");
    let stored =
        String::from_utf8(stored.stdout).expect("text").lines().filter(|line| line.contains("/story/")).count();
    // If pages name a canonical URL, the crawl does not store copies again.
    assert!(stored * 10 >= HOSTS * PAGES * 9, "{stored} pages are stored");
    seconds
}

/// Processor seconds of a command.
fn spent(command: &mut Command) -> f64 {
    let before = of_children();
    assert!(command.status().expect("a process").success(), "{command:?}");
    of_children() - before
}

/// Processor seconds of the children that have ended.
fn of_children() -> f64 {
    /// Linux counts in hundredths of a second for all programs (`USER_HZ`).
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    // After the name in brackets: `cutime` and `cstime`.
    (fields[13] + fields[14]) / TICKS
}

/// The pages of a set by site.
fn sites(set: &Path) -> Vec<Vec<Vec<u8>>> {
    let meta = std::fs::read_to_string(set.join("meta.jsonl")).expect("a set has a meta.jsonl");
    let mut sites: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for line in meta.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let [id, site] = ["id", "site"].map(|name| entry[name].as_str().or(entry["host"].as_str()).expect("a name"));
        let files = ["html", "html.gz"].map(|suffix| set.join(format!("html/{id}.{suffix}")));
        let file = files.iter().find(|file| file.exists()).expect("a page for each entry");
        sites.entry(site.to_owned()).or_default().push(whole_page(file).expect("a page"));
    }
    sites.into_values().collect()
}

/// The pages of a folder and its subfolders, decompressed.
fn pages(folder: &Path) -> Vec<Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("an entry of the folder").path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".html") || name.ends_with(".html.gz") {
                files.insert(name, path);
            }
        }
    }
    files.into_values().map(|file| whole_page(&file).expect("a page")).collect()
}
