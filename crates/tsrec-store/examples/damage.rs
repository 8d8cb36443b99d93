//! Damages stores and backups, opens and verifies them, and counts what is lost and what is
//! reported.
//!
//! `cargo run --release -p tsrec-store --example damage [TRIES]`, by default 1,000 tries, shared by
//! the kinds of damage. Each try has its own seed, so a table can be repeated. The program ends
//! with code 1 if a loss was silent, or if a store could not be opened after damage.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for the person who started it")]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use tsrec_core::metadata::Metadata;
use tsrec_store::{Config, Database, DeletionReason, NewPage, SpaceBatch, Store, losses, maintenance};

/// Pages and entries of the store. The journal then has some six segments.
const PAGES: u64 = 2_400;
const ENTRIES: u64 = 3_000;
/// The bytes of a page of memory, of which a failing disk returns zeros.
const BLOCK: usize = 4_096;
const SPACE: &str = "example";

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
}

fn page(n: u64, version: u64) -> NewPage {
    let mut random = Random(n * 31 + version);
    NewPage {
        url: format!("http://h{}.example/{n}", n % 7),
        metadata: Metadata { title: Some(format!("Page {n}")), ..Default::default() },
        comments: String::new(),
        text: (0..150).map(|_| format!("{:x} ", random.next())).collect(),
        html: None,
        words: 150,
        method: "template".into(),
        confidence: 0.9,
        kind: None,
        kind_probability: None,
        sibling: None,
        template: None,
        gates: serde_json::Value::Null,
        labels: Default::default(),
        fetched_at: jiff::Timestamp::UNIX_EPOCH,
        status: 200,
        charset: None,
        cut: vec![],
    }
}

/// Writes a part of the pages and entries.
fn fill(dir: &Path, from: u64, to: u64) {
    let database = Database::open(dir, &Config::default()).unwrap();
    let (store, space) = (Store::new(&database), database.space(SPACE).unwrap());
    for n in from..to {
        store.put(&page(n, 0)).unwrap();
        if n % 5 == 4 {
            store.put(&page(n / 2, n)).unwrap();
        }
        if n % 50 == 49 {
            store.delete(&page(n - 7, 0).url, DeletionReason::Gone, jiff::Timestamp::UNIX_EPOCH).unwrap();
        }
        if n % 20 == 19 {
            database.durable().unwrap();
        }
    }
    for first in (from * ENTRIES / PAGES..to * ENTRIES / PAGES).step_by(25) {
        let mut batch = SpaceBatch::default();
        (first..first + 25).for_each(|n| batch.insert(format!("key {n}"), format!("value {n} of {to}")));
        database.write(&[(&space, &batch)]).unwrap();
    }
    database.durable().unwrap();
}

/// What a store holds: pages with their texts, and entries of the space.
#[derive(Default)]
struct Holds {
    pages: BTreeMap<String, Option<String>>,
    entries: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Holds {
    fn of(database: &Database) -> Result<Holds, tsrec_store::Error> {
        let store = Store::new(database);
        let mut holds = Holds::default();
        for page in store.list(None, None, usize::MAX)? {
            // A record that cannot be read is as good as lost.
            let text = store.get(&page.url).ok().flatten().map(|record| record.page.text);
            holds.pages.insert(page.url, text);
        }
        holds.entries = database.space(SPACE)?.iter().collect::<Result<_, _>>()?;
        Ok(holds)
    }

    /// Pages and entries of this that another store has not, or otherwise.
    fn lost_in(&self, other: &Holds) -> (u64, u64) {
        let pages = self.pages.iter().filter(|(url, text)| other.pages.get(*url) != Some(*text));
        let entries = self.entries.iter().filter(|(key, value)| other.entries.get(*key) != Some(*value));
        (pages.count() as u64, entries.count() as u64)
    }
}

/// The stores to damage.
struct Sources {
    /// A store when it was half full.
    old: PathBuf,
    /// The same store later.
    new: PathBuf,
    /// Its backup.
    backup: PathBuf,
    holds: Holds,
}

impl Sources {
    fn make(dir: &Path) -> Sources {
        let [old, new, backup] = ["old", "new", "backup"].map(|name| dir.join(name));
        fill(&new, 0, PAGES / 2);
        copy(&new, &old);
        fill(&new, PAGES / 2, PAGES);
        maintenance::backup(&new, &backup).unwrap();
        let holds = Holds::of(&Database::open(&new, &Config::default()).unwrap()).unwrap();
        Sources { old, new, backup, holds }
    }
}

/// What became of a damaged store.
struct Outcome {
    lost: (u64, u64),
    is_reported: bool,
    /// It refused to open, or panicked.
    fatal: Option<String>,
}

/// Reads everything in the background, at full speed. `false` if the index is damaged, so that the
/// next opening fills it again.
fn verified(database: &Database) -> Result<bool, tsrec_store::Error> {
    let verification = database.verify_at(u64::MAX)?;
    while !database.is_verified() && !database.path().join("doubt").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(verification);
    Ok(database.is_verified())
}

fn open_damaged(sources: &Sources, dir: &Path) -> Outcome {
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let database = Database::open(dir, &Config::default())?;
        let is_reported = database.recovery().has_losses();
        // An opening reads little, and a daemon the rest in the background.
        let database = if verified(&database)? {
            database
        } else {
            drop(database);
            Database::open(dir, &Config::default())?
        };
        let is_reported = is_reported || !losses::losses(dir)?.is_empty();
        let holds = Holds::of(&database)?;
        Ok::<_, tsrec_store::Error>((sources.holds.lost_in(&holds), is_reported))
    }));
    match opened {
        Ok(Ok((lost, is_reported))) => Outcome { lost, is_reported, fatal: None },
        Ok(Err(error)) => Outcome { lost: (0, 0), is_reported: true, fatal: Some(error.to_string()) },
        Err(_) => Outcome { lost: (0, 0), is_reported: false, fatal: Some("a panic".to_owned()) },
    }
}

/// Restores a damaged backup. A refusal reports the damage; then what is left is restored.
fn restore_damaged(sources: &Sources, backup: &Path, dir: &Path) -> Outcome {
    let is_refused = maintenance::restore(backup, dir, &Config::default(), false).is_err_and(|error| error.is_backup());
    if is_refused && let Err(error) = maintenance::restore(backup, dir, &Config::default(), true) {
        return Outcome { lost: (0, 0), is_reported: true, fatal: Some(error.to_string()) };
    }
    let outcome = open_damaged(sources, dir);
    Outcome { is_reported: is_refused || outcome.is_reported, ..outcome }
}

/// Changes the bytes of a file, and returns how many of them are left.
type Change = fn(&mut [u8], &mut Random) -> usize;

fn flip(bytes: &mut [u8], random: &mut Random) -> usize {
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
    bytes.len()
}

fn cut(bytes: &mut [u8], random: &mut Random) -> usize {
    random.below(bytes.len())
}

fn zero(bytes: &mut [u8], random: &mut Random) -> usize {
    let at = random.below(bytes.len().div_ceil(BLOCK)) * BLOCK;
    let end = bytes.len().min(at + BLOCK);
    bytes[at..end].fill(0);
    bytes.len()
}

/// The files below a directory that are not empty, in order.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if path.metadata().unwrap().len() > 0 => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

fn change(files: &[PathBuf], random: &mut Random, change: Change) {
    let path = &files[random.below(files.len())];
    let mut bytes = std::fs::read(path).unwrap();
    let left = change(&mut bytes, random);
    std::fs::write(path, &bytes[..left]).unwrap();
}

fn swap(segments: &[PathBuf], random: &mut Random) {
    let one = random.below(segments.len());
    let other = (one + 1 + random.below(segments.len() - 1)) % segments.len();
    let aside = segments[one].with_file_name("aside");
    std::fs::rename(&segments[one], &aside).unwrap();
    std::fs::rename(&segments[other], &segments[one]).unwrap();
    std::fs::rename(aside, &segments[other]).unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// Puts a part of one store into another.
fn replace(dir: &Path, part: &str, from: &Path) {
    let _ = std::fs::remove_dir_all(dir.join(part));
    copy(&from.join(part), &dir.join(part));
}

/// A kind of damage: what it does to a copy of the store, or to a copy of the backup.
struct DamageKind {
    name: &'static str,
    of_backup: bool,
    damage: fn(&Sources, &Path, &mut Random),
}

const fn of_store(name: &'static str, damage: fn(&Sources, &Path, &mut Random)) -> DamageKind {
    DamageKind { name, of_backup: false, damage }
}

const fn of_backup(name: &'static str, damage: fn(&Sources, &Path, &mut Random)) -> DamageKind {
    DamageKind { name, of_backup: true, damage }
}

const KINDS: [DamageKind; 15] = [
    of_store("bits flipped in the journal", |_, dir, random| change(&files(&dir.join("records")), random, flip)),
    of_store("bits flipped in the index", |_, dir, random| change(&files(&dir.join("index")), random, flip)),
    of_store("bits flipped in any file", |_, dir, random| change(&files(dir), random, flip)),
    of_store("bits flipped in journal and index", |_, dir, random| {
        change(&files(&dir.join("records")), random, flip);
        change(&files(&dir.join("index")), random, flip);
    }),
    of_store("a file cut", |_, dir, random| change(&files(dir), random, cut)),
    of_store("a page of zeros", |_, dir, random| change(&files(dir), random, zero)),
    of_store("two segments swapped", |_, dir, random| swap(&files(&dir.join("records")), random)),
    of_store("a segment missing", |_, dir, random| {
        let segments = files(&dir.join("records"));
        std::fs::remove_file(&segments[random.below(segments.len())]).unwrap();
    }),
    of_store("no index", |_, dir, _| std::fs::remove_dir_all(dir.join("index")).unwrap()),
    of_store("an old index", |sources, dir, _| replace(dir, "index", &sources.old)),
    of_store("an old journal", |sources, dir, _| replace(dir, "records", &sources.old)),
    of_backup("a backup: bits flipped", |_, dir, random| change(&files(dir), random, flip)),
    of_backup("a backup: a file cut", |_, dir, random| change(&files(dir), random, cut)),
    of_backup("a backup: a page of zeros", |_, dir, random| change(&files(dir), random, zero)),
    of_backup("a backup: a segment missing", |_, dir, random| {
        let segments = files(&dir.join("records"));
        std::fs::remove_file(&segments[random.below(segments.len())]).unwrap();
    }),
];

/// A row of the table.
#[derive(Default)]
struct Row {
    tries: u64,
    whole: u64,
    pages: u64,
    entries: u64,
    reported: u64,
    silent: u64,
    fatal: u64,
}

fn main() -> ExitCode {
    let tries: u64 = std::env::args().nth(1).map_or(1_000, |tries| tries.parse().expect("a number of tries"));
    let made = tempfile::tempdir().unwrap();
    let sources = Sources::make(made.path());
    let segments = files(&sources.new.join("records")).len();
    println!(
        "{} pages and {} entries of a space, in {segments} segments\n",
        sources.holds.pages.len(),
        sources.holds.entries.len()
    );
    let mut rows: Vec<Row> = KINDS.iter().map(|_| Row::default()).collect();
    for seed in 0..tries {
        let at = seed as usize % KINDS.len();
        let (kind, row) = (&KINDS[at], &mut rows[at]);
        let scratch = tempfile::tempdir().unwrap();
        let [damaged, restored] = ["damaged", "restored"].map(|name| scratch.path().join(name));
        copy(if kind.of_backup { &sources.backup } else { &sources.new }, &damaged);
        (kind.damage)(&sources, &damaged, &mut Random(seed));
        let outcome = match kind.of_backup {
            true => restore_damaged(&sources, &damaged, &restored),
            false => open_damaged(&sources, &damaged),
        };
        row.tries += 1;
        let is_whole = outcome.lost == (0, 0) && outcome.fatal.is_none();
        row.whole += u64::from(is_whole);
        row.pages += outcome.lost.0;
        row.entries += outcome.lost.1;
        row.reported += u64::from(outcome.is_reported);
        if !is_whole && !outcome.is_reported {
            row.silent += 1;
            println!("silent: seed {seed}, {}: {:?}", kind.name, outcome.lost);
        }
        if let Some(why) = outcome.fatal {
            row.fatal += 1;
            println!("fatal: seed {seed}, {}: {why}", kind.name);
        }
    }
    println!("| damage | tries | nothing lost | pages lost | entries lost | tries reported | silent | fatal |");
    println!("|---|---|---|---|---|---|---|---|");
    for (kind, row) in KINDS.iter().zip(&rows) {
        let Row { tries, whole, pages, entries, reported, silent, fatal } = row;
        println!("| {} | {tries} | {whole} | {pages} | {entries} | {reported} | {silent} | {fatal} |", kind.name);
    }
    match rows.iter().any(|row| row.silent > 0 || row.fatal > 0) {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}
