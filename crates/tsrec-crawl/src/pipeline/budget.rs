//! Memory for pages in flight, in bytes. There is one budget, whatever the number and size of the
//! pages.
//!
//! Half of it is for bodies on their way. Each counts at the largest size until it has come. The
//! other half is for pages that are parsed and extracted. A body that has come waits for the second
//! half while it keeps its size of the first. A page with its share of the second half waits for no
//! more memory. So there is no deadlock, and one page always gets through.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The unit of the semaphores, in bytes: they cannot count past four thousand million.
const UNIT: usize = 1 << 10;

/// Bytes of memory for a byte of a page in work: the document, the data on its blocks, its
/// sequence, its text. Calibration (`cargo bench -p tsrec-lab --bench growth`): 12 for a page of
/// elements of eight bytes, which was 19 when this was set; 1 to 2 for one of articles.
const TREE_FACTOR: usize = 20;

/// The least cost of any page. Judgement.
const LEAST_COST: usize = 1 << 20;

/// Bytes of a page for one element, at the densest expected. Judgement: `<p>a</p>` and a little
/// more.
const BYTES_PER_ELEMENT: usize = 16;

/// Most rows of one exact alignment: a bit a cell, see [`tsrec_core::tsrec::align::BUDGET`].
const MOST_ROWS: usize = tsrec_core::tsrec::align::BUDGET / 8;

/// Pages in work for each processor, from parsing to extraction. Judgement: a page that waits for
/// the store leaves the processor to another. If all pages in flight are in work, their documents
/// take most of the memory, and each page takes as many times longer.
const PAGES_PER_PROCESSOR: usize = 2;

/// The budget.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    fetching: Arc<Semaphore>,
    working: Arc<Semaphore>,
    permits: Arc<Semaphore>,
    /// The units of each half.
    units: u32,
}

/// A share of the budget, released when dropped.
#[derive(Debug)]
pub(super) struct BudgetPermit(Option<OwnedSemaphorePermit>);

impl Budget {
    pub(super) fn new(bytes: usize) -> Budget {
        let units = units(bytes / 2);
        let half = || Arc::new(Semaphore::new(units as usize));
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let permits = Arc::new(Semaphore::new(processors * PAGES_PER_PROCESSOR));
        Budget { fetching: half(), working: half(), permits, units }
    }

    /// Memory for a body of at most this many bytes.
    pub(super) async fn body(&self, most: usize) -> BudgetPermit {
        self.take(&self.fetching, most).await
    }

    /// Memory to work on a page of this many bytes.
    pub(super) async fn work(&self, body: usize) -> BudgetPermit {
        self.take(&self.working, cost(body)).await
    }

    /// A processor to work on a page. A task takes its memory first, and takes no more memory once
    /// it has the processor.
    pub(super) async fn permit(&self) -> WorkPermit {
        WorkPermit(Arc::new(Mutex::new(Arc::clone(&self.permits).acquire_owned().await.ok())))
    }

    /// Pages that could be worked on at once, besides those in work.
    #[cfg(test)]
    pub(super) fn free_slots(&self) -> usize {
        self.permits.available_permits()
    }

    /// Bytes in use.
    pub(super) fn taken(&self) -> usize {
        let free = self.fetching.available_permits() + self.working.available_permits();
        (2 * self.units as usize).saturating_sub(free) * UNIT
    }

    /// A request for more than the half gets the whole half.
    async fn take(&self, half: &Arc<Semaphore>, bytes: usize) -> BudgetPermit {
        // The semaphores are never closed.
        BudgetPermit(Arc::clone(half).acquire_many_owned(units(bytes).min(self.units)).await.ok())
    }
}

/// Permission to work on a page, released when its last clone is dropped.
#[derive(Clone, Debug)]
pub(super) struct WorkPermit(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl WorkPermit {
    /// Releases it, though the work goes on.
    pub(super) fn lend(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl BudgetPermit {
    /// Releases all but this many bytes.
    pub(super) fn shrink(&mut self, bytes: usize) {
        if let Some(permit) = &mut self.0 {
            drop(permit.split(permit.num_permits().saturating_sub(units(bytes) as usize)));
        }
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT).max(1)).unwrap_or(u32::MAX).min(Semaphore::MAX_PERMITS.min(1 << 28) as u32)
}

/// The cost of working on a page of this many bytes: its tree, and the rows of its alignment with a
/// sibling of its size.
fn cost(body: usize) -> usize {
    let elements = body / BYTES_PER_ELEMENT;
    let rows = (elements.saturating_mul(elements) / 8).min(MOST_ROWS);
    body.saturating_mul(TREE_FACTOR).saturating_add(rows).saturating_add(LEAST_COST)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn a_page_costs_by_its_size() {
        for (body, least, most) in [(0, MIB, MIB), (20_000, MIB, 2 * MIB), (6 * MIB, 97 * MIB, 162 * MIB)] {
            assert!((least..=most).contains(&cost(body)), "{body}: {}", cost(body));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn large_pages_wait_for_each_other_and_small_ones_do_not() {
        let budget = Budget::new(400 * MIB);
        let large = budget.work(6 * MIB).await;
        let soon = Duration::from_secs(1);
        assert!(tokio::time::timeout(soon, budget.work(6 * MIB)).await.is_err());
        assert!(tokio::time::timeout(soon, budget.work(20_000)).await.is_ok());
        drop(large);
        assert!(tokio::time::timeout(soon, budget.work(6 * MIB)).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_larger_than_the_budget_gets_through_alone() {
        let budget = Budget::new(MIB);
        drop(budget.work(100 * MIB).await);
        drop(budget.body(100 * MIB).await);
        assert_eq!(budget.taken(), 0);
    }

    #[tokio::test]
    async fn a_body_keeps_only_its_size() {
        let budget = Budget::new(20 * MIB);
        let mut share = budget.body(10 * MIB).await;
        assert_eq!(budget.taken(), 10 * MIB);
        share.shrink(30_000);
        assert_eq!(budget.taken(), 30 * 1_024);
        drop(share);
        assert_eq!(budget.taken(), 0);
    }
}
