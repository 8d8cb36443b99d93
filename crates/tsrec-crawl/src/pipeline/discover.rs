//! Where URLs come from: links, redirects, and the sitemaps and feeds that sites publish.
//!
//! Sitemaps and feeds are URLs of the frontier like pages: leased in their host's turn, under its
//! delay, its robots.txt and its bound on URLs, asked for conditionally, and again after an
//! interval that follows their news. What they name is within the crawl's scope or left out; the
//! dates that they give make pages due that were fetched before, as far as they can be believed
//! ([`Modified`]).

use std::collections::{BTreeSet, HashMap};
use std::sync::PoisonError;
use std::time::Duration;

use jiff::Timestamp;
use url::Url;

use super::ask::from_memo;
use super::fate::Fate;
use super::parsed::Parsed;
use super::traps::{TrapPlace, fingerprint, is_refuted, is_shut};
use super::visit::PageVisit;
use super::{Crawl, Error, Fetch, blocking};
use crate::fetch::Validators;
use crate::fetch::listing::{ListingEntry, SiteListing};
use crate::frontier::{Discovered, Frontier, Leads, Lease, Modified, PutSummary, Trap};
use tsrec_core::pairing::registrable_domain;

/// How often it is looked which sitemaps a site's robots.txt names: as long as that is kept.
const LOOK_AGAIN: Duration = Duration::from_secs(24 * 60 * 60);

/// Sites of which it is remembered when that was. Judgement: a megabyte; then all are looked at
/// again.
const MOST_SITES: usize = 10_000;

/// Sitemaps of a site that are taken from other hosts of its own. Judgement: one for each language.
const MOST_ELSEWHERE: usize = 32;

/// Pages that are looked at on each side of a URL, before its pattern is taken for a trap.
/// Judgement: some ten milliseconds, once a trap.
const MOST_SAMPLED: usize = 32;

/// URLs of a listing that go to the frontier together. Judgement: as many as a page may link to.
const PUT_AT_A_TIME: usize = 1_000;

/// Feeds that are taken from a front page. Judgement: one or two of articles, one of comments.
const MOST_FEEDS: usize = 4;

/// When it was looked which sitemaps a site names.
#[derive(Debug, Default)]
pub(super) struct SitemapChecks(HashMap<String, Timestamp>);

impl SitemapChecks {
    /// Whether it is time to look at the site of this URL; then it counts as done.
    fn is_due(&mut self, url: &Url, now: Timestamp) -> bool {
        let site = url.origin().ascii_serialization();
        if self.0.get(&site).is_some_and(|&at| now.duration_since(at).unsigned_abs() < LOOK_AGAIN) {
            return false;
        }
        if self.0.len() >= MOST_SITES {
            self.0.clear();
        }
        self.0.insert(site, now);
        true
    }
}

/// Counts links that are not offered to the frontier.
fn left(why: &'static str, count: usize) {
    if count > 0 {
        metrics::counter!("tsrec_links_left_total", "why" => why).increment(count as u64);
    }
}

/// Counts a page or a listing that has more links than are read.
fn cut(what: &'static str) {
    metrics::counter!("tsrec_links_cut_total", "of" => what).increment(1);
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Takes in what a page leads to.
    pub(super) async fn follow_links(&self, lease: &Lease, parsed: &Parsed) -> Result<(), Error> {
        if lease.depth >= self.config.max_depth {
            left("depth", parsed.links.len());
            return Ok(());
        }
        if parsed.has_more_links {
            cut("page");
        }
        let (url, depth) = (&lease.url, lease.depth + 1);
        let mut found = Vec::new();
        let (within, outside): (Vec<&Url>, Vec<&Url>) =
            parsed.links.iter().partition(|link| self.scope.holds(link, url));
        left("scope", outside.len());
        for link in self.outside_traps(within, |link| link).await? {
            found.push(Discovered::page(link.clone(), depth, Some(url.clone())));
        }
        // Elsewhere each page has one of its own comments.
        if self.config.listings && (lease.depth == 0 || url.path() == "/") {
            let feeds = parsed.feeds.iter().filter(|feed| self.scope.holds(feed, url)).take(MOST_FEEDS);
            found.extend(feeds.map(|feed| Discovered::listing(feed.clone(), depth, Some(url.clone()))));
        }
        self.put(&found).await.map(drop)
    }

    /// Those whose URLs are in no trap that is shut; the others are counted.
    async fn outside_traps<T>(&self, named: Vec<T>, url: impl Fn(&T) -> &Url) -> Result<Vec<T>, Error> {
        let (mut known, count) = (HashMap::new(), named.len());
        let mut others = Vec::with_capacity(count);
        for item in named {
            // The links of a page are of a few patterns.
            let is_shut = match self.place(url(&item)) {
                None => false,
                Some(place) => match known.get(&place) {
                    Some(is_shut) => *is_shut,
                    None => {
                        let is_shut = self.trap(&place).await?.is_some();
                        known.insert(place, is_shut);
                        is_shut
                    }
                },
            };
            if !is_shut {
                others.push(item);
            }
        }
        if others.len() < count {
            metrics::counter!("tsrec_links_trapped_total").increment((count - others.len()) as u64);
        }
        Ok(others)
    }

    /// Takes in the sitemaps that the site of a page names in its robots.txt, now and then.
    pub(super) async fn look_for_sitemaps(&self, url: &Url) -> Result<(), Error> {
        let is_due = || self.sites.lock().unwrap_or_else(PoisonError::into_inner).is_due(url, self.clock.now());
        if !self.config.listings || !is_due() {
            return Ok(());
        }
        let named = self.parts.fetcher.sitemaps(url);
        let (ours, others): (Vec<Url>, Vec<Url>) = named.into_iter().partition(|map| self.scope.holds(map, url));
        // A site may keep them on another host of its own; what that one lists is held to the scope
        // all the same. One that was not asked for by a seed names no third: a name server can make
        // up hosts without end.
        let has_leave = self.scope.has_seed(url);
        let elsewhere = others
            .into_iter()
            .filter(|map| has_leave && registrable_domain(map) == registrable_domain(url) && self.scope.allows(map));
        let sitemaps = ours.into_iter().take(self.config.max_links).chain(elsewhere.take(MOST_ELSEWHERE));
        let found: Vec<Discovered> =
            sitemaps.map(|sitemap| Discovered::listing(sitemap, 0, Some(url.clone()))).collect();
        self.put(&found).await.map(drop)
    }

    /// Takes in what a sitemap or a feed names, and acknowledges it.
    pub(super) async fn read_listing(&self, visit: &PageVisit<'_>, listing: &SiteListing) -> Result<Fate, Error> {
        let lease = visit.lease;
        let is_cut = listing.cut || listing.sitemaps.len() > self.config.max_links;
        if is_cut {
            cut("listing");
        }
        let pages = self.outside_traps(listing.pages.iter().collect(), |page| &page.url).await?;
        let sitemaps = listing.sitemaps.iter().take(self.config.max_links);
        let entries: Vec<(&ListingEntry, Leads)> = pages
            .into_iter()
            .map(|page| (page, Leads::ToPage))
            .chain(sitemaps.map(|map| (map, Leads::ToListing)))
            .collect();
        let (mut named, mut news) = (0, 0);
        if lease.depth < self.config.max_depth {
            // Some at a time: each is a URL of its own and that of the listing once more.
            for some in entries.chunks(PUT_AT_A_TIME) {
                let found: Vec<Discovered> =
                    some.iter().filter_map(|(entry, leads)| self.named(lease, entry, *leads)).collect();
                let put = self.put(&found).await?;
                named += found.len();
                news += put.added + put.revived + put.renewed;
            }
            left("scope", entries.len() - named);
        } else {
            left("depth", entries.len());
        }
        let more = if is_cut { "; it has more than is read" } else { "" };
        let said = format!("a listing: {named} URLs, {news} with news{more}");
        self.refetch(visit, Some(news > 0), &said).await?;
        Ok(Fate::Listed { named: named as u64, news })
    }

    /// An entry of a listing, if it is in the crawl's scope.
    fn named(&self, lease: &Lease, entry: &ListingEntry, leads: Leads) -> Option<Discovered> {
        let (url, depth) = (entry.url.clone(), lease.depth + 1);
        let least = match leads {
            Leads::ToPage => self.config.refetch_least,
            Leads::ToListing => self.config.refetch_of(leads).least,
        };
        // Of other sites it says what somebody configured it for, or nothing.
        let may_know =
            registrable_domain(&url) == registrable_domain(&lease.url) || self.config.sitemaps.contains(&lease.url);
        let modified = entry.modified.filter(|_| may_know).map(|at| Modified { at, least });
        let found = Discovered { url, depth, found_on: Some(lease.url.clone()), leads, modified };
        self.scope.holds(&found.url, &lease.url).then_some(found)
    }

    /// Puts a redirect's target into the frontier, if it is in scope. A redirect is a link, or one
    /// after the other would lead on without end; but what a seed leads to stands for the seed, at
    /// the first few of them.
    pub(super) async fn follow_redirect(&self, lease: &Lease, to: Url) -> Result<Option<Url>, Error> {
        let (url, is_seed) = (&lease.url, self.scope.is_seed(&lease.url));
        // A seed may lead to the host that its site prefers.
        let preferred_host = is_seed && registrable_domain(url) == registrable_domain(&to);
        if !(self.scope.holds(&to, url) || preferred_host && self.scope.allows(&to)) {
            return Ok(None);
        }
        let depth = match self.depth_beyond(lease) {
            _ if is_seed => lease.depth,
            Some(depth) => depth,
            None => return Ok(None),
        };
        if is_seed {
            self.scope.stands_for(url, &to);
        }
        let target = Discovered::page(to.clone(), depth, Some(url.clone()));
        self.put(&[Discovered { leads: lease.leads, ..target }]).await?;
        Ok(Some(to))
    }

    /// The depth of the one page that a page names in its own place: where it redirects to, or what
    /// it calls canonical. Those of the last pages that are linked to are asked for, too; behind
    /// them nothing is.
    pub(super) fn depth_beyond(&self, lease: &Lease) -> Option<u32> {
        let depth = (lease.depth <= self.config.max_depth).then_some(lease.depth + 1);
        left("depth", usize::from(depth.is_none()));
        depth
    }

    pub(super) async fn put(&self, found: &[Discovered]) -> Result<PutSummary, Error> {
        let put = self.parts.frontier.put_discovered(found).await.map_err(Error::because)?;
        if put.added + put.revived + put.renewed > 0 {
            self.news.notify_one();
        }
        for (why, count) in put.refused.by_reason().into_iter().filter(|(_, count)| *count > 0) {
            metrics::counter!("tsrec_links_refused_total", "why" => why).increment(count);
        }
        Ok(put)
    }

    /// The place by which a URL may be in a trap.
    pub(super) fn place(&self, url: &Url) -> Option<TrapPlace> {
        TrapPlace::from_url(url).filter(|_| self.scope.may_be_trap(url))
    }

    /// The trap that a place is, if new pages of it are not asked for.
    pub(super) async fn trap(&self, place: &TrapPlace) -> Result<Option<Trap>, Error> {
        let trap = self.parts.frontier.trap(&place.host, &place.pattern).await.map_err(Error::because)?;
        Ok(trap.filter(|trap| is_shut(trap, self.clock.now())))
    }

    /// Notes what a new page says, by its fingerprint, for what that tells of those like it.
    pub(super) async fn look_for_trap(&self, url: &Url, print: Option<u64>) -> Result<(), Error> {
        let Some(place) = TrapPlace::from_url(url) else { return Ok(()) };
        let frontier = &self.parts.frontier;
        let before = frontier.trap(&place.host, &place.pattern).await.map_err(Error::because)?;
        let decided = if self.scope.may_be_trap(url) {
            let mut traps = self.traps.lock().unwrap_or_else(PoisonError::into_inner);
            traps.note(&place, print, before.as_ref(), self.clock.now())
        } else {
            // The rules may have come after it.
            before.is_some().then_some(None)
        };
        let Some(trap) = decided else { return Ok(()) };
        if before.is_none()
            && let Some(trap) = &trap
            && is_refuted(trap, &self.stored_prints(url, &place).await?)
        {
            return Ok(());
        }
        let TrapPlace { host, pattern } = place;
        match &trap {
            Some(Trap { until, times, .. }) => tracing::warn!(
                host,
                pattern,
                %until,
                times,
                "a trap: its pages are copies of each other, and no more of them are fetched until then"
            ),
            None => tracing::info!(host, pattern, "what was a trap is none any more"),
        }
        frontier.set_trap(&host, &pattern, trap).await.map_err(Error::because)
    }

    /// The fingerprints of what is stored of a place, as far as it stands beside a URL or at the
    /// beginning of its folder.
    async fn stored_prints(&self, url: &Url, place: &TrapPlace) -> Result<Vec<Option<u64>>, Error> {
        let mut urls = BTreeSet::new();
        for beside in [url.clone(), url.join(".").unwrap_or_else(|_| url.clone())] {
            let near = self.parts.frontier.near(beside.as_str(), MOST_SAMPLED).await.map_err(Error::because)?;
            urls.extend(near);
        }
        let is_like =
            |other: &String| Url::parse(other).is_ok_and(|other| TrapPlace::from_url(&other).as_ref() == Some(place));
        urls.retain(is_like);
        let store = self.parts.store.clone();
        let read = move || {
            let records = urls.iter().filter_map(|url| store.get(url).transpose());
            records
                .map(|record| {
                    record.map(|record| fingerprint(record.page.metadata.title.as_deref(), &record.page.text))
                })
                .collect::<Result<Vec<_>, _>>()
        };
        blocking(read).await?.map_err(|error: tsrec_store::Error| Error::because(error))
    }

    /// What the server is told that we have, so that it need not be sent again: nothing, unless
    /// that is still so.
    pub(super) fn known_version(&self, lease: &Lease, is_stored: bool) -> Option<Validators> {
        let is_there = is_stored || lease.leads == Leads::ToListing;
        // What the program failed on is wanted whole.
        if !is_there || lease.quarantined { None } else { from_memo(&lease.memo, lease.depth) }
    }
}
