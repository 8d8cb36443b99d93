//! The room for extraction: pages in work, bytes of pages that wait, and batches. A request that
//! finds no room gets 503 at once, so that the crawl and `/healthz` go on.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http::problem::Problem;

/// The most bytes of bodies in memory, those in work included. Judgement: some thousand ordinary
/// pages, or six of the largest.
const MOST_BYTES: usize = 256 << 20;

/// The unit in which these bytes are counted.
const UNIT: usize = 16 << 10;

/// The most batches at a time. Judgement: each works on one page at a time, and may hold the
/// longest line.
const BATCHES: usize = 8;

/// Shared by all requests for extraction.
pub(crate) struct Room {
    bytes: Arc<Semaphore>,
    workers: Arc<Semaphore>,
    batches: Arc<Semaphore>,
}

impl Room {
    /// For so many pages at a time; 0 for as many as there are processors.
    pub(super) fn new(pages: usize) -> Room {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let pages = if pages == 0 { processors } else { pages };
        let [bytes, workers, batches] = [MOST_BYTES / UNIT, pages, BATCHES].map(|most| Arc::new(Semaphore::new(most)));
        Room { bytes, workers, batches }
    }

    /// Room for a body, of the length that its head states, else of the most bytes.
    ///
    /// # Errors
    ///
    /// 503 if there is none now.
    pub(super) fn enter(&self, headers: &HeaderMap, most: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let stated = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        let units = stated.unwrap_or(most).min(most).div_ceil(UNIT).clamp(1, MOST_BYTES / UNIT);
        let room = Arc::clone(&self.bytes).try_acquire_many_owned(units as u32);
        room.map_err(|_| full("too many pages wait for extraction"))
    }

    /// Room for a batch.
    ///
    /// # Errors
    ///
    /// 503 if there is none now.
    pub(super) fn batch(&self) -> Result<OwnedSemaphorePermit, Problem> {
        Arc::clone(&self.batches).try_acquire_owned().map_err(|_| full("too many batches are under way"))
    }

    /// Waits for a worker.
    pub(super) async fn worker(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.workers).acquire_owned().await.ok()
    }
}

fn full(why: &str) -> Problem {
    metrics::counter!("tsrec_service_refused_total").increment(1);
    Problem::busy(format!("{why}: come again after the seconds of Retry-After"))
}
