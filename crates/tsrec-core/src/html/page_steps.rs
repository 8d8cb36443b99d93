//! The budget of work on a page. It counts steps, not time, so that a page fares the same on every
//! machine.

use std::sync::atomic::{AtomicU64, Ordering};

/// The steps of the work on a page, and their limit: [`Limits::steps`](super::Limits::steps). A
/// step is one turn of a loop whose length the page decides: a node, 64 bytes of a text, a word of
/// the table of an alignment.
#[derive(Debug)]
pub struct PageSteps {
    most: u64,
    made: AtomicU64,
}

/// Bytes that are read or written in one step. Judgement: it takes about as long as a node.
const BYTES_OF_STEP: usize = 64;

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

    /// Like [`charge`](Self::charge), but steps that are allowed are not added: for work on what
    /// was found, which a caller may ask for again and again. It then has the same result each
    /// time.
    #[must_use]
    pub fn admit(&self, steps: u64) -> bool {
        self.made().saturating_add(steps) <= self.most || self.charge(steps)
    }

    /// The steps of reading or writing so many bytes.
    pub fn of_bytes(bytes: usize) -> u64 {
        (bytes / BYTES_OF_STEP) as u64
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

    #[test]
    fn work_on_what_was_found_may_be_asked_for_again() {
        let steps = PageSteps::new(10, 4);
        assert!((0..100).all(|_| steps.admit(6)) && !steps.is_over());
        assert!(!steps.admit(7) && steps.is_over() && !steps.admit(0));
        assert_eq!((PageSteps::of_bytes(63), PageSteps::of_bytes(640)), (0, 10));
    }
}
