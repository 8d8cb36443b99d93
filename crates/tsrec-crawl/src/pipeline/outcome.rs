//! Maps each answer to what the crawl does next, as a table. Pure.
//!
//! A row reads: *this* answer came for a URL of which *that* is known. So the frontier gets this
//! ack, the store does this with the record, and the host gets this health. [`outcome`] is the
//! table. Its tests go through it row by row.
//!
//! The pipeline follows the whole row if there is nothing to store. For a page or a listing it
//! reads only the health of the host: `visit.rs` and `discover.rs` store and acknowledge these.

use std::time::Duration;

use jiff::Timestamp;

use crate::fault::Fault;
use crate::fetch::unavailable_from;
use crate::frontier::{Ack, Health};
use tsrec_core::html::directives::Directives;
use tsrec_store::DeletionReason;

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// A page that may be indexed.
    Page,
    /// A page that asks not to be indexed.
    Noindex,
    /// A page whose content is stored under other addresses: its canonical one, or those that it
    /// echoes (`echoes`).
    Duplicate,
    /// A page that only says that something went wrong (an error, a challenge, a consent wall,
    /// nothing at all) in place of a record that says something: see `pipeline/doubt.rs`.
    Doubtful,
    /// A sitemap or a feed.
    Listing,
    /// 304: the stored version is up to date.
    NotModified,
    /// 301 or 308.
    MovedPermanently,
    /// 302, 303 or 307: a login, maintenance, or just another place for now.
    MovedTemporarily,
    /// Nothing readable.
    NoPage(NoPage),
}

/// Why there is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPage {
    /// 404 or 410.
    Gone,
    /// Another 4xx, such as 401 or 403, a redirect that leads nowhere, or a body that cannot be
    /// unpacked.
    Denied,
    /// A success status without a page: 202, 204, 205, 206, or a body that says nothing.
    NoContent {
        /// The status: 200 if the body was blank.
        status: u16,
    },
    /// 5xx except 503.
    Erring,
    /// 429 or 503: not now.
    Strained {
        /// The server's `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// Something other than a page.
    NotHtml,
    /// robots.txt forbids it.
    Disallowed,
    /// The name leads to a refused address.
    RefusedAddress,
    /// The client never fetches URLs of this kind.
    RefusedUrl,
    /// No answer: the name, the connection, TLS, a broken body, or a robots.txt that cannot be
    /// read.
    Unreachable {
        /// The server's `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// No answer in time.
    TimedOut,
    /// No request was made: it is not the turn of its host or address.
    Busy,
    /// No request was made: our own files, memory or network are exhausted.
    OwnFault,
}

impl From<NoPage> for AnswerKind {
    fn from(why: NoPage) -> AnswerKind {
        AnswerKind::NoPage(why)
    }
}

impl AnswerKind {
    /// A word for logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            AnswerKind::Page => "page",
            AnswerKind::Noindex => "noindex",
            AnswerKind::Duplicate => "duplicate",
            AnswerKind::Doubtful => "doubtful",
            AnswerKind::Listing => "listing",
            AnswerKind::NotModified => "not-modified",
            AnswerKind::MovedPermanently => "moved-permanently",
            AnswerKind::MovedTemporarily => "moved-temporarily",
            AnswerKind::NoPage(why) => why.as_str(),
        }
    }
}

impl NoPage {
    /// A word for logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            NoPage::Gone => "gone",
            NoPage::Denied => "denied",
            NoPage::NoContent { .. } => "no-content",
            NoPage::Erring => "erring",
            NoPage::Strained { .. } => "strained",
            NoPage::NotHtml => "not-html",
            NoPage::Disallowed => "disallowed",
            NoPage::RefusedAddress => "refused-address",
            NoPage::RefusedUrl => "refused-url",
            NoPage::Unreachable { .. } => "unreachable",
            NoPage::TimedOut => "timed-out",
            NoPage::Busy => "busy",
            NoPage::OwnFault => "own-fault",
        }
    }
}

/// What is known of the URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownUrl {
    /// Whether it has a record.
    pub stored: bool,
    /// Its failures in a row before this visit.
    pub failures: u32,
    /// How long it has failed, if the last attempt failed.
    pub failing_for: Duration,
}

impl KnownUrl {
    /// Whether it has failed for this long, and often enough to be certain. Two failures may be a
    /// week apart, with no attempt between.
    fn has_failed_for(self, time: Duration) -> bool {
        self.failures >= LEAST_FAILURES && self.failing_for >= time
    }
}

/// What the crawl does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The ack for the frontier, which ends the lease.
    pub ack: Ack,
    /// What the store does.
    pub record: RecordAction,
    /// The health of the host; `None` if no request was sent to it.
    pub host: Option<Health>,
    /// Whether a redirect's target goes to the frontier.
    pub follow: bool,
}

/// When a fetched URL is due again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextFetch {
    /// After its interval.
    pub usual: Timestamp,
    /// After the shortest interval.
    pub soonest: Timestamp,
}

/// What the store does with the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordAction {
    /// Stores the page's content.
    Put,
    /// Keeps the record.
    Keep,
    /// Moves the record to the URL that the page has moved to, and deletes this one.
    Move,
    /// Deletes it.
    Delete(DeletionReason),
}

/// How long a record outlives the failures of its URL, if the host answers. Judgement: longer than
/// maintenance and a long weekend, as long as the frontier tries by default.
pub const KEEP_FAILING: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Failures in a row after which one more may delete a record. Judgement: as many as the frontier
/// needs by default to give a URL up.
pub const LEAST_FAILURES: u32 = 4;

/// How long a record outlives its host. Judgement: a broken machine is repaired by then.
pub const KEEP_UNREACHABLE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The table.
pub fn outcome(what: AnswerKind, known: KnownUrl, next: NextFetch) -> Outcome {
    use RecordAction::{Delete, Keep, Move, Put};
    let refetched = Ack::Ok { refetchable_from: next.usual };
    let fetched = |record| Outcome { ack: refetched, record, host: Some(Health::Fine), follow: false };
    match what {
        AnswerKind::Page => fetched(Put),
        AnswerKind::Noindex => fetched(Delete(DeletionReason::Noindex)),
        AnswerKind::Duplicate => fetched(Delete(DeletionReason::Duplicate)),
        // The record stays until the page was like this often and long enough.
        AnswerKind::Doubtful => Outcome { ack: Ack::Ok { refetchable_from: next.soonest }, ..fetched(Keep) },
        AnswerKind::Listing => fetched(Keep),
        AnswerKind::NotModified => fetched(Keep),
        AnswerKind::MovedPermanently => Outcome { follow: true, ..fetched(Move) },
        // Keep the record, and do not fetch the target: it is a login, or says "back soon".
        AnswerKind::MovedTemporarily if known.stored && !known.has_failed_for(KEEP_FAILING) => {
            Outcome { ack: Ack::Fail { retry_after: None, fault: Fault::Url }, ..fetched(Keep) }
        }
        AnswerKind::MovedTemporarily => Outcome { follow: true, ..fetched(Delete(DeletionReason::Redirected)) },
        AnswerKind::NoPage(why) => without_page(why, known, fetched),
    }
}

/// The rows of the table without a page.
fn without_page(why: NoPage, known: KnownUrl, fetched: impl Fn(RecordAction) -> Outcome) -> Outcome {
    use RecordAction::{Delete, Keep};
    let failed = |retry_after, fault, record, health| Outcome {
        ack: Ack::Fail { retry_after, fault },
        host: Some(health),
        ..fetched(record)
    };
    let is_stale = known.has_failed_for(KEEP_FAILING);
    let kept_for = |days: Duration| if known.has_failed_for(days) { Delete(DeletionReason::Unavailable) } else { Keep };
    match why {
        NoPage::Gone => {
            let fetched = fetched(Delete(DeletionReason::Gone));
            match fetched.ack {
                Ack::Ok { refetchable_from } => Outcome { ack: Ack::Gone { refetchable_from }, ..fetched },
                _ => fetched,
            }
        }
        NoPage::Denied | NoPage::NoContent { .. } => failed(None, Fault::Url, kept_for(KEEP_FAILING), Health::Fine),
        NoPage::Erring => failed(None, Fault::Host, kept_for(KEEP_FAILING), Health::Erring),
        NoPage::Strained { retry_after } => {
            failed(retry_after, Fault::Host, kept_for(KEEP_UNREACHABLE), Health::Strained { retry_after })
        }
        NoPage::NotHtml if known.stored && !is_stale => failed(None, Fault::Url, Keep, Health::Fine),
        NoPage::NotHtml if known.stored => fetched(Delete(DeletionReason::Unavailable)),
        NoPage::NotHtml => Outcome { ack: Ack::Skipped, ..fetched(Keep) },
        NoPage::Disallowed => Outcome { host: None, ..fetched(Delete(DeletionReason::Disallowed)) },
        NoPage::RefusedAddress => {
            failed(None, Fault::Host, kept_for(KEEP_FAILING), Health::Failing { retry_after: None })
        }
        NoPage::RefusedUrl => Outcome { ack: Ack::Skipped, host: None, ..fetched(Keep) },
        NoPage::Unreachable { retry_after } => {
            failed(retry_after, Fault::Host, kept_for(KEEP_UNREACHABLE), Health::Failing { retry_after })
        }
        NoPage::TimedOut => failed(None, Fault::Host, kept_for(KEEP_UNREACHABLE), Health::TimedOut),
        // The host's delay starts again, so that the same request is not tried again at once.
        NoPage::Busy => Outcome { ack: Ack::Returned, host: Some(Health::Unknown), ..fetched(Keep) },
        NoPage::OwnFault => Outcome { ack: Ack::Returned, host: None, ..fetched(Keep) },
    }
}

/// What a page permits to indexers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    /// Whether it may be stored.
    pub index: bool,
    /// Whether its links may be followed.
    pub follow: bool,
    /// Whether a copy of the fetched page may be kept, beside the extracted content.
    pub archive: bool,
    /// The date from which it may no longer be stored, if it may be now.
    pub until: Option<Timestamp>,
}

/// The rights of a page by its head (`X-Robots-Tag`) and its `<meta>`. What one of them forbids is
/// forbidden.
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

/// When to fetch a page again: sooner each time its content has changed, later each time it has
/// not.
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
    /// The next interval. `changed` is `None` if there is no content to change.
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

    /// The answer and what is known; then ack, record, host, and whether the target is followed.
    type Row<K> = (K, KnownUrl, Ack, RecordAction, Option<Health>, bool);

    fn check<K: Into<AnswerKind> + Copy>(rows: &[Row<K>]) {
        for &(what, known, ack, record, host, follow) in rows {
            let what = what.into();
            assert_eq!(outcome(what, known, NEXT), Outcome { ack, record, host, follow }, "{what:?} {known:?}");
        }
    }

    fn retry(fault: Fault) -> Ack {
        Ack::Fail { retry_after: None, fault }
    }

    const NEXT: NextFetch = NextFetch { usual: Timestamp::UNIX_EPOCH, soonest: Timestamp::MIN };
    const REFETCHED: Ack = Ack::Ok { refetchable_from: NEXT.usual };
    const GONE: Ack = Ack::Gone { refetchable_from: NEXT.usual };
    const SOON: Ack = Ack::Ok { refetchable_from: NEXT.soonest };
    const FINE: Option<Health> = Some(Health::Fine);
    use RecordAction::{Delete, Keep, Move, Put};

    #[test]
    fn pages() {
        check(&[
            (AnswerKind::Page, NEW, REFETCHED, Put, FINE, false),
            (AnswerKind::Page, failing(3), REFETCHED, Put, FINE, false),
            (AnswerKind::Noindex, STORED, REFETCHED, Delete(DeletionReason::Noindex), FINE, false),
            (AnswerKind::NotModified, STORED, REFETCHED, Keep, FINE, false),
            (AnswerKind::Duplicate, STORED, REFETCHED, Delete(DeletionReason::Duplicate), FINE, false),
            (AnswerKind::Doubtful, STORED, SOON, Keep, FINE, false),
            (AnswerKind::Listing, NEW, REFETCHED, Keep, FINE, false),
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
            (AnswerKind::MovedPermanently, NEW, REFETCHED, Move, FINE, true),
            (AnswerKind::MovedPermanently, STORED, REFETCHED, Move, FINE, true),
            (AnswerKind::MovedTemporarily, NEW, REFETCHED, Delete(DeletionReason::Redirected), FINE, true),
            (AnswerKind::MovedTemporarily, STORED, retry(Fault::Url), Keep, FINE, false),
            (AnswerKind::MovedTemporarily, failing(6), retry(Fault::Url), Keep, FINE, false),
            (AnswerKind::MovedTemporarily, ONCE, retry(Fault::Url), Keep, FINE, false),
            (AnswerKind::MovedTemporarily, failing(7), REFETCHED, Delete(DeletionReason::Redirected), FINE, true),
        ]);
    }

    #[test]
    fn what_is_gone_is_deleted_and_what_fails_for_days() {
        let erring = Some(Health::Erring);
        check(&[
            (NoPage::Gone, STORED, GONE, Delete(DeletionReason::Gone), FINE, false),
            (NoPage::Gone, NEW, GONE, Delete(DeletionReason::Gone), FINE, false),
            (NoPage::Denied, STORED, retry(Fault::Url), Keep, FINE, false),
            (NoPage::Denied, ONCE, retry(Fault::Url), Keep, FINE, false),
            (NoPage::Denied, failing(7), retry(Fault::Url), Delete(DeletionReason::Unavailable), FINE, false),
            (NoPage::Erring, failing(6), retry(Fault::Host), Keep, erring, false),
            (NoPage::Erring, failing(7), retry(Fault::Host), Delete(DeletionReason::Unavailable), erring, false),
        ]);
    }

    #[test]
    fn an_answer_without_a_page_keeps_the_record_as_other_failures_do() {
        for status in [200, 202, 204, 205, 206] {
            let nothing = NoPage::NoContent { status };
            check(&[
                (nothing, NEW, retry(Fault::Url), Keep, FINE, false),
                (nothing, STORED, retry(Fault::Url), Keep, FINE, false),
                (nothing, ONCE, retry(Fault::Url), Keep, FINE, false),
                (nothing, failing(6), retry(Fault::Url), Keep, FINE, false),
                (nothing, failing(7), retry(Fault::Url), Delete(DeletionReason::Unavailable), FINE, false),
            ]);
        }
    }

    #[test]
    fn a_page_that_became_something_else_is_asked_for_again() {
        check(&[
            (NoPage::NotHtml, NEW, Ack::Skipped, Keep, FINE, false),
            (NoPage::NotHtml, STORED, retry(Fault::Url), Keep, FINE, false),
            (NoPage::NotHtml, ONCE, retry(Fault::Url), Keep, FINE, false),
            (NoPage::NotHtml, failing(7), REFETCHED, Delete(DeletionReason::Unavailable), FINE, false),
        ]);
    }

    #[test]
    fn a_host_that_does_not_answer_keeps_its_records_for_a_month() {
        let failing_host = Some(Health::Failing { retry_after: None });
        let unreachable = NoPage::Unreachable { retry_after: None };
        check(&[
            (unreachable, STORED, retry(Fault::Host), Keep, failing_host, false),
            (unreachable, failing(29), retry(Fault::Host), Keep, failing_host, false),
            (unreachable, ONCE, retry(Fault::Host), Keep, failing_host, false),
            (unreachable, failing(30), retry(Fault::Host), Delete(DeletionReason::Unavailable), failing_host, false),
            (NoPage::TimedOut, STORED, retry(Fault::Host), Keep, Some(Health::TimedOut), false),
        ]);
    }

    #[test]
    fn a_host_that_asks_for_time_gets_it() {
        for retry_after in [None, Some(Duration::from_secs(120))] {
            let ack = Ack::Fail { retry_after, fault: Fault::Host };
            check(&[
                (NoPage::Strained { retry_after }, STORED, ack, Keep, Some(Health::Strained { retry_after }), false),
                (NoPage::Unreachable { retry_after }, NEW, ack, Keep, Some(Health::Failing { retry_after }), false),
            ]);
        }
    }

    #[test]
    fn what_was_not_asked_for_costs_the_host_nothing() {
        let refused = Some(Health::Failing { retry_after: None });
        check(&[
            (NoPage::Disallowed, STORED, REFETCHED, Delete(DeletionReason::Disallowed), None, false),
            (NoPage::RefusedUrl, NEW, Ack::Skipped, Keep, None, false),
            (NoPage::RefusedAddress, STORED, retry(Fault::Host), Keep, refused, false),
            (NoPage::Busy, STORED, Ack::Returned, Keep, Some(Health::Unknown), false),
            (NoPage::OwnFault, STORED, Ack::Returned, Keep, None, false),
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
