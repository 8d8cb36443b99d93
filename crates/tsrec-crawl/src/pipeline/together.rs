//! Pages that need no fetch, side by side: they share flushes of the store.

use tokio::task::JoinSet;

use super::Error;

/// Pages under way at a time. Judgement: enough to share a flush, and fewer than a crawl visits.
const AT_A_TIME: usize = 8;

/// Pages under way. Those that are dropped end where they are.
pub(super) struct Together<R>(JoinSet<Result<R, Error>>);

impl<R: Send + 'static> Together<R> {
    pub(super) fn new() -> Self {
        Together(JoinSet::new())
    }

    /// Starts a page. If enough are under way, waits until one of them has ended, and returns what
    /// came of it.
    pub(super) async fn start(
        &mut self,
        page: impl Future<Output = Result<R, Error>> + Send + 'static,
    ) -> Result<Option<R>, Error> {
        let ended = if self.0.len() >= AT_A_TIME { self.next().await? } else { None };
        self.0.spawn(page);
        Ok(ended)
    }

    /// What came of the page that ends next. `None` if none is under way.
    pub(super) async fn next(&mut self) -> Result<Option<R>, Error> {
        match self.0.join_next().await {
            None => Ok(None),
            Some(ended) => ended.map_err(Error::because)?.map(Some),
        }
    }

    /// Waits for all, if nothing is to be known of them.
    pub(super) async fn end(mut self) -> Result<(), Error> {
        while self.next().await?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn pages_run_side_by_side_but_not_all_at_once() {
        let (under_way, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (mut together, mut ended) = (Together::new(), Vec::new());
        for number in 0..50 {
            let (under_way, most) = (Arc::clone(&under_way), Arc::clone(&most));
            let page = async move {
                most.fetch_max(under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                under_way.fetch_sub(1, Ordering::SeqCst);
                Ok(number)
            };
            ended.extend(together.start(page).await.unwrap());
        }
        while let Some(number) = together.next().await.unwrap() {
            ended.push(number);
        }
        ended.sort_unstable();
        assert_eq!(ended, (0..50).collect::<Vec<_>>());
        let most = most.load(Ordering::SeqCst);
        assert!((2..=AT_A_TIME).contains(&most), "{most} at once");
    }

    #[tokio::test]
    async fn an_error_is_returned() {
        let mut together = Together::<()>::new();
        together.start(async { Err(Error::because("the disk is full")) }).await.unwrap();
        assert!(together.end().await.unwrap_err().to_string().contains("the disk is full"));
    }
}
