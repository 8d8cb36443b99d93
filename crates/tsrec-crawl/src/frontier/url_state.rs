//! URLs as the frontier sees them: found, leased, acknowledged.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

/// What a URL leads to, as far as whoever found it knows.
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
    /// The URL; without its fragment, it is the caller's to take that off.
    pub url: Url,
    /// Links from a seed by the way that it was found; a seed has 0. Of several ways the shortest
    /// counts.
    pub depth: u32,
    /// The page that links to it, for whoever asks why; that of the shortest way is kept, of
    /// several the first.
    pub found_on: Option<Url>,
    /// What it leads to.
    pub leads: Leads,
    /// When it changed, by the account of who names it.
    pub modified: Option<Modified>,
}

impl Discovered {
    /// A page, of which nothing else is said.
    pub fn page(url: Url, depth: u32, found_on: Option<Url>) -> Discovered {
        Discovered { url, depth, found_on, leads: Leads::ToPage, modified: None }
    }

    /// A sitemap or a feed.
    pub fn listing(url: Url, depth: u32, found_on: Option<Url>) -> Discovered {
        Discovered { leads: Leads::ToListing, ..Discovered::page(url, depth, found_on) }
    }
}

/// When a URL changed, by the account of somebody who may not be believed: if that was after the
/// last visit, it is due again, but no sooner than `least` after that visit, nor than a quarter of
/// its interval. So a sitemap that calls everything new each day costs its site less and less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modified {
    /// When it changed; a date more than a day ahead is not believed.
    pub at: Timestamp,
    /// The shortest time between two visits.
    pub least: Duration,
}

/// What [`Frontier::put_discovered`](super::Frontier::put_discovered) did; the five add up to what
/// was put.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PutSummary {
    /// New, and scheduled.
    pub added: u64,
    /// Given up or skipped before, and scheduled once more.
    pub revived: u64,
    /// Fetched before and changed since: due sooner than before.
    pub renewed: u64,
    /// Known to the frontier before, or twice among those put: at most found to be nearer.
    pub known: u64,
    /// Refused.
    pub refused: RefusedUrls,
}

/// URLs that were not taken in, by why.
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

    /// All of them.
    pub fn sum(&self) -> u64 {
        self.by_reason().iter().map(|(_, count)| count).sum()
    }
}

/// A URL that is the holder's to fetch, and to acknowledge.
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
    /// Whether its host's address is known; if not, [`Frontier::locate`](super::Frontier::locate)
    /// wants to be told.
    pub located: bool,
    /// What it leads to.
    pub leads: Leads,
    /// What was to be remembered of its last visit: see [`Account::memo`]. Empty before the first.
    pub memo: Vec<u8>,
    /// Whether its host ever answered.
    pub answered_before: bool,
    /// How long the host is worth waiting for: see
    /// [`HostStatus::patience`](super::HostStatus::patience).
    pub patience: Duration,
    /// The queue's own delay between two requests: the operator's, or the configured one.
    /// [`HostStatus::delay`](super::HostStatus::delay) may be longer.
    pub delay: Duration,
}

/// What became of a leased URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ack {
    /// It was fetched, and is worth fetching again from this date.
    Ok {
        /// The date; one in the past means at once.
        refetchable_from: Timestamp,
    },
    /// It is not to be fetched, ever: no page for us.
    Skipped,
    /// It could not be fetched; it comes again after a back-off, until it is given up.
    Fail {
        /// What the server asked for in `Retry-After`.
        retry_after: Option<Duration>,
        /// Whose fault it is.
        fault: Fault,
    },
    /// It was not tried, for reasons of our own: it is due as it was before the lease.
    Returned,
    /// It was not tried, since what is like it is not worth a request for now: it is due from this
    /// date, and none of its failures is forgotten.
    Postponed {
        /// The date; one in the past means at once.
        until: Timestamp,
    },
    /// The program failed on it. It comes again when another version of the program opens the
    /// frontier.
    Quarantined,
}

/// What is kept of a visit, beside what became of it, for whoever asks why and for the next visit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// What came of it, in words: the first 200 bytes are kept.
    pub said: String,
    /// The request, if one was made.
    pub request: Option<UrlRequest>,
    /// What robots.txt said to it, where that was asked: the first 200 bytes are kept.
    pub robots: Option<String>,
    /// What the next [`Lease::memo`] gives back, at most [`MAX_MEMO_LEN`] bytes, or it is dropped;
    /// `None` leaves it as it is.
    pub memo: Option<Vec<u8>>,
}

/// The longest [`Account::memo`], in bytes. Judgement: an `ETag` and a date, with room.
pub const MAX_MEMO_LEN: usize = 512;

impl From<&str> for Account {
    fn from(said: &str) -> Account {
        Account { said: said.to_owned(), ..Account::default() }
    }
}

/// A request that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UrlRequest {
    /// When it was over.
    pub at: Timestamp,
    /// How long it took, robots.txt and the wait for its turn included, in milliseconds.
    pub took_ms: u64,
    /// What came back, in one word, or why nothing did: the first 40 bytes are kept.
    pub what: String,
}

/// Whose fault a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The URL's: its host answered, and not with a page.
    Url,
    /// The host's: it did not answer. Then the URL is given up only if the host has answered for
    /// others since.
    Host,
}

/// What an [`Ack`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acked {
    /// The URL will be leased again, from this date.
    Scheduled {
        /// The date.
        due: Timestamp,
    },
    /// The URL failed too often.
    GivenUp {
        /// How often.
        attempts: u32,
    },
    /// The URL is never fetched again.
    Skipped,
    /// The URL is kept apart.
    Quarantined,
    /// An operator dropped its queue while it was in flight: the frontier has forgotten it.
    Dropped,
    /// There is no such lease: nothing done.
    NotLeased,
}

/// Where a URL is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum UrlState {
    /// Put, never acknowledged.
    Discovered,
    /// Fetched.
    Known {
        /// When it is due again.
        refetchable_from: Timestamp,
    },
    /// Not fetched the last time.
    Failed {
        /// Failures in a row.
        attempts: u32,
        /// When it is due again.
        retry_from: Timestamp,
    },
    /// Failed too often, no longer scheduled.
    GivenUp {
        /// Failures in a row.
        attempts: u32,
    },
    /// Not to be fetched.
    Skipped,
    /// The program failed on it.
    Quarantined,
}

/// What the frontier knows about a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UrlStatus {
    /// Where it is in its life.
    #[serde(flatten)]
    pub state: UrlState,
    /// Somebody holds a lease on it.
    pub leased: bool,
    /// Links from a seed.
    pub depth: u32,
    /// The page that links to it, on the shortest way that was found.
    pub found_on: Option<String>,
    /// The time from its last successful fetch to the date that it is due again by itself.
    #[serde(default, with = "humantime_serde", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub interval: Option<Duration>,
    /// Since when it has failed, if it has.
    pub failing_since: Option<Timestamp>,
    /// What came of it the last time.
    pub last: Option<LastVisit>,
    /// What it leads to.
    #[serde(default)]
    pub leads: Leads,
    /// What robots.txt said to it the last time.
    #[serde(default)]
    pub robots: Option<String>,
    /// Its last requests, the latest first.
    #[serde(default)]
    pub requests: Vec<UrlRequest>,
}

/// What came of a URL the last time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LastVisit {
    /// When it was acknowledged.
    pub at: Timestamp,
    /// In words.
    pub said: String,
}

/// How much there is, for metrics. The six states add up to all URLs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FrontierStats {
    /// Queues ever seen.
    pub queues: u64,
    /// URLs put and never acknowledged.
    pub discovered: u64,
    /// URLs fetched.
    pub known: u64,
    /// URLs that wait for another attempt.
    pub failed: u64,
    /// URLs that failed too often.
    pub given_up: u64,
    /// URLs never to be fetched.
    pub skipped: u64,
    /// URLs that the program failed on.
    pub quarantined: u64,
    /// URLs that could be leased at this moment: at most one a queue.
    pub due_now: u64,
    /// For how long the queue has been ready that was not served for longest, in milliseconds; 0 if
    /// none is ready.
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
