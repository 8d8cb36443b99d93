//! Stores of older formats, brought up to this one when they are opened.
//!
//! Format 1 kept everything in sled, at the top of the data directory, with values cut into chunks. Its records and deletions go into the
//! journal, and sled is filled from that. What can be had again (held siblings, parked pages, lessons) is not carried over. The
//! format's number is written once the journal is durable, so a migration that is broken off begins again.

use std::path::Path;

use serde::Deserialize;

use super::Config;
use super::database::{EPOCH_KEY, FORMAT, FORMAT_KEY, STATE_KEY, io, new_epoch};
use super::error::Error;
use super::feed;
use super::index::{self, Index};
use super::journal::frame::{Entry, Op};
use super::journal::{Journal, SEGMENT_LEN, scan};
use super::key::Key;
use super::packed::damaged;
use super::recovery::{RECORDS, VALUES};
use super::stored::PageInfo;
use super::writer;

/// The counters of format 1, as far as they are carried over.
#[derive(Deserialize)]
struct StateBefore {
    last_sequence: u64,
    floor: u64,
}

/// The head of a page in format 1: how many chunks its record had, and how long it was.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
struct PageBefore {
    page: PageInfo,
    chunks: u32,
    packed_len: u64,
    raw_len: u64,
}

/// Moves sled's files of format 1 to where they are now.
pub(super) fn move_old_layout(dir: &Path) -> Result<(), Error> {
    let (old, new) = (dir.join(index::LOG_FILE), dir.join(index::DIR));
    if !old.exists() || new.exists() {
        return Ok(());
    }
    let file = std::fs::File::open(&old).map_err(|source| io("open", &old, source))?;
    if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
        return Err(super::error::Kind::Locked { path: dir.to_owned() }.into());
    }
    let fresh = dir.join("index.new");
    std::fs::create_dir_all(&fresh).map_err(|source| io("make", &fresh, source))?;
    for entry in std::fs::read_dir(dir).map_err(|source| io("list", dir, source))?.flatten() {
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if text == "conf" || text == "blobs" || text.starts_with("snap.") {
            std::fs::rename(entry.path(), fresh.join(&name)).map_err(|source| io("move", &entry.path(), source))?;
        }
    }
    // The log last: while it is here, the move is not done.
    std::fs::rename(&old, fresh.join(index::LOG_FILE)).map_err(|source| io("move", &old, source))?;
    std::fs::rename(&fresh, &new).map_err(|source| io("move", &fresh, source))
}

/// Writes the journal from an index of an older format, and empties the index.
pub(super) fn migrate(dir: &Path, _config: &Config, index: Index, older: u32) -> Result<(), Error> {
    tracing::info!(store = %dir.display(), from = older, to = FORMAT, "the store is brought up to this program's format");
    let old_chunks = index.sled.open_tree("chunks").map_err(Error::sled("open a tree"))?;
    let epoch = index.epoch.unwrap_or_else(new_epoch);
    for name in [RECORDS, VALUES] {
        let dir = dir.join(name);
        std::fs::remove_dir_all(&dir).and_then(|()| std::fs::create_dir(&dir)).map_err(|s| io("empty", &dir, s))?;
    }
    let records = Journal::open(dir, (RECORDS, SEGMENT_LEN), &scan::Found::default(), epoch)?;
    let meta = &index.trees.meta;
    let state = meta.get(STATE_KEY).map_err(Error::sled("read its state"))?;
    let StateBefore { last_sequence, floor } = match &state {
        Some(bytes) => postcard::from_bytes(bytes).map_err(Error::decode("its state"))?,
        None => StateBefore { last_sequence: 0, floor: 0 },
    };
    for entry in &index.trees.changes {
        let (seq, entry) = entry.map_err(Error::sled("read its changes"))?;
        let change = feed::change(feed::sequence_of(&seq)?, &entry)?;
        let key = Key::parse(&change.url)?;
        let entry = |op| Entry { last_sequence, floor, op };
        let name = key.as_str().to_owned();
        match change.reason {
            Some(reason) => {
                let op = Op::Delete { key: name, seq: change.seq, reason, at: change.at };
                records.append_bytes(&entry(op), &[], 0)?;
            }
            None => {
                let tree_key = writer::tree_key(writer::Sort::Page, &key);
                let head = index.trees.heads.get(&tree_key).map_err(Error::sled("read a head"))?;
                let head = head.ok_or_else(|| damaged("a change has no record", &tree_key))?;
                let PageBefore { page, chunks, packed_len, raw_len } = writer::decode(&head)?;
                let value = read_chunks(&old_chunks, &tree_key, chunks, packed_len)?;
                records.append_bytes(&entry(Op::Put { key: name, page, kind: None }), &value, raw_len as usize)?;
            }
        }
        if records.is_full() {
            records.begin_segment(epoch, last_sequence, floor)?;
        }
    }
    records.sync()?;
    let mut batch = sled::Batch::default();
    batch.insert(FORMAT_KEY, &FORMAT.to_be_bytes());
    batch.insert(EPOCH_KEY, &epoch.to_be_bytes());
    batch.remove(STATE_KEY);
    meta.apply_batch(batch).map_err(Error::sled("write its format"))?;
    index.sled.flush().map_err(Error::sled("flush"))?;
    let trees = [&index.trees.heads, &index.trees.changes, &old_chunks];
    trees.into_iter().try_for_each(|tree| tree.clear().map_err(Error::sled("empty a tree")))?;
    drop(old_chunks);
    index.sled.drop_tree("chunks").map_err(Error::sled("drop a tree"))?;
    index.sled.flush().map_err(Error::sled("flush"))?;
    Ok(())
}

fn read_chunks(tree: &sled::Tree, key: &[u8], chunks: u32, packed_len: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    for number in 0..chunks {
        let chunk_key = [key, b"\0", &number.to_be_bytes()].concat();
        let chunk = tree.get(chunk_key).map_err(Error::sled("read a chunk"))?;
        bytes.extend_from_slice(&chunk.ok_or_else(|| damaged("a chunk is missing", key))?);
    }
    if bytes.len() as u64 != packed_len {
        return Err(damaged("the chunks have another length than their head says", key));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::page;
    use super::super::{Database, Reason, Store};
    use super::*;
    use tsrec_core::page::identity::content_hash;

    /// A store as format 1 had it: two pages, one of two chunks, and a deletion.
    fn write_format_1(dir: &Path) {
        let sled = sled::open(dir).unwrap();
        let tree = |name| sled.open_tree(name).unwrap();
        let meta = tree("meta");
        meta.insert(FORMAT_KEY, &1u32.to_be_bytes()).unwrap();
        meta.insert(EPOCH_KEY, &7u64.to_be_bytes()).unwrap();
        // Sequence, floor, held order, pages, tombstones, held, parked, lessons, lesson order.
        meta.insert(STATE_KEY, postcard::to_stdvec(&[9u64, 1, 4, 2, 1, 3, 0, 0, 0]).unwrap()).unwrap();
        for (seq, url, text) in [(3, "http://a/1", "one"), (8, "http://a/2", "two")] {
            let (new, key) = (page(url, text), Key::parse(url).unwrap());
            let tree_key = writer::tree_key(writer::Sort::Page, &key);
            let json = serde_json::to_vec(&new).unwrap();
            let value = zstd::bulk::compress(&json, 3).unwrap();
            let (first, second) = value.split_at(value.len() / 2);
            for (number, chunk) in [first, second].into_iter().enumerate() {
                let chunk_key = [&tree_key[..], b"\0", &(number as u32).to_be_bytes()].concat();
                tree("chunks").insert(chunk_key, chunk).unwrap();
            }
            let hash = content_hash(None, text);
            let page = PageInfo::of(&new, seq, hash, new.fetched_at);
            let (packed_len, raw_len) = (value.len() as u64, json.len() as u64);
            let head = PageBefore { page, chunks: 2, packed_len, raw_len };
            tree("heads").insert(tree_key, postcard::to_stdvec(&head).unwrap()).unwrap();
            tree("changes").insert(u64::to_be_bytes(seq), feed::upserted(&key, hash, new.fetched_at).unwrap()).unwrap();
        }
        let gone =
            feed::deleted(&Key::parse("http://a/0").unwrap(), Reason::Gone, jiff::Timestamp::UNIX_EPOCH).unwrap();
        tree("changes").insert(u64::to_be_bytes(5), gone).unwrap();
        tree("frontier_urls").insert("a\0http://a/1", "what the frontier has").unwrap();
    }

    #[test]
    fn a_store_of_format_1_is_what_it_was() {
        let dir = tempfile::tempdir().unwrap();
        write_format_1(dir.path());
        for time in ["first", "second"] {
            let database = Database::open(dir.path(), &Config::default()).unwrap();
            let store = Store::new(&database);
            assert_eq!(store.get("http://a/1").unwrap().unwrap().text, "one", "{time}");
            assert_eq!(store.get("http://a/2").unwrap().unwrap().text, "two", "{time}");
            let feed = store.changes(Some("0000000000000007:3".parse().unwrap()), 10).unwrap();
            assert_eq!(feed.changes.iter().map(|change| change.seq).collect::<Vec<_>>(), [5, 8], "{time}");
            assert_eq!((database.epoch(), feed.next.to_string()), (7, "0000000000000007:9".to_owned()), "{time}");
            assert_eq!(database.recovery().salvaged, None, "{time}");
            assert!(!database.open_tree("frontier_urls").unwrap().is_empty(), "{time}");
        }
    }
}
