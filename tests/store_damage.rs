//! Damage: bits flipped and files cut after a kill, in any file of the data directory. The store opens, or says why it cannot; no
//! record is lost in silence, and no reader is left with what the store has lost.
//!
//! A seeded few in `cargo test`; as many as wanted with `TSREC_DAMAGE_TRIES=500 cargo test --release --test store_damage`.
#![cfg(feature = "daemon")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tsrec::store::{Config, Cursor, Database, Reason, Store};

#[path = "support/serving.rs"]
#[expect(dead_code, reason = "others serve")]
mod serving;

use serving::page;

const WRITER_DIR: &str = "TSREC_TEST_DAMAGE_DIR";
const PAGES: u64 = 120;
/// What is written last, and never acknowledged: it may be there or not.
const LATE: &str = "http://late.example/";

/// SplitMix64: seeded, so that a failure comes again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }
}

fn open(dir: &Path) -> Result<(Database, Store), tsrec::store::Error> {
    let database = Database::open(dir, &Config::default())?;
    let store = Store::new(&database);
    Ok((database, store))
}

fn url(n: u64) -> String {
    format!("http://{}.example/{n}", n % 7)
}

fn text(n: u64, version: u64) -> String {
    let mut random = Random(n * 31 + version);
    (0..random.below(400) + 20).map(|_| format!("{:x} ", random.next())).collect()
}

/// What a child writes and makes durable, before it is killed: pages, changed pages, deleted pages.
fn write_all(dir: &Path) {
    let (database, store) = open(dir).unwrap();
    for n in 0..PAGES {
        store.put(&page(&url(n), &text(n, 0))).unwrap();
        store.hold(&url(n), text(n, 9).as_bytes()).unwrap();
        if n % 3 == 0 {
            store.put(&page(&url(n / 2), &text(n / 2, n))).unwrap();
        }
        if n % 11 == 10 {
            store.delete(&url(n - 5), Reason::Gone, "2026-11-21T00:00:05Z".parse().unwrap()).unwrap();
        }
        if n % 8 == 7 {
            database.durable().unwrap();
        }
    }
    database.durable().unwrap();
    // Not acknowledged, so free to be lost.
    store.put(&page(LATE, "late")).unwrap();
    std::process::abort();
}

/// A directory as the kill left it, and what a reader had seen of it: its pages with their texts, and its cursor.
struct Written {
    dir: tempfile::TempDir,
    pages: BTreeMap<String, String>,
    cursor: Cursor,
}

impl Written {
    fn new() -> Written {
        let dir = tempfile::tempdir().unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "no_loss_is_silent_and_no_damage_panics", "--nocapture"])
            .env(WRITER_DIR, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(!status.success(), "the child aborts itself");
        let copy = tempfile::tempdir().unwrap();
        copy_all(dir.path(), copy.path());
        let (_database, store) = open(copy.path()).unwrap();
        let (pages, cursor) = pages_of(&store);
        Written { dir, pages, cursor }
    }
}

/// All pages, as a reader of the feed gets them, and its cursor.
fn pages_of(store: &Store) -> (BTreeMap<String, String>, Cursor) {
    let (mut pages, mut since) = (BTreeMap::new(), None);
    loop {
        let (changes, records) = store.changes_with_pages(since, 50, 1 << 20).unwrap();
        if changes.changes.is_empty() {
            return (pages, changes.next);
        }
        pages.extend(records.into_iter().flatten().map(|record| (record.url, record.text)));
        since = Some(changes.next);
    }
}

fn copy_all(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&to).unwrap();
            copy_all(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.metadata().unwrap().len() > 0 {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Flips bits of a file, cuts it, or takes it away. Says what it did.
fn damage(dir: &Path, random: &mut Random) -> String {
    let files = files(dir);
    let mut done = String::new();
    for _ in 0..=random.below(2) {
        let path = &files[random.below(files.len() as u64) as usize];
        let Ok(mut bytes) = std::fs::read(path) else { continue };
        let name = path.strip_prefix(dir).unwrap().display().to_string();
        match random.below(6) {
            0 => {
                let len = random.below(bytes.len() as u64);
                bytes.truncate(len as usize);
                std::fs::write(path, bytes).unwrap();
                done += &format!("{name} cut to {len}; ");
            }
            1 if random.below(4) == 0 => {
                std::fs::remove_file(path).unwrap();
                done += &format!("{name} removed; ");
            }
            _ if !bytes.is_empty() => {
                for _ in 0..=random.below(3) {
                    let at = random.below(bytes.len() as u64) as usize;
                    bytes[at] ^= 1 << random.below(8);
                    done += &format!("{name} flipped at {at}; ");
                }
                std::fs::write(path, bytes).unwrap();
            }
            _ => {}
        }
    }
    done
}

#[derive(Debug, Default)]
struct Tally {
    untouched: u32,
    mended: u32,
    lost_and_said: u32,
    refused: u32,
}

#[test]
fn no_loss_is_silent_and_no_damage_panics() {
    if let Some(dir) = std::env::var_os(WRITER_DIR) {
        return write_all(Path::new(&dir));
    }
    let tries = std::env::var("TSREC_DAMAGE_TRIES").ok().map_or(12, |tries| tries.parse().unwrap());
    let written = Written::new();
    assert!(written.pages.len() > 80, "{}", written.pages.len());
    let mut tally = Tally::default();
    for seed in 0..tries {
        let dir = tempfile::tempdir().unwrap();
        copy_all(written.dir.path(), dir.path());
        let mut random = Random(seed);
        let what = damage(dir.path(), &mut random);
        check(&written, dir.path(), &format!("seed {seed}: {what}"), &mut tally);
    }
    let mut out = std::io::stdout();
    std::io::Write::write_fmt(&mut out, format_args!("{tries} tries: {tally:?}\n")).unwrap();
    assert!(tally.refused * 10 <= tries as u32, "{tally:?}");
}

fn check(written: &Written, dir: &Path, what: &str, tally: &mut Tally) {
    let (database, store) = match open(dir) {
        Ok(opened) => opened,
        Err(error) => {
            // Refused in words, and nothing is taken for sound.
            assert!(!error.to_string().is_empty(), "{what}");
            tally.refused += 1;
            return;
        }
    };
    let recovery = database.recovery().clone();
    let (pages, _) = pages_of(&store);
    let is_whole = written.pages.iter().all(|(url, text)| pages.get(url) == Some(text))
        && pages.keys().all(|url| written.pages.contains_key(url) || url == LATE);
    let goes_on = store.changes(Some(written.cursor), 10);
    match (is_whole, recovery.new_epoch) {
        (true, false) if recovery.is_quiet() => tally.untouched += 1,
        (true, _) => tally.mended += 1,
        (false, true) => {
            tally.lost_and_said += 1;
            assert!(recovery.lost_pages + recovery.lost_frames > 0, "{what}: {recovery:?}");
        }
        (false, false) => panic!("{what}: pages are lost in silence: {recovery:?}"),
    }
    // A reader goes on where nothing is lost, and starts over otherwise.
    match goes_on {
        Ok(rest) => {
            let is_over = rest.changes.iter().all(|change| change.url == LATE);
            assert!(!recovery.new_epoch && is_over, "{what}: {recovery:?} {rest:?}");
        }
        Err(error) => assert!(recovery.new_epoch && error.is_gone(), "{what}: {recovery:?} {error}"),
    }
    let next = store.put(&page("http://new.example/", "new")).unwrap();
    assert!(next.seq > written.cursor.sequence(), "{what}: a number is given twice");
    drop((database, store));
    // The second time there is nothing more to mend.
    let (database, store) = open(dir).unwrap();
    assert!(!database.recovery().new_epoch, "{what}: {:?}", database.recovery());
    assert!(database.recovery().rebuilt.is_none(), "{what}: {:?}", database.recovery());
    assert_eq!(pages_of(&store).0.len(), pages.len() + 1, "{what}");
}
