//! A thousand simulated months of the frontier and the outcome table, seeded, in seconds. Hosts go
//! down for minutes or weeks, answer 429, or break pages or a section. Our own network fails, and
//! the daemon restarts. The crawl loses no URL, asks no host faster than allowed, and survives
//! every outage.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use tsrec_crawl::frontier::{Config, Discovered, Embedded, Filter, Frontier, Heard, Lease, UrlState};
use tsrec_crawl::pipeline::outcome;
use tsrec_crawl::pipeline::outcome::{AnswerKind, KnownUrl, NextFetch, NoPage};
use tsrec_store::Database;

const MONTHS: u64 = 1_000;
const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const DAY: u64 = 24 * 60 * MINUTE;
const MONTH: u64 = 30 * DAY;
const START: u64 = 1_000_000_000_000;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % most
    }
}

/// A host and its outage: start, end, the affected path (all if `None`), and the kind.
struct Host {
    outages: Vec<(u64, u64, Option<&'static str>, NoPage)>,
}

/// The pages of a host, each in its own section.
const PATHS: [&str; 3] = ["/about", "/day/1", "/list?of=ferries"];

impl Host {
    fn new(dice: &mut Dice) -> Host {
        // If a section fails for a week while its host answers for others, the frontier gives it
        // up. So a section breaks once, for less than a week.
        let section = (dice.below(3) == 0).then(|| PATHS[dice.below(3) as usize]);
        let outages = if section.is_some() { 1 } else { dice.below(4) };
        let outages = (0..outages).map(|_| {
            let from = START + dice.below(MONTH - 5 * DAY);
            let length = [5 * MINUTE, 60 * MINUTE, DAY, 20 * DAY][dice.below(4) as usize];
            let retry_after = (dice.below(2) == 0).then(|| Duration::from_millis(dice.below(2 * DAY)));
            let length = if section.is_some() { length.min(5 * DAY) } else { length };
            let what = match dice.below(4) {
                0 => NoPage::Unreachable { retry_after: None },
                1 => NoPage::TimedOut,
                2 => NoPage::Strained { retry_after },
                _ => NoPage::Erring,
            };
            // All outages end three days before the month does.
            (from, (from + 1 + dice.below(length)).min(START + MONTH - 3 * DAY), section, what)
        });
        Host { outages: outages.collect() }
    }

    fn says(&self, url: &url::Url, now: u64) -> AnswerKind {
        let outage = self.outages.iter().find(|(from, until, section, _)| {
            (*from..*until).contains(&now) && section.is_none_or(|section| url.as_str().ends_with(section))
        });
        outage.map_or(AnswerKind::Page, |(.., why)| AnswerKind::NoPage(*why))
    }
}

/// A month of a few hosts.
struct Month {
    dice: Dice,
    hosts: BTreeMap<String, Host>,
    /// The time when our own network is down.
    own: (u64, u64),
    now: Arc<AtomicU64>,
    /// For each host: when the last request ended, and until when it asked us to wait.
    ended: BTreeMap<String, (u64, u64)>,
    requests: u64,
}

impl Month {
    fn new(seed: u64) -> Month {
        let mut dice = Dice(seed);
        let hosts = (0..1 + dice.below(3)).map(|n| (format!("h{n}.example"), Host::new(&mut dice))).collect();
        let own = START + dice.below(MONTH - 5 * DAY);
        let own = (own, own + dice.below(6 * 60 * MINUTE));
        let now = Arc::new(AtomicU64::new(START));
        Month { dice, hosts, own, now, ended: BTreeMap::new(), requests: 0 }
    }

    fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    fn open(&self, database: &Database, config: &Config) -> Embedded {
        let now = Arc::clone(&self.now);
        Embedded::open(database, config, "1", move || time(now.load(Ordering::Relaxed))).unwrap()
    }

    /// Runs the month. Returns the number of URLs.
    async fn live(&mut self, database: &Database, config: &Config) -> u64 {
        let mut frontier = self.open(database, config);
        let urls: Vec<Discovered> = self
            .hosts
            .keys()
            .flat_map(|host| PATHS.map(|path| format!("http://{host}{path}").parse().unwrap()))
            .map(|url| Discovered::page(url, 1, None))
            .collect();
        frontier.put_discovered(&urls).await.unwrap();
        let restart = START + self.dice.below(MONTH);
        let mut restarted = false;
        while self.now() < START + MONTH {
            if !restarted && self.now() >= restart {
                drop(frontier);
                frontier = self.open(database, config);
                restarted = true;
            }
            let leases = frontier.get_urls(9).await.unwrap();
            if leases.is_empty() {
                let wait = frontier.next_due().await.unwrap().map_or(DAY, |wait| wait.as_millis() as u64);
                self.now.fetch_add(wait.clamp(1, DAY), Ordering::Relaxed);
            }
            for lease in leases {
                self.visit(&frontier, lease).await;
            }
        }
        self.check(&frontier, urls.len() as u64).await;
        urls.len() as u64
    }

    async fn visit(&mut self, frontier: &Embedded, lease: Lease) {
        let (url, host) = (lease.url.as_str(), lease.url.host_str().unwrap());
        let now = self.now();
        if let Some((ended, left_alone)) = self.ended.get(host) {
            assert!(now >= ended + SECOND, "{host} is asked {} ms after its last answer", now - ended);
            assert!(now >= *left_alone, "{host} asked to be left alone for {} ms more", left_alone - now);
        }
        let is_own = (self.own.0..self.own.1).contains(&now);
        let what = if is_own { NoPage::OwnFault.into() } else { self.hosts[host].says(&lease.url, now) };
        let took =
            if what == NoPage::TimedOut.into() { lease.patience.as_millis() as u64 } else { 50 + self.dice.below(500) };
        self.now.fetch_add(took, Ordering::Relaxed);
        self.requests += u64::from(!is_own);
        let known = KnownUrl { stored: true, failures: 0, failing_for: Duration::ZERO };
        let interval = DAY * (1 + self.dice.below(9));
        let next = time(self.now() + interval);
        let outcome = outcome::outcome(what, known, NextFetch { usual: next, soonest: next });
        if let Some(health) = outcome.host {
            let heard = Heard { took: Duration::from_millis(took), health, asked: None, address: None };
            frontier.fetched(url, &heard).await.unwrap();
            let retry_after = match what {
                AnswerKind::NoPage(NoPage::Strained { retry_after }) => {
                    retry_after.unwrap_or_default().as_millis() as u64
                }
                _ => 0,
            };
            self.ended.insert(host.to_owned(), (self.now(), self.now() + retry_after.min(DAY)));
        }
        frontier.ack(url, outcome.ack, what.as_str()).await.unwrap();
        if is_own {
            self.now.fetch_add(5 * MINUTE, Ordering::Relaxed); // the crawl rests; five seconds would only take longer here
        }
    }

    /// Every URL is still known and was fetched since the last outage.
    async fn check(&self, frontier: &Embedded, urls: u64) {
        let stats = frontier.stats().await.unwrap();
        assert_eq!((stats.known, stats.leased), (urls, 0), "{stats:?}");
        for listed in frontier.list(Filter::All, None, None, 1_000).unwrap().0 {
            assert!(matches!(listed.status.state, UrlState::Known { .. }), "{listed:?}");
            assert_eq!(listed.status.failing_since, None, "{listed:?}");
        }
        // An outage of weeks costs one or two requests a day per host, for any number of URLs.
        assert!(self.requests < 200 * self.hosts.len() as u64, "{} requests", self.requests);
    }
}

fn time(millis: u64) -> Timestamp {
    Timestamp::from_millisecond(millis as i64).unwrap()
}

#[test]
fn a_thousand_months_lose_no_url_and_hurry_no_host() {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= MONTHS {
                        return;
                    }
                    let dir = tempfile::tempdir().unwrap();
                    let database = Database::open(dir.path(), &tsrec_store::Config::default()).unwrap();
                    runtime.block_on(Month::new(seed).live(&database, &Config::default()));
                }
            });
        }
    });
}
