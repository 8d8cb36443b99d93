//! What is known of hosts as a whole, in the form that a backup keeps.

use std::ops::Bound;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::error::Error;
use super::super::host::{Host, from_millis, millis, to_millis};
use super::Embedded;
use super::change::FrontierChange;
use super::put::PUT_BATCH;

/// A host: what an operator set, and what its answers taught. [`Embedded::kept_hosts`] makes it for
/// [`Embedded::put_back_hosts`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KeptHost {
    /// Its name.
    pub host: String,
    /// Whether an operator stopped it.
    pub paused: bool,
    /// Whether an operator dropped it. Its URLs are then gone, and the frontier refuses new ones.
    pub dropped: bool,
    /// Whether an operator took it into the crawl.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub taken_in: bool,
    /// Its own delay between two requests, instead of the configured one.
    #[serde(default, with = "humantime_serde", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub delay: Option<Duration>,
    /// The crawl starts no request to the host before this date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_until: Option<Timestamp>,
    /// What its answers taught: failures, back-off, usual time, strain, address.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    learned: Host,
}

impl Embedded {
    /// At most `limit` hosts in the order of their names. With `after`, only those past that one.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn kept_hosts(&self, after: Option<&str>, limit: usize) -> Result<Vec<KeptHost>, Error> {
        let from = after.map_or(Bound::Unbounded, |after| Bound::Excluded(after.as_bytes()));
        let records = self.queue_records.range::<&[u8]>((from, Bound::Unbounded)).take(limit);
        let kept = |entry: Result<(Vec<u8>, Vec<u8>), tsrec_store::Error>| {
            let (name, _) = entry.map_err(Error::store("read its queues"))?;
            let Ok(host) = std::str::from_utf8(&name).map(str::to_owned) else { return Ok(None) };
            // The record in memory is newer than the stored one.
            let record = self.lock().0.record(&host);
            Ok(Some(KeptHost {
                host,
                paused: record.paused,
                dropped: record.dropped,
                taken_in: record.taken_in,
                delay: record.delay.map(Duration::from_millis),
                blocked_until: (record.blocked_until > 0).then(|| from_millis(record.blocked_until)),
                learned: record.host,
            }))
        };
        records.filter_map(|entry| kept(entry).transpose()).collect()
    }

    /// Restores hosts from a backup. Anything known here already stays as it is. Returns how many
    /// were restored.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn put_back_hosts(&self, kept: &[KeptHost]) -> Result<u64, Error> {
        let mut put = 0;
        for batch in kept.chunks(PUT_BATCH) {
            let (mut queues, now) = self.lock();
            let mut change = FrontierChange::default();
            for host in batch.iter().filter(|host| !host.host.is_empty() && !host.host.contains('\0')) {
                if queues.knows(&host.host) {
                    continue;
                }
                let record = change.record(&queues, &host.host);
                (record.paused, record.dropped, record.taken_in) = (host.paused, host.dropped, host.taken_in);
                record.delay = host.delay.map(millis);
                record.blocked_until = host.blocked_until.map_or(0, to_millis);
                record.host = host.learned.clone();
                record.host.turn_back(now, &self.config);
                put += 1;
            }
            self.commit(&mut queues, change)?;
        }
        Ok(put)
    }
}
