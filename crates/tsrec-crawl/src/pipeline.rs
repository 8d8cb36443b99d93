//! The crawl: lease → fetch → extract → store → acknowledge.
//!
//! One task handles one page (`visit`). This file leases pages from the frontier, starts their
//! tasks and decides when to stop. The steps of a page:
//!
//! 1. The frontier leases its URL: one request a host at a time, with the host's delay between.
//! 2. [`Fetch`] fetches it, within the patience for its host, into a share of the memory
//!    (`budget`).
//! 3. The table [`outcome`] maps what came back, and what is known, to the acknowledgement and to
//!    the fate of the record.
//! 4. A thread outside the async runtime parses the page; its links go to the frontier. A sitemap
//!    or a feed is read, and its URLs go to the frontier (`discover`).
//! 5. Such a thread also extracts it. If the memory of its site knows its template, that alone
//!    decides. Otherwise the page is compared with the held siblings (`pair`), and its own tag
//!    sequence is held for others. One transaction then stores its record, its change entry and
//!    what was learned, durably. Exception: another page, which it calls canonical, has its content
//!    (`canonical`).
//! 6. Only then is it acknowledged. If a crash interrupts it, the URL is leased again.
//! 7. If its template was not known, its body is kept. It is extracted again when the template is
//!    known, or when a better sibling comes. That sibling is still in the frontier and moves up its
//!    queue (`again`).
//!
//! A panic does not end the crawl. The page goes to quarantine with its bytes, and another version
//! of the program tries it again.

mod address;
mod again;
mod archive;
mod archiving;
mod ask;
mod budget;
mod canonical;
mod clock;
mod config;
mod discover;
mod disk;
mod doubt;
mod durable;
mod echoes;
mod error;
mod fate;
mod follow;
mod memo;
mod method;
mod moves;
mod net;
mod numbers;
pub mod outcome;
mod pair;
mod parsed;
mod reextract;
mod scope;
mod traps;
mod trouble;
mod visit;
mod work;

use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use url::Url;

use crate::fetch::Fetcher;
use crate::frontier::{Discovered, Frontier, Lease, PutSummary};
use crate::warc::ArchiveFolder;
use address::AddressRules;
use budget::Budget;
use clock::earlier;
use discover::SitemapChecks;
use disk::Disk;
use durable::Durability;
use echoes::Echoes;
use scope::Scope;
use traps::Traps;
use trouble::Trouble;
use tsrec_core::html::Limits;
use tsrec_store::{Database, Store};

pub use archive::{ArchiveReport, Archives};
pub use archiving::Archiving;
pub use ask::{Answer, Arrived, Fetch, FetchResponse, PageRequest};
pub use clock::{Clock, System};
pub use config::Config;
pub use error::Error;
pub use fate::{Fate, Visited};
pub use method::{CrawlMethod, ExtractConfig};
pub use parsed::{Parse, ParseSettings, Parsed};
pub use reextract::Reextracted;
pub use work::record;

/// When a crawl ends by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Until {
    /// When nothing is due and no page waits for a sibling that is still queued.
    pub drained: bool,
    /// When this many pages were stored.
    pub pages: Option<u64>,
}

/// What a crawl did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrawlSummary {
    /// Pages leased.
    pub visited: u64,
    /// Pages whose content was stored, changed or not.
    pub stored: u64,
}

/// What a crawl works with.
#[derive(Clone)]
pub struct Parts<F, A = Fetcher> {
    /// Where URLs come from and go to.
    pub frontier: Arc<F>,
    /// Fetches the pages.
    pub fetcher: A,
    /// The longest body that the fetcher returns, in bytes.
    pub max_body: usize,
    /// Stores the content.
    pub store: Store,
    /// The database of the store and the frontier.
    pub database: Database,
    /// Limits on parsing.
    pub limits: Limits,
    /// How pages are extracted.
    pub extract: ExtractConfig,
}

/// A crawl. Clones share it.
pub struct Crawl<F, A = Fetcher> {
    parts: Parts<F, A>,
    config: Config,
    scope: Scope,
    addresses: AddressRules,
    /// Hosts of which it was logged that links are left out.
    links_left: Mutex<HashSet<String>>,
    clock: Arc<dyn Clock>,
    parse: Parse,
    /// The most CPU time for a step of a page's work.
    most_cpu: Duration,
    budget: Budget,
    permits: Arc<Semaphore>,
    trouble: Mutex<Trouble>,
    traps: Mutex<Traps>,
    echoes: Arc<Mutex<Echoes>>,
    sites: Mutex<SitemapChecks>,
    disk: Disk,
    durability: Durability,
    /// Nothing is leased until then: after a failure of our own, or while the disk is full.
    resting_until: Mutex<Option<Instant>>,
    /// Siblings that have come and that pages wait for. `arrival` is notified when there is one.
    arrived: Mutex<VecDeque<Url>>,
    arrival: Notify,
    /// How many of them are not yet processed, plus one until the kept bodies were looked at after
    /// the start.
    to_do: AtomicUsize,
    visited: AtomicU64,
    stored: AtomicU64,
    turns: AtomicU64,
    /// Notified when a task ends or the frontier has something new.
    news: Notify,
    stopping: watch::Sender<bool>,
    outcomes: Option<mpsc::UnboundedSender<Visited>>,
    archive: Option<Arc<ArchiveFolder>>,
}

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
    /// A crawl that follows links within the hosts of `seeds`, and within the hosts of pages
    /// already in the frontier.
    pub fn new(parts: Parts<F, A>, config: Config, seeds: &[Url]) -> Self {
        Crawl {
            permits: Arc::new(Semaphore::new(config.concurrency.max(1))),
            scope: Scope::new(seeds, &config),
            addresses: AddressRules::new(&config.drop_parameters),
            links_left: Mutex::default(),
            clock: Arc::new(System),
            parse: Parsed::new,
            most_cpu: net::MOST_CPU,
            budget: Budget::new(config.memory),
            trouble: Mutex::default(),
            traps: Mutex::default(),
            echoes: Arc::default(),
            sites: Mutex::default(),
            disk: Disk::new(Box::new(|| None), config.least_free),
            durability: Durability::default(),
            resting_until: Mutex::default(),
            arrived: Mutex::default(),
            arrival: Notify::new(),
            to_do: AtomicUsize::new(0),
            visited: AtomicU64::new(0),
            stored: AtomicU64::new(0),
            turns: AtomicU64::new(0),
            news: Notify::new(),
            stopping: watch::Sender::new(false),
            outcomes: None,
            archive: None,
            parts,
            config,
        }
    }

    /// Sends the fate of each page to a channel.
    pub fn with_outcomes(mut self, outcomes: mpsc::UnboundedSender<Visited>) -> Self {
        self.outcomes = Some(outcomes);
        self
    }

    /// Uses another clock for the time of day, for tests.
    pub fn with_clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Abandons pages after another CPU time, for tests.
    pub fn with_most_cpu(mut self, most: Duration) -> Self {
        self.most_cpu = most;
        self
    }

    /// Uses another parser, for tests of a parser that panics.
    pub fn with_parser(mut self, parse: Parse) -> Self {
        self.parse = parse;
        self
    }

    /// Watches the free space on the disk. `free` returns the free bytes, if they are known.
    pub fn with_free_space(mut self, free: impl Fn() -> Option<u64> + Send + Sync + 'static) -> Self {
        self.disk = Disk::new(Box::new(free), self.config.least_free);
        self
    }

    /// The free bytes of the disk, if they are fewer than [`Config::least_free`]. Then nothing is
    /// fetched.
    pub fn disk_low(&self) -> Option<u64> {
        self.disk.low()
    }

    /// Bytes of [`Config::memory`] in use.
    pub fn memory_taken(&self) -> usize {
        self.budget.taken()
    }

    /// Pages visited so far.
    pub fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    /// How often the crawl's loop has turned. If it does not turn after each [`turn`](Self::turn),
    /// something hangs.
    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// Makes the crawl's loop turn even if there is nothing to do, which shows that it is alive.
    pub fn turn(&self) {
        self.news.notify_one();
    }

    /// Puts seeds and the configured [sitemaps](Config::sitemaps) into the frontier. From then on
    /// links within their hosts are followed, too.
    pub async fn seed(&self, seeds: &[Url]) -> Result<PutSummary, Error> {
        let sitemaps = &self.config.sitemaps;
        self.scope.add(sitemaps);
        let plain = |url: &Url| {
            let mut url = url.clone();
            url.set_fragment(None);
            url
        };
        let seeds: Vec<Url> = seeds.iter().map(|url| self.addresses.normal(&plain(url)).into_owned()).collect();
        self.scope.add(&seeds);
        let pages = seeds.into_iter().map(|url| Discovered::page(url, 0, None));
        let listings = sitemaps.iter().map(|url| Discovered::listing(plain(url), 0, None));
        let discovered: Vec<Discovered> = pages.chain(listings).collect();
        self.parts.frontier.put_discovered(&discovered).await.map_err(Error::because)
    }

    /// From now on links within the hosts of these URLs are followed, too. An operator has put the
    /// URLs into the frontier.
    pub fn take_in(&self, seeds: &[Url]) {
        let seeds: Vec<Url> = seeds.iter().map(|url| self.addresses.normal(url).into_owned()).collect();
        self.scope.add(&seeds);
    }

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
        let (store, database) = (self.parts.store.clone(), self.parts.database.clone());
        blocking(move || store.save_sites().and_then(|()| database.durable())).await?.map_err(Error::because)?;
        outcome.map(|()| CrawlSummary {
            visited: self.visited.load(Ordering::Relaxed),
            stored: self.stored.load(Ordering::Relaxed),
        })
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

    /// Tells it to start nothing new.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Whether the crawl is ending and starts nothing new.
    fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    fn trouble(&self) -> MutexGuard<'_, Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leases nothing for this long.
    fn rest_for(&self, time: Duration) {
        let mut until = self.resting_until.lock().unwrap_or_else(PoisonError::into_inner);
        // A longer rest for another reason goes on.
        *until = (*until).max(Some(Instant::now() + time));
    }

    /// How long nothing will be leased.
    fn rest(&self) -> Duration {
        let until = *self.resting_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Nothing is in flight, waiting or due. URLs scheduled for later (refetches, back-offs) do not
    /// count.
    async fn is_drained(&self, tasks: &JoinSet<Result<(), Error>>) -> Result<bool, Error> {
        if !tasks.is_empty() || self.parts.store.has_host_to_look_at() || self.to_do.load(Ordering::SeqCst) > 0 {
            return Ok(false);
        }
        let stats = self.parts.frontier.stats().await.map_err(Error::because)?;
        Ok(stats.discovered == 0 && stats.leased == 0 && !self.parts.frontier.owes().await.map_err(Error::because)?)
    }

    async fn prune(&self) -> Result<(), Error> {
        let store = self.parts.store.clone();
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

/// Runs blocking work outside the async threads.
async fn blocking<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Result<R, Error> {
    tokio::task::spawn_blocking(work).await.map_err(Error::because)
}

fn flatten(ended: Result<Result<(), Error>, tokio::task::JoinError>) -> Result<(), Error> {
    match ended {
        Ok(result) => result,
        // The panic was in a page's task outside its visit, or in the second extraction: the store
        // or the frontier panicked.
        Err(error) if error.is_panic() => Err(Error::because(error)),
        Err(_) => Ok(()),
    }
}
