//! Bodies when the index is lost: those that may stay as they came are raw again, if their records
//! are of the same fetch. Nobody knows any more which pages waited, and which were siblings.

use std::collections::HashMap;
use std::path::Path;

use jiff::Timestamp;

use super::{BATCH, scan_journal, transact};
use crate::bodies::uses;
use crate::error::Error;
use crate::index::base::Base;
use crate::index::heads::{HeadSort, PageHead};
use crate::key::Key;
use crate::log::op::{Op, Uses};
use crate::log::{BODIES, Place};

/// The newest frame of each body.
#[derive(Default)]
pub(super) struct FoundBodies(HashMap<String, (Place, Timestamp, Uses)>);

impl FoundBodies {
    pub(super) fn read(dir: &Path) -> Result<FoundBodies, Error> {
        let mut found = HashMap::new();
        scan_journal(dir, BODIES, |place, entry, _| {
            if let Op::Body { key, fetched_at, uses } = entry.op {
                found.insert(key, (place, fetched_at, uses));
            }
            Ok(())
        })?;
        Ok(FoundBodies(found))
    }

    /// How many waited or were siblings, at most: the journal does not say which of them were
    /// dropped.
    pub(super) fn lost(&self) -> u64 {
        self.0.values().filter(|(.., uses)| uses.waits || uses.sibling).count() as u64
    }

    /// Writes heads for the raw ones whose records are of the same fetch.
    pub(super) fn put(self, base: &Base) -> Result<(), Error> {
        let raw: Vec<_> = self.0.into_iter().filter(|(_, (.., uses))| uses.raw).collect();
        for bodies in raw.chunks(BATCH) {
            transact(base, |writer| {
                for (key, (place, fetched_at, _)) in bodies {
                    let Some(key) = Key::from_bytes(key.as_bytes()) else { continue };
                    let record: Option<PageHead> = writer.head(HeadSort::Page, &key)?;
                    if record.is_some_and(|record| record.page.fetched_at == *fetched_at) {
                        uses::put_found(writer, &key, *fetched_at, *place)?;
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
