//! The crawl: lease → fetch → pair → extract → store → acknowledge.
//!
//! One task a page (`visit`); this file leases pages from the frontier, starts their tasks and knows when to stop. What a page goes
//! through:
//!
//! 1. The frontier leases its URL; one request a host at a time, with the host's delay between.
//! 2. It is fetched, or found *parked*: fetched before, by a process that ended while the page waited.
//! 3. It is parsed, off the async threads; its links go to the frontier, its tag sequence is held for its siblings.
//! 4. Its sibling is chosen (`pair`). If the best candidate is still in the frontier, the page is parked and waits
//!    while that one moves up its queue (`waiting`); a deadline ends the wait.
//! 5. It is extracted, off the async threads, and its record, its change entry and what it taught (below) are stored in one transaction and made
//!    durable.
//! 6. Only then is it acknowledged. Whatever a crash interrupts comes again.
//!
//! A page that the template diff was sure of is a *lesson*: now and then a model is trained on the lessons ([`training`]), for pages of the same
//! sites whose siblings fail.

mod pair;
mod parsed;
pub mod training;
mod visit;
mod waiting;

use std::collections::HashSet;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use url::Url;

use crate::fetch::Fetcher;
use crate::frontier::{Discovered, Frontier, PutSummary};
use crate::html::Limits;
use crate::store::{Database, Store};
use training::fallback::Fallback;
use training::schedule::Tutor;
use waiting::Waiting;

pub use visit::{Fate, Visited};

/// The crawl's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Pages fetched or extracted at the same time, over all hosts; at least 1. Pages that wait for a sibling do not count.
    pub concurrency: usize,
    /// Pages that may wait for a sibling at the same time; each keeps its parsed page in memory. 0: none waits.
    pub max_waiting: usize,
    /// How long a page waits for its sibling at most.
    #[serde(with = "humantime_serde")]
    pub sibling_wait: Duration,
    /// Siblings that a page is compared with, one after the other, until one passes the gates; at least 1.
    pub siblings_tried: usize,
    /// Links from a seed after which links are no longer followed.
    pub max_depth: u32,
    /// Links of one page that are followed.
    pub max_links: usize,
    /// After how long a page is fetched again.
    #[serde(with = "humantime_serde")]
    pub refetch_after: Duration,
    /// How long tombstones stay in the change feed. An indexer that comes by less often has to start over.
    #[serde(with = "humantime_serde")]
    pub keep_tombstones: Duration,
    /// How long pages in flight may take to finish when the crawl is told to stop.
    #[serde(with = "humantime_serde")]
    pub grace: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            concurrency: 16,
            max_waiting: 64,
            sibling_wait: Duration::from_secs(60),
            siblings_tried: 3,
            max_depth: 20,
            max_links: 1_000,
            refetch_after: Duration::from_secs(7 * 24 * 60 * 60),
            keep_tombstones: Duration::from_secs(30 * 24 * 60 * 60),
            grace: Duration::from_secs(20),
        }
    }
}

/// When a crawl ends by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Until {
    /// When nothing is due and no page waits for a sibling that is still queued.
    pub drained: bool,
    /// When so many pages were stored.
    pub pages: Option<u64>,
}

/// What a crawl did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Pages leased.
    pub visited: u64,
    /// Pages whose content was stored, changed or not.
    pub stored: u64,
}

/// What a crawl works with.
#[derive(Clone)]
pub struct Parts<F> {
    /// Where URLs come from and go to.
    pub frontier: Arc<F>,
    /// The HTTP client.
    pub fetcher: Fetcher,
    /// Where content goes.
    pub store: Store,
    /// What the store and the frontier lie in.
    pub database: Database,
    /// Limits on parsing.
    pub limits: Limits,
}

/// A crawl. Clones share it.
pub struct Crawl<F> {
    parts: Parts<F>,
    config: Config,
    /// The delay that the frontier keeps by default.
    delay: Duration,
    seeds: HashSet<String>,
    waiting: Waiting,
    /// Origins whose robots.txt was asked for a delay.
    delays_asked: std::sync::Mutex<HashSet<String>>,
    permits: Arc<Semaphore>,
    waiting_now: AtomicUsize,
    visited: AtomicU64,
    stored: AtomicU64,
    turns: AtomicU64,
    /// Rings when a task ends or the frontier has something new.
    news: Notify,
    stopping: watch::Sender<bool>,
    outcomes: Option<mpsc::UnboundedSender<Visited>>,
    tutor: Option<Arc<Tutor>>,
}

/// What may go wrong with the crawl itself, as opposed to one page: the store or the frontier fail.
#[derive(Debug)]
pub struct Error(Box<dyn std::error::Error + Send + Sync>);

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the crawl cannot go on: {}", self.0)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl Error {
    fn because(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Error(error.into())
    }
}

/// How long the loop sleeps at most: housekeeping and the watchdog want to be seen to.
const LONGEST_SLEEP: Duration = Duration::from_secs(5);
/// How often tombstones are pruned.
const PRUNE_EVERY: Duration = Duration::from_secs(60 * 60);

impl<F: Frontier> Crawl<F> {
    /// A crawl that follows links within the hosts of `seeds`, and within the hosts of pages that are in the frontier
    /// already. `delay` is the frontier's configured delay.
    pub fn new(parts: Parts<F>, config: Config, delay: Duration, seeds: &[Url]) -> Self {
        Crawl {
            permits: Arc::new(Semaphore::new(config.concurrency.max(1))),
            seeds: seeds.iter().filter_map(|url| url.host_str().map(str::to_owned)).collect(),
            waiting: Waiting::default(),
            delays_asked: Default::default(),
            waiting_now: AtomicUsize::new(0),
            visited: AtomicU64::new(0),
            stored: AtomicU64::new(0),
            turns: AtomicU64::new(0),
            news: Notify::new(),
            stopping: watch::Sender::new(false),
            outcomes: None,
            tutor: None,
            parts,
            config,
            delay,
        }
    }

    /// Tells what became of each page, as it happens.
    pub fn with_outcomes(mut self, outcomes: mpsc::UnboundedSender<Visited>) -> Self {
        self.outcomes = Some(outcomes);
        self
    }

    /// Keeps lessons, trains on them, and extracts with the model in use.
    pub fn with_training(mut self, config: training::Config, fallback: Arc<Fallback>) -> Self {
        self.tutor = Some(Arc::new(Tutor { config, fallback }));
        self
    }

    /// How often the crawl's loop has turned: at least once in some seconds, or something hangs.
    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// Puts the seeds into the frontier.
    pub async fn seed(&self, seeds: &[Url]) -> Result<PutSummary, Error> {
        let discovered: Vec<Discovered> = seeds
            .iter()
            .map(|url| {
                let mut url = url.clone();
                url.set_fragment(None);
                Discovered { url, depth: 0 }
            })
            .collect();
        self.parts.frontier.put_discovered(&discovered).await.map_err(Error::because)
    }

    /// Crawls until it is done or told to stop; then pages in flight may finish, within the grace.
    ///
    /// # Errors
    ///
    /// The frontier or the store fails; no single page makes a crawl fail.
    pub async fn run(self: Arc<Self>, until: Until, shutdown: impl Future<Output = ()>) -> Result<Summary, Error> {
        let (mut tasks, mut training) = (JoinSet::new(), JoinSet::new());
        let outcome = self.go_on(&mut tasks, &mut training, until, shutdown).await;
        self.wind_down(tasks).await?;
        // It has been told to stop, and does within moments.
        while training.join_next().await.is_some() {}
        outcome.map(|()| Summary {
            visited: self.visited.load(Ordering::Relaxed),
            stored: self.stored.load(Ordering::Relaxed),
        })
    }

    /// Starts visits until the crawl is done or told to stop.
    async fn go_on(
        self: &Arc<Self>,
        tasks: &mut JoinSet<Result<(), Error>>,
        training: &mut JoinSet<()>,
        until: Until,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), Error> {
        let mut shutdown = pin!(shutdown);
        if let Some(tutor) = self.tutor.clone() {
            let (store, stopping) = (self.parts.store.clone(), self.stopping.subscribe());
            tokio::select! {
                () = &mut shutdown => return Ok(()),
                () = tutor.trust_again(&store, stopping.clone()) => {}
            }
            training.spawn(async move { tutor.teach(store, stopping).await });
        }
        let mut pruned = std::time::Instant::now();
        loop {
            self.turns.fetch_add(1, Ordering::Relaxed);
            while let Some(ended) = tasks.try_join_next() {
                flatten(ended)?;
            }
            if until.pages.is_some_and(|most| self.stored.load(Ordering::Relaxed) >= most) {
                return Ok(());
            }
            self.start_visits(tasks, until.pages).await?;
            if until.drained && self.is_drained(tasks).await? {
                return Ok(());
            }
            if pruned.elapsed() >= PRUNE_EVERY {
                pruned = std::time::Instant::now();
                self.prune().await?;
            }
            let next = self.parts.frontier.next_due().await.map_err(Error::because)?;
            let idle = self.permits.available_permits() > 0;
            let sleep = next.filter(|_| idle).unwrap_or(LONGEST_SLEEP).min(LONGEST_SLEEP);
            tokio::select! {
                () = &mut shutdown => return Ok(()),
                () = self.news.notified() => {}
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
        if free == 0 {
            return Ok(());
        }
        for lease in self.parts.frontier.get_urls(free).await.map_err(Error::because)? {
            let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(Error::because)?;
            self.visited.fetch_add(1, Ordering::Relaxed);
            let crawl = Arc::clone(self);
            tasks.spawn(async move {
                let result = crawl.visit(lease, permit).await;
                crawl.news.notify_one();
                result
            });
        }
        Ok(())
    }

    /// Nothing in flight, nothing waiting, nothing due: what is scheduled for later (refetches, back-offs) does not count.
    async fn is_drained(&self, tasks: &JoinSet<Result<(), Error>>) -> Result<bool, Error> {
        if !tasks.is_empty() {
            return Ok(false);
        }
        let stats = self.parts.frontier.stats().await.map_err(Error::because)?;
        let next = self.parts.frontier.next_due().await.map_err(Error::because)?;
        Ok(stats.discovered == 0 && stats.leased == 0 && next.is_none_or(|next| next > self.delay))
    }

    async fn prune(&self) -> Result<(), Error> {
        let store = self.parts.store.clone();
        let before = Timestamp::now() - self.config.keep_tombstones;
        let pruned = blocking(move || store.prune_tombstones(before)).await?.map_err(Error::because)?;
        tracing::info!(pruned, "tombstones pruned");
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
        let database = self.parts.database.clone();
        blocking(move || database.durable()).await?.map_err(Error::because)
    }

    /// Whether links to this URL are followed from a page of this host.
    fn in_scope(&self, url: &Url, from: &Url) -> bool {
        url.host_str().is_some_and(|host| Some(host) == from.host_str() || self.seeds.contains(host))
    }
}

/// Runs work that blocks off the async threads.
async fn blocking<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Result<R, Error> {
    tokio::task::spawn_blocking(work).await.map_err(Error::because)
}

fn flatten(ended: Result<Result<(), Error>, tokio::task::JoinError>) -> Result<(), Error> {
    match ended {
        Ok(result) => result,
        // One page that panics must not end a crawl of months; its lease stays until the next start.
        Err(error) if error.is_panic() => {
            tracing::error!(%error, "a page's task panicked; the page comes again at the next start");
            Ok(())
        }
        Err(_) => Ok(()),
    }
}
