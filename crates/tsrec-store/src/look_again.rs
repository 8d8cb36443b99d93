//! Hosts whose pages are to be extracted again from bytes that are kept: a template of theirs is
//! known now, or was taught. Who learns it tells it here, and the crawl listens; in memory, since
//! what waits is found again when the crawl begins.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::Store;

/// The hosts, and what rings when there is one.
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

#[doc(hidden)]
impl Store {
    /// Says that more is known of a host's templates than when its first pages were extracted.
    pub fn look_again(&self, host: &str) {
        let look_again = &self.database.0.look_again;
        look_again.hosts().insert(host.to_owned());
        look_again.bell.notify_one();
    }

    /// Takes a host that was said.
    pub fn take_host_to_look_at(&self) -> Option<String> {
        self.database.0.look_again.hosts().pop_first()
    }

    /// Whether a host was said and not taken.
    pub fn has_host_to_look_at(&self) -> bool {
        !self.database.0.look_again.hosts().is_empty()
    }

    /// Ends when a host is said, or was and nobody waited. For one listener.
    pub async fn host_to_look_at(&self) {
        self.database.0.look_again.bell.notified().await;
    }
}
