//! Detects failures of our own. If hosts that answered before fail one after the other, and none
//! answers, our own network or our name server is down. Then no host is at fault. Pure.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// Different hosts, each of which answered before, that must fail in a row. Judgement: sites that
/// fail together (one data centre) are rarely so many of those asked in a row.
const HOSTS: usize = 5;

/// How long nothing is leased after a failure of our own, at first and at most. It doubles each
/// time, until a host answers. Judgement: files are closed and networks come back within seconds.
/// If it takes longer, haste does not help, and the hosts may be gone after all.
const REST: Duration = Duration::from_secs(5);
const LONGEST_REST: Duration = Duration::from_secs(5 * 60);

/// After this long without any answer, a crawl that should end does not wait any more. Judgement: a
/// person may be watching it.
const HOPELESS: Duration = Duration::from_secs(15 * 60);

/// The hosts that failed since a host last answered, and the failures judged our own.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    failed: HashSet<String>,
    /// When the first of these failures was, until when nothing is leased after the last, and how
    /// long that rest is.
    own: Option<(Instant, Instant, Duration)>,
}

impl Trouble {
    /// A host answered.
    pub(super) fn answered(&mut self) {
        *self = Trouble::default();
    }

    /// How long to lease nothing, after a failure of our own now.
    pub(super) fn rest(&mut self, now: Instant) -> Duration {
        let (first, rest) = match self.own {
            // One of several that were under way.
            Some((_, until, _)) if now < until => return until - now,
            Some((first, _, rest)) => (first, LONGEST_REST.min(2 * rest)),
            None => (now, REST),
        };
        self.own = Some((first, now + rest, rest));
        rest
    }

    /// Whether there was no answer for so long that waiting is useless.
    pub(super) fn is_hopeless(&self, now: Instant) -> bool {
        self.own.is_some_and(|(first, ..)| now.duration_since(first) >= HOPELESS)
    }

    /// A host could not be reached. Tells whether the failure is our own. A host that never
    /// answered says nothing about us.
    pub(super) fn failed(&mut self, host: &str, answered_before: bool) -> bool {
        if answered_before && self.failed.len() < HOSTS {
            self.failed.insert(host.to_owned());
        }
        self.failed.len() >= HOSTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_good_hosts_in_a_row_are_our_own_fault() {
        let mut trouble = Trouble::default();
        assert!((0..100).all(|n| !trouble.failed(&format!("dead{n}"), false)));
        assert!((0..100).all(|_| !trouble.failed("one", true)));
        assert!((0..3).all(|n| !trouble.failed(&format!("good{n}"), true)));
        assert!(trouble.failed("good3", true) && trouble.failed("dead", false));
        trouble.answered();
        assert!(!trouble.failed("good0", true));
    }

    #[test]
    fn rests_grow_until_somebody_answers() {
        let (mut trouble, start) = (Trouble::default(), Instant::now());
        let mut now = start;
        let mut rests = Vec::new();
        while rests.len() < 9 {
            let rest = trouble.rest(now);
            assert_eq!(trouble.rest(now + rest / 2), rest - rest / 2, "another of the same moment");
            rests.push(rest.as_secs());
            now += rest;
        }
        assert_eq!(rests, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
        assert!(!trouble.is_hopeless(start + HOPELESS / 2) && trouble.is_hopeless(now));
        trouble.answered();
        assert!(!trouble.is_hopeless(now) && trouble.rest(now) == REST);
    }
}
