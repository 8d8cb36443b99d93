//! Is it us? When hosts that answered before fail one after the other, and nobody answers, our own network is down, or
//! our name server; then no host is to blame. Pure.

use std::collections::HashSet;

/// So many different hosts, each of which answered before, must fail in a row. Judgement: sites that share a fate (one
/// data centre) are rarely so many of those asked in a row.
const HOSTS: usize = 5;

/// The hosts that failed since anybody answered.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    failed: HashSet<String>,
}

impl Trouble {
    /// Somebody answered.
    pub(super) fn answered(&mut self) {
        self.failed.clear();
    }

    /// A host could not be reached; tells whether the fault is ours. One that never answered says nothing about us.
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
}
