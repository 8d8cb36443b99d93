//! What is learned of a host, and how that changes its requests.
//!
//! Pure: no clock, no storage. Times are milliseconds since 1970.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Config;

/// What a request shows of its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The time to its last byte or to its failure.
    pub took: Duration,
    /// Whether the host is well.
    pub health: Health,
    /// The delay that its robots.txt asks for.
    pub asked: Option<Duration>,
    /// The address that answered.
    pub address: Option<IpAddr>,
}

/// The health of a host, by one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// It answered.
    Fine,
    /// It answered with an error of its own (5xx). One page may be broken; five in a row are the
    /// host's fault.
    Erring,
    /// It did not answer, or said that it cannot.
    Failing {
        /// Its `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// It did not answer in time.
    TimedOut,
    /// It asked to be left alone for a while (429, 503). Requests to it become less frequent.
    Strained {
        /// Its `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// Nothing was learned: the failure was our own.
    Unknown,
}

impl Health {
    /// What the server asked for, if the request failed on the way to an answer.
    pub(super) fn failure(self) -> Option<Option<Duration>> {
        match self {
            Health::Failing { retry_after } => Some(retry_after),
            Health::TimedOut => Some(None),
            Health::Fine | Health::Erring | Health::Strained { .. } | Health::Unknown => None,
        }
    }
}

/// Errors in a row, of any URLs, after which a host counts as failing. Judgement: a site has some
/// broken pages, but rarely so many one after the other.
const ERRORS_THAT_FAIL: u32 = 5;

/// A host that usually takes this long is slow, in milliseconds. Judgement: pages take 0.1 to 2 s.
const SLOW_MS: u64 = 5_000;

/// A host that takes this long counts with those that never answered, in milliseconds. Otherwise a
/// hundred hosts that answer just in time could take all requests. Judgement.
const SLUGGISH_MS: u64 = 2_000;

/// How long to wait for an unknown host, and for any host at least, in milliseconds. Doubled after
/// each time-out of the host or failure of the URL. Judgement: enough for robots.txt and a page
/// from nearly all hosts. The few others are tried again with more patience.
const PATIENCE_MS: u64 = 5_000;

/// A host gets this many times its usual time. Judgement.
const PATIENCE_FACTOR: u64 = 8;

/// The longest wait for any host, in milliseconds. Judgement; the client's own limit is usually
/// shorter.
const MAX_PATIENCE_MS: u64 = 120_000;

/// The longest delay that a host's behaviour can cause, in milliseconds. Judgement: longer ones are
/// for an operator to set.
const MAX_LEARNED_DELAY_MS: u64 = 60_000;

/// How often a delay is doubled at most. Judgement: a second becomes a minute.
const MAX_STRAIN: u32 = 6;

/// Answers in a row that halve a doubled delay. Judgement: a host that said 429 must not be brought
/// there again each minute.
const ANSWERS_THAT_CALM: u32 = 50;

/// What is known of a host, stored in its queue's record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Host {
    /// Requests in a row that failed.
    failures: u32,
    failing_since: u64,
    /// No request before this time: the back-off.
    pub(super) retry_from: u64,
    /// When it last answered with anything but an error of its own; 0: never.
    pub(super) last_ok: u64,
    /// Errors in a row.
    errors: u32,
    /// The usual time of a request.
    typical: u64,
    /// Time-outs in a row.
    timeouts: u32,
    /// How often the delay is doubled.
    strain: u32,
    /// Answers in a row since the last strain.
    calm: u32,
    /// The last delay that robots.txt asked for.
    asked: u64,
    pub(super) address: Option<IpAddr>,
}

/// How a host's requests count among those under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostPace {
    /// It answers in time.
    Proven,
    /// It has never answered, or is sluggish.
    Unproven,
    /// It is slow.
    Slow,
}

impl Host {
    /// Learns from a request that ended now. `name` decides the jitter.
    pub(super) fn learn(&mut self, name: &str, heard: &Heard, now: u64, config: &Config) {
        self.asked = heard.asked.map_or(0, millis);
        self.address = heard.address.or(self.address);
        match heard.health {
            Health::Unknown => {}
            Health::Fine => self.answered(heard.took, now),
            Health::Erring if self.errors + 1 < ERRORS_THAT_FAIL => {
                let (errors, last_ok) = (self.errors + 1, self.last_ok);
                self.answered(heard.took, now);
                (self.errors, self.last_ok) = (errors, last_ok);
            }
            Health::Erring => {
                self.errors = ERRORS_THAT_FAIL;
                self.fail(name, None, now, config);
            }
            Health::Failing { retry_after } => self.fail(name, retry_after, now, config),
            Health::TimedOut => {
                self.timeouts = self.timeouts.saturating_add(1);
                self.fail(name, None, now, config);
            }
            Health::Strained { retry_after } => {
                (self.strain, self.calm) = ((self.strain + 1).min(MAX_STRAIN), 0);
                self.fail(name, retry_after, now, config);
            }
        }
    }

    fn answered(&mut self, took: Duration, now: u64) {
        let took = millis(took).max(1);
        self.typical = if self.typical == 0 { took } else { (7 * self.typical + took).div_ceil(8) };
        (self.failures, self.failing_since, self.retry_from) = (0, 0, 0);
        (self.errors, self.timeouts, self.last_ok) = (0, 0, now);
        self.calm += 1;
        if self.calm >= ANSWERS_THAT_CALM {
            (self.calm, self.strain) = (0, self.strain.saturating_sub(1));
        }
    }

    fn fail(&mut self, name: &str, retry_after: Option<Duration>, now: u64, config: &Config) {
        if self.failures == 0 {
            self.failing_since = now;
        }
        self.failures = self.failures.saturating_add(1);
        self.retry_from = back_off(name, self.failures, retry_after, now, config);
    }

    pub(super) fn pace(&self) -> HostPace {
        match self {
            Host { timeouts: 1.., .. } => HostPace::Slow,
            Host { typical: SLOW_MS.., .. } => HostPace::Slow,
            Host { last_ok: 0, .. } | Host { typical: SLUGGISH_MS.., .. } => HostPace::Unproven,
            _ => HostPace::Proven,
        }
    }

    /// The delay after a request. `own` is the configured one or the operator's.
    pub(super) fn delay(&self, own: u64) -> u64 {
        let learned = own.max(self.typical.min(MAX_LEARNED_DELAY_MS));
        let strained = (learned.max(u64::from(self.strain > 0)) << self.strain).min(MAX_LEARNED_DELAY_MS.max(learned));
        strained.max(self.asked)
    }

    /// How long to wait for a page of the host that has failed this often. Quick pages between the
    /// attempts say nothing of a slow one.
    pub(super) fn patience(&self, attempts: u32) -> Duration {
        let usual = self.typical.saturating_mul(PATIENCE_FACTOR).max(PATIENCE_MS);
        let doubled = self.timeouts.max(attempts).min(16);
        Duration::from_millis(usual.saturating_mul(1 << doubled).min(MAX_PATIENCE_MS))
    }

    /// The clock was set. A time further ahead than any back-off was written in the future.
    pub(super) fn turn_back(&mut self, now: u64, config: &Config) {
        self.retry_from = self.retry_from.min(now.saturating_add(millis(config.retry_cap)));
        self.last_ok = self.last_ok.min(now);
    }

    pub(super) fn status(&self, own_delay: u64) -> HostStatus {
        let time = |at: u64| (at > 0).then(|| from_millis(at));
        HostStatus {
            failures: self.failures,
            failing_since: time(self.failing_since),
            retry_from: time(self.retry_from),
            last_answer: time(self.last_ok),
            usual: Duration::from_millis(self.typical),
            delay: Duration::from_millis(self.delay(own_delay)),
            patience: self.patience(0),
            address: self.address,
        }
    }
}

/// When the next request to a host may start, after this many failures in a row.
pub(super) fn back_off(name: &str, failures: u32, asked: Option<Duration>, now: u64, config: &Config) -> u64 {
    let wait = millis(config.back_off(failures, None));
    // Jitter of up to a quarter less. Hosts that failed together, as when our own network was down,
    // must not come back together.
    let wait = wait - (wait / 4).saturating_mul(jitter(name, failures)) / JITTER_STEPS;
    let asked = millis(asked.unwrap_or_default().min(config.retry_cap));
    now.saturating_add(wait.max(asked))
}

/// The health of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HostStatus {
    /// Requests in a row that failed.
    pub failures: u32,
    /// Since when requests have failed, if any did.
    pub failing_since: Option<Timestamp>,
    /// The crawl sends no request before this time after a failure.
    pub retry_from: Option<Timestamp>,
    /// When the host last answered.
    pub last_answer: Option<Timestamp>,
    /// The usual time of a request.
    #[serde(with = "humantime_serde")]
    #[schemars(with = "String")]
    pub usual: Duration,
    /// The delay between two requests, with all reasons taken into account.
    #[serde(with = "humantime_serde")]
    #[schemars(with = "String")]
    pub delay: Duration,
    /// How long a request may take: five seconds, or eight times the usual time if that is longer.
    /// After a time-out, twice that.
    #[serde(with = "humantime_serde")]
    #[schemars(with = "String")]
    pub patience: Duration,
    /// The host's IP address.
    pub address: Option<IpAddr>,
}

const JITTER_STEPS: u64 = 1_000;

/// A number below [`JITTER_STEPS`], the same for the same host and failure.
fn jitter(name: &str, failures: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    (name, failures).hash(&mut hasher);
    hasher.finish() % JITTER_STEPS
}

/// Milliseconds since 1970; times before are 1970.
pub(super) fn to_millis(time: Timestamp) -> u64 {
    u64::try_from(time.as_millisecond()).unwrap_or(0)
}

/// Times past the calendar's end are its end.
pub(super) fn from_millis(millis: u64) -> Timestamp {
    i64::try_from(millis).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok()).unwrap_or(Timestamp::MAX)
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_000_000_000;
    const MINUTE: u64 = 60_000;

    fn heard(health: Health, took_ms: u64) -> Heard {
        Heard { took: Duration::from_millis(took_ms), health, asked: None, address: None }
    }

    fn after(requests: &[(Health, u64)]) -> Host {
        let mut host = Host::default();
        for &(health, took) in requests {
            host.learn("h", &heard(health, took), NOW, &Config::default());
        }
        host
    }

    const FAILING: (Health, u64) = (Health::Failing { retry_after: None }, 10);

    #[test]
    fn the_back_off_of_a_host_goes_from_a_minute_to_a_day_and_an_answer_ends_it() {
        let config = Config::default();
        let mut host = Host::default();
        for (failures, most) in [(1, MINUTE), (2, 2 * MINUTE), (3, 4 * MINUTE)] {
            host.learn("h", &heard(FAILING.0, 10), NOW, &config);
            let wait = host.retry_from - NOW;
            assert!((most * 3 / 4..=most).contains(&wait), "{failures}: {wait}");
        }
        for _ in 0..100 {
            host.learn("h", &heard(FAILING.0, 10), NOW, &config);
        }
        let day = 24 * 60 * MINUTE;
        assert!((day * 3 / 4..=day).contains(&(host.retry_from - NOW)));
        host.learn("h", &heard(Health::Fine, 10), NOW, &config);
        assert_eq!((host.retry_from, host.failures), (0, 0));
    }

    #[test]
    fn hosts_that_fail_together_come_back_apart() {
        let waits: std::collections::BTreeSet<u64> = (0..50)
            .map(|n| {
                let mut host = Host::default();
                host.learn(&format!("h{n}"), &heard(FAILING.0, 10), NOW, &Config::default());
                host.retry_from
            })
            .collect();
        assert!(waits.len() > 40, "{}", waits.len());
    }

    #[test]
    fn what_the_server_asks_for_is_kept_up_to_a_day() {
        for (asked, least, most) in [(3_600, 3_600, 3_600), (10, 45, 60), (10_000_000, 86_400, 86_400)] {
            let retry_after = Some(Duration::from_secs(asked));
            let wait = after(&[(Health::Failing { retry_after }, 1)]).retry_from - NOW;
            assert!((least * 1_000..=most * 1_000).contains(&wait), "{asked}: {wait}");
        }
    }

    #[test]
    fn one_error_is_a_pages_and_five_in_a_row_are_the_hosts() {
        let errors = |n: usize| after(&vec![(Health::Erring, 10); n]).retry_from > 0;
        assert!(!errors(1) && !errors(4) && errors(5));
        let mixed = [(Health::Erring, 10); 4].into_iter().chain([(Health::Fine, 10)]);
        assert_eq!(after(&mixed.clone().chain(mixed).collect::<Vec<_>>()).retry_from, 0);
    }

    #[test]
    fn a_host_is_proven_by_its_answers_and_slow_by_its_time() {
        for (requests, expect) in [
            (&[][..], HostPace::Unproven),
            (&[FAILING], HostPace::Unproven),
            (&[(Health::Fine, 100)], HostPace::Proven),
            (&[(Health::Fine, 1_900)], HostPace::Proven),
            (&[(Health::Fine, 4_900)], HostPace::Unproven),
            (&[(Health::Fine, 6_000)], HostPace::Slow),
            (&[(Health::TimedOut, 5_000)], HostPace::Slow),
            (&[(Health::TimedOut, 5_000), (Health::Fine, 100)], HostPace::Proven),
            (&[(Health::Fine, 100), (Health::Erring, 100)], HostPace::Proven),
            (&[(Health::Unknown, 30_000)], HostPace::Unproven),
        ] {
            assert_eq!(after(requests).pace(), expect, "{requests:?}");
        }
    }

    #[test]
    fn patience_follows_the_usual_time_and_grows_with_each_time_out() {
        for (requests, expect) in [
            (&[][..], 5_000),
            (&[(Health::Fine, 100)], 5_000),
            (&[(Health::Fine, 2_000)], 16_000),
            (&[(Health::TimedOut, 5_000)], 10_000),
            (&[(Health::TimedOut, 5_000), (Health::TimedOut, 10_000)], 20_000),
        ] {
            assert_eq!(after(requests).patience(0).as_millis(), expect, "{requests:?}");
        }
    }

    #[test]
    fn the_delay_follows_the_answer_time_robots_txt_and_strain() {
        let strained = (Health::Strained { retry_after: None }, 10);
        let calm = [(Health::Fine, 10); ANSWERS_THAT_CALM as usize];
        for (requests, expect) in [
            (vec![], 1_000),
            (vec![(Health::Fine, 100)], 1_000),
            (vec![(Health::Fine, 3_000)], 3_000),
            (vec![(Health::Fine, 500_000)], 60_000),
            (vec![strained], 2_000),
            (vec![strained, strained], 4_000),
            (vec![strained; 32], 60_000),
            ([vec![strained, strained], calm.to_vec()].concat(), 2_000),
        ] {
            assert_eq!(after(&requests).delay(1_000), expect, "{requests:?}");
        }
        let mut host = Host::default();
        let asked = Heard { asked: Some(Duration::from_secs(10)), ..heard(Health::Fine, 10) };
        host.learn("h", &asked, NOW, &Config::default());
        assert_eq!(host.delay(1_000), 10_000);
        host.learn("h", &heard(Health::Fine, 10), NOW, &Config::default());
        assert_eq!(host.delay(1_000), 1_000, "robots.txt asks for nothing any more");
        assert_eq!(after(&[strained]).delay(0), 2);
    }
}
