//! Replays the journal's frames that sled does not have.

use super::super::apply::{self, Deletion};
use super::super::database::{Database, State};
use super::super::error::Error;
use super::super::following;
use super::super::index::Salvaged;
use super::super::journal::Place;
use super::super::journal::frame::{JournalEntry, Op};
use super::super::key::Key;
use super::super::memories;
use super::super::stored::PageHead;
use super::super::writer::Writer;
use super::{BATCH, RECORDS, scan_journal, transact};

/// Replays the frames past a number. Returns how many.
pub(super) fn replay(database: &Database, after: u64, keep_urls: bool, urls: &mut Vec<Salvaged>) -> Result<u64, Error> {
    let mut batch: Vec<(Place, JournalEntry)> = Vec::new();
    let mut count = 0;
    let mut failed = None;
    let dir = database.path().to_owned();
    let flush = |batch: &mut Vec<(Place, JournalEntry)>| {
        transact(database, |writer| batch.drain(..).try_for_each(|(place, entry)| apply_again(writer, place, entry)))
    };
    scan_journal(&dir, RECORDS, |place, entry| {
        if place.number <= after || failed.is_some() {
            return Ok(());
        }
        if let Op::Put { key, .. } = &entry.op
            && keep_urls
        {
            urls.extend(key.split_once('\0').map(|(_, url)| (url.to_owned(), Vec::new())));
        }
        count += u64::from(!matches!(entry.op, Op::Segment { .. }));
        batch.push((place, entry.clone()));
        if batch.len() >= BATCH {
            failed = flush(&mut batch).err();
        }
        Ok(())
    })?;
    match failed {
        Some(error) => Err(error),
        None => flush(&mut batch).map(|()| count),
    }
}

fn apply_again(writer: &mut Writer<'_>, place: Place, entry: JournalEntry) -> Result<(), Error> {
    let JournalEntry { last_sequence, floor, op } = entry;
    let key = |key: &str| {
        Key::from_bytes(key.as_bytes()).ok_or_else(|| super::super::packed::damaged("a key", key.as_bytes()))
    };
    match op {
        Op::Put { key: of, page, sort } => {
            writer.revive(place);
            apply::put(writer, &key(&of)?, PageHead { page, place, sort })?;
        }
        Op::Delete { key: of, seq, reason, at } => {
            writer.revive(place);
            apply::delete(writer, &key(&of)?, Deletion { seq, reason, at }, place)?;
        }
        Op::Forget { keys } => {
            let keys = keys.iter().map(|of| key(of)).collect::<Result<Vec<_>, _>>()?;
            apply::forget(writer, &keys)?;
        }
        Op::Memory { host } => {
            writer.revive(place);
            memories::put_head(writer, &Key::of_host(&host), place)?;
        }
        Op::NoMemory { host } => memories::take(writer, &Key::of_host(&host))?,
        Op::Following { host, entries } => {
            writer.revive(place);
            following::put(writer, &Key::of_host(&host), entries, place)?;
        }
        Op::Segment { .. } | Op::Collected { .. } | Op::Value { .. } => {}
    }
    let State { last_sequence: newest, floor: highest, number, .. } = &mut writer.state;
    *newest = (*newest).max(last_sequence);
    *highest = (*highest).max(floor);
    *number = place.number;
    Ok(())
}
