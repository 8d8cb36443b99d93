//! What the layers above share: the journals, sled, the counters, and the flush that makes all of
//! them durable.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use super::state::{FLUSH_KEY, State, Trees};
use super::superseded::DurableEnd;
use super::tree::IndexTree;
use super::verified::Verified;
use crate::Config;
use crate::error::{Error, io};
use crate::log::mark::{DurableMark, MarkFile};
use crate::log::op::Op;
use crate::log::{Journal, Place};

/// The journals, sled and the counters of an open directory.
pub(crate) struct Base {
    // Declared first, so that sled stops before the file below is closed.
    pub(crate) trees: Trees,
    pub(crate) sled: sled::Db,
    pub(crate) file: File,
    pub(crate) records: Journal,
    pub(crate) bodies: Journal,
    pub(crate) mark: MarkFile,
    /// The number of the last flush.
    pub(crate) flush: AtomicU64,
    pub(crate) path: PathBuf,
    pub(crate) config: Config,
    pub(crate) epoch: AtomicU64,
    pub(crate) state: RwLock<State>,
    /// The trees of the open spaces, by name.
    pub(crate) spaces: Mutex<BTreeMap<String, IndexTree>>,
    /// Bytes of committed entries that sled has not yet: see [`Base::settle`].
    pub(crate) unsettled_bytes: AtomicUsize,
    /// Whether this process keeps bodies within the budget.
    pub(crate) makes_room: AtomicBool,
    pub(crate) durable_end: DurableEnd,
    pub(crate) verified: Verified,
}

/// The journal of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Which {
    Records,
    Bodies,
}

/// A frame that is being collected.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) which: Which,
    pub(crate) place: Place,
    pub(crate) op: &'a Op,
    pub(crate) value: &'a [u8],
    /// Bodies that can go, go.
    pub(crate) makes_room: bool,
}

impl Base {
    /// Whether this process keeps bodies within the budget: it knows the setting.
    pub(crate) fn makes_room(&self) -> bool {
        self.makes_room.load(Ordering::Relaxed)
    }

    pub(crate) fn begin_making_room(&self) {
        self.makes_room.store(true, Ordering::Relaxed);
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Begins another epoch. The caller has a writer, so that nobody reads the feed meanwhile.
    pub(crate) fn set_epoch(&self, epoch: u64) {
        self.epoch.store(epoch, Ordering::Release);
    }

    pub(crate) fn trees(&self) -> &Trees {
        &self.trees
    }

    pub(crate) fn journal(&self, which: Which) -> &Journal {
        match which {
            Which::Records => &self.records,
            Which::Bodies => &self.bodies,
        }
    }

    /// The durable end of the feed.
    pub(crate) fn durable_end(&self) -> &DurableEnd {
        &self.durable_end
    }

    /// The store's state. While the guard lives, the store commits no transaction. Hold it
    /// briefly, and take it once.
    pub(crate) fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock of a [`crate::index::writer::Writer`].
    pub(crate) fn state_lock(&self) -> &RwLock<State> {
        &self.state
    }

    pub(crate) fn tree_names(&self) -> Vec<sled::IVec> {
        self.sled.tree_names()
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The tree of a space; created if there is none.
    pub(crate) fn space_tree(&self, name: &str) -> Result<IndexTree, Error> {
        let mut spaces = self.spaces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = spaces.get(name) {
            return Ok(tree.clone());
        }
        let tree = IndexTree::new(self.open_tree(name)?);
        spaces.insert(name.to_owned(), tree.clone());
        Ok(tree)
    }

    /// A tree of sled, without the entries that wait for it; created if there is none.
    pub(crate) fn open_tree(&self, name: &str) -> Result<sled::Tree, Error> {
        self.sled.open_tree(name).map_err(Error::sled("open a tree"))
    }

    /// Makes all writes durable: the journals first, so that sled never names a missing frame.
    pub(crate) fn flush(&self) -> Result<(), Error> {
        let (sequence, number) = {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            self.settle_in(&mut state)?;
            (state.last_sequence, state.number)
        };
        self.records.sync()?;
        self.bodies.sync()?;
        let flush = self.flush.fetch_add(1, Ordering::SeqCst) + 1;
        self.trees.meta.insert(FLUSH_KEY, &flush.to_be_bytes()).map_err(Error::sled("write a number"))?;
        // sled's flush passes the pages to the kernel (sync_file_range). Only fdatasync gets them
        // through the disk's cache.
        self.sled.flush().map_err(Error::sled("flush"))?;
        self.file.sync_data().map_err(|source| io("sync", &self.path, source))?;
        let mark = DurableMark { flush, number, sequence };
        self.mark.write(mark).map_err(|source| io("write the mark of", &self.path, source))?;
        self.durable_end.advance(sequence);
        Ok(())
    }
}

/// A number that no other database has. It need not be secret, so this uses no random source. It
/// mixes the time, the process id and the keys that the standard library draws from the operating
/// system for its hash maps.
pub(crate) fn new_epoch() -> u64 {
    RandomState::new().hash_one((jiff::Timestamp::now().as_nanosecond(), std::process::id()))
}
