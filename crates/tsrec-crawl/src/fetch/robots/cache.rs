//! Values by origin. Each is made once for all callers, and kept for its lifetime.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

/// Most bytes that the values and their origins may weigh together. Judgement: an ordinary file
/// takes some KB, and a site without one about 300 bytes. So this holds some ten thousand sites at
/// a time. It also stops a few thousand hostile files of 500 KiB.
const MAX_WEIGHT: usize = 64 << 20;

/// About how many bytes an entry takes beside its value: the cell, the entry, its place in the map.
const ENTRY_WEIGHT: usize = 256;

/// Longest time that a held value replaces a fresh one (RFC 9309, section 2.4).
const MAX_HELD: Duration = Duration::from_secs(24 * 60 * 60);

/// A value just made.
pub(super) struct Fresh<T> {
    /// The value.
    pub(super) value: T,
    /// About how many bytes of memory the value takes.
    pub(super) weight: usize,
    /// How long the value may be used. Callers that waited while it was made may always use it.
    pub(super) lifetime: Duration,
}

/// A map from origins to values, with a limit in bytes.
///
/// When it is full, it evicts stale entries first, then the least recently used, then
/// [held](Self::hold) ones, newest first. If more origins wait than fit, the ones that came first
/// keep their entries.
#[derive(Debug)]
pub(super) struct RobotsCache<T> {
    state: Mutex<CacheState<T>>,
    max_weight: usize,
}

#[derive(Debug)]
struct CacheState<T> {
    entries: HashMap<String, CachedRules<T>>,
    /// Counts the requests for values, to order entries by last use.
    clock: u64,
    /// The weight of all entries.
    weight: usize,
}

#[derive(Debug)]
struct CachedRules<T> {
    /// Empty while the value is being made.
    cell: Arc<OnceCell<OriginRules<T>>>,
    weight: usize,
    last_asked: u64,
    /// The clock when the hold began.
    held: Option<u64>,
}

#[derive(Debug)]
struct OriginRules<T> {
    value: T,
    made: Instant,
    lifetime: Duration,
}

impl<T: Clone> RobotsCache<T> {
    pub(super) fn new() -> Self {
        Self::bounded(MAX_WEIGHT)
    }

    fn bounded(max_weight: usize) -> Self {
        Self { state: Mutex::new(CacheState { entries: HashMap::new(), clock: 0, weight: 0 }), max_weight }
    }

    /// The value of `origin`. `make` makes it unless there is a fresh or a held one. Callers that
    /// come meanwhile wait for it. If the maker gives up, one of those who wait makes it.
    pub(super) async fn get<F: Future<Output = Fresh<T>>>(&self, origin: &str, make: impl FnOnce() -> F) -> T {
        let cell = self.cell(origin);
        let keep = || async {
            let Fresh { value, weight, lifetime } = make().await;
            self.state().weigh(origin, &cell, weight);
            OriginRules { value, made: Instant::now(), lifetime }
        };
        cell.get_or_init(keep).await.value.clone()
    }

    /// The value of `origin` if there is one, fresh or stale.
    pub(super) fn peek(&self, origin: &str) -> Option<T> {
        let cell = Arc::clone(&self.state().entries.get(origin)?.cell);
        cell.get().map(|kept| kept.value.clone())
    }

    /// Keeps the value of `origin` until `let_go`, for a day at most, whatever its lifetime. A
    /// caller waits that will need it.
    pub(super) fn hold(&self, origin: &str) {
        let mut state = self.state();
        let clock = state.clock;
        if let Some(entry) = state.entries.get_mut(origin) {
            entry.held.get_or_insert(clock);
        }
    }

    /// Nobody waits for the value of `origin` any more.
    pub(super) fn let_go(&self, origin: &str) {
        if let Some(entry) = self.state().entries.get_mut(origin) {
            entry.held = None;
        }
    }

    /// The cell of `origin`, empty if it is new or its value is stale.
    fn cell(&self, origin: &str) -> Arc<OnceCell<OriginRules<T>>> {
        let now = Instant::now();
        let mut state = self.state();
        state.clock += 1;
        let clock = state.clock;
        if let Some(entry) = state.entries.get_mut(origin).filter(|entry| !entry.is_stale(now)) {
            entry.last_asked = clock;
            return Arc::clone(&entry.cell);
        }
        state.remove(origin);
        let (cell, weight) = (Arc::new(OnceCell::new()), ENTRY_WEIGHT + origin.len());
        if state.weight + weight > self.max_weight {
            state.make_room(now, self.max_weight - self.max_weight / 8);
        }
        state.weight += weight;
        state
            .entries
            .insert(origin.to_owned(), CachedRules { cell: Arc::clone(&cell), weight, last_asked: clock, held: None });
        cell
    }

    /// No change under the lock can stop halfway, so a panic elsewhere does not matter.
    fn state(&self) -> MutexGuard<'_, CacheState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> CacheState<T> {
    /// Adds the weight of a value to its entry, if the entry is still there.
    fn weigh(&mut self, origin: &str, cell: &Arc<OnceCell<OriginRules<T>>>, weight: usize) {
        if let Some(entry) = self.entries.get_mut(origin).filter(|entry| Arc::ptr_eq(&entry.cell, cell)) {
            entry.weight += weight;
            self.weight += weight;
        }
    }

    fn remove(&mut self, origin: &str) {
        if let Some(removed) = self.entries.remove(origin) {
            self.weight -= removed.weight;
        }
    }

    /// Evicts entries until the rest weighs no more than `most`. It evicts an eighth at a time, so
    /// that the requests of as many new origins pay for one pass over all entries.
    fn make_room(&mut self, now: Instant, most: usize) {
        self.entries.retain(|_, entry| !entry.is_stale(now));
        self.weight = self.entries.values().map(|entry| entry.weight).sum();
        let mut order: Vec<_> =
            self.entries.iter().map(|(origin, entry)| (entry.precedence(), origin.clone())).collect();
        order.sort_unstable();
        for (_, origin) in order {
            if self.weight <= most {
                return;
            }
            self.remove(&origin);
        }
    }
}

impl<T> CachedRules<T> {
    fn is_stale(&self, now: Instant) -> bool {
        let age = |kept: &OriginRules<T>| now.saturating_duration_since(kept.made);
        self.cell.get().is_some_and(|kept| age(kept) >= if self.held.is_some() { MAX_HELD } else { kept.lifetime })
    }

    /// The order in which entries are evicted.
    fn precedence(&self) -> (bool, Reverse<u64>, u64) {
        (self.held.is_some(), Reverse(self.held.unwrap_or(0)), self.last_asked)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    /// The weight of an entry with a one-letter origin, without its value.
    const LIGHT: usize = ENTRY_WEIGHT + 1;

    /// Gets `origin`, and tells whether the value had to be made.
    async fn is_made(
        cache: &RobotsCache<usize>,
        made: &AtomicUsize,
        origin: &str,
        weight: usize,
        lifetime: Duration,
    ) -> bool {
        let before = made.load(Ordering::Relaxed);
        let make = || async { Fresh { value: made.fetch_add(1, Ordering::Relaxed), weight, lifetime } };
        cache.get(origin, make).await;
        made.load(Ordering::Relaxed) > before
    }

    #[tokio::test]
    async fn a_value_is_made_again_when_it_is_stale() {
        let (cache, made) = (RobotsCache::new(), AtomicUsize::new(0));
        for (origin, lifetime, expect) in [
            ("a", LONG, true),
            ("a", LONG, false),
            ("b", Duration::ZERO, true),
            ("b", Duration::ZERO, true),
            ("a", LONG, false),
        ] {
            assert_eq!(is_made(&cache, &made, origin, 0, lifetime).await, expect, "{origin}");
        }
    }

    #[tokio::test]
    async fn what_was_not_asked_for_longest_goes_first() {
        let (cache, made) = (RobotsCache::bounded(2 * LIGHT), AtomicUsize::new(0));
        for (origin, expect) in [("a", true), ("b", true), ("a", false), ("c", true), ("a", false), ("b", true)] {
            assert_eq!(is_made(&cache, &made, origin, 0, LONG).await, expect, "{origin}");
        }
        assert_eq!(cache.state().entries.len(), 2);
    }

    #[tokio::test]
    async fn heavy_values_make_room() {
        let (cache, made) = (RobotsCache::bounded(4 * LIGHT), AtomicUsize::new(0));
        for (origin, weight, expect) in [
            ("a", 2 * LIGHT, true),
            ("b", 2 * LIGHT, true),
            ("c", 0, true),
            ("b", 0, false),
            ("c", 0, false),
            ("a", 0, true),
        ] {
            assert_eq!(is_made(&cache, &made, origin, weight, LONG).await, expect, "{origin}");
        }
        let state = cache.state();
        assert_eq!(state.weight, state.entries.values().map(|entry| entry.weight).sum::<usize>());
    }

    #[tokio::test]
    async fn stale_values_go_before_fresh_ones() {
        let (cache, made) = (RobotsCache::bounded(2 * LIGHT), AtomicUsize::new(0));
        for (origin, lifetime, expect) in
            [("f", LONG, true), ("s", Duration::ZERO, true), ("n", LONG, true), ("f", LONG, false)]
        {
            assert_eq!(is_made(&cache, &made, origin, 0, lifetime).await, expect, "{origin}");
        }
    }

    #[tokio::test]
    async fn a_held_value_outlives_its_time_and_what_comes_after_it() {
        let (cache, made) = (RobotsCache::bounded(2 * LIGHT), AtomicUsize::new(0));
        assert!(is_made(&cache, &made, "h", 0, Duration::ZERO).await);
        cache.hold("h");
        for origin in ["a", "b", "c"] {
            assert!(is_made(&cache, &made, origin, 0, LONG).await, "{origin}");
        }
        assert!(!is_made(&cache, &made, "h", 0, LONG).await);
        cache.let_go("h");
        assert!(is_made(&cache, &made, "h", 0, LONG).await);
    }

    #[tokio::test]
    async fn of_more_origins_than_there_is_room_for_who_wait_in_turn_those_that_came_first_get_theirs() {
        let (cache, made) = (RobotsCache::bounded(16 * LIGHT), AtomicUsize::new(0));
        let origins: Vec<String> = ('a'..='z').chain('A'..='Z').map(String::from).collect();
        let mut waiting: Vec<&str> = origins.iter().map(String::as_str).collect();
        for _round in 0..8 {
            let mut left = Vec::new();
            for origin in waiting {
                match is_made(&cache, &made, origin, 0, LONG).await {
                    true => {
                        cache.hold(origin);
                        left.push(origin);
                    }
                    false => cache.let_go(origin),
                }
            }
            waiting = left;
        }
        assert_eq!(waiting, Vec::<&str>::new());
    }

    #[tokio::test]
    async fn who_asks_at_the_same_time_shares_one_value_and_who_waits_takes_over() {
        let (cache, made) = (RobotsCache::new(), AtomicUsize::new(0));
        let make = || async {
            tokio::task::yield_now().await;
            Fresh { value: made.fetch_add(1, Ordering::Relaxed), weight: 0, lifetime: LONG }
        };
        let (first, second, other) = tokio::join!(cache.get("a", make), cache.get("a", make), cache.get("b", make));
        assert!(first == second && second != other);
        assert_eq!(made.load(Ordering::Relaxed), 2);

        let never = || std::future::pending::<Fresh<usize>>();
        let given_up = async {
            tokio::select! { biased; _ = cache.get("c", never) => unreachable!(), () = tokio::task::yield_now() => {} }
        };
        let ((), value) = tokio::join!(given_up, cache.get("c", make));
        assert_eq!(value, 2);
    }
}
