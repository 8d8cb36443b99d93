//! The frontier's settings.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::{Error, Kind};

/// The longest time that a setting or an operator may set. Judgement: nothing in a crawl takes that
/// long, and a date a few such times ahead can still be written.
pub const LONGEST_TIME: Duration = Duration::from_secs(100 * 31_557_600);

/// The frontier's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// From the end of one request to a host to the start of the next, unless another delay is set
    /// or asked for. Counted in whole milliseconds.
    #[serde(with = "humantime_serde")]
    pub delay: Duration,
    /// From the start of one request to an address to the start of the next, for hosts that share
    /// the address. A host with a shorter delay of its own uses that.
    #[serde(with = "humantime_serde")]
    pub address_delay: Duration,
    /// Requests under way to one address at the same time; at least 1.
    pub requests_per_address: u32,
    /// Requests under way at the same time to hosts that have never answered, or usually take two
    /// seconds; at least 1.
    pub unproven_requests: u32,
    /// Requests under way at the same time to slow hosts: the last request timed out, or they
    /// usually take five seconds. At least 1.
    pub slow_requests: u32,
    /// A URL is given up after this many failures in a row that are not its host's fault, if they
    /// went on for `give_up_after`; at least 1.
    pub max_attempts: u32,
    /// How long a URL must have failed before it is given up.
    #[serde(with = "humantime_serde")]
    pub give_up_after: Duration,
    /// The frontier forgets a given-up or skipped URL this long after its last visit; 0 for never.
    /// A link brings it back as new.
    #[serde(with = "humantime_serde")]
    pub forget_after: Duration,
    /// The wait after the first failure of a URL or a host. It doubles with each further failure.
    /// At least a millisecond.
    #[serde(with = "humantime_serde")]
    pub retry_base: Duration,
    /// The longest wait after a failure, even if the server asks for a longer one. At least
    /// `retry_base`.
    #[serde(with = "humantime_serde")]
    pub retry_cap: Duration,
    /// Most URLs kept of all hosts; further ones are refused, whatever their host. Each takes some
    /// 43 bytes of memory. When its page is stored, it takes two more entries of the database and
    /// up to 100 bytes (`PERFORMANCE.md`). At least 1.
    pub max_urls: u64,
    /// Most URLs kept of one host; further ones are refused. This guards against calendars and
    /// other spider traps. Links on other hosts fill half of it at most. At least 1.
    pub max_urls_per_queue: u64,
    /// Most URLs of one host with one pattern (folders, numbers as such, names of parameters), or
    /// below the same first folder; further ones are refused. At least 1.
    pub max_urls_per_section: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            delay: Duration::from_secs(1),
            address_delay: Duration::from_millis(200),
            requests_per_address: 4,
            unproven_requests: 36,
            slow_requests: 6,
            max_attempts: 5,
            give_up_after: Duration::from_secs(7 * 24 * 60 * 60),
            forget_after: Duration::from_secs(180 * 24 * 60 * 60),
            retry_base: Duration::from_secs(60),
            retry_cap: Duration::from_secs(24 * 60 * 60),
            max_urls: 10_000_000,
            max_urls_per_queue: 100_000,
            max_urls_per_section: 50_000,
        }
    }
}

impl Config {
    /// The wait after this many failures in a row: `retry_base`, doubled with each further failure,
    /// at least what the server asked for, at most `retry_cap`. A URL's wait has no jitter, since
    /// the queue's delay keeps the URLs of a host apart.
    pub(super) fn back_off(&self, attempts: u32, asked: Option<Duration>) -> Duration {
        let doubled = self.retry_base.saturating_mul(1u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX));
        doubled.max(asked.unwrap_or_default()).min(self.retry_cap)
    }

    /// Checks that the fields are in their ranges.
    ///
    /// # Errors
    ///
    /// The first field out of its range.
    pub fn check(&self) -> Result<(), Error> {
        let refuse =
            |setting, value: String, least: &str| Err(Kind::Config { setting, value, least: least.into() }.into());
        for (setting, value) in [
            ("max_attempts", u64::from(self.max_attempts)),
            ("max_urls", self.max_urls),
            ("max_urls_per_queue", self.max_urls_per_queue),
            ("max_urls_per_section", self.max_urls_per_section),
            ("requests_per_address", self.requests_per_address.into()),
            ("unproven_requests", self.unproven_requests.into()),
            ("slow_requests", self.slow_requests.into()),
        ] {
            if value == 0 {
                return refuse(setting, "0".into(), "1");
            }
        }
        if self.retry_base < Duration::from_millis(1) {
            return refuse("retry_base", format!("{:?}", self.retry_base), "1ms");
        }
        if self.retry_cap < self.retry_base {
            let least = format!("retry_base, {:?}", self.retry_base);
            return refuse("retry_cap", format!("{:?}", self.retry_cap), &least);
        }
        Ok(())
    }
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
