//! The writes of one transaction of the frontier.

use std::collections::HashMap;

use super::super::error::Error;
use super::layout::{QueueRecord, UrlEntry, due_key};
use super::queues::Queues;
use super::sections::Deltas;
use tsrec_store::{Key, SpaceBatch};

/// Entries, their places in the index, and the records of their queues, collected and then written
/// together.
#[derive(Default)]
pub(super) struct FrontierChange {
    /// By the bytes of their keys; `None` removes one.
    pub(super) entries: HashMap<Vec<u8>, Option<UrlEntry>>,
    pub(super) due: SpaceBatch,
    pub(super) records: HashMap<String, QueueRecord>,
    /// The versions of the program that failed on URLs.
    pub(super) quarantine: SpaceBatch,
    pub(super) waits: SpaceBatch,
    pub(super) sections: Deltas,
}

impl FrontierChange {
    /// The record of a queue after this change.
    pub(super) fn record(&mut self, queues: &Queues, queue: &str) -> &mut QueueRecord {
        self.records.entry(queue.to_owned()).or_insert_with(|| queues.record(queue))
    }

    /// Replaces an entry, in the index, the counts, and the sections too; `None` removes it.
    pub(super) fn replace(
        &mut self,
        queues: &Queues,
        key: &Key,
        before: Option<&UrlEntry>,
        after: Option<UrlEntry>,
    ) -> Result<(), Error> {
        let record = self.record(queues, key.host());
        if let Some(before) = before {
            let count = record.count_mut(before.phase);
            // Damage may have lost the state under which it was counted.
            *count = count.saturating_sub(1);
        }
        if let Some(after) = &after {
            *record.count_mut(after.phase) += 1;
        }
        match (before, &after) {
            (None, Some(_)) => self.sections.come(key),
            (Some(_), None) => self.sections.go(key),
            _ => {}
        }
        let due_key = |due| due_key(key.host(), due, key.url());
        if let Some(due) = before.and_then(|before| before.due) {
            self.due.remove(due_key(due));
        }
        if let Some(due) = after.as_ref().and_then(|after| after.due) {
            self.due.insert(due_key(due), []);
        }
        self.entries.insert(key.as_bytes().to_vec(), after);
        Ok(())
    }

    /// The entries and records in their stored form.
    pub(super) fn encode(&self) -> Result<(SpaceBatch, SpaceBatch), Error> {
        let mut urls = SpaceBatch::default();
        for (key, entry) in &self.entries {
            match entry {
                Some(entry) => urls.insert(key.as_slice(), encode(entry)?),
                None => urls.remove(key.as_slice()),
            }
        }
        let mut records = SpaceBatch::default();
        for (name, record) in &self.records {
            records.insert(name.as_bytes(), encode(record)?);
        }
        Ok((urls, records))
    }
}

pub(super) fn encode<T: serde::Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    postcard::to_stdvec(value).map_err(|error| Error::store("write")(tsrec_store::Error::encode("an entry")(error)))
}
