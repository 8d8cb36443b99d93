//! Loss is never silent: whichever file of a store is damaged or gone, the command that reads it
//! next says what is lost, exits with 4, and `store stats` lists the loss until somebody
//! acknowledges it.
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tsrec_core::template::{EVIDENCE, Memory, SeenBlock};
use tsrec_crawl::frontier::{Ack, Config, Discovered, Embedded, Frontier};
use tsrec_crawl::memories::{Learning, SiteMemories};
use tsrec_store::{Database, DeletionReason, SpaceBatch};

use crate::support::damage::{Random, copy_all, hold};
use crate::support::serving::{open, page};

/// Exit code, standard output, standard error.
fn run(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    let Output { status, stdout, stderr } =
        command.args(args).env("TSREC_DATA_DIR", dir).env_remove("TSREC_LOG").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// The commands that list what a store holds.
const LISTINGS: [&[&str]; 6] = [
    &["list", "--json"],
    &["changes"],
    &["export"],
    &["frontier", "list", "--json"],
    &["frontier", "sections", "--json"],
    &["template", "list", "--host", "a.example", "--json"],
];

/// What all listings print.
fn listings(dir: &Path) -> Vec<String> {
    // The time of the last use of a template is that of its pages, so it does not change.
    LISTINGS.iter().map(|args| run(dir, args).1).collect()
}

fn remembered(n: u64) -> Memory {
    Memory::of_page((0..10).map(|place| SeenBlock {
        place,
        text: n << 40 | place << 33,
        words: 10,
        odds: 1.0,
        evidence: [0.0; EVIDENCE],
    }))
}

fn text(n: u64) -> String {
    let mut random = Random(n);
    (0..random.below(200) + 20).map(|_| format!("{:x} ", random.next())).collect()
}

/// A store with all that one can hold: records, deletions, a site's memory, held siblings, and a
/// frontier.
fn filled() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    let memories = SiteMemories::over(&store, Default::default());
    let frontier = Embedded::new(&database, &Config::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for n in 0..60u64 {
        let url = format!("http://{}.example/{n}", if n % 3 == 0 { "b" } else { "a" });
        let memory = remembered(n);
        memories.learn(page(&url, &text(n)), &Learning::new(&memory)).unwrap();
        hold(&store, &url, &text(n + 1_000));
        if n % 10 == 9 {
            store.delete(&url, DeletionReason::Gone, "2026-11-21T00:00:05Z".parse().unwrap()).unwrap();
        }
        let found = Discovered::page(url.parse().unwrap(), 1, Some("http://a.example/".parse().unwrap()));
        runtime.block_on(frontier.put_discovered(&[found])).unwrap();
        if n % 8 == 7 {
            database.durable().unwrap();
        }
    }
    runtime.block_on(async {
        for lease in frontier.get_urls(20).await.unwrap() {
            let ack = Ack::Ok { refetchable_from: "2027-01-01T00:00:00Z".parse().unwrap() };
            frontier.ack(lease.url.as_str(), ack, "stored").await.unwrap();
        }
    });
    database.durable().unwrap();
    drop((frontier, memories, store));
    dir
}

fn copy_of(dir: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    copy_all(dir, copy.path());
    copy
}

fn files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&entry.path()).into_iter().map(|below| format!("{name}/{below}"))),
            false if entry.metadata().unwrap().len() > 0 => found.push(name),
            false => {}
        }
    }
    found.sort();
    found
}

fn remove(path: &Path) {
    if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
}

/// Each command that reads a store, on a store of which a part was removed.
#[test]
fn every_command_that_reads_a_store_says_what_is_lost() {
    let store = filled();
    let whole = run(store.path(), &["list"]);
    assert_eq!((whole.0, whole.1.lines().count(), whole.2.as_str()), (0, 54, ""));
    let out = tempfile::tempdir().unwrap();
    let backup = out.path().join("backup").display().to_string();
    let commands: &[(&[&str], &[&str])] = &[
        (&["list"], &["records", "bodies", "index"]),
        (&["get", "http://a.example/1"], &["records"]),
        (&["get", "http://a.example/1", "--format", "json"], &["index"]),
        (&["changes"], &["records", "records/00000001"]),
        (&["export"], &["records"]),
        (&["export", "--host", "a.example"], &["records"]),
        (&["why", "http://a.example/1"], &["records", "index"]),
        (&["frontier", "list"], &["index"]),
        (&["frontier", "sections"], &["index"]),
        (&["frontier", "pause", "a.example"], &["records"]),
        (&["template", "list", "--host", "a.example"], &["records"]),
        (&["store", "stats"], &["records"]),
        (&["store", "repair"], &["records"]),
        (&["store", "compact"], &["records"]),
        (&["store", "backup", &backup], &["records"]),
    ];
    for (args, gone) in commands {
        for gone in *gone {
            let dir = copy_of(store.path());
            remove(&dir.path().join(gone));
            let (code, _, stderr) = run(dir.path(), args);
            assert_eq!(code, 4, "{args:?} without {gone}: {stderr}");
            assert!(stderr.contains("is lost") || args[1] == "compact", "{args:?} without {gone}: {stderr}");
        }
    }
}

/// Damages an entry of each space of the frontier that a command reads, in the journal too.
#[test]
fn a_frontier_that_is_mended_is_told_once() {
    let store = filled();
    for (space, args) in [
        ("urls", &["frontier", "list"][..]),
        ("urls", &["why", "http://a.example/1"]),
        ("queues", &["frontier", "list"]),
        ("queues", &["frontier", "sections"]),
    ] {
        let dir = copy_of(store.path());
        {
            let database = Database::open(dir.path(), &tsrec_store::Config::default()).unwrap();
            let frontier = Embedded::new(&database, &Default::default()).unwrap();
            let found = Discovered::page("http://a.example/1".parse().unwrap(), 0, None);
            tokio::runtime::Runtime::new().unwrap().block_on(frontier.put_discovered(&[found])).unwrap();
            drop(frontier);
            let space = database.space(space).unwrap();
            let (key, _) = space.iter().next().unwrap().unwrap();
            let mut damage = SpaceBatch::default();
            damage.insert(key, [0xFF; 40]);
            database.write(&[(&space, &damage)]).unwrap();
            database.durable().unwrap();
        }
        let (code, _, stderr) = run(dir.path(), args);
        assert_eq!((code, stderr.contains("mended")), (4, true), "{space} {args:?}: {stderr}");
        let (code, _, stderr) = run(dir.path(), args);
        assert_eq!((code, stderr.as_str()), (0, ""), "{space} {args:?}: it is mended");
    }
}

#[test]
fn a_loss_is_listed_until_somebody_acknowledges_it() {
    let store = filled();
    let dir = copy_of(store.path());
    let (code, stdout, _) = run(dir.path(), &["store", "stats"]);
    let stats: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &stats["losses"], &stats["counts"]["losses"]), (0, &serde_json::json!([]), &0.into()));
    remove(&dir.path().join("records"));
    assert_eq!(run(dir.path(), &["list"]).0, 4);
    let (code, stdout, stderr) = run(dir.path(), &["list"]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", ""), "this opening finds nothing more");
    for _ in 0..2 {
        let (code, stdout, _) = run(dir.path(), &["store", "stats"]);
        let stats: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((code, stats["losses"][0]["lost_pages"].as_u64()), (4, Some(54)), "{stdout}");
        assert_eq!(stats["counts"]["losses"], 1);
    }
    let (code, stdout, _) = run(dir.path(), &["store", "acknowledge"]);
    let losses: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, losses[0]["lost_pages"].as_u64()), (0, Some(54)), "{stdout}");
    assert_eq!(run(dir.path(), &["store", "stats"]).0, 0);
    assert_eq!(run(dir.path(), &["store", "acknowledge"]).1.trim(), "[]");
}

/// Flips a bit in each kind of file in turn. If a command says nothing, then all listings are as
/// before.
#[test]
fn no_flipped_bit_takes_anything_in_silence() {
    let tries: u64 = std::env::var("TSREC_FLIPS").ok().map_or(40, |tries| tries.parse().unwrap());
    let store = filled();
    let before = listings(copy_of(store.path()).path());
    assert!(before.iter().all(|listed| !listed.is_empty()), "{before:?}");
    let files = files(store.path());
    let mut random = Random(7);
    let (mut said, mut silent) = (0, 0);
    for n in 0..tries {
        let dir = copy_of(store.path());
        let name = &files[n as usize % files.len()];
        let path = dir.path().join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        // The end of sled's log is empty.
        let len = bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0) as u64 + 1;
        let at = random.below(len) as usize;
        bytes[at] ^= 1 << random.below(8);
        std::fs::write(&path, bytes).unwrap();
        let first = LISTINGS[n as usize % LISTINGS.len()];
        let (code, stdout, stderr) = run(dir.path(), first);
        let what = format!("{name} flipped at {at}, then {first:?}: {code} {stderr}");
        assert!(matches!(code, 0 | 4), "{what}");
        assert_eq!(code == 4, stderr.contains("is lost"), "{what}");
        if code == 4 {
            said += 1;
            assert_eq!(run(dir.path(), &["store", "stats"]).0, 4, "{what}");
        } else {
            silent += 1;
            assert!(stdout == before[n as usize % LISTINGS.len()], "{what}");
            assert!(listings(dir.path()) == before, "{what}: something is lost in silence");
        }
    }
    std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{said} said, {silent} lost nothing\n")).unwrap();
    assert!(said > 0 && silent > 0, "{said} {silent}");
}

/// A way to damage a backup.
type Damage = (&'static str, fn(&Path));

fn change(path: &Path, with: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).unwrap();
    with(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

fn middle(bytes: &mut [u8]) {
    let at = bytes.len() / 2;
    bytes[at] ^= 0x10;
}

const DAMAGES: [Damage; 20] = [
    ("no manifest", |dir| remove(&dir.join("manifest.json"))),
    ("an empty manifest", |dir| std::fs::write(dir.join("manifest.json"), "").unwrap()),
    ("half a manifest", |dir| change(&dir.join("manifest.json"), |bytes| bytes.truncate(bytes.len() / 2))),
    ("a flipped bit in the manifest", |dir| change(&dir.join("manifest.json"), |bytes| middle(bytes))),
    ("a manifest with another count", |dir| {
        let text = std::fs::read_to_string(dir.join("manifest.json")).unwrap();
        std::fs::write(dir.join("manifest.json"), text.replace("\"records\": 54", "\"records\": 12")).unwrap();
    }),
    ("no records", |dir| remove(&dir.join("records"))),
    ("no segment", |dir| remove(&dir.join("records/00000001"))),
    ("an empty segment", |dir| std::fs::write(dir.join("records/00000001"), "").unwrap()),
    ("a cut segment", |dir| change(&dir.join("records/00000001"), |bytes| bytes.truncate(bytes.len() * 2 / 3))),
    ("a segment without its last byte", |dir| {
        change(&dir.join("records/00000001"), |bytes| bytes.truncate(bytes.len() - 1))
    }),
    ("a longer segment", |dir| change(&dir.join("records/00000001"), |bytes| bytes.push(0))),
    ("a flipped bit in a segment", |dir| change(&dir.join("records/00000001"), |bytes| middle(bytes))),
    ("zeros in a segment", |dir| change(&dir.join("records/00000001"), |bytes| bytes[4_000..6_000].fill(0))),
    ("a segment twice", |dir| {
        std::fs::copy(dir.join("records/00000001"), dir.join("records/00000002")).unwrap();
    }),
    ("a segment by another name", |dir| {
        std::fs::rename(dir.join("records/00000001"), dir.join("records/00000009")).unwrap();
    }),
    ("no URLs", |dir| remove(&dir.join("frontier.jsonl"))),
    ("fewer URLs", |dir| change(&dir.join("frontier.jsonl"), |bytes| bytes.truncate(bytes.len() / 2))),
    ("a flipped bit in the URLs", |dir| change(&dir.join("frontier.jsonl"), |bytes| middle(bytes))),
    ("no hosts", |dir| remove(&dir.join("hosts.jsonl"))),
    ("a flipped bit in the hosts", |dir| change(&dir.join("hosts.jsonl"), |bytes| middle(bytes))),
];

#[test]
fn a_damaged_backup_is_not_restored_in_silence() {
    let store = filled();
    let (elsewhere, before) = (tempfile::tempdir().unwrap(), listings(copy_of(store.path()).path()));
    let backup = elsewhere.path().join("backup");
    let (code, _, stderr) = run(store.path(), &["store", "backup", backup.to_str().unwrap()]);
    assert!(code == 0 && stderr.contains("54 records, 60 URLs and 2 hosts copied"), "{stderr}");
    let manifest: Value = serde_json::from_slice(&std::fs::read(backup.join("manifest.json")).unwrap()).unwrap();
    assert_eq!((&manifest["contents"]["records"], &manifest["contents"]["urls"]), (&54.into(), &60.into()));

    let verify = |dir: &Path| run(dir, &["store", "verify"]).0;
    assert_eq!((verify(&backup), run(store.path(), &["store", "verify", backup.to_str().unwrap()]).0), (0, 0));
    let restored = elsewhere.path().join("restored");
    let (code, _, stderr) = run(&restored, &["store", "restore", backup.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(run(&restored, &["store", "stats"]).0, 0, "a restored store has lost nothing");
    // Sections are counted anew.
    for (at, (now, before)) in listings(&restored).iter().zip(&before).enumerate().filter(|(at, _)| *at != 4) {
        assert_eq!(now, before, "{:?}", LISTINGS[at]);
    }

    for (what, damage) in DAMAGES {
        let copy = copy_of(&backup);
        damage(copy.path());
        let from = copy.path().to_str().unwrap();
        assert_eq!(run(store.path(), &["store", "verify", from]).0, 4, "{what}");
        let to = elsewhere.path().join(what.replace(' ', "-"));
        let (code, _, stderr) = run(&to, &["store", "restore", from]);
        assert!(code == 1 && stderr.contains("--accept-loss"), "{what}: {code} {stderr}");
        assert!(!to.exists(), "{what}: nothing is made");
        let (code, _, stderr) = run(&to, &["store", "restore", from, "--accept-loss"]);
        assert!(code == 4 && stderr.contains("tsrec: restored "), "{what}: {code} {stderr}");
        let pages = run(&to, &["list"]).1.lines().count();
        let says = [format!("restored {pages} of 54 records"), format!("restored {pages} record")];
        assert!(says.iter().any(|says| stderr.contains(says)), "{what}: {pages} pages: {stderr}");
    }
}

/// A store whose journal has several segments: an opening reads only the last one.
fn with_segments(pages: u64) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    for n in 0..pages {
        let url = format!("http://{}.example/{n}", if n % 3 == 0 { "b" } else { "a" });
        let text: String = (0..900).map(|word| text(n * 1_000 + word).chars().take(12).collect::<String>()).collect();
        store.put(&page(&url, &text)).unwrap();
        if n % 20 == 19 {
            database.durable().unwrap();
        }
    }
    database.durable().unwrap();
    store.put(&page("http://a.example/last", "last")).unwrap();
    drop((database, store));
    assert!(std::fs::read_dir(dir.path().join("records")).unwrap().count() > 2);
    dir
}

/// The pages of the first segment's first frames, of which one is damaged.
fn damage_first(dir: &Path) {
    change(&dir.join("records/00000001"), |bytes| bytes[9_000] ^= 1);
}

#[test]
fn records_that_cannot_be_read_are_named_and_the_rest_is_printed() {
    let store = with_segments(400);
    let whole = run(store.path(), &["export"]);
    assert_eq!((whole.0, whole.1.lines().count()), (0, 401), "{}", whole.2);
    let damaged = copy_of(store.path());
    damage_first(damaged.path());
    let url = {
        let (_, store) = open(damaged.path());
        let pages = store.list(None, None, 1_000).unwrap().into_iter();
        let unreadable: Vec<_> = pages.filter(|page| store.get(&page.url).is_err()).collect();
        assert_eq!(unreadable.len(), 1);
        unreadable[0].url.clone()
    };
    let host = url.split('/').nth(2).unwrap().to_owned();
    let of_host = whole.1.lines().filter(|line| line.contains(&format!("\"host\":\"{host}\""))).count();
    let folder = damaged.path().with_file_name("folder");
    let _ = std::fs::remove_dir_all(&folder);
    let commands: [(&[&str], usize); 6] = [
        (&["export"], 400),
        (&["export", "--host", &host], of_host - 1),
        (&["export", "--format", "csv"], 0),
        (&["get", &url], 0),
        (&["get", &url, "--format", "json"], 0),
        (&["export", "--format", "markdown-dir", "--out", folder.to_str().unwrap()], 0),
    ];
    for (args, lines) in commands {
        let dir = copy_of(damaged.path());
        let _ = std::fs::remove_file(dir.path().join("doubt"));
        let (code, stdout, stderr) = run(dir.path(), args);
        assert_eq!(code, 4, "{args:?}: {stderr}");
        assert!(stderr.contains("cannot be read") && stderr.contains("lost"), "{args:?}: {stderr}");
        assert!(args[0] == "get" || stderr.contains(&format!("the record of {url} cannot be read")), "{stderr}");
        assert!(lines == 0 || stdout.lines().count() == lines, "{args:?}: {} lines", stdout.lines().count());
        // The next command reads everything, counts the loss, and the one after finds nothing more.
        let (code, _, stderr) = run(dir.path(), &["list"]);
        assert!(code == 4 && stderr.contains("1 record"), "{args:?}: {code} {stderr}");
        assert_eq!(run(dir.path(), &["list"]).0, 0, "{args:?}");
        assert_eq!(run(dir.path(), &["store", "stats"]).0, 4, "{args:?}");
    }
    let _ = std::fs::remove_dir_all(&folder);
    // These read no frame of a record.
    for args in [&["list"][..], &["changes"]] {
        let dir = copy_of(damaged.path());
        let _ = std::fs::remove_file(dir.path().join("doubt"));
        assert_eq!(run(dir.path(), args).0, 0, "{args:?}");
    }
    assert_eq!(run(damaged.path(), &["store", "verify"]).0, 4);
    assert_eq!(run(damaged.path(), &["store", "repair"]).0, 4);
}

/// A daemon that serves a damaged store names the record too, and goes on.
#[test]
fn a_daemon_names_records_that_it_cannot_read() {
    let dir = with_segments(400);
    damage_first(dir.path());
    let (database, store) = open(dir.path());
    let daemon = crate::support::serving::Serving::start(&store, Default::default());
    let published = tsrec_server::http::address::publish(dir.path(), daemon.address, None).unwrap();
    for args in [&["export"][..], &["export", "--host", "a.example"], &["export", "--host", "b.example"]] {
        let (code, _, stderr) = run(dir.path(), args);
        let is_of_host = args.len() == 1 || stderr.contains("cannot be read");
        assert_eq!(code == 4, is_of_host, "{args:?}: {code} {stderr}");
    }
    assert_eq!(run(dir.path(), &["export"]).0, 4);
    drop((published, daemon, database, store));
}

/// Without a daemon, `store verify` reads the index too.
#[test]
fn verify_reads_the_index() {
    let store = filled();
    let (code, stdout, _) = run(store.path(), &["store", "verify"]);
    let verified: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &verified["index"]["fault"], &verified["index"]["lost_pages"]), (0, &Value::Null, &0.into()));
    for (what, damage) in [
        ("none", (|dir| remove(&dir.join("index"))) as fn(&Path)),
        ("cut", |dir| change(&dir.join("index/db"), |bytes| bytes.truncate(9_000))),
        ("flipped", |dir| change(&dir.join("index/db"), |bytes| bytes[3_000] ^= 1)),
    ] {
        let dir = copy_of(store.path());
        damage(dir.path());
        let (code, stdout, _) = run(dir.path(), &["store", "verify"]);
        let verified: Value = serde_json::from_str(&stdout).unwrap();
        assert!(code == 4 && verified["index"]["fault"].is_string(), "{what}: {code} {stdout}");
    }
    let (_database, _) = open(store.path());
    let (code, stdout, _) = run(store.path(), &["store", "verify"]);
    let verified: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &verified["index"]), (0, &Value::Null), "a daemon has it");
}
