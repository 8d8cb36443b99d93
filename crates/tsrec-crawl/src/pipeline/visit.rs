//! One page, from its lease to its acknowledgement: `visit` → `visit_inside` → `ask`, which
//! fetches. Then there are two ways:
//!
//! - `page`: the answer has a page. It is parsed, extracted, stored and acknowledged.
//! - `no_page`: there is nothing to store. The table [`outcome`] decides what becomes of the URL
//!   and its record. A page that asks not to be stored, or repeats another, comes here too.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;
use tracing::Instrument;
use url::Url;

use super::ask::{Answer, Arrived, Expected, FetchResponse, PageRequest, Reached, without_credentials};
use super::budget::BudgetPermit;
use super::canonical::Canonical;
use super::clock::later;
use super::doubt::Doubt;
use super::fate::{Fate, Visited};
use super::listings::ListedUrls;
use super::memo::{doubt, with_doubt};
use super::outcome::{self, AnswerKind, KnownUrl, NextFetch, NoPage, Outcome, RecordAction};
use super::unstored::NotStored;
use super::work::{ExtractionRun, StoreOutcome, StoredPage, TOO_MUCH_WORK, Worked};
use super::{Crawl, Error, Fetch, blocking};
use crate::fetch::{Cause, Exchange, MAX_WAIT};
use crate::frontier::{Account, Ack, Acked, Frontier, Heard, Leads, Lease, UrlRequest};
use tsrec_core::html::directives::Directives;
use tsrec_core::html::refresh::Refresh;
use tsrec_core::pairing::registrable_domain;
use tsrec_store::{DeletionReason, Parked};

/// A visit under way, and the data to keep of it.
pub(super) struct PageVisit<'l> {
    pub(super) lease: &'l Lease,
    /// What the frontier remembers of this visit. The ack adds the result in words.
    pub(super) account: Account,
    /// The directives in the head of the answer.
    directives: Directives,
    /// What was known of the URL before.
    known: KnownUrl,
    /// The address that the head of the answer calls canonical.
    pub(super) canonical: Option<Url>,
    /// What its `Refresh` header asks for.
    refresh: Option<Refresh>,
    /// The date from which the page asks not to be stored (`unavailable_after`).
    pub(super) until: Option<Timestamp>,
    /// The request, the head of the answer, and the server's address, if the page is to be
    /// archived.
    pub(super) exchange: Option<(Box<Exchange>, Option<IpAddr>)>,
}

impl<'l> PageVisit<'l> {
    fn new(lease: &'l Lease) -> PageVisit<'l> {
        PageVisit {
            lease,
            account: Account::default(),
            directives: Directives::default(),
            known: KnownUrl::default(),
            canonical: None,
            refresh: None,
            until: None,
            exchange: None,
        }
    }

    fn account(&self, said: &str) -> Account {
        Account { said: said.to_owned(), ..self.account.clone() }
    }
}

/// When a URL comes again that looks like a trap's. Judgement: until then it costs no request, and
/// mistakes are few.
const POSTPONED_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The longest time that a visit may wait for the turns of robots.txt and of the page. It does not
/// count towards the host's patience.
const TURNS: Duration = MAX_WAIT.saturating_mul(2);

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Takes one leased page through the pipeline.
    pub(super) async fn visit(self: Arc<Self>, lease: Lease) -> Result<(), Error> {
        let host = lease.url.host_str().unwrap_or_default();
        let shown = without_credentials(&lease.url);
        let span = tracing::info_span!("page", url = %shown, host, method = tracing::field::Empty);
        async {
            if let Some(fate) = self.visit_inside(&lease).await? {
                self.tell(Visited { url: lease.url.clone(), fate });
            }
            Ok(())
        }
        .instrument(span)
        .await
    }

    /// Asks for the page, unless it is done, in quarantine with its bytes, or unwanted. Then
    /// handles each kind of answer. `None` if there is nothing to report: the page was done
    /// already, or has to wait for its turn.
    async fn visit_inside(&self, lease: &Lease) -> Result<Option<Fate>, Error> {
        let (url, mut visit) = (&lease.url, PageVisit::new(lease));
        let before = self.fetched_at(url).await?;
        if let Some(fate) = self.respelt(&visit, before.is_some()).await? {
            return Ok(Some(fate));
        }
        if let Some(from) = before.and_then(|fetched_at| self.is_done(lease, fetched_at)).filter(|_| !lease.quarantined)
        {
            self.acknowledge(&visit, Ack::Ok { refetchable_from: from }, "stored before").await?;
            return Ok(None);
        }
        if lease.quarantined
            && let Some(parked) = self.find_parked(url).await?
        {
            // Its links were followed by its visit, as far as the lost head of the answer allowed.
            visit.directives.nofollow = before == Some(parked.fetched_at);
            return self.page(&mut visit, parked).await.map(Some);
        }
        if let Some((ack, said)) = self.unwanted(lease, before.is_some()).await? {
            self.acknowledge(&visit, ack, &said).await?;
            return Ok(Some(Fate::NotStored(said)));
        }
        let Some((response, listed, mut body)) = self.ask(&mut visit, before.is_some()).await? else { return Ok(None) };
        if response.cause.is_none() && response.answer.kind() != NoPage::OwnFault.into() {
            self.look_for_sitemaps(url).await?;
        }
        let failing_for =
            lease.failing_since.map_or(Duration::ZERO, |since| self.clock.now().duration_since(since).unsigned_abs());
        let known = KnownUrl { stored: before.is_some(), failures: lease.attempts, failing_for };
        visit.known = known;
        let FetchResponse { answer, address, said, .. } = response;
        let what = answer.kind();
        match answer {
            Answer::Page { mut page, .. } => {
                body.shrink(page.body.len());
                visit.exchange = page.exchange.take().map(|exchange| (exchange, address));
                visit.directives.clone_from(&page.directives);
                (visit.canonical, visit.refresh) = (page.canonical.take(), page.refresh.take());
                self.page(&mut visit, self.fetched_now(*page)).await.map(Some)
            }
            Answer::Listing(end) => self.listed(&visit, end, listed).await.map(Some),
            Answer::NotModified { directives, .. } => {
                drop(body);
                // The page's own directives were read when it was fetched.
                let rights = outcome::rights(&directives, &Directives::default(), self.clock.now());
                visit.until = rights.until;
                match rights.index {
                    true => self.no_page(&visit, what, known, None, said).await.map(Some),
                    false => {
                        self.not_stored(&visit, AnswerKind::Noindex, "asks not to be indexed any more").await.map(Some)
                    }
                }
            }
            Answer::Redirect { to, .. } => {
                drop(body);
                self.no_page(&visit, what, known, Some(to), said).await.map(Some)
            }
            Answer::NoPage(_) => {
                drop(body);
                self.no_page(&visit, what, known, None, said).await.map(Some)
            }
        }
    }

    /// Why a URL is not fetched. Stored and previously fetched URLs are always fetched again, since
    /// they may have come back. A new URL that looks like a trap is postponed, not skipped, since a
    /// site that is closed for an hour says the same on all pages.
    async fn unwanted(&self, lease: &Lease, is_stored: bool) -> Result<Option<(Ack, String)>, Error> {
        let url = &lease.url;
        let is_new = !is_stored && lease.interval.is_none();
        if is_new
            && let Some(place) = self.place(url)
            && let Some(trap) = self.trap(&place).await?
        {
            let until = later(self.clock.now(), POSTPONED_FOR).max(trap.until);
            let said = format!("looks like a trap: the pages of {} are copies", place.pattern);
            return Ok(Some((Ack::Postponed { until }, said)));
        }
        let is_left_out = lease.depth > 0 && !self.scope.allows(url);
        Ok(is_left_out.then(|| (Ack::Skipped, "the rules of the crawl leave it out".to_owned())))
    }

    /// When to fetch a page that is stored already, if not now. That happens if the process died
    /// between storing and acknowledging it, or if the frontier has forgotten it.
    fn is_done(&self, lease: &Lease, fetched_at: Timestamp) -> Option<Timestamp> {
        let is_new = lease.interval.is_none() && lease.attempts == 0;
        let first_due = later(fetched_at, self.config.refetch_after);
        match fetched_at >= lease.due {
            true => Some(self.refetchable_from(&PageVisit::new(lease), None)),
            false => Some(first_due).filter(|&due| is_new && due > self.clock.now()),
        }
    }

    /// Fetches the page, and reports the health of its host to the frontier. `None` if another host
    /// at the same address has its turn now.
    async fn ask(
        &self,
        visit: &mut PageVisit<'_>,
        is_stored: bool,
    ) -> Result<Option<(FetchResponse, ListedUrls, BudgetPermit)>, Error> {
        let (lease, frontier) = (visit.lease, &self.parts.frontier);
        let url = &lease.url;
        if !lease.located
            && let Ok(Some(address)) = tokio::time::timeout(lease.patience, self.parts.fetcher.locate(url)).await
            && !frontier.locate(url.as_str(), address).await.map_err(Error::because)?
        {
            return Ok(None);
        }
        let body = self.budget.body(self.parts.max_body).await;
        let started = Instant::now();
        let validators = self.known_version(lease, is_stored);
        let (patience, delay) = (lease.patience, lease.delay);
        let asked = PageRequest { url, expects: Expected::Page, unless: validators.as_ref(), delay, patience };
        let (response, listed) = match lease.leads {
            Leads::ToPage => (self.fetch_within(patience, &asked).await, ListedUrls::default()),
            Leads::ToListing => self.fetch_listing(lease, &asked).await?,
        };
        let response = self.whose_fault(lease, response);
        let took = started.elapsed().saturating_sub(listed.took);
        self.count(&response.answer, took);
        visit.account = self.account_of(lease, &response, took);
        // The health of the host does not depend on what is known of the URL.
        if let Some(health) = self.outcome(visit, response.answer.kind(), KnownUrl::default()).host {
            let heard = Heard {
                took: took.saturating_sub(response.waited),
                health,
                asked: response.asked_delay,
                address: response.address,
            };
            frontier.fetched(url.as_str(), &heard).await.map_err(Error::because)?;
            self.news.notify_one();
        }
        Ok(Some((response, listed, body)))
    }

    /// The answer to a request, or that it took too long.
    pub(super) async fn fetch_within(&self, patience: Duration, asked: &PageRequest<'_>) -> FetchResponse {
        match tokio::time::timeout(patience + TURNS, self.parts.fetcher.fetch(asked)).await {
            Ok(response) => response,
            Err(_) => FetchResponse::no_page(NoPage::TimedOut, format!("no answer within {patience:?}")),
        }
    }

    fn count(&self, answer: &Answer, took: Duration) {
        metrics::histogram!("tsrec_fetch_seconds").record(took.as_secs_f64());
        metrics::counter!("tsrec_answers_total", "what" => answer.kind().as_str()).increment(1);
        metrics::counter!("tsrec_fetched_bytes_total").increment(if let Answer::Page { page, .. } = answer {
            page.body.len() as u64
        } else {
            0
        });
    }

    /// The account of a request, as an explanation and for the next visit.
    fn account_of(&self, lease: &Lease, response: &FetchResponse, took: Duration) -> Account {
        let FetchResponse { answer, cause, robots, .. } = response;
        let what = cause.map_or_else(|| answer.kind().as_str(), Cause::as_str).to_owned();
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let memo = match answer {
            // The version that we have is there again.
            Answer::NotModified { .. } if doubt(&lease.memo).is_some() => Some(with_doubt(&lease.memo, None)),
            _ => None,
        };
        let memo = answer.memo(lease.depth, self.parts.extract).or(memo);
        let request = Some(UrlRequest { at: self.clock.now(), took_ms, what });
        Account { said: String::new(), request, robots: robots.clone(), memo }
    }

    /// If a failure is our own, the answer says so: no host is blamed, and the crawl rests for a
    /// moment.
    fn whose_fault(&self, lease: &Lease, response: FetchResponse) -> FetchResponse {
        let host = lease.url.host_str().unwrap_or_default();
        let mut trouble = self.trouble();
        let is_ours = match response.reached {
            Reached::Somebody => {
                trouble.answered();
                false
            }
            Reached::Nobody => trouble.failed(host, lease.answered_before),
            Reached::Unknown => false,
        };
        if !is_ours && response.answer.kind() != NoPage::OwnFault.into() {
            return response;
        }
        let rest = trouble.rest(Instant::now());
        drop(trouble);
        self.rest_for(rest);
        FetchResponse::no_page(NoPage::OwnFault, format!("{}; the fault is taken to be our own", response.said))
    }

    /// A page at hand: parses it, follows its links, extracts, stores and acknowledges it.
    async fn page(&self, visit: &mut PageVisit<'_>, page: Parked) -> Result<Fate, Error> {
        let (lease, page) = (visit.lease, Arc::new(page));
        let url = &lease.url;
        let _room = self.budget.work(page.body.len()).await;
        let permit = self.budget.permit().await;
        let parsed = match self.parse(url, &page, Some(&permit)).await? {
            Worked::Done(parsed) => Arc::new(parsed),
            Worked::Panicked(why) => return self.panicked(visit, &page, &format!("parsing: {why}")).await,
        };
        let rights = outcome::rights(&visit.directives, &parsed.directives, self.clock.now());
        visit.until = rights.until;
        if rights.until.is_some() {
            // A version that is called unchanged would not repeat its directives.
            visit.account.memo = Some(Vec::new());
        }
        if let Some(to) = parsed.redirect(url, visit.refresh.as_ref()) {
            // The version that we have stays the one that we know.
            visit.account.memo = None;
            let said = format!("a page that only leads to {}", without_credentials(&to));
            return self.no_page(visit, AnswerKind::MovedTemporarily, visit.known, Some(to), said).await;
        }
        let mut left_out = None;
        if rights.follow {
            left_out = self.follow_links(lease, &parsed, visit.refresh.as_ref().map(|refresh| &refresh.to)).await?;
        }
        let doubt = Doubt::after(doubt(&lease.memo), self.clock.now());
        let is_settled = doubt.is_settled(self.clock.now());
        if !rights.index {
            // A challenge asks not to be indexed, and does not speak for the page.
            return match self.kind_in_the_way(url, &parsed).await?.filter(|_| !is_settled) {
                Some(kind) => self.doubted(visit, doubt, kind).await,
                None => self.not_stored(visit, AnswerKind::Noindex, "asks not to be indexed").await,
            };
        }
        let (other, canonical) = match self.stands_for_itself(visit, &parsed).await? {
            Canonical::Until(canonical) => (None, Some(canonical)),
            Canonical::Unless(record) => (Some(record), None),
            Canonical::Itself => (None, None),
        };
        let links = parsed.links.clone();
        let run = ExtractionRun::Fetch { may_be_kept: rights.archive, is_settled };
        let stored = self.extract_and_store(url, &page, (parsed, permit), other, run).await?;
        let StoredPage { record, changed, print, is_parked } = match stored {
            Worked::Done(StoreOutcome::Stored(stored)) => stored,
            Worked::Done(StoreOutcome::NotStored(NotStored::Duplicate(said))) => {
                return self.not_stored(visit, AnswerKind::Duplicate, &said).await;
            }
            Worked::Done(StoreOutcome::NotStored(NotStored::Doubtful(kind))) => {
                return self.doubted(visit, doubt, kind).await;
            }
            Worked::Done(StoreOutcome::Unfit(why)) => {
                self.refetch(visit, None, &why).await?;
                return Ok(Fate::NotStored(why));
            }
            Worked::Done(StoreOutcome::Superseded) => unreachable!("a visit is no second extraction"),
            Worked::Done(StoreOutcome::TooMuchWork) => {
                return self.panicked(visit, &page, &format!("extraction: {TOO_MUCH_WORK}")).await;
            }
            Worked::Panicked(why) => return self.panicked(visit, &page, &format!("extraction: {why}")).await,
        };
        tracing::Span::current().record("method", record.method.as_str());
        if lease.interval.is_none() {
            self.look_for_trap(url, print).await?;
        }
        self.stored.fetch_add(1, Ordering::Relaxed);
        if rights.archive {
            self.archive(visit, &page, &record).await?;
        }
        if is_parked {
            self.wait_for_sibling(url, &links).await?;
        }
        if let Some(canonical) = &canonical {
            self.compare_later(url, canonical).await?;
        }
        let said = match left_out {
            Some(left_out) => format!("stored, by {}; {left_out}", record.method),
            None => format!("stored, by {}", record.method),
        };
        self.refetch(visit, Some(changed), &said).await?;
        Ok(Fate::Stored { page: record, changed })
    }

    /// A fetched page that must not be stored. It may have a record, which the table then deletes.
    /// Nothing happens if it has none.
    pub(super) async fn not_stored(&self, visit: &PageVisit<'_>, what: AnswerKind, said: &str) -> Result<Fate, Error> {
        let known = KnownUrl { stored: true, ..KnownUrl::default() };
        self.no_page(visit, what, known, None, said.to_owned()).await
    }

    /// The program failed on a page. Its bytes are kept, unless its head had directives, which
    /// would be lost.
    async fn panicked(&self, visit: &PageVisit<'_>, page: &Arc<Parked>, why: &str) -> Result<Fate, Error> {
        let kept = (visit.directives == Directives::default()).then_some(page);
        self.quarantine(&visit.lease.url, kept, why).await
    }

    /// There is no page to store. Does what the table says.
    async fn no_page(
        &self,
        visit: &PageVisit<'_>,
        what: AnswerKind,
        known: KnownUrl,
        to: Option<Url>,
        said: String,
    ) -> Result<Fate, Error> {
        let lease = visit.lease;
        let url = &lease.url;
        let outcome = self.outcome(visit, what, known);
        let followed = match to.filter(|_| outcome.follow) {
            Some(to) => self.follow_redirect(lease, to).await?,
            None => None,
        };
        let deleted = match outcome.record {
            RecordAction::Delete(reason) => Some(reason),
            RecordAction::Move => Some(DeletionReason::Redirected),
            RecordAction::Keep | RecordAction::Put => None,
        };
        if let Some(reason) = deleted.filter(|_| known.stored) {
            let target = match followed.clone().filter(|_| outcome.record == RecordAction::Move) {
                // The content of one site must not be stored under another.
                Some(to) if registrable_domain(url) == registrable_domain(&to) && self.takes_record(&to).await? => {
                    Some(to)
                }
                _ => None,
            };
            self.forget(url, reason, target).await?;
        }
        let acked = self.acknowledge(visit, outcome.ack, &said).await?;
        Ok(match outcome.ack {
            Ack::Ok { .. } | Ack::Gone { .. } => match (what, followed, deleted.filter(|_| known.stored)) {
                (AnswerKind::NotModified, ..) => Fate::NotModified,
                (_, Some(to), _) => Fate::Redirected(to),
                (_, _, Some(reason)) => Fate::Deleted(reason),
                _ => Fate::NotStored(said),
            },
            Ack::Returned => Fate::Returned(said),
            Ack::Skipped | Ack::Postponed { .. } | Ack::Quarantined => Fate::NotStored(said),
            Ack::Fail { .. } => {
                let then = match acked {
                    Acked::Scheduled { due } => format!("tried again from {due:.0}"),
                    Acked::GivenUp { attempts } => format!("given up after {attempts} attempts"),
                    Acked::Skipped | Acked::NotLeased | Acked::Quarantined | Acked::Dropped => {
                        "not tried again".to_owned()
                    }
                };
                Fate::Failed(format!("{said}; {then}"))
            }
        })
    }

    /// The outcome for the answer of a visit.
    fn outcome(&self, visit: &PageVisit<'_>, what: AnswerKind, known: KnownUrl) -> Outcome {
        let soonest = later(self.clock.now(), self.config.refetch_least);
        outcome::outcome(what, known, NextFetch { usual: self.refetchable_from(visit, None), soonest })
    }

    fn fetched_now(&self, page: Arrived) -> Parked {
        let Arrived { body, status, charset, truncated, fetched_at, .. } = page;
        Parked { body, status, charset, fetched_at: fetched_at.unwrap_or_else(|| self.clock.now()), truncated }
    }

    /// When the record of a page was fetched, if there is one.
    pub(super) async fn fetched_at(&self, url: &Url) -> Result<Option<Timestamp>, Error> {
        let (store, key) = (self.store(), url.clone());
        blocking(move || store.fetched_at(key.as_str())).await?.map_err(Error::because)
    }

    async fn find_parked(&self, url: &Url) -> Result<Option<Parked>, Error> {
        let (store, key) = (self.store(), url.clone());
        blocking(move || store.parked(key.as_str())).await?.map_err(Error::because)
    }

    /// The page is done. It comes again after an interval that follows its changes.
    pub(super) async fn refetch(&self, visit: &PageVisit<'_>, changed: Option<bool>, said: &str) -> Result<(), Error> {
        let ack = Ack::Ok { refetchable_from: self.refetchable_from(visit, changed) };
        self.acknowledge(visit, ack, said).await.map(drop)
    }

    /// After its interval, or at the date from which it asks not to be stored.
    fn refetchable_from(&self, visit: &PageVisit<'_>, changed: Option<bool>) -> Timestamp {
        let interval = self.config.refetch_of(visit.lease.leads).after(visit.lease.interval, changed);
        let from = later(self.clock.now(), interval);
        visit.until.map_or(from, |until| until.min(from))
    }

    pub(super) async fn acknowledge(&self, visit: &PageVisit<'_>, outcome: Ack, said: &str) -> Result<Acked, Error> {
        self.end(&visit.lease.url, outcome, visit.account(said)).await
    }

    /// Ends the lease, and handles the pages that wait for this one. Whatever its result, they need
    /// not wait any more.
    pub(super) async fn end(&self, url: &Url, outcome: Ack, account: Account) -> Result<Acked, Error> {
        let acked = self.parts.frontier.ack(url.as_str(), outcome, account).await.map_err(Error::because)?;
        if outcome != Ack::Returned {
            self.tell_who_waits(url).await?;
        }
        Ok(acked)
    }
}
