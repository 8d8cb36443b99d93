//! What follows from what came back: the crawl's one decision, as a table. Pure.
//!
//! A row reads: *this* came back for a URL of which *that* is known; so the frontier is told so,
//! the store does so, and the host learns so. [`outcome`] is the table; its tests go through it row
//! by row.

use std::time::Duration;

use jiff::Timestamp;

use crate::fetch::unavailable_from;
use crate::frontier::{Ack, Fault, Health};
use tsrec_core::html::directives::Directives;
use tsrec_store::DeletionReason;

/// What came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// A page that may be indexed.
    Page,
    /// A page that asks not to be.
    Noindex,
    /// A page whose content stands under the address that it calls canonical.
    Duplicate,
    /// A page that calls another canonical, which is still to be fetched.
    CanonicalToCome,
    /// A sitemap or a feed.
    Listing,
    /// 304: what is stored is up to date.
    NotModified,
    /// 301 or 308.
    MovedPermanently,
    /// 302, 303 or 307: a login, maintenance, or just another place for now.
    MovedTemporarily,
    /// 404 or 410.
    Gone,
    /// Another 4xx, such as 401 or 403, a redirect that leads nowhere, or a body that cannot be
    /// unpacked.
    Denied,
    /// 5xx, but 503.
    Erring,
    /// 429 or 503: not now.
    Strained {
        /// When again.
        retry_after: Option<Duration>,
    },
    /// Something else than a page.
    NotHtml,
    /// robots.txt forbids it.
    Disallowed,
    /// The name leads to an address that is not asked.
    RefusedAddress,
    /// The URL is of a kind that is never asked for.
    RefusedUrl,
    /// No answer: the name, the connection, TLS, a broken body, or a robots.txt that cannot be
    /// read.
    Unreachable {
        /// When again.
        retry_after: Option<Duration>,
    },
    /// No answer in time.
    TimedOut,
    /// It was not asked: it is not the turn of its host or address.
    Busy,
    /// It was never asked: our own files, memory or network are at an end.
    OwnFault,
    /// The program failed on it.
    Panicked,
}

impl AnswerKind {
    /// A word for logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            AnswerKind::Page => "page",
            AnswerKind::Noindex => "noindex",
            AnswerKind::Duplicate => "duplicate",
            AnswerKind::CanonicalToCome => "canonical_to_come",
            AnswerKind::Listing => "listing",
            AnswerKind::NotModified => "not_modified",
            AnswerKind::MovedPermanently => "moved_permanently",
            AnswerKind::MovedTemporarily => "moved_temporarily",
            AnswerKind::Gone => "gone",
            AnswerKind::Denied => "denied",
            AnswerKind::Erring => "erring",
            AnswerKind::Strained { .. } => "strained",
            AnswerKind::NotHtml => "not_html",
            AnswerKind::Disallowed => "disallowed",
            AnswerKind::RefusedAddress => "refused_address",
            AnswerKind::RefusedUrl => "refused_url",
            AnswerKind::Unreachable { .. } => "unreachable",
            AnswerKind::TimedOut => "timed_out",
            AnswerKind::Busy => "busy",
            AnswerKind::OwnFault => "own_fault",
            AnswerKind::Panicked => "panicked",
        }
    }
}

/// What is known of the URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownUrl {
    /// It has a record.
    pub stored: bool,
    /// Its failures in a row before this visit.
    pub failures: u32,
    /// For how long it has failed, if the last attempt failed.
    pub failing_for: Duration,
}

impl KnownUrl {
    /// Whether it has failed for so long, and often enough for that to say something: two failures
    /// may lie a week apart, with none between.
    fn has_failed_for(self, time: Duration) -> bool {
        self.failures >= LEAST_FAILURES && self.failing_for >= time
    }
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the frontier is told.
    pub then: Then,
    /// What the store does.
    pub record: RecordAction,
    /// What the host learns; `None` where it was not asked.
    pub host: Option<Health>,
    /// Whether a redirect's target goes to the frontier.
    pub follow: bool,
}

/// What the frontier is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It was fetched, and comes again after its interval.
    Refetch,
    /// It was fetched, and comes again after the shortest interval.
    Again,
    /// It failed, and comes again after a back-off.
    Retry {
        /// When at the soonest, as the server wishes.
        retry_after: Option<Duration>,
        /// Whose fault it is.
        fault: Fault,
    },
    /// It is no page for us.
    Skip,
    /// It was not tried.
    Return,
    /// It is kept apart, with its bytes.
    Quarantine,
}

impl Then {
    /// The frontier's word for it; `refetchable_from` is the date of the next fetch, where this one
    /// succeeded.
    pub fn ack(self, refetchable_from: Timestamp) -> Ack {
        match self {
            Then::Refetch | Then::Again => Ack::Ok { refetchable_from },
            Then::Retry { retry_after, fault } => Ack::Fail { retry_after, fault },
            Then::Skip => Ack::Skipped,
            Then::Return => Ack::Returned,
            Then::Quarantine => Ack::Quarantined,
        }
    }
}

/// What the store does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordAction {
    /// Gets the page's content.
    Put,
    /// Keeps what it has.
    Keep,
    /// Gets the record under the URL that the page has moved to; deletes this one.
    Move,
    /// Deletes it.
    Delete(DeletionReason),
}

/// How long a record outlives the failures of its URL, where the host answers. Judgement: longer
/// than maintenance and a long weekend, as long as the frontier tries by default.
pub const KEEP_FAILING: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Failures in a row after which one more may cost a record. Judgement: as many as the frontier
/// needs by default to give a URL up.
pub const LEAST_FAILURES: u32 = 4;

/// How long a record outlives its host. Judgement: a machine that is repaired is back by then.
pub const KEEP_UNREACHABLE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The table.
pub fn outcome(what: AnswerKind, known: KnownUrl) -> Outcome {
    use RecordAction::{Delete, Keep, Move, Put};
    let fine = Some(Health::Fine);
    let refetch = |record, host| Outcome { then: Then::Refetch, record, host, follow: false };
    let retry = |retry_after, fault, record, host| Outcome {
        then: Then::Retry { retry_after, fault },
        record,
        host: Some(host),
        follow: false,
    };
    let is_stale = known.has_failed_for(KEEP_FAILING);
    let kept_for = |days: Duration| if known.has_failed_for(days) { Delete(DeletionReason::Unavailable) } else { Keep };
    match what {
        AnswerKind::Page => refetch(Put, fine),
        AnswerKind::Noindex => refetch(Delete(DeletionReason::Noindex), fine),
        AnswerKind::Duplicate => refetch(Delete(DeletionReason::Duplicate), fine),
        // What is stored stays until it is known whether the other has its content.
        AnswerKind::CanonicalToCome => Outcome { then: Then::Again, ..refetch(Keep, fine) },
        AnswerKind::Listing => refetch(Keep, fine),
        AnswerKind::NotModified => refetch(Keep, fine),
        AnswerKind::MovedPermanently => Outcome { follow: true, ..refetch(Move, fine) },
        // What is stored stays, and where the redirect leads is not asked: it is a login, or says
        // "back soon".
        AnswerKind::MovedTemporarily if known.stored && !is_stale => retry(None, Fault::Url, Keep, Health::Fine),
        AnswerKind::MovedTemporarily => Outcome { follow: true, ..refetch(Delete(DeletionReason::Redirected), fine) },
        AnswerKind::Gone => refetch(Delete(DeletionReason::Gone), fine),
        AnswerKind::Denied => retry(None, Fault::Url, kept_for(KEEP_FAILING), Health::Fine),
        AnswerKind::Erring => retry(None, Fault::Host, kept_for(KEEP_FAILING), Health::Erring),
        AnswerKind::Strained { retry_after } => {
            retry(retry_after, Fault::Host, kept_for(KEEP_UNREACHABLE), Health::Strained { retry_after })
        }
        AnswerKind::NotHtml if known.stored && !is_stale => retry(None, Fault::Url, Keep, Health::Fine),
        AnswerKind::NotHtml if known.stored => refetch(Delete(DeletionReason::Unavailable), fine),
        AnswerKind::NotHtml => Outcome { then: Then::Skip, record: Keep, host: fine, follow: false },
        AnswerKind::Disallowed => refetch(Delete(DeletionReason::Disallowed), None),
        AnswerKind::RefusedAddress => {
            retry(None, Fault::Host, kept_for(KEEP_FAILING), Health::Failing { retry_after: None })
        }
        AnswerKind::RefusedUrl => Outcome { then: Then::Skip, record: Keep, host: None, follow: false },
        AnswerKind::Unreachable { retry_after } => {
            retry(retry_after, Fault::Host, kept_for(KEEP_UNREACHABLE), Health::Failing { retry_after })
        }
        AnswerKind::TimedOut => retry(None, Fault::Host, kept_for(KEEP_UNREACHABLE), Health::TimedOut),
        // The host's delay passes once more, so that the same is not tried again at once.
        AnswerKind::Busy => Outcome { then: Then::Return, record: Keep, host: Some(Health::Unknown), follow: false },
        AnswerKind::OwnFault => Outcome { then: Then::Return, record: Keep, host: None, follow: false },
        AnswerKind::Panicked => Outcome { then: Then::Quarantine, record: Keep, host: None, follow: false },
    }
}

/// What a page asks of those who index it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    /// Whether it may be stored.
    pub index: bool,
    /// Whether its links may be followed.
    pub follow: bool,
    /// Whether a copy of it may be kept as it came, beside what is extracted.
    pub archive: bool,
    /// From when on it may not be stored, though now it may.
    pub until: Option<Timestamp>,
}

/// What a page asks for in its head (`X-Robots-Tag`) and in its `<meta>`: whatever one of them
/// forbids is forbidden.
pub fn rights(head: &Directives, meta: &Directives, now: Timestamp) -> Rights {
    let dates = [head, meta].map(|directives| unavailable_from(directives.unavailable_after.as_deref()));
    let until = dates.into_iter().flatten().min();
    let is_over = until.is_some_and(|until| until <= now);
    let index = !head.noindex && !meta.noindex && !is_over;
    Rights {
        index,
        follow: !head.nofollow && !meta.nofollow,
        archive: !head.noarchive && !meta.noarchive,
        until: until.filter(|_| index),
    }
}

/// When a page is worth fetching again: sooner each time that its content has changed, later each
/// time that it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refetch {
    /// After the first fetch.
    pub first: Duration,
    /// At the soonest.
    pub least: Duration,
    /// At the latest.
    pub most: Duration,
}

impl Refetch {
    /// The interval to come. `changed` is `None` where there is no content to change.
    pub fn after(&self, before: Option<Duration>, changed: Option<bool>) -> Duration {
        let next = match (before, changed) {
            (None, _) => self.first,
            (Some(before), Some(true)) => before / 2,
            (Some(before), _) => before.saturating_add(before / 2),
        };
        next.clamp(self.least.min(self.most), self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    const NEW: KnownUrl = KnownUrl { stored: false, failures: 0, failing_for: Duration::ZERO };
    const STORED: KnownUrl = KnownUrl { stored: true, ..NEW };
    /// It failed once, before the daemon was stopped for long.
    const ONCE: KnownUrl = KnownUrl { stored: true, failures: 1, failing_for: Duration::from_secs(90 * 24 * 60 * 60) };

    fn failing(days: u32) -> KnownUrl {
        KnownUrl { stored: true, failures: 9, failing_for: DAY * days }
    }

    /// What came, what is known; then acknowledgement, record, host, whether the target is
    /// followed.
    type Row = (AnswerKind, KnownUrl, Then, RecordAction, Option<Health>, bool);

    fn check(rows: &[Row]) {
        for &(what, known, then, record, host, follow) in rows {
            assert_eq!(outcome(what, known), Outcome { then, record, host, follow }, "{what:?} {known:?}");
        }
    }

    fn retry(fault: Fault) -> Then {
        Then::Retry { retry_after: None, fault }
    }

    const FINE: Option<Health> = Some(Health::Fine);
    use RecordAction::{Delete, Keep, Move, Put};

    #[test]
    fn pages() {
        check(&[
            (AnswerKind::Page, NEW, Then::Refetch, Put, FINE, false),
            (AnswerKind::Page, failing(3), Then::Refetch, Put, FINE, false),
            (AnswerKind::Noindex, STORED, Then::Refetch, Delete(DeletionReason::Noindex), FINE, false),
            (AnswerKind::NotModified, STORED, Then::Refetch, Keep, FINE, false),
            (AnswerKind::Duplicate, STORED, Then::Refetch, Delete(DeletionReason::Duplicate), FINE, false),
            (AnswerKind::CanonicalToCome, STORED, Then::Again, Keep, FINE, false),
            (AnswerKind::Listing, NEW, Then::Refetch, Keep, FINE, false),
        ]);
    }

    #[test]
    fn what_head_and_meta_forbid_adds_up() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let later: Timestamp = "2026-02-01T00:00:00Z".parse().unwrap();
        for (head, meta, index, follow, until) in [
            ("", "", true, true, None),
            ("noindex", "", false, true, None),
            ("", "noindex", false, true, None),
            ("nofollow", "", true, false, None),
            ("", "nofollow", true, false, None),
            ("nofollow", "noindex", false, false, None),
            ("none", "", false, false, None),
            ("unavailable_after: 2025-12-31", "", false, true, None),
            ("", "unavailable_after: 2026-01-01", false, true, None),
            ("", "unavailable_after: 2026-02-01", true, true, Some(later)),
            ("unavailable_after: 2026-03-01", "unavailable_after: 2026-02-01", true, true, Some(later)),
            ("unavailable_after: soon", "", true, true, None),
            ("unavailable_after: 2026-02-01", "noindex", false, true, None),
        ] {
            let directives = |words: &str| {
                let mut directives = Directives::default();
                directives.add(words);
                directives
            };
            let expect = Rights { index, follow, archive: true, until };
            assert_eq!(rights(&directives(head), &directives(meta), now), expect, "{head} | {meta}");
        }
        let asked = Directives { noarchive: true, ..Directives::default() };
        for (head, meta) in [(&asked, &Directives::default()), (&Directives::default(), &asked)] {
            let rights = rights(head, meta, now);
            assert!(rights.index && rights.follow && !rights.archive);
        }
    }

    #[test]
    fn a_permanent_redirect_moves_the_record_and_a_temporary_one_does_not() {
        check(&[
            (AnswerKind::MovedPermanently, NEW, Then::Refetch, Move, FINE, true),
            (AnswerKind::MovedPermanently, STORED, Then::Refetch, Move, FINE, true),
            (AnswerKind::MovedTemporarily, NEW, Then::Refetch, Delete(DeletionReason::Redirected), FINE, true),
            (AnswerKind::MovedTemporarily, STORED, retry(Fault::Url), Keep, FINE, false),
            (AnswerKind::MovedTemporarily, failing(6), retry(Fault::Url), Keep, FINE, false),
            (AnswerKind::MovedTemporarily, ONCE, retry(Fault::Url), Keep, FINE, false),
            (AnswerKind::MovedTemporarily, failing(7), Then::Refetch, Delete(DeletionReason::Redirected), FINE, true),
        ]);
    }

    #[test]
    fn what_is_gone_is_deleted_and_what_fails_for_days() {
        let erring = Some(Health::Erring);
        check(&[
            (AnswerKind::Gone, STORED, Then::Refetch, Delete(DeletionReason::Gone), FINE, false),
            (AnswerKind::Denied, STORED, retry(Fault::Url), Keep, FINE, false),
            (AnswerKind::Denied, ONCE, retry(Fault::Url), Keep, FINE, false),
            (AnswerKind::Denied, failing(7), retry(Fault::Url), Delete(DeletionReason::Unavailable), FINE, false),
            (AnswerKind::Erring, failing(6), retry(Fault::Host), Keep, erring, false),
            (AnswerKind::Erring, failing(7), retry(Fault::Host), Delete(DeletionReason::Unavailable), erring, false),
        ]);
    }

    #[test]
    fn a_page_that_became_something_else_is_asked_for_again() {
        check(&[
            (AnswerKind::NotHtml, NEW, Then::Skip, Keep, FINE, false),
            (AnswerKind::NotHtml, STORED, retry(Fault::Url), Keep, FINE, false),
            (AnswerKind::NotHtml, ONCE, retry(Fault::Url), Keep, FINE, false),
            (AnswerKind::NotHtml, failing(7), Then::Refetch, Delete(DeletionReason::Unavailable), FINE, false),
        ]);
    }

    #[test]
    fn a_host_that_does_not_answer_keeps_its_records_for_a_month() {
        let failing_host = Some(Health::Failing { retry_after: None });
        let unreachable = AnswerKind::Unreachable { retry_after: None };
        check(&[
            (unreachable, STORED, retry(Fault::Host), Keep, failing_host, false),
            (unreachable, failing(29), retry(Fault::Host), Keep, failing_host, false),
            (unreachable, ONCE, retry(Fault::Host), Keep, failing_host, false),
            (unreachable, failing(30), retry(Fault::Host), Delete(DeletionReason::Unavailable), failing_host, false),
            (AnswerKind::TimedOut, STORED, retry(Fault::Host), Keep, Some(Health::TimedOut), false),
        ]);
    }

    #[test]
    fn a_host_that_asks_for_time_gets_it() {
        for retry_after in [None, Some(Duration::from_secs(120))] {
            let then = Then::Retry { retry_after, fault: Fault::Host };
            check(&[
                (
                    AnswerKind::Strained { retry_after },
                    STORED,
                    then,
                    Keep,
                    Some(Health::Strained { retry_after }),
                    false,
                ),
                (
                    AnswerKind::Unreachable { retry_after },
                    NEW,
                    then,
                    Keep,
                    Some(Health::Failing { retry_after }),
                    false,
                ),
            ]);
        }
    }

    #[test]
    fn what_was_not_asked_for_costs_the_host_nothing() {
        let refused = Some(Health::Failing { retry_after: None });
        check(&[
            (AnswerKind::Disallowed, STORED, Then::Refetch, Delete(DeletionReason::Disallowed), None, false),
            (AnswerKind::RefusedUrl, NEW, Then::Skip, Keep, None, false),
            (AnswerKind::RefusedAddress, STORED, retry(Fault::Host), Keep, refused, false),
            (AnswerKind::Busy, STORED, Then::Return, Keep, Some(Health::Unknown), false),
            (AnswerKind::OwnFault, STORED, Then::Return, Keep, None, false),
            (AnswerKind::Panicked, STORED, Then::Quarantine, Keep, None, false),
        ]);
    }

    #[test]
    fn the_interval_follows_the_changes() {
        let refetch = Refetch { first: 7 * DAY, least: DAY, most: 60 * DAY };
        for (before, changed, expect) in [
            (None, Some(true), 7 * DAY),
            (Some(8 * DAY), Some(true), 4 * DAY),
            (Some(DAY), Some(true), DAY),
            (Some(8 * DAY), Some(false), 12 * DAY),
            (Some(8 * DAY), None, 12 * DAY),
            (Some(50 * DAY), Some(false), 60 * DAY),
        ] {
            assert_eq!(refetch.after(before, changed), expect, "{before:?} {changed:?}");
        }
    }
}
