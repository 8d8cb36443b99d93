//! Site memories, one per host. A bounded number is in memory; all are in the journal of records.
//!
//! The store reads a site from the journal on first use and changes it in memory. It writes the
//! whole site in the transaction of the page that changed it. It does so for each of the first
//! pages, and whenever a template begins, is redesigned or forgotten. Later it writes once the
//! site has learned a quarter more, and after [`MOST_UNSAVED`] pages at most. So a site's disk
//! use does not grow with its pages. A crash costs statistics of a few pages, but nothing that a
//! person taught. What it learns of pages that other crawlers post is written some seconds later by
//! [`Store::save_sites`], and after [`MOST_UNSAVED`] pages at most.

use std::collections::HashMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use url::Url;

use crate::Store;
use crate::error::Error;
use crate::index::base::Which;
use crate::index::heads;
use crate::index::heads::{HeadSort, MemoryHead};
use crate::index::writer::{self, Writer};
use crate::key::Key;
use crate::log::Place;
use crate::log::op::Op;
use crate::log::packed::Packed;
use crate::records::posted::PostedUrls;
use tsrec_core::extract::scored::Scored;
use tsrec_core::metadata::Stated;
use tsrec_core::template;
use tsrec_core::template::{Bounds, Learned, Memory, Site, Visit};

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

/// The sites in memory.
#[derive(Default)]
pub(crate) struct SiteCache(Mutex<Cache>);

#[derive(Default)]
struct Cache {
    sites: HashMap<String, CachedSite>,
    /// Counts accesses, so that the store knows the entry longest not used.
    asked: u64,
    /// Total size of all entries, each as of its last use.
    bytes: usize,
}

struct CachedSite {
    kept: Arc<Mutex<SiteInMemory>>,
    used: u64,
    bytes: usize,
}

/// A site, and how much of it is unsaved.
#[derive(Default)]
struct SiteInMemory {
    site: Arc<Site>,
    posted: PostedUrls,
    unsaved: u64,
    /// Its size on disk at the last read or write.
    bytes: usize,
}

/// What the site of a posted page knew before the page.
#[doc(hidden)]
pub struct Posted {
    /// The memory of the page's template, with the page counted once.
    pub memory: Memory,
    /// What other pages of the site state.
    pub stated: Stated,
}

/// A changed site memory, ready to be written with a page.
pub(crate) struct MemoryChange<'k> {
    host: &'k str,
    packed: Packed,
    raw_len: usize,
}

#[doc(hidden)]
impl Store {
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

    /// Changes a host's site memory and writes it; durable after [`Database::durable`]. If the
    /// change returns an error, nothing changes.
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
        let key = Key::of_host(host);
        let mut writer = Writer::new(self.database.base());
        let was_known = writer.head::<MemoryHead>(HeadSort::Memory, &key)?.is_some();
        if was_known {
            writer.append(Op::NoMemory { host: host.to_owned() }, None)?;
            take(&mut writer, &key)?;
            writer.commit()?;
        }
        let was_known = was_known || kept.site.pages() > 0;
        (kept.site, kept.posted) = (Arc::default(), PostedUrls::default());
        (kept.unsaved, kept.bytes) = (0, 0);
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
        let start = match after {
            Some(after) => Bound::Excluded(heads::tree_key(HeadSort::Memory, &Key::of_host(after))),
            None => Bound::Included(heads::tree_prefix(HeadSort::Memory, None)),
        };
        let end = Bound::Excluded(vec![HeadSort::Memory as u8 + 1]);
        let entries = self.database.base().trees().heads.range::<Vec<u8>, _>((start, end)).take(limit);
        let host = |entry: sled::Result<(sled::IVec, sled::IVec)>| {
            let (tree_key, _) = entry.map_err(Error::sled("list what is remembered"))?;
            Ok(heads::url_key(&tree_key)?.host().to_owned())
        };
        entries.map(host).collect()
    }

    /// Writes all unsaved site memories; durable after [`Database::durable`].
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn save_sites(&self) -> Result<(), Error> {
        let entries: Vec<(String, Arc<Mutex<SiteInMemory>>)> = {
            let cache = self.database.sites().cache();
            cache.sites.iter().map(|(host, entry)| (host.clone(), Arc::clone(&entry.kept))).collect()
        };
        for (host, kept) in entries {
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
        self.database.sites().cache().bytes
    }

    /// Adds a page to a site's memory. If a write is due, `put` writes it in the same
    /// transaction.
    pub(crate) fn learn<R>(
        &self,
        host: &str,
        learn: impl FnOnce(&mut Site, &PostedUrls) -> Learned,
        put: impl FnOnce(&Site, &Learned, Option<MemoryChange<'_>>) -> Result<R, Error>,
    ) -> Result<(R, Learned), Error> {
        let kept = self.kept(host)?;
        let done = {
            let mut kept = lock(&kept);
            let kept = &mut *kept;
            let learned = learn(Arc::make_mut(&mut kept.site), &kept.posted);
            kept.unsaved += 1;
            let change = if kept.is_due(&learned) { Some(self.ready(host, kept)?) } else { None };
            let raw_len = change.as_ref().map(|change| change.raw_len);
            let done = put(&kept.site, &learned, change)?;
            if let Some(raw_len) = raw_len {
                (kept.unsaved, kept.bytes) = (0, raw_len);
            }
            (done, learned)
        };
        self.weigh(host);
        Ok(done)
    }

    /// Recalls what the site of a posted page knows, then adds the page to the memory. A URL that
    /// was posted or crawled before is not counted again. The memory is written by
    /// [`Store::save_sites`], which the caller should call soon, and after 64 pages of the host.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn learn_posted(&self, url: &Url, memory: &Memory, stated: &Stated) -> Result<Posted, Error> {
        let key = Key::from_url(url)?;
        let kept = self.kept(key.host())?;
        let crawled = self.get(url.as_str())?.and_then(|record| record.template);
        let posted = {
            let mut kept = lock(&kept);
            let kept = &mut *kept;
            let (known, others) = (kept.site.known_with(memory), kept.site.stated());
            let before = kept.posted.template_of(&key).or(crawled.map(|template| template.number));
            let visit = Visit { before, stated: Some(stated), ..Visit::default() };
            let learned = Arc::make_mut(&mut kept.site).learn_within(memory, visit, &self.site_bounds());
            kept.posted.note(&key, learned.number);
            kept.unsaved += 1;
            if kept.unsaved >= MOST_UNSAVED {
                self.save_copy(key.host(), kept)?;
            }
            Posted { memory: known, stated: others }
        };
        self.weigh(key.host());
        Ok(posted)
    }

    /// Writes a site within bounds, which what is in memory need not keep to. So pages that are
    /// posted one after another have the content that a batch finds, which writes nothing.
    fn save_copy(&self, host: &str, kept: &mut SiteInMemory) -> Result<(), Error> {
        let mut copy = SiteInMemory { site: Arc::clone(&kept.site), posted: kept.posted.clone(), unsaved: 0, bytes: 0 };
        self.save(host, &mut copy)?;
        (kept.unsaved, kept.bytes) = (0, copy.bytes);
        Ok(())
    }

    /// A site ready for writing, within bounds.
    fn ready<'k>(&self, host: &'k str, kept: &mut SiteInMemory) -> Result<MemoryChange<'k>, Error> {
        Arc::make_mut(&mut kept.site).enforce(&self.site_bounds());
        MemoryChange::new(host, kept)
    }

    /// The bounds of a site memory, from the settings `templates_per_host` and
    /// `max_template_bytes`.
    pub fn site_bounds(&self) -> Bounds {
        let config = self.database.base().config();
        Bounds { templates: config.templates_per_host, template_bytes: config.max_template_bytes }
    }

    fn save(&self, host: &str, kept: &mut SiteInMemory) -> Result<(), Error> {
        let change = self.ready(host, kept)?;
        let raw_len = change.raw_len;
        let mut writer = Writer::new(self.database.base());
        put(&mut writer, change)?;
        writer.commit()?;
        (kept.unsaved, kept.bytes) = (0, raw_len);
        Ok(())
    }

    /// The entry of a host; read from disk if it is not in memory.
    fn kept(&self, host: &str) -> Result<Arc<Mutex<SiteInMemory>>, Error> {
        let mut cache = self.database.sites().cache();
        cache.asked += 1;
        let used = cache.asked;
        if let Some(entry) = cache.sites.get_mut(host) {
            entry.used = used;
            return Ok(Arc::clone(&entry.kept));
        }
        let kept = Arc::new(Mutex::new(self.read_site(host)?));
        let bytes = lock(&kept).bytes * IN_MEMORY;
        cache.bytes += bytes;
        cache.sites.insert(host.to_owned(), CachedSite { kept: Arc::clone(&kept), used, bytes });
        Ok(kept)
    }

    fn read_site(&self, host: &str) -> Result<SiteInMemory, Error> {
        let empty = SiteInMemory::default();
        let bytes = match writer::value_in(
            self.database.base(),
            Which::Records,
            HeadSort::Memory,
            &Key::of_host(host),
            |head: &MemoryHead| head.place,
        ) {
            Ok(None) => return Ok(empty),
            Ok(Some((_, bytes))) => bytes,
            Err(error) if error.is_damaged() => {
                tracing::error!(host, %error, "what was remembered of a site cannot be read: it is learned anew");
                return Ok(empty);
            }
            Err(error) => return Err(error),
        };
        let (posted, file) = PostedUrls::split(&bytes);
        let (site, unsaved) = match Site::from_file(file, Scored::shipped_digest()) {
            Ok(site) => return Ok(SiteInMemory { site: Arc::new(site), posted, unsaved: 0, bytes: bytes.len() }),
            Err(template::Error::OtherModel(rest)) => {
                tracing::warn!(
                    host,
                    kept = rest.templates().len(),
                    "this program's model is another one: the site is learned anew, what it was taught stays"
                );
                (*rest, 1)
            }
            Err(error) => {
                tracing::error!(host, %error, "what was remembered of a site cannot be used: it is learned anew");
                (Site::default(), 1)
            }
        };
        Ok(SiteInMemory { site: Arc::new(site), unsaved, bytes: bytes.len(), ..empty })
    }

    /// Updates a site's size, and evicts the sites longest not used while there are too many. It
    /// writes unsaved ones first.
    fn weigh(&self, host: &str) {
        let most = usize::try_from(self.database.base().config().site_cache_bytes).unwrap_or(usize::MAX);
        let mut guard = self.database.sites().cache();
        let cache = &mut *guard;
        if let Some(entry) = cache.sites.get_mut(host) {
            let now = entry.kept.try_lock().map_or(entry.bytes, |kept| kept.bytes * IN_MEMORY);
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
                && let Err(error) = self.save(&oldest, &mut kept)
            {
                tracing::error!(host = oldest, %error, "what was learned of a site could not be written");
            }
        }
    }
}

impl SiteCache {
    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SiteInMemory {
    /// Whether the site is to be written now.
    fn is_due(&self, learned: &Learned) -> bool {
        self.unsaved >= (self.site.pages() / SAVED_AFTER).clamp(1, MOST_UNSAVED)
            || learned.is_new
            || learned.begins_to_serve
            || learned.redesign.is_some()
            || !learned.forgotten.is_empty()
    }
}

impl<'k> MemoryChange<'k> {
    fn new(host: &'k str, kept: &SiteInMemory) -> Result<MemoryChange<'k>, Error> {
        let file = kept.posted.before(kept.site.to_file(Scored::shipped_digest()))?;
        Ok(MemoryChange { host, packed: Packed::new(&file)?, raw_len: file.len() })
    }
}

/// Writes a site's memory in the caller's transaction.
pub(crate) fn put(writer: &mut Writer<'_>, change: MemoryChange<'_>) -> Result<(), Error> {
    let place = writer.append(Op::Memory { host: change.host.to_owned() }, Some(&change.packed))?;
    put_head(writer, &Key::of_host(change.host), place)
}

/// Sets the place of a site's memory.
pub(crate) fn put_head(writer: &mut Writer<'_>, key: &Key, place: Place) -> Result<(), Error> {
    if let Some(before) = writer.head::<MemoryHead>(HeadSort::Memory, key)? {
        writer.bury(Which::Records, before.place);
    }
    writer.put_head(HeadSort::Memory, key, &MemoryHead { place })
}

/// Removes a site's memory in the caller's transaction.
pub(crate) fn take(writer: &mut Writer<'_>, key: &Key) -> Result<(), Error> {
    if let Some(before) = writer.head::<MemoryHead>(HeadSort::Memory, key)? {
        writer.remove_head(HeadSort::Memory, key);
        writer.bury(Which::Records, before.place);
    }
    Ok(())
}

fn lock(kept: &Mutex<SiteInMemory>) -> MutexGuard<'_, SiteInMemory> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
