//! Writes what the service learned, without a write for each page.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tsrec_crawl::memories::SiteMemories;

/// The time from a page to the write of what was learned from it, in which more pages may come.
/// Judgement: the pages of a small site come within it, so that its memory is written once; what
/// is acknowledged as stored is flushed before.
const WAIT: Duration = Duration::from_secs(5);

/// Writes the memories of sites, and flushes them, soon after it is woken.
#[derive(Clone)]
pub(super) struct Flusher {
    memories: SiteMemories,
    is_pending: Arc<AtomicBool>,
}

impl Flusher {
    pub(super) fn new(memories: &SiteMemories) -> Flusher {
        Flusher { memories: memories.clone(), is_pending: Arc::default() }
    }

    /// Writes soon. Call it on a thread of the async runtime.
    pub(super) fn wake(&self) {
        if self.is_pending.swap(true, Ordering::SeqCst) {
            return;
        }
        let flusher = self.clone();
        Handle::current().spawn(async move {
            tokio::time::sleep(WAIT).await;
            flusher.is_pending.store(false, Ordering::SeqCst);
            let memories = flusher.memories;
            let write = move || memories.save_sites().and_then(|()| memories.store().database().durable());
            if let Ok(Err(error)) = tokio::task::spawn_blocking(write).await {
                tracing::error!(%error, "what was learned of posted pages is not durable");
            }
        });
    }
}
