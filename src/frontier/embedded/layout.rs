//! What the frontier writes: keys and values of its three trees. Times are milliseconds since 1970.

use serde::{Deserialize, Serialize};

/// The state of a URL, as it is stored and counted. Stored by position: new ones go to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Phase {
    Discovered,
    Known,
    Failed,
    GivenUp,
    Skipped,
}

/// A value of `frontier_urls`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) depth: u32,
    /// Failures in a row.
    pub(super) attempts: u32,
    pub(super) phase: Phase,
    /// Its place in `frontier_due`; `None` if it is not scheduled.
    pub(super) due: Option<Due>,
}

/// When a URL is due. The order is that within a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Due {
    pub(super) class: Class,
    pub(super) at: u64,
}

/// What goes first whatever its date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Class {
    /// Somebody waits for it. Due whatever its date, which only orders these among themselves.
    Urgent,
    Normal,
}

/// A value of `frontier_queues`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct QueueRecord {
    /// How many URLs of each [`Phase`] there are.
    pub(super) counts: [u64; 5],
    /// The queue's own delay, in milliseconds.
    pub(super) delay: Option<u64>,
    pub(super) blocked_until: u64,
}

impl QueueRecord {
    pub(super) fn urls(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The key of a URL's place in `frontier_due`: `queue\0class due url`.
pub(super) fn due_key(queue: &str, due: Due, url: &str) -> Vec<u8> {
    [queue.as_bytes(), b"\0", &[due.class as u8], &due.at.to_be_bytes(), url.as_bytes()].concat()
}

/// The beginning of all of a queue's keys in `frontier_due`.
pub(super) fn due_prefix(queue: &str) -> Vec<u8> {
    [queue.as_bytes(), b"\0"].concat()
}

/// Reads the part of a [`due_key`] behind the prefix.
pub(super) fn parse_due(rest: &[u8]) -> Option<(Due, &str)> {
    let (class, rest) = rest.split_first()?;
    let (at, url) = rest.split_first_chunk::<8>()?;
    let class = match class {
        0 => Class::Urgent,
        1 => Class::Normal,
        _ => return None,
    };
    Some((Due { class, at: u64::from_be_bytes(*at) }, std::str::from_utf8(url).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_keys_sort_as_queues_serve() {
        let due = |class, at| Due { class, at };
        let order = [
            due_key("a", due(Class::Urgent, 9), "u"),
            due_key("a", due(Class::Normal, 1), "a"),
            due_key("a", due(Class::Normal, 1), "b"),
            due_key("a", due(Class::Normal, 256), "a"),
            due_key("a.b", due(Class::Urgent, 0), "a"),
        ];
        assert!(order.is_sorted());
        assert_eq!(parse_due(&order[3][due_prefix("a").len()..]), Some((due(Class::Normal, 256), "a")));
        assert_eq!(parse_due(b"\x07short"), None);
    }
}
