//! What nobody asks for any more is forgotten: URLs that were given up or skipped, after months.
//!
//! They stay so that the next link to them costs no request, and take a part of their host's room
//! for that. Where no visit came of them for [`forget_after`](super::Config::forget_after) they go:
//! a link to one that is still there brings it back as new. What is still linked to and was given
//! up is tried again each day, so that it stays. There is no index of them: all URLs are looked at,
//! some at a time, by the turn.

use std::sync::PoisonError;

use super::super::error::Error;
use super::super::host::millis;
use super::Embedded;
use super::change::FrontierChange;
use super::layout::{Phase, UrlEntry};
use super::put::PUT_BATCH;
use tsrec_store::Key;

impl Embedded {
    /// Looks at so many URLs, from where the last call ended or else from the first, and forgets
    /// those that are long dead. Gives their number.
    pub(super) fn forget_dead(&self, look_at: usize) -> Result<u64, Error> {
        if self.config.forget_after.is_zero() {
            return Ok(0);
        }
        let from = std::mem::take(&mut *self.forget_from.lock().unwrap_or_else(PoisonError::into_inner));
        let looked_at: Vec<(Key, UrlEntry)> = self.entries_from(from).take(look_at).collect::<Result<_, _>>()?;
        let last = looked_at.last().filter(|_| looked_at.len() == look_at);
        let go_on_from = last.map(|(key, _)| [key.as_bytes(), b"\0"].concat()).unwrap_or_default();
        *self.forget_from.lock().unwrap_or_else(PoisonError::into_inner) = go_on_from;
        let now = self.lock().1;
        let dead = looked_at.into_iter().filter(|(_, entry)| self.is_long_dead(entry, now));
        let dead: Vec<Key> = dead.map(|(key, _)| key).collect();
        self.take_out(&dead, |entry| self.is_long_dead(entry, now))
    }

    fn is_long_dead(&self, entry: &UrlEntry, now: u64) -> bool {
        let is_dead = matches!(entry.phase, Phase::GivenUp | Phase::Skipped) && entry.due.is_none();
        is_dead && now.saturating_sub(entry.acked_at) >= millis(self.config.forget_after)
    }

    /// Takes URLs out of the frontier, but those in flight and those that are not as `is_it` has
    /// them any more. Gives the number of those that it took.
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
