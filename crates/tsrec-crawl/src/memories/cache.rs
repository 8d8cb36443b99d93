//! The sites in memory, and which of them go when there are too many.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::in_memory::{SiteInMemory, lock};
use tsrec_store::Error;

/// The sites in memory.
#[derive(Default)]
pub(super) struct SiteCache(Mutex<CachedSites>);

#[derive(Default)]
struct CachedSites {
    sites: HashMap<String, CachedSite>,
    /// Counts accesses, so that the entry longest not used is known.
    asked: u64,
    /// Total size of all entries, each as of its last use.
    bytes: usize,
}

struct CachedSite {
    kept: Arc<Mutex<SiteInMemory>>,
    used: u64,
    bytes: usize,
}

impl SiteCache {
    /// The entry of a host. If there is none, `read` makes it, while nobody else uses the cache: a
    /// host has one entry.
    pub(super) fn get(
        &self,
        host: &str,
        read: impl FnOnce() -> Result<SiteInMemory, Error>,
    ) -> Result<Arc<Mutex<SiteInMemory>>, Error> {
        let mut cache = self.cache();
        cache.asked += 1;
        let used = cache.asked;
        if let Some(entry) = cache.sites.get_mut(host) {
            entry.used = used;
            return Ok(Arc::clone(&entry.kept));
        }
        let site = read()?;
        let bytes = site.bytes();
        let kept = Arc::new(Mutex::new(site));
        cache.bytes += bytes;
        cache.sites.insert(host.to_owned(), CachedSite { kept: Arc::clone(&kept), used, bytes });
        Ok(kept)
    }

    /// All entries with their hosts.
    pub(super) fn all(&self) -> Vec<(String, Arc<Mutex<SiteInMemory>>)> {
        self.cache().sites.iter().map(|(host, entry)| (host.clone(), Arc::clone(&entry.kept))).collect()
    }

    /// Approximate bytes of all entries.
    pub(super) fn bytes(&self) -> usize {
        self.cache().bytes
    }

    /// Updates a site's size, and evicts the sites longest not used while all take more than `most`
    /// bytes. `save` writes unsaved ones first.
    pub(super) fn weigh(&self, host: &str, most: usize, save: impl Fn(&str, &mut SiteInMemory) -> Result<(), Error>) {
        let mut guard = self.cache();
        let cache = &mut *guard;
        if let Some(entry) = cache.sites.get_mut(host) {
            let now = entry.kept.try_lock().map_or(entry.bytes, |kept| kept.bytes());
            cache.bytes = (cache.bytes + now).saturating_sub(entry.bytes);
            entry.bytes = now;
        }
        while cache.bytes > most {
            // A site in use has other holders, too.
            let idle = cache.sites.iter().filter(|(_, entry)| Arc::strong_count(&entry.kept) == 1);
            let Some(oldest) = idle.min_by_key(|(_, entry)| entry.used).map(|(host, _)| host.clone()) else { return };
            let Some(entry) = cache.sites.remove(&oldest) else { return };
            cache.bytes = cache.bytes.saturating_sub(entry.bytes);
            let mut kept = lock(&entry.kept);
            if kept.unsaved > 0
                && let Err(error) = save(&oldest, &mut kept)
            {
                tracing::error!(host = oldest, %error, "what was learned of a site could not be written");
            }
        }
    }

    fn cache(&self) -> MutexGuard<'_, CachedSites> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
