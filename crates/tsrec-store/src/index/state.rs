//! The trees of the store, its counters, and the keys of its own entries.

use serde::{Deserialize, Serialize};

use super::tree::IndexTree;
use crate::error::Error;

pub(crate) const FORMAT_KEY: &[u8] = b"format";
pub(crate) const EPOCH_KEY: &[u8] = b"epoch";
pub(crate) const STATE_KEY: &[u8] = b"state";
pub(crate) const FLUSH_KEY: &[u8] = b"flush";

/// The space of the frontier whose keys are `host\0url`.
pub(crate) const FRONTIER_URLS: &str = "urls";

/// The trees of the store; the frontier opens its own.
pub(crate) struct Trees {
    pub(crate) meta: sled::Tree,
    pub(crate) heads: IndexTree,
    pub(crate) changes: IndexTree,
}

impl Trees {
    pub(crate) fn open(sled: &sled::Db) -> Result<Trees, Error> {
        let tree = |name: &str| sled.open_tree(name).map_err(Error::sled("open a tree"));
        let (heads, changes) = (IndexTree::new(tree("heads")?), IndexTree::new(tree("changes")?));
        Ok(Trees { meta: tree("meta")?, heads, changes })
    }
}

/// The store's counters, written with every transaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The newest sequence number given so far; 0 before the first.
    pub(crate) last_sequence: u64,
    /// The highest sequence of a pruned tombstone; 0 if none was pruned.
    pub(crate) floor: u64,
    /// Numbers the siblings, so that the store knows the oldest.
    pub(crate) held_order: u64,
    pub(crate) pages: u64,
    pub(crate) tombstones: u64,
    pub(crate) held: u64,
    pub(crate) parked: u64,
    /// Bytes of the bodies that wait, and of the siblings among the others.
    pub(crate) waiting_bytes: u64,
    pub(crate) sibling_bytes: u64,
    /// The number of the last frame in the journal of records that the trees contain.
    pub(crate) number: u64,
    /// The sum of the digests of all entries in `heads`, `changes` and the spaces. It shows whether
    /// one is missing.
    pub(crate) digest: u64,
    /// The number of the last frame in the journal of bodies that the trees may name.
    pub(crate) bodies: u64,
}

/// The `meta` entry of the state.
pub(crate) fn encode_state(state: &State) -> Result<(&'static [u8], Vec<u8>), Error> {
    Ok((STATE_KEY, postcard::to_stdvec(state).map_err(Error::encode("the state"))?))
}
