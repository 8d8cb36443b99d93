//! Brings back dates that a clock wrote while it was ahead.
//!
//! A clock may jump by months and come back. What was visited meanwhile would be due months later.
//! When the clock is set back, all URLs are looked at, some with each lease; and the search for
//! dead URLs looks at them, too, since the clock may have come back while no crawl ran.

use std::sync::PoisonError;

use super::super::error::Error;
use super::Embedded;
use super::change::FrontierChange;
use super::layout::{Due, Phase, UrlEntry};
use super::put::PUT_BATCH;
use tsrec_store::Key;

/// Dates up to this much in the future are believed, in milliseconds. Judgement: a clock that is
/// adjusted, not set.
const BELIEVED_MS: u64 = 60_000;

/// URLs looked at with each lease. Judgement: a millisecond or two.
const AT_ONCE: usize = 1_024;

impl Embedded {
    /// The clock was set back: all URLs must be looked at.
    pub(super) fn note_turned_back(&self) {
        tracing::warn!("the clock was set back: dates in the future are brought back");
        *self.bring_back_from.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
    }

    /// Looks at some URLs, if the clock was set back.
    pub(super) fn bring_some_back(&self) -> Result<(), Error> {
        // This notices that the clock was set back.
        drop(self.lock());
        let Some(from) = self.bring_back_from.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(());
        };
        let keys = self.entries_from(from).take(AT_ONCE).map(|found| found.map(|(key, _)| key));
        let keys = keys.collect::<Result<Vec<Key>, Error>>()?;
        keys.chunks(PUT_BATCH).try_for_each(|batch| self.bring_back(batch))?;
        if let Some(last) = keys.last().filter(|_| keys.len() == AT_ONCE) {
            // If the clock was set back again meanwhile, the search begins anew.
            let go_on_from = [last.as_bytes(), b"\0"].concat();
            self.bring_back_from.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(go_on_from);
        }
        Ok(())
    }

    /// Brings back the dates of these URLs.
    pub(super) fn bring_back(&self, keys: &[Key]) -> Result<(), Error> {
        let (mut queues, now) = self.lock();
        let mut change = FrontierChange::default();
        for key in keys.iter().filter(|key| !queues.is_leased(key.host(), key.url())) {
            let Some(before) = self.entry(key)? else { continue };
            if let Some(after) = brought_back(&before, now) {
                change.replace(&queues, key, Some(&before), Some(after))?;
            }
        }
        if change.records.is_empty() { Ok(()) } else { self.commit(&mut queues, change) }
    }
}

/// The entry as it would be if the visit in the future had been now.
fn brought_back(entry: &UrlEntry, now: u64) -> Option<UrlEntry> {
    let latest = now.saturating_add(BELIEVED_MS);
    let due_at = |at: u64| entry.due.map(|due| Due { at, ..due });
    if entry.acked_at > latest {
        let ahead = entry.acked_at - now;
        let due = entry.due.and_then(|due| due_at(due.at.saturating_sub(ahead).max(now)));
        return Some(UrlEntry { due, acked_at: now, failing_since: entry.failing_since.min(now), ..entry.clone() });
    }
    let due = entry.due?;
    let most = match entry.phase {
        // It was due when it was found.
        Phase::Discovered => 0,
        Phase::Known | Phase::Gone if entry.interval > 0 => entry.interval,
        _ => return None,
    };
    (due.at > latest.saturating_add(most)).then(|| UrlEntry { due: due_at(now + most), ..entry.clone() })
}

#[cfg(test)]
mod tests {
    use super::super::layout::DueClass;
    use super::*;

    const NOW: u64 = 1_000_000_000_000;
    const DAY: u64 = 86_400_000;

    #[test]
    fn dates_in_the_future_become_those_of_a_visit_now() {
        let entry = |phase, acked_at, due_at: Option<u64>, interval| UrlEntry {
            phase,
            acked_at,
            interval,
            due: due_at.map(|at| Due { class: DueClass::Normal, at }),
            ..UrlEntry::discovered(1, None, NOW)
        };
        let ahead = 400 * DAY;
        for (what, before, expect) in [
            (
                "visited ahead",
                entry(Phase::Known, NOW + ahead, Some(NOW + ahead + 9 * DAY), 9 * DAY),
                Some(Some(NOW + 9 * DAY)),
            ),
            ("failed ahead", entry(Phase::Failed, NOW + ahead, Some(NOW + ahead + DAY), 0), Some(Some(NOW + DAY))),
            ("given up ahead", entry(Phase::GivenUp, NOW + ahead, None, 0), Some(None)),
            ("found ahead", entry(Phase::Discovered, 0, Some(NOW + ahead), 0), Some(Some(NOW))),
            ("due too late", entry(Phase::Known, NOW - DAY, Some(NOW + ahead), 9 * DAY), Some(Some(NOW + 9 * DAY))),
            ("visited now", entry(Phase::Known, NOW, Some(NOW + 60 * DAY), 60 * DAY), None),
            ("visited before", entry(Phase::Known, NOW - DAY, Some(NOW + DAY), 2 * DAY), None),
            ("fails", entry(Phase::Failed, NOW - DAY, Some(NOW + 30 * DAY), 2 * DAY), None),
            ("a second ahead", entry(Phase::Known, NOW + 1_000, Some(NOW + DAY), DAY), None),
        ] {
            let after = brought_back(&before, NOW);
            assert_eq!(after.as_ref().map(|after| after.due.map(|due| due.at)), expect, "{what}");
            assert!(after.is_none_or(|after| after.acked_at <= NOW), "{what}");
        }
    }
}
