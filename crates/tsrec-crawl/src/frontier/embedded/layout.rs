//! Keys and values of the frontier's trees. Times are milliseconds since 1970.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::super::Account;
use super::super::host::{Host, to_millis};
use tsrec_core::words::beginning;

/// The state of a URL, as stored and counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Phase {
    Discovered,
    Known,
    Failed,
    GivenUp,
    Skipped,
    Quarantined,
    Gone,
}

/// A value of `urls`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct UrlEntry {
    pub(super) depth: u32,
    /// Failures in a row.
    pub(super) attempts: u32,
    pub(super) phase: Phase,
    /// Its place in `due`; `None` if it is not scheduled.
    pub(super) due: Option<Due>,
    /// The first failure of the row; 0 if the last attempt did not fail.
    pub(super) failing_since: u64,
    /// The time from the last successful fetch to the date it was refetchable from.
    pub(super) interval: u64,
    /// The page that links to it, on the path that `depth` counts.
    pub(super) found_on: Option<String>,
    /// When it was last acknowledged; 0: never.
    pub(super) acked_at: u64,
    /// The result of that visit.
    pub(super) said: String,
    /// It is a sitemap or a feed.
    pub(super) is_listing: bool,
    /// The memo for the next lease.
    pub(super) memo: Vec<u8>,
    /// The last decision of robots.txt.
    pub(super) robots: String,
    /// The last requests, the latest at the end.
    pub(super) requests: Vec<RequestMade>,
    /// Failures of the row that are the URL's own. Its host answered for it, or has answered for
    /// others since the failure before.
    pub(super) own_failures: u32,
}

/// A request that was made for a URL.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RequestMade {
    pub(super) at: u64,
    pub(super) took_ms: u64,
    pub(super) what: String,
}

/// Requests kept of a URL. Judgement: enough to see whether it fails for the first time.
const MOST_REQUESTS: usize = 4;

/// The longest word for an answer, in bytes.
const MAX_WHAT_LEN: usize = 40;

/// The longest referrer kept, in bytes. Judgement: it only explains; a longer one is left out.
const MAX_FOUND_ON_LEN: usize = 512;

/// The longest account of a visit kept, in bytes. Judgement: a sentence with a cause.
const MAX_SAID_LEN: usize = 200;

impl UrlEntry {
    pub(super) fn discovered(depth: u32, found_on: Option<&str>, now: u64) -> UrlEntry {
        UrlEntry {
            depth,
            attempts: 0,
            phase: Phase::Discovered,
            due: Some(Due { class: DueClass::Normal, at: now }),
            failing_since: 0,
            interval: 0,
            found_on: kept_referrer(found_on),
            acked_at: 0,
            said: String::new(),
            is_listing: false,
            memo: Vec::new(),
            robots: String::new(),
            requests: Vec::new(),
            own_failures: 0,
        }
    }

    /// The same entry without its failures.
    pub(super) fn without_failures(&self) -> UrlEntry {
        UrlEntry { failing_since: 0, attempts: 0, own_failures: 0, ..self.clone() }
    }

    /// The same entry at the end of a shorter path, if this one is shorter.
    pub(super) fn nearer(&self, depth: u32, found_on: Option<&str>) -> Option<UrlEntry> {
        (depth < self.depth).then(|| UrlEntry { depth, found_on: kept_referrer(found_on), ..self.clone() })
    }

    /// Stores the account of a visit.
    pub(super) fn tell(&mut self, account: Account) {
        self.said = beginning(&account.said, MAX_SAID_LEN).to_owned();
        if let Some(robots) = account.robots {
            self.robots = beginning(&robots, MAX_SAID_LEN).to_owned();
        }
        if let Some(request) = account.request {
            let what = beginning(&request.what, MAX_WHAT_LEN).to_owned();
            self.requests.push(RequestMade { at: to_millis(request.at), took_ms: request.took_ms, what });
            self.requests.drain(..self.requests.len().saturating_sub(MOST_REQUESTS));
        }
        if let Some(memo) = account.memo {
            self.memo = if memo.len() <= super::super::MAX_MEMO_LEN { memo } else { Vec::new() };
        }
    }
}

fn kept_referrer(found_on: Option<&str>) -> Option<String> {
    found_on.filter(|url| url.len() <= MAX_FOUND_ON_LEN).map(str::to_owned)
}

/// Reads a value; `None` if it is damaged.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

/// Whether keys that begin with this name and a zero byte belong to one queue. The keys of a name
/// with a zero byte would mix with another queue's.
pub(super) fn can_be_queue(name: &str) -> bool {
    !name.is_empty() && !name.contains('\0')
}

/// When a URL is due. The order is the order within a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Due {
    pub(super) class: DueClass,
    pub(super) at: u64,
}

/// The class of a due URL. Classes go before dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum DueClass {
    /// A page waits for it. It is due whatever its date, which only orders urgent URLs among
    /// themselves.
    Urgent,
    Normal,
    /// Its origin does not answer while others of the host do. It takes a small share of their
    /// turns.
    Late,
}

/// The number of [`Phase`]s.
pub(super) const PHASES: usize = 7;

/// A value of `queues`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct QueueRecord {
    /// How many URLs of each [`Phase`] but the last there are.
    counts: [u64; PHASES - 1],
    /// The queue's own delay, in milliseconds.
    pub(super) delay: Option<u64>,
    pub(super) blocked_until: u64,
    /// An operator stopped it.
    pub(super) paused: bool,
    /// An operator dropped it: its URLs are gone, and no new ones are taken.
    pub(super) dropped: bool,
    pub(super) host: Host,
    /// How many URLs are [`Phase::Gone`]. It is near the end because earlier records end before it.
    gone: u64,
    /// An operator took the host into the crawl. It is at the end for the same reason.
    pub(super) taken_in: bool,
}

impl QueueRecord {
    /// Reads a record; `None` if it is damaged.
    pub(super) fn decode(bytes: &[u8]) -> Option<QueueRecord> {
        // Earlier versions had no hosts that were taken in, and did not count URLs that are gone.
        let with = |zeros: &[u8]| decode(&[bytes, zeros].concat());
        decode(bytes).or_else(|| with(&[0])).or_else(|| with(&[0, 0]))
    }

    pub(super) fn counts(&self) -> [u64; PHASES] {
        let mut counts = [self.gone; PHASES];
        counts[..PHASES - 1].copy_from_slice(&self.counts);
        counts
    }

    pub(super) fn count_mut(&mut self, phase: Phase) -> &mut u64 {
        self.counts.get_mut(phase as usize).unwrap_or(&mut self.gone)
    }

    pub(super) fn urls(&self) -> u64 {
        self.counts().iter().sum()
    }
}

/// The key of a URL's place in `due`: `queue\0class due url`.
pub(super) fn due_key(queue: &str, due: Due, url: &str) -> Vec<u8> {
    [queue.as_bytes(), b"\0", &[due.class as u8], &due.at.to_be_bytes(), url.as_bytes()].concat()
}

/// The prefix of all of a queue's keys in `due`.
pub(super) fn due_prefix(queue: &str) -> Vec<u8> {
    [queue.as_bytes(), b"\0"].concat()
}

/// Reads the part of a [`due_key`] after the prefix.
pub(super) fn parse_due(rest: &[u8]) -> Option<(Due, &str)> {
    let (class, rest) = rest.split_first()?;
    let (at, url) = rest.split_first_chunk::<8>()?;
    let class = match class {
        0 => DueClass::Urgent,
        1 => DueClass::Normal,
        2 => DueClass::Late,
        _ => return None,
    };
    Some((Due { class, at: u64::from_be_bytes(*at) }, std::str::from_utf8(url).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_short_is_damaged() {
        let entry = UrlEntry::discovered(2, None, 7);
        let bytes = postcard::to_stdvec(&entry).unwrap();
        assert_eq!(decode(&bytes), Some(entry));
        for end in 0..bytes.len() {
            assert_eq!(decode::<UrlEntry>(&bytes[..end]), None, "{end}");
        }
    }

    #[test]
    fn records_of_queues_from_before_gone_are_read() {
        let mut record = QueueRecord { delay: Some(9), blocked_until: 300, paused: true, ..QueueRecord::default() };
        for (phase, count) in [(Phase::Discovered, 3), (Phase::Known, 500), (Phase::Quarantined, 1)] {
            *record.count_mut(phase) = count;
        }
        let bytes = postcard::to_stdvec(&record).unwrap();
        for end in [bytes.len() - 2, bytes.len() - 1, bytes.len()] {
            assert_eq!(QueueRecord::decode(&bytes[..end]), Some(record.clone()), "without the last fields");
        }
        *record.count_mut(Phase::Gone) = 70_000;
        let bytes = postcard::to_stdvec(&record).unwrap();
        assert_eq!(QueueRecord::decode(&bytes), Some(record.clone()));
        assert_eq!((record.counts(), record.urls()), ([3, 500, 0, 0, 0, 1, 70_000], 70_504));
        assert_eq!(QueueRecord::decode(&bytes[..4]), None, "damaged");
    }

    #[test]
    fn due_keys_sort_as_queues_serve() {
        let due = |class, at| Due { class, at };
        let order = [
            due_key("a", due(DueClass::Urgent, 9), "u"),
            due_key("a", due(DueClass::Normal, 1), "a"),
            due_key("a", due(DueClass::Normal, 1), "b"),
            due_key("a", due(DueClass::Normal, 256), "a"),
            due_key("a.b", due(DueClass::Urgent, 0), "a"),
        ];
        assert!(order.is_sorted());
        assert_eq!(parse_due(&order[3][due_prefix("a").len()..]), Some((due(DueClass::Normal, 256), "a")));
        assert_eq!(parse_due(b"\x07short"), None);
    }
}
