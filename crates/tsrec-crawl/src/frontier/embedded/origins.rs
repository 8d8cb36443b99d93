//! The origins of a host: its schemes and ports, each with a back-off of its own.
//!
//! Anybody may link to a port where nobody listens, or to `https` on a host that has none. Such a
//! link fails, and only its own origin is to blame. So an origin that has not answered, on a host
//! of which another one does, is a *stranger*: its URLs wait behind the others
//! ([`DueClass::Late`](super::layout::DueClass)), and take a small share of the host's time. In
//! memory only: after a restart, the first answers tell strangers again. Pure.

use std::collections::HashMap;

/// Origins remembered of a host. Judgement: as many as a page of links to closed ports. When they
/// are more, those that failed are forgotten, and fail again.
const MOST_ORIGINS: usize = 1_024;

/// Failures in a row after which an origin that has answered before is a stranger again. Judgement:
/// fewer may be those of one broken section.
const FAILURES_OF_STRANGERS: u32 = 3;

/// Failures in a row after which the other URLs of an origin count as failed. Judgement: the first
/// may be a hiccup.
const FAILURES_OF_DEAD: u32 = 2;

/// How much longer the others of a host have it than its strangers, after each request to one.
/// Judgement: strangers get a sixteenth of the time.
const SHARE_OF_OTHERS: u64 = 15;

/// A scheme (whether it is https) and a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    is_https: bool,
    port: u16,
}

impl Origin {
    /// The origin of a URL as the URL standard writes it.
    pub(super) fn of_url(url: &str) -> Origin {
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let is_https = scheme == "https";
        let port = authority.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        Origin { is_https, port: port.unwrap_or(if is_https { 443 } else { 80 }) }
    }
}

/// What is known of the origins of a host.
#[derive(Debug, Default)]
pub(super) struct Origins {
    known: HashMap<Origin, OriginHealth>,
    /// No request goes to a stranger before this time, unless no other URL is due.
    late_from: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct OriginHealth {
    has_answered: bool,
    /// Requests in a row that failed.
    failures: u32,
    /// No request before this time.
    retry_from: u64,
}

impl OriginHealth {
    fn is_well(self) -> bool {
        self.has_answered && self.failures == 0
    }
}

impl Origins {
    /// An origin answered.
    pub(super) fn answered(&mut self, origin: Origin) {
        self.known.insert(origin, OriginHealth { has_answered: true, ..OriginHealth::default() });
    }

    /// An origin failed. `retry_from` gives the time of the next request after this many failures.
    pub(super) fn failed(&mut self, origin: Origin, retry_from: impl FnOnce(u32) -> u64) {
        if self.known.len() >= MOST_ORIGINS && !self.known.contains_key(&origin) {
            self.known.retain(|_, health| health.is_well());
        }
        let health = self.known.entry(origin).or_default();
        health.failures = health.failures.saturating_add(1);
        health.retry_from = retry_from(health.failures);
    }

    /// Whether an origin has not answered, or not any more, while another one of the host does.
    pub(super) fn is_stranger(&self, origin: Origin) -> bool {
        let health = self.known.get(&origin).copied().unwrap_or_default();
        let is_odd = !health.has_answered || health.failures >= FAILURES_OF_STRANGERS;
        is_odd && self.known.iter().any(|(&other, health)| other != origin && health.is_well())
    }

    /// Whether an origin failed again after its first back-off, so that nobody need wait for it.
    pub(super) fn is_dead(&self, origin: Origin) -> bool {
        self.known.get(&origin).is_some_and(|health| health.failures >= FAILURES_OF_DEAD)
    }

    /// No request to an origin starts before this time. `None` if nothing is known of the host.
    pub(super) fn retry_from(&self, origin: Origin) -> Option<u64> {
        let health = self.known.get(&origin).copied().unwrap_or_default();
        (!self.known.is_empty()).then_some(health.retry_from)
    }

    /// A request to a stranger ended, which took the host this long with its delay.
    pub(super) fn note_late(&mut self, now: u64, took: u64) {
        self.late_from = now.saturating_add(took.saturating_mul(SHARE_OF_OTHERS));
    }

    /// When strangers may have their next request though others are due.
    pub(super) fn late_from(&self) -> u64 {
        self.late_from
    }

    /// The clock was set back.
    pub(super) fn turn_back(&mut self, now: u64, longest: u64) {
        let latest = now.saturating_add(longest);
        self.late_from = self.late_from.min(latest);
        self.known.values_mut().for_each(|health| health.retry_from = health.retry_from.min(latest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HTTP: &str = "http://a.example/";

    #[test]
    fn an_origin_is_scheme_and_port() {
        for (url, is_https, port) in [
            (HTTP, false, 80),
            ("https://a.example/x:9", true, 443),
            ("http://a.example:81/", false, 81),
            ("https://[2001:db8::1]:8443/?u=http://b:5/", true, 8443),
            ("http://[2001:db8::1]/", false, 80),
            ("no url", false, 80),
        ] {
            assert_eq!(Origin::of_url(url), Origin { is_https, port }, "{url}");
        }
    }

    #[test]
    fn strangers_are_those_that_do_not_answer_where_others_do() {
        for (requests, url, expect) in [
            (&[][..], HTTP, false),
            (&[(HTTP, true)], HTTP, false),
            (&[(HTTP, true)], "http://a.example:81/", true),
            (&[(HTTP, true)], "https://a.example/", true),
            (&[(HTTP, false)], "http://a.example:81/", false),
            (&[(HTTP, true), ("https://a.example/", true)], "https://a.example/", false),
            (&[(HTTP, true), ("https://a.example/", true), (HTTP, false)], HTTP, false),
            (&[(HTTP, true), ("https://a.example/", true), (HTTP, false), (HTTP, false), (HTTP, false)], HTTP, true),
            (&[(HTTP, true), (HTTP, false), (HTTP, false), (HTTP, false)], HTTP, false),
            // Nothing is well: nobody is the stranger.
            (&[(HTTP, true), (HTTP, false)], "http://a.example:81/", false),
        ] {
            let mut origins = Origins::default();
            for &(url, is_fine) in requests {
                match is_fine {
                    true => origins.answered(Origin::of_url(url)),
                    false => origins.failed(Origin::of_url(url), |_| 0),
                }
            }
            assert_eq!(origins.is_stranger(Origin::of_url(url)), expect, "{requests:?} {url}");
        }
    }

    #[test]
    fn only_so_many_are_remembered_and_those_that_answer_stay() {
        let mut origins = Origins::default();
        origins.answered(Origin::of_url(HTTP));
        for port in 1_000..60_000 {
            origins.failed(Origin { is_https: false, port }, u64::from);
        }
        assert!(origins.known.len() <= MOST_ORIGINS, "{}", origins.known.len());
        assert!(origins.is_stranger(Origin { is_https: false, port: 5 }));
        assert_eq!(origins.retry_from(Origin::of_url(HTTP)), Some(0));
    }
}
