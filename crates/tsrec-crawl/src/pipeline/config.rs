//! The crawl's settings, their defaults and ranges.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{address, outcome};
use crate::fetch::MOST_CRAWL_DELAY;
use crate::frontier::Leads;

/// The crawl's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Pages in flight at the same time, over all hosts; at least 1.
    pub concurrency: usize,
    /// Memory for all pages in flight, in bytes. Half is for bodies on their way, each counted at
    /// its largest until it has come. Half is for pages that are parsed and compared. At least 64
    /// MiB.
    pub memory: usize,
    /// Pages that may wait at the same time for a sibling, or for their template to be known. They
    /// are stored meanwhile, and each keeps its body on disk. 0: none waits.
    pub max_waiting: usize,
    /// The longest wait of a page.
    #[serde(with = "humantime_serde")]
    pub sibling_wait: Duration,
    /// Siblings that a page is compared with, one after the other, until one passes the gates; at
    /// least 1.
    pub siblings_tried: usize,
    /// The crawl follows a link if one of these patterns matches the whole URL. `*` stands for any
    /// letters. If there is none, it follows all links.
    pub include: Vec<String>,
    /// The crawl neither follows links nor fetches URLs that one of these patterns matches.
    pub exclude: Vec<String>,
    /// URLs that one of these patterns matches are never traps, however alike their pages are.
    pub no_traps: Vec<String>,
    /// The crawl follows no links beyond this number of links from a seed. A redirect counts as a
    /// twentieth of it.
    pub max_depth: u32,
    /// Most links followed of one page to pages of its own host.
    pub max_links_within: usize,
    /// Most links followed of one page to other hosts.
    pub max_links: usize,
    /// Parameters that are no part of a page's address: those of sessions and of advertising. They
    /// are left out of each URL before it goes to the frontier. `*` at the end stands for any
    /// letters, and `=#` after a name for a value that looks like a session's: 16 letters and
    /// digits or more, some of each.
    pub drop_parameters: Vec<String>,
    /// The time until a page is fetched again for the first time. After that, the interval halves
    /// each time its content has changed, and grows by half each time it has not.
    #[serde(with = "humantime_serde")]
    pub refetch_after: Duration,
    /// The shortest interval between two fetches of a page.
    #[serde(with = "humantime_serde")]
    pub refetch_least: Duration,
    /// The longest interval between two fetches of a page.
    #[serde(with = "humantime_serde")]
    pub refetch_most: Duration,
    /// Whether to read the sitemaps that robots.txt names, and the feeds that front pages name.
    pub listings: bool,
    /// Further sitemaps, feeds, and lists of URLs to read. The crawl follows links within their
    /// hosts.
    pub sitemaps: Vec<Url>,
    /// The time until a sitemap or a feed is read again for the first time. After that, the
    /// interval follows its news, from an eighth of this to eight times this.
    #[serde(with = "humantime_serde")]
    pub listings_after: Duration,
    /// Bytes to keep free on the disk of the data directory. With fewer free, nothing is fetched.
    /// 0: no limit.
    pub least_free: u64,
    /// How long tombstones stay in the change feed. An indexer that reads it less often has to
    /// start over.
    #[serde(with = "humantime_serde")]
    pub keep_tombstones: Duration,
    /// The longest time that tombstones wait for consumers that have not acknowledged them. After
    /// this time, the crawl does not wait for a silent consumer.
    #[serde(with = "humantime_serde")]
    pub keep_tombstones_longest: Duration,
    /// The longest `Crawl-delay` that the crawl honours. It cuts longer ones to this.
    #[serde(with = "humantime_serde")]
    pub most_crawl_delay: Duration,
    /// How long pages in flight may take to finish when the crawl is told to stop.
    #[serde(with = "humantime_serde")]
    pub grace: Duration,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// See [`Config::memory`]. Judgement: the largest page of the default limits needs a quarter of one
/// half.
const LEAST_MEMORY: usize = 64 << 20;

impl Default for Config {
    fn default() -> Self {
        Config {
            concurrency: 48,
            memory: 1 << 30,
            max_waiting: 1_000,
            sibling_wait: DAY,
            siblings_tried: 3,
            include: Vec::new(),
            exclude: Vec::new(),
            no_traps: Vec::new(),
            max_depth: 1_000,
            max_links_within: 50_000,
            max_links: 1_000,
            drop_parameters: address::DROPPED.iter().map(|&name| name.to_owned()).collect(),
            refetch_after: 7 * DAY,
            refetch_least: DAY,
            refetch_most: 60 * DAY,
            listings: true,
            sitemaps: Vec::new(),
            listings_after: DAY / 2,
            least_free: 1 << 30,
            keep_tombstones: 30 * DAY,
            keep_tombstones_longest: 90 * DAY,
            most_crawl_delay: MOST_CRAWL_DELAY,
            grace: Duration::from_secs(20),
        }
    }
}

impl Config {
    /// Checks that the fields are in their ranges.
    ///
    /// # Errors
    ///
    /// The first field out of its range, with the range.
    pub fn check(&self) -> Result<(), String> {
        for (field, value, least) in [
            ("concurrency", self.concurrency, 1),
            ("memory", self.memory, LEAST_MEMORY),
            ("siblings_tried", self.siblings_tried, 1),
        ] {
            if value < least {
                return Err(format!("crawl.{field} is {value}, it must be at least {least}"));
            }
        }
        for parameter in &self.drop_parameters {
            address::check(parameter)?;
        }
        if self.refetch_most < self.refetch_least {
            return Err("crawl.refetch_most must be at least crawl.refetch_least".to_owned());
        }
        Ok(())
    }

    pub(super) fn refetch_of(&self, leads: Leads) -> outcome::Refetch {
        let first = self.listings_after;
        match leads {
            Leads::ToPage => {
                outcome::Refetch { first: self.refetch_after, least: self.refetch_least, most: self.refetch_most }
            }
            Leads::ToListing => outcome::Refetch { first, least: first / 8, most: first.saturating_mul(8) },
        }
    }
}
