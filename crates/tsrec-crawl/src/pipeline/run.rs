//! The loop of a crawl: leases pages, starts their tasks, and decides when to stop.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::clock::earlier;
use super::fate::Visited;
use super::{Crawl, CrawlSummary, Error, Fetch, Until, blocking, disk, flatten, work};
use crate::frontier::{Frontier, Lease};

/// The loop's longest sleep: housekeeping and the watchdog need it to turn.
const LONGEST_SLEEP: Duration = Duration::from_secs(15);
/// How long the second extraction may take to end. Judgement: its pages take milliseconds.
const LAST_PATIENCE: Duration = Duration::from_secs(5);

/// How often tombstones are pruned.
const PRUNE_EVERY: Duration = Duration::from_secs(60 * 60);
/// How often to look for long-dead URLs, and how many to look at. Judgement: a million and a half a
/// day, some milliseconds each time.
const FORGET_EVERY: (Duration, usize) = (Duration::from_secs(60), 1_000);

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Crawls until it is done or told to stop. Then pages in flight may finish, within the grace
    /// time.
    ///
    /// # Errors
    ///
    /// The frontier or the store fails; no single page makes a crawl fail.
    pub async fn run(self: Arc<Self>, until: Until, shutdown: impl Future<Output = ()>) -> Result<CrawlSummary, Error> {
        let (mut tasks, mut beside) = (JoinSet::new(), JoinSet::new());
        let outcome = self.go_on(&mut tasks, &mut beside, until, shutdown).await;
        let ended = self.wind_down(tasks).await;
        // They have been told to stop, and do within moments, unless a page holds them.
        let last = async {
            while let Some(other) = beside.join_next().await {
                flatten(other)?;
            }
            Ok(())
        };
        match tokio::time::timeout(LAST_PATIENCE, last).await {
            Ok(ended) => ended?,
            Err(_) => beside.shutdown().await,
        }
        ended?;
        self.save_sites().await?;
        outcome.map(|()| CrawlSummary {
            visited: self.visited.load(Ordering::Relaxed),
            stored: self.stored.load(Ordering::Relaxed),
        })
    }

    /// Writes what sites have learned since they were last written, durably.
    pub(super) async fn save_sites(&self) -> Result<(), Error> {
        let (memories, database) = (self.parts.memories.clone(), self.parts.database.clone());
        blocking(move || memories.save_sites().and_then(|()| database.durable())).await?.map_err(Error::because)
    }

    /// Starts visits until the crawl is done or told to stop.
    async fn go_on(
        self: &Arc<Self>,
        tasks: &mut JoinSet<Result<(), Error>>,
        beside: &mut JoinSet<Result<(), Error>>,
        until: Until,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), Error> {
        let mut shutdown = pin!(shutdown);
        // Before the loop can find that nothing is left to do.
        self.go_on_following().await?;
        self.to_do.fetch_add(1, Ordering::SeqCst);
        beside.spawn(Arc::clone(self).extract_again());
        let (mut pruned, mut forgot, mut looked) = (Instant::now(), Instant::now(), None::<Instant>);
        loop {
            self.turns.fetch_add(1, Ordering::Relaxed);
            while let Some(ended) = tasks.try_join_next() {
                flatten(ended)?;
            }
            // The second extraction ends with the crawl, unless it failed.
            while let Some(ended) = beside.try_join_next() {
                flatten(ended)?;
            }
            if until.pages.is_some_and(|most| self.stored.load(Ordering::Relaxed) >= most) {
                return Ok(());
            }
            if looked.is_none_or(|looked| looked.elapsed() >= disk::LOOK_EVERY) {
                looked = Some(Instant::now());
                if !self.disk.has_room() {
                    self.rest_for(disk::LOOK_EVERY);
                }
            }
            self.start_visits(tasks, until.pages).await?;
            if until.drained {
                if self.is_drained(tasks).await? {
                    return Ok(());
                }
                if tasks.is_empty() && self.trouble().is_hopeless(Instant::now()) {
                    return Err(Error::because(
                        "for a quarter of an hour no server has answered, and this machine seems to be at fault: its network, its name server, or \
                         what it lacks, which the log says. What is left stays in the frontier: the same command goes on with it",
                    ));
                }
            }
            if pruned.elapsed() >= PRUNE_EVERY {
                pruned = Instant::now();
                self.prune().await?;
            }
            if forgot.elapsed() >= FORGET_EVERY.0 {
                forgot = Instant::now();
                self.forget_dead().await?;
            }
            let next = self.parts.frontier.next_due().await.map_err(Error::because)?;
            let idle = self.permits.available_permits() > 0;
            let sleep = next.filter(|_| idle).unwrap_or(LONGEST_SLEEP).max(self.rest()).min(LONGEST_SLEEP);
            tokio::select! {
                () = &mut shutdown => return Ok(()),
                () = self.news.notified() => {}
                // A task notifies before it ends, and the loop may depend on that end.
                Some(ended) = tasks.join_next() => flatten(ended)?,
                // A queue that is due at once but leased elsewhere must not make this loop spin.
                () = tokio::time::sleep(sleep.max(Duration::from_millis(2))) => {}
            }
        }
    }

    /// Leases as many pages as may be in flight, and starts a task for each.
    async fn start_visits(
        self: &Arc<Self>,
        tasks: &mut JoinSet<Result<(), Error>>,
        most: Option<u64>,
    ) -> Result<(), Error> {
        let left = most.map_or(usize::MAX, |most| {
            let stored = self.stored.load(Ordering::Relaxed);
            usize::try_from(most.saturating_sub(stored)).unwrap_or(usize::MAX).saturating_sub(tasks.len())
        });
        let free = self.permits.available_permits().min(left);
        if free == 0 || !self.rest().is_zero() {
            return Ok(());
        }
        for lease in self.parts.frontier.get_urls(free).await.map_err(Error::because)? {
            let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(Error::because)?;
            self.visited.fetch_add(1, Ordering::Relaxed);
            let crawl = Arc::clone(self);
            tasks.spawn(async move {
                let result = crawl.visit_safely(lease).await;
                drop(permit);
                crawl.news.notify_one();
                result
            });
        }
        Ok(())
    }

    /// Visits a page in a separate task, so that a panic on the async side, too, ends its lease.
    async fn visit_safely(self: &Arc<Self>, lease: Lease) -> Result<(), Error> {
        let url = lease.url.clone();
        // A set of one: it is aborted with its owner.
        let mut visit = JoinSet::new();
        visit.spawn(Arc::clone(self).visit(lease));
        match visit.join_next().await.map(|ended| ended.map_err(tokio::task::JoinError::try_into_panic)) {
            Some(Ok(result)) => result,
            Some(Err(Ok(panic))) => {
                let fate = self.quarantine(&url, None, &work::message(&*panic)).await?;
                self.tell(Visited { url, fate });
                Ok(())
            }
            Some(Err(Err(_))) | None => Ok(()),
        }
    }

    /// Nothing is in flight, waiting or due. URLs scheduled for later (refetches, back-offs) do not
    /// count.
    async fn is_drained(&self, tasks: &JoinSet<Result<(), Error>>) -> Result<bool, Error> {
        if !tasks.is_empty() || self.parts.memories.has_host_to_look_at() || self.to_do.load(Ordering::SeqCst) > 0 {
            return Ok(false);
        }
        let stats = self.parts.frontier.stats().await.map_err(Error::because)?;
        Ok(stats.discovered == 0 && stats.leased == 0 && !self.parts.frontier.owes().await.map_err(Error::because)?)
    }

    async fn prune(&self) -> Result<(), Error> {
        let store = self.store();
        let (seen_before, any_before) = (self.config.keep_tombstones, self.config.keep_tombstones_longest);
        let (seen_before, any_before) = (earlier(self.clock.now(), seen_before), earlier(self.clock.now(), any_before));
        let prune = move || {
            let seen = store.seen_by_all(any_before)?.unwrap_or(u64::MAX);
            Ok(store.prune_seen_tombstones(seen_before, seen)? + store.prune_tombstones(any_before.min(seen_before))?)
        };
        let pruned = blocking(prune).await?.map_err(|error: tsrec_store::Error| Error::because(error))?;
        tracing::info!(pruned, "tombstones pruned");
        Ok(())
    }

    async fn forget_dead(&self) -> Result<(), Error> {
        let forgotten = self.parts.frontier.forget_dead(FORGET_EVERY.1).await.map_err(Error::because)?;
        metrics::counter!("tsrec_frontier_forgotten_total").increment(forgotten);
        Ok(())
    }

    async fn wind_down(&self, mut tasks: JoinSet<Result<(), Error>>) -> Result<(), Error> {
        self.stopping.send_replace(true);
        if !tasks.is_empty() {
            tracing::info!(in_flight = tasks.len(), "stopping: pages in flight may finish");
        }
        let finish = async {
            while let Some(ended) = tasks.join_next().await {
                flatten(ended)?;
            }
            Ok(())
        };
        match tokio::time::timeout(self.config.grace, finish).await {
            Ok(finished) => finished?,
            Err(_) => {
                tracing::warn!(in_flight = tasks.len(), "the grace is over: the pages in flight will come again");
                tasks.shutdown().await;
            }
        }
        Ok(())
    }
}
