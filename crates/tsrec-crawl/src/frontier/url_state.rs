//! URLs as the frontier sees them: found, leased, acknowledged.

use crate::fault::Fault;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

/// What a URL leads to, according to where the crawl found it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Leads {
    /// A page.
    #[default]
    ToPage,
    /// A sitemap or a feed: a list of URLs.
    ToListing,
}

/// A URL that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// The URL. The caller removes its fragment.
    pub url: Url,
    /// Links from a seed on the path by which it was found; a seed has 0. The shortest path counts.
    pub depth: u32,
    /// The page that links to it, as an explanation. The frontier keeps the first page on the
    /// shortest path.
    pub found_on: Option<Url>,
    /// What it leads to.
    pub leads: Leads,
    /// When it changed, according to the page or listing that names it.
    pub modified: Option<Modified>,
}

impl Discovered {
    /// A page without further information.
    pub fn page(url: Url, depth: u32, found_on: Option<Url>) -> Discovered {
        Discovered { url, depth, found_on, leads: Leads::ToPage, modified: None }
    }

    /// A sitemap or a feed.
    pub fn listing(url: Url, depth: u32, found_on: Option<Url>) -> Discovered {
        Discovered { leads: Leads::ToListing, ..Discovered::page(url, depth, found_on) }
    }
}

/// When a URL changed, according to a source that may be wrong. If that was after the last visit,
/// the URL is due again, but no sooner than `least` or a quarter of its interval after that visit.
/// So a sitemap that calls everything new each day costs its site less and less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modified {
    /// When it changed. A date more than a day ahead is ignored.
    pub at: Timestamp,
    /// The shortest time between two visits.
    pub least: Duration,
}

/// The result of [`Frontier::put_discovered`](super::Frontier::put_discovered). The five add up to
/// the number of URLs put.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PutSummary {
    /// New, and scheduled.
    pub added: u64,
    /// Given up or skipped before, and scheduled again.
    pub revived: u64,
    /// Fetched before and changed since: due sooner than before.
    pub renewed: u64,
    /// Known before, or twice in this put. At most its depth changed.
    pub known: u64,
    /// Refused.
    pub refused: RefusedUrls,
}

/// Refused URLs, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RefusedUrls {
    /// The frontier is full.
    pub frontier: u64,
    /// The queue is full.
    pub full: u64,
    /// A section of the queue is full: its pattern of URLs, or its folder.
    pub section: u64,
    /// An operator dropped the queue.
    pub dropped: u64,
    /// The URL names no host, or is too long.
    pub unfit: u64,
}

impl RefusedUrls {
    /// Each reason with its name and its number.
    pub fn by_reason(&self) -> [(&'static str, u64); 5] {
        let RefusedUrls { frontier, full, section, dropped, unfit } = *self;
        [("frontier", frontier), ("full", full), ("section", section), ("dropped", dropped), ("unfit", unfit)]
    }

    /// The sum of all.
    pub fn sum(&self) -> u64 {
        self.by_reason().iter().map(|(_, count)| count).sum()
    }
}

/// A URL for the holder to fetch and acknowledge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The URL.
    pub url: Url,
    /// Links from a seed.
    pub depth: u32,
    /// Failures in a row so far.
    pub attempts: u32,
    /// Since when it has failed, if it has.
    pub failing_since: Option<Timestamp>,
    /// Since when it has been due.
    pub due: Timestamp,
    /// The time from its last successful fetch to the date it was refetchable from; `None` before
    /// the first.
    pub interval: Option<Duration>,
    /// It was in quarantine, and is tried again.
    pub quarantined: bool,
    /// Whether its host's address is known. If not, report it to
    /// [`Frontier::locate`](super::Frontier::locate).
    pub located: bool,
    /// What it leads to.
    pub leads: Leads,
    /// The memo of its last visit: see [`Account::memo`]. Empty before the first.
    pub memo: Vec<u8>,
    /// Whether its host ever answered.
    pub answered_before: bool,
    /// How long to wait for the host: see [`HostStatus::patience`](super::HostStatus::patience).
    pub patience: Duration,
    /// The queue's own delay between two requests: the operator's, or the configured one.
    /// [`HostStatus::delay`](super::HostStatus::delay) may be longer.
    pub delay: Duration,
}

/// The result of a leased URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ack {
    /// It was fetched; fetch it again from this date.
    Ok {
        /// The date; one in the past means at once.
        refetchable_from: Timestamp,
    },
    /// The server says that there is no such page; fetch it again from this date.
    Gone {
        /// The date; one in the past means at once.
        refetchable_from: Timestamp,
    },
    /// Never fetch it: it is no page for us.
    Skipped,
    /// It could not be fetched. It comes again after a back-off, until it is given up.
    Fail {
        /// The server's `Retry-After`.
        retry_after: Option<Duration>,
        /// Whose fault it is.
        fault: Fault,
    },
    /// It was not tried, for reasons of our own. It is due as before the lease.
    Returned,
    /// It was not tried, since URLs like it are not worth a request for now. It is due from this
    /// date, and keeps its failures.
    Postponed {
        /// The date; one in the past means at once.
        until: Timestamp,
    },
    /// The program failed on it. It comes again when another version of the program opens the
    /// frontier.
    Quarantined,
}

/// What is kept of a visit beside its result, as an explanation and for the next visit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// The result in words: the first 200 bytes are kept.
    pub said: String,
    /// The request, if one was made.
    pub request: Option<UrlRequest>,
    /// The decision of robots.txt, if there was one: the first 200 bytes are kept.
    pub robots: Option<String>,
    /// Returned as the next [`Lease::memo`]. A memo longer than [`MAX_MEMO_LEN`] bytes is dropped.
    /// `None` leaves the old one.
    pub memo: Option<Vec<u8>>,
}

/// The longest [`Account::memo`], in bytes. Judgement: an `ETag` and a date, with room.
pub const MAX_MEMO_LEN: usize = 512;

impl From<&str> for Account {
    fn from(said: &str) -> Account {
        Account { said: said.to_owned(), ..Account::default() }
    }
}

/// A request that the crawl made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UrlRequest {
    /// When the request ended.
    pub at: Timestamp,
    /// How long the request took, in milliseconds. This includes robots.txt and the wait for its
    /// turn.
    pub took_ms: u64,
    /// The answer in one word, or why there was none. The frontier keeps the first 40 bytes.
    pub what: String,
}

/// The effect of an [`Ack`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acked {
    /// The URL will be leased again, from this date.
    Scheduled {
        /// The date.
        due: Timestamp,
    },
    /// The URL failed too often.
    GivenUp {
        /// The number of failures.
        attempts: u32,
    },
    /// The URL is never fetched again.
    Skipped,
    /// The URL is in quarantine.
    Quarantined,
    /// An operator dropped its queue while it was in flight. The frontier has forgotten it.
    Dropped,
    /// There is no such lease; nothing was done.
    NotLeased,
}

/// The state of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum UrlState {
    /// Found, but not visited yet.
    Discovered,
    /// Fetched.
    Known {
        /// When it is due again.
        refetchable_from: Timestamp,
    },
    /// The server says that there is no such page (404 or 410).
    Gone {
        /// When it is due again.
        refetchable_from: Timestamp,
    },
    /// The last fetch failed.
    Failed {
        /// Failures in a row.
        attempts: u32,
        /// When it is due again.
        retry_from: Timestamp,
    },
    /// It failed too often. The crawl no longer schedules it.
    GivenUp {
        /// Failures in a row.
        attempts: u32,
    },
    /// The crawl does not fetch it.
    Skipped,
    /// The program failed on its page.
    Quarantined,
}

/// What the frontier knows about a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UrlStatus {
    /// Its state.
    #[serde(flatten)]
    pub state: UrlState,
    /// Whether the crawl holds a lease on it.
    pub leased: bool,
    /// Links from a seed.
    pub depth: u32,
    /// The page that links to it, on the shortest known path from a seed.
    pub found_on: Option<String>,
    /// The time from its last successful fetch until it is due again by itself.
    #[serde(default, with = "humantime_serde", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub interval: Option<Duration>,
    /// Since when it has failed, if it has.
    pub failing_since: Option<Timestamp>,
    /// The result of its last visit.
    pub last: Option<LastVisit>,
    /// What it leads to.
    pub leads: Leads,
    /// What robots.txt last said about it.
    pub robots: Option<String>,
    /// Its last requests, newest first.
    pub requests: Vec<UrlRequest>,
}

/// The result of the last visit to a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LastVisit {
    /// When the crawl recorded the result.
    pub at: Timestamp,
    /// The result in words.
    pub said: String,
}

/// Counts for metrics. The seven states add up to all URLs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FrontierStats {
    /// Queues ever seen.
    pub queues: u64,
    /// URLs put and never acknowledged.
    pub discovered: u64,
    /// URLs fetched.
    pub known: u64,
    /// URLs of which the server says that there is no such page.
    pub gone: u64,
    /// URLs that wait for another attempt.
    pub failed: u64,
    /// URLs that failed too often.
    pub given_up: u64,
    /// URLs never to be fetched.
    pub skipped: u64,
    /// URLs on which the program failed.
    pub quarantined: u64,
    /// URLs that could be leased now: at most one a queue.
    pub due_now: u64,
    /// How long the least recently served ready queue has been ready, in milliseconds; 0 if none is
    /// ready.
    pub oldest_ready_ms: u64,
    /// Leases not yet acknowledged.
    pub leased: u64,
    /// Leases whose request is under way: at most one a queue.
    pub in_flight: u64,
    /// Pages that wait for a sibling.
    pub waiting: u64,
    /// URLs refused since the frontier was opened.
    pub refused: u64,
}
