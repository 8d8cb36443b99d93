//! A snapshot of sled's log when a store is closed.
//!
//! sled writes one only when it opens: it then reads all that was written since the one before. So
//! the end of a long run opens it once more, and the next opening need not read all that.

use std::path::{Path, PathBuf};

use super::guarded::guarded;
use super::{DIR, open_sled, sled_log};

/// From so many unread segments on, of 512 KiB each. Judgement: reading less takes a tenth of a
/// second.
const WORTH_IT: u64 = 64;

/// Writes the snapshot when it is dropped, which must be after sled.
pub(crate) struct SnapshotAtEnd {
    dir: PathBuf,
    cache_capacity: u64,
}

impl SnapshotAtEnd {
    pub(crate) fn new(dir: &Path, cache_capacity: u64) -> SnapshotAtEnd {
        SnapshotAtEnd { dir: dir.join(DIR), cache_capacity }
    }

    fn is_worth_it(&self) -> std::io::Result<bool> {
        // What is damaged the next opening must see.
        Ok(sled_log::unread_segments(&self.dir)? >= WORTH_IT && sled_log::doubt(&self.dir)?.is_none())
    }
}

impl Drop for SnapshotAtEnd {
    fn drop(&mut self) {
        if std::thread::panicking() || !self.is_worth_it().unwrap_or(false) {
            return;
        }
        // Without it the next opening takes longer.
        match guarded(|| open_sled(&self.dir, self.cache_capacity).map(drop)) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "sled has no snapshot of its log"),
            Err(panic) => tracing::debug!(panic, "sled has no snapshot of its log"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Database, SpaceBatch};

    use super::*;

    #[test]
    fn after_a_long_run_there_is_a_snapshot() {
        let dir = tempfile::tempdir().unwrap();
        let unread = || sled_log::unread_segments(&dir.path().join(DIR)).unwrap();
        let write = |entries: u32| {
            let database = Database::open(dir.path(), &Config::default()).unwrap();
            let space = database.space("example").unwrap();
            for n in 0..entries {
                let mut batch = SpaceBatch::default();
                (0..100u32).for_each(|at| batch.insert((n * 7_919 + at * 104_729).to_be_bytes(), vec![at as u8; 500]));
                database.write(&[(&space, &batch)]).unwrap();
            }
            drop(space);
            database.durable().unwrap();
            let before = unread();
            drop(database);
            before
        };
        assert!(write(900) >= WORTH_IT);
        assert!(unread() < 4, "{} segments", unread());
        assert!((1..WORTH_IT).contains(&write(20)));
        assert!(unread() >= 1, "a short run leaves it");
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        assert!(database.recovery().is_quiet() && !database.is_verified());
    }
}
