//! The frontier: which URLs are known, and which is to be fetched next.
//!
//! The words are those of URLFrontier. A URL belongs to a *queue*; its key is the host. A URL is
//! *discovered* when it is put for the first time, and *known* once it was fetched, and then
//! *refetchable from* a date. [`Frontier::get_urls`] leases URLs; an [`Ack`] ends the lease and
//! says what became of it.
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
//!        ack Skipped, from any of them ------> Skipped      -- a seed --> Discovered
//!        ack Postponed, from any of them ----> Failed, until the date
//!        ack Quarantined -------------------> Quarantined   -- another version of the program --> due at once
//!        ack Returned: as it was before the lease
//! ```
//!
//! What is given up or skipped stays in the frontier for months ([`Config::forget_after`]), so that
//! the next link to it does not bring it back at once.
//!
//! # What belongs to the host
//!
//! A host that does not answer says nothing about the URL it was asked for. So the back-off after
//! such a failure is the queue's ([`Health::Failing`]): a minute, doubled up to a day, with jitter,
//! kept over restarts. A URL is given up only after [`Config::give_up_after`], and only for
//! failures since each of which its host has answered for others: no outage, however long or
//! however often it is interrupted, loses a URL.
//!
//! # Politeness
//!
//! At most one request to a queue is under way, and the next starts no sooner than the queue's
//! delay after the end of the one before: the longest of the configured or the operator's delay,
//! what robots.txt asked for, and the time that the host usually takes to answer; doubled for a
//! while with each 429 or 503. Several queues may lie on one address: see
//! [`Config::address_delay`]. [`Frontier::fetched`] ends the request, [`Frontier::ack`] the lease;
//! an ack alone means that no request was made, and costs no delay.
//!
//! # Order
//!
//! Within a queue: what was promoted first, then by the date it is due. Between queues: those with
//! a promoted URL first, then the one that has been ready longest. A queue that was served goes to
//! the back, so none starves another. Hosts that are slow, or never answered yet, share a part of
//! the requests under way ([`Config::slow_requests`], [`Config::unproven_requests`]), so that
//! tarpits stop themselves only.
//!
//! The methods are async since the next implementation will be URLFrontier over gRPC; [`Embedded`]
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
pub use embedded::{Embedded, Filter, KeptHost, ListedUrl, Section};
pub use error::Error;
pub use host::{Health, Heard, HostStatus};
pub use trap::Trap;
pub use url_state::{
    Account, Ack, Acked, Discovered, Fault, FrontierStats, LastVisit, Leads, Lease, MAX_MEMO_LEN, Modified, PutSummary,
    RefusedUrls, UrlRequest, UrlState, UrlStatus,
};

/// A frontier. See the [module](self) for the words and the rules.
///
/// A URL given as text is parsed; one that is no absolute URL with a host is simply not known.
/// Every method fails only with the storage or the service behind it.
pub trait Frontier: Send + Sync + 'static {
    /// Adds URLs that are not known yet, due at once, revives those that were given up (see the
    /// [module](self)), and makes those due that have [changed](Modified) since their last visit.
    /// One that is found by a shorter way has its depth from then on. What was taken for a page,
    /// and was not fetched as one, may turn out to be a listing.
    fn put_discovered(&self, urls: &[Discovered]) -> impl Future<Output = Result<PutSummary, Error>> + Send;

    /// Leases at most `max` URLs that are due, at most one of each queue, and only of queues that
    /// are free for a request.
    fn get_urls(&self, max: usize) -> impl Future<Output = Result<Vec<Lease>, Error>> + Send;

    /// How long until [`get_urls`](Self::get_urls) has something to give: zero if it has now.
    /// `None` if time alone brings nothing: then it is worth asking again after a put, a promotion,
    /// a `fetched` or an ack.
    fn next_due(&self) -> impl Future<Output = Result<Option<Duration>, Error>> + Send;

    /// Whether a URL is due, even if the delay of its host or its turn at an address holds it back
    /// for now. What waits for a date does not count, nor do hosts that are paused, blocked, or
    /// left alone after a failure. O(queues).
    fn owes(&self) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Where the host of a leased URL lies, before it is asked. `false` if that address is busy
    /// with other hosts: then the lease is over as with [`Ack::Returned`], and the queue has its
    /// turn when the address is free.
    fn locate(&self, url: &str, address: IpAddr) -> impl Future<Output = Result<bool, Error>> + Send;

    /// The request of a leased URL is over, and what it says of the host: the queue's delay starts,
    /// the lease goes on. `false` if none was under way for it.
    fn fetched(&self, url: &str, heard: &Heard) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Ends a lease. What the account says is kept with the URL: of its requests the last four.
    fn ack(
        &self,
        url: &str,
        outcome: Ack,
        account: impl Into<Account> + Send,
    ) -> impl Future<Output = Result<Acked, Error>> + Send;

    /// Puts a URL at the head of its queue, if it is discovered and was never tried, and is not
    /// leased; tells whether it stands there now.
    fn promote(&self, url: &str) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Makes a URL due at once that is known, whatever became of it before: it is fetched whole.
    /// `false` if it is unknown or leased.
    fn make_due(&self, url: &str) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Notes that a page waits for a sibling, and promotes that one. `false`, and nothing noted, if
    /// the sibling will not come: it is unknown, or was tried. It survives a restart;
    /// [`end_wait`](Self::end_wait) ends it.
    fn wait_for(&self, page: &str, sibling: &str) -> impl Future<Output = Result<bool, Error>> + Send;

    /// The pages that wait for a URL.
    fn waiting_for(&self, sibling: &str) -> impl Future<Output = Result<Vec<String>, Error>> + Send;

    /// The pages, each with its sibling, that wait in vain: since before this date, or for one that
    /// was tried by now.
    fn overdue_waits(&self, before: Timestamp) -> impl Future<Output = Result<Vec<(String, String)>, Error>> + Send;

    /// A page waits for a sibling no more.
    fn end_wait(&self, page: &str, sibling: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// Known URLs of its queue that are like a URL, in no order of likeness: at most `most` that
    /// begin alike on either side of it, and some that do so under the other of http and https.
    fn near(&self, url: &str, most: usize) -> impl Future<Output = Result<Vec<String>, Error>> + Send;

    /// What is known about a URL; `None` if nothing is.
    fn status(&self, url: &str) -> impl Future<Output = Result<Option<UrlStatus>, Error>> + Send;

    /// No request to the queue starts before this date; one in the past unblocks it. It replaces a
    /// date set before, and survives a restart.
    fn block_queue_until(&self, queue: &str, until: Timestamp) -> impl Future<Output = Result<(), Error>> + Send;

    /// The queue's own delay, from the end of one request to the start of the next, in place of the
    /// configured one; `None` takes it back. It survives a restart.
    fn set_delay(&self, queue: &str, delay: Option<Duration>) -> impl Future<Output = Result<(), Error>> + Send;

    /// What is remembered of a queue's section as a trap; a section is a pattern of URLs, as
    /// [`pattern`](tsrec_core::pairing::pattern::pattern) gives it.
    fn trap(&self, queue: &str, section: &str) -> impl Future<Output = Result<Option<Trap>, Error>> + Send;

    /// Remembers that a queue's section is a trap, or forgets that it was one. It survives a
    /// restart, and ends with the section's last URL.
    fn set_trap(
        &self,
        queue: &str,
        section: &str,
        trap: Option<Trap>,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Forgets URLs that were given up or skipped longer ago than [`Config::forget_after`]. Looks
    /// at so many of all, from where the last call ended; gives the number of those that it forgot.
    /// A link brings one back as new.
    fn forget_dead(&self, look_at: usize) -> impl Future<Output = Result<u64, Error>> + Send;

    /// How much there is.
    fn stats(&self) -> impl Future<Output = Result<FrontierStats, Error>> + Send;
}
