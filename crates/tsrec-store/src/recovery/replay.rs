//! Replays the journal's frames that sled does not have.

use crate::error::Error;
use crate::index::Salvaged;
use crate::index::base::Base;
use crate::index::heads::PageHead;
use crate::index::space;
use crate::index::state::State;
use crate::index::writer::Writer;
use crate::key::Key;
use crate::log::Place;
use crate::log::RECORDS;
use crate::log::op::{JournalEntry, Op};
use crate::log::packed::unpack;
use crate::records::apply::{self, Deletion};
use crate::records::following;
use crate::records::memories;
use crate::recovery::{BATCH, scan_journal, transact};

/// Frames to apply together, with the writes of spaces.
type Batch = Vec<(Place, JournalEntry, Vec<u8>)>;

/// Bytes of writes of spaces applied in one transaction.
const BATCH_BYTES: usize = 1 << 20;

/// Replays the frames past a number. Returns how many.
pub(super) fn replay(base: &Base, after: u64, keep_urls: bool, urls: &mut Vec<Salvaged>) -> Result<u64, Error> {
    let mut batch: Batch = Vec::new();
    let mut count = 0;
    let mut failed = None;
    let dir = base.path().to_owned();
    let flush = |batch: &mut Batch| {
        transact(base, |writer| {
            batch.drain(..).try_for_each(|(place, entry, writes)| apply_again(writer, place, entry, &writes))
        })
    };
    let mut bytes = 0;
    scan_journal(&dir, RECORDS, |place, entry, value| {
        if place.number <= after || failed.is_some() {
            return Ok(());
        }
        if let Op::Put { key, .. } = &entry.op
            && keep_urls
        {
            urls.extend(key.split_once('\0').map(|(_, url)| (url.to_owned(), Vec::new())));
        }
        count += u64::from(!matches!(entry.op, Op::Segment { .. }));
        let writes = match &entry.op {
            Op::Spaces => unpack(value, place.raw_len as usize),
            _ => Ok(Vec::new()),
        };
        match writes {
            Ok(writes) => {
                bytes += writes.len();
                batch.push((place, entry.clone(), writes));
            }
            Err(error) => failed = Some(error),
        }
        if batch.len() >= BATCH || bytes >= BATCH_BYTES {
            bytes = 0;
            failed = failed.take().or(flush(&mut batch).err());
        }
        Ok(())
    })?;
    match failed {
        Some(error) => Err(error),
        None => flush(&mut batch).map(|()| count),
    }
}

fn apply_again(writer: &mut Writer<'_>, place: Place, entry: JournalEntry, writes: &[u8]) -> Result<(), Error> {
    let JournalEntry { last_sequence, floor, op } = entry;
    let key =
        |key: &str| Key::from_bytes(key.as_bytes()).ok_or_else(|| crate::log::packed::damaged("a key", key.as_bytes()));
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
        Op::Spaces => {
            writer.revive(place);
            space::apply(writer, place, writes)?;
        }
        Op::OldSegment { .. } | Op::Segment { .. } | Op::Collected { .. } | Op::Value { .. } => {}
    }
    let State { last_sequence: newest, floor: highest, number, .. } = &mut writer.state;
    *newest = (*newest).max(last_sequence);
    *highest = (*highest).max(floor);
    *number = place.number;
    Ok(())
}
