//! Pages that only say that something went wrong, in place of a record that says something.
//!
//! A server that is out of order may answer 200: a script challenge, a database error, an empty
//! page, a request for consent. Such a page replaces the record only after it was seen on
//! [`LEAST_VISITS`] visits over [`LEAST_TIME`] or more. Until then the record stays, and the URL
//! comes again soon. A page without a record is stored at once: there is nothing to lose.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

use super::fate::Fate;
use super::memo::with_doubt;
use super::outcome::AnswerKind;
use super::parsed::Parsed;
use super::visit::PageVisit;
use super::{Crawl, Error, Fetch, blocking};
use crate::frontier::Frontier;
use tsrec_core::analysis::Analysis;
use tsrec_core::evidence::kind;
use tsrec_core::evidence::kind::PageKind;
use tsrec_store::Store;

/// Visits on which such a page must have been seen. Judgement: two may fall into one outage.
const LEAST_VISITS: u32 = 3;

/// The least time from the first of these visits to the last. Judgement: most outages end within a
/// day.
const LEAST_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Visits in a row that found such a page, kept in the memo of the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Doubt {
    /// The time of the first of them, in seconds since 1970.
    since: i64,
    visits: u32,
}

impl Doubt {
    /// One more visit found such a page.
    pub(super) fn after(before: Option<Doubt>, now: Timestamp) -> Doubt {
        let now = now.as_second();
        let Doubt { since, visits } = before.unwrap_or(Doubt { since: now, visits: 0 });
        // The clock may have been set back.
        Doubt { since: since.min(now), visits: visits.saturating_add(1) }
    }

    /// Whether the page is what the URL leads to by now.
    pub(super) fn is_settled(self, now: Timestamp) -> bool {
        let lasts = now.as_second().saturating_sub(self.since);
        self.visits >= LEAST_VISITS && lasts >= LEAST_TIME.as_secs().cast_signed()
    }

    /// The explanation for the frontier and the log.
    pub(super) fn explain(self, kind: PageKind) -> String {
        let Doubt { visits, .. } = self;
        format!(
            "a page of kind {kind}, seen {visits} times: the record stays until it is seen on {LEAST_VISITS} visits \
             over a day or more"
        )
    }
}

/// Whether a page of this kind says nothing of what its URL leads to.
pub(super) fn is_doubtful(kind: PageKind) -> bool {
    matches!(kind, PageKind::Empty | PageKind::Error | PageKind::ConsentWall)
}

/// The kind of a page that stands in the way of the page that was asked for: an error or a request
/// for consent, where the record is of another kind.
///
/// # Errors
/// The store's.
pub fn kind_in_the_way(store: &Store, url: &Url, analysis: &Analysis) -> Result<Option<PageKind>, tsrec_store::Error> {
    let Some(record) = store.get(url.as_str())? else { return Ok(None) };
    let kind = kind::told(analysis).filter(|&kind| is_doubtful(kind));
    // A page that turned empty may well ask so itself.
    let kind = kind.filter(|&kind| kind != PageKind::Empty);
    Ok(kind.filter(|kind| record.page.kind.as_deref() != Some(kind.as_str())))
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// A doubtful page does not replace the record. The URL remembers that it was seen.
    pub(super) async fn doubted(&self, visit: &mut PageVisit<'_>, doubt: Doubt, kind: PageKind) -> Result<Fate, Error> {
        visit.account.memo = Some(with_doubt(&visit.lease.memo, Some(doubt)));
        // Its dates are not those of the record.
        visit.until = None;
        self.not_stored(visit, AnswerKind::Doubtful, &doubt.explain(kind)).await
    }

    /// See [`kind_in_the_way`].
    pub(super) async fn kind_in_the_way(&self, url: &Url, parsed: &Arc<Parsed>) -> Result<Option<PageKind>, Error> {
        let (store, key, parsed) = (self.store(), url.clone(), Arc::clone(parsed));
        let look = move || kind_in_the_way(&store, &key, &Analysis::new(&parsed.document));
        blocking(look).await?.map_err(Error::because)
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn three_visits_over_a_day_settle_it() {
        for (hours, expect) in [
            (&[0][..], false),
            (&[0, 24], false),
            (&[0, 24, 48], true),
            (&[0, 12, 23], false),
            (&[0, 12, 24], true),
            (&[0, 1, 2, 3, 4, 23, 24], true),
            (&[0, 1, 2, 3, 4, 5, 6], false),
            // The clock was set back by a day: the time begins anew.
            (&[0, -24, -23], false),
            (&[0, -24, 0], true),
        ] {
            let at = |hours: &i64| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(100 + hours);
            let doubt = hours.iter().fold(None, |before, hours| Some(Doubt::after(before, at(hours)))).unwrap();
            assert_eq!(doubt.is_settled(at(hours.last().unwrap())), expect, "{hours:?}");
        }
    }

    #[test]
    fn only_pages_that_say_nothing_are_doubtful() {
        for kind in PageKind::ALL {
            assert_eq!(is_doubtful(kind), !PageKind::LEARNED.contains(&kind), "{kind}");
        }
    }
}
