//! Entries of the tree `changes`: the latest change of each URL.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::instant;
use crate::key::Key;
use crate::log::op::{ContentHash, DeletionReason};

/// A value of the tree `changes`.
#[derive(Serialize, Deserialize)]
pub(crate) struct ChangeEntry {
    pub(crate) url: String,
    #[serde(with = "instant")]
    pub(crate) at: Timestamp,
    pub(crate) what: ChangeOperation,
}

#[derive(Serialize, Deserialize)]
pub(crate) enum ChangeOperation {
    Upsert(ContentHash),
    Delete(DeletionReason),
}

/// A feed entry, ready for writing.
pub(crate) fn upserted(key: &Key, content_hash: ContentHash, at: Timestamp) -> Result<Vec<u8>, Error> {
    encode(&ChangeEntry { url: key.url().to_owned(), at, what: ChangeOperation::Upsert(content_hash) })
}

/// An entry of the feed, ready to be written.
pub(crate) fn deleted(key: &Key, reason: DeletionReason, at: Timestamp) -> Result<Vec<u8>, Error> {
    encode(&ChangeEntry { url: key.url().to_owned(), at, what: ChangeOperation::Delete(reason) })
}

fn encode(entry: &ChangeEntry) -> Result<Vec<u8>, Error> {
    postcard::to_stdvec(entry).map_err(Error::encode("a change"))
}
