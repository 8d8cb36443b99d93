//! Extracts kept pages again, without a request: after an upgrade of the program, or with other
//! settings.
//!
//! Each page is extracted as pages are that waited for a sibling (`again`). This adds one change to
//! the feed if its content differs, and none otherwise.

use std::sync::Arc;

use serde::Serialize;
use url::Url;

use super::again::ExtractedAgain;
use super::together::Together;
use super::{Crawl, Error, Fetch, blocking};
use crate::frontier::Frontier;

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

/// URLs listed together.
const LISTED: usize = 100;

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Extracts all kept pages again, unless it is [told to stop](Crawl::stop).
    ///
    /// # Errors
    ///
    /// The store fails; no single page makes this fail.
    pub async fn reextract(self: Arc<Self>) -> Result<Reextracted, Error> {
        let (mut pages, mut done, mut after) = (Together::new(), Reextracted::default(), None);
        loop {
            let (store, from) = (self.store(), after.take());
            let listed = blocking(move || store.list_raw(None, from.as_deref(), LISTED)).await?;
            let listed = listed.map_err(Error::because)?;
            after = listed.last().cloned();
            for url in listed {
                if self.is_stopping() {
                    after = None;
                    break;
                }
                let crawl = Arc::clone(&self);
                let ended = pages.start(async move { crawl.reextract_one(&url).await }).await?;
                ended.into_iter().for_each(|ended| done.count(ended));
            }
            if after.is_none() {
                break;
            }
        }
        while let Some(ended) = pages.next().await? {
            done.count(ended);
        }
        self.save_sites().await?;
        Ok(done)
    }

    async fn reextract_one(&self, url: &str) -> Result<ExtractedAgain, Error> {
        if self.is_quarantined(url).await? {
            return Ok(ExtractedAgain::Quarantined);
        }
        let (store, key) = (self.store(), url.to_owned());
        let found = blocking(move || {
            let fetched_at = store.fetched_at(&key)?;
            // A body of another fetch is in quarantine, or its page is being visited.
            Ok(store.bytes_of(&key)?.filter(|page| Some(page.fetched_at) == fetched_at))
        });
        let page = match found.await? {
            Err(error) if tsrec_store::Error::is_damaged(&error) => {
                tracing::warn!(url, %error, "a page as it was fetched cannot be read");
                None
            }
            found => found.map_err(Error::because)?,
        };
        match (page, Url::parse(url)) {
            (Some(page), Ok(url)) => self.extract_anew(&url, &Arc::new(page)).await,
            _ => Ok(ExtractedAgain::Left),
        }
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
