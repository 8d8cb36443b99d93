//! The second extraction of pages whose template was not known, or whose best sibling was still in
//! the frontier.
//!
//! Such a page is stored at once, with what there is to judge it by, and its body is kept, parked.
//! When its template is known from enough other pages, when a person taught it, or when the sibling
//! is there, which the frontier notes, the page is extracted again; it is a change of the feed only
//! where its content differs. Where neither comes, or not within
//! [`Config::sibling_wait`](super::Config::sibling_wait), the body is dropped. So a page that waits
//! takes no memory, and a restart or a full queue costs nothing but the better content.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use url::Url;

use super::clock::earlier;
use super::fate::{Fate, Visited};
use super::work::{ExtractionRun, StoreOutcome, StoredPage, Worked};
use super::{Crawl, Error, Fetch, blocking, outcome, pair};
use crate::frontier::Frontier;
use tsrec_core::html::directives::Directives;
use tsrec_core::template::{Site, Template};
use tsrec_store::Parked;

/// How often it is looked who waits in vain. Judgement.
const LOOK_EVERY: Duration = Duration::from_secs(10 * 60);

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Extracts pages again as their siblings come, until the crawl stops. The look at what is kept
    /// that this begins with is counted as to be done.
    pub(super) async fn extract_again(self: Arc<Self>) -> Result<(), Error> {
        let mut stopping = self.stopping.subscribe();
        self.end_vain_waits().await?;
        self.look_at_kept(None).await?;
        self.to_do.fetch_sub(1, Ordering::SeqCst);
        self.news.notify_one();
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
            // Counted before it is taken, so that nobody sees neither.
            self.to_do.fetch_add(1, Ordering::SeqCst);
            let host = self.parts.store.take_host_to_look_at();
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
                () = self.parts.store.host_to_look_at() => {}
                _ = look.tick() => {
                    self.end_vain_waits().await?;
                    self.look_at_kept(None).await?;
                }
                changed = stopping.changed() => if changed.is_err() { break },
            }
        }
        Ok(()) // who waits still, waits on disk
    }

    /// Whatever was to become of a page has become of it: those who wait for it are extracted
    /// again, or wait no more.
    pub(super) async fn tell_who_waits(&self, url: &Url) -> Result<(), Error> {
        if self.parts.frontier.waiting_for(url.as_str()).await.map_err(Error::because)?.is_empty() {
            return Ok(());
        }
        self.to_do.fetch_add(1, Ordering::SeqCst);
        self.arrived.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push_back(url.clone());
        self.arrival.notify_one();
        Ok(())
    }

    /// Has a page whose body is kept wait for a better sibling, where there is one, which then
    /// moves up its queue.
    pub(super) async fn wait_for_sibling(&self, url: &Url, links: &[Url]) -> Result<(), Error> {
        if let Some(sibling) = self.sibling_to_wait_for(url, links).await? {
            // One that came, or failed, meanwhile serves at the next fetch.
            self.parts.frontier.wait_for(url.as_str(), sibling.as_str()).await.map_err(Error::because)?;
        }
        Ok(())
    }

    /// More is known of a host's templates than before: what is kept of its pages is extracted
    /// again, and siblings that nobody asks any more go.
    async fn look_at_host(&self, host: String) -> Result<(), Error> {
        // What was taught goes first: bodies that are kept follow with the rest, once.
        if !self.follow_lessons(&host).await? {
            self.parts.store.look_again(&host);
            return Ok(());
        }
        let (store, key) = (self.parts.store.clone(), host.clone());
        blocking(move || pair::let_go(&store, &key)).await?.map_err(Error::because)?;
        self.look_at_kept(Some(host)).await
    }

    /// Extracts again what is kept of pages whose template is known by now, and drops what has
    /// waited for too long.
    async fn look_at_kept(&self, host: Option<String>) -> Result<(), Error> {
        let before = earlier(self.clock.now(), self.config.sibling_wait);
        let mut after = None;
        loop {
            let (store, of, from) = (self.parts.store.clone(), host.clone(), after.clone());
            let look = move || {
                let listed = store.list_parked(of.as_deref(), from.as_deref(), LOOKED_AT)?;
                let last = listed.last().map(|(url, _)| url.clone());
                let mut found = Vec::new();
                for (url, fetched_at) in listed {
                    // What has no record of that fetch is in quarantine, or being visited.
                    let record = store.get(&url)?.filter(|record| record.fetched_at == fetched_at);
                    let (Some(record), Ok(url)) = (record, Url::parse(&url)) else { continue };
                    let site = store.site(url.host_str().unwrap_or_default())?;
                    let is_known = is_served(&site, record.template.map(|template| template.number));
                    if is_known || fetched_at < before {
                        found.push((url, is_known));
                    }
                }
                Ok((last, found))
            };
            let looked = blocking(look).await?;
            let (last, found) = looked.map_err(|error: tsrec_store::Error| Error::because(error))?;
            for (url, is_known) in found {
                if self.is_stopping() {
                    return Ok(()); // all that is kept is looked at with the next start
                }
                match is_known {
                    true => self.once_more(&url).await?,
                    false => self.unpark(url.as_str()).await?,
                }
            }
            match last {
                Some(last) => after = Some(last),
                None => return Ok(()),
            }
        }
    }

    /// Who waited for this page is extracted again, or waits no more.
    async fn sibling_came(&self, sibling: &Url) -> Result<(), Error> {
        for page in self.parts.frontier.waiting_for(sibling.as_str()).await.map_err(Error::because)? {
            if self.is_stopping() {
                return Ok(()); // its wait is in vain then, which is found with the next start
            }
            self.end_one_wait(&page, sibling.as_str()).await?;
        }
        Ok(())
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
        let found = blocking(move || {
            Ok::<_, tsrec_store::Error>((store.parked(key.as_str())?, store.fetched_at(key.as_str())?))
        });
        let (parked, fetched_at) = found.await?.map_err(Error::because)?;
        let is_the_one = |parked: &Parked| fetched_at == Some(parked.fetched_at);
        // A page that was fetched anew, or deleted, meanwhile is not what waited.
        let Some(parked) = parked.filter(is_the_one) else { return self.unpark(url.as_str()).await };
        match self.extract_anew(url, &Arc::new(parked)).await? {
            Some(_) => Ok(()),
            // Its first record stays; the next fetch decides whether the page goes to quarantine.
            None => self.unpark(url.as_str()).await,
        }
    }

    /// Extracts a page again that has a record; tells whether its content is another than before,
    /// and nothing if the record stays.
    pub(super) async fn extract_anew(&self, url: &Url, page: &Arc<Parked>) -> Result<Option<bool>, Error> {
        let _room = self.budget.work(page.body.len()).await;
        let permit = self.budget.permit().await;
        let done = match self.parse(url, page).await? {
            // What its head asked for was done when it was fetched.
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
                return Ok(Some(changed));
            }
            // Who came between sees to what is kept.
            Worked::Done(StoreOutcome::Superseded) => return Ok(Some(false)),
            Worked::Done(StoreOutcome::Elsewhere) => {} // It was compared with no other.
            Worked::Done(StoreOutcome::Echo) => {}      // A visit that finds it so deletes it.
            Worked::Done(StoreOutcome::Unfit(why)) => tracing::warn!(%url, why, "not extracted again"),
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

/// Whether pages of the template with this number are judged by what is remembered of it.
pub(super) fn is_served(site: &Site, number: Option<u32>) -> bool {
    number.and_then(|number| site.template(number)).is_some_and(Template::serves)
}

/// Bodies that are kept of a host at most. Judgement: the first pages of some ten templates.
pub(super) const MOST_OF_HOST: usize = 32;
/// Bodies that are looked at together: their records are in memory, one at a time.
const LOOKED_AT: usize = 100;
/// The largest body that is parked for a second extraction, in bytes. Judgement: a page of articles
/// has a tenth of it.
pub(super) const MOST_PARKED: usize = 2 << 20;
