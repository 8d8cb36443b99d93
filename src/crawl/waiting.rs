//! Pages that wait for a page: who waits for which URL.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

/// For each URL those who wait until it can serve as a sibling, or is known never to.
#[derive(Default)]
pub(super) struct Waiting {
    by_url: Mutex<HashMap<String, Vec<oneshot::Sender<()>>>>,
}

impl Waiting {
    /// Begins to wait for a URL. To miss nothing, begin before looking whether it has come.
    pub(super) fn wait_for(&self, url: &str) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        let mut by_url = self.by_url.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = by_url.entry(url.to_owned()).or_default();
        waiting.retain(|other| !other.is_closed());
        waiting.push(sender);
        receiver
    }

    /// Wakes all who wait for a URL.
    pub(super) fn wake(&self, url: &str) {
        let woken = self.by_url.lock().unwrap_or_else(PoisonError::into_inner).remove(url);
        for waiting in woken.into_iter().flatten() {
            // Who has given up waiting has dropped its end.
            let _ = waiting.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Waiting;

    #[tokio::test]
    async fn all_who_wait_are_woken_once() {
        let waiting = Waiting::default();
        let (one, two, other) = (waiting.wait_for("a"), waiting.wait_for("a"), waiting.wait_for("b"));
        waiting.wake("a");
        one.await.unwrap();
        two.await.unwrap();
        let mut other = other;
        assert!(other.try_recv().is_err());
        drop(waiting);
        assert!(other.await.is_err());
    }
}
