//! Web archives that a crawl reads and writes, through the command as a user runs it.
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rawzip::{CompressionMethod, ZipArchiveWriter};
use tsrec_crawl::warc::{NewRecord, Packing, WarcReader, WarcWriter};
use tsrec_store::PageRecord;

use crate::support::site::Site;

fn tsrec(data_dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.env("TSREC_DATA_DIR", data_dir).env_remove("TSREC_LOG");
    command
}

/// Exit code and standard error.
fn run(command: &mut Command) -> (i32, String) {
    let Output { status, stderr, .. } = command.output().unwrap();
    (status.code().unwrap(), String::from_utf8(stderr).unwrap())
}

fn export(data_dir: &Path) -> BTreeMap<String, PageRecord> {
    let output = tsrec(data_dir).arg("export").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let records = String::from_utf8(output.stdout).unwrap();
    let records = records.lines().map(|line| serde_json::from_str::<PageRecord>(line).unwrap());
    records.map(|record| (record.url.clone(), record)).collect()
}

/// The pages of the demo site.
fn pages() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo");
    let (mut folders, mut pages) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                pages.push((format!("http://town.example/{name}"), std::fs::read(path).unwrap()));
            }
        }
    }
    pages.sort();
    pages
}

fn response<'a>(url: &'a str, status: u16, head: &str, body: &[u8], date: &str) -> NewRecord<'a> {
    let head = format!("HTTP/1.1 {status} Some\r\nContent-Type: text/html; charset=utf-8\r\n{head}\r\n");
    NewRecord {
        target: Some(url),
        content_type: "application/http;msgtype=response",
        block: [head.as_bytes(), body].concat().into(),
        ..NewRecord::new("response", date.parse().unwrap())
    }
}

fn write(path: &Path, packing: Packing, records: &[NewRecord<'_>]) {
    let mut writer = WarcWriter::new(Vec::new(), packing);
    for record in records {
        writer.write(record).unwrap();
    }
    std::fs::write(path, writer.into_inner()).unwrap();
}

const DATE: &str = "2020-05-01T00:00:00Z";

#[test]
fn an_archive_is_crawled_without_a_network_and_only_once() {
    let dir = tempfile::tempdir().unwrap();
    let data_dir = dir.path().join("data");
    let pages = pages();
    let (first, second) = pages.split_at(pages.len() / 2);
    let of = |pages: &'_ [(String, Vec<u8>)]| -> Vec<NewRecord<'static>> {
        let records = pages.iter().map(|(url, body)| response(url.clone().leak(), 200, "", body, DATE));
        records.collect()
    };
    let mut more = of(second);
    let (later, gone, noindex) =
        ("http://town.example/about.html", "http://town.example/gone", "http://town.example/no");
    more.extend([
        // An older version, a later one, and a response that is not a page.
        response(
            later,
            200,
            "",
            b"<title>Old</title><p>An older version of the page, with words.",
            "2019-05-01T00:00:00Z",
        ),
        response(
            later,
            200,
            "",
            b"<title>New</title><p>A later version of the page, with other words in it.",
            "2021-05-01T00:00:00Z",
        ),
        response(gone, 404, "", b"<p>gone", DATE),
        response(noindex, 200, "X-Robots-Tag: noindex\r\n", b"<p>not to be stored", DATE),
        response("http://town.example/i.html", 200, "", b"\x89PNG\r\n\x1a\n\0\0", DATE),
        NewRecord { kind: "revisit", ..response(gone, 200, "", b"", DATE) },
        NewRecord { kind: "request", ..response(gone, 200, "", b"", DATE) },
    ]);
    let files = [dir.path().join("a.warc.gz"), dir.path().join("b.warc.zst")];
    write(&files[0], Packing::Gzip, &of(first));
    write(&files[1], Packing::Zstd, &more);
    let crawl = |more: &[&str]| run(tsrec(&data_dir).args(["crawl", "--from-warc"]).args(&files).args(more));

    // Stop after some pages, then continue.
    let (code, stderr) = crawl(&["--max-pages", "5"]);
    assert_eq!(code, 0, "{stderr}");
    let part = export(&data_dir).len();
    assert!((5..pages.len()).contains(&part), "{part}: {stderr}");
    let (code, stderr) = crawl(&[]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("1 by content-type, 2 by status"), "{stderr}");
    let records = export(&data_dir);
    let urls: BTreeSet<&String> = records.keys().collect();
    assert_eq!(urls, pages.iter().map(|(url, _)| url).collect(), "{stderr}");
    assert_eq!(records[later].metadata.title.as_deref(), Some("New"));
    let article = &records["http://town.example/news/2026/04/school-roof-will-collect-rain.html"];
    assert_eq!(article.fetched_at.to_string(), DATE);
    assert!(
        article.text.contains("It rains a good deal in Sallowmouth") && !article.text.contains("The Harbour Courier")
    );
    assert_eq!(article.method, "memory");

    let (code, stderr) = crawl(&[]);
    assert_eq!((code, stderr.as_str()), (0, "tsrec: 0 pages read, 0 stored\n"));
    assert_eq!(export(&data_dir), records);
}

#[test]
fn an_archive_that_is_broken_says_where_and_what_stands_before_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let (data_dir, file) = (dir.path().join("data"), dir.path().join("a.warc.gz"));
    let pages = pages();
    let records: Vec<_> = pages.iter().map(|(url, body)| response(url, 200, "", body, DATE)).collect();
    write(&file, Packing::Gzip, &records);
    let whole = std::fs::read(&file).unwrap();
    let crawl = |file: &Path| run(tsrec(&data_dir).args(["crawl", "--from-warc"]).arg(file));
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let (code, stderr) = crawl(&file);
    assert!(code == 1 && stderr.contains("a.warc.gz cannot be read on: at byte "), "{stderr}");
    let stored = export(&data_dir).len();
    assert!((1..pages.len()).contains(&stored), "{stored}");
    // Once the file is complete, the crawl reads it.
    std::fs::write(&file, &whole).unwrap();
    let (code, stderr) = crawl(&file);
    assert_eq!((code, export(&data_dir).len()), (0, pages.len()), "{stderr}");

    std::fs::write(&file, "<p>no archive").unwrap();
    let (code, stderr) = crawl(&file);
    assert!(code == 1 && stderr.contains("where a record should begin"), "{stderr}");
    let (code, stderr) = crawl(&dir.path().join("absent.warc"));
    assert!(code == 1 && stderr.contains("absent.warc"), "{stderr}");
    let (code, stderr) = crawl(dir.path());
    assert!(code == 1 && stderr.contains("a folder, and no archive: name the files in it"), "{stderr}");
    let (code, stderr) = run(tsrec(&data_dir).args(["crawl", "http://a.example/", "--from-warc"]).arg(&file));
    assert!(code == 2 && stderr.contains("cannot be used with"), "{stderr}");
}

/// A revisit record of an unchanged page stands for the earlier page, at its new date. If the
/// revisit has another URL, it is a page at that URL.
#[test]
fn a_revisit_is_the_answer_that_it_refers_to() {
    let dir = tempfile::tempdir().unwrap();
    let pages = pages();
    let [first, second, third, fourth, ..] = &pages[..] else { panic!("{} pages", pages.len()) };
    let mirror = "http://mirror.example/second.html";
    let digest = |body: &[u8]| ("WARC-Payload-Digest", tsrec_crawl::warc::digest(body));
    let answers: Vec<_> = pages
        .iter()
        .map(|(url, body)| NewRecord { fields: vec![digest(body)], ..response(url, 200, "", body, DATE) })
        .collect();
    const LATER: &str = "2021-07-01T00:00:00Z";
    let revisit = |url, head: Option<&str>, fields: &[(&'static str, &str)]| {
        let block = head.map_or(Vec::new(), |head| format!("HTTP/1.1 {head}\r\n\r\n").into_bytes());
        let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        NewRecord { kind: "revisit", block: block.into(), fields, ..response(url, 200, "", b"", LATER) }
    };
    let by_address = |url| [("WARC-Refers-To-Target-URI", url), ("WARC-Refers-To-Date", DATE)];
    let revisits = [
        revisit(&first.0, Some("304 Not Modified"), &by_address(&first.0)),
        revisit(mirror, Some("200 OK\r\nContent-Type: text/html"), &[("WARC-Payload-Digest", &digest(&second.1).1)]),
        // The revisit's headers apply. A response that is not a page gives no page.
        revisit(&third.0, Some("200 OK\r\nX-Robots-Tag: noindex"), &by_address(&third.0)),
        revisit("http://mirror.example/moved", Some("301 Moved\r\nLocation: /"), &by_address(&fourth.0)),
        revisit("http://mirror.example/lost", None, &by_address("http://town.example/lost")),
    ];
    let [a, b] = ["a.warc.gz", "b.warc.zst"].map(|name| dir.path().join(name));
    write(&a, Packing::Gzip, &answers);
    write(&b, Packing::Zstd, &revisits);

    // Three crawls: all at once, the answers first, and one that stops among the answers.
    let crawl = |data_dir: &Path, files: &[&PathBuf], more: &[&str]| {
        let (code, stderr) = run(tsrec(data_dir).args(["crawl", "--from-warc"]).args(files).args(more));
        assert_eq!(code, 0, "{stderr}");
        stderr
    };
    let [at_once, one_by_one, broken_off] = ["at once", "one by one", "broken off"].map(|name| dir.path().join(name));
    let said = crawl(&at_once, &[&a, &b], &[]);
    assert!(said.contains("1 by revisit, 1 by status"), "{said}");
    crawl(&one_by_one, &[&a], &[]);
    crawl(&one_by_one, &[&a, &b], &[]);
    for most in ["3", "4", "100"] {
        crawl(&broken_off, &[&a, &b], &["--max-pages", most]);
    }
    for data_dir in [at_once, one_by_one, broken_off] {
        let records = export(&data_dir);
        let mut expected: BTreeSet<&str> = pages.iter().map(|(url, _)| url.as_str()).collect();
        expected.insert(mirror);
        expected.remove(third.0.as_str());
        assert_eq!(records.keys().map(String::as_str).collect::<BTreeSet<_>>(), expected, "{}", data_dir.display());
        for (url, date) in [(first.0.as_str(), LATER), (mirror, LATER), (&fourth.0, DATE)] {
            assert_eq!(records[url].fetched_at.to_string(), date, "{url}");
        }
        assert_eq!(records[mirror].text, records[&second.0].text);
    }

    // In a batch each record is a page. All records are in one file.
    let all = dir.path().join("all.warc.gz");
    let one: Vec<_> = answers.into_iter().chain(revisits).collect();
    write(&all, Packing::Gzip, &one);
    let output = tsrec(dir.path()).args(["extract", "--stats", "--batch"]).arg(&all).output().unwrap();
    let lines: Vec<serde_json::Value> =
        output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let of = |at: usize| (lines[at]["url"].as_str().unwrap(), &lines[at]["text"]);
    assert_eq!(lines.len(), pages.len() + 3, "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(of(pages.len()), of(0));
    assert_eq!(of(pages.len() + 1), (mirror, of(1).1));
    let stats = String::from_utf8(output.stderr).unwrap();
    assert!(stats.contains(r#""skipped":{"revisit":1,"status":1}"#), "{stats}");
}

/// Writes a WACZ with these files.
fn wacz(path: &Path, method: CompressionMethod, files: &[(&str, Vec<u8>)]) {
    let mut bytes = Vec::new();
    let mut zip = ZipArchiveWriter::new(&mut bytes);
    for (name, content) in files {
        // The entry names a compression method, but its content is not compressed. No code reads
        // it.
        let (mut entry, config) = zip.new_file(name).compression_method(method).start().unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(content).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    zip.finish().unwrap();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_wacz_is_read_like_the_archives_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let pages = pages();
    let records: Vec<_> = pages.iter().map(|(url, body)| response(url, 200, "", body, DATE)).collect();
    let mut parts = Vec::new();
    for (at, packing) in [Packing::Gzip, Packing::Gzip, Packing::Zstd].into_iter().enumerate() {
        let some: Vec<_> = records.iter().skip(at).step_by(3).cloned().collect();
        write(&path("part"), packing, &some);
        parts.push(std::fs::read(path("part")).unwrap());
    }
    // Leave one of them uncompressed.
    let packed = std::mem::take(&mut parts[1]);
    flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut parts[1]).unwrap();
    let files = [
        ("datapackage.json", b"{}".to_vec()),
        ("archive/a.warc.gz", parts[0].clone()),
        ("pages/pages.jsonl", b"{}".to_vec()),
        ("archive/b.warc", parts[1].clone()),
        ("archive/c.warc.zst", parts[2].clone()),
        ("other/d.warc", b"no archive".to_vec()),
    ];
    wacz(&path("all.wacz"), CompressionMethod::STORE, &files);

    // A batch gives the pages of each archive in their order.
    let extract = |name: &str| tsrec(dir.path()).args(["extract", "--batch"]).arg(path(name)).output().unwrap();
    let output = extract("all.wacz");
    let lines = String::from_utf8(output.stdout).unwrap();
    let urls: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["url"].as_str().unwrap().to_owned())
        .collect();
    let expected = (0..3).flat_map(|at| pages.iter().skip(at).step_by(3).map(|(url, _)| url.clone()));
    assert_eq!(urls, expected.collect::<Vec<_>>());

    // A crawl stops in each of them, then continues.
    let mut stderr = String::new();
    for most in ["4", "4", "4", "100", "100"] {
        let data_dir = path("data");
        let mut command = tsrec(&data_dir);
        command.args(["crawl", "--max-pages", most, "--from-warc"]).arg(path("all.wacz"));
        let (code, said) = run(&mut command);
        assert_eq!(code, 0, "{said}");
        stderr = said;
    }
    assert_eq!(export(&path("data")).keys().collect::<Vec<_>>(), pages.iter().map(|(url, _)| url).collect::<Vec<_>>());
    assert_eq!(stderr, "tsrec: 0 pages read, 0 stored\n");

    // A truncated record does not continue in the next archive.
    let cut = parts[1][..parts[1].len() - 40].to_vec();
    wacz(&path("cut.wacz"), CompressionMethod::STORE, &[("archive/a.warc", cut), ("archive/b.warc", parts[1].clone())]);
    wacz(&path("packed.wacz"), CompressionMethod::DEFLATE, &files);
    wacz(&path("empty.wacz"), CompressionMethod::STORE, &files[..1]);
    let whole = std::fs::read(path("all.wacz")).unwrap();
    std::fs::write(path("half.wacz"), &whole[..whole.len() / 2]).unwrap();
    for (name, why) in [
        ("cut.wacz", "the file ends within a record"),
        ("packed.wacz", "archive/a.warc.gz is packed within the zip"),
        ("empty.wacz", "a zip without web archives"),
        ("half.wacz", "the zip is cut or damaged"),
    ] {
        let output = extract(name);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(!output.status.success() && said.contains(why), "{name}: {said}");
        let (code, said) = run(tsrec(&path("other")).args(["crawl", "--from-warc"]).arg(path(name)));
        assert!(code == 1 && said.contains(why) && said.contains(name), "{name}: {said}");
    }
}

fn crawl_site(site: &Site, data_dir: &Path, warc_dir: &Path) -> Command {
    crawl_site_each(site, data_dir, warc_dir, "20ms")
}

/// Crawls the site with this delay between requests.
fn crawl_site_each(site: &Site, data_dir: &Path, warc_dir: &Path, delay: &str) -> Command {
    let mut command = tsrec(data_dir);
    command.args(["crawl", &site.url("/index.html"), "--once", "--allow-private-addresses", "--delay", delay]);
    command.args(["--user-agent", "test-crawler (a test)", "--warc-dir"]).arg(warc_dir);
    command.stdout(Stdio::null());
    command
}

fn archives(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return vec![] };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    paths
}

/// The records of each page by kind: target and block.
fn records(dir: &Path) -> BTreeMap<String, Vec<(String, String)>> {
    let mut found: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for path in archives(dir, ".warc.gz") {
        let mut reader = WarcReader::open(&path).unwrap();
        while let Some(record) = reader.next_record().unwrap() {
            assert!(record.offset.is_some(), "a record is no member of its own");
            let block = reader.block(usize::MAX).unwrap();
            assert_eq!(record.field("WARC-Block-Digest"), Some(tsrec_crawl::warc::digest(&block).as_str()));
            let kind = record.field("WARC-Type").unwrap().to_owned();
            let target = record.target().unwrap_or_default().to_owned();
            found.entry(kind).or_default().push((target, String::from_utf8_lossy(&block).into_owned()));
        }
    }
    found
}

#[test]
fn what_is_fetched_is_archived_and_the_archive_gives_the_same_pages() {
    let (site, dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    let [live, warc, again] = ["live", "warc", "again"].map(|name| dir.path().join(name));
    let config = dir.path().join("config.toml");
    std::fs::write(&config, "[warc]\nmax_bytes = 20000\n").unwrap();
    let (code, stderr) = run(crawl_site(&site, &live, &warc).arg("--config").arg(&config));
    assert_eq!(code, 0, "{stderr}");
    let stored = export(&live);
    let urls: BTreeSet<&str> = stored.keys().map(String::as_str).collect();
    let files = archives(&warc, ".warc.gz");
    assert!(files.len() > 1 && archives(&warc, ".open").is_empty(), "{files:?}");
    let records = records(&warc);
    assert_eq!(records["warcinfo"].len(), files.len());
    for kind in ["request", "response", "conversion", "metadata"] {
        let targets: BTreeSet<&str> = records[kind].iter().map(|(target, _)| target.as_str()).collect();
        assert_eq!(targets, urls, "{kind}");
    }
    let (target, request) = &records["request"][0];
    assert!(request.starts_with("GET /") && request.contains("user-agent: test-crawler (a test)\r\n"), "{request}");
    let response = &records["response"].iter().find(|(of, _)| of == target).unwrap().1;
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n") && response.contains("\r\n\r\n<!"), "{response}");
    let metadata = &records["metadata"].iter().find(|(of, _)| of == target).unwrap().1;
    assert!(metadata.contains(&format!("url: {target}\r\n")) && metadata.contains("\r\nwords: "), "{metadata}");
    let text = &records["conversion"].iter().find(|(of, _)| of == target).unwrap().1;
    assert_eq!(*text, stored[target].text);

    let (code, stderr) = run(tsrec(&again).args(["crawl", "--from-warc"]).args(&files));
    assert_eq!(code, 0, "{stderr}");
    let read = export(&again);
    assert_eq!(read.keys().collect::<Vec<_>>(), stored.keys().collect::<Vec<_>>());
    for (url, record) in &stored {
        assert_eq!((read[url].fetched_at, &read[url].charset), (record.fetched_at, &record.charset), "{url}");
    }
}

#[test]
fn a_killed_crawl_leaves_no_half_record_and_the_next_ends_its_file() {
    let (site, dir) = (Site::start("fixtures/demo"), tempfile::tempdir().unwrap());
    let [live, warc] = ["live", "warc"].map(|name| dir.path().join(name));
    // Slow enough that this crawl still runs when the second one is refused, even on a busy
    // machine.
    let mut crawl = crawl_site_each(&site, &live, &warc, "400ms").stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(300);
    while site.pages_asked_for() < 6 {
        assert!(Instant::now() < deadline && crawl.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    let (code, busy) = run(crawl_site(&site, &dir.path().join("other"), &warc).stderr(Stdio::piped()));
    assert!(code == 1 && busy.contains("another crawl writes its archives there"), "{busy}");
    crawl.kill().unwrap();
    crawl.wait().unwrap();
    assert_eq!(archives(&warc, ".warc.gz").len(), 0);
    assert_eq!(archives(&warc, ".open").len(), 1);
    let (code, stderr) = run(&mut crawl_site(&site, &live, &warc));
    assert_eq!(code, 0, "{stderr}");
    assert!(archives(&warc, ".open").is_empty());
    let (records, stored) = (records(&warc), export(&live));
    let archived: BTreeSet<&String> = records["response"].iter().map(|(target, _)| target).collect();
    // If the process ended before it wrote a page's records, the page is stored all the same.
    let missing: Vec<_> = stored.keys().filter(|url| !archived.contains(url)).collect();
    assert!(missing.len() <= 2, "{missing:?}");
}

/// A way to damage the second of four records.
type RecordDamage = (&'static str, fn(&mut Vec<u8>));

fn replace(bytes: &mut Vec<u8>, from: &str, to: &str) {
    let text = String::from_utf8(std::mem::take(bytes)).unwrap();
    assert!(text.contains(from), "{text}");
    *bytes = text.replacen(from, to, 1).into_bytes();
}

const RECORD_DAMAGES: [RecordDamage; 12] = [
    ("a length that is too short", |record| replace(record, "Content-Length: ", "Content-Length: 1\r\nX: ")),
    ("a length of nothing", |record| replace(record, "Content-Length: ", "Content-Length: 0\r\nX: ")),
    ("a length that is too long", |record| replace(record, "Content-Length: ", "Content-Length: 3300\r\nX: ")),
    ("a length past the file", |record| replace(record, "Content-Length: ", "Content-Length: 99999999\r\nX: ")),
    ("a length that is no number", |record| replace(record, "Content-Length: ", "Content-Length: x")),
    ("no length", |record| replace(record, "Content-Length: ", "Content-Size: ")),
    ("a line without a colon", |record| replace(record, "WARC-Date:", "no field\r\nWARC-Date:")),
    ("no version", |record| replace(record, "WARC/1.1", "XXXX/1.1")),
    ("half a record", |record| record.truncate(record.len() / 2)),
    ("half a header", |record| record.truncate(60)),
    ("garbage", |record| *record = b"<p>no record</p>".repeat(20)),
    ("nothing but a version", |record| *record = b"WARC/1.1\r\n\r\n".to_vec()),
];

fn plain_record(n: usize) -> Vec<u8> {
    let words: String =
        (0..60).map(|at| format!("<p>{} boats left at {} o'clock.</p>", n * 97 + at, at * 31)).collect();
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Page {n}</title>{words}");
    let record = NewRecord {
        target: Some(["http://a.example/0", "http://a.example/1", "http://a.example/2", "http://a.example/3"][n]),
        content_type: "application/http;msgtype=response",
        block: block.into_bytes().into(),
        ..NewRecord::new("response", DATE.parse().unwrap())
    };
    let mut writer = WarcWriter::new(Vec::new(), Packing::Gzip);
    writer.write(&record).unwrap();
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&writer.into_inner()[..]).read_to_end(&mut plain).unwrap();
    plain
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_damaged_record_costs_itself() {
    let dir = tempfile::tempdir().unwrap();
    let mut number = 0;
    let mut check = |what: String, archive: Vec<u8>| {
        number += 1;
        let file = dir.path().join(format!("{number}.warc.gz"));
        std::fs::write(&file, archive).unwrap();
        let output = tsrec(dir.path()).args(["extract", "--batch"]).arg(&file).output().unwrap();
        let rows = String::from_utf8(output.stdout).unwrap();
        for n in [0, 2, 3] {
            assert!(rows.contains(&format!("\"title\":\"Page {n}\"")), "{what}: page {n} is lost: {rows}");
        }
        assert!(!rows.contains("\"title\":\"Page 1\""), "{what}: {rows}");
        let data_dir = dir.path().join(format!("data{number}"));
        let (code, stderr) = run(tsrec(&data_dir).args(["crawl", "--from-warc"]).arg(&file));
        assert_eq!((code, export(&data_dir).len()), (0, 3), "{what}: {stderr}");
    };
    for (what, damage) in RECORD_DAMAGES {
        let mut records: Vec<Vec<u8>> = (0..4).map(plain_record).collect();
        damage(&mut records[1]);
        check(format!("{what}, plain"), records.concat());
        check(format!("{what}, gzip"), records.iter().flat_map(|record| gzip(record)).collect());
        let zstd = |record: &Vec<u8>| zstd::encode_all(record.as_slice(), 3).unwrap();
        check(format!("{what}, zstd"), records.iter().flat_map(zstd).collect());
    }
    let members: Vec<Vec<u8>> = (0..4).map(|n| gzip(&plain_record(n))).collect();
    for (what, damage) in [
        ("a flipped bit", (|member| member[120] ^= 4) as fn(&mut Vec<u8>)),
        ("a damaged head", |member| member[0] = 0),
        ("a damaged checksum", |member| {
            let at = member.len() - 6;
            member[at] ^= 1
        }),
        ("half a member", |member| member.truncate(member.len() / 2)),
        ("zeros", |member| member.fill(0)),
        ("no end", |member| member.truncate(member.len() - 8)),
    ] {
        let mut members = members.clone();
        damage(&mut members[1]);
        check(format!("{what} in a member"), members.concat());
    }
}
