//! The second extraction of pages that waited for a sibling.
//!
//! A page whose best sibling is still in the frontier is stored at once, with what there is to compare it with; its body
//! is parked, and the frontier notes who waits for whom. When the sibling is there, the page is extracted again; it is a
//! change of the feed only where its content differs. If that one does not come, or not within
//! [`Config::sibling_wait`](super::Config::sibling_wait), the body is dropped. So a page that waits takes no memory, and
//! a restart or a full queue costs nothing but the better content.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use url::Url;

use super::clock::earlier;
use super::fate::{Fate, Visited};
use super::work::{Filed, Worked};
use super::{Crawl, Error, Fetch, blocking, outcome, pair};
use crate::frontier::Frontier;
use crate::html::directives::Directives;
use crate::store::Parked;

/// How often it is looked who waits in vain. Judgement.
const LOOK_EVERY: Duration = Duration::from_secs(10 * 60);

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Extracts pages again as their siblings come, until the crawl stops.
    pub(super) async fn extract_again(self: Arc<Self>) -> Result<(), Error> {
        let mut stopping = self.stopping.subscribe();
        self.end_vain_waits().await?;
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.tick().await;
        // Looked at first, since the crawl may have been over before this began.
        while !*stopping.borrow_and_update() {
            let sibling = self.arrived.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop_front();
            if let Some(sibling) = sibling {
                self.sibling_came(&sibling).await?;
                self.to_do.fetch_sub(1, Ordering::SeqCst);
                self.news.notify_one();
                continue;
            }
            tokio::select! {
                () = self.arrival.notified() => {}
                _ = look.tick() => self.end_vain_waits().await?,
                changed = stopping.changed() => if changed.is_err() { break },
            }
        }
        Ok(()) // who waits still, waits on disk
    }

    /// Whatever was to become of a page has become of it: those who wait for it are extracted again, or wait no more.
    pub(super) async fn tell_who_waits(&self, url: &Url) -> Result<(), Error> {
        if self.parts.frontier.waiting_for(url.as_str()).await.map_err(Error::because)?.is_empty() {
            return Ok(());
        }
        self.to_do.fetch_add(1, Ordering::SeqCst);
        self.arrived.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push_back(url.clone());
        self.arrival.notify_one();
        Ok(())
    }

    /// Lets a page wait for a sibling, its body on disk. Nothing is lost where it cannot.
    pub(super) async fn wait_for(&self, url: &Url, page: &Arc<Parked>, sibling: &Url) -> Result<(), Error> {
        if page.body.len() > MOST_PARKED {
            return Ok(());
        }
        let (store, key, parked) = (self.parts.store.clone(), url.clone(), Arc::clone(page));
        match blocking(move || store.park(key.as_str(), &parked)).await? {
            Ok(()) => {}
            Err(error) if error.is_too_large() => return Ok(()),
            Err(error) => return Err(Error::because(error)),
        }
        if !self.parts.frontier.wait_for(url.as_str(), sibling.as_str()).await.map_err(Error::because)? {
            // It came, or failed, while we looked away: it serves at the next fetch.
            self.unpark(url.as_str()).await?;
        }
        Ok(())
    }

    /// Who waited for this page is extracted again, or waits no more.
    async fn sibling_came(&self, sibling: &Url) -> Result<(), Error> {
        for page in self.parts.frontier.waiting_for(sibling.as_str()).await.map_err(Error::because)? {
            self.end_one_wait(&page, sibling.as_str()).await?;
        }
        Ok(())
    }

    async fn end_vain_waits(&self) -> Result<(), Error> {
        let before = earlier(self.clock.now(), self.config.sibling_wait);
        for (page, sibling) in self.parts.frontier.overdue_waits(before).await.map_err(Error::because)? {
            self.end_one_wait(&page, &sibling).await?;
        }
        Ok(())
    }

    async fn end_one_wait(&self, page: &str, sibling: &str) -> Result<(), Error> {
        let (store, held) = (self.parts.store.clone(), sibling.to_owned());
        let is_held = blocking(move || store.held_bytes(&held)).await?.map_err(Error::because)?.is_some();
        match Url::parse(page) {
            Ok(url) if is_held => self.once_more(&url).await?,
            _ => self.unpark(page).await?,
        }
        self.parts.frontier.end_wait(page, sibling).await.map_err(Error::because)
    }

    async fn once_more(&self, url: &Url) -> Result<(), Error> {
        let (store, key) = (self.parts.store.clone(), url.clone());
        let found =
            blocking(move || Ok::<_, crate::store::Error>((store.parked(key.as_str())?, store.get(key.as_str())?)));
        let (parked, record) = found.await?.map_err(Error::because)?;
        let is_the_one = |parked: &Parked| record.is_some_and(|record| record.fetched_at == parked.fetched_at);
        // A page that was fetched anew, or deleted, meanwhile is not what waited.
        let Some(parked) = parked.filter(is_the_one) else { return self.unpark(url.as_str()).await };
        match self.extract_anew(url, &Arc::new(parked)).await? {
            Some(_) => Ok(()),
            // Its first record stays; the next fetch decides whether the page goes to quarantine.
            None => self.unpark(url.as_str()).await,
        }
    }

    /// Extracts a page again that has a record; tells whether its content is another than before, and nothing if the record stays.
    pub(super) async fn extract_anew(&self, url: &Url, page: &Arc<Parked>) -> Result<Option<bool>, Error> {
        let _room = self.budget.work(page.body.len()).await;
        let hand = self.budget.hand().await;
        let done = match self.parse(url, page).await? {
            // What its head asked for was done when it was fetched.
            Worked::Done(parsed)
                if !outcome::rights(&Directives::default(), &parsed.directives(), self.clock.now()).index =>
            {
                Worked::Done(Filed::Unfit("it asks not to be indexed".to_owned()))
            }
            Worked::Done(parsed) => self.extract_and_store(url, page, (Arc::new(parsed), hand), None).await?,
            Worked::Panicked(why) => Worked::Panicked(why),
        };
        match done {
            Worked::Done(Filed::Stored(page, changed)) => {
                metrics::counter!("tsrec_extracted_again_total", "changed" => changed.to_string()).increment(1);
                self.tell(Visited { url: url.clone(), fate: Fate::Stored { page, changed } });
                return Ok(Some(changed));
            }
            Worked::Done(Filed::Elsewhere) => {} // It was compared with no other.
            Worked::Done(Filed::Unfit(why)) => tracing::warn!(%url, why, "not extracted again"),
            Worked::Panicked(why) => tracing::error!(%url, why, "the program failed on the page, and its record stays"),
        }
        Ok(None)
    }

    pub(super) async fn unpark(&self, url: &str) -> Result<(), Error> {
        let (store, key) = (self.parts.store.clone(), url.to_owned());
        match blocking(move || store.unpark(&key)).await? {
            Err(error) if !error.is_invalid() => Err(Error::because(error)),
            _ => Ok(()),
        }
    }

    /// The page worth waiting for, unless too many wait already.
    pub(super) async fn sibling_to_wait_for(&self, url: &Url, links: &[Url]) -> Result<Option<Url>, Error> {
        let waiting = self.parts.frontier.stats().await.map_err(Error::because)?.waiting;
        if waiting >= self.config.max_waiting as u64 {
            return Ok(None);
        }
        let (store, key) = (self.parts.store.clone(), url.clone());
        let held = blocking(move || pair::held(&store, &key)).await?.map_err(Error::because)?;
        pair::worth_waiting_for(&*self.parts.frontier, url, links, held.first()).await.map_err(Error::because)
    }
}

/// The largest body that is parked for a second extraction, in bytes. Judgement: a page of articles has a tenth of it.
const MOST_PARKED: usize = 2 << 20;
