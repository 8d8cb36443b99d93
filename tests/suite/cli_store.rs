//! The commands that read the store, as a user runs them: on a directory, and through the daemon
//! that owns it.
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tsrec_core::metadata::Metadata;
use tsrec_server::http::address;
use tsrec_store::{Database, DeletionReason, NewPage, OfTemplate, PageRecord, Store};

use crate::support::serving;

use serving::{Serving, open, page};

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.args(args).env("TSREC_DATA_DIR", dir).env_remove("TSREC_LOG");
    command
}

/// Exit code, standard output, standard error.
fn run(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command(dir, args).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Pages of two hosts, one of them changed, one deleted.
fn fill(store: &Store, database: &Database) {
    for n in 0..120 {
        store.put(&page(&format!("http://a.example/{n:03}"), &format!("page {n}\nand more"))).unwrap();
    }
    store.put(&page("http://b.example/?q=1&r#f", "first")).unwrap();
    store.put(&page("http://[::1]/", "six")).unwrap();
    store.put(&page("http://b.example/?q=1&r#f", "second \u{fffd} \u{1f600}")).unwrap();
    store.delete("http://a.example/007", DeletionReason::Gone, "2026-11-21T00:00:05Z".parse().unwrap()).unwrap();
    database.durable().unwrap();
}

#[test]
fn the_commands_print_the_same_with_and_without_a_daemon() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    fill(&store, &database);
    let cursor = store.changes(None, 100).unwrap().next.to_string();
    let elsewhere = format!("{}:1", "0123456789abcdef");
    let future = format!("{}:999", cursor.split(':').next().unwrap());
    let commands: &[(&[&str], i32)] = &[
        (&["get", "http://a.example/001"], 0),
        (&["get", "http://b.example/?q=1&r#f"], 0),
        (&["get", "http://b.example/?q=1&r#f", "--format", "json"], 0),
        (&["get", "http://a.example/007"], 3),
        (&["get", "mailto:a@b"], 1),
        (&["get", "nowhere"], 2),
        (&["list"], 0),
        (&["list", "--json"], 0),
        (&["list", "--host", "A.example"], 0),
        (&["list", "--host", "[::1]"], 0),
        (&["list", "--host", "c.example"], 0),
        (&["list", "--host", "a b"], 2),
        (&["changes"], 0),
        (&["changes", "--limit", "7"], 0),
        (&["changes", "--since", &cursor], 0),
        (&["changes", "--since", &elsewhere], 1),
        (&["changes", "--since", &future], 1),
        (&["changes", "--since", "then"], 2),
        (&["changes", "--limit", "0"], 2),
        (&["export"], 0),
        (&["export", "--host", "A.example"], 0),
        (&["export", "--host", "b.example"], 0),
        (&["export", "--host", "c.example"], 0),
    ];

    let daemon = Serving::start(&store, Default::default());
    let published = address::publish(dir.path(), daemon.address, None).unwrap();
    let over_http: Vec<_> = commands.iter().map(|(args, _)| run(dir.path(), args)).collect();
    drop(published);
    drop(daemon);
    drop((database, store));
    for ((args, code), expect) in commands.iter().zip(over_http) {
        let found = run(dir.path(), args);
        assert_eq!(found.0, *code, "{args:?}: {}", found.2);
        assert_eq!(found, expect, "{args:?}");
    }
}

#[test]
fn what_is_printed_is_what_the_store_has() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    fill(&store, &database);
    let record = store.get("http://b.example/?q=1&r#f").unwrap().unwrap();
    let feed = store.changes(None, 1000).unwrap();
    let in_feed_order: Vec<_> = feed.changes.iter().filter_map(|change| store.get(&change.url).unwrap()).collect();
    let cursors = [feed.next, store.changes(None, 7).unwrap().next];
    drop((database, store));

    let (_, text, _) = run(dir.path(), &["get", &record.url]);
    assert_eq!(text, format!("{}\n", record.text));
    let (_, json, _) = run(dir.path(), &["get", &record.url, "--format", "json"]);
    assert_eq!(serde_json::from_str::<PageRecord>(&json).unwrap(), record);
    let (_, _, absent) = run(dir.path(), &["get", "http://a.example/007"]);
    assert_eq!(absent, "tsrec: http://a.example/007 is not in the store\n");

    let (_, rows, _) = run(dir.path(), &["list", "--host", "b.example"]);
    assert_eq!(
        rows.split_whitespace().collect::<Vec<_>>(),
        ["template", "0.44", "article", "3", "http://b.example/?q=1&r#f"]
    );
    let (_, rows, _) = run(dir.path(), &["list"]);
    assert_eq!(rows.lines().count(), 121);

    for (args, count, cursor) in [(vec!["changes"], 122, cursors[0]), (vec!["changes", "--limit", "7"], 7, cursors[1])]
    {
        let (_, rows, stderr) = run(dir.path(), &args);
        assert_eq!(rows.lines().count(), count, "{args:?}");
        assert_eq!(stderr, format!("{cursor}\n"), "{args:?}");
        for (row, change) in rows.lines().zip(&feed.changes) {
            assert_eq!(serde_json::from_str::<Value>(row).unwrap(), serde_json::to_value(change).unwrap());
        }
    }

    let (_, rows, _) = run(dir.path(), &["export"]);
    let exported: Vec<PageRecord> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(exported, in_feed_order);
}

/// Records with every field set, and records with every optional field empty.
fn fill_for_export(store: &Store, database: &Database) {
    let full = page("https://a.example/", "Title\n\nOne two");
    let metadata = Metadata {
        title: Some("A \"title\"".into()),
        authors: vec!["Ann Orr".into(), "Ben Ley".into()],
        tags: vec!["ferry".into()],
        ..full.metadata.clone()
    };
    let template = Some(OfTemplate { number: 1, pages: 7, replaces: None });
    let html = Some("<h2>Title</h2>\n<p>One <em>two</em> <a href=\"https://b.example/\">link</a></p>".to_owned());
    let sure = NewPage { metadata, template, html, confidence: 0.9, ..full };
    let old = NewPage {
        html: None,
        kind: None,
        metadata: Metadata::default(),
        ..page("http://b.example/x?y=1", "one\n\ntwo # three")
    };
    let forum = NewPage { kind: Some("forum".into()), ..page("https://a.example/forum/1", "a post") };
    for page in [sure, old, forum] {
        store.put(&page).unwrap();
    }
    database.durable().unwrap();
}

#[test]
fn an_export_is_of_what_was_asked_for_in_its_packing() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    fill_for_export(&store, &database);
    let cursor = store.changes(None, 1).unwrap().next.to_string();
    drop((database, store));
    let urls = |args: &[&str]| -> Vec<String> {
        let (code, rows, stderr) = run(dir.path(), &[&["export"], args].concat());
        assert_eq!((code, stderr.lines().count()), (0, 1), "{stderr}");
        rows.lines().map(|row| serde_json::from_str::<PageRecord>(row).unwrap().page.url).collect()
    };
    let all = ["https://a.example/", "http://b.example/x?y=1", "https://a.example/forum/1"];
    assert_eq!(urls(&[]), all);
    assert_eq!(urls(&["--since", &cursor]), all[1..]);
    assert_eq!(urls(&["--host", "A.example"]), [all[0], all[2]]);
    assert_eq!(urls(&["--host", "A.example", "--since", &cursor]), all[2..]);
    assert_eq!(urls(&["--host", "c.example"]), [""; 0]);
    let cursor_of = |args: &[&str]| run(dir.path(), &[&["export"], args].concat()).2;
    assert_eq!(cursor_of(&["--host", "A.example"]), cursor_of(&[]), "the feed goes on where it does for all");
    assert_eq!(urls(&["--kind", "forum,article", "--min-confidence", "0.5"]), [all[0]]);
    assert_eq!(urls(&["--min-confidence", "1"]), [""; 0]);
    for (args, part) in [
        (&["--kind", "form"][..], "a similar value exists: 'forum'"),
        (&["--format", "parket"], "a similar value exists: 'parquet'"),
        (&["--min-confidence", "1.5"], "a number from 0 to 1"),
    ] {
        let (code, _, stderr) = run(dir.path(), &[&["export"], args].concat());
        assert!(code == 2 && stderr.contains(part), "{stderr}");
    }
    let (code, _, stderr) = run(dir.path(), &["export", "--format", "markdown-dir"]);
    assert!(code == 2 && stderr.contains("--out"), "{stderr}");
    let (code, _, stderr) = run(dir.path(), &["export", "--out", &dir.path().display().to_string()]);
    assert!(code == 1 && stderr.contains("is a folder"), "{stderr}");

    let (_, plain, _) = run(dir.path(), &["export"]);
    let out = dir.path().join("out");
    for packing in ["gzip", "zstd"] {
        let (code, _, stderr) =
            run(dir.path(), &["export", "--compress", packing, "--out", &out.display().to_string()]);
        assert_eq!(code, 0, "{stderr}");
        let packed = std::fs::File::open(&out).unwrap();
        let mut text = String::new();
        match packing {
            "gzip" => flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap(),
            _ => zstd::stream::read::Decoder::new(packed).unwrap().read_to_string(&mut text).unwrap(),
        };
        assert_eq!(text, plain, "{packing}");
    }
}

/// A Parquet value as JSON; times stay as they are.
fn json_of(field: parquet::record::Field) -> Value {
    use parquet::record::Field;
    match field {
        Field::Null => Value::Null,
        Field::Str(text) => text.into(),
        Field::Bytes(bytes) => String::from_utf8(bytes.data().to_vec()).unwrap().into(),
        Field::Int(number) => number.into(),
        Field::Long(number) => number.into(),
        Field::Double(number) => number.into(),
        Field::TimestampMicros(time) => time.into(),
        Field::ListInternal(list) => list.elements().iter().cloned().map(json_of).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn parquet_has_what_the_records_have() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    fill_for_export(&store, &database);
    drop((database, store));
    let (_, rows, _) = run(dir.path(), &["export"]);
    let records: Vec<PageRecord> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let file = dir.path().join("pages.parquet");
    for packing in [&[][..], &["--compress", "gzip"]] {
        let args = ["export", "--format", "parquet", "--out", file.to_str().unwrap()];
        let (code, _, stderr) = run(dir.path(), &[&args, packing].concat());
        assert_eq!(code, 0, "{stderr}");
        let reader = SerializedFileReader::new(std::fs::File::open(&file).unwrap()).unwrap();
        let rows: Vec<Value> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().into_columns().into_iter().map(|(name, field)| (name, json_of(field))).collect())
            .collect();
        assert_eq!(rows.len(), records.len());
        for (row, record) in rows.iter().zip(&records) {
            let known = serde_json::to_value(record).unwrap();
            for (name, value) in row.as_object().unwrap() {
                let expect = match name.as_str() {
                    "template_number" => &known["template"]["number"],
                    "template_pages" => &known["template"]["pages"],
                    "template_replaces" => &known["template"]["replaces"],
                    name => &known[name],
                };
                match name.as_str() {
                    "gates" | "labels" => {
                        assert_eq!(serde_json::from_str::<Value>(value.as_str().unwrap()).unwrap(), *expect)
                    }
                    "fetched_at" | "changed_at" => {
                        let time: jiff::Timestamp = expect.as_str().unwrap().parse().unwrap();
                        assert_eq!(*value, time.as_microsecond());
                    }
                    _ => assert_eq!(value, expect, "{name}"),
                }
            }
            let missing: Vec<&String> = known
                .as_object()
                .unwrap()
                .keys()
                .filter(|name| row.get(name.as_str()).is_none() && *name != "template")
                .collect();
            assert!(missing.is_empty(), "{missing:?}");
        }
    }
}

#[test]
fn an_exported_archive_is_read_by_our_own_reader() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    fill_for_export(&store, &database);
    let record = store.get("https://a.example/").unwrap().unwrap();
    drop((database, store));
    for packing in ["gzip", "zstd"] {
        let file = dir.path().join(packing);
        let args = ["export", "--format", "warc", "--compress", packing, "--out", file.to_str().unwrap()];
        let (code, _, stderr) = run(dir.path(), &args);
        assert_eq!(code, 0, "{stderr}");
        let mut reader = tsrec_crawl::warc::WarcReader::open(&file).unwrap();
        let mut records = Vec::new();
        while let Some(record) = reader.next_record().unwrap() {
            let block = String::from_utf8(reader.block(usize::MAX).unwrap()).unwrap();
            records.push((record, block));
        }
        let kinds: Vec<_> = records.iter().map(|(record, _)| record.field("WARC-Type").unwrap()).collect();
        assert_eq!(kinds, ["warcinfo", "conversion", "metadata", "conversion", "metadata", "conversion", "metadata"]);
        let [_, (text, block), (about, fields), ..] = &records[..] else { panic!() };
        assert_eq!((text.target(), block), (Some("https://a.example/"), &record.text));
        assert_eq!(about.field("WARC-Refers-To"), text.field("WARC-Record-ID"));
        assert_eq!(about.field("Content-Type"), Some("application/warc-fields"), "not taken for the page by others");
        let fields: Vec<_> = fields.lines().filter_map(|line| line.split_once(": ")).collect();
        assert!(
            fields.contains(&("authors", "Ben Ley")) && !fields.iter().any(|(name, _)| *name == "text"),
            "{fields:?}"
        );
    }
}

#[test]
fn a_folder_of_markdown_is_brought_up_to_date() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    fill_for_export(&store, &database);
    let folder = dir.path().join("pages");
    let export = |more: &[&str]| {
        let args = ["export", "--format", "markdown-dir", "--out", folder.to_str().unwrap()];
        let (code, _, stderr) = run(dir.path(), &[&args, more].concat());
        assert_eq!(code, 0, "{stderr}");
        stderr.trim().to_owned()
    };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    drop((database, store));
    let cursor = export(&[]);
    assert_eq!(
        read("a.example/index.md").unwrap(),
        "---\ntitle: \"A \\\"title\\\"\"\nauthors: [\"Ann Orr\",\"Ben Ley\"]\nurl: \"https://a.example/\"\ntags: [\"ferry\"]\nkind: \"article\"\nconfidence: 0.9\n---\n\n\
         ## Title\n\nOne *two* [link](https://b.example/)\n"
    );
    assert!(read("http%3A%2F%2Fb.example/x%3Fy%3D1.md").unwrap().ends_with("---\n\none\n\ntwo # three\n"));
    assert!(read("a.example/forum/1.md").is_some());
    let (database, store) = open(dir.path());
    store.delete("https://a.example/forum/1", DeletionReason::Gone, "2026-11-21T00:00:05Z".parse().unwrap()).unwrap();
    store.put(&page("https://a.example/", "other")).unwrap();
    database.durable().unwrap();
    drop((database, store));
    export(&["--since", &cursor]);
    assert!(read("a.example/forum/1.md").is_none() && read("a.example/index.md").unwrap().ends_with("\n\nother\n"));
    export(&["--since", &cursor, "--min-confidence", "0.99"]);
    assert_eq!(read("a.example/index.md"), None);
    let index = read("index.jsonl").unwrap();
    assert_eq!(index.lines().count(), 1, "{index}");
    assert!(
        index.contains("{\"file\":\"http%3A%2F%2Fb.example/x%3Fy%3D1.md\",\"url\":\"http://b.example/x?y=1\"}"),
        "{index}"
    );
}

#[test]
fn a_record_is_printed_in_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    fill_for_export(&store, &database);
    drop((database, store));
    for (args, expect) in [
        (&["--format", "markdown"][..], "## Title\n\nOne *two* [link](https://b.example/)\n"),
        (&["--format", "markdown", "--links", "off"], "## Title\n\nOne *two* link\n"),
        (&["--format", "html", "--links", "off"], "<h2>Title</h2>\n<p>One <em>two</em> <a>link</a></p>\n"),
        (&["--format", "html"], "<h2>Title</h2>\n<p>One <em>two</em> <a href=\"https://b.example/\">link</a></p>\n"),
        (&[], "Title\n\nOne two\n"),
    ] {
        let (code, text, stderr) = run(dir.path(), &[&["get", "https://a.example/"], args].concat());
        assert_eq!((code, text.as_str()), (0, expect), "{args:?}: {stderr}");
    }
    let (_, tei, _) = run(dir.path(), &["get", "https://a.example/", "--format", "tei"]);
    assert!(tei.contains("<author>Ann Orr</author>") && tei.contains("Title</head>"), "{tei}");
    let (code, _, stderr) = run(dir.path(), &["get", "https://a.example/", "--links", "off"]);
    assert!(code == 2 && stderr.contains("--links and --images are for"), "{stderr}");
}

#[test]
fn an_export_is_whole_while_changes_are_not_durable_yet() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    for n in 0..250 {
        store.put(&page(&format!("http://a/{n:03}"), "first")).unwrap();
    }
    database.durable().unwrap();
    store.put(&page("http://a/101", "second")).unwrap();
    let daemon = Serving::start(&store, Default::default());
    let _published = address::publish(dir.path(), daemon.address, None).unwrap();
    let (code, rows, stderr) = run(dir.path(), &["export"]);
    assert_eq!((code, rows.lines().count()), (0, 250), "{stderr}");
}

#[test]
fn following_goes_on_while_a_daemon_runs_and_ends_with_a_word_where_none_does() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    store.put(&page("http://a/1", "one")).unwrap();
    database.durable().unwrap();
    let cursor = store.changes(None, 1).unwrap().next.to_string();
    {
        let daemon = Serving::start(&store, Default::default());
        let _published = address::publish(dir.path(), daemon.address, None).unwrap();
        let args = ["changes", "--follow", "--limit", "3"];
        let mut following = command(dir.path(), &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut rows = BufReader::new(following.stdout.take().unwrap()).lines();
        for n in 1..=3 {
            store.put(&page(&format!("http://a/{n}"), "one")).unwrap();
            database.durable().unwrap();
            let row: Value = serde_json::from_str(&rows.next().unwrap().unwrap()).unwrap();
            assert_eq!(row["url"], format!("http://a/{n}"));
        }
        assert!(rows.next().is_none());
        let done = following.wait_with_output().unwrap();
        assert!(done.status.success());
        let next = store.changes(None, 3).unwrap().next;
        assert_eq!(String::from_utf8(done.stderr).unwrap(), format!("{next}\n"));
    }
    drop((database, store));
    let (code, rows, stderr) = run(dir.path(), &["changes", "--follow", "--since", &cursor]);
    assert_eq!((code, rows.lines().count()), (0, 2));
    assert!(stderr.starts_with("tsrec: no daemon runs here, so there is nothing to follow\n"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_follower_tells_its_cursor() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    store.put(&page("http://a/1", "one")).unwrap();
    database.durable().unwrap();
    let daemon = Serving::start(&store, Default::default());
    let _published = address::publish(dir.path(), daemon.address, None).unwrap();
    let args = ["changes", "--follow"];
    let mut following = command(dir.path(), &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut row = String::new();
    BufReader::new(following.stdout.as_mut().unwrap()).read_line(&mut row).unwrap();
    let kill = Command::new("sh").args(["-c", &format!("kill -INT {}", following.id())]).status().unwrap();
    assert!(kill.success());
    let done = following.wait_with_output().unwrap();
    let next = store.changes(None, 1).unwrap().next;
    assert_eq!((done.status.code(), String::from_utf8(done.stderr).unwrap()), (Some(0), format!("{next}\n")));
}

#[test]
fn a_store_that_cannot_be_reached_is_an_error_that_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let check = |dir: &Path, part: &str| {
        let (code, stdout, stderr) = run(dir, &["list"]);
        assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
        assert!(stderr.contains(part) && stderr.contains(&dir.display().to_string()), "{stderr}");
    };
    check(dir.path(), "holds no store");
    check(&dir.path().join("absent"), "holds no store");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "a store was made by looking for one");

    let (_database, store) = open(dir.path());
    check(dir.path(), "--listen none");
    let mut daemon = Serving::start(&store, Default::default());
    let _published = address::publish(dir.path(), daemon.address, None).unwrap();
    daemon.stop();
    check(dir.path(), &format!("does not answer at {}", daemon.address));
}

#[test]
fn an_address_that_a_killed_daemon_left_is_passed_over() {
    let (dir, other_dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (database, store) = open(dir.path());
    store.put(&page("http://a/1", "one")).unwrap();
    drop((database, store));
    // Another daemon has taken the port since. The command must not take its pages for ours.
    let (_other_database, other_store) = open(other_dir.path());
    let other = Serving::start(&other_store, Default::default());
    for left in [other.address.to_string(), "127.0.0.1:1".into()] {
        std::fs::write(dir.path().join(address::FILE_NAME), format!("{left}\n")).unwrap();
        let (code, stdout, stderr) = run(dir.path(), &["get", "http://a/1"]);
        assert_eq!((code, stdout.as_str()), (0, "one\n"), "{left}: {stderr}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    for n in 0..150 {
        store.put(&page(&format!("http://a/{n}"), &"many words ".repeat(2_000))).unwrap();
    }
    drop((database, store));
    let mut export = command(dir.path(), &["export"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(export.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("{\"url\":\"http://a/0\""), "{}", &first[..40]);
    let done = export.wait_with_output().unwrap();
    assert_eq!((done.status.code(), done.stderr), (Some(0), Vec::new()));
}

#[test]
fn the_store_is_looked_after_from_the_command_line() {
    let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let backup = elsewhere.path().join("backup").display().to_string();
    let restored = elsewhere.path().join("restored");
    assert_eq!(run(dir.path(), &["store", "stats"]).0, 1, "no store is made by looking at one");
    let (database, store) = open(dir.path());
    fill(&store, &database);
    let pages = store.counts().pages;
    let (code, _, stderr) = run(dir.path(), &["store", "verify"]);
    assert_eq!(code, 0, "while a daemon runs: {stderr}");
    // No process that owns the store can give the URLs. The command copies the records and says
    // that the URLs are missing.
    let (code, _, stderr) = run(dir.path(), &["store", "backup", &backup]);
    assert!(code == 1 && stderr.contains("and not the frontier"), "{stderr}");
    let (code, _, stderr) = run(dir.path(), &["store", "backup", &backup]);
    assert!(code == 1 && stderr.contains("there is a backup already"), "{stderr}");
    let (code, _, stderr) = run(dir.path(), &["store", "compact"]);
    assert!(code == 1 && stderr.contains("in use"), "{stderr}");
    drop((database, store));
    for command in ["verify", "repair", "stats", "compact"] {
        let (code, stdout, stderr) = run(dir.path(), &["store", command]);
        assert_eq!(code, 0, "{command}: {stderr}");
        assert!(serde_json::from_str::<Value>(&stdout).unwrap().is_object(), "{stdout}");
    }
    let copied: Vec<_> = std::fs::read_dir(&backup).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        copied.len() == 2 && copied.contains(&"records".into()) && copied.contains(&"manifest.json".into()),
        "{copied:?}"
    );
    let (code, stdout, stderr) = run(&restored, &["store", "restore", &backup]);
    let stats: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, stats["counts"]["pages"].as_u64()), (0, Some(pages)), "{stderr}");
    assert_eq!(run(dir.path(), &["list"]).1, run(&restored, &["list"]).1);

    // Flip a bit in a live record: the check finds it, repairs the store and reports the loss.
    let segment = std::fs::read_dir(dir.path().join("records")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&segment, bytes).unwrap();
    assert_eq!(run(dir.path(), &["store", "verify"]).0, 4);
    let (code, stdout, _) = run(dir.path(), &["store", "repair"]);
    let recovery: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (code, recovery["lost_pages"].as_u64(), recovery["new_epoch"].as_bool()),
        (4, Some(1), Some(true)),
        "{stdout}"
    );
    assert_eq!(run(dir.path(), &["store", "stats"]).0, 4, "nobody has acknowledged the loss");
    assert_eq!(run(dir.path(), &["store", "acknowledge"]).0, 0);
    assert_eq!(run(dir.path(), &["store", "stats"]).0, 0, "what is mended is sound");
}
