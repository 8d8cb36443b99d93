//! Siblings that were extracted a short while ago, in memory: the first pages of a site need not
//! parse each other again.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Bytes of all siblings in memory. Judgement: those of some thousand pages. A site needs its first
/// twenty.
const MOST_BYTES: usize = 16 << 20;
/// Siblings that the cache is laid out for. Judgement: one takes some 16 KB.
const EXPECTED: usize = MOST_BYTES / (16 << 10);

/// Siblings in memory, by URL. Those that are rarely asked for go first. Threads share it.
pub(super) struct RecentSiblings(Cache<String, RecentSibling, ByBytes>);

/// What is left of a sibling's extraction. It is good as long as the store keeps the bytes of this
/// very fetch, which whoever takes it asks first.
#[derive(Clone)]
pub(super) struct RecentSibling {
    /// When its page was fetched.
    pub(super) fetched_at: Timestamp,
    /// Its tag sequence and memory, as [`to_bytes`](super::pair::to_bytes) makes them.
    pub(super) bytes: Arc<[u8]>,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<String, RecentSibling> for ByBytes {
    fn weight(&self, url: &String, sibling: &RecentSibling) -> u64 {
        (url.len() + sibling.bytes.len()) as u64
    }
}

impl Default for RecentSiblings {
    fn default() -> Self {
        RecentSiblings(Cache::with_weighter(EXPECTED, MOST_BYTES as u64, ByBytes))
    }
}

impl RecentSiblings {
    /// Keeps a sibling in the place of what was kept for its URL.
    pub(super) fn note(&self, url: &str, fetched_at: Timestamp, bytes: Vec<u8>) {
        self.0.insert(url.to_owned(), RecentSibling { fetched_at, bytes: bytes.into() });
    }

    /// The sibling with this URL, if it is still there.
    pub(super) fn get(&self, url: &str) -> Option<RecentSibling> {
        self.0.get(url)
    }
}

impl fmt::Debug for RecentSiblings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RecentSiblings").field("siblings", &self.0.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings_take_a_limited_share_of_memory() {
        let recent = RecentSiblings::default();
        let at = Timestamp::UNIX_EPOCH;
        for number in 0..1_000 {
            recent.note(&format!("http://a.example/{number}"), at, vec![0; 100_000]);
            assert!(recent.0.weight() <= MOST_BYTES as u64);
        }
        assert!(recent.0.len() > 100, "{}", recent.0.len());
        recent.note("http://a.example/large", at, vec![0; MOST_BYTES + 1]);
        assert!(recent.get("http://a.example/large").is_none());
        assert!(recent.0.len() > 100, "one page drives out none of the others: {}", recent.0.len());
    }

    #[test]
    fn what_is_noted_again_takes_the_place() {
        let recent = RecentSiblings::default();
        let later = Timestamp::from_second(1).unwrap();
        recent.note("http://a.example/", Timestamp::UNIX_EPOCH, vec![1]);
        recent.note("http://a.example/", later, vec![2]);
        let found = recent.get("http://a.example/").unwrap();
        assert_eq!((found.fetched_at, &*found.bytes), (later, &[2][..]));
    }
}
