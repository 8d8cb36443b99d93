//! Makes the index of what is due from the URLs, after the store emptied it.

use super::super::error::Error;
use super::Embedded;
use super::layout::due_key;
use tsrec_store::SpaceBatch;

/// Written once all URLs are in the index. No place's key is empty.
const DERIVED: &[u8] = b"";

/// URLs in one transaction. Judgement: nobody else uses the store yet.
const BATCH: usize = 1_000;

impl Embedded {
    /// Fills the index of scheduled URLs, unless it is whole. O(URLs), once after the store was
    /// mended.
    pub(super) fn derive_due(&self) -> Result<(), Error> {
        if self.due.contains_key(DERIVED).map_err(Error::store("read what is due"))? {
            return Ok(());
        }
        let mut entries = self.entries_from(Vec::new());
        loop {
            let (mut batch, mut read) = (SpaceBatch::default(), 0);
            for entry in entries.by_ref().take(BATCH) {
                let (key, entry) = entry?;
                read += 1;
                if let Some(due) = entry.due {
                    batch.insert(due_key(key.host(), due, key.url()), []);
                }
            }
            if read < BATCH {
                batch.insert(DERIVED, []);
            }
            self.write_spaces(&[(&self.due, &batch)])?;
            if read < BATCH {
                return Ok(());
            }
        }
    }
}
