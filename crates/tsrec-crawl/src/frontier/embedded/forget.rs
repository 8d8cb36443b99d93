//! Forgets URLs that were given up or skipped months ago.
//!
//! Such URLs stay so that the next link to them costs no request, and they take up their host's
//! room. They go [`forget_after`](super::Config::forget_after) after their last visit. A later link
//! brings one back as new. A given-up URL that pages still link to is tried again each day, so it
//! stays. There is no index of them: the search goes through all URLs, some at a time.

use std::sync::PoisonError;

use super::super::error::Error;
use super::super::host::millis;
use super::Embedded;
use super::change::FrontierChange;
use super::layout::{Phase, UrlEntry};
use super::put::PUT_BATCH;
use tsrec_store::Key;

impl Embedded {
    /// Looks at this many URLs, from where the last call ended or else from the first, and forgets
    /// those that are long dead. Returns their number.
    pub(super) fn forget_dead(&self, look_at: usize) -> Result<u64, Error> {
        if self.config.forget_after.is_zero() {
            return Ok(0);
        }
        let from = std::mem::take(&mut *self.forget_from.lock().unwrap_or_else(PoisonError::into_inner));
        let looked_at: Vec<(Key, UrlEntry)> = self.entries_from(from).take(look_at).collect::<Result<_, _>>()?;
        let last = looked_at.last().filter(|_| looked_at.len() == look_at);
        let go_on_from = last.map(|(key, _)| [key.as_bytes(), b"\0"].concat()).unwrap_or_default();
        *self.forget_from.lock().unwrap_or_else(PoisonError::into_inner) = go_on_from;
        let keys: Vec<Key> = looked_at.iter().map(|(key, _)| key.clone()).collect();
        keys.chunks(PUT_BATCH).try_for_each(|batch| self.bring_back(batch))?;
        let now = self.lock().1;
        let dead = looked_at.into_iter().filter(|(_, entry)| self.is_long_dead(entry, now));
        let dead: Vec<Key> = dead.map(|(key, _)| key).collect();
        self.take_out(&dead, |entry| self.is_long_dead(entry, now))
    }

    fn is_long_dead(&self, entry: &UrlEntry, now: u64) -> bool {
        let is_dead = matches!(entry.phase, Phase::GivenUp | Phase::Skipped) && entry.due.is_none();
        is_dead && now.saturating_sub(entry.acked_at) >= millis(self.config.forget_after)
    }

    /// Removes URLs from the frontier, except those in flight and those that no longer satisfy
    /// `is_it`. Returns the number removed.
    pub(super) fn take_out(&self, keys: &[Key], is_it: impl Fn(&UrlEntry) -> bool) -> Result<u64, Error> {
        let mut taken = 0;
        for batch in keys.chunks(PUT_BATCH) {
            let (mut queues, _) = self.lock();
            let mut change = FrontierChange::default();
            for key in batch.iter().filter(|key| !queues.is_leased(key.host(), key.url())) {
                let Some(entry) = self.entry(key)?.filter(&is_it) else { continue };
                change.quarantine.remove(key.as_bytes());
                change.replace(&queues, key, Some(&entry), None)?;
                taken += 1;
            }
            self.commit(&mut queues, change)?;
        }
        Ok(taken)
    }
}
