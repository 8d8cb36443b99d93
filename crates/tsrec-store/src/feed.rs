//! The change feed: the latest change of every URL, in the order of sequence numbers.

pub(crate) mod consumers;
pub(crate) mod cursor;

use std::ops::Bound;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Store;
use crate::error::Error;
use crate::feed::cursor::Cursor;
use crate::index::base::Base;
use crate::index::changes::{ChangeEntry, ChangeOperation};
use crate::index::heads;
use crate::index::heads::{HeadSort, PageHead, Tombstone};
use crate::index::stored::StoredRecord;
use crate::index::superseded::Superseded;
use crate::index::writer::{self, Writer};
use crate::key::Key;
use crate::log::op::{DeletionReason, Op};
use crate::log::packed::damaged;
use crate::record::{PageRecord, hex};
use crate::records::apply;

/// How many tombstones one commit of [`Store::prune_tombstones`] looks at. Judgement: a
/// commit stops all other writers; this many take a few milliseconds.
const PRUNE_BATCH: usize = 256;

/// One answer of the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The changes past the cursor, oldest first.
    pub changes: Vec<Change>,
    /// Where the next answer begins; also set if this one is empty.
    pub next: Cursor,
}

/// The latest change of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Change {
    /// Its sequence number. Numbers begin at 1 and grow. A gap means that a later change of the
    /// same URL replaced that change.
    pub seq: u64,
    /// The URL that changed.
    pub url: String,
    /// What happened.
    pub kind: ChangeKind,
    /// Why the page was deleted; `None` for an upsert.
    pub reason: Option<DeletionReason>,
    /// The hash of the new content; `None` for a deletion.
    pub content_hash: Option<String>,
    /// When the crawl fetched the page, or found that it is gone.
    pub at: Timestamp,
}

/// What happened to a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The URL has a new or changed record.
    Upsert,
    /// The URL no longer has a record.
    Delete,
}

/// A change, and for an upsert its record, not unpacked.
pub type ChangeWithRecord = (Change, Option<StoredRecord>);

impl Store {
    /// At most `limit` durable changes past the cursor, or from the start. Reads as many entries.
    ///
    /// # Errors
    ///
    /// [`Error::is_gone`] if the cursor is of another epoch, or if the store has pruned deletions
    /// it has not seen; [`Error::is_invalid`] if it is past the newest sequence; the database's
    /// errors. A cursor at sequence 0 is never gone.
    pub fn changes(&self, since: Option<Cursor>, limit: usize) -> Result<Changes, Error> {
        let (changes, next) = self.read_feed(since, limit, |change, _| Ok(Some(change)))?;
        Ok(Changes { changes, next })
    }

    /// As [`Store::changes`], and with each upsert its record as of that change. The answer is
    /// shorter than `limit` if the records would exceed `most_bytes` of unpacked JSON together.
    /// It always contains the first change. Writers wait while it reads.
    ///
    /// # Errors
    ///
    /// As [`Store::changes`]; also [`Error::is_damaged`].
    #[doc(hidden)]
    pub fn changes_with_records(
        &self,
        since: Option<Cursor>,
        limit: usize,
        most_bytes: u64,
    ) -> Result<(Vec<ChangeWithRecord>, Cursor), Error> {
        let mut bytes = 0u64;
        self.read_feed(since, limit, |change, superseded| {
            let is_first = bytes == 0;
            let record = match (change.kind, superseded) {
                (ChangeKind::Delete, _) => None,
                (ChangeKind::Upsert, Some(superseded)) => superseded.record.clone(),
                (ChangeKind::Upsert, None) => Some(record_of(self.database.base(), &change)?),
            };
            bytes = bytes.saturating_add(record.as_ref().map_or(1, StoredRecord::json_len));
            Ok((bytes <= most_bytes || is_first).then_some((change, record)))
        })
    }

    /// The newest durable changes, newest first, at most `limit`.
    ///
    /// # Errors
    ///
    /// The database's errors.
    #[doc(hidden)]
    pub fn newest_changes(&self, limit: usize) -> Result<Vec<Change>, Error> {
        let _no_writer = self.database.base().state();
        let (durable, _) = self.database.base().durable_end().read(u64::MAX);
        let newest =
            self.database.base().trees().changes.range::<[u8; 8], _>(..=durable.to_be_bytes()).rev().take(limit);
        newest
            .map(|entry| {
                let (seq, entry) = entry.map_err(Error::sled("read its changes"))?;
                change(sequence_of(&seq)?, &entry)
            })
            .collect()
    }

    /// As [`Store::changes`], and with each upsert its record as of that change. The second list
    /// is as long as the changes, with `None` for a deletion. The answer is shorter than `limit`
    /// if the records would exceed `most_bytes` of JSON together. It always contains the first
    /// change. Writers wait while it reads.
    ///
    /// # Errors
    ///
    /// As [`Store::changes`]; also [`Error::is_damaged`].
    pub fn changes_with_pages(
        &self,
        since: Option<Cursor>,
        limit: usize,
        most_bytes: u64,
    ) -> Result<(Changes, Vec<Option<PageRecord>>), Error> {
        let (rows, next) = self.changes_with_records(since, limit, most_bytes)?;
        let (changes, records): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let records = records.into_iter().map(|record| record.map(StoredRecord::unpack).transpose());
        Ok((Changes { changes, next }, records.collect::<Result<_, _>>()?))
    }

    /// Passes the changes past the cursor to `take`, in order, and with a superseded change its
    /// kept record. It stops at `limit`, or when `take` stops. Returns the results and the cursor
    /// after the last. All of it shows one moment.
    fn read_feed<T>(
        &self,
        since: Option<Cursor>,
        limit: usize,
        mut take: impl FnMut(Change, Option<&Superseded>) -> Result<Option<T>, Error>,
    ) -> Result<(Vec<T>, Cursor), Error> {
        let state = self.database.base().state();
        let since = since.filter(|cursor| cursor.sequence > 0);
        if let Some(cursor) = since {
            cursor.check(self.database.base().epoch(), state.floor, state.last_sequence)?;
        }
        let start = since.map_or(0, |cursor| cursor.sequence);
        let (durable, superseded) = self.database.base().durable_end().read(start);
        let range = (Bound::Excluded(start.to_be_bytes()), Bound::Included(durable.max(start).to_be_bytes()));
        let in_tree = self.database.base().trees().changes.range::<[u8; 8], _>(range).take(limit);
        let mut rows = in_tree
            .map(|entry| {
                let (seq, entry) = entry.map_err(Error::sled("read its changes"))?;
                Ok((change(sequence_of(&seq)?, &entry)?, None))
            })
            .collect::<Result<Vec<_>, Error>>()?;
        for older in &superseded {
            rows.push((change(older.seq, &older.entry)?, Some(&**older)));
        }
        rows.sort_by_key(|(change, _)| change.seq);
        // At the end of the feed, later sequences up to the durable one are superseded. The next
        // read need not look for them again.
        let reads_all = rows.len() < limit;
        let mut sequence = if reads_all { durable.max(start) } else { start };
        let mut taken = Vec::new();
        let mut before = start;
        for (change, older) in rows.into_iter().take(limit) {
            let seq = change.seq;
            let Some(row) = take(change, older)? else {
                sequence = before;
                break;
            };
            taken.push(row);
            before = seq;
            sequence = sequence.max(seq);
        }
        let floor = (sequence < state.floor).then_some(state.floor);
        Ok((taken, Cursor { epoch: self.database.base().epoch(), sequence, floor }))
    }

    /// Waits until a change past this sequence is durable, and returns the newest durable
    /// sequence. A change before the call counts too, so no wake-up is lost between an empty
    /// answer and the wait. `None` when the database has closed.
    pub fn changed(&self, after: u64) -> impl Future<Output = Option<u64>> + Send + use<> {
        let mut durable = self.database.base().durable_end().subscribe();
        async move { durable.wait_for(|sequence| *sequence > after).await.ok().map(|sequence| *sequence) }
    }

    /// Forgets the deletions from before a time, and returns their number. Readers that have not
    /// seen them must start over. Walks over all tombstones, a few hundred in a commit.
    ///
    /// # Errors
    ///
    /// The database's errors; tombstones pruned before the error stay pruned.
    #[doc(hidden)]
    pub fn prune_tombstones(&self, before: Timestamp) -> Result<u64, Error> {
        self.prune_seen_tombstones(before, u64::MAX)
    }

    /// As [`Store::prune_tombstones`], but only up to a sequence number: the one that all
    /// [consumers](Store::seen_by_all) have seen.
    ///
    /// # Errors
    ///
    /// As [`Store::prune_tombstones`].
    #[doc(hidden)]
    pub fn prune_seen_tombstones(&self, before: Timestamp, seen: u64) -> Result<u64, Error> {
        let mut pruned = 0;
        let mut from = Bound::Included(heads::tree_prefix(HeadSort::Tombstone, None));
        while let Some((last, count)) = self.prune_batch(from, before, seen)? {
            pruned += count;
            from = Bound::Excluded(last);
        }
        Ok(pruned)
    }

    /// Looks at a batch of tombstones. Returns the key of the last, and how many it pruned;
    /// `None` if there were none to look at.
    fn prune_batch(&self, from: Bound<Vec<u8>>, before: Timestamp, seen: u64) -> Result<Option<(Vec<u8>, u64)>, Error> {
        let prefix = heads::tree_prefix(HeadSort::Tombstone, None);
        let mut writer = Writer::new(self.database.base());
        let (mut last, mut forgotten) = (None, Vec::new());
        for entry in self.database.base().trees().heads.range::<Vec<u8>, _>((from, Bound::Unbounded)).take(PRUNE_BATCH)
        {
            let (tree_key, head) = entry.map_err(Error::sled("read its tombstones"))?;
            if !tree_key.starts_with(&prefix) {
                break;
            }
            let tombstone: Tombstone = heads::decode(&head)?;
            if tombstone.at < before && tombstone.seq <= seen {
                forgotten.push(heads::url_key(&tree_key)?);
                writer.state.floor = writer.state.floor.max(tombstone.seq);
            }
            last = Some(tree_key.to_vec());
        }
        let pruned = forgotten.len() as u64;
        if pruned > 0 {
            let keys = forgotten.iter().map(|key| key.as_str().to_owned()).collect();
            writer.append(Op::Forget { keys }, None)?;
            apply::forget(&mut writer, &forgotten)?;
            writer.commit()?;
        }
        Ok(last.map(|last| (last, pruned)))
    }
}

/// The record of a change, as of the moment of reading the change: the caller holds the reader's
/// lock.
fn record_of(base: &Base, change: &Change) -> Result<StoredRecord, Error> {
    let key = Key::parse(&change.url)?;
    let head: Option<PageHead> = writer::head(base, HeadSort::Page, &key)?;
    let head = head.filter(|head| head.page.seq == change.seq);
    let head = head.ok_or_else(|| damaged("the feed has a change that its record has not", key.as_bytes()))?;
    StoredRecord::new(base, key, head)
}

pub(crate) fn sequence_of(key: &[u8]) -> Result<u64, Error> {
    key.try_into().map(u64::from_be_bytes).map_err(Error::decode("a sequence number"))
}

pub(crate) fn change(seq: u64, entry: &[u8]) -> Result<Change, Error> {
    let ChangeEntry { url, at, what } = postcard::from_bytes(entry).map_err(Error::decode("a change"))?;
    let (kind, reason, content_hash) = match what {
        ChangeOperation::Upsert(hash) => (ChangeKind::Upsert, None, Some(hex(&hash))),
        ChangeOperation::Delete(reason) => (ChangeKind::Delete, Some(reason), None),
    };
    Ok(Change { seq, url, kind, reason, content_hash, at })
}
