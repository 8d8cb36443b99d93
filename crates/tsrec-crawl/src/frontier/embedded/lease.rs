//! From a lease to its acknowledgement.

use std::net::IpAddr;

use url::Url;

use super::super::error::Error;
use super::super::host::{from_millis, millis, to_millis};
use super::super::{Account, Ack, Acked, Health, Heard, Leads, Lease};
use super::Embedded;
use super::change::FrontierChange;
use super::layout::{Due, DueClass, Phase, QueueRecord, UrlEntry, due_key};
use super::mend::note_mended;
use super::queues::{QueueHead, Queues};
use crate::fault::Fault;
use tsrec_store::Key;

/// The data that ends a lease.
#[derive(Clone)]
pub(super) struct End {
    pub(super) key: Key,
    pub(super) outcome: Ack,
    pub(super) account: Account,
}

impl Embedded {
    /// Leases the next URL of the queue to serve next. It repairs scheduled entries that cannot be
    /// leased: one bad entry must not stop its queue, much less the crawl.
    pub(super) fn lease(&self, queues: &mut Queues) -> Result<Option<Lease>, Error> {
        while let Some((queue, head)) = queues.first_ready() {
            let key = Key::in_queue(&queue, &head.url);
            let entry = self.entry(&key)?.filter(|entry| entry.due == Some(head.due));
            let (Some(entry), Ok(url)) = (entry, Url::parse(&head.url)) else {
                self.unschedule(queues, &queue, &key, &head)?;
                continue;
            };
            if url.as_str() != head.url {
                self.file_anew(queues, &key, entry, &url)?;
                continue;
            }
            let (host, own) = (queues.record(&queue).host, queues.own_delay(&queue));
            queues.lease(&queue, &head.url);
            queues.place(&queue, None);
            return Ok(Some(Lease {
                url,
                depth: entry.depth,
                attempts: entry.attempts,
                failing_since: (entry.failing_since > 0).then(|| from_millis(entry.failing_since)),
                due: from_millis(head.due.at),
                interval: (entry.interval > 0).then(|| std::time::Duration::from_millis(entry.interval)),
                quarantined: entry.phase == Phase::Quarantined,
                leads: if entry.is_listing { Leads::ToListing } else { Leads::ToPage },
                memo: entry.memo,
                located: host.address.is_some(),
                answered_before: host.last_ok > 0,
                patience: host.patience(entry.attempts),
                delay: std::time::Duration::from_millis(own),
            }));
        }
        Ok(None)
    }

    /// Removes a place in the index that does not lead to its entry. Text that is no longer a URL
    /// is dropped. A URL whose entry is lost to damage is discovered anew.
    fn unschedule(&self, queues: &mut Queues, queue: &str, key: &Key, head: &QueueHead) -> Result<(), Error> {
        let mut change = FrontierChange::default();
        // Remove it from the queue it was read under, or it is read again and again.
        change.due.remove(due_key(queue, head.due, &head.url));
        match (self.entry(key)?, Url::parse(&head.url)) {
            (Some(entry), Err(_)) => {
                note_mended();
                tracing::warn!(url = head.url, "scheduled, and no URL: dropped from the frontier");
                change.replace(queues, key, Some(&entry), None)?;
            }
            (None, Ok(url)) if url.as_str() == head.url => {
                note_mended();
                tracing::warn!(url = head.url, "scheduled, and not known: it is discovered anew");
                let now = to_millis((self.clock)());
                change.replace(queues, key, None, Some(UrlEntry::discovered(0, None, now)))?;
            }
            // If there is another place, or no place at all, this one is left over.
            _ => drop(change.record(queues, queue)),
        }
        self.commit(queues, change)
    }

    /// Stores a URL that an earlier version spelt otherwise under today's spelling.
    fn file_anew(&self, queues: &mut Queues, key: &Key, entry: UrlEntry, url: &Url) -> Result<(), Error> {
        let mut change = FrontierChange::default();
        change.replace(queues, key, Some(&entry), None)?;
        if let Ok(new) = Key::from_url(url)
            && self.entry(&new)?.is_none()
        {
            change.replace(queues, &new, None, Some(entry))?;
        }
        self.commit(queues, change)
    }

    pub(super) fn locate_lease(&self, key: &Key, address: IpAddr) -> Result<bool, Error> {
        let (mut queues, _) = self.lock();
        let may_go = queues.locate(key.host(), key.url(), address);
        if !may_go {
            queues.end_request(key.host(), key.url(), None);
            queues.release(key.host(), key.url());
            self.place(&mut queues, key.host())?;
        }
        Ok(may_go)
    }

    pub(super) fn end_request(&self, key: &Key, heard: &Heard) -> Result<bool, Error> {
        let (mut queues, now) = self.lock();
        let under_way = queues.end_request(key.host(), key.url(), Some(now));
        if under_way {
            let is_stranger = queues.is_stranger(key.host(), key.url());
            queues.learn_of(key.host(), key.url(), heard);
            match heard.health {
                _ if is_stranger => {}
                Health::Fine => queues.forget_failed(key.host()),
                Health::Unknown => {}
                _ => self.ask_another_kind(&mut queues, key, now)?,
            }
        }
        self.place(&mut queues, key.host())?;
        Ok(under_way)
    }

    /// Ends leases, all in one transaction. Returns the result of each, and, if all are ended,
    /// whether their queues could be placed.
    pub(super) fn end_leases(&self, ends: &[End]) -> Result<(Vec<Acked>, Result<(), Error>), Error> {
        let (mut queues, now) = self.lock();
        let mut change = FrontierChange::default();
        let acked = ends.iter().map(|end| self.end_lease(&queues, &mut change, end, now));
        let acked = acked.collect::<Result<Vec<_>, Error>>()?;
        if change.records.is_empty() {
            return Ok((acked, Ok(()))); // none was leased
        }
        self.write(&change)?;
        for (End { key, .. }, _) in ends.iter().zip(&acked).filter(|(_, acked)| **acked != Acked::NotLeased) {
            // No request was reported, so none was made, and no delay starts.
            queues.end_request(key.host(), key.url(), None);
            queues.release(key.host(), key.url());
        }
        let adopted = self.adopt(&mut queues, change);
        Ok((acked, adopted))
    }

    fn end_lease(&self, queues: &Queues, change: &mut FrontierChange, end: &End, now: u64) -> Result<Acked, Error> {
        let End { key, outcome, account } = end;
        let outcome = *outcome;
        if !queues.is_leased(key.host(), key.url()) || change.entries.contains_key(key.as_bytes()) {
            return Ok(Acked::NotLeased);
        }
        let record = change.record(queues, key.host()).clone();
        let Some(before) = self.entry(key)? else {
            tracing::warn!(url = key.url(), "leased, and not known any more");
            return Ok(Acked::Skipped);
        };
        if record.dropped {
            // It was in flight when an operator dropped its queue.
            change.quarantine.remove(key.as_bytes());
            change.replace(queues, key, Some(&before), None)?;
            return Ok(Acked::Dropped);
        }
        let mut after = self.outcome(&record, &before, outcome, now);
        if outcome != Ack::Returned {
            after.acked_at = now;
            after.tell(account.clone());
        }
        let acked = acked(&after);
        match (before.phase, after.phase) {
            (_, Phase::Quarantined) if outcome == Ack::Quarantined => {
                change.quarantine.insert(key.as_bytes(), self.version.as_bytes());
            }
            (Phase::Quarantined, phase) if phase != Phase::Quarantined => change.quarantine.remove(key.as_bytes()),
            _ => {}
        }
        change.replace(queues, key, Some(&before), Some(after))?;
        Ok(acked)
    }

    /// Quarantines a URL without a lease: see [`Frontier::quarantine`](super::super::Frontier).
    /// Blocks.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn quarantine_unleased(&self, url: &str, account: Account) -> Result<bool, Error> {
        let Ok(key) = Key::parse(url) else { return Ok(false) };
        let (mut queues, now) = self.lock();
        if queues.is_leased(key.host(), key.url()) {
            return Ok(false);
        }
        let before = self.entry(&key)?;
        let known = before.clone().unwrap_or_else(|| UrlEntry::discovered(0, None, now));
        let mut after = self.outcome(&queues.record(key.host()), &known, Ack::Quarantined, now);
        after.acked_at = now;
        after.tell(account);
        let mut change = FrontierChange::default();
        change.quarantine.insert(key.as_bytes(), self.version.as_bytes());
        change.replace(&queues, &key, before.as_ref(), Some(after))?;
        self.commit(&mut queues, change).map(|()| true)
    }

    /// Whether a URL is in quarantine for this version of the program. Blocks.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn has_quarantined(&self, url: &str) -> Result<bool, Error> {
        let Ok(key) = Key::parse(url) else { return Ok(false) };
        let entry = self.entry(&key)?;
        // Another version has made it due.
        Ok(entry.is_some_and(|entry| entry.phase == Phase::Quarantined && entry.due.is_none()))
    }

    /// The entry after an ack.
    fn outcome(&self, queue: &QueueRecord, before: &UrlEntry, outcome: Ack, now: u64) -> UrlEntry {
        let normal = |at| Some(Due { class: DueClass::Normal, at });
        let tried = before.without_failures();
        match outcome {
            Ack::Ok { refetchable_from } => {
                let at = to_millis(refetchable_from);
                UrlEntry { phase: Phase::Known, due: normal(at), interval: at.saturating_sub(now), ..tried }
            }
            Ack::Gone { refetchable_from } => {
                let at = to_millis(refetchable_from);
                UrlEntry { phase: Phase::Gone, due: normal(at), interval: at.saturating_sub(now), ..tried }
            }
            Ack::Skipped => UrlEntry { phase: Phase::Skipped, due: None, ..tried },
            Ack::Quarantined => UrlEntry { phase: Phase::Quarantined, due: None, ..tried },
            Ack::Returned => before.clone(),
            Ack::Postponed { until } => {
                UrlEntry { phase: Phase::Failed, due: normal(to_millis(until).max(now)), ..before.clone() }
            }
            Ack::Fail { retry_after, fault } => {
                let attempts = before.attempts.saturating_add(1);
                let failing_since = if before.failing_since == 0 { now } else { before.failing_since };
                // While its host is down, even with short breaks, failures do not count against the
                // URL.
                let is_own = fault == Fault::Url || queue.host.last_ok > before.acked_at;
                let own_failures = before.own_failures.saturating_add(is_own.into());
                let failed = UrlEntry { attempts, failing_since, own_failures, ..before.clone() };
                if is_own && self.is_hopeless(&failed, now) {
                    return UrlEntry { phase: Phase::GivenUp, due: None, ..failed };
                }
                let wait = millis(self.config.back_off(attempts, retry_after));
                UrlEntry { phase: Phase::Failed, due: normal(now.saturating_add(wait)), ..failed }
            }
        }
    }

    /// Whether a URL has failed too often and for too long, and not through its host.
    fn is_hopeless(&self, entry: &UrlEntry, now: u64) -> bool {
        let days = now.saturating_sub(entry.failing_since) >= millis(self.config.give_up_after);
        entry.own_failures >= self.config.max_attempts && days
    }

    /// The URLs and entries of the index from a key on, for listings.
    pub(super) fn entries_from(&self, from: Vec<u8>) -> impl Iterator<Item = Result<(Key, UrlEntry), Error>> {
        let read = |entry: Result<(Vec<u8>, Vec<u8>), tsrec_store::Error>| {
            let (key, value) = entry.map_err(Error::store("list its URLs"))?;
            match Key::from_bytes(&key) {
                Some(key) => Ok(Some(self.read_entry(&key, &value).map(|entry| (key, entry))?)),
                None => self.take_out_key(&self.urls, &key, "a key of its URLs").map(|()| None),
            }
        };
        self.urls.range(from..).filter_map(move |entry| read(entry).transpose())
    }
}

fn acked(after: &UrlEntry) -> Acked {
    match (after.phase, after.due) {
        (Phase::GivenUp, _) => Acked::GivenUp { attempts: after.attempts },
        (Phase::Quarantined, None) => Acked::Quarantined,
        (_, Some(due)) => Acked::Scheduled { due: from_millis(due.at) },
        (_, None) => Acked::Skipped,
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::encode;
    use super::*;
    use crate::frontier::{Config, Discovered, Frontier};
    use tsrec_store;
    use tsrec_store::Database;

    /// An earlier version stored URLs in its own spelling.
    #[tokio::test]
    async fn a_url_that_is_spelt_otherwise_now_is_filed_anew_and_one_that_is_none_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &tsrec_store::Config::default()).unwrap();
        let frontier = Embedded::new(&database, &Config::default()).unwrap();
        for (host, url) in [("a.example", "http://a.example:80/b/../c"), ("b.example", "http://b.example:99999/")] {
            let key = Key::from_bytes(format!("{host}\0{url}").as_bytes()).unwrap();
            let (mut queues, now) = frontier.lock();
            let mut change = FrontierChange::default();
            change.replace(&queues, &key, None, Some(UrlEntry::discovered(3, None, now))).unwrap();
            frontier.commit(&mut queues, change).unwrap();
        }
        let leases = frontier.get_urls(9).await.unwrap();
        assert_eq!(
            leases.iter().map(|lease| (lease.url.as_str(), lease.depth)).collect::<Vec<_>>(),
            [("http://a.example/c", 3)]
        );
        let counts = frontier.stats().await.unwrap();
        assert_eq!((counts.discovered, counts.leased), (1, 1));
    }

    /// An earlier version accepted any name from an operator. This one's keys stand among those of
    /// `a.example`.
    #[tokio::test]
    async fn a_queue_whose_name_is_no_host_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &tsrec_store::Config::default()).unwrap();
        // A queue waits its delay once after a start.
        let config = Config { delay: std::time::Duration::ZERO, ..Config::default() };
        let open = || Embedded::new(&database, &config).unwrap();
        let url: Url = "http://a.example/1".parse().unwrap();
        open().put_discovered(&[Discovered::page(url.clone(), 0, None)]).await.unwrap();
        let queues = || database.open_tree("space_queues").unwrap();
        queues().insert("a.example\0\u{1}", encode(&QueueRecord::default()).unwrap()).unwrap();
        let frontier = open();
        assert_eq!((frontier.queues(), queues().len()), (vec!["a.example".to_owned()], 1));
        let leases = frontier.get_urls(9).await.unwrap();
        assert_eq!(leases.iter().map(|lease| &lease.url).collect::<Vec<_>>(), [&url]);
    }
}
