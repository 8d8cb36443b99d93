//! What this process knows of the soundness of an open store.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::base::Which;
use super::check::IndexCheck;

/// Whether all was read, and which segments have damage.
#[derive(Default)]
pub(crate) struct Verified {
    /// Everything was read once. Before that nothing may be removed: an index that has forgotten a
    /// frame would call it dead.
    is_done: AtomicBool,
    /// Segments whose damage was found, and its losses counted.
    damaged: Mutex<BTreeSet<(Which, u32)>>,
    /// The check of the index that is under way.
    check: Mutex<Option<IndexCheck>>,
}

impl Verified {
    pub(crate) fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    pub(crate) fn set_done(&self, is_done: bool) {
        self.is_done.store(is_done, Ordering::Release);
    }

    pub(crate) fn note_damage(&self, which: Which, segment: u32) {
        self.damaged.lock().unwrap_or_else(PoisonError::into_inner).insert((which, segment));
    }

    pub(crate) fn is_known_damaged(&self, which: Which, segment: u32) -> bool {
        self.damaged.lock().unwrap_or_else(PoisonError::into_inner).contains(&(which, segment))
    }

    pub(crate) fn check(&self) -> MutexGuard<'_, Option<IndexCheck>> {
        self.check.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
