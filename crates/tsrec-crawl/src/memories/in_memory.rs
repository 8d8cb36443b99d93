//! The memory of one site while it is in use: its bytes, and when to write them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::posted::PostedUrls;
use tsrec_core::extract::scored::Scored;
use tsrec_core::template;
use tsrec_core::template::{Bounds, Learned, Site};
use tsrec_store::Error;

/// The most pages that a site may learn between two writes. Judgement: after a thousand pages,
/// this many change little.
const MOST_UNSAVED: u64 = 64;

/// A site is written once it has learned one page for each this many that it knew. Calibration:
/// with 16, sites of 150 pages wrote more bytes of memories than of records
/// (`cargo bench --bench disk`).
const SAVED_AFTER: u64 = 4;

/// A site's size in memory, as a multiple of its size on disk. Calibration: a place takes some
/// 110 bytes on disk and some 700 in memory.
const IN_MEMORY: usize = 7;

/// A site, and how much of it is unsaved.
#[derive(Default)]
pub(super) struct SiteInMemory {
    pub(super) site: Arc<Site>,
    pub(super) posted: PostedUrls,
    pub(super) unsaved: u64,
    /// Its size on disk at the last read or write.
    saved_bytes: usize,
}

impl SiteInMemory {
    /// A site from its bytes in the store. What cannot be used is logged, and the site begins anew.
    pub(super) fn from_bytes(host: &str, bytes: &[u8]) -> SiteInMemory {
        let (posted, file) = PostedUrls::split(bytes);
        let (site, posted, unsaved) = match Site::from_file(file, Scored::shipped_digest()) {
            Ok(site) => (site, posted, 0),
            Err(template::Error::OtherModel(rest)) => {
                tracing::warn!(
                    host,
                    kept = rest.templates().len(),
                    "this program's model is another one: the site is learned anew, what it was taught stays"
                );
                (*rest, PostedUrls::default(), 1)
            }
            Err(error) => {
                tracing::error!(host, %error, "what was remembered of a site cannot be used: it is learned anew");
                (Site::default(), PostedUrls::default(), 1)
            }
        };
        SiteInMemory { site: Arc::new(site), posted, unsaved, saved_bytes: bytes.len() }
    }

    /// Its bytes in the store, within bounds.
    pub(super) fn encode_within(&mut self, bounds: &Bounds) -> Result<Vec<u8>, Error> {
        Arc::make_mut(&mut self.site).enforce(bounds);
        self.posted.before(self.site.to_file(Scored::shipped_digest()))
    }

    /// The same of a copy: what is in memory need not keep to the bounds. So pages that are posted
    /// one after another have the content that a batch finds, which writes nothing.
    pub(super) fn encode_copy_within(&self, bounds: &Bounds) -> Result<Vec<u8>, Error> {
        let (site, posted) = (Arc::clone(&self.site), self.posted.clone());
        SiteInMemory { site, posted, ..SiteInMemory::default() }.encode_within(bounds)
    }

    /// Notes that it was written, as so many bytes.
    pub(super) fn note_saved(&mut self, bytes: usize) {
        (self.unsaved, self.saved_bytes) = (0, bytes);
    }

    /// Whether it must be written with the page that it learned last.
    pub(super) fn is_due(&self, learned: &Learned) -> bool {
        self.unsaved >= (self.site.pages() / SAVED_AFTER).clamp(1, MOST_UNSAVED)
            || learned.is_new
            || learned.begins_to_serve
            || learned.redesign.is_some()
            || !learned.forgotten.is_empty()
    }

    /// Whether it must be written although nobody asked for that.
    pub(super) fn is_overdue(&self) -> bool {
        self.unsaved >= MOST_UNSAVED
    }

    /// Its approximate size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.saved_bytes * IN_MEMORY
    }
}

/// Locks a site.
pub(super) fn lock(kept: &Mutex<SiteInMemory>) -> MutexGuard<'_, SiteInMemory> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
