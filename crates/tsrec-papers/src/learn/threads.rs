//! Threads for work that is split.

use tsrec_core::learn::parallel::{Job, Workers};

/// As many threads as there are processors, the caller's included.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

impl Workers for Threads {
    fn count(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// Starts a thread for each job but the first.
    fn run(&self, mut jobs: Vec<Job<'_>>) {
        let own = (!jobs.is_empty()).then(|| jobs.remove(0));
        std::thread::scope(|scope| {
            for job in jobs {
                scope.spawn(job);
            }
            own.into_iter().for_each(|job| job());
        });
    }
}
