//! The daemon as a process: the demo, a crawl to its end, a crawl that is killed.

/// Damaged after a kill.
mod damage;
/// On a disk that fills.
mod full;
/// Killed at random moments.
mod kills;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::site::Site;
use tsrec_store::{Database, Store};

/// Pages of the demo site, without the draft that its robots.txt forbids.
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

/// Waits until the crawl has requested this many pages of the site.
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
    let method = |row: &str| row.split_whitespace().nth(1).map(str::to_owned);
    let by_site = table.lines().filter(|row| matches!(method(row).as_deref(), Some("template" | "memory"))).count();
    assert!(by_site >= 6, "{table}");
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
        let score = tsrec_lab::eval::score::score(&gold, text).unwrap();
        assert!(score.bow_f1 >= 0.95, "{path}: F1 {:.3}\n{text}", score.bow_f1);
        compared += 1;
    }
    assert_eq!(compared, 10);
}

/// The pipeline of the papers alone: pair, common parts, regular parts, leftover; or else MSS.
#[test]
fn a_crawl_by_template_uses_no_score_and_no_memory() {
    let (site, data_dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    let config = data_dir.path().join("config.toml");
    std::fs::write(&config, "[extract]\nmethod = \"template\"\n").unwrap();
    assert!(crawl(&site, data_dir.path(), "1ms").arg("--config").arg(&config).status().unwrap().success());
    let records = export(data_dir.path());
    assert_eq!(records.len(), PAGES);
    let count = |method: &str| records.iter().filter(|record| record["method"] == method).count();
    assert_eq!(count("template") + count("mss"), PAGES, "{records:?}");
    assert!(count("template") >= PAGES / 2, "{} by template", count("template"));
    for record in &records {
        assert!(record["kind"].is_string() && record["template"].is_null(), "{record}");
        assert_eq!(record["sibling"].is_string(), record["method"] == "template", "{record}");
    }
    let hosts = tsrec().args(["template", "list", "--data-dir"]).arg(data_dir.path()).output().unwrap();
    assert_eq!((hosts.status.success(), hosts.stdout.is_empty()), (true, true), "something is remembered");
    let store = Store::new(&Database::open(data_dir.path(), &tsrec_store::Config::default()).unwrap());
    assert_eq!(store.counts().parked, 0, "bodies are kept that wait for nothing");
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
        let same = after.iter().find(|other| other["url"] == record["url"]).unwrap();
        assert_eq!(same["fetched_at"], record["fetched_at"], "a stored page was fetched again: {}", record["url"]);
    }

    // An indexer that continues from its cursor has seen every page. It has seen a page twice only
    // if the daemon extracted it again.
    let rest = tsrec().args(["changes", "--since", &cursor, "--data-dir"]).arg(data_dir.path()).output().unwrap();
    let rest = lines(rest);
    let changes: Vec<&serde_json::Value> = seen_before.iter().chain(&rest).collect();
    let seen: BTreeSet<&str> = changes.iter().map(|change| change["url"].as_str().unwrap()).collect();
    assert_eq!(seen.len(), PAGES);
    let feed: Vec<u64> = changes.iter().map(|change| change["seq"].as_u64().unwrap()).collect();
    assert!(feed.windows(2).all(|pair| pair[0] < pair[1]), "{feed:?}");

    // The crawl may repeat the requests that were in flight when the process died, and no others.
    let requests = site.requests.lock().unwrap();
    for record in &before {
        let path = record["url"].as_str().unwrap().replace(&site.url(""), "");
        assert_eq!(requests[&path], 1, "{path} was stored, and asked for again: {requests:?}");
    }
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

/// A slow site and a crawl of it with these extra arguments. Returns when the crawl waits for a
/// page.
fn slow_crawl(data_dir: &Path, more: &[&str]) -> (Site, Child) {
    let site = Site::serve(|path| {
        if path != "/robots.txt" {
            std::thread::sleep(Duration::from_secs(4));
        }
        Some(b"<html><body><p>slow</p></body></html>".to_vec())
    });
    let mut child = crawl(&site, data_dir, "1ms").args(more).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_pages(&site, 1, &mut child);
    (site, child)
}

fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn a_second_sigterm_ends_a_crawl_at_once() {
    let data_dir = tempfile::tempdir().unwrap();
    let (_site, mut child) = slow_crawl(data_dir.path(), &[]);
    let told = Instant::now();
    signal(&child, "-TERM");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "the page in flight may finish");
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(told.elapsed() < Duration::from_secs(3), "{:?}", told.elapsed());
}

#[test]
fn a_daemon_that_stops_is_not_ready() {
    let data_dir = tempfile::tempdir().unwrap();
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (_site, mut child) = slow_crawl(data_dir.path(), &["--listen", &address.to_string()]);
    let ready = || {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let mut answer = String::new();
        write!(stream, "GET /readyz HTTP/1.0\r\nHost: {address}\r\n\r\n").unwrap();
        stream.read_to_string(&mut answer).unwrap();
        answer.lines().next().unwrap_or_default().to_owned()
    };
    assert!(ready().contains("200"), "{}", ready());
    signal(&child, "-TERM");
    std::thread::sleep(Duration::from_millis(300));
    assert!(ready().contains("503"), "{}", ready());
    assert!(child.wait().unwrap().success());
}

/// When an operator forgets a reader, the alert about it ends at once, not at the next start.
#[test]
fn a_reader_that_is_forgotten_is_not_behind_any_more() {
    let (site, data_dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut child =
        crawl(&site, data_dir.path(), "2s").args(["--listen", &address.to_string()]).spawn().expect("it starts");
    wait_for_pages(&site, 4, &mut child);
    let ask = |method: &str, target: &str| {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let mut answer = String::new();
        write!(stream, "{method} {target} HTTP/1.0\r\nHost: {address}\r\n\r\n").unwrap();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let feed = ask("GET", "/v1/changes?limit=1&wait=max");
    let cursor = feed.rsplit('"').nth(1).unwrap();
    assert!(ask("PUT", &format!("/v1/consumers/reader?cursor={cursor}")).contains("200 OK"), "{feed}");
    let behind = || -> Option<f64> {
        let metrics = ask("GET", "/metrics");
        let line = metrics.lines().find(|line| line.starts_with("tsrec_feed_behind{consumer=\"reader\"}"))?;
        line.rsplit(' ').next()?.parse().ok()
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    while behind().is_none_or(|behind| behind == 0.0) {
        assert!(Instant::now() < deadline, "it is said to be {:?} behind", behind());
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(ask("DELETE", "/v1/consumers/reader").contains("204"));
    assert_eq!(behind(), Some(0.0));
    signal(&child, "-TERM");
    assert!(child.wait().unwrap().success());
}

#[test]
fn sighup_reloads_and_says_what_cannot_change() {
    let (site, dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    let file = dir.path().join("config.toml");
    let (index, about) = (site.url("/index.html"), site.url("/about.html"));
    let write = |seeds: &[&str], concurrency: usize, filter: &str| {
        let text = format!("seeds = {seeds:?}\n[log]\nfilter = {filter:?}\n[crawl]\nconcurrency = {concurrency}\n");
        std::fs::write(&file, text)
    };
    write(&[&index, &about], 3, "error").unwrap();
    let mut child = tsrec()
        .args([
            "--log",
            "info",
            "crawl",
            "--allow-private-addresses",
            "--delay",
            "200ms",
            "--user-agent",
            "test-crawler (a test)",
        ])
        .args(["--listen", "none", "--data-dir"])
        .arg(dir.path().join("data"))
        .arg("--config")
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_pages(&site, 1, &mut child);
    write(&[&about], 4, "warn").unwrap();
    // The daemon logs it each time while it lasts.
    for _ in 0..2 {
        signal(&child, "-HUP");
        std::thread::sleep(Duration::from_millis(500));
    }
    signal(&child, "-TERM");
    let output = child.wait_with_output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{log}");
    assert_eq!(log.matches("the configuration is reloaded").count(), 2, "{log}");
    assert_eq!(log.matches("crawl.concurrency").count(), 2, "{log}");
    // The command-line option wins: all this was logged as info.
    assert_eq!(log.matches("--log (or TSREC_LOG) was given, and holds").count(), 2, "{log}");
    let gone: Vec<&str> = log.lines().filter(|line| line.contains("tsrec frontier drop HOST")).collect();
    assert!(gone.len() == 1 && gone[0].contains(&index) && !gone[0].contains(&about), "{log}");
    assert!(!log.contains('\u{1b}'), "no colours where nobody sees them: {log}");
}

/// SIGHUP would end the program, so it installs a handler before it opens the store. With many
/// pages opening takes minutes. Here a pipe in place of a file makes it wait forever.
#[test]
fn sighup_does_not_end_a_daemon_that_opens_its_store() {
    let (site, dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    assert!(crawl(&site, dir.path(), "1ms").status().unwrap().success());
    let mark = dir.path().join("mark");
    std::fs::remove_file(&mark).unwrap();
    assert!(Command::new("mkfifo").arg(&mark).status().unwrap().success());
    let mut child = crawl(&site, dir.path(), "1ms").spawn().unwrap();
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & 1 != 0
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    while !listens() {
        assert!(Instant::now() < deadline, "it does not listen while it opens");
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, "-HUP");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it ended");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The output of an operator's command on both streams.
fn operate(data_dir: &Path, args: &[&str]) -> String {
    let output = tsrec().args(args).arg("--data-dir").arg(data_dir).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{args:?}: {text}");
    text
}

#[test]
fn an_operator_sees_why_and_changes_hosts_with_a_daemon_and_without() {
    let (site, data_dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    let about = site.url("/about.html");
    let mut child = crawl(&site, data_dir.path(), "100ms").args(["--listen", "127.0.0.1:0"]).spawn().unwrap();
    wait_for_pages(&site, 3, &mut child);
    operate(data_dir.path(), &["frontier", "pause", "127.0.0.1"]);
    std::thread::sleep(Duration::from_millis(300));
    let asked = site.pages_asked_for();
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(site.pages_asked_for(), asked, "the host is paused");
    assert!(operate(data_dir.path(), &["frontier", "list"]).contains("about.html"));
    let of_daemon = operate(data_dir.path(), &["frontier", "sections"]);
    assert!(of_daemon.contains("URLs  127.0.0.1/"), "{of_daemon}");
    operate(data_dir.path(), &["frontier", "delay", "127.0.0.1", "2ms"]);
    operate(data_dir.path(), &["frontier", "resume", "127.0.0.1"]);
    assert!(child.wait().unwrap().success());
    assert_eq!(export(data_dir.path()).len(), PAGES);

    let why: serde_json::Value =
        serde_json::from_str(&operate(data_dir.path(), &["why", &about, "--json"])).expect("one object");
    assert_eq!((&why["url"], &why["frontier"]["state"]), (&about.clone().into(), &"known".into()));
    assert!(why["frontier"]["found_on"].as_str().unwrap().ends_with("/index.html"), "{why}");
    let request = &why["frontier"]["requests"][0];
    assert!(request["what"] == "page" && request["took_ms"].is_u64(), "{why}");
    assert_eq!(why["frontier"]["robots"], "allowed: no rule", "{why}");
    assert!(why["extraction"]["method"].is_string() && why["host"]["last_answer"].is_string(), "{why}");
    assert!(operate(data_dir.path(), &["frontier", "requeue", &about]).contains("1 URL due at once"));
    let of_directory = operate(data_dir.path(), &["frontier", "sections", "--host", "127.0.0.1"]);
    assert!(of_directory.lines().count() >= of_daemon.lines().count(), "{of_directory}");
    assert_eq!(operate(data_dir.path(), &["frontier", "sections", "--refusing"]), "");
    assert!(operate(data_dir.path(), &["frontier", "drop", "127.0.0.1"]).contains("forgotten"));
    assert_eq!(operate(data_dir.path(), &["frontier", "list"]), "");
    assert_eq!(operate(data_dir.path(), &["frontier", "sections"]), "", "no URL is left to be counted");
}

#[test]
fn a_host_that_nobody_knows_is_told_with_a_daemon_and_without() {
    let (site, data_dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    let mut child = crawl(&site, data_dir.path(), "300ms").args(["--listen", "127.0.0.1:0"]).spawn().unwrap();
    wait_for_pages(&site, 1, &mut child);
    let mut said = Vec::new();
    for _ in 0..2 {
        for args in [
            &["pause", "b.example"][..],
            &["resume", "b.example"],
            &["drop", "b.example"],
            &["delay", "b.example", "1s"],
        ] {
            let output = tsrec().arg("frontier").args(args).arg("--data-dir").arg(data_dir.path()).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{args:?}");
            said.push(String::from_utf8(output.stderr).unwrap());
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(said.iter().all(|said| said.contains("knows no host b.example")), "{said:?}");
    assert_eq!(said[..4], said[4..]);
    assert!(!operate(data_dir.path(), &["frontier", "sections"]).contains("b.example"));
}

#[test]
fn a_crawl_to_its_end_of_which_nothing_came_says_why_and_fails() {
    let data_dir = tempfile::tempdir().unwrap();
    let forbidden = Site::serve(|path| (path == "/robots.txt").then(|| b"User-agent: *\nDisallow: /".to_vec()));
    let demo = Site::start("fixtures/demo");
    let run = |seeds: &[String], private: bool, data: &str| {
        let mut command = tsrec();
        command.arg("crawl").args(seeds).args(["--once", "--delay", "1ms", "--user-agent", "test-crawler (a test)"]);
        command.args(private.then_some("--allow-private-addresses")).arg("--data-dir").arg(data_dir.path().join(data));
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), said.lines().last().unwrap_or_default().to_owned())
    };
    let (seed, good) = (forbidden.url("/a"), demo.url("/index.html"));
    for (private, why) in [(true, "robots.txt"), (false, "allow_private_addresses")] {
        let (code, last) = run(std::slice::from_ref(&seed), private, why);
        assert!(code == 1 && last.contains(&seed) && last.contains(why) && last.contains("tsrec why"), "{code} {last}");
    }
    // If one seed gives a page, the crawl does not fail. Nor does it fail with nothing to do.
    let (code, last) = run(&[seed.clone(), good.clone()], true, "both");
    assert!(code == 0 && last.contains(&seed), "{code} {last}");
    assert_eq!(run(&[good], true, "both").0, 0);
}

/// The frontier's state of each URL.
fn states(data_dir: &Path) -> BTreeMap<String, serde_json::Value> {
    let listed = operate(data_dir, &["frontier", "list", "--json"]);
    let rows = listed.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    rows.map(|row| (row["url"].as_str().unwrap().to_owned(), row)).collect()
}

/// The hosts of a backup.
fn kept_hosts(backup: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(backup.join("hosts.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_backup_has_the_frontier_with_depths_due_dates_and_hosts() {
    let (site, dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    let [data, backup, restored] = ["data", "backup", "restored"].map(|name| dir.path().join(name));
    let mut command = crawl(&site, &data, "100ms");
    let mut child = command.args(["http://stopped.example/", "--listen", "127.0.0.1:0"]).spawn().unwrap();
    wait_for_pages(&site, 4, &mut child);
    operate(&data, &["frontier", "delay", "127.0.0.1", "123ms"]);
    operate(&data, &["frontier", "drop", "stopped.example"]);
    operate(&data, &["frontier", "pause", "stopped.example"]);
    let said = operate(&data, &["store", "backup", backup.to_str().unwrap()]);
    assert!(said.contains(" URLs and 2 hosts copied"), "{said}");
    child.kill().unwrap();
    child.wait().unwrap();
    let asked = site.pages_asked_for();
    assert!(asked < PAGES, "the crawl was under way");
    let before = states(&data);
    operate(&restored, &["store", "restore", backup.to_str().unwrap()]);
    let once_more = dir.path().join("once more");
    operate(&restored, &["store", "backup", once_more.to_str().unwrap()]);
    let hosts = kept_hosts(&backup);
    assert_eq!(kept_hosts(&once_more), hosts, "what is known of hosts comes back");
    assert!(hosts[0]["delay"] == "123ms" && hosts[0]["learned"]["last_ok"].as_u64() > Some(0), "{hosts:?}");
    assert!(hosts[1]["host"] == "stopped.example" && hosts[1]["paused"] == true, "{hosts:?}");
    let after = states(&restored);
    let known: Vec<&String> = before.keys().filter(|url| before[*url]["state"] == "known").collect();
    assert!(known.len() >= 2, "{before:?}");
    for url in known.into_iter().filter(|url| after.get(*url).is_some_and(|status| status["state"] == "known")) {
        for field in ["depth", "refetchable_from", "interval", "found_on", "last", "requests"] {
            assert_eq!(after[url][field], before[url][field], "{url}: {field}");
        }
    }
    assert!(after.values().any(|status| status["depth"].as_u64() > Some(0)), "{after:?}");
    assert!(crawl(&site, &restored, "1ms").status().unwrap().success());
    assert_eq!(export(&restored).len(), PAGES);
    assert!(operate(&restored, &["frontier", "list"]).lines().count() >= PAGES);
}

#[test]
fn what_is_missing_is_named() {
    let data_dir = tempfile::tempdir().unwrap();
    // Errors that the service manager must not retry have their own exit code.
    for (args, code, named) in [
        (&["crawl", "http://127.0.0.1:9/"][..], 78, "--user-agent"),
        (&["crawl", "--user-agent", "x (y)"], 78, "give URLs"),
        (&["crawl", "--user-agent", "(y)", "http://127.0.0.1:9/"], 78, "user agent"),
        (&["crawl", "--config", "no/such/file.toml"], 78, "no/such/file.toml"),
        (&["extract", "no/such/page.html"], 1, "no/such/page.html"),
        (&["extract", "http://127.0.0.1:9/"], 2, "--user-agent"),
        (&["extract", "http://127.0.0.1:9/", "--user-agent", "x (y)"], 1, "allow_private_addresses"),
        (&["extract", "README.md", "--method", "template-paper"], 2, "--sibling"),
        (&["eval", "fixtures", "--folds", "5"], 2, "tsrec-lab"),
        (&["train", "--help"], 2, "tsrec-lab"),
        (&["untaught", "3"], 2, "tsrec teach --undo"),
    ] {
        let output = tsrec()
            .args(args)
            .env("TSREC_DATA_DIR", data_dir.path())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        assert!(stderr.contains(named), "{args:?}: {stderr}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}
