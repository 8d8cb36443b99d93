//! Waits for the disk. Writes at about the same time share a flush, and a waiting task holds no
//! thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

use super::{Error, blocking};
use tsrec_store::Database;

/// Least time from the beginning of a flush to that of the next. Calibration: `cargo bench --bench
/// throughput`. Without it a busy daemon flushes for every second page, at some 60 system calls
/// each.
const LEAST_BETWEEN: Duration = Duration::from_millis(20);

/// The waiting tasks, and how far the last flush went.
#[derive(Default)]
pub(super) struct Durability {
    asked: AtomicU64,
    last: Mutex<Flush>,
}

#[derive(Default)]
struct Flush {
    covers: u64,
    began: Option<Instant>,
}

impl Durability {
    /// Returns when everything written before the call survives a power cut.
    pub(super) async fn of(&self, database: &Database) -> Result<(), Error> {
        let mine = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut last = self.last.lock().await;
        if last.covers >= mine {
            return Ok(());
        }
        if let Some(began) = last.began {
            sleep_until(began + LEAST_BETWEEN).await;
        }
        // Tasks counted by now wrote before they asked.
        let covers = self.asked.load(Ordering::SeqCst);
        last.began = Some(Instant::now());
        let database = database.clone();
        blocking(move || database.durable()).await?.map_err(Error::because)?;
        last.covers = covers;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_store::Config;

    #[tokio::test(start_paused = true)]
    async fn who_waits_together_shares_a_flush_and_flushes_keep_their_distance() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        let durability = Durability::default();
        let began = Instant::now();
        durability.of(&database).await.unwrap();
        assert_eq!(began.elapsed(), Duration::ZERO, "the first waits for nobody");
        let (one, two, three) =
            tokio::join!(durability.of(&database), durability.of(&database), durability.of(&database));
        one.and(two).and(three).unwrap();
        assert!(began.elapsed() >= LEAST_BETWEEN && began.elapsed() < 2 * LEAST_BETWEEN, "{:?}", began.elapsed());
        assert_eq!(durability.last.lock().await.covers, 4);
    }
}
