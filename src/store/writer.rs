//! One transaction over the store's trees.

use std::sync::{PoisonError, RwLockWriteGuard};

use serde::{Serialize, de::DeserializeOwned};
use sled::transaction::{ConflictableTransactionError, TransactionError, Transactional};

use super::Config;
use super::chunks::{self, Extent, Packed};
use super::database::{Database, State, Trees};
use super::error::{Error, Kind};
use super::key::Key;
use super::superseded::Superseded;

/// What a head is the head of. The byte begins the keys of the trees `heads` and `chunks`, and is part of the format.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub(super) enum Sort {
    Page = b'p',
    Tombstone = b't',
    Held = b'h',
    Parked = b'w',
    Lesson = b'l',
    /// The order in which lessons came: its keys are numbers, its values the lessons' keys.
    LessonOrder = b'o',
}

/// A writer is alone: no other writer and no reader of several keys runs beside it. So it may read, decide, and then write. It gathers
/// what is to be written; [`Writer::commit`] writes all of it or nothing. A writer that is dropped has done nothing.
pub(super) struct Writer<'a> {
    database: &'a Database,
    guard: RwLockWriteGuard<'a, State>,
    pub(super) state: State,
    pub(super) changes: sled::Batch,
    /// Changes that others take the place of: the successor's sequence first.
    pub(super) superseded: Vec<(u64, Superseded)>,
    heads: sled::Batch,
    chunks: sled::Batch,
}

impl<'a> Writer<'a> {
    pub(super) fn new(database: &'a Database) -> Writer<'a> {
        // The state behind the lock is replaced whole, after a commit: a panic elsewhere leaves nothing half done.
        let guard = database.state_lock().write().unwrap_or_else(PoisonError::into_inner);
        let state = guard.clone();
        Writer {
            database,
            guard,
            state,
            changes: Default::default(),
            superseded: Default::default(),
            heads: Default::default(),
            chunks: Default::default(),
        }
    }

    pub(super) fn config(&self) -> &'a Config {
        self.database.config()
    }

    /// The trees as they are before this writer's commit.
    pub(super) fn trees(&self) -> &'a Trees {
        self.database.trees()
    }

    pub(super) fn head<T: DeserializeOwned>(&self, sort: Sort, key: &Key) -> Result<Option<T>, Error> {
        head(self.database, sort, key)
    }

    pub(super) fn put_head<T: Serialize>(&mut self, sort: Sort, key: &Key, head: &T) -> Result<(), Error> {
        let value = postcard::to_stdvec(head).map_err(Error::encode("a head"))?;
        self.heads.insert(tree_key(sort, key), value);
        Ok(())
    }

    pub(super) fn remove_head(&mut self, sort: Sort, key: &Key) {
        self.heads.remove(tree_key(sort, key));
    }

    /// Writes an entry of the tree `heads` that is no URL's.
    pub(super) fn put_raw(&mut self, tree_key: &[u8], value: &[u8]) {
        self.heads.insert(tree_key, value);
    }

    pub(super) fn remove_raw(&mut self, tree_key: &[u8]) {
        self.heads.remove(tree_key);
    }

    /// Writes a value's chunks in the place of those it had before. The extent goes into the head.
    pub(super) fn put_value(&mut self, sort: Sort, key: &Key, packed: &Packed, before: Option<Extent>) -> Extent {
        chunks::write(&mut self.chunks, &tree_key(sort, key), packed, before)
    }

    /// Takes a head and its chunks out.
    pub(super) fn remove_value(&mut self, sort: Sort, key: &Key, extent: Extent) {
        self.remove_head(sort, key);
        chunks::remove(&mut self.chunks, &tree_key(sort, key), extent);
    }

    pub(super) fn commit(mut self) -> Result<(), Error> {
        let (state_key, state) = Database::encode_state(&self.state)?;
        let trees = self.database.trees();
        (&trees.meta, &trees.heads, &trees.chunks, &trees.changes)
            .transaction(|(meta, heads, chunks, changes)| {
                meta.insert(state_key, state.as_slice())?;
                heads.apply_batch(&self.heads)?;
                chunks.apply_batch(&self.chunks)?;
                changes.apply_batch(&self.changes)?;
                Ok::<(), ConflictableTransactionError<()>>(())
            })
            .map_err(failed)?;
        *self.guard = self.state;
        for (newer, older) in self.superseded {
            self.database.durable_end().note(newer, older);
        }
        Ok(())
    }
}

/// The error of a transaction that never aborts of itself.
pub(crate) fn failed(error: TransactionError<()>) -> Error {
    let source = match error {
        TransactionError::Storage(source) => source,
        TransactionError::Abort(()) => sled::Error::ReportableBug("a transaction aborted that has no abort".into()),
    };
    Kind::Sled { doing: "commit a transaction", source }.into()
}

/// Reads a head: one entry, so no lock is needed for it alone.
pub(super) fn head<T: DeserializeOwned>(database: &Database, sort: Sort, key: &Key) -> Result<Option<T>, Error> {
    let head = database.trees().heads.get(tree_key(sort, key)).map_err(Error::sled("read a head"))?;
    head.map(|bytes| decode(&bytes)).transpose()
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    postcard::from_bytes(bytes).map_err(Error::decode("a head"))
}

/// Reads a head and its chunks as one transaction left them.
pub(super) fn value<T: DeserializeOwned>(
    database: &Database,
    sort: Sort,
    key: &Key,
    extent: impl Fn(&T) -> Extent,
) -> Result<Option<(T, Vec<u8>)>, Error> {
    let (found, packed) = {
        let _no_writer = database.state();
        let Some(found) = head::<T>(database, sort, key)? else { return Ok(None) };
        let packed = chunks::read(&database.trees().chunks, &tree_key(sort, key), extent(&found))?;
        (found, packed)
    };
    Ok(Some((found, chunks::unpack(&packed)?)))
}

/// The key of a head: what it is, then `host\0url`.
pub(super) fn tree_key(sort: Sort, key: &Key) -> Vec<u8> {
    [&[sort as u8], key.as_bytes()].concat()
}

/// The prefix of all heads of a sort, or of a sort and a host.
pub(super) fn tree_prefix(sort: Sort, host: Option<&str>) -> Vec<u8> {
    match host {
        Some(host) => [&[sort as u8], host.as_bytes(), b"\0"].concat(),
        None => vec![sort as u8],
    }
}

/// The URL key inside a key of the tree `heads`.
pub(super) fn url_key(tree_key: &[u8]) -> Result<Key, Error> {
    tree_key.get(1..).and_then(Key::from_bytes).ok_or_else(|| chunks::damaged("this is no key", tree_key))
}
