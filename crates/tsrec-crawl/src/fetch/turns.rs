//! Requests to one origin, and to one address, keep a delay between them, whoever sends them.
//!
//! The frontier paces pages. It does not see the requests before a page: robots.txt, and its
//! redirects, which may lead to any host. Here every request takes a turn at its origin and at its
//! address before it is sent. So if ten hosts redirect robots.txt to an eleventh host, we do not
//! ask that host ten times at once.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Above this number of entries, expired ones are dropped. Judgement: a megabyte.
const MANY: usize = 8192;

/// When each origin and address may be asked. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    shared: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    /// When each may be asked next.
    origins: HashMap<String, Instant>,
    addresses: HashMap<IpAddr, Instant>,
}

/// A turn taken. The origin's delay starts again when the turn is dropped.
#[derive(Debug)]
pub(super) struct RequestTurn {
    turns: Turns,
    origin: String,
    delay: Duration,
}

impl Turns {
    /// Waits for the next turn, at most `max_wait`, and takes it. From then on the origin is left
    /// alone for `delay`, and again for `delay` after the request has ended. The address is left
    /// alone for `address_delay` from the start of the request. Without an address, a proxy
    /// resolves the name, and the origin alone has turns.
    ///
    /// # Errors
    /// The wait that would be needed; then no turn is taken.
    pub(super) async fn take(
        &self,
        origin: &str,
        delay: Duration,
        address: Option<IpAddr>,
        address_delay: Duration,
        max_wait: Duration,
    ) -> Result<RequestTurn, Duration> {
        let start = self.reserve(Instant::now(), origin, delay, address, address_delay, max_wait)?;
        let turn = RequestTurn { turns: self.clone(), origin: origin.to_owned(), delay };
        tokio::time::sleep_until(start).await;
        Ok(turn)
    }

    /// Waits for the turn at a further address, for a request that has its turn at the origin.
    ///
    /// # Errors
    /// The wait that would be needed; then no turn is taken.
    pub(super) async fn take_address(
        &self,
        address: IpAddr,
        address_delay: Duration,
        max_wait: Duration,
    ) -> Result<(), Duration> {
        let start = self.reserve_address(Instant::now(), address, address_delay, max_wait)?;
        tokio::time::sleep_until(start).await;
        Ok(())
    }

    fn reserve_address(
        &self,
        now: Instant,
        address: IpAddr,
        address_delay: Duration,
        max_wait: Duration,
    ) -> Result<Instant, Duration> {
        if address_delay.is_zero() {
            return Ok(now);
        }
        let mut taken = self.lock();
        let start = taken.addresses.get(&address).map_or(now, |next| *next.max(&now));
        if start - now > max_wait {
            return Err(start - now);
        }
        set(&mut taken.addresses, address, start + address_delay, now);
        Ok(start)
    }

    fn reserve(
        &self,
        now: Instant,
        origin: &str,
        delay: Duration,
        address: Option<IpAddr>,
        address_delay: Duration,
        max_wait: Duration,
    ) -> Result<Instant, Duration> {
        let mut taken = self.lock();
        let address = address.filter(|_| !address_delay.is_zero());
        let at_address = address.and_then(|address| taken.addresses.get(&address));
        let next = taken.origins.get(origin).max(at_address).copied();
        let start = next.map_or(now, |next| next.max(now));
        let wait = start - now;
        if wait > max_wait {
            return Err(wait);
        }
        set(&mut taken.origins, origin.to_owned(), start + delay, now);
        if let Some(address) = address {
            set(&mut taken.addresses, address, start + address_delay, now);
        }
        Ok(start)
    }

    /// Leaves an origin alone for at least this long from now.
    pub(super) fn put_off(&self, origin: &str, delay: Duration) {
        self.put_off_from(Instant::now(), origin, delay);
    }

    fn put_off_from(&self, now: Instant, origin: &str, delay: Duration) {
        let mut taken = self.lock();
        let next = taken.origins.get(origin).map_or(now + delay, |next| *next.max(&(now + delay)));
        set(&mut taken.origins, origin.to_owned(), next, now);
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RequestTurn {
    fn drop(&mut self) {
        self.turns.put_off(&self.origin, self.delay);
    }
}

fn set<K: Eq + Hash>(map: &mut HashMap<K, Instant>, key: K, next: Instant, now: Instant) {
    if next <= now {
        map.remove(&key);
        return;
    }
    if map.len() >= MANY {
        map.retain(|_, next| *next > now);
    }
    map.insert(key, next);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const PATIENT: Duration = Duration::from_secs(60);

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    #[test]
    fn an_origin_is_left_alone_from_each_start_and_from_each_end() {
        let (turns, now) = (Turns::default(), Instant::now());
        let reserve = |at, origin| turns.reserve(at, origin, SECOND, address(1), Duration::ZERO, PATIENT).unwrap();
        assert_eq!(reserve(now, "http://a"), now);
        assert_eq!(reserve(now, "http://a"), now + SECOND);
        assert_eq!(reserve(now, "http://b"), now);
        turns.put_off_from(now + 5 * SECOND, "http://a", SECOND);
        assert_eq!(reserve(now + 5 * SECOND, "http://a"), now + 6 * SECOND);
        turns.put_off_from(now, "http://a", SECOND);
        assert_eq!(reserve(now + 5 * SECOND, "http://a"), now + 7 * SECOND, "no turn comes sooner than it was to");
    }

    #[test]
    fn origins_on_one_address_keep_its_distance() {
        let (turns, now) = (Turns::default(), Instant::now());
        let reserve = |n: u32, address| {
            turns.reserve(now, &format!("http://{n}"), Duration::ZERO, address, SECOND, PATIENT).unwrap()
        };
        for n in 0..10 {
            assert_eq!(reserve(n, address(1)), now + n * SECOND);
        }
        assert_eq!(reserve(0, address(2)), now);
        assert_eq!(reserve(0, None), now, "no address has a turn of its own");
        let further = |last, max_wait| turns.reserve_address(now, address(last).unwrap(), SECOND, max_wait);
        assert_eq!(further(1, PATIENT), Ok(now + 10 * SECOND), "a further address keeps its distance, too");
        assert_eq!(further(1, SECOND), Err(11 * SECOND));
        assert_eq!(further(3, SECOND), Ok(now));
    }

    #[test]
    fn who_would_wait_too_long_is_told_how_long_and_takes_nothing() {
        let (turns, now) = (Turns::default(), Instant::now());
        let reserve = |at| turns.reserve(at, "http://a", 10 * SECOND, address(1), Duration::ZERO, 2 * SECOND);
        reserve(now).unwrap();
        for _ in 0..3 {
            assert_eq!(reserve(now), Err(10 * SECOND));
        }
        assert_eq!(reserve(now + 8 * SECOND), Ok(now + 10 * SECOND));
    }

    #[tokio::test]
    async fn a_turn_given_back_leaves_its_origin_alone() {
        let turns = Turns::default();
        let wait = |turns: &Turns| {
            turns.reserve(Instant::now(), "http://a", SECOND, address(1), Duration::ZERO, Duration::ZERO).unwrap_err()
        };
        let turn = turns.take("http://a", 2 * SECOND, address(1), Duration::ZERO, PATIENT).await.unwrap();
        tokio::time::sleep(SECOND / 20).await;
        let before = wait(&turns);
        drop(turn);
        assert!(wait(&turns) > before, "the delay counts from the end");
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let (turns, now) = (Turns::default(), Instant::now());
        let reserve = |at, origin: &str| {
            turns.reserve(at, origin, SECOND, address(1), Duration::ZERO, PATIENT).unwrap();
        };
        (0..MANY).for_each(|n| reserve(now, &n.to_string()));
        assert_eq!(turns.lock().origins.len(), MANY);
        reserve(now + 2 * SECOND, "new");
        assert_eq!(turns.lock().origins.len(), 1);
    }
}
