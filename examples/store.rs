//! Reads what a crawl has stored and what has changed since the last look. An indexer can use this
//! to follow a data directory that no daemon has open. If a daemon runs, ask `/v1/changes` instead,
//! as `examples/indexer` does.
//!
//! `cargo run --example store -- DATA_DIR [CURSOR]`

#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use std::path::Path;

use tsrec::{Cursor, Store};

/// Changes to read at a time, and bytes of their records.
const AT_ONCE: (usize, u64) = (1_000, 16 << 20);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let data_dir = args.next().unwrap_or_else(|| "data".to_owned());
    let mut since: Option<Cursor> = args.next().map(|cursor| cursor.parse()).transpose()?;
    let store = Store::open(Path::new(&data_dir))?;
    loop {
        let (changes, records) = match store.changes_with_pages(since, AT_ONCE.0, AT_ONCE.1) {
            // The store has forgotten what was deleted since. An index must be rebuilt.
            Err(error) if error.is_gone() => {
                since = None;
                continue;
            }
            answer => answer?,
        };
        for (change, record) in changes.changes.iter().zip(records) {
            match record {
                Some(record) => println!("{:>6} words  {}", record.words, change.url),
                None => println!("{:>12}  {}", "gone", change.url),
            }
        }
        since = Some(changes.next);
        if changes.changes.is_empty() {
            println!("to be given next time: {}", changes.next);
            return Ok(());
        }
    }
}
