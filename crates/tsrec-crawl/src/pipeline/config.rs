//! The crawl's settings, their defaults and ranges.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

use super::outcome;
use crate::frontier::Leads;

/// The crawl's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Pages in flight at the same time, over all hosts; at least 1.
    pub concurrency: usize,
    /// Memory for all pages in flight, in bytes: half for bodies on their way, each counted at its
    /// largest until it is there, half for pages that are parsed and compared. At least 64 MiB.
    pub memory: usize,
    /// Pages that may wait at the same time for a sibling, or for their template to be known,
    /// stored meanwhile; each keeps its body on disk. 0: none waits.
    pub max_waiting: usize,
    /// How long a page waits at most.
    #[serde(with = "humantime_serde")]
    pub sibling_wait: Duration,
    /// Siblings that a page is compared with, one after the other, until one passes the gates; at
    /// least 1.
    pub siblings_tried: usize,
    /// Links are followed where one of these patterns matches the whole URL, `*` standing for any
    /// letters; everywhere, if there is none.
    pub include: Vec<String>,
    /// Links are not followed, and URLs not fetched, where one of these patterns matches.
    pub exclude: Vec<String>,
    /// Pages are no traps, however alike they are, where one of these patterns matches.
    pub no_traps: Vec<String>,
    /// Links and redirects from a seed after which links are no longer followed.
    pub max_depth: u32,
    /// Links of one page that are followed.
    pub max_links: usize,
    /// After how long a page is fetched again for the first time. From then on the interval is
    /// halved each time that its content has changed, and grows by half each time that it has not.
    #[serde(with = "humantime_serde")]
    pub refetch_after: Duration,
    /// The shortest interval between two fetches of a page.
    #[serde(with = "humantime_serde")]
    pub refetch_least: Duration,
    /// The longest interval between two fetches of a page.
    #[serde(with = "humantime_serde")]
    pub refetch_most: Duration,
    /// Whether the sitemaps that robots.txt names are read, and the feeds that front pages name.
    pub listings: bool,
    /// Sitemaps, feeds, and lists of URLs that are read besides; links are followed within their
    /// hosts.
    pub sitemaps: Vec<Url>,
    /// After how long a sitemap or a feed is read again for the first time; from then on the
    /// interval follows its news, from an eighth of this to eight times this.
    #[serde(with = "humantime_serde")]
    pub listings_after: Duration,
    /// Bytes that are to stay free on the disk of the data directory: with fewer nothing is
    /// fetched. 0 sets no bound.
    pub least_free: u64,
    /// How long tombstones stay in the change feed. An indexer that comes by less often has to
    /// start over.
    #[serde(with = "humantime_serde")]
    pub keep_tombstones: Duration,
    /// How long they wait at most for consumers that have not acknowledged them. A consumer that
    /// acknowledges nothing for so long is not waited for.
    #[serde(with = "humantime_serde")]
    pub keep_tombstones_longest: Duration,
    /// How long pages in flight may take to finish when the crawl is told to stop.
    #[serde(with = "humantime_serde")]
    pub grace: Duration,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// See [`Config::memory`]. Judgement: the largest page of the default limits needs a quarter of a
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
            max_depth: 20,
            max_links: 1_000,
            refetch_after: 7 * DAY,
            refetch_least: DAY,
            refetch_most: 60 * DAY,
            listings: true,
            sitemaps: Vec::new(),
            listings_after: DAY / 2,
            least_free: 1 << 30,
            keep_tombstones: 30 * DAY,
            keep_tombstones_longest: 90 * DAY,
            grace: Duration::from_secs(20),
        }
    }
}

impl Config {
    /// Checks the ranges that the fields name.
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
