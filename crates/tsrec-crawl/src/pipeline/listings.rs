//! Sitemaps and feeds: their entries go to the frontier while the answer arrives.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::ask::{Expected, FetchResponse, PageRequest};
use super::discover::{cut, left};
use super::fate::Fate;
use super::visit::PageVisit;
use super::{Crawl, Error, Fetch};
use crate::fetch::listing::{EntryKind, ListingEnd, ListingEntry};
use crate::frontier::{Discovered, Frontier, Leads, Lease};

/// The longest time that the frontier may take for the entries of a listing. Judgement: far more
/// than 100,000 URLs take on a slow disk.
const MOST_PUTTING: Duration = Duration::from_secs(10 * 60);

/// The URLs of a listing that were put into the frontier.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ListedUrls {
    /// URLs in the crawl's scope.
    named: u64,
    /// Those that are new, or have changed.
    news: u64,
    /// The time that putting them took.
    pub(super) took: Duration,
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Fetches a listing, and puts its entries into the frontier as they arrive. What arrived
    /// counts, also if the answer breaks off.
    pub(super) async fn fetch_listing(
        &self,
        lease: &Lease,
        asked: &PageRequest<'_>,
    ) -> Result<(FetchResponse, ListedUrls), Error> {
        let (sender, entries) = mpsc::channel(1);
        let fetch = async move {
            let asked = PageRequest { expects: Expected::Listing(&sender), ..*asked };
            self.fetch_within(asked.patience + MOST_PUTTING, &asked).await
        };
        let (response, listed) = tokio::join!(fetch, self.put_entries(lease, entries));
        Ok((response, listed?))
    }

    /// Puts the entries of a sitemap or a feed into the frontier, as they arrive.
    async fn put_entries(
        &self,
        lease: &Lease,
        mut entries: mpsc::Receiver<Vec<ListingEntry>>,
    ) -> Result<ListedUrls, Error> {
        let mut listed = ListedUrls::default();
        while let Some(some) = entries.recv().await {
            let started = Instant::now();
            if lease.depth < self.config.max_depth {
                self.put_some(lease, some, &mut listed).await?;
            } else {
                left("depth", some.len());
            }
            listed.took += started.elapsed();
        }
        Ok(listed)
    }

    async fn put_some(&self, lease: &Lease, some: Vec<ListingEntry>, listed: &mut ListedUrls) -> Result<(), Error> {
        let (sitemaps, pages) = some.into_iter().partition(|entry| entry.kind == EntryKind::Sitemap);
        let pages: Vec<ListingEntry> = self.outside_traps(pages, |page: &ListingEntry| &page.url).await?;
        let entries = pages.iter().map(|page| (page, Leads::ToPage));
        let entries: Vec<_> = entries.chain(sitemaps.iter().map(|map| (map, Leads::ToListing))).collect();
        let found: Vec<Discovered> =
            entries.iter().filter_map(|(entry, leads)| self.named(lease, entry, *leads)).collect();
        left("scope", entries.len() - found.len());
        let put = self.put(&found).await?;
        listed.named += found.len() as u64;
        listed.news += put.added + put.revived + put.renewed;
        Ok(())
    }

    /// A listing has ended: acknowledges it.
    pub(super) async fn listed(
        &self,
        visit: &PageVisit<'_>,
        end: ListingEnd,
        listed: ListedUrls,
    ) -> Result<Fate, Error> {
        if end.cut {
            cut("listing");
        }
        let more = if end.cut { "; it has more than is read" } else { "" };
        let ListedUrls { named, news, .. } = listed;
        let said = format!("a listing: {named} URLs, {news} with news{more}");
        self.refetch(visit, Some(news > 0), &said).await?;
        Ok(Fate::Listed { named, news })
    }
}
