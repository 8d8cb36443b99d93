//! What the sites of a store have taught: a memory for each host. A bounded number is in memory;
//! the store has the bytes of all.
//!
//! A site is read from the store on first use and changed in memory. The whole site is written in
//! the transaction of the page that changed it. That happens for each of the first pages, and
//! whenever a template begins, is redesigned or forgotten. Later it happens once the site has
//! learned a quarter more, and after 64 pages at most. So a site's disk use does not grow with its
//! pages. A crash costs statistics of a few pages, but nothing that a person taught. What is
//! learned of pages that other crawlers post is written some seconds later by
//! [`SiteMemories::save_sites`], and after 64 pages at most.

mod cache;
mod config;
mod in_memory;
mod learning;
mod look_again;
mod posted;

use std::sync::{Arc, Mutex};

use cache::SiteCache;
use in_memory::{SiteInMemory, lock};
use look_again::LookAgain;
use tsrec_core::template::{Bounds, Site};
use tsrec_store::{Error, Store};

pub use config::Config;
pub use learning::Learning;

/// What the sites of a store have taught, and the queue of hosts to extract again for that. Clones
/// share it. Make one for each opened store: what it has in memory is newer than the store's bytes.
/// Its methods block as those of the store do.
#[derive(Clone)]
pub struct SiteMemories {
    store: Store,
    config: Config,
    cache: Arc<SiteCache>,
    look_again: Arc<LookAgain>,
}

impl SiteMemories {
    /// The memories in a store. The settings are [checked](Config::check).
    pub fn over(store: &Store, config: Config) -> SiteMemories {
        SiteMemories { store: store.clone(), config, cache: Arc::default(), look_again: Arc::default() }
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The memory of a host's site; empty if there is none.
    ///
    /// # Errors
    ///
    /// The database's errors. A memory that cannot be read is logged, and the site begins anew.
    pub fn site(&self, host: &str) -> Result<Arc<Site>, Error> {
        let kept = self.kept(host)?;
        let site = Arc::clone(&lock(&kept).site);
        Ok(site)
    }

    /// Changes a host's site memory and writes it; durable after
    /// [`Database::durable`](tsrec_store::Database::durable). If the change returns an error,
    /// nothing changes.
    ///
    /// # Errors
    ///
    /// The outer error is the database's; the inner one is the change's own.
    pub fn change_site<R, E>(
        &self,
        host: &str,
        change: impl FnOnce(&mut Site) -> Result<R, E>,
    ) -> Result<Result<R, E>, Error> {
        let kept = self.kept(host)?;
        let changed = {
            let mut kept = lock(&kept);
            let mut site = (*kept.site).clone();
            let done = match change(&mut site) {
                Ok(done) => done,
                Err(error) => return Ok(Err(error)),
            };
            kept.site = Arc::new(site);
            self.save(host, &mut kept)?;
            done
        };
        self.weigh(host);
        Ok(Ok(changed))
    }

    /// Forgets a host's site memory. Returns whether there was any.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn forget_site(&self, host: &str) -> Result<bool, Error> {
        let kept = self.kept(host)?;
        let mut kept = lock(&kept);
        let was_known = self.store.forget_memory(host)? || kept.site.pages() > 0;
        *kept = SiteInMemory::default();
        Ok(was_known)
    }

    /// At most `limit` hosts with a site memory, in order; with `after`, only those past that
    /// host.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn remembered_hosts(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, Error> {
        self.save_sites()?;
        self.store.hosts_with_memory(after, limit)
    }

    /// Writes all unsaved site memories; durable after
    /// [`Database::durable`](tsrec_store::Database::durable).
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn save_sites(&self) -> Result<(), Error> {
        for (host, kept) in self.cache.all() {
            {
                let mut kept = lock(&kept);
                if kept.unsaved == 0 {
                    continue;
                }
                self.save_copy(&host, &mut kept)?;
            }
            self.weigh(&host);
        }
        Ok(())
    }

    /// Approximate bytes of the sites in memory.
    pub fn site_bytes(&self) -> usize {
        self.cache.bytes()
    }

    /// The bounds of a site memory, from the settings `templates_per_host` and
    /// `max_template_bytes`.
    pub fn site_bounds(&self) -> Bounds {
        self.config.bounds()
    }

    fn save(&self, host: &str, kept: &mut SiteInMemory) -> Result<(), Error> {
        let bytes = kept.encode_within(&self.site_bounds())?;
        self.write(host, kept, &bytes)
    }

    fn save_copy(&self, host: &str, kept: &mut SiteInMemory) -> Result<(), Error> {
        let bytes = kept.encode_copy_within(&self.site_bounds())?;
        self.write(host, kept, &bytes)
    }

    fn write(&self, host: &str, kept: &mut SiteInMemory, bytes: &[u8]) -> Result<(), Error> {
        self.store.put_memory(host, bytes)?;
        kept.note_saved(bytes.len());
        Ok(())
    }

    /// The entry of a host; read from the store if it is not in memory.
    fn kept(&self, host: &str) -> Result<Arc<Mutex<SiteInMemory>>, Error> {
        self.cache.get(host, || match self.store.memory(host) {
            Ok(None) => Ok(SiteInMemory::default()),
            Ok(Some(bytes)) => Ok(SiteInMemory::from_bytes(host, &bytes)),
            Err(error) if error.is_damaged() => {
                tracing::error!(host, %error, "what was remembered of a site cannot be read: it is learned anew");
                Ok(SiteInMemory::default())
            }
            Err(error) => Err(error),
        })
    }

    /// Updates a site's size, and evicts others while there are too many.
    fn weigh(&self, host: &str) {
        let most = usize::try_from(self.config.site_cache_bytes).unwrap_or(usize::MAX);
        self.cache.weigh(host, most, |host, kept| self.save(host, kept));
    }
}
