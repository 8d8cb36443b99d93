//! The speed of a crawl: pages a minute over the last day.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

/// Minutes remembered: a day, in 6 KB.
const MINUTES: usize = 24 * 60;

/// Visited pages by minute. The crawl reports its total now and then.
#[derive(Debug, Default)]
pub struct Pace(Mutex<PaceInner>);

#[derive(Debug, Default)]
struct PaceInner {
    /// Pages of each minute, the last of which is `minute`; empty before the first report.
    pages: VecDeque<u32>,
    /// Minutes since 1970.
    minute: i64,
    /// The last reported total.
    told: u64,
}

fn minute_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(60)
}

impl Pace {
    /// Reports the total of visited pages. New ones count for this minute.
    pub fn note(&self, now: Timestamp, visited: u64) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.go_on_to(minute_of(now));
        let new = u32::try_from(visited.saturating_sub(inner.told)).unwrap_or(u32::MAX);
        inner.told = visited;
        if let Some(last) = inner.pages.back_mut() {
            *last = last.saturating_add(new);
        }
    }

    /// Pages of each minute up to this one, oldest first; empty before the first report.
    pub fn minutes(&self, now: Timestamp) -> Vec<u32> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !inner.pages.is_empty() {
            inner.go_on_to(minute_of(now));
        }
        inner.pages.iter().copied().collect()
    }
}

impl PaceInner {
    /// A clock that goes back counts as stopped.
    fn go_on_to(&mut self, minute: i64) {
        if self.pages.is_empty() {
            self.minute = minute - 1;
        }
        let new = usize::try_from(minute - self.minute).unwrap_or(0).min(MINUTES);
        self.pages.extend(std::iter::repeat_n(0, new));
        self.pages.drain(..self.pages.len().saturating_sub(MINUTES));
        self.minute = self.minute.max(minute);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64, second: i64) -> Timestamp {
        Timestamp::from_second(minute * 60 + second).unwrap()
    }

    #[test]
    fn pages_count_for_the_minute_in_which_they_were_told_of() {
        let pace = Pace::default();
        assert!(pace.minutes(at(100, 0)).is_empty());
        pace.note(at(100, 3), 5);
        pace.note(at(100, 59), 7);
        pace.note(at(101, 0), 7);
        pace.note(at(103, 2), 17);
        // A clock was set back.
        pace.note(at(50, 0), 18);
        assert_eq!(pace.minutes(at(104, 0)), [7, 0, 0, 11, 0]);
    }

    #[test]
    fn a_day_is_remembered_and_no_more() {
        let pace = Pace::default();
        for minute in 0..5_000 {
            pace.note(at(minute, 0), minute as u64);
        }
        assert_eq!(pace.minutes(at(4_999, 0)), [1; MINUTES]);
        assert_eq!(pace.minutes(at(1_000_000, 0)), [0; MINUTES]);
    }
}
