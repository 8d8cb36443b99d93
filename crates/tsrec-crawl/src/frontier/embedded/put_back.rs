//! Restores URLs with their state, from a backup or from a damaged frontier.

use super::super::error::Error;
use super::super::host::{millis, to_millis};
use super::super::{Leads, UrlState, UrlStatus};
use super::change::FrontierChange;
use super::layout::{self, Due, DueClass, Phase, RequestMade, UrlEntry};
use super::put::PUT_BATCH;
use super::{Embedded, ListedUrl};
use tsrec_store::Key;

impl Embedded {
    /// Restores URLs as a listing showed them: their depth, their due date, their failures, their
    /// account. Anything known here already stays as it is. Returns how many were restored.
    ///
    /// Quarantined URLs are discovered again, since a listing does not contain their bytes.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn put_back(&self, listed: &[ListedUrl]) -> Result<u64, Error> {
        let keys = listed.iter().filter_map(|listed| Some((Key::parse(&listed.url).ok()?, &listed.status)));
        self.put_entries(keys.map(|(key, status)| (key, Some(|now| entry_of(status, now)))))
    }

    /// Restores URLs that damage removed from a frontier, with the state that is left of each.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn put_salvaged(&self, salvaged: &[(String, Vec<u8>)]) -> Result<u64, Error> {
        let keys = salvaged.iter().filter_map(|(url, bytes)| Some((Key::parse(url).ok()?, bytes)));
        self.put_entries(keys.map(|(key, bytes)| {
            (key, layout::decode::<UrlEntry>(bytes).filter(|_| !bytes.is_empty()).map(|entry| move |_| entry))
        }))
    }

    /// Adds entries for URLs that have none. Without an entry the URL is a seed.
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

/// The entry behind a status, as far as the status shows it.
fn entry_of(status: &UrlStatus, now: u64) -> UrlEntry {
    let discovered = UrlEntry::discovered(status.depth, status.found_on.as_deref(), now);
    let at = |date| Some(Due { class: DueClass::Normal, at: to_millis(date) });
    let (phase, due, attempts) = match status.state {
        UrlState::Discovered | UrlState::Quarantined => (Phase::Discovered, discovered.due, 0),
        UrlState::Known { refetchable_from } => (Phase::Known, at(refetchable_from), 0),
        UrlState::Gone { refetchable_from } => (Phase::Gone, at(refetchable_from), 0),
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
    // A listing shows the latest first.
    let requests = status.requests.iter().rev();
    let requests =
        requests.map(|asked| RequestMade { at: to_millis(asked.at), took_ms: asked.took_ms, what: asked.what.clone() });
    entry.requests = requests.collect();
    entry
}
