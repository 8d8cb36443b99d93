//! Makes what the service learned durable, without a flush for each page.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tsrec_store::Database;

/// The time from a write to its flush, in which more writes may come. Judgement: a power cut costs
/// the statistics of a second's pages; what is acknowledged as stored is flushed before.
const WAIT: Duration = Duration::from_secs(1);

/// Flushes a database soon after it is woken.
#[derive(Clone)]
pub(super) struct Flusher {
    database: Database,
    is_pending: Arc<AtomicBool>,
}

impl Flusher {
    pub(super) fn new(database: &Database) -> Flusher {
        Flusher { database: database.clone(), is_pending: Arc::default() }
    }

    /// Flushes soon. Call it on a thread of the async runtime.
    pub(super) fn wake(&self) {
        if self.is_pending.swap(true, Ordering::SeqCst) {
            return;
        }
        let flusher = self.clone();
        Handle::current().spawn(async move {
            tokio::time::sleep(WAIT).await;
            flusher.is_pending.store(false, Ordering::SeqCst);
            let flushed = tokio::task::spawn_blocking(move || flusher.database.durable()).await;
            if let Ok(Err(error)) = flushed {
                tracing::error!(%error, "what was learned of posted pages is not durable");
            }
        });
    }
}
