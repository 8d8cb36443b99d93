//! Repairs unreadable entries in the frontier's spaces when they are met.
//!
//! One damaged entry must not stop its queue, much less the crawl, and not again after each
//! restart. The entry's content is lost, and the log says so. The URL is not lost: it is discovered
//! anew and due at once. Counts of a queue or a section may be off by the lost entry; only limits
//! and figures depend on them.

use std::sync::atomic::{AtomicU64, Ordering};

use super::super::error::Error;
use super::change::encode;
use super::layout::{self, Phase, QueueRecord, UrlEntry, due_key, due_prefix};
use super::{Embedded, to_millis};
use tsrec_store::{Key, Space, SpaceBatch};

/// Damaged entries that this process has met, in all frontiers.
static MENDED: AtomicU64 = AtomicU64::new(0);

/// How many damaged entries of frontiers this process has mended. A command that reads a store
/// tells it to whoever called it.
pub fn mended() -> u64 {
    MENDED.load(Ordering::Relaxed)
}

pub(super) fn note_mended() {
    MENDED.fetch_add(1, Ordering::Relaxed);
}

impl Embedded {
    /// The entry of a URL, read from its bytes. If they are damaged, the URL is scheduled as newly
    /// found.
    pub(super) fn read_entry(&self, key: &Key, bytes: &[u8]) -> Result<UrlEntry, Error> {
        if let Some(entry) = layout::decode(bytes).filter(is_sound) {
            return Ok(entry);
        }
        note_mended();
        tracing::warn!(url = key.url(), "what the frontier knew of a URL is damaged: it is discovered anew");
        let entry = UrlEntry::discovered(0, None, to_millis((self.clock)()));
        let (mut urls, mut places) = (SpaceBatch::default(), SpaceBatch::default());
        urls.insert(key.as_bytes(), encode(&entry)?);
        if let Some(due) = entry.due {
            places.insert(due_key(key.host(), due, key.url()), []);
        }
        // Unless another task wrote it meanwhile.
        let written =
            self.database.write_if((&self.urls, key.as_bytes(), bytes), &[(&self.urls, &urls), (&self.due, &places)]);
        written.map_err(Error::store("mend an entry"))?;
        Ok(entry)
    }

    /// The record of a queue, read from its bytes. If they are damaged, its URLs are counted again,
    /// and the operator's settings for it are lost.
    pub(super) fn read_queue(&self, name: &str, bytes: &[u8]) -> Result<QueueRecord, Error> {
        if let Some(record) = QueueRecord::decode(bytes) {
            return Ok(record);
        }
        note_mended();
        tracing::warn!(
            queue = name,
            "the record of a queue is damaged: its URLs are counted, and its delay and whether it was paused are forgotten"
        );
        let mut record = QueueRecord::default();
        let prefix = due_prefix(name);
        for entry in self.entries_from(prefix.clone()) {
            let (key, entry) = entry?;
            if !key.as_bytes().starts_with(&prefix) {
                break;
            }
            *record.count_mut(entry.phase) += 1;
        }
        let mut batch = SpaceBatch::default();
        batch.insert(name, encode(&record)?);
        self.write_spaces(&[(&self.queue_records, &batch)])?;
        Ok(record)
    }

    /// Removes an unreadable key from a space.
    pub(super) fn take_out_key(&self, space: &Space, key: &[u8], of: &'static str) -> Result<(), Error> {
        note_mended();
        tracing::warn!(key = %key.escape_ascii(), "{of} of the frontier is damaged, and taken out");
        let mut batch = SpaceBatch::default();
        batch.remove(key);
        self.write_spaces(&[(space, &batch)])
    }
}

/// Whether an entry is valid: a URL to be fetched has a due date.
fn is_sound(entry: &UrlEntry) -> bool {
    entry.due.is_some() || !matches!(entry.phase, Phase::Discovered | Phase::Known | Phase::Gone | Phase::Failed)
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use crate::frontier::{Ack, Config, Discovered, Embedded, Filter, Frontier};
    use tsrec_store;
    use tsrec_store::Database;

    const TREES: [&str; 6] =
        ["space_urls", "derived_due", "space_queues", "space_waits", "space_quarantine", "space_sections"];
    const GARBAGE: [&[u8]; 3] = [&[0xff; 40], &[0x80], b"\0\xfe"];
    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn url(text: &str) -> url::Url {
        text.parse().unwrap()
    }

    /// Makes all calls that a crawl makes, until nothing is due. Returns the URLs that were leased.
    async fn crawl(frontier: &Embedded) -> Vec<String> {
        frontier.put_discovered(&[Discovered::page(url("http://c.example/new"), 0, None)]).await.unwrap();
        frontier.overdue_waits(NOW).await.unwrap();
        frontier.forget_dead(100).unwrap();
        for filter in Filter::NAMES {
            frontier.list(filter.1, None, None, 100).unwrap();
        }
        frontier.list_sections(false, None, None, 100).unwrap();
        frontier.stats().await.unwrap();
        let mut leased = Vec::new();
        for _ in 0..40 {
            for lease in frontier.get_urls(4).await.unwrap() {
                frontier.near(lease.url.as_str(), 4).await.unwrap();
                frontier.waiting_for(lease.url.as_str()).await.unwrap();
                let from = NOW + SignedDuration::from_hours(2000);
                frontier.ack(lease.url.as_str(), Ack::Ok { refetchable_from: from }, "stored").await.unwrap();
                leased.push(lease.url.into());
            }
        }
        leased
    }

    /// Damages keys and values of every tree, each in turn. Nothing fails, and every URL whose own
    /// key is whole is leased.
    #[tokio::test]
    async fn whatever_is_damaged_the_crawl_goes_on_and_no_url_is_lost() {
        let urls = ["http://a.example/1", "http://a.example/2", "http://a.example/3", "http://b.example/day/1"];
        for tree in TREES {
            for (value, garbage) in [(true, 0), (true, 1), (true, 2), (false, 0), (false, 1), (false, 2)] {
                let dir = tempfile::tempdir().unwrap();
                let database = Database::open(dir.path(), &tsrec_store::Config::default()).unwrap();
                let config = Config { delay: std::time::Duration::ZERO, ..Config::default() };
                let open = |hours| {
                    Embedded::open(&database, &config, "1", move || NOW + SignedDuration::from_hours(hours)).unwrap()
                };
                let frontier = open(0);
                frontier.put_discovered(&urls.map(|text| Discovered::page(url(text), 0, None))).await.unwrap();
                frontier.wait_for("http://a.example/2", "http://a.example/1").await.unwrap();
                let lease = frontier.get_urls(1).await.unwrap().remove(0).url;
                frontier.ack(lease.as_str(), Ack::Quarantined, "it panicked").await.unwrap();
                let raw = database.open_tree(tree).unwrap();
                for entry in &raw {
                    let (key, old) = entry.unwrap();
                    let damage = GARBAGE[garbage];
                    match value {
                        true => drop(raw.insert(key, damage).unwrap()),
                        false => {
                            raw.remove(&key).unwrap();
                            raw.insert([&key[..key.len() / 2], damage].concat(), old).unwrap();
                        }
                    }
                }
                // While it runs, and after a restart.
                let mut leased = crawl(&frontier).await;
                drop(frontier);
                leased.extend(crawl(&open(1000)).await);
                // A URL is known from its entry and from its place in the index. If one is lost,
                // the other remains.
                if value || tree == "space_urls" {
                    let expect = urls.iter().chain(&["http://c.example/new"]);
                    let missing: Vec<_> = expect.filter(|url| !leased.contains(&url.to_string())).collect();
                    // One URL is in quarantine, unless its quarantine entry is lost.
                    assert!(missing.len() <= 1, "{tree} {garbage}: {missing:?} of {leased:?}");
                }
            }
        }
    }
}
