//! Queue of hosts to re-extract: one of their templates is now known, or was taught. Whoever
//! learns it pushes the host, and the crawl listens. The queue is in memory, since the crawl
//! finds waiting hosts again when it begins.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::SiteMemories;
use tsrec_store::Error;

/// The hosts, and the notifier.
#[derive(Default)]
pub(super) struct LookAgain {
    hosts: Mutex<BTreeSet<String>>,
    bell: Notify,
}

impl LookAgain {
    fn hosts(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SiteMemories {
    /// Queues a host: more is known about its templates than when its first pages were extracted.
    pub fn look_again(&self, host: &str) {
        self.look_again.hosts().insert(host.to_owned());
        self.look_again.bell.notify_one();
    }

    /// Takes a host from the queue.
    pub fn take_host_to_look_at(&self) -> Option<String> {
        self.look_again.hosts().pop_first()
    }

    /// Whether a host is queued.
    pub fn has_host_to_look_at(&self) -> bool {
        !self.look_again.hosts().is_empty()
    }

    /// Returns when a host is queued, also if that happened before the call. For one listener.
    pub async fn host_to_look_at(&self) {
        self.look_again.bell.notified().await;
    }

    /// Makes all stored pages of a template follow what the site remembers now. This wakes a
    /// running crawl; otherwise the next crawl does it. Durable after
    /// [`Database::durable`](tsrec_store::Database::durable).
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn follow(&self, host: &str, number: u32) -> Result<(), Error> {
        self.store.follow(host, number)?;
        self.look_again(host);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memories::Config;
    use tsrec_store::{Database, Store};

    #[test]
    fn a_lesson_queues_its_host() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(&Database::open(dir.path(), &Default::default()).unwrap());
        let memories = SiteMemories::over(&store, Config::default());
        memories.follow("b.example", 1).unwrap();
        memories.follow("a.example", 300).unwrap();
        assert_eq!(store.hosts_that_follow().unwrap(), ["a.example", "b.example"]);
        assert!(memories.clone().has_host_to_look_at(), "clones share the queue");
        assert_eq!(memories.take_host_to_look_at().as_deref(), Some("a.example"));
        assert_eq!(memories.take_host_to_look_at().as_deref(), Some("b.example"));
        assert!(!memories.has_host_to_look_at());
    }
}
