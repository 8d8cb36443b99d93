//! Feed readers that report their position. Tombstones stay until they have been seen.
//!
//! The space `consumers` has them: name → position, and when it was reported.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind};
use crate::feed::cursor::Cursor;
use crate::{SpaceBatch, Store};

const SPACE: &str = "consumers";

/// The longest name, in bytes.
const MAX_NAME_LEN: usize = 64;

/// The most consumers. Judgement: enough for each indexer of a large shop; more names are a
/// mistake.
const MOST: u64 = 1_000;

/// A reader of the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Consumer {
    /// Its name.
    pub name: String,
    /// The cursor up to which it has read.
    pub cursor: Cursor,
    /// When it acknowledged this cursor.
    pub acknowledged_at: Timestamp,
    /// How many sequence numbers it is behind. Later changes may have replaced some of them.
    pub behind: u64,
}

/// A value of the space.
#[derive(Serialize, Deserialize)]
struct ConsumerEntry {
    cursor: Cursor,
    at: Timestamp,
}

#[doc(hidden)]
impl Store {
    /// Records that a reader has seen the feed up to a cursor. A later call may move it back.
    /// Durable after [`Database::durable`](super::Database::durable).
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a name that is not 1 to 64 letters, digits, `-`, `_` and `.`,
    /// for a name past the first thousand, or for a cursor past the end. [`Error::is_gone`] for a
    /// cursor that the feed would refuse; the database's errors.
    pub fn acknowledge(&self, name: &str, cursor: Cursor, at: Timestamp) -> Result<Consumer, Error> {
        let bad = |reason: &str| -> Result<Consumer, Error> {
            Err(Kind::Consumer { name: name.chars().take(MAX_NAME_LEN).collect(), reason: reason.to_owned() }.into())
        };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if name.is_empty() || name.len() > MAX_NAME_LEN || !name.bytes().all(is_plain) {
            return bad("a name has 1 to 64 letters, digits, hyphens, underscores and dots");
        }
        let space = self.database.space(SPACE)?;
        {
            let state = self.database.base().state();
            cursor.check(self.database.base().epoch(), state.floor, state.last_sequence)?;
        }
        let is_new = !space.contains_key(name.as_bytes())?;
        if is_new && space.count() >= MOST {
            return bad("there are a thousand consumers already; forget some");
        }
        let value = postcard::to_stdvec(&ConsumerEntry { cursor, at }).map_err(Error::encode("a consumer"))?;
        let mut batch = SpaceBatch::default();
        batch.insert(name, value);
        self.database.write(&[(&space, &batch)])?;
        Ok(self.consumer(name.to_owned(), ConsumerEntry { cursor, at }))
    }

    /// The readers that have acknowledged, by name. It skips an entry that it cannot read.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn consumers(&self) -> Result<Vec<Consumer>, Error> {
        let space = self.database.space(SPACE)?;
        let read = |entry: Result<(Vec<u8>, Vec<u8>), Error>| {
            let (name, value) = entry?;
            if let (Ok(known), Ok(entry)) = (std::str::from_utf8(&name), postcard::from_bytes(&value)) {
                return Ok(Some(self.consumer(known.to_owned(), entry)));
            }
            tracing::warn!(name = %name.escape_ascii(), "how far a reader of the feed has come cannot be read: it is forgotten until it says so again");
            let mut batch = SpaceBatch::default();
            batch.remove(name);
            self.database.write(&[(&space, &batch)])?;
            Ok(None)
        };
        space.iter().filter_map(|entry| read(entry).transpose()).collect()
    }

    /// Forgets a reader: tombstones no longer wait for it. Returns whether the reader was known.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn forget_consumer(&self, name: &str) -> Result<bool, Error> {
        let space = self.database.space(SPACE)?;
        let is_known = space.contains_key(name.as_bytes())?;
        let mut batch = SpaceBatch::default();
        batch.remove(name);
        self.database.write(&[(&space, &batch)])?;
        Ok(is_known)
    }

    /// The sequence number up to which every reader has read that acknowledged anything since a
    /// time; `None` if there is no such reader. Readers of another epoch do not count: they start
    /// over anyway.
    ///
    /// # Errors
    ///
    /// Those of [`Store::consumers`].
    pub fn seen_by_all(&self, since: Timestamp) -> Result<Option<u64>, Error> {
        let epoch = self.database.base().epoch();
        let live = self.consumers()?.into_iter();
        let live = live.filter(|consumer| consumer.acknowledged_at >= since && consumer.cursor.epoch == epoch);
        Ok(live.map(|consumer| consumer.cursor.sequence).min())
    }

    fn consumer(&self, name: String, entry: ConsumerEntry) -> Consumer {
        let ConsumerEntry { cursor, at } = entry;
        let is_of_now = cursor.epoch == self.database.base().epoch();
        let end = self.end().sequence;
        let behind = if is_of_now { end.saturating_sub(cursor.sequence) } else { end };
        Consumer { name, cursor, acknowledged_at: at, behind }
    }

    /// The durable end of the feed. If a reader reads all records from now on, and then the feed
    /// from here, it misses nothing.
    pub fn end(&self) -> Cursor {
        let state = self.database.base().state();
        let (sequence, _) = self.database.base().durable_end().read(u64::MAX);
        let floor = (sequence < state.floor).then_some(state.floor);
        Cursor { epoch: self.database.base().epoch(), sequence, floor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Database};

    #[test]
    fn a_reader_that_cannot_be_read_is_forgotten_and_the_others_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        let store = Store::new(&database);
        store.acknowledge("one", store.end(), Timestamp::UNIX_EPOCH).unwrap();
        let tree = || database.open_tree("space_consumers").unwrap();
        tree().insert("other", &b"\xff"[..]).unwrap();
        let names: Vec<String> = store.consumers().unwrap().into_iter().map(|consumer| consumer.name).collect();
        assert_eq!(names, ["one"]);
        assert_eq!(store.seen_by_all(Timestamp::UNIX_EPOCH).unwrap(), Some(0));
        assert!(!tree().contains_key("other").unwrap(), "it acknowledges once more");
    }
}
