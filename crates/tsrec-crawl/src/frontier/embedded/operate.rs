//! What an operator does, whether the crawl runs or not: look, put back, stop, go on, drop, slow
//! down.

use serde::{Deserialize, Serialize};

use super::super::error::Error;
use super::super::{HostStatus, UrlStatus};
use super::layout::{Due, DueClass, Phase, UrlEntry};
use super::queues::own_delay;
use super::waits::wait_key;
use super::{Embedded, status};
use tsrec_store::Key;

/// Entries that one listing reads at most before it returns. Judgement: some hundred milliseconds.
const MOST_READ: usize = 100_000;

/// URLs that one transaction of a drop or a requeue changes. See [`super::put::PUT_BATCH`].
const BATCH: usize = 64;

/// Which URLs a listing shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// All.
    All,
    /// Put, never acknowledged.
    Discovered,
    /// Fetched.
    Known,
    /// The server says that there is no such page.
    Gone,
    /// To be tried again.
    Failed,
    /// Failed too often.
    GivenUp,
    /// Not to be fetched.
    Skipped,
    /// The program failed on them.
    Quarantined,
    /// They wait for a sibling.
    Waiting,
}

impl Filter {
    /// Every filter, with its name.
    pub const NAMES: [(&str, Filter); 9] = [
        ("all", Filter::All),
        ("discovered", Filter::Discovered),
        ("known", Filter::Known),
        ("gone", Filter::Gone),
        ("failed", Filter::Failed),
        ("given-up", Filter::GivenUp),
        ("skipped", Filter::Skipped),
        ("quarantined", Filter::Quarantined),
        ("waiting", Filter::Waiting),
    ];

    /// The names of all filters.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Filter::NAMES.iter().map(|(name, _)| *name)
    }

    fn takes(self, phase: Phase) -> bool {
        match self {
            Filter::All => true,
            Filter::Discovered => phase == Phase::Discovered,
            Filter::Known => phase == Phase::Known,
            Filter::Gone => phase == Phase::Gone,
            Filter::Failed => phase == Phase::Failed,
            Filter::GivenUp => phase == Phase::GivenUp,
            Filter::Skipped => phase == Phase::Skipped,
            Filter::Quarantined => phase == Phase::Quarantined,
            Filter::Waiting => false,
        }
    }
}

impl std::str::FromStr for Filter {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Filter::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|&(_, filter)| filter).ok_or_else(|| {
            format!("{name:?} is no state; choose from {}", Filter::NAMES.map(|(name, _)| name).join(", "))
        })
    }
}

/// A URL of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ListedUrl {
    /// The URL.
    pub url: String,
    /// What the frontier knows about it.
    #[serde(flatten)]
    pub status: UrlStatus,
    /// The sibling that the page waits for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waits_for: Option<String>,
}

impl Embedded {
    /// At most `limit` URLs of a queue, or of all, in the order of queue and URL. With `after`,
    /// only those past that URL of the last answer. Reads at most 100,000 entries, which takes some
    /// tenths of a second. The second value is the `after` of the next call, `None` at the end. It
    /// is a URL. For waiting URLs, which are in the order of their siblings, it is two.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn list(
        &self,
        filter: Filter,
        queue: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<ListedUrl>, Option<String>), Error> {
        if filter == Filter::Waiting {
            return self.list_waiting(queue, after, limit);
        }
        let prefix = queue.map_or(Vec::new(), |queue| [queue.as_bytes(), b"\0"].concat());
        // No key is between a key and itself followed by a zero byte.
        let after = after.and_then(|after| Key::parse(after).ok()).map(|after| [after.as_bytes(), b"\0"].concat());
        let mut listed = Vec::new();
        // A URL of an earlier queue comes before this whole queue.
        for (read, entry) in self.entries_from(after.unwrap_or_default().max(prefix.clone())).enumerate() {
            let (key, entry) = entry?;
            if !key.as_bytes().starts_with(&prefix) {
                break;
            }
            if filter.takes(entry.phase) {
                let leased = self.lock().0.is_leased(key.host(), key.url());
                let status = status(&entry, leased);
                listed.push(ListedUrl { url: key.url().to_owned(), status, waits_for: None });
            }
            if listed.len() >= limit || read + 1 >= MOST_READ {
                return Ok((listed, Some(key.url().to_owned())));
            }
        }
        Ok((listed, None))
    }

    fn list_waiting(
        &self,
        queue: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<ListedUrl>, Option<String>), Error> {
        let mut listed: Vec<ListedUrl> = Vec::new();
        let after = after.and_then(|after| after.split_once(' '));
        let from =
            after.and_then(|(sibling, page)| Some([&*wait_key(page, &Key::parse(sibling).ok()?), b"\0"].concat()));
        for wait in self.waits_from(from.unwrap_or_default()) {
            let (sibling, page) = wait?;
            if listed.len() >= limit {
                let last =
                    listed.last().map(|last| format!("{} {}", last.waits_for.as_deref().unwrap_or_default(), last.url));
                return Ok((listed, last));
            }
            let Ok(key) = Key::parse(&page) else { continue };
            if queue.is_some_and(|queue| queue != key.host()) {
                continue;
            }
            if let Some(entry) = self.entry(&key)? {
                let leased = self.lock().0.is_leased(key.host(), key.url());
                let waits_for = Some(sibling.url().to_owned());
                listed.push(ListedUrl { url: page, status: status(&entry, leased), waits_for });
            }
        }
        Ok((listed, None))
    }

    /// Makes a URL due at once, whatever its state. Forgets its failures and its validators, so
    /// that it is fetched whole. Its section is no longer a trap. `false` if it is unknown or
    /// leased.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn requeue(&self, url: &str) -> Result<bool, Error> {
        let is_due = self.schedule_now(url)?;
        if is_due && let Ok(key) = Key::parse(url) {
            self.forget_trap_around(&key)?;
        }
        Ok(is_due)
    }

    /// The same, called by the crawl itself. A trap stays a trap.
    pub(super) fn schedule_now(&self, url: &str) -> Result<bool, Error> {
        let Ok(key) = Key::parse(url) else { return Ok(false) };
        self.update_entry(&key, |entry, now| {
            let due = Some(Due { class: DueClass::Normal, at: now });
            let phase = match entry.phase {
                // The program processes the kept body again.
                Phase::Quarantined => Phase::Quarantined,
                Phase::Known | Phase::Gone => entry.phase,
                _ => Phase::Discovered,
            };
            Some(UrlEntry { phase, due, memo: Vec::new(), ..entry.without_failures() })
        })
    }

    /// Whether [`requeue`](Self::requeue) would make a URL due: it is known, and not leased.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn can_requeue(&self, url: &str) -> Result<bool, Error> {
        let Ok(key) = Key::parse(url) else { return Ok(false) };
        let (queues, _) = self.lock();
        Ok(self.entry(&key)?.is_some() && !queues.is_leased(key.host(), key.url()))
    }

    /// Stops requests to a queue, or starts them again. With `false`, a dropped queue accepts URLs
    /// again, and its traps are looked at anew.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn pause(&self, queue: &str, paused: bool) -> Result<(), Error> {
        if !paused {
            self.lock().0.forget_origins(queue);
        }
        self.update_queue(queue, |record| {
            record.paused = paused;
            record.dropped &= paused;
            if !paused {
                (record.blocked_until, record.host.retry_from) = (0, 0);
            }
        })?;
        if paused { Ok(()) } else { self.forget_traps(queue) }
    }

    /// Forgets all URLs of a queue, and accepts no new ones until it is resumed. URLs in flight are
    /// forgotten when they are acknowledged. Returns the number of the others.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn drop_queue(&self, queue: &str) -> Result<u64, Error> {
        self.update_queue(queue, |record| record.dropped = true)?;
        let prefix = [queue.as_bytes(), b"\0"].concat();
        let mut from = prefix.clone();
        let mut dropped = 0;
        loop {
            let batch = self.entries_from(from).take(BATCH).map(|found| found.map(|(key, _)| key));
            let mut batch: Vec<Key> = batch.collect::<Result<_, _>>()?;
            batch.retain(|key| key.as_bytes().starts_with(&prefix));
            let Some(last) = batch.last() else { return Ok(dropped) };
            from = [last.as_bytes(), b"\0"].concat();
            dropped += self.take_out(&batch, |_| true)?;
        }
    }

    /// The status of a host; `None` if the frontier does not know it.
    pub fn host(&self, queue: &str) -> Option<HostStatus> {
        let (queues, _) = self.lock();
        let record = queues.knows(queue).then(|| queues.record(queue))?;
        Some(record.host.status(own_delay(&record, &self.config)))
    }

    /// Takes a host into the crawl: from the next start on, links within it are followed as within
    /// the hosts of the seeds.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn take_in(&self, queue: &str) -> Result<(), Error> {
        if self.lock().0.record(queue).taken_in {
            return Ok(());
        }
        self.update_queue(queue, |record| record.taken_in = true)
    }

    /// The hosts that were taken in. O(queues).
    pub fn taken_in(&self) -> Vec<String> {
        let queues = self.lock().0;
        queues.names().filter(|name| queues.record(name).taken_in).map(str::to_owned).collect()
    }

    /// Whether an operator dropped a queue and has not resumed it.
    pub fn is_dropped(&self, queue: &str) -> bool {
        self.lock().0.record(queue).dropped
    }

    /// The names of all queues. O(queues).
    pub fn queues(&self) -> Vec<String> {
        let mut names: Vec<String> = self.lock().0.names().map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Whether a queue is paused, blocked by an operator's date, or dropped.
    pub fn is_stopped(&self, queue: &str) -> bool {
        let (queues, now) = self.lock();
        let record = queues.record(queue);
        record.paused || record.dropped || record.blocked_until > now
    }
}
