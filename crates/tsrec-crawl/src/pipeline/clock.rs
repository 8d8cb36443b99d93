//! The crawl's time of day. Waiting and measuring use tokio's clock, which tests can pause.

use jiff::Timestamp;
use std::time::Duration;

/// Tells the time of day.
pub trait Clock: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Clock for System {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

impl<C: Fn() -> Timestamp + Send + Sync + 'static> Clock for C {
    fn now(&self) -> Timestamp {
        self()
    }
}

/// The time plus a duration; at most the calendar's end, even for a very long configured duration.
pub(super) fn later(time: Timestamp, by: Duration) -> Timestamp {
    time.saturating_add(by).unwrap_or(Timestamp::MAX)
}

/// The time minus a duration; at least the calendar's beginning.
pub(super) fn earlier(time: Timestamp, by: Duration) -> Timestamp {
    time.saturating_sub(by).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_twenty_thousand_years_end_at_the_calendars_end() {
        let now = System.now();
        assert_eq!(later(now, Duration::from_secs(20_000 * 366 * 86_400)), Timestamp::MAX);
        assert_eq!(later(now, Duration::MAX), Timestamp::MAX);
        assert_eq!(earlier(now, Duration::MAX), Timestamp::MIN);
        assert_eq!(earlier(later(now, Duration::from_secs(5)), Duration::from_secs(5)), now);
    }
}
