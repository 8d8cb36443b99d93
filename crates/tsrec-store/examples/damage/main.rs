//! Damages stores and backups, opens and verifies them, and counts what is lost and what is
//! reported.
//!
//! `cargo run --release -p tsrec-store --example damage [TRIES]`, by default 1,000 tries, shared by
//! the kinds of damage. Each try has its own seed, so a table can be repeated. After the damage,
//! the program reads by itself which frames still have sound checksums, and compares what the store
//! serves. It ends with code 1 if a loss was silent, if a store could not be opened after damage,
//! or if it does not serve what a checksum covers.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for the person who started it")]
#![allow(clippy::expect_used, reason = "as above")]

mod covered;
mod kinds;
mod sources;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tsrec_store::{Config, Database, losses, maintenance};

use covered::Covered;
use kinds::KINDS;
use sources::{Holds, Random, SPACE, Sources, copy, files};

/// Wrong pages and entries of a try that are named.
const MOST_NAMED: usize = 3;

/// What became of a damaged store.
#[derive(Default)]
struct Outcome {
    lost: (u64, u64),
    is_reported: bool,
    /// What a checksum covers, but the store serves otherwise.
    wrong: Vec<String>,
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

fn open_damaged(sources: &Sources, dir: &Path, covered: &Covered) -> Outcome {
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
        let wrong = holds.not_as_covered(covered, &sources.whole);
        Ok::<_, tsrec_store::Error>(Outcome { lost: sources.holds.lost_in(&holds), is_reported, wrong, fatal: None })
    }));
    let failed = |why| Outcome { fatal: Some(why), ..Outcome::default() };
    match opened {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => failed(error.to_string()),
        Err(_) => failed("a panic".to_owned()),
    }
}

/// Restores a damaged backup. A refusal reports the damage; then what is left is restored.
fn restore_damaged(sources: &Sources, backup: &Path, dir: &Path, covered: &Covered) -> Outcome {
    let is_refused = maintenance::restore(backup, dir, &Config::default(), false).is_err_and(|error| error.is_backup());
    if is_refused && let Err(error) = maintenance::restore(backup, dir, &Config::default(), true) {
        return Outcome { fatal: Some(error.to_string()), ..Outcome::default() };
    }
    let outcome = open_damaged(sources, dir, covered);
    Outcome { is_reported: is_refused || outcome.is_reported, ..outcome }
}

/// Damages a copy, and opens it.
fn attempt(sources: &Sources, seed: u64) -> Outcome {
    let kind = &KINDS[seed as usize % KINDS.len()];
    let scratch = tempfile::tempdir().unwrap();
    let [damaged, restored] = ["damaged", "restored"].map(|name| scratch.path().join(name));
    copy(if kind.of_backup { &sources.backup } else { &sources.new }, &damaged);
    (kind.damage)(sources, &damaged, &mut Random(seed));
    let covered = Covered::of(&damaged.join("records"), SPACE);
    match kind.of_backup {
        true => restore_damaged(sources, &damaged, &restored, &covered),
        false => open_damaged(sources, &damaged, &covered),
    }
}

/// A row of the table.
#[derive(Default, Clone)]
struct Row {
    tries: u64,
    whole: u64,
    pages: u64,
    entries: u64,
    reported: u64,
    silent: u64,
    wrong: u64,
    fatal: u64,
}

impl Row {
    fn add(&mut self, seed: u64, name: &str, outcome: &Outcome) {
        let Outcome { lost, is_reported, wrong, fatal } = outcome;
        self.tries += 1;
        let is_whole = *lost == (0, 0) && fatal.is_none();
        self.whole += u64::from(is_whole);
        self.pages += lost.0;
        self.entries += lost.1;
        self.reported += u64::from(*is_reported);
        if !is_whole && !is_reported && fatal.is_none() {
            self.silent += 1;
            println!("silent: seed {seed}, {name}: {lost:?}");
        }
        if !wrong.is_empty() {
            self.wrong += 1;
            println!("not as covered: seed {seed}, {name}: {} in all", wrong.len());
            wrong.iter().take(MOST_NAMED).for_each(|wrong| println!("  {wrong}"));
        }
        if let Some(why) = fatal {
            self.fatal += 1;
            println!("fatal: seed {seed}, {name}: {why}");
        }
    }
}

fn main() -> ExitCode {
    let tries: u64 = std::env::args().nth(1).map_or(1_000, |tries| tries.parse().expect("a number of tries"));
    // A seed alone, to look at it.
    let first: u64 = std::env::args().nth(2).map_or(0, |first| first.parse().expect("the first seed"));
    let made = tempfile::tempdir().unwrap();
    let sources = Sources::make(made.path());
    let segments = files(&sources.new.join("records")).len();
    let (pages, entries) = (sources.holds.pages.len(), sources.holds.entries.len());
    println!("{pages} pages and {entries} entries of a space, in {segments} segments\n");
    let rows = Mutex::new(vec![Row::default(); KINDS.len()]);
    let next = AtomicU64::new(first);
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + tries {
                        return;
                    }
                    let outcome = attempt(&sources, seed);
                    let at = seed as usize % KINDS.len();
                    rows.lock().unwrap()[at].add(seed, KINDS[at].name, &outcome);
                }
            });
        }
    });
    let rows = rows.into_inner().unwrap();
    println!(
        "| damage | tries | nothing lost | pages lost | entries lost | reported | silent | not as covered | fatal |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (kind, row) in KINDS.iter().zip(&rows) {
        let Row { tries, whole, pages, entries, reported, silent, wrong, fatal } = row;
        println!(
            "| {} | {tries} | {whole} | {pages} | {entries} | {reported} | {silent} | {wrong} | {fatal} |",
            kind.name
        );
    }
    match rows.iter().any(|row| row.silent + row.wrong + row.fatal > 0) {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}
