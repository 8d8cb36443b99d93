//! The frontier inside the process, in the store's database.
//!
//! # Layout
//!
//! Six [spaces](Space) of the store. A queue's key is a host, which holds no zero byte.
//!
//! | space | key | value |
//! |---|---|---|
//! | `urls` | `queue\0url` | the URL's entry: depth, failures, state, its place in `due`, and its last result |
//! | `due` | `queue\0`, class, due date, url | nothing: an index of scheduled URLs, in the order they are served |
//! | `queues` | queue | the number of its URLs by state, its own delay, its block date, the host's health |
//! | `waits` | sibling's `queue\0url`, `\0`, page's url | since when the page waits for the sibling |
//! | `quarantine` | `queue\0url` | the version of the program that failed on it |
//! | `sections` | `queue\0section` | the number of its URLs, of links refused because it is full, and the last of them; until when it is a trap |
//!
//! `due` is derived from `urls`: if the store emptied it, opening fills it again. The journal has
//! the others, so they outlive the index. `cargo bench --bench opening` prints what that costs: 22
//! bytes in the journal for a new URL, if a page links to ten similar ones, and 248 for a visit.
//!
//! # What is in memory only
//!
//! Leases, requests under way, and when the last request of a queue ended. A leased URL keeps its
//! place in `due` until the ack. So opening voids every lease of the process before: there
//! is nothing on disk to void. This is right because sled has one owner. Leases need no time-out
//! because the task that holds one always acknowledges. Opening reads one record and one index
//! entry for each queue, not the URLs. It does not know when the last request ended, so each queue
//! waits its delay once.
//!
//! Make one `Embedded` for a [`Database`]: two would not know of each other's leases.
//!
//! # What is atomic, and what a crash leaves
//!
//! These are one transaction over the spaces each: a batch of 64 URLs of a put, a group of acks
//! that come at about the same time, and a promotion. None is flushed here. The pipeline calls
//! [`Database::durable`] after it writes the page and its links, and before the ack. So a crash may
//! lose the ack, never the page: then the URL is leased and fetched once more. A failure that was
//! not flushed is an attempt that is not counted.
//!
//! # Time
//!
//! Wall-clock time, in milliseconds, since due dates have to outlive the process. The clock is read
//! under the lock. Read before, it would run backwards between threads, and each step back walks
//! over all queues. If the clock is set back by more than a second, running delays are cut to begin
//! now. Otherwise each queue would wait for as long as the step was. Nothing here sleeps. Tests
//! move the clock by hand.
//!
//! # Cost
//!
//! `get_urls` takes O(log queues) and one read for each lease, however many queues are not ready.
//! Finding a queue's next URL reads past its leased ones. The methods run on the caller's task. An
//! ack may run on the task of another caller that acknowledges at the same time. They take
//! some ten microseconds, a put a few milliseconds between two yields. They append to the journal
//! and wait for other writers of the store, and while one of these writes 256 KiB of entries to
//! sled or begins a segment. They wait for no `fdatasync` else. So a blocking thread would cost
//! more than it saves.

mod acks;
mod addresses;
mod change;
mod derive;
mod forget;
mod hosts;
mod kinds;
mod layout;
mod lease;
mod mend;
mod near;
mod operate;
mod origins;
mod place;
mod put;
mod put_back;
mod queues;
mod sections;
mod turned_back;
mod waits;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::error::{Error, Kind};
use super::host::{from_millis, millis, to_millis};
use super::{
    Account, Ack, Acked, Config, Discovered, Frontier, FrontierStats, Heard, LastVisit, Leads, Lease, PutSummary, Trap,
    UrlRequest, UrlState, UrlStatus,
};
use acks::Acks;
use change::FrontierChange;
use layout::{Due, DueClass, Phase, QueueRecord, UrlEntry};
use put::PUT_BATCH;
use queues::Queues;
use tsrec_store::{Database, Key, Space, SpaceBatch};

pub use hosts::KeptHost;
pub use mend::mended;
pub use operate::{Filter, ListedUrl};
pub use sections::Section;

/// The frontier in the store. The [trait](Frontier) documents its behaviour, and the module's
/// source how it works.
pub struct Embedded {
    urls: Space,
    due: Space,
    queue_records: Space,
    waits: Space,
    quarantine: Space,
    sections: Space,
    config: Config,
    /// The version of the program.
    version: String,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    queues: Mutex<Queues>,
    acks: Acks,
    waiting: AtomicU64,
    refused: AtomicU64,
    /// The key at which the next search for dead URLs begins.
    forget_from: Mutex<Vec<u8>>,
    /// The key at which the next search for dates in the future begins; `None` if there is none.
    bring_back_from: Mutex<Option<Vec<u8>>>,
    // Last: the spaces go before the database is closed.
    database: Database,
}

impl Embedded {
    /// Opens the frontier of a database. O(queues), and O(URLs) after the store filled its index
    /// again.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a setting out of range; errors of the database.
    pub fn new(database: &Database, config: &Config) -> Result<Embedded, Error> {
        Embedded::open(database, config, env!("CARGO_PKG_VERSION"), Timestamp::now)
    }

    /// The same with another version of the program and another clock, for tests.
    ///
    /// # Errors
    ///
    /// As for [`Embedded::new`].
    pub fn open(
        database: &Database,
        config: &Config,
        version: &str,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Embedded, Error> {
        config.check()?;
        let space = |name| database.space(name).map_err(Error::store("open its spaces"));
        let waits = space("waits")?;
        let frontier = Embedded {
            database: database.clone(),
            urls: space("urls")?,
            due: database.derived_space("due").map_err(Error::store("open its spaces"))?,
            queue_records: space("queues")?,
            waiting: AtomicU64::new(waits.count()),
            waits,
            quarantine: space("quarantine")?,
            sections: space("sections")?,
            config: config.clone(),
            version: version.to_owned(),
            clock: Box::new(clock),
            queues: Mutex::new(Queues::new(config)),
            acks: Acks::default(),
            refused: AtomicU64::new(0),
            forget_from: Mutex::default(),
            bring_back_from: Mutex::default(),
        };
        frontier.derive_due()?;
        frontier.count_sections()?;
        frontier.load()?;
        frontier.leave_quarantine()?;
        Ok(frontier)
    }

    fn load(&self) -> Result<(), Error> {
        let (mut queues, now) = self.lock();
        for entry in self.queue_records.iter() {
            let (name, record) = entry.map_err(Error::store("read its queues"))?;
            let Some(name) = std::str::from_utf8(&name).ok().filter(|name| layout::can_be_queue(name)) else {
                // Damage, or an earlier version, which accepted any name from an operator.
                self.take_out_key(&self.queue_records, &name, "the name of a queue")?;
                continue;
            };
            queues.set_record(name, self.read_queue(name, &record)?);
            queues.hold_back(name, now);
            queues.learn(name, |host, config| host.turn_back(now, config));
            self.place(&mut queues, name)?;
        }
        Ok(())
    }

    /// Makes URLs due at once on which another version of the program failed.
    fn leave_quarantine(&self) -> Result<(), Error> {
        for entry in self.quarantine.iter() {
            let (key, version) = entry.map_err(Error::store("read its quarantine"))?;
            if version == self.version.as_bytes() {
                continue;
            }
            let Some(key) = Key::from_bytes(&key) else {
                self.take_out_key(&self.quarantine, &key, "a key of the quarantine")?;
                continue;
            };
            self.update_entry(&key, |entry, now| {
                let due = Some(Due { class: DueClass::Normal, at: now });
                (entry.phase == Phase::Quarantined).then(|| UrlEntry { due, ..entry.clone() })
            })?;
        }
        Ok(())
    }

    fn move_to_head(&self, key: &Key) -> Result<bool, Error> {
        let (mut queues, now) = self.lock();
        self.promote_locked(&mut queues, key, now)
    }

    fn promote_locked(&self, queues: &mut Queues, key: &Key, now: u64) -> Result<bool, Error> {
        let Some(before) = self.entry(key)? else { return Ok(false) };
        if before.phase != Phase::Discovered || queues.is_leased(key.host(), key.url()) {
            return Ok(false);
        }
        if before.due.is_some_and(|due| due.class == DueClass::Urgent) {
            return Ok(true);
        }
        let after = UrlEntry { due: Some(Due { class: DueClass::Urgent, at: now }), ..before.clone() };
        let mut change = FrontierChange::default();
        change.replace(queues, key, Some(&before), Some(after))?;
        self.commit(queues, change)?;
        Ok(true)
    }

    fn update_queue(&self, queue: &str, update: impl FnOnce(&mut QueueRecord)) -> Result<(), Error> {
        if !layout::can_be_queue(queue) {
            return Err(Kind::Queue { name: queue.to_owned() }.into());
        }
        let (mut queues, _) = self.lock();
        let mut change = FrontierChange::default();
        update(change.record(&queues, queue));
        self.commit(&mut queues, change)
    }

    /// Changes an entry that is not leased with `update`. Tells whether it changed.
    fn update_entry(&self, key: &Key, update: impl FnOnce(&UrlEntry, u64) -> Option<UrlEntry>) -> Result<bool, Error> {
        let (mut queues, now) = self.lock();
        let Some(before) = self.entry(key)? else { return Ok(false) };
        if queues.is_leased(key.host(), key.url()) {
            return Ok(false);
        }
        let Some(after) = update(&before, now) else { return Ok(false) };
        let mut change = FrontierChange::default();
        change.replace(&queues, key, Some(&before), Some(after))?;
        self.commit(&mut queues, change)?;
        Ok(true)
    }

    /// Writes a change, then updates the queues in memory.
    fn commit(&self, queues: &mut Queues, change: FrontierChange) -> Result<(), Error> {
        self.write(&change)?;
        self.adopt(queues, change)
    }

    fn write(&self, change: &FrontierChange) -> Result<(), Error> {
        let (urls, records) = change.encode()?;
        let sections = change.sections.encode(&self.sections)?;
        self.write_spaces(&[
            (&self.urls, &urls),
            (&self.due, &change.due),
            (&self.queue_records, &records),
            (&self.quarantine, &change.quarantine),
            (&self.waits, &change.waits),
            (&self.sections, &sections),
        ])
    }

    fn write_spaces(&self, batches: &[(&Space, &SpaceBatch)]) -> Result<(), Error> {
        self.database.write(batches).map_err(Error::store("write"))
    }

    /// Applies a written change in memory. It updates all queues, even if one of them cannot be
    /// placed.
    fn adopt(&self, queues: &mut Queues, change: FrontierChange) -> Result<(), Error> {
        let mut placed = Ok(());
        for (name, record) in change.records {
            queues.set_record(&name, record);
            placed = placed.and(self.place(queues, &name));
        }
        placed
    }

    fn entry(&self, key: &Key) -> Result<Option<UrlEntry>, Error> {
        let entry = self.urls.get(key.as_bytes()).map_err(Error::store("read a URL"))?;
        entry.map(|bytes| self.read_entry(key, &bytes)).transpose()
    }

    /// The queues as of now, and the time.
    fn lock(&self) -> (MutexGuard<'_, Queues>, u64) {
        // No step between two changes of the queues can panic, so a poisoned lock still guards
        // valid queues.
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let now = to_millis((self.clock)());
        if queues.advance(now) {
            self.note_turned_back();
        }
        (queues, now)
    }
}

impl Frontier for Embedded {
    async fn put_discovered(&self, urls: &[Discovered]) -> Result<PutSummary, Error> {
        let mut summary = PutSummary::default();
        for batch in urls.chunks(PUT_BATCH) {
            self.put(batch, &mut summary)?;
            // A page may have thousands of links. Other tasks of this thread run between the
            // batches.
            tokio::task::yield_now().await;
        }
        Ok(summary)
    }

    async fn get_urls(&self, max: usize) -> Result<Vec<Lease>, Error> {
        self.bring_some_back()?;
        let (mut queues, _) = self.lock();
        let mut leases = Vec::new();
        while leases.len() < max {
            match self.lease(&mut queues) {
                Ok(Some(lease)) => leases.push(lease),
                Ok(None) => break,
                // URLs already leased must reach the caller. The next call meets the error again.
                Err(_) if !leases.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(leases)
    }

    async fn next_due(&self) -> Result<Option<Duration>, Error> {
        let (queues, now) = self.lock();
        Ok(queues.next_ready().map(|at| Duration::from_millis(at.saturating_sub(now))))
    }

    async fn owes(&self) -> Result<bool, Error> {
        Ok(self.lock().0.owe())
    }

    async fn locate(&self, url: &str, address: std::net::IpAddr) -> Result<bool, Error> {
        Key::parse(url).map_or(Ok(true), |key| self.locate_lease(&key, address))
    }

    async fn fetched(&self, url: &str, heard: &Heard) -> Result<bool, Error> {
        Key::parse(url).map_or(Ok(false), |key| self.end_request(&key, heard))
    }

    async fn ack(&self, url: &str, outcome: Ack, account: impl Into<Account> + Send) -> Result<Acked, Error> {
        match Key::parse(url) {
            Ok(key) => self.end_with_others(key, outcome, account.into()).await,
            Err(_) => Ok(Acked::NotLeased),
        }
    }

    async fn quarantine(&self, url: &str, account: impl Into<Account> + Send) -> Result<bool, Error> {
        self.quarantine_unleased(url, account.into())
    }

    async fn is_quarantined(&self, url: &str) -> Result<bool, Error> {
        self.has_quarantined(url)
    }

    async fn promote(&self, url: &str) -> Result<bool, Error> {
        Key::parse(url).map_or(Ok(false), |key| self.move_to_head(&key))
    }

    async fn make_due(&self, url: &str) -> Result<bool, Error> {
        self.schedule_now(url)
    }

    async fn wait_for(&self, page: &str, sibling: &str) -> Result<bool, Error> {
        Key::parse(sibling).map_or(Ok(false), |sibling| self.begin_wait(page, &sibling))
    }

    async fn waiting_for(&self, sibling: &str) -> Result<Vec<String>, Error> {
        Key::parse(sibling).map_or(Ok(Vec::new()), |sibling| self.who_waits_for(&sibling))
    }

    async fn overdue_waits(&self, before: Timestamp) -> Result<Vec<(String, String)>, Error> {
        self.vain_waits(to_millis(before))
    }

    async fn end_wait(&self, page: &str, sibling: &str) -> Result<(), Error> {
        Key::parse(sibling).map_or(Ok(()), |sibling| self.forget_wait(page, &sibling))
    }

    async fn near(&self, url: &str, most: usize) -> Result<Vec<String>, Error> {
        Key::parse(url).map_or(Ok(Vec::new()), |key| self.next_to(&key, most))
    }

    async fn status(&self, url: &str) -> Result<Option<UrlStatus>, Error> {
        let Ok(key) = Key::parse(url) else { return Ok(None) };
        let (queues, _) = self.lock();
        let leased = queues.is_leased(key.host(), key.url());
        Ok(self.entry(&key)?.map(|entry| status(&entry, leased)))
    }

    async fn block_queue_until(&self, queue: &str, until: Timestamp) -> Result<(), Error> {
        self.update_queue(queue, |record| record.blocked_until = to_millis(until))
    }

    async fn set_delay(&self, queue: &str, delay: Option<Duration>) -> Result<(), Error> {
        self.update_queue(queue, |record| record.delay = delay.map(millis))
    }

    async fn trap(&self, queue: &str, section: &str) -> Result<Option<Trap>, Error> {
        self.trap_of(queue, section)
    }

    async fn set_trap(&self, queue: &str, section: &str, trap: Option<Trap>) -> Result<(), Error> {
        self.remember_trap(queue, section, trap)
    }

    async fn forget_dead(&self, look_at: usize) -> Result<u64, Error> {
        self.forget_dead(look_at)
    }

    async fn stats(&self) -> Result<FrontierStats, Error> {
        let (queues, _) = self.lock();
        let [discovered, known, failed, given_up, skipped, quarantined, gone] = queues.counts;
        Ok(FrontierStats {
            queues: queues.len(),
            discovered,
            known,
            gone,
            failed,
            given_up,
            skipped,
            quarantined,
            due_now: queues.ready_len(),
            oldest_ready_ms: queues.oldest_ready(),
            leased: queues.leased_len(),
            in_flight: queues.in_flight_len(),
            waiting: self.waiting.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
        })
    }
}

impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedded").field("config", &self.config).finish_non_exhaustive()
    }
}

fn status(entry: &UrlEntry, leased: bool) -> UrlStatus {
    let requests = entry.requests.iter().rev();
    UrlStatus {
        leads: if entry.is_listing { Leads::ToListing } else { Leads::ToPage },
        robots: (!entry.robots.is_empty()).then(|| entry.robots.clone()),
        requests: requests
            .map(|asked| UrlRequest { at: from_millis(asked.at), took_ms: asked.took_ms, what: asked.what.clone() })
            .collect(),
        state: state(entry),
        leased,
        depth: entry.depth,
        found_on: entry.found_on.clone(),
        interval: (entry.interval > 0).then(|| Duration::from_millis(entry.interval)),
        failing_since: (entry.failing_since > 0).then(|| from_millis(entry.failing_since)),
        last: (entry.acked_at > 0).then(|| LastVisit { at: from_millis(entry.acked_at), said: entry.said.clone() }),
    }
}

fn state(entry: &UrlEntry) -> UrlState {
    let due = from_millis(entry.due.map_or(0, |due| due.at));
    match entry.phase {
        Phase::Discovered => UrlState::Discovered,
        Phase::Known => UrlState::Known { refetchable_from: due },
        Phase::Gone => UrlState::Gone { refetchable_from: due },
        Phase::Failed => UrlState::Failed { attempts: entry.attempts, retry_from: due },
        Phase::GivenUp => UrlState::GivenUp { attempts: entry.attempts },
        Phase::Skipped => UrlState::Skipped,
        Phase::Quarantined => UrlState::Quarantined,
    }
}
