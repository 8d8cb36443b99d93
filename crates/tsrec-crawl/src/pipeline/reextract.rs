//! Extracts kept pages again, without a request: after an upgrade of the program, or with other
//! settings.
//!
//! First the held siblings are made anew, since their format may have changed, too. Then each page
//! is extracted as pages are that waited for a sibling (`again`). This adds one change to the feed
//! if its content differs, and none otherwise.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use url::Url;

use super::again::ExtractedAgain;
use super::work::{HoldOutcome, TOO_MUCH_WORK, Worked};
use super::{Crawl, Error, Fetch, blocking, flatten};
use crate::frontier::Frontier;
use tsrec_store::Parked;

/// The result of extracting the kept pages again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reextracted {
    /// Pages that were extracted again.
    pub pages: u64,
    /// Those whose content changed.
    pub changed: u64,
    /// Pages whose record stays as it was. They ask not to be stored by now, which the log says. Or
    /// they wait for a sibling, and are extracted again when it comes.
    pub left: u64,
    /// Pages on which the program failed, or has failed before. Their records stay as they were.
    /// Another version tries them again.
    pub quarantined: u64,
}

/// Pages under way at a time: some share a flush. Judgement.
const AT_A_TIME: usize = 8;

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Extracts all kept pages again, unless it is [told to stop](Crawl::stop).
    ///
    /// # Errors
    ///
    /// The store fails; no single page makes this fail.
    pub async fn reextract(self: Arc<Self>) -> Result<Reextracted, Error> {
        let mut pages = self.raw_pages();
        while let Some((url, page)) = pages.next().await? {
            if self.is_stopping() {
                return Ok(Reextracted::default());
            }
            self.hold_anew(&url, &page).await?;
        }
        let (mut pages, mut tasks, mut done) = (self.raw_pages(), JoinSet::new(), Reextracted::default());
        while let Some((url, page)) = pages.next().await? {
            if self.is_stopping() {
                break;
            }
            if tasks.len() >= AT_A_TIME
                && let Some(ended) = tasks.join_next().await
            {
                done.count(ended.map_err(Error::because)??);
            }
            let crawl = Arc::clone(&self);
            tasks.spawn(async move { crawl.reextract_one(&url, &page).await });
        }
        while let Some(ended) = tasks.join_next().await {
            done.count(ended.map_err(Error::because)??);
        }
        Ok(done)
    }

    async fn reextract_one(&self, url: &Url, page: &Arc<Parked>) -> Result<ExtractedAgain, Error> {
        if self.is_quarantined(url.as_str()).await? {
            return Ok(ExtractedAgain::Quarantined);
        }
        let (store, key) = (self.parts.store.clone(), url.clone());
        let parked = blocking(move || store.parked(key.as_str())).await?.map_err(Error::because)?;
        // A body kept of another fetch is in quarantine, or its page is being visited.
        let is_other = parked.is_some_and(|parked| parked.fetched_at != page.fetched_at);
        if is_other { Ok(ExtractedAgain::Left) } else { self.extract_anew(url, page).await }
    }

    /// Makes a held sibling anew.
    async fn hold_anew(&self, url: &Url, page: &Arc<Parked>) -> Result<(), Error> {
        let (store, key) = (self.parts.store.clone(), url.clone());
        let held = blocking(move || store.held(key.host_str().unwrap_or_default())).await?.map_err(Error::because)?;
        if held.iter().any(|held| held == url.as_str())
            && !self.is_quarantined(url.as_str()).await?
            && let Worked::Done(parsed) = self.parse(url, page, None).await?
        {
            let why = match self.hold(url, parsed).await? {
                Worked::Done(HoldOutcome::Held) => return Ok(()),
                Worked::Done(HoldOutcome::TooMuchWork) => TOO_MUCH_WORK.to_owned(),
                Worked::Panicked(why) => why,
            };
            // The extraction of the page decides whether it goes to quarantine.
            tracing::error!(%url, why, "the program failed on the page, and it is held as it was");
        }
        Ok(())
    }

    fn raw_pages(&self) -> RawPages {
        let (to, pages) = mpsc::channel(1);
        let store = self.parts.store.clone();
        let mut reading = JoinSet::new();
        reading.spawn_blocking(move || {
            let send = |url: String, page| match Url::parse(&url) {
                Ok(url) => to.blocking_send((url, Arc::new(page))).is_ok(),
                Err(_) => true,
            };
            store.raw_pages(send).map_err(Error::because)
        });
        RawPages { pages, reading }
    }
}

/// Kept pages, while they are read.
struct RawPages {
    pages: mpsc::Receiver<(Url, Arc<Parked>)>,
    reading: JoinSet<Result<(), Error>>,
}

impl RawPages {
    async fn next(&mut self) -> Result<Option<(Url, Arc<Parked>)>, Error> {
        if let Some(page) = self.pages.recv().await {
            return Ok(Some(page));
        }
        while let Some(ended) = self.reading.join_next().await {
            flatten(ended)?;
        }
        Ok(None)
    }
}

impl Reextracted {
    fn count(&mut self, done: ExtractedAgain) {
        match done {
            ExtractedAgain::Stored { changed } => {
                self.pages += 1;
                self.changed += u64::from(changed);
            }
            ExtractedAgain::Left => self.left += 1,
            ExtractedAgain::Quarantined => self.quarantined += 1,
        }
    }
}
