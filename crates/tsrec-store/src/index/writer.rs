//! One commit: the new journal frames, and the changes to the index.

mod fill;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{PoisonError, RwLockWriteGuard};

use serde::{Serialize, de::DeserializeOwned};
use sled::IVec;

use crate::Config;
use crate::error::Error;
use crate::index::base::{Base, Which};
use crate::index::heads::{HeadSort, decode, tree_key};
use crate::index::space::{Stamp, stamped, unstamped};
use crate::index::state::{State, Trees};
use crate::index::superseded::Superseded;
use crate::index::tree::IndexTree;
use crate::key::Key;
use crate::log::op::{JournalEntry, Op};
use crate::log::packed::Packed;
use crate::log::value::StoredValue;
use crate::log::{End, Place};

/// A writer runs alone: no other writer and no reader of several keys runs at the same time. So
/// it may read, decide, and then write. It appends values to a journal at once and gathers
/// entries. [`Writer::commit`] makes all of them visible, or nothing; sled has them after
/// [`Base::settle`]. If a writer is dropped, it removes what it appended.
pub(crate) struct Writer<'a> {
    base: &'a Base,
    guard: RwLockWriteGuard<'a, State>,
    pub(crate) state: State,
    /// Superseded changes, each with its successor's sequence first.
    pub(crate) superseded: Vec<(u64, Superseded)>,
    heads: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    changes: BTreeMap<[u8; 8], Option<Vec<u8>>>,
    spaces: BTreeMap<Vec<u8>, SpaceChange>,
    /// Parts of frames that are dead after the commit: writes of spaces.
    dead_writes: Vec<Stamp>,
    /// Frames that are dead after the commit.
    dead: Vec<(Which, Place)>,
    ends: [End; 2],
    is_committed: bool,
    /// The journal is being replayed: frames exist already, and nobody reads the feed.
    pub(crate) replays: bool,
    /// The index is being filled: see `fill`.
    pub(crate) fills: bool,
    /// Bytes of the gathered entries, counted each time that one is written.
    pub(crate) bytes: usize,
}

/// What an entry that waits takes besides its key and value, in bytes. Judgement.
const ENTRY_LEN: usize = 64;

/// The changes of a space's tree.
struct SpaceChange {
    tree: IndexTree,
    entries: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(base: &'a Base) -> Writer<'a> {
        // A commit replaces the whole state behind the lock, so a panic elsewhere leaves no
        // partial change.
        let guard = base.state_lock().write().unwrap_or_else(PoisonError::into_inner);
        let state = guard.clone();
        Writer {
            base,
            guard,
            state,
            superseded: Vec::new(),
            heads: BTreeMap::new(),
            changes: BTreeMap::new(),
            spaces: BTreeMap::new(),
            dead_writes: Vec::new(),
            dead: Vec::new(),
            ends: [base.journal(Which::Records).end(), base.journal(Which::Bodies).end()],
            is_committed: false,
            replays: false,
            fills: false,
            bytes: 0,
        }
    }

    pub(crate) fn config(&self) -> &'a Config {
        self.base.config()
    }

    pub(crate) fn base(&self) -> &'a Base {
        self.base
    }

    /// The trees before this writer's commit.
    pub(crate) fn trees(&self) -> &'a Trees {
        self.base.trees()
    }

    /// A head as of this writer's commit.
    pub(crate) fn head<T: DeserializeOwned>(&self, sort: HeadSort, key: &Key) -> Result<Option<T>, Error> {
        match self.heads.get(&tree_key(sort, key)) {
            Some(head) => head.as_deref().map(decode).transpose(),
            // An empty index has no values, and filling adds none.
            None if self.fills && sort.can_be_had_again() => Ok(None),
            None => head(self.base, sort, key),
        }
    }

    /// The bytes of a head before this writer's commit.
    pub(crate) fn head_bytes(&self, sort: HeadSort, key: &Key) -> Result<Option<sled::IVec>, Error> {
        self.trees().heads.get(tree_key(sort, key)).map_err(Error::sled("read a head"))
    }

    pub(crate) fn put_head<T: Serialize>(&mut self, sort: HeadSort, key: &Key, head: &T) -> Result<(), Error> {
        let value = postcard::to_stdvec(head).map_err(Error::encode("a head"))?;
        let key = tree_key(sort, key);
        self.bytes += key.len() + value.len();
        self.heads.insert(key, Some(value));
        Ok(())
    }

    pub(crate) fn remove_head(&mut self, sort: HeadSort, key: &Key) {
        self.heads.insert(tree_key(sort, key), None);
    }

    /// An entry of the tree `changes` as of this writer's commit.
    pub(crate) fn change(&self, seq: u64) -> Result<Option<Vec<u8>>, Error> {
        match self.changes.get(&seq.to_be_bytes()) {
            Some(entry) => Ok(entry.clone()),
            None => {
                let entry = self.trees().changes.get(seq.to_be_bytes()).map_err(Error::sled("read a change"))?;
                Ok(entry.map(|entry| entry.to_vec()))
            }
        }
    }

    pub(crate) fn put_change(&mut self, seq: u64, entry: Vec<u8>) {
        self.bytes += entry.len();
        self.changes.insert(seq.to_be_bytes(), Some(entry));
    }

    pub(crate) fn remove_change(&mut self, seq: u64) {
        self.changes.insert(seq.to_be_bytes(), None);
    }

    /// Appends an operation to the journal of records, with its record if it has one.
    pub(crate) fn append(&mut self, op: Op, packed: Option<&Packed>) -> Result<Place, Error> {
        let entry = self.entry(op);
        let journal = self.base.journal(Which::Records);
        match packed {
            Some(packed) => journal.append(&entry, packed),
            None => journal.append_bytes(&entry, &[], 0),
        }
    }

    /// Appends a frame again that was in a journal already.
    pub(crate) fn append_again(&mut self, which: Which, op: Op, value: &[u8], raw_len: usize) -> Result<Place, Error> {
        let entry = self.entry(op);
        self.base.journal(which).append_bytes(&entry, value, raw_len)
    }

    /// Counts the frame of a record that was in the journal before.
    pub(crate) fn revive(&self, place: Place) {
        self.base.journal(Which::Records).revive(place.segment, place.len.into());
    }

    /// Marks a frame as dead after the commit.
    pub(crate) fn bury(&mut self, which: Which, place: Place) {
        self.dead.push((which, place));
    }

    /// An entry of a space's tree as of this writer's commit, with its stamp.
    pub(crate) fn in_space(&self, tree: &IndexTree, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        if let Some(after) = self.spaces.get(&*tree.sled().name()).and_then(|change| change.entries.get(key)) {
            return Ok(after.clone());
        }
        let entry = tree.get(key).map_err(Error::sled("read an entry of a space"))?;
        Ok(entry.map(|entry| entry.to_vec()))
    }

    /// Changes an entry of a logged space. The frame of the stamp has the same change.
    pub(crate) fn put_logged(
        &mut self,
        tree: &IndexTree,
        key: &[u8],
        value: Option<&[u8]>,
        stamp: Stamp,
    ) -> Result<(), Error> {
        let before = self.change_space(tree, key, value.map(|value| stamped(stamp, value)))?;
        self.dead_writes.extend(before.as_deref().and_then(unstamped).map(|(stamp, _)| stamp));
        Ok(())
    }

    /// Changes an entry of a derived space.
    pub(crate) fn put_derived(&mut self, tree: &IndexTree, key: &[u8], value: Option<&[u8]>) -> Result<(), Error> {
        self.change_space(tree, key, value.map(<[u8]>::to_vec)).map(drop)
    }

    /// Returns the entry as it was.
    fn change_space(&mut self, tree: &IndexTree, key: &[u8], after: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, Error> {
        self.bytes += key.len() + after.as_ref().map_or(0, Vec::len);
        let name = tree.sled().name();
        if !self.spaces.contains_key(&*name) {
            self.spaces.insert(name.to_vec(), SpaceChange { tree: tree.clone(), entries: BTreeMap::new() });
        }
        let Some(space) = self.spaces.get_mut(&*name) else { return Ok(None) };
        if let Some(change) = space.entries.get_mut(key) {
            return Ok(std::mem::replace(change, after));
        }
        // Filling sees what was there when it inserts the entry.
        let before = match self.fills {
            true => None,
            false => tree.get(key).map_err(Error::sled("read an entry of a space"))?,
        };
        space.entries.insert(key.to_vec(), after);
        Ok(before.map(|before| before.to_vec()))
    }

    /// Writes to sled what earlier commits left.
    pub(crate) fn settle(&mut self) -> Result<(), Error> {
        self.base.settle_in(&mut self.guard)?;
        self.state.digest = self.guard.digest;
        Ok(())
    }

    fn entry(&self, op: Op) -> JournalEntry {
        JournalEntry { last_sequence: self.state.last_sequence, floor: self.state.floor, op }
    }

    pub(crate) fn commit(mut self) -> Result<(), Error> {
        if !self.replays {
            self.state.number = self.base.journal(Which::Records).last_number();
            self.state.bodies = self.base.journal(Which::Bodies).last_number();
        }
        self.base.settle_if_full(&mut self.guard)?;
        self.state.digest = self.guard.digest;
        match self.fills {
            true => self.fill()?,
            false => self.hold(),
        }
        self.is_committed = true;
        for (which, place) in self.dead.drain(..) {
            self.base.journal(which).bury(place);
        }
        for Stamp { number, weight } in self.dead_writes.drain(..) {
            self.base.journal(Which::Records).bury_part(number, weight);
        }
        *self.guard = self.state.clone();
        for (newer, older) in self.superseded.drain(..) {
            self.base.durable_end().note(newer, older);
        }
        Ok(())
    }

    /// Leaves the gathered entries at their trees.
    fn hold(&mut self) {
        let trees = self.base.trees();
        let mut bytes = add(&trees.heads, std::mem::take(&mut self.heads));
        bytes += add(&trees.changes, std::mem::take(&mut self.changes));
        for SpaceChange { tree, entries } in std::mem::take(&mut self.spaces).into_values() {
            bytes += add(&tree, entries);
        }
        self.base.unsettled_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Returns the bytes that the entries take, removals included.
fn add<K: AsRef<[u8]>>(tree: &IndexTree, entries: BTreeMap<K, Option<Vec<u8>>>) -> usize {
    let mut waiting = tree.waiting_mut();
    let mut bytes = 0;
    for (key, value) in entries {
        let (key, value) = (IVec::from(key.as_ref()), value.map(IVec::from));
        bytes += ENTRY_LEN + key.len() + value.as_ref().map_or(0, |value| value.len());
        waiting.insert(key, value);
    }
    bytes
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            let [records, bodies] = self.ends;
            self.base.journal(Which::Records).rewind(records);
            self.base.journal(Which::Bodies).rewind(bodies);
        }
    }
}

/// Reads a head: one entry, so it needs no lock.
pub(crate) fn head<T: DeserializeOwned>(base: &Base, sort: HeadSort, key: &Key) -> Result<Option<T>, Error> {
    let head = base.trees().heads.get(tree_key(sort, key)).map_err(Error::sled("read a head"))?;
    head.map(|bytes| decode(&bytes)).transpose()
}

/// Reads a head and its value. Both are of one commit.
pub(crate) fn value_in<T: DeserializeOwned>(
    base: &Base,
    which: Which,
    sort: HeadSort,
    key: &Key,
    place: impl Fn(&T) -> Place,
) -> Result<Option<(T, Vec<u8>)>, Error> {
    let (found, value) = {
        let _no_writer = base.state();
        let Some(found) = head::<T>(base, sort, key)? else { return Ok(None) };
        let value = StoredValue::at(base.journal(which), place(&found))?;
        (found, value)
    };
    Ok(Some((found, value.unpack()?)))
}

/// Closes the last segment of a journal and begins a new one.
pub(crate) fn begin_segment(base: &Base, which: Which, epoch: u64) -> Result<(), Error> {
    let mut writer = Writer::new(base);
    // An index that lacks frames of the segment before looks older than the journal.
    writer.settle()?;
    base.journal(which).begin_segment(epoch, writer.state.last_sequence, writer.state.floor)?;
    writer.commit()?;
    // And so does one that knows no frame of the last segment.
    base.settle()
}
