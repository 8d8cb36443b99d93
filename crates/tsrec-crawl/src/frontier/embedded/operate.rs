//! What an operator does: look, put back, stop, go on, drop, slow down, while the crawl runs or
//! not.

use serde::{Deserialize, Serialize};

use super::super::error::Error;
use super::super::{HostStatus, UrlStatus};
use super::layout::{Due, DueClass, Phase, UrlEntry};
use super::queues::own_delay;
use super::waits::wait_key;
use super::{Embedded, status};
use tsrec_store::Key;

/// Entries that one listing reads at most, before it gives what it has. Judgement: some hundred
/// milliseconds.
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
    pub const NAMES: [(&str, Filter); 8] = [
        ("all", Filter::All),
        ("discovered", Filter::Discovered),
        ("known", Filter::Known),
        ("failed", Filter::Failed),
        ("given-up", Filter::GivenUp),
        ("skipped", Filter::Skipped),
        ("quarantined", Filter::Quarantined),
        ("waiting", Filter::Waiting),
    ];

    /// The names of all of them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Filter::NAMES.iter().map(|(name, _)| *name)
    }

    fn takes(self, phase: Phase) -> bool {
        match self {
            Filter::All => true,
            Filter::Discovered => phase == Phase::Discovered,
            Filter::Known => phase == Phase::Known,
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
    /// What is known of it.
    #[serde(flatten)]
    pub status: UrlStatus,
    /// The sibling that it waits for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waits_for: Option<String>,
}

impl Embedded {
    /// At most `limit` URLs of a queue, or of all, in the order of queue and URL; with `after`,
    /// only those past that URL of the last answer. Reads at most 100,000 entries, which takes some
    /// tenths of a second; the second value is what to go on after, `None` at the end: a URL, and
    /// for those that wait, which are in the order of their siblings, two.
    ///
    /// # Errors
    ///
    /// The database's.
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
        // Nothing stands between a key and itself with a zero byte behind it.
        let after = after.and_then(|after| Key::parse(after).ok()).map(|after| [after.as_bytes(), b"\0"].concat());
        let mut listed = Vec::new();
        // A URL of an earlier queue is before all of this one.
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

    /// Makes a URL due at once, whatever became of it before, and forgets its failures and what is
    /// known of its version: it is fetched whole, and its section is no trap any more. `false` if
    /// it is unknown or leased.
    ///
    /// # Errors
    ///
    /// The database's.
    pub fn requeue(&self, url: &str) -> Result<bool, Error> {
        let is_due = self.schedule_now(url)?;
        if is_due && let Ok(key) = Key::parse(url) {
            self.forget_trap_around(&key)?;
        }
        Ok(is_due)
    }

    /// The same, by the crawl itself: nobody says that it is no trap.
    pub(super) fn schedule_now(&self, url: &str) -> Result<bool, Error> {
        let Ok(key) = Key::parse(url) else { return Ok(false) };
        self.update_entry(&key, |entry, now| {
            let due = Some(Due { class: DueClass::Normal, at: now });
            let phase = match entry.phase {
                // The body that is kept is worked on again.
                Phase::Quarantined => Phase::Quarantined,
                Phase::Known => Phase::Known,
                _ => Phase::Discovered,
            };
            Some(UrlEntry { phase, due, memo: Vec::new(), ..entry.without_failures() })
        })
    }

    /// Whether [`requeue`](Self::requeue) would make a URL due: it is known, and not leased.
    ///
    /// # Errors
    ///
    /// The database's.
    pub fn can_requeue(&self, url: &str) -> Result<bool, Error> {
        let Ok(key) = Key::parse(url) else { return Ok(false) };
        let (queues, _) = self.lock();
        Ok(self.entry(&key)?.is_some() && !queues.is_leased(key.host(), key.url()))
    }

    /// Starts no more requests to a queue, or starts them again. With `false` what was dropped is
    /// taken in again, and what was a trap is looked at anew.
    ///
    /// # Errors
    ///
    /// The database's.
    pub fn pause(&self, queue: &str, paused: bool) -> Result<(), Error> {
        self.update_queue(queue, |record| {
            record.paused = paused;
            record.dropped &= paused;
            if !paused {
                (record.blocked_until, record.host.retry_from) = (0, 0);
            }
        })?;
        if paused { Ok(()) } else { self.forget_traps(queue) }
    }

    /// Forgets all URLs of a queue, and takes no new ones until it is resumed; what is in flight is
    /// forgotten when it comes back. Gives the number of the others.
    ///
    /// # Errors
    ///
    /// The database's.
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

    /// How a host does; `None` for one that the frontier does not know.
    pub fn host(&self, queue: &str) -> Option<HostStatus> {
        let (queues, _) = self.lock();
        let record = queues.knows(queue).then(|| queues.record(queue))?;
        Some(record.host.status(own_delay(&record, &self.config)))
    }

    /// Whether an operator dropped a queue, and did not resume it since.
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
