//! The change feed: the latest change of every URL, in the order of sequence numbers.
//!
//! # Cursors and pruned tombstones
//!
//! A cursor says how far its reader is: `epoch:sequence`. Once tombstones are pruned, up to some sequence called the floor, a reader that
//! stands before the floor may have missed one, and is sent back to the start. But a reader who is on its way from the start *since*
//! the pruning stands before the floor too, and has missed nothing: the pages behind those tombstones were already gone. Sent back, it would
//! never get through a feed longer than one answer. So while a reader stands before the floor, its cursor carries a third number, the floor that
//! held when it was given: `epoch:sequence:floor`. It is gone only when tombstones past that floor have been pruned since.

use std::fmt;
use std::ops::Bound;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Store;
use super::database::State;
use super::error::{Error, Kind};
use super::key::Key;
use super::pages::{self, Reason};
use super::record::{ContentHash, PageRecord, hex};
use super::writer::{self, Sort, Writer};

/// How many tombstones one transaction of [`Store::prune_tombstones`] looks at. Judgement: a transaction stops all other writers, this many take a
/// few milliseconds.
const PRUNE_BATCH: usize = 256;

/// A place in the feed: as text `epoch:sequence`, the epoch in sixteen hexadecimal digits, or `epoch:sequence:floor` (see the module).
/// Readers keep it and give it back as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cursor {
    epoch: u64,
    sequence: u64,
    floor: Option<u64>,
}

/// One answer of the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The changes past the cursor, oldest first.
    pub changes: Vec<Change>,
    /// Where the next answer begins; there also when this one is empty.
    pub next: Cursor,
}

/// The latest change of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its sequence number: from 1, growing, with gaps where a later change of the URL took its place.
    pub seq: u64,
    /// The URL that changed.
    pub url: String,
    /// What happened.
    pub kind: ChangeKind,
    /// Why it was deleted; `None` for an upsert.
    pub reason: Option<Reason>,
    /// The hash of the new content; `None` for a deletion.
    pub content_hash: Option<String>,
    /// When the page was fetched, or found to be gone.
    pub at: Timestamp,
}

/// What happened to a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It has a record, new or changed.
    Upsert,
    /// It has none any more.
    Delete,
}

/// A value of the tree `changes`.
#[derive(Serialize, Deserialize)]
struct Entry {
    url: String,
    at: Timestamp,
    what: What,
}

#[derive(Serialize, Deserialize)]
enum What {
    Upsert(ContentHash),
    Delete(Reason),
}

/// The head of a tombstone.
#[derive(Serialize, Deserialize)]
struct Tombstone {
    seq: u64,
    at: Timestamp,
}

impl Store {
    /// At most `limit` changes past the cursor, or from the start, among those that are durable. Reads as many entries.
    ///
    /// # Errors
    ///
    /// [`Error::is_gone`] if the cursor is of another epoch, or deletions it has not seen were pruned; [`Error::is_invalid`] if it is past the
    /// newest sequence; the database's. A cursor at sequence 0 is never gone.
    pub fn changes(&self, since: Option<Cursor>, limit: usize) -> Result<Changes, Error> {
        // Held to the end: what is read is of one moment.
        let state = self.database.state();
        self.changes_at(&state, since, limit)
    }

    /// As [`Store::changes`], and with each upsert the record it speaks of, as it was at that change. The second list is as long as the
    /// changes, with `None` for a deletion. The answer is shorter than `limit` where the compressed records would be more than `most_bytes`
    /// together; the first change is given in any case. Writers wait while it reads.
    ///
    /// # Errors
    ///
    /// As [`Store::changes`]; also [`Error::is_damaged`].
    pub fn changes_with_pages(
        &self,
        since: Option<Cursor>,
        limit: usize,
        most_bytes: usize,
    ) -> Result<(Changes, Vec<Option<PageRecord>>), Error> {
        let state = self.database.state();
        let mut answer = self.changes_at(&state, since, limit)?;
        let (mut packed, mut bytes) = (Vec::new(), 0);
        for change in &answer.changes {
            let record = match change.kind {
                ChangeKind::Upsert => Some(pages::read(&self.database, &state, change)?),
                ChangeKind::Delete => None,
            };
            bytes += record.as_ref().map_or(0, pages::PackedRecord::len);
            if bytes > most_bytes && !packed.is_empty() {
                break;
            }
            packed.push(record);
        }
        if packed.len() < answer.changes.len() {
            // Nothing has moved meanwhile, so the same reading gives the same changes, and the cursor behind the last that is kept.
            answer = self.changes_at(&state, since, packed.len())?;
        }
        drop(state);
        let records = packed.into_iter().map(|record| record.map(pages::PackedRecord::unpack).transpose());
        Ok((answer, records.collect::<Result<_, _>>()?))
    }

    fn changes_at(&self, state: &State, since: Option<Cursor>, limit: usize) -> Result<Changes, Error> {
        let since = since.filter(|cursor| cursor.sequence > 0);
        if let Some(cursor) = since {
            cursor.check(self.database.epoch(), state.floor, state.last_sequence)?;
        }
        let start = since.map_or(0, |cursor| cursor.sequence);
        let durable = self.database.readable_sequence(start);
        let range = (Bound::Excluded(start.to_be_bytes()), Bound::Included(durable.max(start).to_be_bytes()));
        let entries = self.database.trees().changes.range::<[u8; 8], _>(range).take(limit);
        let changes = entries
            .map(|entry| entry.map_err(Error::sled("read its changes")).and_then(|(seq, entry)| change(&seq, &entry)))
            .collect::<Result<Vec<_>, _>>()?;
        let sequence = match changes.last() {
            Some(last) if changes.len() == limit => last.seq,
            // The end is reached: whatever had the numbers between is superseded, and need not be looked for again.
            _ if limit > 0 => durable.max(start),
            _ => start,
        };
        let floor = (sequence < state.floor).then_some(state.floor);
        Ok(Changes { changes, next: Cursor { epoch: self.database.epoch(), sequence, floor } })
    }

    /// Waits until a change past this sequence is durable, and gives the newest sequence that is. One that came before the call counts: no
    /// wake-up is lost between an empty answer and the wait for more. `None` when the database has closed.
    pub fn changed(&self, after: u64) -> impl Future<Output = Option<u64>> + Send + use<> {
        let mut durable = self.database.durable_sequence();
        async move { durable.wait_for(|sequence| *sequence > after).await.ok().map(|sequence| *sequence) }
    }

    /// Forgets the deletions from before a time, and gives their number. Readers that have not seen them will have to start over. Walks over
    /// all tombstones, a few hundred in a transaction.
    ///
    /// # Errors
    ///
    /// The database's; what was pruned before it stays pruned.
    pub fn prune_tombstones(&self, before: Timestamp) -> Result<u64, Error> {
        let mut pruned = 0;
        let mut from = Bound::Included(writer::tree_prefix(Sort::Tombstone, None));
        while let Some((last, count)) = self.prune_batch(from, before)? {
            pruned += count;
            from = Bound::Excluded(last);
        }
        Ok(pruned)
    }

    /// Looks at a batch of tombstones. Gives the key of the last of them, and how many were pruned; `None` if there were none to look at.
    fn prune_batch(&self, from: Bound<Vec<u8>>, before: Timestamp) -> Result<Option<(Vec<u8>, u64)>, Error> {
        let prefix = writer::tree_prefix(Sort::Tombstone, None);
        let mut writer = Writer::new(&self.database);
        let mut last = None;
        let mut pruned = 0;
        for entry in self.database.trees().heads.range((from, Bound::Unbounded)).take(PRUNE_BATCH) {
            let (tree_key, head) = entry.map_err(Error::sled("read its tombstones"))?;
            if !tree_key.starts_with(&prefix) {
                break;
            }
            let tombstone: Tombstone = writer::decode(&head)?;
            if tombstone.at < before {
                let key = writer::url_key(&tree_key)?;
                take_tombstone(&mut writer, &key)?;
                writer.changes.remove(&tombstone.seq.to_be_bytes());
                writer.state.floor = writer.state.floor.max(tombstone.seq);
                pruned += 1;
            }
            last = Some(tree_key.to_vec());
        }
        if pruned > 0 {
            writer.commit()?;
        }
        Ok(last.map(|last| (last, pruned)))
    }
}

/// Adds the change of a page that has a record now, in the place of the one before. Gives its sequence number.
pub(super) fn upsert(
    writer: &mut Writer<'_>,
    key: &Key,
    superseded: Option<u64>,
    content_hash: ContentHash,
    at: Timestamp,
) -> Result<u64, Error> {
    add(writer, superseded, Entry { url: key.url().to_owned(), at, what: What::Upsert(content_hash) })
}

/// Adds the change of a page that has no record any more, and its tombstone. Gives its sequence number.
pub(super) fn bury(
    writer: &mut Writer<'_>,
    key: &Key,
    superseded: u64,
    reason: Reason,
    at: Timestamp,
) -> Result<u64, Error> {
    let seq = add(writer, Some(superseded), Entry { url: key.url().to_owned(), at, what: What::Delete(reason) })?;
    writer.put_head(Sort::Tombstone, key, &Tombstone { seq, at })?;
    writer.state.tombstones += 1;
    Ok(seq)
}

/// Takes the tombstone of a URL away, if it has one, and gives the sequence of its change.
pub(super) fn take_tombstone(writer: &mut Writer<'_>, key: &Key) -> Result<Option<u64>, Error> {
    let tombstone: Option<Tombstone> = writer.head(Sort::Tombstone, key)?;
    Ok(tombstone.map(|tombstone| {
        writer.remove_head(Sort::Tombstone, key);
        writer.state.tombstones -= 1;
        tombstone.seq
    }))
}

fn add(writer: &mut Writer<'_>, superseded: Option<u64>, entry: Entry) -> Result<u64, Error> {
    if let Some(superseded) = superseded {
        writer.changes.remove(&superseded.to_be_bytes());
    }
    writer.state.last_sequence += 1;
    let seq = writer.state.last_sequence;
    if let Some(superseded) = superseded {
        writer.note_superseded(seq, superseded);
    }
    let value = postcard::to_stdvec(&entry).map_err(Error::encode("a change"))?;
    writer.changes.insert(&seq.to_be_bytes(), value);
    Ok(seq)
}

fn change(seq: &[u8], entry: &[u8]) -> Result<Change, Error> {
    let seq = seq.try_into().map(u64::from_be_bytes).map_err(Error::decode("a sequence number"))?;
    let Entry { url, at, what } = postcard::from_bytes(entry).map_err(Error::decode("a change"))?;
    let (kind, reason, content_hash) = match what {
        What::Upsert(hash) => (ChangeKind::Upsert, None, Some(hex(&hash))),
        What::Delete(reason) => (ChangeKind::Delete, Some(reason), None),
    };
    Ok(Change { seq, url, kind, reason, content_hash, at })
}

impl Cursor {
    /// The sequence number of the last change its reader has seen; 0 before the first.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    fn check(self, epoch: u64, floor: u64, newest: u64) -> Result<(), Error> {
        let cursor = self.to_string();
        if self.epoch != epoch {
            return Err(Kind::CursorEpoch { cursor, epoch: format!("{epoch:016x}") }.into());
        }
        if self.sequence > newest {
            return Err(Kind::CursorAhead { cursor, newest }.into());
        }
        if self.sequence < floor && self.floor.is_none_or(|seen| seen < floor) {
            return Err(Kind::CursorPruned { cursor, floor }.into());
        }
        Ok(())
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}:{}", self.epoch, self.sequence)?;
        self.floor.map_or(Ok(()), |floor| write!(f, ":{floor}"))
    }
}

impl FromStr for Cursor {
    type Err = Error;

    /// Reads what `Display` writes; anything else is [`Error::is_invalid`].
    fn from_str(text: &str) -> Result<Cursor, Error> {
        let parse = || {
            let (epoch, rest) = text.split_once(':')?;
            let (sequence, floor) =
                rest.split_once(':').map_or((rest, None), |(sequence, floor)| (sequence, Some(floor)));
            let epoch = u64::from_str_radix(epoch, 16).ok()?;
            let floor = floor.map(|floor| floor.parse().ok()).map_or(Some(None), |floor| floor.map(Some))?;
            Some(Cursor { epoch, sequence: sequence.parse().ok()?, floor })
        };
        // Other spellings of the same numbers (`+1`, `01`) are refused: a cursor is given back as it was given out.
        let cursor = parse().filter(|cursor| cursor.to_string() == text);
        cursor.ok_or_else(|| Kind::CursorText { text: text.chars().take(80).collect() }.into())
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> String {
        cursor.to_string()
    }
}

impl TryFrom<String> for Cursor {
    type Error = Error;

    fn try_from(text: String) -> Result<Cursor, Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_as_they_are_written_and_not_otherwise() {
        for (text, good) in [
            ("00000000000000ff:0", true),
            ("00000000000000ff:18446744073709551615", true),
            ("00000000000000ff:3:9", true),
            ("ff:3", false),
            ("00000000000000FF:3", false),
            ("00000000000000ff:03", false),
            ("00000000000000ff:+3", false),
            ("00000000000000ff:3:", false),
            ("00000000000000ff:3:4:5", false),
            ("00000000000000ff:18446744073709551616", false),
            ("00000000000000ff", false),
            ("", false),
        ] {
            match text.parse::<Cursor>() {
                Ok(cursor) => assert!(good && cursor.to_string() == text, "{text}"),
                Err(error) => assert!(!good && error.is_invalid() && !error.is_gone(), "{text}: {error}"),
            }
        }
    }

    #[test]
    fn a_cursor_is_checked_against_epoch_floor_and_newest() {
        let (epoch, floor, newest) = (7, 10, 20);
        for (cursor, expect) in [
            ("0000000000000007:10", "good"),
            ("0000000000000007:20", "good"),
            ("0000000000000007:21", "invalid"),
            ("0000000000000007:9", "gone"),
            ("0000000000000007:9:8", "gone"),
            ("0000000000000007:9:10", "good"),
            ("0000000000000008:10", "gone"),
            ("0000000000000008:30", "gone"),
        ] {
            let found = match cursor.parse::<Cursor>().unwrap().check(epoch, floor, newest) {
                Ok(()) => "good",
                Err(error) if error.is_gone() => "gone",
                Err(error) if error.is_invalid() => "invalid",
                Err(error) => panic!("{error}"),
            };
            assert_eq!(found, expect, "{cursor}");
        }
    }
}
