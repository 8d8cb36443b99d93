//! The budget of work on a page. It counts steps, not time, so that a page fares the same on every
//! machine.

use std::sync::atomic::{AtomicU64, Ordering};

/// The steps of the work on a page, and their limit: [`Limits::steps`](super::Limits::steps). A
/// step is one turn of a loop whose length the page decides: a node, a cell of a table.
#[derive(Debug)]
pub struct PageSteps {
    most: u64,
    made: AtomicU64,
}

impl PageSteps {
    /// A budget of which this many steps are made.
    pub fn new(most: u64, made: u64) -> Self {
        PageSteps { most, made: AtomicU64::new(made) }
    }

    /// Adds steps that are about to be made. `false` if they are more than the limit allows: then
    /// the caller leaves them out, and returns what it has.
    #[must_use]
    pub fn charge(&self, steps: u64) -> bool {
        let add = |made: u64| Some(made.saturating_add(steps));
        let before = self.made.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        before.is_ok_and(|before| before.saturating_add(steps) <= self.most)
    }

    /// The steps so far, with those that were left out.
    pub fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// Whether steps were left out.
    pub fn is_over(&self) -> bool {
        self.made() > self.most
    }
}

impl Clone for PageSteps {
    fn clone(&self) -> Self {
        PageSteps::new(self.most, self.made())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up_to_the_limit() {
        let steps = PageSteps::new(10, 4);
        assert!(steps.charge(6) && !steps.is_over());
        assert!(!steps.charge(1) && steps.is_over());
        assert!(!steps.charge(u64::MAX) && steps.clone().is_over());
        assert_eq!(steps.made(), u64::MAX);
    }
}
