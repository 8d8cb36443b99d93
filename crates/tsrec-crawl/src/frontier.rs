//! The frontier: which URLs are known, and which to fetch next.
//!
//! The terms are those of URLFrontier. A URL belongs to a *queue*; its key is the host. A URL is
//! *discovered* when it is put for the first time. After its first fetch it is *known*, and then
//! *refetchable from* a date. [`Frontier::get_urls`] leases URLs. An [`Ack`] ends the lease and
//! reports the result.
//!
//! # The life of a URL
//!
//! ```text
//!             put_discovered           ack Ok
//!   (unknown) --------------> Discovered --> Known --+
//!                                 |  ^         ^     | due again at refetchable_from
//!                          ack Fail  |         +-----+
//!                                 v  | due after the back-off      a link, after a day: one more attempt
//!                               Failed --------------> GivenUp --> Failed
//!                                       max_attempts and give_up_after
//!        ack Gone, from any of them ---------> Gone         -- due again, as Known
//!        ack Skipped, from any of them ------> Skipped      -- a seed --> Discovered
//!        ack Postponed, from any of them ----> Failed, until the date
//!        ack Quarantined -------------------> Quarantined   -- another version of tsrec --> due
//!        ack Returned: as it was before the lease
//! ```
//!
//! URLs that are given up or skipped stay in the frontier for months ([`Config::forget_after`]), so
//! that the next link to one does not bring it back at once.
//!
//! # What belongs to the host
//!
//! A host that does not answer says nothing about the URL that was requested. So the back-off after
//! such a failure is the queue's ([`Health::Failing`]): a minute, doubled up to a day, with jitter,
//! kept over restarts. A URL is given up only after [`Config::give_up_after`]. A failure counts
//! only if the host has since answered for other URLs. So no outage loses a URL, however long or
//! interrupted it is.
//!
//! # Politeness
//!
//! At most one request to a queue is under way. The next starts no sooner than the queue's delay
//! after the end of the one before. This delay is the longest of the configured or the operator's
//! delay, the delay that robots.txt asks for, and the usual time of the host's answers. Each 429 or
//! 503 doubles it for a while. Several queues may share one address: see [`Config::address_delay`].
//! [`Frontier::fetched`] ends the request, and [`Frontier::ack`] ends the lease. An ack alone means
//! that no request was made, and starts no delay.
//!
//! # Order
//!
//! Within a queue: promoted URLs first, then by due date. Between queues: those with a promoted URL
//! first, then the one that has been ready longest. A queue that was served goes to the back, so
//! none starves another. Hosts that are slow, or have never answered, share a fixed part of the
//! request slots ([`Config::slow_requests`], [`Config::unproven_requests`]), so that tarpits delay
//! only each other.
//!
//! The methods are async since the next implementation will be URLFrontier over gRPC. [`Embedded`]
//! answers at once.

mod config;
mod embedded;
mod error;
mod host;
mod trap;
mod url_state;

use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;

pub use config::{Config, LONGEST_TIME};
pub use embedded::{Embedded, Filter, KeptHost, ListedUrl, Section, mended};
pub use error::Error;
pub use host::{Health, Heard, HostStatus};
pub use trap::Trap;
pub use url_state::{
    Account, Ack, Acked, Discovered, FrontierStats, LastVisit, Leads, Lease, MAX_MEMO_LEN, Modified, PutSummary,
    RefusedUrls, UrlRequest, UrlState, UrlStatus,
};

/// A frontier. See the [module](self) for the terms and the rules.
///
/// A URL given as text is parsed. Text that is no absolute URL with a host is simply not known.
/// Every method fails only if the storage or the service behind it fails.
pub trait Frontier: Send + Sync + 'static {
    /// Adds URLs that are not known yet, due at once. Revives URLs that were given up (see the
    /// [module](self)). Makes URLs due that have [changed](Modified) since their last visit. If a
    /// shorter path to a URL is found, its depth follows it. A URL that was put as a page, and was
    /// not fetched as one, may become a listing.
    fn put_discovered(&self, urls: &[Discovered]) -> impl Future<Output = Result<PutSummary, Error>> + Send;

    /// Leases at most `max` URLs that are due. It leases at most one of each queue, and only from
    /// queues that are free for a request.
    fn get_urls(&self, max: usize) -> impl Future<Output = Result<Vec<Lease>, Error>> + Send;

    /// How long until [`get_urls`](Self::get_urls) has a URL: zero if it has one now. `None` if
    /// waiting alone brings none. Then ask again after a put, a promotion, a `fetched` or an ack.
    fn next_due(&self) -> impl Future<Output = Result<Option<Duration>, Error>> + Send;

    /// Whether a URL is due, even if the delay of its host or its turn at an address holds it back
    /// for now. URLs that wait for a date do not count, nor do hosts that are paused, blocked, or
    /// in back-off. O(queues).
    fn owes(&self) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Reports the address of a leased URL's host before the request. `false` if that address is
    /// busy with other hosts. Then the lease ends as with [`Ack::Returned`], and the queue gets its
    /// turn when the address is free.
    fn locate(&self, url: &str, address: IpAddr) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Ends the request of a leased URL, and reports how the host did. The queue's delay starts;
    /// the lease goes on. `false` if no request was under way for the URL.
    fn fetched(&self, url: &str, heard: &Heard) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Ends a lease. The account is kept with the URL, with the last four of its requests.
    fn ack(
        &self,
        url: &str,
        outcome: Ack,
        account: impl Into<Account> + Send,
    ) -> impl Future<Output = Result<Acked, Error>> + Send;

    /// Puts a URL without a lease into quarantine: the program failed on its page outside a visit.
    /// Its URL need not be known. `false`, and nothing done, if it is leased: its holder decides.
    fn quarantine(
        &self,
        url: &str,
        account: impl Into<Account> + Send,
    ) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Whether a URL is in quarantine, and this version of the program does not try it again.
    fn is_quarantined(&self, url: &str) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Moves a URL to the head of its queue, if it is discovered, was never tried, and is not
    /// leased. Tells whether it is at the head now.
    fn promote(&self, url: &str) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Makes a known URL due at once, whatever its state. It is then fetched whole. `false` if it
    /// is unknown or leased.
    fn make_due(&self, url: &str) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Notes that a page waits for a sibling, and promotes the sibling. `false`, and nothing noted,
    /// if the sibling is unknown or was already tried. The wait survives a restart.
    /// [`end_wait`](Self::end_wait) ends it.
    fn wait_for(&self, page: &str, sibling: &str) -> impl Future<Output = Result<bool, Error>> + Send;

    /// The pages that wait for a URL.
    fn waiting_for(&self, sibling: &str) -> impl Future<Output = Result<Vec<String>, Error>> + Send;

    /// The pages, each with its sibling, that wait in vain: they wait since before this date, or
    /// their sibling has been tried.
    fn overdue_waits(&self, before: Timestamp) -> impl Future<Output = Result<Vec<(String, String)>, Error>> + Send;

    /// Ends a page's wait for a sibling.
    fn end_wait(&self, page: &str, sibling: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// Known URLs of the queue that are similar to a URL, in no particular order. At most `most` on
    /// either side of it with the same beginning, and some such URLs under the other of http and
    /// https.
    fn near(&self, url: &str, most: usize) -> impl Future<Output = Result<Vec<String>, Error>> + Send;

    /// What is known about a URL; `None` if nothing is known.
    fn status(&self, url: &str) -> impl Future<Output = Result<Option<UrlStatus>, Error>> + Send;

    /// No request to the queue starts before this date. A date in the past unblocks the queue. It
    /// replaces any earlier date, and survives a restart.
    fn block_queue_until(&self, queue: &str, until: Timestamp) -> impl Future<Output = Result<(), Error>> + Send;

    /// Sets the queue's own delay, from the end of one request to the start of the next, in place
    /// of the configured one. `None` removes it. It survives a restart.
    fn set_delay(&self, queue: &str, delay: Option<Duration>) -> impl Future<Output = Result<(), Error>> + Send;

    /// What is remembered of a queue's section as a trap. A section is a pattern of URLs, as
    /// [`pattern`](tsrec_core::pairing::pattern::pattern) gives it.
    fn trap(&self, queue: &str, section: &str) -> impl Future<Output = Result<Option<Trap>, Error>> + Send;

    /// Remembers that a queue's section is a trap, or forgets it. This survives a restart, and ends
    /// with the section's last URL.
    fn set_trap(
        &self,
        queue: &str,
        section: &str,
        trap: Option<Trap>,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Forgets URLs that were given up or skipped longer ago than [`Config::forget_after`]. Looks
    /// at this many URLs, from where the last call ended, and returns how many it forgot. A link
    /// brings one back as new.
    fn forget_dead(&self, look_at: usize) -> impl Future<Output = Result<u64, Error>> + Send;

    /// Counts for metrics.
    fn stats(&self) -> impl Future<Output = Result<FrontierStats, Error>> + Send;
}
