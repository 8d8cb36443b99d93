//! What a put does with a URL: add, refuse, revive, bring forward, or nothing if it is known.

use std::sync::atomic::Ordering;

use url::Url;

use super::super::error::Error;
use super::super::host::{millis, to_millis};
use super::super::{Discovered, Leads, Modified, PutSummary, RefusedUrls};
use super::Embedded;
use super::change::FrontierChange;
use super::layout::{Due, DueClass, Phase, UrlEntry};
use super::queues::Queues;
use tsrec_store::Key;

/// URLs that one transaction of a put adds. Judgement: a transaction stops all other writers. This
/// many, each of another queue, took five milliseconds in a debug build.
pub(super) const PUT_BATCH: usize = 64;

/// How far in the future a date of a change may be, in milliseconds: time zones are often wrong.
const BELIEVED_AHEAD_MS: u64 = 24 * 60 * 60 * 1_000;

/// Links on other hosts may fill one part in this many of a host's room; the rest is for its own
/// links. Otherwise one page of another site could fill it. Judgement.
const OTHERS_SHARE: u64 = 2;

impl Embedded {
    /// Puts a batch of URLs in one transaction.
    pub(super) fn put(&self, urls: &[Discovered], summary: &mut PutSummary) -> Result<(), Error> {
        let (mut queues, now) = self.lock();
        let mut change = FrontierChange::default();
        let refused_before = summary.refused.sum();
        let mut room = self.config.max_urls.saturating_sub(queues.counts.iter().sum());
        for discovered in urls {
            let Ok(key) = Key::from_url(&discovered.url) else {
                summary.refused.unfit += 1;
                continue;
            };
            let known = match change.entries.get(key.as_bytes()) {
                Some(entry) => entry.clone(),
                None => self.entry(&key)?,
            };
            let found_on = discovered.found_on.as_ref().map(|url| url.as_str());
            if let Some(before) = known {
                // Its depth is updated in any case. If it is leased, the ack decides when it is
                // due.
                let nearer = before.nearer(discovered.depth, found_on);
                let stands = nearer.as_ref().unwrap_or(&before);
                let may_come = !queues.is_leased(key.host(), key.url());
                let revived = self.revived(stands, discovered, now).filter(|_| may_come);
                let renewed = renewed(stands, discovered.modified, now).filter(|_| may_come);
                *match (&revived, &renewed) {
                    (Some(_), _) => &mut summary.revived,
                    (None, Some(_)) => &mut summary.renewed,
                    (None, None) => &mut summary.known,
                } += 1;
                if let Some(after) = revived.or(renewed).or(nearer) {
                    change.replace(&queues, &key, Some(&before), Some(after))?;
                }
                continue;
            }
            // Do not note the host, which would take room too.
            if room == 0 {
                summary.refused.frontier += 1;
                continue;
            }
            if self.is_refused(&queues, &mut change, &key, discovered, &mut summary.refused)? {
                continue;
            }
            let is_listing = discovered.leads == Leads::ToListing;
            let entry = UrlEntry { is_listing, ..UrlEntry::discovered(discovered.depth, found_on, now) };
            change.replace(&queues, &key, None, Some(entry))?;
            summary.added += 1;
            room -= 1;
        }
        self.refused.fetch_add(summary.refused.sum() - refused_before, Ordering::Relaxed);
        // On a known site most pages link to nothing new. Every real change has the record of its
        // queue with it.
        if change.records.is_empty() { Ok(()) } else { self.commit(&mut queues, change) }
    }

    /// Whether an unknown URL is refused. If so, counts it by reason and place.
    fn is_refused(
        &self,
        queues: &Queues,
        change: &mut FrontierChange,
        key: &Key,
        discovered: &Discovered,
        refused: &mut RefusedUrls,
    ) -> Result<bool, Error> {
        let url = &discovered.url;
        let record = change.record(queues, key.host());
        let (dropped, urls) = (record.dropped, record.urls());
        let (why, section) = if dropped {
            (&mut refused.dropped, String::new())
        } else if urls >= self.room(url, discovered.found_on.as_ref()) {
            (&mut refused.full, String::new())
        } else if urls < self.config.max_urls_per_section {
            return Ok(false);
        } else if let Some(section) = self.full_section(&change.sections, key.host(), url)? {
            (&mut refused.section, section)
        } else {
            return Ok(false);
        };
        *why += 1;
        change.sections.refuse(key.host(), &section, url);
        Ok(true)
    }

    /// How many URLs its host may have before this one.
    fn room(&self, url: &Url, found_on: Option<&Url>) -> u64 {
        let all = self.config.max_urls_per_queue;
        match found_on.is_some_and(|page| page.host() != url.host()) {
            true => all.div_ceil(OTHERS_SHARE),
            false => all,
        }
    }

    /// The entry of a given-up or skipped URL after a put. A seed begins anew. A link gives it one
    /// more attempt, if the last attempt is at least the longest back-off ago. A URL that was
    /// skipped because it is no page, or was not fetched yet, may become a listing.
    fn revived(&self, before: &UrlEntry, discovered: &Discovered, now: u64) -> Option<UrlEntry> {
        let due = Some(Due { class: DueClass::Normal, at: now });
        let is_listing = discovered.leads == Leads::ToListing;
        match before.phase {
            Phase::Discovered | Phase::Skipped if is_listing && !before.is_listing => {
                Some(UrlEntry { phase: Phase::Discovered, due, is_listing, ..before.clone() })
            }
            Phase::GivenUp | Phase::Skipped if discovered.depth == 0 => {
                Some(UrlEntry { phase: Phase::Discovered, due, interval: 0, ..before.without_failures() })
            }
            Phase::GivenUp if now.saturating_sub(before.acked_at) >= millis(self.config.retry_cap) => {
                Some(UrlEntry { phase: Phase::Failed, due, ..before.clone() })
            }
            _ => None,
        }
    }
}

/// The entry of a fetched URL after a change: see [`Modified`].
fn renewed(before: &UrlEntry, modified: Option<Modified>, now: u64) -> Option<UrlEntry> {
    let Modified { at, least } = modified?;
    let (at, due) = (to_millis(at), before.due?);
    if !matches!(before.phase, Phase::Known | Phase::Gone)
        || at <= before.acked_at
        || at > now.saturating_add(BELIEVED_AHEAD_MS)
    {
        return None;
    }
    let soonest = before.acked_at.saturating_add(millis(least).max(before.interval / 4)).max(now);
    (soonest < due.at).then(|| UrlEntry { due: Some(Due { at: soonest, ..due }), ..before.clone() })
}
