//! Free space on the disk. If it runs low, nothing is leased any more, and the stored pages stay
//! readable.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often to look. Judgement: a crawl at full speed writes some hundred megabytes meanwhile.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Fetching goes on only with one part in this many more space than the limit. So it does not stop
/// and start with each page. The part is a tenth.
const MORE: u64 = 10;

/// Returns the free bytes; `None` if they are unknown.
pub(super) type Free = Box<dyn Fn() -> Option<u64> + Send + Sync>;

/// The free space at the last look.
pub(super) struct Disk {
    free: Free,
    least: u64,
    /// The free bytes while they are too few; otherwise [`ENOUGH`].
    low: AtomicU64,
}

const ENOUGH: u64 = u64::MAX;

impl Disk {
    pub(super) fn new(free: Free, least: u64) -> Disk {
        Disk { free, least, low: AtomicU64::new(ENOUGH) }
    }

    /// Looks at the disk. Tells whether there is space; unknown counts as yes.
    pub(super) fn has_room(&self) -> bool {
        let Some(free) = (self.free)().filter(|_| self.least > 0) else { return true };
        let was_low = self.low().is_some();
        let is_low = free < if was_low { self.least.saturating_add(self.least / MORE) } else { self.least };
        self.low.store(if is_low { free } else { ENOUGH }, Ordering::Relaxed);
        match (was_low, is_low) {
            (false, true) => {
                tracing::warn!(free, least = self.least, "the disk runs low: nothing is fetched until it has room")
            }
            (true, false) => tracing::info!(free, "the disk has room again: fetching goes on"),
            _ => {}
        }
        !is_low
    }

    /// The free bytes, if they were too few.
    pub(super) fn low(&self) -> Option<u64> {
        Some(self.low.load(Ordering::Relaxed)).filter(|&low| low != ENOUGH)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn fetching_stops_below_the_bound_and_goes_on_a_tenth_above_it() {
        let free = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&free);
        let disk = Disk::new(Box::new(move || Some(seen.load(Ordering::Relaxed)).filter(|&free| free < 10_000)), 1_000);
        for (now, has_room) in
            [(1_000, true), (999, false), (1_050, false), (1_100, true), (1_050, true), (0, false), (10_000, true)]
        {
            free.store(now, Ordering::Relaxed);
            assert_eq!(disk.has_room(), has_room, "{now}");
        }
        assert!(Disk::new(Box::new(|| Some(0)), 0).has_room(), "no bound is set");
    }
}
