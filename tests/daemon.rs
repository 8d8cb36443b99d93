//! The daemon as a process: the demo, a crawl to its end, a crawl that is killed.

mod support {
    pub(crate) mod site;
}

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::site::Site;

/// What the demo site has, but for the draft that its robots.txt forbids.
const PAGES: usize = 13;

fn tsrec() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tsrec"))
}

fn crawl(site: &Site, data_dir: &Path, delay: &str) -> Command {
    let mut command = tsrec();
    command
        .args(["crawl", &site.url("/index.html"), "--once", "--allow-private-addresses", "--delay", delay])
        .args(["--user-agent", "test-crawler (a test)", "--data-dir"])
        .arg(data_dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn lines(output: Output) -> Vec<serde_json::Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn export(data_dir: &Path) -> Vec<serde_json::Value> {
    lines(tsrec().args(["export", "--data-dir"]).arg(data_dir).output().unwrap())
}

/// Waits until the site was asked for so many pages.
fn wait_for_pages(site: &Site, pages: usize, crawl: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while site.pages_asked_for() < pages {
        assert!(Instant::now() < deadline, "the crawl asked for {} pages only", site.pages_asked_for());
        assert!(crawl.try_wait().unwrap().is_none(), "the crawl ended early");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_demo_shows_pages_by_template_diff() {
    let started = Instant::now();
    let output = tsrec().args(["demo", "--once"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(started.elapsed() < Duration::from_secs(30));
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(table.lines().count(), 1 + PAGES, "{table}");
    let by_template = table.lines().filter(|row| row.split_whitespace().nth(1) == Some("template")).count();
    assert!(by_template >= 6, "{table}");
}

#[test]
fn a_crawl_finds_the_content_of_every_article() {
    let (site, data_dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    assert!(crawl(&site, data_dir.path(), "1ms").status().unwrap().success());
    let records: BTreeMap<String, String> = export(data_dir.path())
        .into_iter()
        .map(|record| (record["url"].as_str().unwrap().to_owned(), record["text"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(records.len(), PAGES);
    assert!(!site.requests.lock().unwrap().contains_key("/drafts/unfinished.html"), "robots.txt was not obeyed");

    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo.expected");
    let mut compared = 0;
    for (url, text) in &records {
        let path = url.trim_start_matches(&site.url("/")).replace(".html", ".txt");
        let Ok(gold) = std::fs::read_to_string(expected.join(&path)) else { continue };
        let score = tsrec::eval::score::score(&gold, text).unwrap();
        assert!(score.bow_f1 >= 0.95, "{path}: F1 {:.3}\n{text}", score.bow_f1);
        compared += 1;
    }
    assert_eq!(compared, 10);
}

#[test]
fn a_killed_crawl_goes_on_where_it_was() {
    let (site, data_dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    let mut first = crawl(&site, data_dir.path(), "40ms").spawn().unwrap();
    wait_for_pages(&site, 6, &mut first);
    first.kill().unwrap();
    first.wait().unwrap();
    let before = export(data_dir.path());
    let read = tsrec().args(["changes", "--data-dir"]).arg(data_dir.path()).output().unwrap();
    let cursor = String::from_utf8(read.stderr.clone()).unwrap();
    let cursor = cursor.lines().last().unwrap().split_whitespace().last().unwrap().to_owned();
    let seen_before = lines(read);

    assert!(crawl(&site, data_dir.path(), "1ms").status().unwrap().success());
    let after = export(data_dir.path());
    let urls: BTreeSet<&str> = after.iter().map(|record| record["url"].as_str().unwrap()).collect();
    assert_eq!((after.len(), urls.len()), (PAGES, PAGES), "a page is lost, or stored twice");
    for record in &before {
        assert!(after.contains(record), "a stored page was stored again: {}", record["url"]);
    }

    // An indexer that goes on from its cursor has seen every page once.
    let rest = tsrec().args(["changes", "--since", &cursor, "--data-dir"]).arg(data_dir.path()).output().unwrap();
    let feed: Vec<u64> = seen_before.iter().chain(&lines(rest)).map(|change| change["seq"].as_u64().unwrap()).collect();
    assert_eq!(feed.len(), PAGES);
    assert!(feed.windows(2).all(|pair| pair[0] < pair[1]), "{feed:?}");

    // What was in flight when the process died may be asked for again, and nothing else.
    let twice =
        site.requests.lock().unwrap().iter().filter(|(path, count)| *path != "/robots.txt" && **count > 1).count();
    assert!(twice <= 2, "{:?}", site.requests.lock().unwrap());
}

#[test]
fn sigterm_ends_a_crawl_cleanly() {
    let (site, data_dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    let mut child = crawl(&site, data_dir.path(), "200ms").spawn().unwrap();
    wait_for_pages(&site, 2, &mut child);
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    assert!(export(data_dir.path()).len() < PAGES);
}

#[test]
fn what_is_missing_is_named() {
    let data_dir = tempfile::tempdir().unwrap();
    for (args, named) in [
        (&["crawl", "http://127.0.0.1:9/"][..], "--user-agent"),
        (&["crawl", "--user-agent", "x (y)"], "give URLs"),
        (&["crawl", "--config", "no/such/file.toml"], "no/such/file.toml"),
        (&["extract", "no/such/page.html"], "no/such/page.html"),
        (&["extract", "http://127.0.0.1:9/"], "--user-agent"),
        (&["extract", "http://127.0.0.1:9/", "--user-agent", "x (y)"], "allow_private_addresses"),
        (&["extract", "README.md", "--method", "template"], "--sibling"),
        (&["eval", "fixtures"], "meta.jsonl"),
    ] {
        let output = tsrec()
            .args(args)
            .env("TSREC_DATA_DIR", data_dir.path())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert!(stderr.contains(named), "{args:?}: {stderr}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}
