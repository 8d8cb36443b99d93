//! The frontier: which URLs are known, and which is to be fetched next.
//!
//! The words are those of URLFrontier. A URL belongs to a *queue*; its key is the host. A URL is *discovered* when it is put for the first
//! time, and *known* once it was fetched, and then *refetchable from* a date. [`Frontier::get_urls`] leases URLs; an [`Ack`] ends the lease
//! and says what became of it.
//!
//! # The life of a URL
//!
//! ```text
//!             put_discovered           ack Ok
//!   (unknown) --------------> Discovered --> Known --+
//!                                 |  ^         ^     | due again at refetchable_from
//!                          ack Fail  |         +-----+
//!                                 v  | due after the back-off
//!                               Failed ------> GivenUp    (max_attempts)
//!        ack Skipped, from any of them ------> Skipped
//! ```
//!
//! What is given up or skipped stays in the frontier, so that the next link to it does not bring it back.
//!
//! # Politeness
//!
//! At most one request to a queue is under way, and the next starts no sooner than the queue's delay after the end of the one before. The lease
//! may outlast the request, since a page can wait for a sibling of the same queue: [`Frontier::fetched`] ends the request,
//! [`Frontier::ack`] the lease.
//!
//! # Order
//!
//! Within a queue: what was promoted first, then by the date it is due. Between queues: those with a promoted URL first, then the one that has
//! been ready longest. A queue that was served goes to the back, so none starves another.
//!
//! The methods are async since the next implementation will be URLFrontier over gRPC; [`Embedded`] answers at once.

mod embedded;
mod error;

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

pub use embedded::Embedded;
pub use error::Error;

/// The frontier's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// From the end of one request to a host to the start of the next, where nothing else was asked for. Milliseconds count, less does not.
    #[serde(with = "humantime_serde")]
    pub delay: Duration,
    /// After how many failures in a row a URL is given up; at least 1.
    pub max_attempts: u32,
    /// The wait after the first failure; it doubles with each further one. At least a millisecond.
    #[serde(with = "humantime_serde")]
    pub retry_base: Duration,
    /// The longest wait after a failure, also where the server asks for a longer one. At least `retry_base`.
    #[serde(with = "humantime_serde")]
    pub retry_cap: Duration,
    /// How many URLs of one host are kept; further ones are refused. It guards against calendars and other spider traps. At least 1.
    pub max_urls_per_queue: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            delay: Duration::from_secs(1),
            max_attempts: 5,
            retry_base: Duration::from_secs(60),
            retry_cap: Duration::from_secs(24 * 60 * 60),
            max_urls_per_queue: 100_000,
        }
    }
}

impl Config {
    /// The wait after so many failures in a row: `retry_base`, doubled with each further failure, at least what the server asked for, at most
    /// `retry_cap`. There is no jitter: the queue's delay keeps the URLs of a host apart, and the same history gives the same schedule.
    pub(crate) fn back_off(&self, attempts: u32, asked: Option<Duration>) -> Duration {
        let doubled = self.retry_base.saturating_mul(1u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX));
        doubled.max(asked.unwrap_or_default()).min(self.retry_cap)
    }
}

/// A URL that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// The URL; without its fragment, it is the caller's to take that off.
    pub url: Url,
    /// Links from a seed; a seed has 0.
    pub depth: u32,
}

/// What [`Frontier::put_discovered`] did; the three add up to what was put.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PutSummary {
    /// New, and scheduled.
    pub added: u64,
    /// Known to the frontier before, or twice among those put: nothing done.
    pub known: u64,
    /// Refused: the queue is full, or the URL names no host or is too long.
    pub refused: u64,
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
}

/// What became of a leased URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ack {
    /// It was fetched, and is worth fetching again from this date.
    Ok {
        /// The date; one in the past means at once.
        refetchable_from: Timestamp,
    },
    /// It is not to be fetched, ever: robots.txt, wrong type, gone.
    Skipped,
    /// It could not be fetched; it comes again after a back-off, until it is given up.
    Fail {
        /// What the server asked for in `Retry-After`.
        retry_after: Option<Duration>,
    },
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
    /// There is no such lease: nothing done.
    NotLeased,
}

/// Where a URL is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
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
}

/// What the frontier knows about a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlStatus {
    /// Where it is in its life.
    pub state: State,
    /// Somebody holds a lease on it.
    pub leased: bool,
    /// Links from a seed.
    pub depth: u32,
}

/// How much there is, for metrics. The five states add up to all URLs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
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
    /// URLs that could be leased at this moment: at most one a queue.
    pub due_now: u64,
    /// Leases not yet acknowledged.
    pub leased: u64,
    /// Leases whose request is under way: at most one a queue.
    pub in_flight: u64,
}

/// A frontier. See the [module](self) for the words and the rules.
///
/// A URL given as text is parsed; one that is no absolute URL with a host is simply not known. Every method fails only with the storage or the
/// service behind it.
pub trait Frontier: Send + Sync + 'static {
    /// Adds URLs that are not known yet, due at once.
    fn put_discovered(&self, urls: &[Discovered]) -> impl Future<Output = Result<PutSummary, Error>> + Send;

    /// Leases at most `max` URLs that are due, at most one of each queue, and only of queues that are free for a request.
    fn get_urls(&self, max: usize) -> impl Future<Output = Result<Vec<Lease>, Error>> + Send;

    /// How long until [`get_urls`](Self::get_urls) has something to give: zero if it has now. `None` if time alone brings nothing: then it is
    /// worth asking again after a put, a promotion, a `fetched` or an ack.
    fn next_due(&self) -> impl Future<Output = Result<Option<Duration>, Error>> + Send;

    /// The request of a leased URL is over: the queue's delay starts, the lease goes on. `false` if none was under way for it.
    fn fetched(&self, url: &str) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Ends a lease. If [`fetched`](Self::fetched) was not called before, the request is over now too; but with [`Ack::Skipped`] none was made,
    /// and the queue is free as it was before the lease.
    fn ack(&self, url: &str, outcome: Ack) -> impl Future<Output = Result<Acked, Error>> + Send;

    /// Puts a URL at the head of its queue, if it is discovered and was never tried, and is not leased; tells whether it stands there now.
    fn promote(&self, url: &str) -> impl Future<Output = Result<bool, Error>> + Send;

    /// What is known about a URL; `None` if nothing is.
    fn status(&self, url: &str) -> impl Future<Output = Result<Option<UrlStatus>, Error>> + Send;

    /// No request to the queue starts before this date; one in the past unblocks it. It replaces a date set before, and survives a restart.
    fn block_queue_until(&self, queue: &str, until: Timestamp) -> impl Future<Output = Result<(), Error>> + Send;

    /// The queue's own delay, from the end of one request to the start of the next, in place of the configured one. It survives a restart.
    fn set_delay(&self, queue: &str, delay: Duration) -> impl Future<Output = Result<(), Error>> + Send;

    /// How much there is.
    fn stats(&self) -> impl Future<Output = Result<Stats, Error>> + Send;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_back_off_doubles_up_to_its_cap() {
        let config = Config::default();
        let seconds =
            |attempts, asked: Option<u64>| config.back_off(attempts, asked.map(Duration::from_secs)).as_secs();
        let day = 86_400;
        for (attempts, asked, expect) in [
            (1, None, 60),
            (2, None, 120),
            (3, None, 240),
            (11, None, 61_440),
            (12, None, day),
            (33, None, day),
            (u32::MAX, None, day),
            (1, Some(10), 60),
            (1, Some(3_600), 3_600),
            (5, Some(3_600), 3_600),
            (1, Some(u64::MAX), day),
        ] {
            assert_eq!(seconds(attempts, asked), expect, "{attempts} failures, asked for {asked:?}");
        }
    }

    #[test]
    fn durations_of_the_configuration_are_written_for_people() {
        let text = toml::to_string(&Config::default()).unwrap();
        assert!(text.contains("delay = \"1s\"") && text.contains("retry_cap = \"1day\""), "{text}");
        assert_eq!(toml::from_str::<Config>(&text).unwrap(), Config::default());
        assert!(toml::from_str::<Config>("dellay = \"1s\"").is_err());
    }
}
