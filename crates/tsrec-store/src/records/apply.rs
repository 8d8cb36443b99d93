//! How a journal operation changes sled: the same for a new operation and for a replay.

use jiff::Timestamp;

use crate::bodies::uses;
use crate::error::Error;
use crate::index::base::Which;
use crate::index::changes;
use crate::index::heads::{HeadSort, PageHead, Tombstone};
use crate::index::stored::StoredRecord;
use crate::index::superseded::Superseded;
use crate::index::writer::Writer;
use crate::key::Key;
use crate::log::Place;
use crate::log::op::DeletionReason;

/// A deletion as in the journal.
pub(crate) struct Deletion {
    pub(crate) seq: u64,
    pub(crate) reason: DeletionReason,
    pub(crate) at: Timestamp,
}

/// Gives a page this record. Its change replaces the previous one, unless it is the same. O(log
/// entries).
pub(crate) fn put(writer: &mut Writer<'_>, key: &Key, head: PageHead) -> Result<(), Error> {
    let page = &head.page;
    let before: Option<PageHead> = writer.head(HeadSort::Page, key)?;
    if let Some(before) = &before {
        writer.bury(Which::Records, before.place);
    }
    writer.state.pages += u64::from(before.is_none());
    if before.as_ref().is_none_or(|before| before.page.seq != page.seq) {
        match before {
            Some(before) => supersede(writer, page.seq, before.page.seq, Some((key, before)))?,
            None => {
                if let Some(tombstone) = take_tombstone(writer, key)? {
                    supersede(writer, page.seq, tombstone.seq, None)?;
                }
            }
        }
        writer.put_change(page.seq, changes::upserted(key, page.content_hash, page.changed_at)?);
    }
    writer.put_head(HeadSort::Page, key, &head)
}

/// Removes a page's record.
pub(crate) fn delete(writer: &mut Writer<'_>, key: &Key, deletion: Deletion, place: Place) -> Result<(), Error> {
    let Deletion { seq, reason, at } = deletion;
    if let Some(before) = writer.head::<PageHead>(HeadSort::Page, key)? {
        writer.remove_head(HeadSort::Page, key);
        writer.bury(Which::Records, before.place);
        writer.state.pages -= 1;
        supersede(writer, seq, before.page.seq, Some((key, before)))?;
    } else if let Some(tombstone) = take_tombstone(writer, key)? {
        writer.remove_change(tombstone.seq);
    }
    writer.put_head(HeadSort::Tombstone, key, &Tombstone { seq, at, place })?;
    writer.state.tombstones += 1;
    writer.put_change(seq, changes::deleted(key, reason, at)?);
    uses::remove(writer, key).map(drop)
}

/// Forgets deletions: removes the tombstones and their changes.
pub(crate) fn forget(writer: &mut Writer<'_>, keys: &[Key]) -> Result<(), Error> {
    for key in keys {
        if let Some(tombstone) = take_tombstone(writer, key)? {
            writer.remove_change(tombstone.seq);
        }
    }
    Ok(())
}

/// Removes a lost page: no record, change or tombstone remains.
pub(crate) fn lose(writer: &mut Writer<'_>, key: &Key) -> Result<(), Error> {
    if let Some(before) = writer.head::<PageHead>(HeadSort::Page, key)? {
        writer.remove_head(HeadSort::Page, key);
        writer.remove_change(before.page.seq);
        writer.state.pages -= 1;
    }
    Ok(())
}

/// Removes the tombstone of a URL, if there is one.
fn take_tombstone(writer: &mut Writer<'_>, key: &Key) -> Result<Option<Tombstone>, Error> {
    if writer.state.tombstones == 0 {
        return Ok(None);
    }
    let tombstone: Option<Tombstone> = writer.head(HeadSort::Tombstone, key)?;
    if let Some(tombstone) = &tombstone {
        writer.remove_head(HeadSort::Tombstone, key);
        writer.bury(Which::Records, tombstone.place);
        writer.state.tombstones -= 1;
    }
    Ok(tombstone)
}

/// Removes a change from the feed, and keeps it for readers until its successor is durable.
fn supersede(writer: &mut Writer<'_>, newer: u64, older: u64, page: Option<(&Key, PageHead)>) -> Result<(), Error> {
    // If damage took the entry, that is no reason to refuse the next.
    if !writer.replays
        && let Some(entry) = writer.change(older)?
    {
        let record = page.and_then(|(key, head)| writer.stored(key, head).ok());
        writer.superseded.push((newer, Superseded { seq: older, entry, record }));
    }
    writer.remove_change(older);
    Ok(())
}

impl Writer<'_> {
    fn stored(&self, key: &Key, head: PageHead) -> Result<StoredRecord, Error> {
        StoredRecord::new(self.base(), key.clone(), head)
    }
}
