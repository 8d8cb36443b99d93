//! Is it us? When hosts that answered before fail one after the other, and nobody answers, our own
//! network is down, or our name server; then no host is to blame. Pure.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// So many different hosts, each of which answered before, must fail in a row. Judgement: sites
/// that share a fate (one data centre) are rarely so many of those asked in a row.
const HOSTS: usize = 5;

/// How long nothing is leased after a fault of our own, at first and at most: twice as long each
/// time, until anybody answers. Judgement: files are closed and networks come back within seconds;
/// where it takes longer, nobody is served by haste, and it may be hosts that are gone after all.
const REST: Duration = Duration::from_secs(5);
const LONGEST_REST: Duration = Duration::from_secs(5 * 60);

/// After so long without any answer a crawl that is to end does not wait on. Judgement: somebody
/// sits before it.
const HOPELESS: Duration = Duration::from_secs(15 * 60);

/// The hosts that failed since anybody answered, and the faults that were taken to be our own.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    failed: HashSet<String>,
    /// The first of them, and until when nothing is leased after the last, and for how long.
    own: Option<(Instant, Instant, Duration)>,
}

impl Trouble {
    /// Somebody answered.
    pub(super) fn answered(&mut self) {
        *self = Trouble::default();
    }

    /// How long to lease nothing, after a fault of our own that was met now.
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

    /// Whether nobody has answered for so long that there is no use in waiting.
    pub(super) fn is_hopeless(&self, now: Instant) -> bool {
        self.own.is_some_and(|(first, ..)| now.duration_since(first) >= HOPELESS)
    }

    /// A host could not be reached; tells whether the fault is ours. One that never answered says
    /// nothing about us.
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
