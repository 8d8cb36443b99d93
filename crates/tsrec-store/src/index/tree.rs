//! A tree of the index: sled's, and above it the entries that wait for the next transaction.

use std::collections::{BTreeMap, VecDeque};
use std::iter::Fuse;
use std::ops::{Bound, RangeBounds};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use sled::IVec;

/// Entries by key; `None` removes the key.
pub(crate) type WaitingEntries = BTreeMap<IVec, Option<IVec>>;

/// A tree. It shows what was committed, whether sled has it yet or not. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct IndexTree {
    sled: sled::Tree,
    waiting: Arc<RwLock<WaitingEntries>>,
}

impl IndexTree {
    pub(crate) fn new(sled: sled::Tree) -> IndexTree {
        IndexTree { sled, waiting: Arc::default() }
    }

    /// The tree without the entries that wait.
    pub(crate) fn sled(&self) -> &sled::Tree {
        &self.sled
    }

    /// The value of a key. O(log entries).
    pub(crate) fn get(&self, key: impl AsRef<[u8]>) -> sled::Result<Option<IVec>> {
        // If it is written to sled between the two lines, sled has it.
        let waiting = self.waiting().get(key.as_ref()).cloned();
        waiting.map_or_else(|| self.sled.get(key), Ok)
    }

    pub(crate) fn iter(&self) -> TreeEntries {
        self.range::<&[u8], _>(..)
    }

    /// The entries whose keys begin so.
    pub(crate) fn scan_prefix(&self, prefix: Vec<u8>) -> TreeEntries {
        let end = end_of(&prefix);
        self.range::<Vec<u8>, _>((Bound::Included(prefix), end))
    }

    /// The entries of a range, in the order of their keys. Writes during the walk may be seen or
    /// not. Copies what waits in the range.
    pub(crate) fn range<K: AsRef<[u8]>, R: RangeBounds<K>>(&self, range: R) -> TreeEntries {
        let range = (range.start_bound().map(AsRef::as_ref), range.end_bound().map(AsRef::as_ref));
        // Taken before sled's, so that nothing is in neither.
        let waiting = match is_empty(range) {
            true => VecDeque::new(),
            false => {
                let waiting = self.waiting();
                waiting.range::<[u8], _>(range).map(|(key, value)| (key.clone(), value.clone())).collect()
            }
        };
        // An end of sled's stays one: what waits may be written there meanwhile.
        TreeEntries { sled: self.sled.range::<&[u8], _>(range).fuse(), first: None, last: None, waiting }
    }

    /// The entries that wait.
    pub(super) fn waiting(&self) -> RwLockReadGuard<'_, WaitingEntries> {
        self.waiting.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, to add some or, once sled has them, to remove them.
    pub(super) fn waiting_mut(&self) -> RwLockWriteGuard<'_, WaitingEntries> {
        self.waiting.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of the keys that begin so.
pub(crate) fn end_of(prefix: &[u8]) -> Bound<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return Bound::Excluded(end);
        }
    }
    Bound::Unbounded
}

/// Whether no key can be in a range. `BTreeMap` panics if its ends are exchanged.
fn is_empty(range: (Bound<&[u8]>, Bound<&[u8]>)) -> bool {
    match range {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (Bound::Included(start) | Bound::Excluded(start), Bound::Included(end) | Bound::Excluded(end)) => start >= end,
    }
}

/// Entries of a tree, in the order of their keys, from both ends.
pub(crate) struct TreeEntries {
    sled: Fuse<sled::Iter>,
    /// Entries of sled that were read and are not passed yet, of either end.
    first: Option<(IVec, IVec)>,
    last: Option<(IVec, IVec)>,
    waiting: VecDeque<(IVec, Option<IVec>)>,
}

impl Iterator for TreeEntries {
    type Item = sled::Result<(IVec, IVec)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let read = match self.first.take().map(Ok).or_else(|| self.sled.next()) {
                Some(Err(error)) => return Some(Err(error)),
                read => read.and_then(Result::ok).or_else(|| self.last.take()),
            };
            match (read, self.waiting.front()) {
                (Some(entry), Some((key, _))) if entry.0 > *key => self.first = Some(entry),
                (Some(entry), Some((key, _))) if entry.0 == *key => {}
                (None, Some(_)) => {}
                (read, _) => return read.map(Ok),
            }
            if let (key, Some(value)) = self.waiting.pop_front()? {
                return Some(Ok((key, value)));
            }
        }
    }
}

impl DoubleEndedIterator for TreeEntries {
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            let read = match self.last.take().map(Ok).or_else(|| self.sled.next_back()) {
                Some(Err(error)) => return Some(Err(error)),
                read => read.and_then(Result::ok).or_else(|| self.first.take()),
            };
            match (read, self.waiting.back()) {
                (Some(entry), Some((key, _))) if entry.0 < *key => self.last = Some(entry),
                (Some(entry), Some((key, _))) if entry.0 == *key => {}
                (None, Some(_)) => {}
                (read, _) => return read.map(Ok),
            }
            if let (key, Some(value)) = self.waiting.pop_back()? {
                return Some(Ok((key, value)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trees with keys of sled, keys that wait, and keys whose removal waits.
    fn tree(of_sled: &[u8], added: &[u8], removed: &[u8]) -> (sled::Db, IndexTree) {
        let db = sled::Config::new().temporary(true).open().unwrap();
        let tree = IndexTree::new(db.open_tree("a").unwrap());
        for key in of_sled {
            tree.sled().insert([*key], &[*key]).unwrap();
        }
        let waits = |key: &u8, value: Option<IVec>| drop(tree.waiting_mut().insert(IVec::from(&[*key]), value));
        added.iter().for_each(|key| waits(key, Some(IVec::from(&[*key, 1]))));
        removed.iter().for_each(|key| waits(key, None));
        (db, tree)
    }

    fn keys(entries: impl Iterator<Item = sled::Result<(IVec, IVec)>>) -> Vec<u8> {
        entries.map(|entry| entry.unwrap().0[0]).collect()
    }

    #[test]
    fn what_waits_is_seen_as_if_sled_had_it() {
        let (_db, tree) = tree(&[1, 3, 5, 7], &[2, 3, 9], &[5, 8]);
        assert_eq!(keys(tree.iter()), [1, 2, 3, 7, 9]);
        assert_eq!(keys(tree.iter().rev()), [9, 7, 3, 2, 1]);
        let value = |key: u8| tree.get([key]).unwrap().map(|value| value.to_vec());
        assert_eq!(
            [1, 2, 3, 5, 8].map(value),
            [Some(vec![1]), Some(vec![2, 1]), Some(vec![3, 1]), None, None],
            "a value that waits replaces sled's"
        );
        assert_eq!(keys(tree.range([2]..[9])), [2, 3, 7]);
        assert_eq!(keys(tree.range::<[u8; 1], _>((Bound::Excluded([2]), Bound::Included([9])))), [3, 7, 9]);
        assert_eq!(keys(tree.scan_prefix(vec![3])), [3]);
        assert_eq!(keys(tree.scan_prefix(vec![])), [1, 2, 3, 7, 9]);
        assert_eq!(end_of(&[3, 255, 255]), Bound::Excluded(vec![4]));
        assert_eq!(end_of(&[255]), Bound::Unbounded);
    }

    #[test]
    fn both_ends_meet() {
        let (_db, tree) = tree(&[1, 3, 5, 7], &[2, 4, 8], &[5]);
        for from_back in 0..=6 {
            let mut entries = tree.iter();
            let mut back = keys(entries.by_ref().rev().take(from_back));
            let mut all = keys(entries.by_ref());
            back.reverse();
            all.extend(back);
            assert_eq!(all, [1, 2, 3, 4, 7, 8], "{from_back}");
        }
    }

    /// As [`Base::settle`](crate::index::base::Base::settle) does.
    fn settle(tree: &IndexTree) {
        let waiting = std::mem::take(&mut *tree.waiting_mut());
        for (key, value) in waiting {
            match value {
                Some(value) => tree.sled().insert(key, value).unwrap(),
                None => tree.sled().remove(key).unwrap(),
            };
        }
    }

    #[test]
    fn a_walk_goes_on_while_what_waits_is_written() {
        for at in 0..=5 {
            let (_db, forwards) = tree(&[3], &[1, 2, 4, 5], &[]);
            let mut entries = forwards.iter();
            let mut all = keys(entries.by_ref().take(at));
            settle(&forwards);
            all.extend(keys(entries));
            assert_eq!(all, [1, 2, 3, 4, 5], "{at}");

            let (_db, backwards) = tree(&[], &[1, 2, 3, 4, 5], &[]);
            let mut entries = backwards.iter().rev();
            let mut all = keys(entries.by_ref().take(at));
            settle(&backwards);
            all.extend(keys(entries));
            assert_eq!(all, [5, 4, 3, 2, 1], "{at}, from the end");
        }
    }

    #[test]
    fn a_range_whose_ends_are_exchanged_is_empty() {
        let (_db, tree) = tree(&[1, 3], &[2], &[]);
        let (two, three) = ([2], [3]);
        assert!(keys(tree.range(three..two)).is_empty());
        assert!(keys(tree.range(two..two)).is_empty());
        assert!(keys(tree.range::<[u8; 1], _>((Bound::Excluded(two), Bound::Excluded(two)))).is_empty());
        assert_eq!(keys(tree.range(two..=two)), [2]);
    }
}
