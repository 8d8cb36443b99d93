//! Any bytes as frames of a store's journals. The store opens or returns an error, never panics,
//! and gives the records that it has.
//!
//! The target cuts the input into frames and adds the correct head and checksums, which mutation
//! alone would not find. If the first byte says so, it writes the bytes as a segment without
//! change.

#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tsrec_store::{Config, Database, Store, maintenance};

/// As in `crates/tsrec-store/src/log/frame.rs`.
const MAGIC: [u8; 4] = *b"\xa7Tsr";

fn dir() -> &'static PathBuf {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| std::env::temp_dir().join(format!("tsrec-fuzz-journal-{}", std::process::id())))
}

/// A frame with an operation and a value.
fn frame(number: u64, op: &[u8], value: &[u8]) -> Vec<u8> {
    let mut crc = crc32fast::Hasher::new();
    crc.update(op);
    crc.update(value);
    let mut head = MAGIC.to_vec();
    for len in [op.len(), value.len(), value.len() * 4] {
        head.extend_from_slice(&(len as u32).to_le_bytes());
    }
    head.extend_from_slice(&number.to_le_bytes());
    head.extend_from_slice(&crc.finalize().to_le_bytes());
    head.extend_from_slice(&crc32fast::hash(&head).to_le_bytes());
    [&head, op, value].concat()
}

/// Pieces of the input as frames: one byte for the length of the operation, one for the length of
/// the value.
fn frames(mut input: &[u8]) -> Vec<u8> {
    let (mut bytes, mut number) = (Vec::new(), 0);
    while let [op_len, value_len, rest @ ..] = input {
        let (op, rest) = rest.split_at(rest.len().min(usize::from(*op_len)));
        let (value, rest) = rest.split_at(rest.len().min(usize::from(*value_len)));
        number += 1;
        bytes.extend(frame(number, op, value));
        input = rest;
    }
    bytes
}

fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    let bytes = if first % 4 == 0 { rest.to_vec() } else { frames(rest) };
    let _ = std::fs::remove_dir_all(dir());
    for journal in ["records", "bodies"] {
        std::fs::create_dir_all(dir().join(journal)).unwrap();
        std::fs::write(dir().join(journal).join("00000001"), &bytes).unwrap();
    }
    maintenance::verify(dir()).unwrap();
    let database = match Database::open(dir(), &Config::default()) {
        Ok(database) => database,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let store = Store::new(&database);
    let listed = store.list(None, None, 100).unwrap();
    for page in &listed {
        // Bytes that are not a record are damage, and the store reports it.
        let _ = store.get(&page.url).map_err(|error| assert!(error.is_damaged(), "{error}"));
        let _ = store.bytes_of(&page.url);
    }
    assert!(listed.len() as u64 <= store.counts().pages);
    let _ = store.changes_with_pages(None, 100, 1 << 20);
});
