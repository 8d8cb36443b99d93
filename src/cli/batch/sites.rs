//! Keeps the memory of sites during a batch.
//!
//! A page is extracted with the memory of the earlier pages of its site in the input. Then the page
//! is added to that memory. So the result does not depend on the number of threads. Each page of a
//! site has a turn. While it waits for its turn, other pages use its processor.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tsrec_core::extract::beside::stated;
use tsrec_core::extract::{Page, Recalled};
use tsrec_core::template::{Memory, Site, Visit};

/// The most sites in memory at once. The site that was unused for the longest time is evicted, and
/// starts anew if it comes again. Judgement: at some 100 KB each they take 25 MB. Inputs sorted by
/// site need one.
const MOST_SITES: usize = 256;

/// The sites of the most recent pages.
#[derive(Default)]
pub(super) struct RecentSites {
    open: HashMap<String, OpenSite>,
    pages: u64,
}

struct OpenSite {
    site: Arc<SharedSite>,
    /// The number of turns so far.
    turns: u64,
    /// The number of its last page.
    last: u64,
}

/// A site, and the current turn.
#[derive(Default)]
struct SharedSite {
    now: Mutex<(u64, Site)>,
    changed: Condvar,
}

impl RecentSites {
    /// The turn of the next page of a site. Call it in the order of the input.
    pub(super) fn turn(&mut self, site: &str) -> SiteTurn {
        self.pages += 1;
        if self.open.len() >= MOST_SITES && !self.open.contains_key(site) {
            let oldest = self.open.iter().min_by_key(|(_, open)| open.last).map(|(name, _)| name.clone());
            oldest.map(|name| self.open.remove(&name));
        }
        let open = self.open.entry(site.to_owned());
        let open = open.or_insert_with(|| OpenSite { site: Arc::default(), turns: 0, last: 0 });
        let number = open.turns;
        (open.turns, open.last) = (number + 1, self.pages);
        SiteTurn { site: Arc::clone(&open.site), number, is_over: false }
    }
}

/// A page's turn at its site. Dropping it passes the turn on.
pub(super) struct SiteTurn {
    site: Arc<SharedSite>,
    number: u64,
    is_over: bool,
}

impl SiteTurn {
    /// Adds the page to the site's memory. Returns the memory of the page's template, this page
    /// included, and what the earlier pages state. Waits for the earlier pages, and leaves its
    /// processor to others meanwhile.
    pub(super) fn learn(mut self, page: &Page<'_>, memory: &Memory, slot: &mut Slot<'_>) -> Recalled {
        let stated = stated(page);
        let site = Arc::clone(&self.site);
        let mut now = lock(&site.now);
        if now.0 != self.number {
            drop(now);
            slot.leave();
            drop(self.wait());
            slot.enter();
            now = lock(&site.now);
        }
        let known = Recalled { memory: now.1.known_with(memory), stated: now.1.stated() };
        now.1.learn_at(memory, Visit { stated: Some(&stated), ..Visit::default() });
        now.0 += 1;
        self.is_over = true;
        site.changed.notify_all();
        known
    }

    fn wait(&self) -> MutexGuard<'_, (u64, Site)> {
        let waits = |now: &mut (u64, Site)| now.0 != self.number;
        self.site.changed.wait_while(lock(&self.site.now), waits).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SiteTurn {
    fn drop(&mut self) {
        if !self.is_over {
            self.wait().0 += 1;
            self.site.changed.notify_all();
        }
    }
}

/// Limits the number of working threads. The others wait until one leaves.
pub(super) struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A thread's permission to work, while it is entered.
pub(super) struct Slot<'s> {
    slots: &'s Slots,
    is_in: bool,
}

impl Slots {
    pub(super) fn new(number: usize) -> Slots {
        Slots { free: Mutex::new(number), freed: Condvar::new() }
    }

    /// Waits until a slot is free.
    pub(super) fn take(&self) -> Slot<'_> {
        let mut slot = Slot { slots: self, is_in: false };
        slot.enter();
        slot
    }
}

impl Slot<'_> {
    fn enter(&mut self) {
        let waited = self.slots.freed.wait_while(lock(&self.slots.free), |free| *free == 0);
        *waited.unwrap_or_else(PoisonError::into_inner) -= 1;
        self.is_in = true;
    }

    fn leave(&mut self) {
        if std::mem::take(&mut self.is_in) {
            *lock(&self.slots.free) += 1;
            self.slots.freed.notify_one();
        }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Ignores poisoning: a thread that panics leaves whole data, since no change is done halfway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use tsrec_core::html::parse;

    #[test]
    fn pages_learn_in_their_order_whichever_thread_comes_first() {
        let (mut sites, slots) = (RecentSites::default(), Slots::new(1));
        let turns: Vec<SiteTurn> = (0..8).map(|_| sites.turn("a")).collect();
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for (at, turn) in turns.into_iter().enumerate() {
                let (slots, order) = (&slots, &order);
                scope.spawn(move || {
                    // The last page arrives first.
                    std::thread::sleep(Duration::from_millis(5 * (8 - at as u64)));
                    let mut slot = slots.take();
                    if at == 3 {
                        // A page that cannot be read passes its turn on.
                        drop(slot);
                        return drop(turn);
                    }
                    let document = parse(b"", None, &Default::default());
                    let memory = Memory::of_page(std::iter::empty());
                    let known = turn.learn(&Page::new(&document), &memory, &mut slot);
                    lock(order).push((at, known.memory.pages()));
                });
            }
        });
        let mut order = order.into_inner().unwrap();
        order.sort_unstable();
        assert_eq!(order.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 1, 2, 4, 5, 6, 7]);
    }

    #[test]
    fn the_site_that_was_longest_not_met_makes_room() {
        let mut sites = RecentSites::default();
        for number in 0..MOST_SITES {
            assert_eq!(sites.turn(&number.to_string()).number, 0);
        }
        assert_eq!(sites.turn("0").number, 1);
        assert_eq!(sites.turn("more").number, 0);
        assert_eq!((sites.turn("0").number, sites.turn("1").number), (2, 0));
        assert_eq!(sites.open.len(), MOST_SITES);
    }
}
