//! The quarantine of pages on which the program failed: it panicked, or the page takes too much
//! work. Such a page is kept with its bytes, counted and listed. The same version of the program
//! does not try it again. Another version does, from the bytes.

use std::sync::Arc;

use url::Url;

use super::again::{ExtractedAgain, MOST_OF_HOST};
use super::fate::{Fate, Visited};
use super::{Crawl, Error, Fetch, blocking};
use crate::frontier::{Account, Ack, Frontier};
use tsrec_store::{Parked, Store};

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Quarantines a leased page on which the program failed. Its bytes are kept if they are at
    /// hand and not too many of its host are kept. Otherwise the page is fetched again.
    pub(super) async fn quarantine(&self, url: &Url, page: Option<&Arc<Parked>>, why: &str) -> Result<Fate, Error> {
        if let Some(page) = page {
            self.keep_failed(url, page).await?;
        }
        self.end(url, Ack::Quarantined, account(why)).await?;
        Ok(Fate::Quarantined(why.to_owned()))
    }

    /// Quarantines a page on which the program failed outside a visit. Its record stays. A visit
    /// that is under way decides itself.
    pub(super) async fn quarantine_unleased(
        &self,
        url: &Url,
        page: &Arc<Parked>,
        why: &str,
    ) -> Result<ExtractedAgain, Error> {
        if !self.parts.frontier.quarantine(url.as_str(), account(why)).await.map_err(Error::because)? {
            return Ok(ExtractedAgain::Left);
        }
        self.keep_failed(url, page).await?;
        self.tell(Visited { url: url.clone(), fate: Fate::Quarantined(why.to_owned()) });
        Ok(ExtractedAgain::Quarantined)
    }

    /// Whether this version of the program does not try a page again.
    pub(super) async fn is_quarantined(&self, url: &str) -> Result<bool, Error> {
        self.parts.frontier.is_quarantined(url).await.map_err(Error::because)
    }

    async fn keep_failed(&self, url: &Url, page: &Arc<Parked>) -> Result<(), Error> {
        let (store, url, page) = (self.store(), url.clone(), Arc::clone(page));
        match blocking(move || keep_failed(&store, &url, &page)).await? {
            Err(error) if !error.is_too_large() => Err(Error::because(error)),
            _ => self.durability.of(&self.parts.database).await,
        }
    }
}

/// What `tsrec why` says of a page on which the program failed.
fn account(why: &str) -> Account {
    Account::from(&*format!("the program failed in {why}"))
}

fn keep_failed(store: &Store, url: &Url, page: &Parked) -> Result<(), tsrec_store::Error> {
    // Its own body, kept for a second extraction, is no other one.
    let of_host = store.list_parked(url.host_str(), None, MOST_OF_HOST)?;
    match of_host.len() < MOST_OF_HOST || of_host.iter().any(|(kept, _)| kept == url.as_str()) {
        true => store.park(url.as_str(), page),
        false => store.unpark(url.as_str()).map(drop),
    }
}
