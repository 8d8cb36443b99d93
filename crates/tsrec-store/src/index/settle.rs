//! Writes to sled what was committed: the entries of many commits in one transaction.
//!
//! With each transaction sled closes a buffer of its log and wakes a thread that writes it, which
//! costs more than the entries of a page. So commits leave their entries at their trees
//! ([`IndexTree`]), and they are written together: at the next flush, after [`SETTLE_AFTER`], or
//! when there are [`MOST_WAITING`] bytes. Until then the journal alone has them, and a crash drops
//! them. Nobody was told that they are durable.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use sled::transaction::{ConflictableTransactionError, TransactionError, Transactional, TransactionalTree};

use super::base::Base;
use super::check::ChangedEntry;
use super::digest::entry_digest;
use super::state::{STATE_KEY, State, encode_state};
use super::tree::{IndexTree, WaitingEntries};
use crate::error::{Error, Kind, io};

/// The longest time for which entries wait. Judgement: as often as sled flushes by itself.
const SETTLE_AFTER: Duration = Duration::from_millis(100);

/// Bytes of entries from which on a commit writes them. Judgement: those of some hundred pages. A
/// walk copies what waits in its range.
const MOST_WAITING: usize = 256 << 10;

impl Base {
    /// Writes what was committed to sled, in one transaction. Writers wait meanwhile.
    ///
    /// # Errors
    ///
    /// sled's; then the entries still wait.
    pub(crate) fn settle(&self) -> Result<(), Error> {
        self.settle_in(&mut self.state.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same, if a commit must not add more.
    pub(super) fn settle_if_full(&self, state: &mut State) -> Result<(), Error> {
        if self.unsettled_bytes.load(Ordering::Relaxed) < MOST_WAITING { Ok(()) } else { self.settle_in(state) }
    }

    /// The same with the lock of a writer. O(entries × log tree).
    pub(super) fn settle_in(&self, state: &mut State) -> Result<(), Error> {
        let trees = self.all_trees();
        let waiting: Vec<_> = trees.iter().map(|tree| (tree, tree.waiting())).collect();
        let mut check = self.verified.check();
        let (mut digest, mut changed) = (state.digest, Vec::new());
        for (tree, entries) in &waiting {
            for (key, after) in entries.iter() {
                let before = tree.sled().get(key).map_err(Error::sled("read an entry"))?;
                for (value, count) in [(&before, u64::wrapping_sub as fn(u64, u64) -> u64), (after, u64::wrapping_add)]
                {
                    digest = value.iter().fold(digest, |sum, value| count(sum, entry_digest(key, value)));
                }
                if check.is_some() {
                    let [before, after] = [&before, after].map(|value| value.as_ref().map(|value| value.to_vec()));
                    changed.push(ChangedEntry { tree: tree.sled().name().to_vec(), key: key.to_vec(), before, after });
                }
            }
        }
        let settled = State { digest, ..state.clone() };
        let (state_key, state_bytes) = encode_state(&settled)?;
        let meta = &self.trees.meta;
        let is_as_written = waiting.iter().all(|(_, entries)| entries.is_empty())
            && meta.get(STATE_KEY).map_err(Error::sled("read its state"))?.as_deref() == Some(&state_bytes);
        if is_as_written {
            return Ok(());
        }
        let mut of_meta = sled::Batch::default();
        of_meta.insert(state_key, state_bytes);
        let full = waiting.iter().filter(|(_, entries)| !entries.is_empty());
        let of_trees = full.map(|(tree, entries)| (tree.sled(), batch(entries)));
        let (changed_trees, batches): (Vec<&sled::Tree>, Vec<sled::Batch>) = of_trees.chain([(meta, of_meta)]).unzip();
        changed_trees
            .as_slice()
            .transaction(|trees: &Vec<TransactionalTree>| {
                trees.iter().zip(&batches).try_for_each(|(tree, batch)| tree.apply_batch(batch))?;
                Ok::<(), ConflictableTransactionError<()>>(())
            })
            .map_err(failed)?;
        if let Some(check) = check.as_mut() {
            changed.iter().for_each(|change| check.note(self, change));
        }
        *state = settled;
        drop(waiting);
        // No commit has added any since: the caller has the writer's lock.
        trees.iter().for_each(|tree| tree.waiting_mut().clear());
        self.unsettled_bytes.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// The trees that writers change.
    fn all_trees(&self) -> Vec<IndexTree> {
        let spaces = self.spaces.lock().unwrap_or_else(PoisonError::into_inner);
        [&self.trees.heads, &self.trees.changes].into_iter().chain(spaces.values()).cloned().collect()
    }
}

fn batch(entries: &WaitingEntries) -> sled::Batch {
    let mut batch = sled::Batch::default();
    for (key, value) in entries {
        match value {
            Some(value) => batch.insert(key, value),
            None => batch.remove(key),
        }
    }
    batch
}

/// The error of a transaction that never aborts by itself.
fn failed(error: TransactionError<()>) -> Error {
    let source = match error {
        TransactionError::Storage(source) => source,
        TransactionError::Abort(()) => sled::Error::ReportableBug("a transaction aborted that has no abort".into()),
    };
    Kind::Sled { doing: "commit a transaction", source }.into()
}

/// The thread that writes what waits when nobody flushes. It ends when this is dropped.
pub(crate) struct Settling {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Settling {
    /// Starts it.
    ///
    /// # Errors
    ///
    /// The system's, if it has no room for a thread.
    pub(crate) fn start(base: Arc<Base>) -> Result<Settling, Error> {
        let (end, ended) = channel();
        let path = base.path.clone();
        let work = move || {
            let mut has_failed = false;
            while !has_failed && ended.recv_timeout(SETTLE_AFTER) == Err(RecvTimeoutError::Timeout) {
                let waits = base.unsettled_bytes.load(Ordering::Relaxed) > 0;
                // sled fails from then on until it is opened again.
                if waits && let Err(error) = base.settle() {
                    has_failed = true;
                    tracing::error!(%error, "the index cannot be written: the store takes nothing more until it is opened again");
                }
            }
        };
        let thread = std::thread::Builder::new().name("settling".to_owned()).spawn(work);
        let thread = thread.map_err(|source| io("start a thread for", &path, source))?;
        Ok(Settling { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Settling {
    fn drop(&mut self) {
        drop(self.end.take());
        self.thread.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::{Config, Database, SpaceBatch};

    /// What sled has of the space.
    fn in_sled(database: &Database) -> usize {
        database.base().open_tree("space_example").unwrap().len()
    }

    #[test]
    fn commits_wait_for_each_other_and_not_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        let space = database.space("example").unwrap();
        let write = |key: u32, value: Option<&[u8]>| {
            let mut batch = SpaceBatch::default();
            match value {
                Some(value) => batch.insert(key.to_be_bytes(), value),
                None => batch.remove(key.to_be_bytes()),
            }
            database.write(&[(&space, &batch)]).unwrap();
        };
        let begun = Instant::now();
        (0..10).for_each(|key| write(key, Some(b"value")));
        // A slow machine may write some by itself before all are there.
        assert!(in_sled(&database) == 0 || begun.elapsed() >= SETTLE_AFTER, "ten commits are ten transactions");
        assert_eq!(space.count(), 10);
        while in_sled(&database) < 10 {
            assert!(begun.elapsed() < Duration::from_secs(10), "nobody flushes, and nobody writes them");
            std::thread::sleep(Duration::from_millis(5));
        }
        // The bound counts removals, too.
        let unsettled = || database.base().unsettled_bytes.load(Ordering::Relaxed);
        let most = (0..10).map(|key| {
            write(key, None);
            unsettled()
        });
        assert!(most.max() > Some(0));
        let value = vec![0; MOST_WAITING / 4];
        for key in 0..20 {
            write(key, Some(&value));
            assert!(unsettled() < MOST_WAITING + MOST_WAITING / 2, "{}", unsettled());
        }
    }
}
