//! Acks that come at about the same time are one commit, and one frame of the journal. Pages that
//! shared a flush finish together.

use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

use super::super::error::Error;
use super::super::{Account, Ack, Acked};
use super::Embedded;
use super::lease::End;
use super::put::PUT_BATCH;
use tsrec_store::Key;

/// Pending acks, each with the channel to its caller.
#[derive(Default)]
pub(super) struct Acks(Mutex<Vec<(End, Teller)>>);

type Teller = oneshot::Sender<Result<Acked, Error>>;

impl Acks {
    fn push(&self, end: End, teller: Teller) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((end, teller));
    }

    fn take(&self) -> Vec<(End, Teller)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Embedded {
    /// Ends a lease in one batch with others. If the caller is cancelled, another task ends the
    /// lease. If no task does, it lapses, as after a crash.
    pub(super) async fn end_with_others(&self, key: Key, outcome: Ack, account: Account) -> Result<Acked, Error> {
        let (teller, told) = oneshot::channel();
        let end = End { key, outcome, account };
        self.acks.push(end.clone(), teller);
        // Other tasks that the same flush woke add their acks meanwhile.
        tokio::task::yield_now().await;
        self.end_all(self.acks.take());
        // The task that took this ack answers before it ends, unless it panicked.
        match told.await {
            Ok(acked) => acked,
            Err(_) => self.end_one(&end),
        }
    }

    fn end_all(&self, asked: Vec<(End, Teller)>) {
        let (ends, tellers): (Vec<End>, Vec<Teller>) = asked.into_iter().unzip();
        let acked = ends.chunks(PUT_BATCH).flat_map(|ends| self.end_some(ends));
        for (teller, acked) in tellers.into_iter().zip(acked) {
            // A cancelled task no longer listens.
            let _ = teller.send(acked);
        }
    }

    fn end_some(&self, ends: &[End]) -> Vec<Result<Acked, Error>> {
        let Ok((acked, adopted)) = self.end_leases(ends) else {
            // If one lease cannot be ended, the others still are.
            return ends.iter().map(|end| self.end_one(end)).collect();
        };
        let mut acked: Vec<Result<Acked, Error>> = acked.into_iter().map(Ok).collect();
        // All leases are ended. One ack reports that the frontier is out of order.
        if let (Some(first), Err(error)) = (acked.first_mut(), adopted) {
            *first = Err(error);
        }
        acked
    }

    fn end_one(&self, end: &End) -> Result<Acked, Error> {
        let (mut acked, adopted) = self.end_leases(std::slice::from_ref(end))?;
        adopted.map(|()| acked.remove(0))
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::frontier::{Config, Discovered, Frontier, UrlState};
    use tsrec_store;
    use tsrec_store::Database;

    /// A frontier with leased URLs.
    async fn leased(urls: &[&str]) -> (Embedded, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &tsrec_store::Config::default()).unwrap();
        let frontier = Embedded::new(&database, &Config::default()).unwrap();
        let found: Vec<_> = urls.iter().map(|url| Discovered::page(url.parse().unwrap(), 0, None)).collect();
        frontier.put_discovered(&found).await.unwrap();
        assert_eq!(frontier.get_urls(9).await.unwrap().len(), urls.len());
        (frontier, dir)
    }

    #[tokio::test]
    async fn acknowledgements_that_come_together_are_made_together_and_each_is_told_its_own() {
        let [a, b] = ["http://a.example/", "http://b.example/"];
        let (frontier, _dir) = leased(&[a, b]).await;

        let mut first = pin!(frontier.ack(a, Ack::Skipped, "first"));
        assert!(first.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let mut again = pin!(frontier.ack(a, Ack::Quarantined, "once more"));
        assert!(again.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let acked = frontier.ack(b, Ack::Quarantined, "second").await.unwrap();
        assert_eq!(acked, Acked::Quarantined);
        let stats = frontier.stats().await.unwrap();
        assert_eq!(stats.leased, 0, "the first was made with it");
        assert_eq!(frontier.status(a).await.unwrap().unwrap().state, UrlState::Skipped);
        let told = |polled| matches!(polled, Poll::Ready(Ok(acked)) if acked == Acked::Skipped);
        assert!(told(first.as_mut().poll(&mut Context::from_waker(Waker::noop()))));
        assert_eq!(again.await.unwrap(), Acked::NotLeased);
        assert_eq!(frontier.ack(b, Ack::Skipped, "late").await.unwrap(), Acked::NotLeased);
    }

    /// If a task panics while it holds the acks of others, each caller makes its own ack.
    #[tokio::test]
    async fn an_acknowledgement_that_another_lost_is_made_by_who_asked_for_it() {
        let url = "http://a.example/";
        let (frontier, _dir) = leased(&[url]).await;

        let mut ack = pin!(frontier.ack(url, Ack::Skipped, "lost"));
        assert!(ack.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        drop(frontier.acks.take());
        assert_eq!(ack.await.unwrap(), Acked::Skipped);
        assert_eq!(frontier.stats().await.unwrap().leased, 0);
    }
}
