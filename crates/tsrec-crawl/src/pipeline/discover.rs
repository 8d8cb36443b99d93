//! Sources of URLs: links, redirects, and the sitemaps and feeds that sites publish.
//!
//! Sitemaps and feeds are URLs of the frontier like pages. They are leased in their host's turn,
//! under its delay, its robots.txt and its limit on URLs. Requests for them are conditional, and
//! come again after an interval that follows their news. URLs that they name are used only within
//! the crawl's scope. Their dates make pages due that were fetched before, as far as the dates are
//! credible ([`Modified`]).

use std::collections::{BTreeSet, HashMap};
use std::sync::PoisonError;
use std::time::Duration;

use jiff::Timestamp;
use url::Url;

use super::memo::from_memo;
use super::numbers::own_numbers;
use super::parsed::Parsed;
use super::traps::{PagePrint, TrapPlace, fingerprint, is_refuted, is_shut};
use super::{Crawl, Error, Fetch, blocking};
use crate::fetch::Validators;
use crate::fetch::listing::{ListingEntry, MAX_ENTRIES};
use crate::frontier::{Discovered, Frontier, Leads, Lease, Modified, PutSummary, Trap};
use tsrec_core::pairing::registrable_domain;
use tsrec_store::PageRecord;

/// How often to check which sitemaps a site's robots.txt names: as long as that is kept.
const LOOK_AGAIN: Duration = Duration::from_secs(24 * 60 * 60);

/// Sites whose last check is remembered. Judgement: a megabyte; then all are checked again.
const MOST_SITES: usize = 10_000;

/// Sitemaps of a site accepted from its other hosts. Judgement: one for each language.
const MOST_ELSEWHERE: usize = 32;

/// Pages looked at on each side of a URL, before its pattern counts as a trap. Judgement: some ten
/// milliseconds, once a trap.
const MOST_SAMPLED: usize = 32;

/// Feeds taken from a front page. Judgement: one or two of articles, one of comments.
const MOST_FEEDS: usize = 4;

/// When the sitemaps of each site were last checked.
#[derive(Debug, Default)]
pub(super) struct SitemapChecks(HashMap<String, Timestamp>);

impl SitemapChecks {
    /// Whether to check the site of this URL now. If so, counts it as checked.
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

/// What a stored page says, for comparisons.
fn print_of(record: &PageRecord) -> PagePrint {
    let (title, text) = (record.page.metadata.title.as_deref(), &record.page.text);
    let numbers = Url::parse(&record.page.url).ok().and_then(|url| own_numbers(&url, title, text));
    PagePrint { words: fingerprint(title, text), numbers }
}

/// Counts links that are not offered to the frontier.
pub(super) fn left(why: &'static str, count: usize) {
    if count > 0 {
        metrics::counter!("tsrec_links_left_total", "why" => why).increment(count as u64);
    }
}

/// Redirects and canonical links that are followed one after the other. Source: the Fetch standard,
/// "HTTP-redirect fetch".
const MOST_MOVES: u32 = 20;

/// Hosts whose links left out are logged. Judgement: a megabyte.
const MOST_HOSTS_LOGGED: usize = 10_000;

/// Counts a page or a listing with more links than are read.
pub(super) fn cut(what: &'static str) {
    metrics::counter!("tsrec_links_cut_total", "of" => what).increment(1);
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Puts the links of a page, and that of its `Refresh` header, into the frontier. Tells what is
    /// left out for a limit, for the account of the visit.
    pub(super) async fn follow_links(
        &self,
        lease: &Lease,
        parsed: &Parsed,
        refresh: Option<&Url>,
    ) -> Result<Option<String>, Error> {
        if lease.depth >= self.config.max_depth {
            left("depth", parsed.links.len() + parsed.links_left_out);
            let to_tell = parsed.links.iter().any(|link| self.scope.holds(link, &lease.url));
            return Ok(to_tell.then(|| self.links_left(&lease.url, parsed.links.len(), "crawl.max_depth")));
        }
        let said = (parsed.links_left_out > 0).then(|| {
            cut("page");
            left("page", parsed.links_left_out);
            self.links_left(&lease.url, parsed.links_left_out, "crawl.max_links_within or crawl.max_links")
        });
        let (url, depth) = (&lease.url, lease.depth + 1);
        let mut found = Vec::new();
        let (within, outside): (Vec<&Url>, Vec<&Url>) =
            parsed.links.iter().chain(refresh).partition(|link| self.scope.holds(link, url));
        left("scope", outside.len());
        for link in self.outside_traps(within, |link| link).await? {
            found.push(Discovered::page(link.clone(), depth, Some(url.clone())));
        }
        // On other pages the feed is often one of the page's own comments.
        if self.config.listings && (lease.depth == 0 || url.path() == "/") {
            let feeds = parsed.feeds.iter().filter(|feed| self.scope.holds(feed, url)).take(MOST_FEEDS);
            found.extend(feeds.map(|feed| Discovered::listing(feed.clone(), depth, Some(url.clone()))));
        }
        self.put(&found).await?;
        Ok(said)
    }

    /// Logs, once for each host, that links are left out. Returns that in words.
    fn links_left(&self, url: &Url, count: usize, setting: &str) -> String {
        let host = url.host_str().unwrap_or_default();
        let mut logged = self.links_left.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.len() < MOST_HOSTS_LOGGED && logged.insert(host.to_owned()) {
            tracing::warn!(host, %url, count, setting, "links are left out; said once for each host");
        }
        format!("{count} links are left out ({setting})")
    }

    /// The items whose URLs are in no active trap. Counts the others.
    pub(super) async fn outside_traps<T>(&self, named: Vec<T>, url: impl Fn(&T) -> &Url) -> Result<Vec<T>, Error> {
        let (mut known, count) = (HashMap::new(), named.len());
        let mut others = Vec::with_capacity(count);
        for item in named {
            // The links of a page have only a few patterns.
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

    /// Now and then, adds the sitemaps that a site names in its robots.txt.
    pub(super) async fn look_for_sitemaps(&self, url: &Url) -> Result<(), Error> {
        let is_due = || self.sites.lock().unwrap_or_else(PoisonError::into_inner).is_due(url, self.clock.now());
        // The host of a sitemap alone has no pages of its own here.
        if !self.config.listings || !self.scope.has_site(url) || !is_due() {
            return Ok(());
        }
        let named = self.parts.fetcher.sitemaps(url);
        let (ours, others): (Vec<Url>, Vec<Url>) = named.into_iter().partition(|map| self.scope.holds(map, url));
        // A site may keep them on another host, such as that of a service. Of the URLs in such a
        // sitemap only those of the seeds' hosts count. A host without a seed may not name a
        // further host: a name server can make up hosts without end.
        let has_leave = self.scope.has_seed(url);
        let elsewhere = others.into_iter().filter(|map| has_leave && self.scope.allows(map));
        let sitemaps = ours.into_iter().take(MAX_ENTRIES).chain(elsewhere.take(MOST_ELSEWHERE));
        let found: Vec<Discovered> =
            sitemaps.map(|sitemap| Discovered::listing(sitemap, 0, Some(url.clone()))).collect();
        self.put(&found).await.map(drop)
    }

    /// An entry of a listing, if it is in the crawl's scope.
    pub(super) fn named(&self, lease: &Lease, entry: &ListingEntry, leads: Leads) -> Option<Discovered> {
        let (url, depth) = (entry.url.clone(), lease.depth + 1);
        let least = match leads {
            Leads::ToPage => self.config.refetch_least,
            Leads::ToListing => self.config.refetch_of(leads).least,
        };
        // A listing's dates for another site count only if the listing is configured.
        let may_know =
            registrable_domain(&url) == registrable_domain(&lease.url) || self.config.sitemaps.contains(&lease.url);
        let modified = entry.modified.filter(|_| may_know).map(|at| Modified { at, least });
        let found = Discovered { url, depth, found_on: Some(lease.url.clone()), leads, modified };
        // A sitemap on a host of another site was named by a seed's host, and speaks for that
        // alone.
        let may_speak = leads == Leads::ToListing || self.scope.has_site(&lease.url) || self.scope.has_seed(&found.url);
        (may_speak && self.scope.holds(&found.url, &lease.url)).then_some(found)
    }

    /// Puts a redirect's target into the frontier, if it is in scope. A redirect counts as a link.
    /// Otherwise a chain of redirects could go on without end. Exception: the first few redirects
    /// of a seed, whose target stands for the seed.
    pub(super) async fn follow_redirect(&self, lease: &Lease, to: Url) -> Result<Option<Url>, Error> {
        let (url, is_seed) = (&lease.url, self.scope.is_seed(&lease.url));
        // A seed may redirect to the host that its site prefers.
        let preferred_host = is_seed && registrable_domain(url) == registrable_domain(&to);
        if !(self.scope.holds(&to, url) || preferred_host && self.scope.allows(&to)) {
            return Ok(None);
        }
        // A server may insist on another spelling than ours.
        let normal = self.addresses.normal(&to).into_owned();
        let to = if normal == *url { to } else { normal };
        if to == *url {
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
        self.put_as_spelt(&[Discovered { leads: lease.leads, ..target }]).await?;
        Ok(Some(to))
    }

    /// The depth of the page that a page names in its place: its redirect target or its canonical
    /// page. Such a step counts as several links, so that a chain of [`MOST_MOVES`] is as deep as a
    /// page may be. Pages at the greatest depth may name one too; the pages that they name may not.
    pub(super) fn depth_beyond(&self, lease: &Lease) -> Option<u32> {
        let step = (self.config.max_depth / MOST_MOVES).max(1);
        let depth = (lease.depth <= self.config.max_depth).then_some(lease.depth + step);
        left("depth", usize::from(depth.is_none()));
        depth
    }

    /// Puts URLs into the frontier, pages in their one spelling.
    pub(super) async fn put(&self, found: &[Discovered]) -> Result<PutSummary, Error> {
        let spelt = |found: &Discovered| match found.leads {
            Leads::ToPage => Discovered { url: self.addresses.normal(&found.url).into_owned(), ..found.clone() },
            Leads::ToListing => found.clone(),
        };
        self.put_as_spelt(&found.iter().map(spelt).collect::<Vec<_>>()).await
    }

    pub(super) async fn put_as_spelt(&self, found: &[Discovered]) -> Result<PutSummary, Error> {
        let put = self.parts.frontier.put_discovered(found).await.map_err(Error::because)?;
        if put.added + put.revived + put.renewed > 0 {
            self.news.notify_one();
        }
        for (why, count) in put.refused.by_reason().into_iter().filter(|(_, count)| *count > 0) {
            metrics::counter!("tsrec_links_refused_total", "why" => why).increment(count);
        }
        Ok(put)
    }

    /// The host and pattern of a URL, if it may be in a trap.
    pub(super) fn place(&self, url: &Url) -> Option<TrapPlace> {
        TrapPlace::from_url(url).filter(|_| self.scope.may_be_trap(url))
    }

    /// The trap at a place, if it is active.
    pub(super) async fn trap(&self, place: &TrapPlace) -> Result<Option<Trap>, Error> {
        let trap = self.parts.frontier.trap(&place.host, &place.pattern).await.map_err(Error::because)?;
        Ok(trap.filter(|trap| is_shut(trap, self.clock.now())))
    }

    /// Notes the fingerprint of a new page, to detect a trap in its pattern.
    pub(super) async fn look_for_trap(&self, url: &Url, print: PagePrint) -> Result<(), Error> {
        let Some(place) = TrapPlace::from_url(url) else { return Ok(()) };
        let frontier = &self.parts.frontier;
        let before = frontier.trap(&place.host, &place.pattern).await.map_err(Error::because)?;
        let decided = if self.scope.may_be_trap(url) {
            let mut traps = self.traps.lock().unwrap_or_else(PoisonError::into_inner);
            traps.note(&place, print, before.as_ref(), self.clock.now())
        } else {
            // The rules may be newer than the trap.
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

    /// The fingerprints of stored pages of a place, as far as they are next to a URL or at the
    /// beginning of its folder.
    async fn stored_prints(&self, url: &Url, place: &TrapPlace) -> Result<Vec<PagePrint>, Error> {
        let mut urls = BTreeSet::new();
        for beside in [url.clone(), url.join(".").unwrap_or_else(|_| url.clone())] {
            let near = self.parts.frontier.near(beside.as_str(), MOST_SAMPLED).await.map_err(Error::because)?;
            urls.extend(near);
        }
        let is_like =
            |other: &String| Url::parse(other).is_ok_and(|other| TrapPlace::from_url(&other).as_ref() == Some(place));
        urls.retain(is_like);
        let store = self.store();
        let read = move || {
            let records = urls.iter().filter_map(|url| store.get(url).transpose());
            records.map(|record| record.map(|record| print_of(&record))).collect::<Result<Vec<_>, _>>()
        };
        blocking(read).await?.map_err(|error: tsrec_store::Error| Error::because(error))
    }

    /// The validators to send, so that the server need not send an unchanged version again. `None`
    /// if we no longer have that version.
    pub(super) fn known_version(&self, lease: &Lease, is_stored: bool) -> Option<Validators> {
        let is_there = is_stored || lease.leads == Leads::ToListing;
        // A page on which the program failed must be fetched whole.
        if !is_there || lease.quarantined { None } else { from_memo(&lease.memo, lease.depth, self.parts.extract) }
    }
}
