//! Turns at addresses that several hosts share. In memory only: after a restart each host waits its
//! delay once.

use std::collections::HashMap;
use std::net::IpAddr;

use super::super::Config;
use super::super::host::millis;

/// Above this number, addresses without any state are dropped. Judgement: some megabytes.
const MANY: usize = 16_384;

/// The addresses, and when each is free.
pub(super) struct Addresses {
    known: HashMap<IpAddr, Address>,
    delay: u64,
    requests: u32,
}

#[derive(Default)]
struct Address {
    under_way: u32,
    /// The next turn that no host has taken.
    next: u64,
}

/// When an address can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressTurn {
    Now,
    /// At this time. The turn belongs to the host that asked. Each host gets its own turn, so a
    /// thousand hosts on one address cost one step each.
    At(u64),
}

impl Addresses {
    pub(super) fn new(config: &Config) -> Addresses {
        Addresses { known: HashMap::new(), delay: millis(config.address_delay), requests: config.requests_per_address }
    }

    /// When a request may start, for a host with this delay of its own. `has_turn` says that its
    /// turn has come.
    pub(super) fn ask(&mut self, address: IpAddr, now: u64, own_delay: u64, has_turn: bool) -> AddressTurn {
        let Some(state) = self.known.get_mut(&address) else { return AddressTurn::Now };
        let is_full = state.under_way >= self.requests;
        if !is_full && (has_turn || state.next <= now) {
            return AddressTurn::Now;
        }
        // If too many requests are under way, nobody knows for how long. The host asks again at its
        // next turn.
        let step = self.delay.min(own_delay).max(1);
        let turn = state.next.max(now + if is_full { step } else { 0 });
        state.next = turn + step;
        AddressTurn::At(turn)
    }

    /// A request begins.
    pub(super) fn begin(&mut self, address: IpAddr, now: u64, own_delay: u64) {
        if self.known.len() >= MANY {
            self.known.retain(|_, state| state.under_way > 0 || state.next > now);
        }
        let state = self.known.entry(address).or_default();
        state.under_way += 1;
        state.next = state.next.max(now + self.delay.min(own_delay));
    }

    /// A request has ended.
    pub(super) fn end(&mut self, address: IpAddr) {
        if let Some(state) = self.known.get_mut(&address) {
            state.under_way = state.under_way.saturating_sub(1);
        }
    }

    /// Forgets all turns: the clock was set.
    pub(super) fn clear(&mut self) {
        self.known.values_mut().for_each(|state| state.next = 0);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn addresses(requests_per_address: u32) -> (Addresses, IpAddr) {
        let address_delay = Duration::from_millis(200);
        let config = Config { address_delay, requests_per_address, ..Config::default() };
        (Addresses::new(&config), "192.0.2.1".parse().unwrap())
    }

    #[test]
    fn requests_to_an_address_start_apart() {
        let (mut addresses, address) = addresses(9);
        assert_eq!(addresses.ask(address, 1_000, 1_000, false), AddressTurn::Now);
        addresses.begin(address, 1_000, 1_000);
        assert_eq!(addresses.ask(address, 1_000, 1_000, false), AddressTurn::At(1_200));
        assert_eq!(addresses.ask(address, 1_100, 1_000, false), AddressTurn::At(1_400), "the turn before is taken");
        assert_eq!(addresses.ask("192.0.2.2".parse().unwrap(), 1_100, 1_000, false), AddressTurn::Now);
        assert_eq!(addresses.ask(address, 1_200, 1_000, true), AddressTurn::Now);
        assert_eq!(addresses.ask(address, 1_600, 1_000, false), AddressTurn::Now);
    }

    #[test]
    fn a_host_with_a_short_delay_is_held_to_that() {
        let (mut addresses, address) = addresses(9);
        addresses.begin(address, 1_000, 5);
        assert_eq!(addresses.ask(address, 1_000, 5, false), AddressTurn::At(1_005));
        assert_eq!(addresses.ask(address, 1_010, 5, false), AddressTurn::Now);
    }

    #[test]
    fn so_many_requests_are_under_way_and_no_more() {
        let (mut addresses, address) = addresses(2);
        addresses.begin(address, 1_000, 0);
        addresses.begin(address, 1_000, 0);
        assert_eq!(addresses.ask(address, 60_000, 0, true), AddressTurn::At(60_001));
        addresses.end(address);
        assert_eq!(addresses.ask(address, 60_100, 0, false), AddressTurn::Now);
    }
}
