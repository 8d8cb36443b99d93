//! URLs that come back as they were: from a backup, or from what damage left of a frontier.

use super::super::error::Error;
use super::super::host::{millis, to_millis};
use super::super::{Leads, UrlState, UrlStatus};
use super::change::FrontierChange;
use super::layout::{self, Due, DueClass, Phase, RequestMade, UrlEntry};
use super::put::PUT_BATCH;
use super::{Embedded, ListedUrl};
use tsrec_store::Key;

impl Embedded {
    /// Puts URLs back as a listing showed them: their depth, their due date, their failures, what
    /// is told of them. What is known here already stays as it is. Gives how many came back.
    ///
    /// What the program failed on is discovered again, since its bytes are no part of a listing.
    ///
    /// # Errors
    ///
    /// The database's.
    pub fn put_back(&self, listed: &[ListedUrl]) -> Result<u64, Error> {
        let keys = listed.iter().filter_map(|listed| Some((Key::parse(&listed.url).ok()?, &listed.status)));
        self.put_entries(keys.map(|(key, status)| (key, Some(|now| entry_of(status, now)))))
    }

    /// Puts URLs back that damage took out of a frontier, with what the frontier knew of each,
    /// where that is left.
    ///
    /// # Errors
    ///
    /// The database's.
    pub fn put_salvaged(&self, salvaged: &[(String, Vec<u8>)]) -> Result<u64, Error> {
        let keys = salvaged.iter().filter_map(|(url, bytes)| Some((Key::parse(url).ok()?, bytes)));
        self.put_entries(keys.map(|(key, bytes)| {
            (key, layout::decode::<UrlEntry>(bytes).filter(|_| !bytes.is_empty()).map(|entry| move |_| entry))
        }))
    }

    /// Puts entries where there are none. Without an entry the URL is a seed.
    fn put_entries<E: FnOnce(u64) -> UrlEntry>(
        &self,
        entries: impl Iterator<Item = (Key, Option<E>)>,
    ) -> Result<u64, Error> {
        let mut entries = entries.peekable();
        let mut put = 0;
        while entries.peek().is_some() {
            let (mut queues, now) = self.lock();
            let mut change = FrontierChange::default();
            let mut room = self.config.max_urls.saturating_sub(queues.counts.iter().sum());
            for (key, entry) in entries.by_ref().take(PUT_BATCH) {
                if change.entries.contains_key(key.as_bytes()) || self.entry(&key)?.is_some() {
                    continue;
                }
                let record = change.record(&queues, key.host());
                if record.dropped || record.urls() >= self.config.max_urls_per_queue || room == 0 {
                    continue;
                }
                let entry = entry.map_or_else(|| UrlEntry::discovered(0, None, now), |entry| entry(now));
                change.replace(&queues, &key, None, Some(entry))?;
                put += 1;
                room -= 1;
            }
            self.commit(&mut queues, change)?;
        }
        Ok(put)
    }
}

/// The entry that a status was made of, as far as it tells.
fn entry_of(status: &UrlStatus, now: u64) -> UrlEntry {
    let discovered = UrlEntry::discovered(status.depth, status.found_on.as_deref(), now);
    let at = |date| Some(Due { class: DueClass::Normal, at: to_millis(date) });
    let (phase, due, attempts) = match status.state {
        UrlState::Discovered | UrlState::Quarantined => (Phase::Discovered, discovered.due, 0),
        UrlState::Known { refetchable_from } => (Phase::Known, at(refetchable_from), 0),
        UrlState::Failed { attempts, retry_from } => (Phase::Failed, at(retry_from), attempts),
        UrlState::GivenUp { attempts } => (Phase::GivenUp, None, attempts),
        UrlState::Skipped => (Phase::Skipped, None, 0),
    };
    let mut entry = UrlEntry {
        phase,
        due,
        attempts,
        failing_since: status.failing_since.map_or(0, to_millis),
        interval: status.interval.map_or(0, millis),
        acked_at: status.last.as_ref().map_or(0, |last| to_millis(last.at)),
        is_listing: status.leads == Leads::ToListing,
        ..discovered
    };
    entry.tell(super::Account {
        said: status.last.as_ref().map(|last| last.said.clone()).unwrap_or_default(),
        robots: status.robots.clone(),
        ..super::Account::default()
    });
    // A listing has the latest first.
    let requests = status.requests.iter().rev();
    let requests =
        requests.map(|asked| RequestMade { at: to_millis(asked.at), took_ms: asked.took_ms, what: asked.what.clone() });
    entry.requests = requests.collect();
    entry
}
