//! Heads whose frames are missing or elsewhere: which of them are lost, and what goes with them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{BATCH, MOVED, scan_journal, transact};
use crate::bodies::uses;
use crate::error::Error;
use crate::index::base::Base;
use crate::index::heads::{FollowingHead, HeadSort, MemoryHead, PageHead, Tombstone};
use crate::index::seen::Lost;
use crate::index::writer::Writer;
use crate::key::Key;
use crate::log::op::Op;
use crate::log::{Place, RECORDS};
use crate::records::{apply, following, memories};

/// A page is not lost if the journal has it further on: it was copied there, and only sled lost
/// that.
pub(super) fn leave_what_comes_again(dir: &Path, lost: &mut Lost, after: u64) -> Result<(), Error> {
    if lost.pages.is_empty() && lost.tombstones.is_empty() && lost.values.is_empty() {
        return Ok(());
    }
    let mut comes = HashSet::new();
    scan_journal(dir, RECORDS, |place, entry, _| {
        if place.number > after {
            comes.extend(said_of(&entry.op));
        }
        Ok(())
    })?;
    let is_gone = |sort, key: &Key| !comes.contains(&(sort, key.as_str().to_owned()));
    lost.pages.retain(|key| is_gone(HeadSort::Page, key));
    lost.tombstones.retain(|key| is_gone(HeadSort::Page, key));
    lost.values.retain(|(sort, key, _)| is_gone(*sort, key));
    Ok(())
}

/// The subject of an operation: a page, present or not; a host's memory; a host's re-extraction
/// progress.
fn said_of(op: &Op) -> Option<(HeadSort, String)> {
    let of_host = |sort, host: &str| Some((sort, Key::of_host(host).as_str().to_owned()));
    match op {
        Op::Put { key, .. } | Op::Delete { key, .. } => Some((HeadSort::Page, key.clone())),
        Op::Memory { host } | Op::NoMemory { host } => of_host(HeadSort::Memory, host),
        Op::Following { host, .. } => of_host(HeadSort::Following, host),
        Op::OldSegment { .. }
        | Op::Segment { .. }
        | Op::Collected { .. }
        | Op::Forget { .. }
        | Op::Body { .. }
        | Op::Spaces => None,
    }
}

/// Writes the places of frames that are elsewhere now.
pub(super) fn put_moved(base: &Base, moved: Vec<(HeadSort, Key, u64)>) -> Result<(), Error> {
    if moved.is_empty() {
        return Ok(());
    }
    tracing::warn!(store = %base.path().display(), frames = moved.len(), MOVED);
    let mut by_number: HashMap<u64, (HeadSort, Key)> =
        moved.into_iter().map(|(sort, key, number)| (number, (sort, key))).collect();
    let mut found = Vec::new();
    scan_journal(base.path(), RECORDS, |place, _, _| {
        found.extend(by_number.remove(&place.number).map(|(sort, key)| (sort, key, place)));
        Ok(())
    })?;
    for found in found.chunks(BATCH) {
        transact(base, |writer| {
            found.iter().try_for_each(|(sort, key, place)| {
                writer.revive(*place);
                put_place(writer, *sort, key, *place)
            })
        })?;
    }
    Ok(())
}

fn put_place(writer: &mut Writer<'_>, sort: HeadSort, key: &Key, place: Place) -> Result<(), Error> {
    match sort {
        HeadSort::Page => put_place_in(writer, sort, key, |head: &mut PageHead| head.place = place),
        HeadSort::Tombstone => put_place_in(writer, sort, key, |head: &mut Tombstone| head.place = place),
        HeadSort::Memory => put_place_in(writer, sort, key, |head: &mut MemoryHead| head.place = place),
        HeadSort::Following => put_place_in(writer, sort, key, |head: &mut FollowingHead| head.place = place),
        // They come again.
        HeadSort::Body | HeadSort::Held | HeadSort::Parked => Ok(()),
    }
}

fn put_place_in<T: Serialize + DeserializeOwned>(
    writer: &mut Writer<'_>,
    sort: HeadSort,
    key: &Key,
    put: impl FnOnce(&mut T),
) -> Result<(), Error> {
    let Some(mut head) = writer.head::<T>(sort, key)? else { return Ok(()) };
    put(&mut head);
    writer.put_head(sort, key, &head)
}

/// Removes the heads whose frames are missing, a few hundred in a commit.
pub(super) fn drop_lost(base: &Base, lost: Lost, last_sequence: u64) -> Result<(), Error> {
    for pages in lost.pages.chunks(BATCH) {
        transact(base, |writer| pages.iter().try_for_each(|key| apply::lose(writer, key)))?;
    }
    for tombstones in lost.tombstones.chunks(BATCH) {
        transact(base, |writer| apply::forget(writer, tombstones))?;
    }
    for values in lost.values.chunks(BATCH) {
        transact(base, |writer| values.iter().try_for_each(|(sort, key, _)| lose_value(writer, *sort, key)))?;
    }
    let before = base.state().last_sequence;
    if before < last_sequence {
        transact(base, |writer| {
            // So that no number is reused.
            writer.state.last_sequence = writer.state.last_sequence.max(last_sequence);
            Ok(())
        })?;
    }
    Ok(())
}

/// Removes the head of a lost value: of all sorts but pages and tombstones.
pub(super) fn lose_value(writer: &mut Writer<'_>, sort: HeadSort, key: &Key) -> Result<(), Error> {
    match sort {
        HeadSort::Body => uses::remove(writer, key).map(drop),
        HeadSort::Memory => memories::take(writer, key),
        HeadSort::Following => following::take(writer, key),
        HeadSort::Page | HeadSort::Tombstone | HeadSort::Held | HeadSort::Parked => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::log::{path_of, scan::segment_ids};
    use crate::record::tests::page;
    use crate::{Config, Database, SpaceBatch, Store};

    const PAGES: u64 = 300;

    fn url(n: u64) -> String {
        format!("http://h{}.example/{n}", n % 3)
    }

    /// Text that zstd can hardly compress.
    fn text(n: u64) -> String {
        (0..100).map(|word| format!("{:x} ", (n * 1_000 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect()
    }

    fn put(dir: &Path, pages: std::ops::Range<u64>) {
        let database = Database::open(dir, &Config::default()).unwrap();
        let (store, space) = (Store::new(&database), database.space("example").unwrap());
        for n in pages {
            store.put(&page(&url(n), &text(n))).unwrap();
            let mut batch = SpaceBatch::default();
            batch.insert(n.to_be_bytes(), text(n));
            database.write(&[(&space, &batch)]).unwrap();
            database.durable().unwrap();
        }
    }

    fn segments(dir: &Path) -> Vec<PathBuf> {
        let records = dir.join(RECORDS);
        segment_ids(&records).unwrap().into_iter().map(|id| path_of(&records, id)).collect()
    }

    fn filled() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), 0..PAGES);
        assert!(segments(dir.path()).len() > 4);
        dir
    }

    /// Opens the store, reads everything, and opens it again if that is a reason to. Returns how
    /// many pages it has lost. What it has can be read, and no entry of the space is lost.
    fn lost_in(dir: &Path) -> u64 {
        let mut database = Database::open(dir, &Config::default()).unwrap();
        let verification = database.verify_at(u64::MAX).unwrap();
        while !database.is_verified() && !crate::log::doubt::is_noted(dir) {
            std::thread::yield_now();
        }
        drop(verification);
        if !database.is_verified() {
            drop(database);
            database = Database::open(dir, &Config::default()).unwrap();
        }
        let store = Store::new(&database);
        for n in 0..PAGES {
            assert_eq!(database.space("example").unwrap().get(&n.to_be_bytes()).unwrap(), Some(text(n).into_bytes()));
        }
        let pages = store.list(None, None, 1_000).unwrap();
        let read = pages.iter().filter(|page| store.get(&page.url).unwrap().is_some()).count();
        assert_eq!(read, pages.len());
        PAGES - pages.len() as u64
    }

    /// The bytes before a frame are gone, or more have come.
    #[test]
    fn frames_that_moved_are_found() {
        for from_end in [2, 3] {
            for has_more in [false, true] {
                let dir = filled();
                let segments = segments(dir.path());
                let path = &segments[segments.len() - from_end];
                let mut bytes = std::fs::read(path).unwrap();
                let middle = bytes.len() / 2;
                match has_more {
                    true => drop(bytes.splice(middle..middle, [7; 10])),
                    false => drop(bytes.drain(middle..middle + 10)),
                }
                std::fs::write(path, bytes).unwrap();
                assert!(lost_in(dir.path()) <= 1, "{from_end} {has_more}");
            }
        }
    }

    /// Frames with high numbers among those of a segment hide none of them.
    #[test]
    fn frames_of_another_place_hide_none() {
        for (from, to) in [(30_000, 4_000), (4_000, 30_000)] {
            let dir = filled();
            let segments = segments(dir.path());
            let path = &segments[segments.len() - 3];
            let mut bytes = std::fs::read(path).unwrap();
            bytes.copy_within(from..from + 5_000, to);
            std::fs::write(path, bytes).unwrap();
            assert!(lost_in(dir.path()) <= 5, "{from} {to}");
        }
    }

    #[test]
    fn a_segment_that_is_there_twice_costs_only_the_other() {
        let dir = filled();
        let segments = segments(dir.path());
        let of_one = {
            let other = filled();
            std::fs::remove_file(path_of(&other.path().join(RECORDS), 2)).unwrap();
            lost_in(other.path())
        };
        std::fs::copy(&segments[3], &segments[1]).unwrap();
        let lost = lost_in(dir.path());
        assert!(lost > 0 && lost <= of_one, "{lost}, and {of_one} with one missing");
    }

    /// A copy of an earlier moment has an index and a mark that know nothing of the later segments.
    #[test]
    fn an_old_index_and_an_old_mark_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), 0..PAGES / 2);
        let old = tempfile::tempdir().unwrap();
        for name in ["index", "mark"] {
            let copied = std::process::Command::new("cp").arg("-r").arg(dir.path().join(name)).arg(old.path()).status();
            assert!(copied.unwrap().success());
        }
        put(dir.path(), PAGES / 2..PAGES);
        std::fs::remove_dir_all(dir.path().join("index")).unwrap();
        for name in ["index", "mark"] {
            std::fs::rename(old.path().join(name), dir.path().join(name)).unwrap();
        }
        let verified = crate::maintenance::verify(dir.path()).unwrap().index.unwrap();
        assert_eq!(verified.fault.as_deref(), Some("it is older than the journal"));
        assert_eq!(lost_in(dir.path()), 0);
    }
}
