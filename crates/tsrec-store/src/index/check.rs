//! A check of the index while it is in use: it reads all entries, some at a time, and compares the
//! sum of their digests with the one that the index keeps. [`Base::settle`] tells it what changes
//! among the entries that it has read. So it also counts the live bytes of each segment.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use super::base::{Base, Which};
use super::digest::entry_digest;
use super::heads::{self, HeadSort, place_of};
use super::space;
use crate::error::Error;
use crate::key::Key;
use crate::log::Place;

/// Entries read at a time. Writers wait meanwhile. Judgement: about a millisecond.
const PIECE: usize = 256;

/// The trees whose entries the digest sums.
pub(crate) fn is_counted(tree: &[u8]) -> bool {
    matches!(tree, b"heads" | b"changes") || space::is_logged_tree(tree) || space::is_derived_tree(tree)
}

/// A head whose frame is at a place.
pub(crate) type PlacedHead = (HeadSort, Key, Place);

/// How far a check has come, and what it found.
#[derive(Default)]
pub(crate) struct IndexCheck {
    /// Trees before this one are read, and of it the entries up to the key; all without a key.
    tree: Vec<u8>,
    key: Option<Vec<u8>>,
    sum: u64,
    /// Live bytes of segments.
    live: BTreeMap<(Which, u32), u64>,
    /// Heads whose frames are outside the journals.
    pub(crate) outside: Vec<PlacedHead>,
}

/// An entry that changed.
pub(crate) struct ChangedEntry {
    pub(crate) tree: Vec<u8>,
    pub(crate) key: Vec<u8>,
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Option<Vec<u8>>,
}

impl IndexCheck {
    /// Takes in what changed.
    pub(crate) fn note(&mut self, base: &Base, change: &ChangedEntry) {
        let ChangedEntry { tree, key, before, after } = change;
        let is_read = *tree < self.tree || *tree == self.tree && self.key.as_ref().is_none_or(|last| key <= last);
        if !is_read {
            return;
        }
        if let Some(before) = before {
            self.sum = self.sum.wrapping_sub(entry_digest(key, before));
            if let Some((of, len)) = live_in(base, tree, key, before) {
                let live = self.live.entry(of).or_default();
                *live = live.saturating_sub(len);
            }
        }
        if let Some(after) = after {
            self.count(base, tree, key, after);
        }
    }

    fn count(&mut self, base: &Base, tree: &[u8], key: &[u8], value: &[u8]) {
        self.sum = self.sum.wrapping_add(entry_digest(key, value));
        if let Some((of, len)) = live_in(base, tree, key, value) {
            *self.live.entry(of).or_default() += len;
        }
    }
}

/// The segment that has a value, and how many of its bytes.
fn live_in(base: &Base, tree: &[u8], key: &[u8], value: &[u8]) -> Option<((Which, u32), u64)> {
    if space::is_logged_tree(tree) {
        let (stamp, _) = space::unstamped(value)?;
        return Some(((Which::Records, base.journal(Which::Records).segment_of(stamp.number)?), stamp.weight));
    }
    let sort = HeadSort::from_key(key).filter(|_| tree == b"heads")?;
    let place = place_of(sort, value).ok().flatten()?;
    Some(((which(sort), place.segment), place.len.into()))
}

/// The journal that has the frames of a sort.
pub(crate) fn which(sort: HeadSort) -> Which {
    if sort.can_be_had_again() { Which::Bodies } else { Which::Records }
}

/// Begins a check.
pub(crate) fn begin(base: &Base) {
    *base.verified.check() = Some(IndexCheck::default());
}

/// Reads some entries. Returns their bytes; `None` when all are read.
pub(crate) fn step(base: &Base) -> Result<Option<u64>, Error> {
    // No writer changes anything meanwhile.
    let _no_writer = base.state();
    let mut guard = base.verified.check();
    let Some(check) = guard.as_mut() else { return Ok(None) };
    let mut names: Vec<Vec<u8>> = base.tree_names().iter().map(|name| name.to_vec()).collect();
    names.retain(|name| is_counted(name));
    names.sort();
    let is_begun = |name: &&Vec<u8>| **name == check.tree && check.key.is_some();
    let Some(name) = names.iter().find(|name| is_begun(name) || **name > check.tree).cloned() else {
        return Ok(None);
    };
    let tree = base.open_tree(&String::from_utf8_lossy(&name))?;
    let from = check.key.take_if(|_| check.tree == name);
    let entries = match from {
        Some(last) => tree.range((std::ops::Bound::Excluded(last), std::ops::Bound::Unbounded)),
        None => tree.iter(),
    };
    check.tree.clone_from(&name);
    let mut bytes = 0;
    for (at, entry) in entries.take(PIECE).enumerate() {
        let (key, value) = entry.map_err(Error::sled("read an entry"))?;
        bytes += (key.len() + value.len()) as u64;
        check.count(base, &name, &key, &value);
        if let Some(head) = placed(&name, &key, &value)?
            && !is_inside(base, &head)
        {
            check.outside.push(head);
        }
        check.key = (at + 1 == PIECE).then(|| key.to_vec());
    }
    Ok(Some(bytes))
}

/// Ends a check without a result.
pub(crate) fn abandon(base: &Base) {
    *base.verified.check() = None;
}

/// Ends a check. Returns the heads whose frames are outside the journals, or `None` if entries are
/// missing or are not the latest. The live bytes of the segments are as counted.
///
/// # Errors
///
/// sled's, while it takes in what waits for it.
pub(crate) fn end(base: &Base) -> Result<Option<Vec<PlacedHead>>, Error> {
    // The lock of a writer: the frames that sled names are all that live.
    let mut state = base.state_lock().write().unwrap_or_else(PoisonError::into_inner);
    let settled = base.settle_in(&mut state);
    let check = base.verified.check().take();
    settled?;
    let Some(check) = check.filter(|check| check.sum == state.digest) else { return Ok(None) };
    for which in [Which::Records, Which::Bodies] {
        let of = check.live.iter().filter(|((of, _), _)| *of == which);
        base.journal(which).set_live(&of.map(|((_, segment), live)| (*segment, *live)).collect());
    }
    Ok(Some(check.outside))
}

/// The head in an entry, with the place of its frame.
pub(crate) fn placed(tree: &[u8], key: &[u8], value: &[u8]) -> Result<Option<PlacedHead>, Error> {
    let Some(sort) = HeadSort::from_key(key).filter(|_| tree == b"heads") else { return Ok(None) };
    let place = place_of(sort, value)?;
    place.map(|place| Ok((sort, heads::url_key(key)?, place))).transpose()
}

fn is_inside(base: &Base, (sort, _, place): &PlacedHead) -> bool {
    let len = base.journal(which(*sort)).len_of(place.segment);
    len.is_some_and(|len| place.offset + u64::from(place.len) <= len)
}
