//! Queue of hosts to re-extract: one of their templates is now known, or was taught. Whoever
//! learns it pushes the host, and the crawl listens. The queue is in memory, since the crawl
//! finds waiting hosts again when it begins.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::Store;

/// The hosts, and the notifier.
#[derive(Default)]
pub(crate) struct LookAgain {
    hosts: Mutex<BTreeSet<String>>,
    bell: Notify,
}

impl LookAgain {
    fn hosts(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[doc(hidden)]
impl Store {
    /// Queues a host: more is known about its templates than when its first pages were extracted.
    pub fn look_again(&self, host: &str) {
        let look_again = &self.database.0.look_again;
        look_again.hosts().insert(host.to_owned());
        look_again.bell.notify_one();
    }

    /// Takes a host from the queue.
    pub fn take_host_to_look_at(&self) -> Option<String> {
        self.database.0.look_again.hosts().pop_first()
    }

    /// Whether a host is queued.
    pub fn has_host_to_look_at(&self) -> bool {
        !self.database.0.look_again.hosts().is_empty()
    }

    /// Returns when a host is queued, also if that happened before the call. For one listener.
    pub async fn host_to_look_at(&self) {
        self.database.0.look_again.bell.notified().await;
    }
}
