//! The frontier inside the process, in the store's database.
//!
//! # Layout
//!
//! Three trees beside the store's. A queue's key is a host, which holds no zero byte.
//!
//! | tree | key | value |
//! |---|---|---|
//! | `frontier_urls` | `queue\0url` | the URL's entry: depth, failures, state, and its place in the next tree |
//! | `frontier_due` | `queue\0`, class, due date, url | nothing: an index of what is scheduled, in the order it is served |
//! | `frontier_queues` | queue | the number of its URLs by state, its own delay, until when it is blocked |
//!
//! # What is in memory only
//!
//! Leases, requests under way, and when the last request of a queue ended. A leased URL keeps its place in `frontier_due` until the ack, so
//! opening voids every lease of the process before, by construction: there is nothing on disk to void. This is right because sled has one
//! owner, and leases need no timeout because the task that holds one always acknowledges. Opening reads one record and one
//! index entry for each queue, not the URLs. When the last request ended is not known then, so each queue waits its delay once.
//!
//! Make one `Embedded` for a [`Database`]: two would not know of each other's leases.
//!
//! # What is atomic, and what a crash leaves
//!
//! A put, in batches of 64 URLs, an ack and a promotion are one transaction over the three trees each. None is flushed here. The
//! pipeline calls [`Database::durable`] after the page and its links are written and before the ack, so a crash may lose the ack, never the
//! page: then the URL is leased and fetched once more. A failure that was not flushed is an attempt that is not counted.
//!
//! # Time
//!
//! Wall-clock time, in milliseconds: due dates have to outlive the process. If the clock is set back, running delays are cut to
//! begin now, so that no queue stands still for as long as the step was. Nothing here sleeps; tests move the clock by hand.
//!
//! # Cost
//!
//! `get_urls` takes O(log queues) and one read for each lease, however many queues are not ready. Finding a queue's next URL reads past its
//! leased ones. The methods run on the caller's task: they touch sled's cache for some ten microseconds, a put for a few
//! milliseconds between two yields, and wait for no disk, so a blocking thread would cost more than it saves.

mod layout;
mod queues;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use sled::transaction::{ConflictableTransactionError, Transactional};
use url::Url;

use super::error::{Error, Kind};
use super::{Ack, Acked, Config, Discovered, Frontier, Lease, PutSummary, State, Stats, UrlStatus};
use crate::store::{self, Database, Key};
use layout::{Class, Due, Entry, Phase, QueueRecord, due_key, due_prefix, parse_due};
use queues::{Head, Queues};

/// How many URLs one transaction of a put adds. Judgement: a transaction stops all other writers; this many, each of another queue, took five
/// milliseconds in a debug build.
const PUT_BATCH: usize = 64;

/// The frontier in sled. See the [trait](Frontier) for what it does, and the module's source for how.
pub struct Embedded {
    urls: sled::Tree,
    due: sled::Tree,
    queue_records: sled::Tree,
    config: Config,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    queues: Mutex<Queues>,
}

impl Embedded {
    /// Opens the frontier of a database. O(queues).
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a setting out of range; the database's.
    pub fn new(database: &Database, config: &Config) -> Result<Embedded, Error> {
        Embedded::with_clock(database, config, Timestamp::now)
    }

    /// The same with another clock, for tests.
    ///
    /// # Errors
    ///
    /// As for [`Embedded::new`].
    pub fn with_clock(
        database: &Database,
        config: &Config,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Embedded, Error> {
        check(config)?;
        let tree = |name| database.open_tree(name).map_err(Error::store("open its trees"));
        let frontier = Embedded {
            urls: tree("frontier_urls")?,
            due: tree("frontier_due")?,
            queue_records: tree("frontier_queues")?,
            config: config.clone(),
            clock: Box::new(clock),
            queues: Mutex::default(),
        };
        frontier.load()?;
        Ok(frontier)
    }

    fn load(&self) -> Result<(), Error> {
        let now = self.now();
        let mut queues = self.lock(now);
        for entry in &self.queue_records {
            let (name, record) = entry.map_err(sled_failed("read its queues"))?;
            let name = std::str::from_utf8(&name).map_err(|_| damaged("the name of a queue is no text"))?;
            let record = postcard::from_bytes(&record).map_err(|_| damaged("the record of a queue"))?;
            queues.set_record(name, record);
            queues.hold_back(name, now);
            self.place(&mut queues, name)?;
        }
        Ok(())
    }

    fn put(&self, urls: &[Discovered], summary: &mut PutSummary) -> Result<(), Error> {
        let now = self.now();
        let mut queues = self.lock(now);
        let mut change = Change::default();
        for Discovered { url, depth } in urls {
            let Ok(key) = Key::of(url) else {
                summary.refused += 1;
                continue;
            };
            if change.entries.contains_key(key.as_bytes()) || self.entry(&key)?.is_some() {
                summary.known += 1;
            } else if change.record(&queues, key.host()).urls() >= self.config.max_urls_per_queue {
                summary.refused += 1;
            } else {
                let due = Some(Due { class: Class::Normal, at: now });
                let entry = Entry { depth: *depth, attempts: 0, phase: Phase::Discovered, due };
                change.replace(&queues, &key, None, entry)?;
                summary.added += 1;
            }
        }
        self.commit(&mut queues, change)
    }

    /// Leases the next URL of the queue that is to be served next.
    fn lease(&self, queues: &mut Queues) -> Result<Option<Lease>, Error> {
        let Some((queue, head)) = queues.first_ready() else { return Ok(None) };
        let url = Url::parse(&head.url).map_err(|_| damaged(&format!("{:?} is no URL", head.url)))?;
        let key = Key::of(&url).map_err(Error::store("read a URL"))?;
        let entry = self.entry(&key)?.ok_or_else(|| damaged(&format!("{url} is scheduled and not known")))?;
        queues.lease(&queue, &head.url);
        queues.place(&queue, None, self.delay());
        Ok(Some(Lease { url, depth: entry.depth, attempts: entry.attempts }))
    }

    fn end_request(&self, key: &Key) -> Result<bool, Error> {
        let now = self.now();
        let mut queues = self.lock(now);
        let under_way = queues.end_request(key.host(), key.url(), Some(now));
        self.place(&mut queues, key.host())?;
        Ok(under_way)
    }

    fn end_lease(&self, key: &Key, outcome: Ack) -> Result<Acked, Error> {
        let now = self.now();
        let mut queues = self.lock(now);
        if !queues.is_leased(key.host(), key.url()) {
            return Ok(Acked::NotLeased);
        }
        let before = self.entry(key)?.ok_or_else(|| damaged(&format!("{} is leased and not known", key.url())))?;
        let after = self.outcome(&before, outcome, now);
        let acked = acked(&after);
        let mut change = Change::default();
        change.replace(&queues, key, Some(before), after)?;
        self.write(&change)?;
        // Skipped before its request was over means that there was no request, and no delay to keep.
        let ended_at = (outcome != Ack::Skipped).then_some(now);
        queues.end_request(key.host(), key.url(), ended_at);
        queues.release(key.host(), key.url());
        self.adopt(&mut queues, change)?;
        Ok(acked)
    }

    /// What an ack makes of an entry.
    fn outcome(&self, before: &Entry, outcome: Ack, now: u64) -> Entry {
        let normal = |at| Some(Due { class: Class::Normal, at });
        let (phase, attempts, due) = match outcome {
            Ack::Ok { refetchable_from } => (Phase::Known, 0, normal(to_millis(refetchable_from))),
            Ack::Skipped => (Phase::Skipped, before.attempts, None),
            Ack::Fail { retry_after } => match before.attempts.saturating_add(1) {
                attempts if attempts >= self.config.max_attempts => (Phase::GivenUp, attempts, None),
                attempts => {
                    let wait = millis(self.config.back_off(attempts, retry_after));
                    (Phase::Failed, attempts, normal(now.saturating_add(wait)))
                }
            },
        };
        Entry { depth: before.depth, attempts, phase, due }
    }

    fn move_to_head(&self, key: &Key) -> Result<bool, Error> {
        let now = self.now();
        let mut queues = self.lock(now);
        let Some(before) = self.entry(key)? else { return Ok(false) };
        if before.phase != Phase::Discovered || queues.is_leased(key.host(), key.url()) {
            return Ok(false);
        }
        if before.due.is_some_and(|due| due.class == Class::Urgent) {
            return Ok(true);
        }
        let after = Entry { due: Some(Due { class: Class::Urgent, at: now }), ..before.clone() };
        let mut change = Change::default();
        change.replace(&queues, key, Some(before), after)?;
        self.commit(&mut queues, change)?;
        Ok(true)
    }

    fn update_queue(&self, queue: &str, update: impl FnOnce(&mut QueueRecord)) -> Result<(), Error> {
        let mut queues = self.lock(self.now());
        let mut change = Change::default();
        update(change.record(&queues, queue));
        self.commit(&mut queues, change)
    }

    /// Writes a change, then makes the queues in memory follow it.
    fn commit(&self, queues: &mut Queues, change: Change) -> Result<(), Error> {
        self.write(&change)?;
        self.adopt(queues, change)
    }

    fn write(&self, change: &Change) -> Result<(), Error> {
        let (urls, records) = change.encode()?;
        (&self.urls, &self.due, &self.queue_records)
            .transaction(|(urls_tree, due_tree, records_tree)| {
                urls_tree.apply_batch(&urls)?;
                due_tree.apply_batch(&change.due)?;
                records_tree.apply_batch(&records)?;
                Ok::<(), ConflictableTransactionError<()>>(())
            })
            .map_err(|error| Error::store("write")(store::failed(error)))
    }

    fn adopt(&self, queues: &mut Queues, change: Change) -> Result<(), Error> {
        for (name, record) in change.records {
            queues.set_record(&name, record);
            self.place(queues, &name)?;
        }
        Ok(())
    }

    /// Finds the next URL of a queue, and puts the queue where it belongs.
    fn place(&self, queues: &mut Queues, name: &str) -> Result<(), Error> {
        let prefix = due_prefix(name);
        for entry in self.due.scan_prefix(&prefix).keys() {
            let key = entry.map_err(sled_failed("read what is due"))?;
            let (due, url) = parse_due(&key[prefix.len()..]).ok_or_else(|| damaged("a key of what is due"))?;
            if !queues.is_leased(name, url) {
                queues.place(name, Some(Head { due, url: url.to_owned() }), self.delay());
                return Ok(());
            }
        }
        queues.place(name, None, self.delay());
        Ok(())
    }

    fn entry(&self, key: &Key) -> Result<Option<Entry>, Error> {
        let entry = self.urls.get(key.as_bytes()).map_err(sled_failed("read a URL"))?;
        let decode = |bytes: sled::IVec| {
            postcard::from_bytes(&bytes).map_err(|_| damaged(&format!("the entry of {}", key.url())))
        };
        entry.map(decode).transpose()
    }

    fn now(&self) -> u64 {
        to_millis((self.clock)())
    }

    fn delay(&self) -> u64 {
        millis(self.config.delay)
    }

    /// The queues as they stand now.
    fn lock(&self, now: u64) -> MutexGuard<'_, Queues> {
        // No step between two changes of the queues can panic, so a poisoned lock guards sound queues.
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.advance(now, self.delay());
        queues
    }
}

impl Frontier for Embedded {
    async fn put_discovered(&self, urls: &[Discovered]) -> Result<PutSummary, Error> {
        let mut summary = PutSummary::default();
        for batch in urls.chunks(PUT_BATCH) {
            self.put(batch, &mut summary)?;
            // A page may have thousands of links: the other tasks of this thread get their turn between the batches.
            tokio::task::yield_now().await;
        }
        Ok(summary)
    }

    async fn get_urls(&self, max: usize) -> Result<Vec<Lease>, Error> {
        let mut queues = self.lock(self.now());
        let mut leases = Vec::new();
        while leases.len() < max {
            match self.lease(&mut queues) {
                Ok(Some(lease)) => leases.push(lease),
                Ok(None) => break,
                // What is leased already must reach the caller; the next call meets the error again.
                Err(_) if !leases.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(leases)
    }

    async fn next_due(&self) -> Result<Option<Duration>, Error> {
        let now = self.now();
        let at = self.lock(now).next_ready();
        Ok(at.map(|at| Duration::from_millis(at.saturating_sub(now))))
    }

    async fn fetched(&self, url: &str) -> Result<bool, Error> {
        Key::parse(url).map_or(Ok(false), |key| self.end_request(&key))
    }

    async fn ack(&self, url: &str, outcome: Ack) -> Result<Acked, Error> {
        Key::parse(url).map_or(Ok(Acked::NotLeased), |key| self.end_lease(&key, outcome))
    }

    async fn promote(&self, url: &str) -> Result<bool, Error> {
        Key::parse(url).map_or(Ok(false), |key| self.move_to_head(&key))
    }

    async fn status(&self, url: &str) -> Result<Option<UrlStatus>, Error> {
        let Ok(key) = Key::parse(url) else { return Ok(None) };
        let queues = self.lock(self.now());
        let leased = queues.is_leased(key.host(), key.url());
        Ok(self.entry(&key)?.map(|entry| UrlStatus { state: state(&entry), leased, depth: entry.depth }))
    }

    async fn block_queue_until(&self, queue: &str, until: Timestamp) -> Result<(), Error> {
        self.update_queue(queue, |record| record.blocked_until = to_millis(until))
    }

    async fn set_delay(&self, queue: &str, delay: Duration) -> Result<(), Error> {
        self.update_queue(queue, |record| record.delay = Some(millis(delay)))
    }

    async fn stats(&self) -> Result<Stats, Error> {
        let queues = self.lock(self.now());
        let [discovered, known, failed, given_up, skipped] = queues.counts;
        let (due_now, leased, in_flight) = (queues.ready_len(), queues.leased_len(), queues.in_flight_len());
        Ok(Stats { queues: queues.len(), discovered, known, failed, given_up, skipped, due_now, leased, in_flight })
    }
}

impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedded").field("config", &self.config).finish_non_exhaustive()
    }
}

/// What one transaction writes.
#[derive(Default)]
struct Change {
    /// By the bytes of their keys.
    entries: HashMap<Vec<u8>, Entry>,
    due: sled::Batch,
    records: HashMap<String, QueueRecord>,
}

impl Change {
    /// The record of a queue as this change leaves it.
    fn record(&mut self, queues: &Queues, queue: &str) -> &mut QueueRecord {
        self.records.entry(queue.to_owned()).or_insert_with(|| queues.record(queue))
    }

    /// Puts an entry in the place of the one before, in the index and the counts as well.
    fn replace(&mut self, queues: &Queues, key: &Key, before: Option<Entry>, after: Entry) -> Result<(), Error> {
        let record = self.record(queues, key.host());
        if let Some(before) = &before {
            let count = &mut record.counts[before.phase as usize];
            *count = count.checked_sub(1).ok_or_else(|| damaged(&format!("the counts of queue {}", key.host())))?;
        }
        record.counts[after.phase as usize] += 1;
        let due_key = |due| due_key(key.host(), due, key.url());
        if let Some(due) = before.and_then(|before| before.due) {
            self.due.remove(due_key(due));
        }
        if let Some(due) = after.due {
            self.due.insert(due_key(due), &[]);
        }
        self.entries.insert(key.as_bytes().to_vec(), after);
        Ok(())
    }

    fn encode(&self) -> Result<(sled::Batch, sled::Batch), Error> {
        let mut urls = sled::Batch::default();
        for (key, entry) in &self.entries {
            urls.insert(key.as_slice(), encode(entry)?);
        }
        let mut records = sled::Batch::default();
        for (name, record) in &self.records {
            records.insert(name.as_bytes(), encode(record)?);
        }
        Ok((urls, records))
    }
}

fn encode<T: serde::Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    postcard::to_stdvec(value).map_err(|error| Error::store("write")(store::Error::encode("an entry")(error)))
}

fn acked(after: &Entry) -> Acked {
    match (after.phase, after.due) {
        (Phase::GivenUp, _) => Acked::GivenUp { attempts: after.attempts },
        (_, Some(due)) => Acked::Scheduled { due: from_millis(due.at) },
        (_, None) => Acked::Skipped,
    }
}

fn state(entry: &Entry) -> State {
    let due = from_millis(entry.due.map_or(0, |due| due.at));
    match entry.phase {
        Phase::Discovered => State::Discovered,
        Phase::Known => State::Known { refetchable_from: due },
        Phase::Failed => State::Failed { attempts: entry.attempts, retry_from: due },
        Phase::GivenUp => State::GivenUp { attempts: entry.attempts },
        Phase::Skipped => State::Skipped,
    }
}

fn check(config: &Config) -> Result<(), Error> {
    let refuse = |setting, value: String, least: &str| Err(Kind::Config { setting, value, least: least.into() }.into());
    let millisecond = Duration::from_millis(1);
    if config.max_attempts == 0 {
        return refuse("max_attempts", "0".into(), "1");
    }
    if config.max_urls_per_queue == 0 {
        return refuse("max_urls_per_queue", "0".into(), "1");
    }
    if config.retry_base < millisecond {
        return refuse("retry_base", format!("{:?}", config.retry_base), "1ms");
    }
    if config.retry_cap < config.retry_base {
        return refuse("retry_cap", format!("{:?}", config.retry_cap), &format!("retry_base, {:?}", config.retry_base));
    }
    Ok(())
}

fn damaged(what: &str) -> Error {
    Kind::Damaged { what: what.into() }.into()
}

fn sled_failed(doing: &'static str) -> impl FnOnce(sled::Error) -> Error {
    move |error| Error::store(doing)(store::Error::sled(doing)(error))
}

/// Milliseconds since 1970; times before are 1970.
fn to_millis(time: Timestamp) -> u64 {
    u64::try_from(time.as_millisecond()).unwrap_or(0)
}

/// Times past the calendar's end are its end.
fn from_millis(millis: u64) -> Timestamp {
    i64::try_from(millis).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok()).unwrap_or(Timestamp::MAX)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
