//! Records that move to another URL: after a permanent redirect, and from an old spelling to the
//! one that [`address`](super::address) gives.

use url::Url;

use super::fate::Fate;
use super::visit::PageVisit;
use super::{Crawl, Error, Fetch, blocking};
use crate::frontier::{Ack, Discovered, Frontier, Leads, UrlState};
use tsrec_store::{DeletionReason, NewPage};

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Moves a page, with its history, to its one spelling. No request is made. `None` if the URL
    /// has it, or must keep its own: where the server redirects the one spelling to this one, and
    /// where the frontier does not take the other.
    pub(super) async fn respelt(&self, visit: &PageVisit<'_>, is_stored: bool) -> Result<Option<Fate>, Error> {
        let lease = visit.lease;
        let url = &lease.url;
        let normal = self.addresses.normal(url).into_owned();
        if normal == *url || lease.leads == Leads::ToListing {
            return Ok(None);
        }
        let frontier = &self.parts.frontier;
        let found = Discovered::page(normal.clone(), lease.depth, Some(url.clone()));
        self.put_as_spelt(&[found]).await?;
        let Some(status) = frontier.status(normal.as_str()).await.map_err(Error::because)? else { return Ok(None) };
        let was_visited = status.state != UrlState::Discovered;
        if was_visited && self.fetched_at(&normal).await?.is_none() {
            return Ok(None);
        }
        if self.scope.is_seed(url) {
            self.scope.stands_for(url, &normal);
        }
        if is_stored {
            self.forget(url, DeletionReason::Redirected, Some(normal.clone())).await?;
        }
        self.acknowledge(visit, Ack::Skipped, &format!("is {normal} in its one spelling")).await?;
        Ok(Some(Fate::Redirected(normal)))
    }

    /// Whether a page that has not been visited may take the record of a page that moved to it,
    /// until its visit. A visited page has a record, or a reason for none, and a version that the
    /// server would call unchanged. The page is then fetched whole.
    pub(super) async fn takes_record(&self, to: &Url) -> Result<bool, Error> {
        let status = self.parts.frontier.status(to.as_str()).await.map_err(Error::because)?;
        let is_new = status.is_none_or(|status| status.state == UrlState::Discovered);
        if !is_new {
            self.parts.frontier.make_due(to.as_str()).await.map_err(Error::because)?;
        }
        Ok(is_new)
    }

    /// Deletes the record of a page, durably. If the page moved, its target takes the record,
    /// unless it has one.
    pub(super) async fn forget(&self, url: &Url, reason: DeletionReason, moved_to: Option<Url>) -> Result<(), Error> {
        let (store, key, now) = (self.store(), url.clone(), self.clock.now());
        let delete = move || {
            if let Some(to) = moved_to
                && let Some(record) = store.get(key.as_str())?
                && store.get(to.as_str())?.is_none()
            {
                store.put(&NewPage { url: to.to_string(), ..record.page })?;
            }
            store.delete(key.as_str(), reason, now)
        };
        blocking(delete).await?.map_err(Error::because)?;
        self.durability.of(&self.parts.database).await
    }
}
