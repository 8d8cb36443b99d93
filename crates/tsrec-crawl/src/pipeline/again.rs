//! The second extraction of pages whose template was not known, or whose best sibling was still in
//! the frontier.
//!
//! Such a page is stored at once with the evidence at hand, and its body is kept, parked. It is
//! extracted again when enough other pages make its template known, when a person taught it, or
//! when the sibling comes, which the frontier notes. This is a change of the feed only if its
//! content differs. If none of this happens within
//! [`Config::sibling_wait`](super::Config::sibling_wait), the body is dropped. So a page that waits
//! takes no memory, and a restart or a full queue costs nothing but the better content.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use url::Url;

use super::clock::earlier;
use super::fate::{Fate, Visited};
use super::method::CrawlMethod;
use super::together::Together;
use super::work::{ExtractionRun, StoreOutcome, StoredPage, TOO_MUCH_WORK, Worked};
use super::{Crawl, Error, Fetch, blocking, outcome, pair};
use crate::frontier::Frontier;
use tsrec_core::html::directives::Directives;
use tsrec_core::template::{Site, Template};
use tsrec_store::Parked;

/// What came of a second extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtractedAgain {
    /// The page is stored, or a visit that came between has stored it.
    Stored {
        /// Whether its content changed.
        changed: bool,
    },
    /// Its record stays as it was.
    Left,
    /// The program failed on it: its record stays, and its bytes are kept for another version.
    Quarantined,
}

/// How often to look for pages that wait in vain. Judgement.
const LOOK_EVERY: Duration = Duration::from_secs(10 * 60);

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Extracts pages again as their siblings come, until the crawl stops. It begins with a look at
    /// the kept bodies, which counts in `to_do`.
    pub(super) async fn extract_again(self: Arc<Self>) -> Result<(), Error> {
        let mut stopping = self.stopping.subscribe();
        self.end_vain_waits().await?;
        self.look_at_kept(None).await?;
        self.to_do.fetch_sub(1, Ordering::SeqCst);
        self.news.notify_one();
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.tick().await;
        // Check first, since the crawl may have ended before this began.
        while !*stopping.borrow_and_update() {
            let sibling = self.arrived.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop_front();
            if let Some(sibling) = sibling {
                self.sibling_came(&sibling).await?;
                self.to_do.fetch_sub(1, Ordering::SeqCst);
                self.news.notify_one();
                continue;
            }
            // Counted before it is taken, so that no reader misses both.
            self.to_do.fetch_add(1, Ordering::SeqCst);
            let host = self.parts.memories.take_host_to_look_at();
            let is_host = host.is_some();
            if let Some(host) = host {
                self.look_at_host(host).await?;
            }
            self.to_do.fetch_sub(1, Ordering::SeqCst);
            if is_host {
                self.news.notify_one();
                continue;
            }
            tokio::select! {
                () = self.arrival.notified() => {}
                () = self.parts.memories.host_to_look_at() => {}
                _ = look.tick() => {
                    self.end_vain_waits().await?;
                    self.look_at_kept(None).await?;
                }
                changed = stopping.changed() => if changed.is_err() { break },
            }
        }
        Ok(()) // who waits still, waits on disk
    }

    /// The page's fate is decided. Pages that wait for it are extracted again, or stop waiting.
    pub(super) async fn tell_who_waits(&self, url: &Url) -> Result<(), Error> {
        if self.parts.frontier.waiting_for(url.as_str()).await.map_err(Error::because)?.is_empty() {
            return Ok(());
        }
        self.to_do.fetch_add(1, Ordering::SeqCst);
        self.arrived.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push_back(url.clone());
        self.arrival.notify_one();
        Ok(())
    }

    /// Makes a page whose body is kept wait for a better sibling, if there is one. The sibling then
    /// moves up its queue. Without one the page waits for its template to become known; a method
    /// without templates has nothing to wait for then, and drops the body.
    pub(super) async fn wait_for_sibling(&self, url: &Url, links: &[Url]) -> Result<(), Error> {
        let waits = match self.sibling_to_wait_for(url, links).await? {
            // A sibling that came or failed meanwhile is used at the next fetch.
            Some(sibling) => {
                self.parts.frontier.wait_for(url.as_str(), sibling.as_str()).await.map_err(Error::because)?
            }
            None => false,
        };
        match waits || self.has_templates() {
            true => Ok(()),
            false => self.unpark(url.as_str()).await,
        }
    }

    /// Whether the method of the crawl reads and writes the memory of sites.
    fn has_templates(&self) -> bool {
        self.parts.extract.method == CrawlMethod::Auto
    }

    /// More is known of a host's templates than before. Its kept pages are extracted again, and
    /// siblings that no page needs any more are dropped. A method without templates does nothing:
    /// pages follow a lesson when the crawl uses `auto` again.
    async fn look_at_host(self: &Arc<Self>, host: String) -> Result<(), Error> {
        if !self.has_templates() {
            return Ok(());
        }
        // Follow lessons first: kept bodies then follow with the rest, once.
        if !self.follow_lessons(&host).await? {
            self.parts.memories.look_again(&host);
            return Ok(());
        }
        let (memories, key) = (self.parts.memories.clone(), host.clone());
        blocking(move || pair::let_go(&memories, &key)).await?.map_err(Error::because)?;
        self.look_at_kept(Some(host)).await
    }

    /// Extracts kept pages again whose template is known by now, and drops bodies that have waited
    /// too long.
    async fn look_at_kept(self: &Arc<Self>, host: Option<String>) -> Result<(), Error> {
        let before = earlier(self.clock.now(), self.config.sibling_wait);
        let has_templates = self.has_templates();
        let mut after = None;
        loop {
            let (memories, of, from) = (self.parts.memories.clone(), host.clone(), after.clone());
            let look = move || {
                let store = memories.store();
                let listed = store.list_parked(of.as_deref(), from.as_deref(), LOOKED_AT)?;
                let last = listed.last().map(|(url, _)| url.clone());
                let mut found = Vec::new();
                for (url, fetched_at) in listed {
                    // A body without a record of that fetch is in quarantine, or its page is being
                    // visited.
                    let record = store.get(&url)?.filter(|record| record.fetched_at == fetched_at);
                    let (Some(record), Ok(url)) = (record, Url::parse(&url)) else { continue };
                    let is_known = has_templates && {
                        let site = memories.site(url.host_str().unwrap_or_default())?;
                        is_served(&site, record.template.map(|template| template.number))
                    };
                    if is_known || fetched_at < before {
                        found.push((url, is_known));
                    }
                }
                Ok((last, found))
            };
            let looked = blocking(look).await?;
            let (last, found) = looked.map_err(|error: tsrec_store::Error| Error::because(error))?;
            let mut pages = Together::new();
            for (url, is_known) in found {
                if self.is_stopping() {
                    return pages.end().await; // all that is kept is looked at with the next start
                }
                let crawl = Arc::clone(self);
                let look = async move {
                    match is_known {
                        true => crawl.once_more(&url).await,
                        false => crawl.let_go(url.as_str()).await,
                    }
                };
                pages.start(look).await?;
            }
            pages.end().await?;
            match last {
                Some(last) => after = Some(last),
                None => return Ok(()),
            }
        }
    }

    /// Pages that waited for this sibling are extracted again, or stop waiting.
    async fn sibling_came(self: &Arc<Self>, sibling: &Url) -> Result<(), Error> {
        let mut pages = Together::new();
        for page in self.parts.frontier.waiting_for(sibling.as_str()).await.map_err(Error::because)? {
            if self.is_stopping() {
                break; // its wait is in vain then, which is found with the next start
            }
            let (crawl, sibling) = (Arc::clone(self), sibling.clone());
            pages.start(async move { crawl.end_one_wait(&page, sibling.as_str()).await }).await?;
        }
        pages.end().await
    }

    async fn end_vain_waits(&self) -> Result<(), Error> {
        let before = earlier(self.clock.now(), self.config.sibling_wait);
        for (page, sibling) in self.parts.frontier.overdue_waits(before).await.map_err(Error::because)? {
            if self.is_stopping() {
                return Ok(());
            }
            self.end_one_wait(&page, &sibling).await?;
        }
        Ok(())
    }

    async fn end_one_wait(&self, page: &str, sibling: &str) -> Result<(), Error> {
        if self.canonical_came(page, sibling).await? {
            return self.parts.frontier.end_wait(page, sibling).await.map_err(Error::because);
        }
        let is_held = self.is_held(sibling).await?;
        match Url::parse(page) {
            Ok(url) if is_held => self.once_more(&url).await?,
            _ => self.let_go(page).await?,
        }
        self.parts.frontier.end_wait(page, sibling).await.map_err(Error::because)
    }

    async fn is_held(&self, sibling: &str) -> Result<bool, Error> {
        let Ok(url) = Url::parse(sibling) else { return Ok(false) };
        let store = self.store();
        let held = blocking(move || store.held(url.host_str().unwrap_or_default())).await?.map_err(Error::because)?;
        Ok(held.iter().any(|held| held == sibling))
    }

    async fn once_more(&self, url: &Url) -> Result<(), Error> {
        if self.is_quarantined(url.as_str()).await? {
            return Ok(());
        }
        let (store, key) = (self.store(), url.clone());
        let found = blocking(move || {
            Ok::<_, tsrec_store::Error>((store.parked(key.as_str())?, store.fetched_at(key.as_str())?))
        });
        let (parked, fetched_at) = found.await?.map_err(Error::because)?;
        let is_the_one = |parked: &Parked| fetched_at == Some(parked.fetched_at);
        // A page that was fetched anew, or deleted, meanwhile is not the one that waited.
        let Some(parked) = parked.filter(is_the_one) else { return self.unpark(url.as_str()).await };
        match self.extract_anew(url, &Arc::new(parked)).await? {
            ExtractedAgain::Stored { .. } | ExtractedAgain::Quarantined => Ok(()),
            ExtractedAgain::Left => self.unpark(url.as_str()).await,
        }
    }

    /// Extracts a page with a record again.
    pub(super) async fn extract_anew(&self, url: &Url, page: &Arc<Parked>) -> Result<ExtractedAgain, Error> {
        let _room = self.budget.work(page.body.len()).await;
        let permit = self.budget.permit().await;
        let done = match self.parse(url, page, Some(&permit)).await? {
            // The directives of its head were applied when it was fetched.
            Worked::Done(parsed)
                if !outcome::rights(&Directives::default(), &parsed.directives, self.clock.now()).index =>
            {
                Worked::Done(StoreOutcome::Unfit("it asks not to be indexed".to_owned()))
            }
            Worked::Done(parsed) => {
                self.extract_and_store(url, page, (Arc::new(parsed), permit), None, ExtractionRun::Repeat).await?
            }
            Worked::Panicked(why) => Worked::Panicked(why),
        };
        match done {
            Worked::Done(StoreOutcome::Stored(StoredPage { record, changed, .. })) => {
                metrics::counter!("tsrec_extracted_again_total", "changed" => changed.to_string()).increment(1);
                self.tell(Visited { url: url.clone(), fate: Fate::Stored { page: record, changed } });
                return Ok(ExtractedAgain::Stored { changed });
            }
            // The visit that came between handles the kept body.
            Worked::Done(StoreOutcome::Superseded) => return Ok(ExtractedAgain::Stored { changed: false }),
            Worked::Done(StoreOutcome::NotStored(_)) => {} // A visit that finds it so deletes it.
            Worked::Done(StoreOutcome::Unfit(why)) => tracing::warn!(%url, why, "not extracted again"),
            Worked::Done(StoreOutcome::TooMuchWork) => {
                return self.quarantine_unleased(url, page, &format!("a second extraction: {TOO_MUCH_WORK}")).await;
            }
            Worked::Panicked(why) => {
                return self.quarantine_unleased(url, page, &format!("a second extraction: {why}")).await;
            }
        }
        Ok(ExtractedAgain::Left)
    }

    /// Drops the body of a page that waits for nothing any more, unless it is in quarantine.
    async fn let_go(&self, url: &str) -> Result<(), Error> {
        if self.is_quarantined(url).await? {
            return Ok(());
        }
        self.unpark(url).await
    }

    pub(super) async fn unpark(&self, url: &str) -> Result<(), Error> {
        let (store, key) = (self.store(), url.to_owned());
        match blocking(move || store.unpark(&key)).await? {
            Err(error) if !error.is_invalid() => Err(Error::because(error)),
            _ => Ok(()),
        }
    }

    /// The page worth waiting for, unless too many pages wait already.
    pub(super) async fn sibling_to_wait_for(&self, url: &Url, links: &[Url]) -> Result<Option<Url>, Error> {
        let waiting = self.parts.frontier.stats().await.map_err(Error::because)?.waiting;
        if waiting >= self.config.max_waiting as u64 {
            return Ok(None);
        }
        let (store, key) = (self.store(), url.clone());
        let held = blocking(move || pair::held(&store, &key)).await?.map_err(Error::because)?;
        pair::worth_waiting_for(&*self.parts.frontier, url, links, held.first()).await.map_err(Error::because)
    }
}

/// Whether the template with this number serves: its memory alone decides on its pages.
pub(super) fn is_served(site: &Site, number: Option<u32>) -> bool {
    number.and_then(|number| site.template(number)).is_some_and(Template::serves)
}

/// Most bodies kept of a host. Judgement: the first pages of some ten templates.
pub(super) const MOST_OF_HOST: usize = 32;
/// Bodies listed together. Their records are in memory one at a time.
const LOOKED_AT: usize = 100;
/// The largest body that is parked for a second extraction, in bytes. Judgement: a page of articles
/// has a tenth of it.
pub(super) const MOST_PARKED: usize = 2 << 20;
