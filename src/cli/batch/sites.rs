//! Sites that are remembered while their pages go by.
//!
//! A page is extracted from what the pages of its site before it in the input taught, and then
//! teaches itself. So what comes out does not depend on how many threads there are. Each page of a
//! site has a turn; until it is there, others have its processor.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tsrec_core::metadata::Stated;
use tsrec_core::template::{Memory, Site, Visit};

/// Sites that are remembered at once: the one that was longest not met makes room, and begins anew
/// when it comes again. Judgement: at some 100 KB each they take 25 MB, and inputs that are sorted
/// by site need one.
const MOST_SITES: usize = 256;

/// The sites of the pages that were met last.
#[derive(Default)]
pub(super) struct RecentSites {
    open: HashMap<String, OpenSite>,
    pages: u64,
}

struct OpenSite {
    site: Arc<SharedSite>,
    /// Turns that were given.
    turns: u64,
    /// The last page that was of it.
    last: u64,
}

/// A site, and whose turn it is.
#[derive(Default)]
struct SharedSite {
    now: Mutex<(u64, Site)>,
    changed: Condvar,
}

impl RecentSites {
    /// The turn of the next page of a site; pages are met in the order of the input.
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

/// A page's turn at its site. One that is dropped is passed on.
pub(super) struct SiteTurn {
    site: Arc<SharedSite>,
    number: u64,
    is_over: bool,
}

impl SiteTurn {
    /// What is known of the page's template, it included, and what the pages before it state; and
    /// the site learns it. Waits for the pages before it, and leaves its processor to others
    /// meanwhile.
    pub(super) fn learn(mut self, page: &Memory, stated: &Stated, slot: &mut Slot<'_>) -> (Memory, Stated) {
        let site = Arc::clone(&self.site);
        let mut now = lock(&site.now);
        if now.0 != self.number {
            drop(now);
            slot.leave();
            drop(self.wait());
            slot.enter();
            now = lock(&site.now);
        }
        let known = (now.1.known_with(page), now.1.stated());
        now.1.learn_at(page, Visit { stated: Some(stated), ..Visit::default() });
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

/// As many threads as this work at once; the others wait for one of them to leave.
pub(super) struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A thread's right to work, while it is entered.
pub(super) struct Slot<'s> {
    slots: &'s Slots,
    is_in: bool,
}

impl Slots {
    pub(super) fn new(number: usize) -> Slots {
        Slots { free: Mutex::new(number), freed: Condvar::new() }
    }

    /// Waits until there is one.
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

/// What a thread that panicked left behind is whole: it changes nothing halfway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn pages_learn_in_their_order_whichever_thread_comes_first() {
        let (mut sites, slots) = (RecentSites::default(), Slots::new(1));
        let turns: Vec<SiteTurn> = (0..8).map(|_| sites.turn("a")).collect();
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for (at, turn) in turns.into_iter().enumerate() {
                let (slots, order) = (&slots, &order);
                scope.spawn(move || {
                    // The last comes first.
                    std::thread::sleep(Duration::from_millis(5 * (8 - at as u64)));
                    let mut slot = slots.take();
                    if at == 3 {
                        // One that cannot be read passes its turn on.
                        drop(slot);
                        return drop(turn);
                    }
                    let (known, _) = turn.learn(&Memory::of_page(std::iter::empty()), &Stated::default(), &mut slot);
                    lock(order).push((at, known.pages()));
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
