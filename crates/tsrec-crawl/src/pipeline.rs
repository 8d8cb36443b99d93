//! The crawl: lease → fetch → extract → store → acknowledge.
//!
//! One task handles one page (`visit`). `run` leases pages from the frontier, starts their tasks
//! and decides when to stop. The steps of a page:
//!
//! 1. The frontier leases its URL: one request a host at a time, with the host's delay between.
//! 2. [`Fetch`] fetches it, within the patience for its host, into a share of the memory
//!    (`budget`).
//! 3. The table [`outcome`] maps what came back, and what is known, to the acknowledgement and to
//!    the fate of the record.
//! 4. A thread outside the async runtime parses the page; its links go to the frontier. A sitemap
//!    or a feed is read, and its URLs go to the frontier (`discover`).
//! 5. Such a thread also extracts it. If the memory of its site knows its template, that alone
//!    decides. Otherwise the page is compared with the held siblings (`pair`), and is held as one
//!    for others. One transaction then stores its record, its change entry and
//!    what was learned, durably. Exception: another page, which it calls canonical, has its content
//!    (`canonical`).
//! 6. Only then is it acknowledged. If a crash interrupts it, the URL is leased again.
//! 7. If its template was not known, it waits. It is extracted again when the template is
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
mod listings;
mod memo;
mod method;
mod moves;
mod net;
mod numbers;
pub mod outcome;
mod pair;
mod parsed;
mod quarantine;
mod recent;
mod reextract;
mod run;
mod scope;
mod together;
mod traps;
mod trouble;
mod unstored;
mod visit;
mod work;

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, mpsc, watch};
use tokio::time::Instant;
use url::Url;

use crate::fetch::Fetcher;
use crate::frontier::{Discovered, Frontier, PutSummary};
use crate::memories::SiteMemories;
use crate::warc::ArchiveFolder;
use address::AddressRules;
use budget::Budget;
use discover::SitemapChecks;
use disk::Disk;
use durable::Durability;
use recent::RecentSiblings;
use scope::Scope;
use traps::Traps;
use trouble::Trouble;
use tsrec_core::html::Limits;
use tsrec_store::{Database, Store};

pub use archive::{ArchiveReport, Archives};
pub use archiving::Archiving;
pub use ask::{Answer, Arrived, Expected, Fetch, FetchResponse, PageRequest};
pub use clock::{Clock, System};
pub use config::Config;
pub use doubt::kind_in_the_way;
pub use error::Error;
pub use fate::{Fate, Visited};
pub use method::{CrawlMethod, ExtractConfig};
pub use parsed::{Parse, ParseSettings, Parsed};
pub use reextract::Reextracted;
pub use unstored::{NotStored, StoredTexts};
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
    /// What the sites of the store have taught; the content goes into that store.
    pub memories: SiteMemories,
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
    texts: StoredTexts,
    recent: Arc<RecentSiblings>,
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
            texts: StoredTexts::default(),
            recent: Arc::default(),
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

    /// Tells it to start nothing new.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Whether the crawl is ending and starts nothing new.
    fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    fn store(&self) -> Store {
        self.parts.memories.store().clone()
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
