//! Values by origin, each made once for all who ask, and kept for the time it is said to stay fresh.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

/// Most origins remembered. Judgement: more sites than one crawler visits at a time, politely; small entries, some MB
/// at most.
const MAX_ENTRIES: usize = 4096;

/// Most bytes that the values may weigh together. Judgement: ordinary files leave some KB behind; this stops a few
/// thousand hostile ones of 500 KiB. Values that are being made are not counted yet.
const MAX_WEIGHT: usize = 64 << 20;

/// A value just made.
pub(super) struct Fresh<T> {
    /// The value.
    pub(super) value: T,
    /// About how many bytes of memory it takes.
    pub(super) weight: usize,
    /// How long it may be used; whoever asked while it was made may use it in any case.
    pub(super) lifetime: Duration,
}

/// A bounded map from origins to values. When it is full, what is stale goes first, then what was not asked for
/// longest.
#[derive(Debug)]
pub(super) struct Cache<T> {
    state: Mutex<State<T>>,
    max_entries: usize,
    max_weight: usize,
}

#[derive(Debug)]
struct State<T> {
    entries: HashMap<String, Entry<T>>,
    /// Counts the questions, to tell which entry was asked for last.
    clock: u64,
}

#[derive(Debug)]
struct Entry<T> {
    /// Empty while the value is being made.
    cell: Arc<OnceCell<Kept<T>>>,
    last_asked: u64,
}

#[derive(Debug)]
struct Kept<T> {
    value: T,
    weight: usize,
    stale_from: Instant,
}

impl<T: Clone> Cache<T> {
    pub(super) fn new() -> Self {
        Self::bounded(MAX_ENTRIES, MAX_WEIGHT)
    }

    fn bounded(max_entries: usize, max_weight: usize) -> Self {
        Self { state: Mutex::new(State { entries: HashMap::new(), clock: 0 }), max_entries, max_weight }
    }

    /// The value of `origin`, made with `make` unless there is a fresh one. Who asks while it is being made waits for
    /// it; when the one who makes it gives up, one of those who wait makes it.
    pub(super) async fn get<F: Future<Output = Fresh<T>>>(&self, origin: &str, make: impl FnOnce() -> F) -> T {
        let cell = self.cell(origin);
        let keep = || async {
            let Fresh { value, weight, lifetime } = make().await;
            Kept { value, weight, stale_from: Instant::now() + lifetime }
        };
        cell.get_or_init(keep).await.value.clone()
    }

    /// The value of `origin` if there is one, be it stale.
    pub(super) fn peek(&self, origin: &str) -> Option<T> {
        let cell = Arc::clone(&self.state().entries.get(origin)?.cell);
        cell.get().map(|kept| kept.value.clone())
    }

    /// The cell of `origin`, empty if it is new or its value is stale.
    fn cell(&self, origin: &str) -> Arc<OnceCell<Kept<T>>> {
        let now = Instant::now();
        let mut state = self.state();
        state.clock += 1;
        let clock = state.clock;
        if let Some(entry) = state.entries.get_mut(origin).filter(|entry| !entry.is_stale(now)) {
            entry.last_asked = clock;
            return Arc::clone(&entry.cell);
        }
        state.entries.remove(origin);
        state.make_room(now, self.max_entries, self.max_weight);
        let cell = Arc::new(OnceCell::new());
        state.entries.insert(origin.to_owned(), Entry { cell: Arc::clone(&cell), last_asked: clock });
        cell
    }

    /// Nothing under the lock can leave it half done, so a panic elsewhere does not matter.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    /// Makes room for one more entry. Linear in the entries, once for each origin newly asked for, which costs a
    /// request anyway.
    fn make_room(&mut self, now: Instant, max_entries: usize, max_weight: usize) {
        let mut weight: usize = self.entries.values().map(Entry::weight).sum();
        if self.entries.len() < max_entries && weight <= max_weight {
            return;
        }
        self.entries.retain(|_, entry| !entry.is_stale(now));
        weight = self.entries.values().map(Entry::weight).sum();
        while self.entries.len() >= max_entries || weight > max_weight {
            let oldest =
                self.entries.iter().min_by_key(|(_, entry)| entry.last_asked).map(|(origin, _)| origin.clone());
            let Some(removed) = oldest.and_then(|origin| self.entries.remove(&origin)) else { return };
            weight -= removed.weight();
        }
    }
}

impl<T> Entry<T> {
    fn is_stale(&self, now: Instant) -> bool {
        self.cell.get().is_some_and(|kept| kept.stale_from <= now)
    }

    fn weight(&self) -> usize {
        self.cell.get().map_or(0, |kept| kept.weight)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    /// Asks for `origin`; the value says whether it had to be made.
    async fn is_made(
        cache: &Cache<usize>,
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
        let (cache, made) = (Cache::new(), AtomicUsize::new(0));
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
        let (cache, made) = (Cache::bounded(2, 100), AtomicUsize::new(0));
        for (origin, expect) in [("a", true), ("b", true), ("a", false), ("c", true), ("a", false), ("b", true)] {
            assert_eq!(is_made(&cache, &made, origin, 0, LONG).await, expect, "{origin}");
        }
        assert_eq!(cache.state().entries.len(), 2);
    }

    #[tokio::test]
    async fn heavy_values_make_room() {
        let (cache, made) = (Cache::bounded(100, 10), AtomicUsize::new(0));
        for (origin, weight, expect) in
            [("a", 6, true), ("b", 6, true), ("c", 1, true), ("b", 6, false), ("c", 1, false), ("a", 6, true)]
        {
            assert_eq!(is_made(&cache, &made, origin, weight, LONG).await, expect, "{origin}");
        }
    }

    #[tokio::test]
    async fn stale_values_go_before_fresh_ones() {
        let (cache, made) = (Cache::bounded(2, 100), AtomicUsize::new(0));
        for (origin, lifetime, expect) in
            [("fresh", LONG, true), ("stale", Duration::ZERO, true), ("new", LONG, true), ("fresh", LONG, false)]
        {
            assert_eq!(is_made(&cache, &made, origin, 0, lifetime).await, expect, "{origin}");
        }
    }

    #[tokio::test]
    async fn who_asks_at_the_same_time_shares_one_value_and_who_waits_takes_over() {
        let (cache, made) = (Cache::new(), AtomicUsize::new(0));
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
