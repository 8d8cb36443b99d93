//! Durable changes whose successors are not durable yet. The feed still shows them, since a crash
//! could lose the successors.
//!
//! A new change replaces the previous one when it is written. Readers see durable changes only.
//! Until the successor is durable, they see the previous change with its record. So readers
//! always see the feed of the last flush, which is also what a power cut would leave.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::index::stored::StoredRecord;

/// A change that has left the tree `changes`, as it was there.
pub(crate) struct Superseded {
    pub(crate) seq: u64,
    pub(crate) entry: Vec<u8>,
    /// Its record; `None` for a deletion.
    pub(crate) record: Option<StoredRecord>,
}

/// The durable end of the feed. Memory holds the changes superseded since the last flush: those
/// of the pages in flight.
pub(crate) struct DurableEnd {
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
    /// Notes that a committed change replaced an older one.
    pub(crate) fn note(&self, newer: u64, older: Superseded) {
        self.superseded().insert(newer, Arc::new(older));
    }

    /// Marks all changes up to this sequence as durable.
    pub(crate) fn advance(&self, sequence: u64) {
        // Under the lock, so that a reader finds either the change or its successor.
        let mut superseded = self.superseded();
        superseded.retain(|&newer, _| newer > sequence);
        self.sequence.send_if_modified(|durable| std::mem::replace(durable, sequence) != sequence);
    }

    /// The newest durable sequence, and the superseded changes after `start` up to it, in order.
    pub(crate) fn read(&self, start: u64) -> (u64, Vec<Arc<Superseded>>) {
        let superseded = self.superseded();
        let durable = *self.sequence.borrow();
        let between = superseded.values().filter(|older| older.seq > start && older.seq <= durable);
        let mut between: Vec<_> = between.cloned().collect();
        between.sort_by_key(|older| older.seq);
        (durable, between)
    }

    /// A receiver of the newest durable sequence.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.sequence.subscribe()
    }

    fn superseded(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Superseded>>> {
        self.superseded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
