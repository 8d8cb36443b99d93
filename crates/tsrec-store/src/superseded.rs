//! What the feed shows while its newest changes could still be lost: durable changes whose
//! successors are not durable yet.
//!
//! A change takes the place of the one before it when it is written. Readers are shown durable
//! changes only, so until the successor is durable they are shown the one before, with its record.
//! So the feed that readers see is at any moment exactly that of the last flush, which is what a
//! power cut would leave.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::stored::StoredRecord;

/// A change that has left the tree `changes`, as it was there.
pub(super) struct Superseded {
    pub(super) seq: u64,
    pub(super) entry: Vec<u8>,
    /// The record it spoke of; `None` for a deletion.
    pub(super) record: Option<StoredRecord>,
}

/// The durable end of the feed. In memory are the changes superseded since the last flush: those of
/// the pages in flight.
pub(super) struct DurableEnd {
    sequence: watch::Sender<u64>,
    /// By the sequence of the successor.
    superseded: Mutex<BTreeMap<u64, Arc<Superseded>>>,
}

impl Default for DurableEnd {
    fn default() -> Self {
        DurableEnd { sequence: watch::Sender::new(0), superseded: Mutex::default() }
    }
}

impl DurableEnd {
    /// Notes that a change was committed in the place of an older one.
    pub(super) fn note(&self, newer: u64, older: Superseded) {
        self.superseded().insert(newer, Arc::new(older));
    }

    /// All changes up to this sequence are durable now.
    pub(super) fn advance(&self, sequence: u64) {
        // Under the lock, so that a reader finds for each change either itself or its successor.
        let mut superseded = self.superseded();
        superseded.retain(|&newer, _| newer > sequence);
        self.sequence.send_if_modified(|durable| std::mem::replace(durable, sequence) != sequence);
    }

    /// The newest sequence that is durable, and the superseded changes past `start` and not past
    /// that, in order.
    pub(super) fn read(&self, start: u64) -> (u64, Vec<Arc<Superseded>>) {
        let superseded = self.superseded();
        let durable = *self.sequence.borrow();
        let between = superseded.values().filter(|older| older.seq > start && older.seq <= durable);
        let mut between: Vec<_> = between.cloned().collect();
        between.sort_by_key(|older| older.seq);
        (durable, between)
    }

    /// The newest sequence that is durable, to wait on.
    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.sequence.subscribe()
    }

    fn superseded(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Superseded>>> {
        self.superseded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
