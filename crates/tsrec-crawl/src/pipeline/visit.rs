//! One page, from its lease to its acknowledgement. What follows from what is [`outcome`]'s to say;
//! here it is done.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;
use tracing::Instrument;
use url::Url;

use super::again::MOST_OF_HOST;
use super::ask::{Answer, Arrived, PageRequest, Reached, to_memo, without_credentials};
use super::budget::BudgetPermit;
use super::canonical::Canonical;
use super::clock::later;
use super::fate::{Fate, Visited};
use super::outcome::{self, AnswerKind, KnownUrl, Outcome, RecordAction, Then};
use super::work::{ExtractionRun, StoreOutcome, StoredPage, Worked};
use super::{Crawl, Error, Fetch, blocking};
use crate::fetch::{Exchange, MAX_WAIT};
use crate::frontier::{Account, Ack, Acked, Frontier, Heard, Lease, UrlRequest, UrlState};
use tsrec_core::html::directives::Directives;
use tsrec_core::pairing::registrable_domain;
use tsrec_store::{DeletionReason, NewPage, Parked};

/// A visit under way, and what is to be kept of it.
pub(super) struct PageVisit<'l> {
    pub(super) lease: &'l Lease,
    /// What it says is filled in with the acknowledgement.
    account: Account,
    /// What the answer's head asks for.
    directives: Directives,
    /// From when on the page asks not to be stored.
    until: Option<Timestamp>,
    /// What went over the line before the body, and who answered, where it is to be archived.
    pub(super) exchange: Option<(Box<Exchange>, Option<IpAddr>)>,
}

impl<'l> PageVisit<'l> {
    fn new(lease: &'l Lease) -> PageVisit<'l> {
        PageVisit { lease, account: Account::default(), directives: Directives::default(), until: None, exchange: None }
    }

    fn account(&self, said: &str) -> Account {
        Account { said: said.to_owned(), ..self.account.clone() }
    }
}

/// When a URL comes again that looks like a trap's. Judgement: it costs no request while it does,
/// and mistakes are few.
const POSTPONED_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What a visit may wait at most for the turns of robots.txt and of the page: no time of the
/// host's, which its patience is not asked for.
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

    /// `None` when there is nothing to tell: the page was done already, or has to wait for its
    /// turn.
    async fn visit_inside(&self, lease: &Lease) -> Result<Option<Fate>, Error> {
        let (url, mut visit) = (&lease.url, PageVisit::new(lease));
        let before = self.fetched_at(url).await?;
        if let Some(from) = before.and_then(|fetched_at| self.is_done(lease, fetched_at)) {
            self.acknowledge(&visit, Ack::Ok { refetchable_from: from }, "stored before").await?;
            return Ok(None);
        }
        if lease.quarantined
            && let Some(parked) = self.find_parked(url).await?
        {
            return self.page(&mut visit, parked).await.map(Some);
        }
        if let Some((ack, said)) = self.unwanted(lease, before.is_some()).await? {
            self.acknowledge(&visit, ack, &said).await?;
            return Ok(Some(Fate::Skipped(said)));
        }
        let Some((answer, mut body)) = self.ask(&mut visit, before.is_some()).await? else { return Ok(None) };
        if answer.cause.is_none() && answer.what != AnswerKind::OwnFault {
            self.look_for_sitemaps(url).await?;
        }
        let failing_for =
            lease.failing_since.map_or(Duration::ZERO, |since| self.clock.now().duration_since(since).unsigned_abs());
        let known = KnownUrl { stored: before.is_some(), failures: lease.attempts, failing_for };
        let outcome = outcome::outcome(answer.what, known);
        match answer {
            Answer { page: Some(mut page), address, .. } if outcome.record == RecordAction::Put => {
                body.shrink(page.body.len());
                visit.exchange = page.exchange.take().map(|exchange| (exchange, address));
                visit.directives.clone_from(&page.directives);
                self.page(&mut visit, self.fetched_now(page)).await.map(Some)
            }
            Answer { listing: Some(listing), .. } => self.read_listing(&visit, &listing).await.map(Some),
            Answer { what: AnswerKind::NotModified, directives, .. } => {
                drop(body);
                // What the page itself asks for was read when it came.
                let rights = outcome::rights(&directives, &Directives::default(), self.clock.now());
                visit.until = rights.until;
                match rights.index {
                    true => {
                        self.no_page(&visit, AnswerKind::NotModified, outcome, known, None, answer.said).await.map(Some)
                    }
                    false => {
                        self.not_stored(&visit, AnswerKind::Noindex, "asks not to be indexed any more").await.map(Some)
                    }
                }
            }
            Answer { what, said, to, .. } => {
                drop(body);
                self.no_page(&visit, what, outcome, known, to, said).await.map(Some)
            }
        }
    }

    /// Why a URL is not asked for. What is stored is looked at again, and what was fetched before,
    /// which may have come back; what is new may not be worth a request: not for now, where it
    /// looks like a trap, since a site that is closed for an hour says the same on all pages.
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

    /// When a page is to be fetched that has a record, if not now: it was stored by a process that
    /// died before its acknowledgement was durable, or the frontier has forgotten it.
    fn is_done(&self, lease: &Lease, fetched_at: Timestamp) -> Option<Timestamp> {
        let is_new = lease.interval.is_none() && lease.attempts == 0;
        let first_due = later(fetched_at, self.config.refetch_after);
        match fetched_at >= lease.due {
            true => Some(self.refetchable_from(&PageVisit::new(lease), None)),
            false => Some(first_due).filter(|&due| is_new && due > self.clock.now()),
        }
    }

    /// Asks for the page, and tells the frontier what its host learns. `None` if it is not the
    /// host's turn at its address.
    async fn ask(&self, visit: &mut PageVisit<'_>, is_stored: bool) -> Result<Option<(Answer, BudgetPermit)>, Error> {
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
        let asked = PageRequest { url, leads: lease.leads, unless: validators.as_ref(), delay, patience };
        let answer = match tokio::time::timeout(patience + TURNS, self.parts.fetcher.fetch(&asked)).await {
            Ok(answer) => answer,
            Err(_) => Answer::new(AnswerKind::TimedOut, format!("no answer within {patience:?}")),
        };
        let answer = self.whose_fault(lease, answer);
        let took = started.elapsed();
        self.count(&answer, took);
        visit.account = self.account_of(lease, &answer, took);
        // What the host learns does not hang on what is known of the URL.
        if let Some(health) = outcome::outcome(answer.what, KnownUrl::default()).host {
            let heard = Heard {
                took: took.saturating_sub(answer.waited),
                health,
                asked: answer.asked_delay,
                address: answer.address,
            };
            frontier.fetched(url.as_str(), &heard).await.map_err(Error::because)?;
            self.news.notify_one();
        }
        Ok(Some((answer, body)))
    }

    fn count(&self, answer: &Answer, took: Duration) {
        metrics::histogram!("tsrec_fetch_seconds").record(took.as_secs_f64());
        metrics::counter!("tsrec_answers_total", "what" => answer.what.as_str()).increment(1);
        metrics::counter!("tsrec_fetched_bytes_total")
            .increment(answer.page.as_ref().map_or(0, |page| page.body.len() as u64));
    }

    /// What is kept of a request, for whoever asks why and for the next.
    fn account_of(&self, lease: &Lease, answer: &Answer, took: Duration) -> Account {
        let what = answer.cause.unwrap_or(answer.what.as_str()).to_owned();
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let memo = to_memo(&answer.validators, lease.depth);
        let memo = match answer.what {
            AnswerKind::Page | AnswerKind::Listing => Some(memo),
            AnswerKind::NotModified => Some(memo).filter(|memo| !memo.is_empty()),
            _ => None,
        };
        let request = Some(UrlRequest { at: self.clock.now(), took_ms, what });
        Account { said: String::new(), request, robots: answer.robots.clone(), memo }
    }

    /// Whether a failure is our own: then no host is blamed, and the crawl rests for a moment.
    fn whose_fault(&self, lease: &Lease, answer: Answer) -> Answer {
        let host = lease.url.host_str().unwrap_or_default();
        let mut trouble = self.trouble();
        let is_ours = match answer.reached {
            Reached::Somebody => {
                trouble.answered();
                false
            }
            Reached::Nobody => trouble.failed(host, lease.answered_before),
            Reached::Unknown => false,
        };
        if !is_ours && answer.what != AnswerKind::OwnFault {
            return answer;
        }
        let rest = trouble.rest(Instant::now());
        drop(trouble);
        self.rest_for(rest);
        Answer::new(AnswerKind::OwnFault, format!("{}; the fault is taken to be our own", answer.said))
    }

    /// A page that is at hand: parsed, its links followed, extracted, stored, acknowledged.
    async fn page(&self, visit: &mut PageVisit<'_>, page: Parked) -> Result<Fate, Error> {
        let (lease, page) = (visit.lease, Arc::new(page));
        let url = &lease.url;
        let _room = self.budget.work(page.body.len()).await;
        let permit = self.budget.permit().await;
        let parsed = match self.parse(url, &page).await? {
            Worked::Done(parsed) => Arc::new(parsed),
            Worked::Panicked(why) => return self.panicked(visit, &page, &format!("parsing: {why}")).await,
        };
        let rights = outcome::rights(&visit.directives, &parsed.directives, self.clock.now());
        visit.until = rights.until;
        if rights.until.is_some() {
            // A version that is called unchanged would not say again what it asks for.
            visit.account.memo = Some(Vec::new());
        }
        if rights.follow {
            self.follow_links(lease, &parsed).await?;
        }
        if !rights.index {
            return self.not_stored(visit, AnswerKind::Noindex, "asks not to be indexed").await;
        }
        let other = match self.stands_for_itself(visit, &parsed).await? {
            Canonical::After(canonical) => {
                let said = format!("calls {canonical} canonical, which comes first");
                return self.not_stored(visit, AnswerKind::CanonicalToCome, &said).await;
            }
            Canonical::Unless(record) => Some(record),
            Canonical::Itself => None,
        };
        let same_as = other.as_ref().map(|other| other.url.clone());
        let links = parsed.links.clone();
        let run = ExtractionRun::Fetch { may_be_kept: rights.archive };
        let stored = self.extract_and_store(url, &page, (parsed, permit), other, run).await?;
        let StoredPage { record, changed, print, is_parked } = match stored {
            Worked::Done(StoreOutcome::Stored(stored)) => stored,
            Worked::Done(StoreOutcome::Elsewhere) => {
                let said = format!("has the content of {}, which it calls canonical", same_as.unwrap_or_default());
                return self.not_stored(visit, AnswerKind::Duplicate, &said).await;
            }
            Worked::Done(StoreOutcome::Echo) => {
                let said = "says what pages of two other patterns of its host say: a soft 404, or one page under many addresses";
                return self.not_stored(visit, AnswerKind::Duplicate, said).await;
            }
            Worked::Done(StoreOutcome::Unfit(why)) => {
                self.refetch(visit, None, &why).await?;
                return Ok(Fate::Skipped(why));
            }
            Worked::Done(StoreOutcome::Superseded) => unreachable!("a visit is no second extraction"),
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
        let said = format!("stored, by {}", record.method);
        self.refetch(visit, Some(changed), &said).await?;
        Ok(Fate::Stored { page: record, changed })
    }

    /// A page that came, and is not to be stored.
    async fn not_stored(&self, visit: &PageVisit<'_>, what: AnswerKind, said: &str) -> Result<Fate, Error> {
        let known = KnownUrl { stored: true, ..KnownUrl::default() };
        self.no_page(visit, what, outcome::outcome(what, known), known, None, said.to_owned()).await
    }

    /// The program failed on a page. Its bytes are kept, unless its head asked for something: they
    /// would come back without.
    async fn panicked(&self, visit: &PageVisit<'_>, page: &Arc<Parked>, why: &str) -> Result<Fate, Error> {
        let kept = (visit.directives == Directives::default()).then_some(page);
        self.quarantine(&visit.lease.url, kept, why).await
    }

    /// There is no page to store: what the table says is done.
    async fn no_page(
        &self,
        visit: &PageVisit<'_>,
        what: AnswerKind,
        outcome: Outcome,
        known: KnownUrl,
        to: Option<Url>,
        said: String,
    ) -> Result<Fate, Error> {
        let lease = visit.lease;
        let url = &lease.url;
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
                // What one site says is not to be stored as said by another.
                Some(to) if registrable_domain(url) == registrable_domain(&to) && self.takes_record(&to).await? => {
                    Some(to)
                }
                _ => None,
            };
            self.forget(url, reason, target).await?;
        }
        if outcome.then == Then::Quarantine {
            return self.quarantine(url, None, &said).await;
        }
        let from = match outcome.then {
            Then::Again => later(self.clock.now(), self.config.refetch_least),
            _ => self.refetchable_from(visit, None),
        };
        let acked = self.acknowledge(visit, outcome.then.ack(from), &said).await?;
        Ok(match outcome.then {
            Then::Refetch => match (what, followed, deleted.filter(|_| known.stored)) {
                (AnswerKind::NotModified, ..) => Fate::NotModified,
                (_, Some(to), _) => Fate::Redirected(to),
                (_, _, Some(reason)) => Fate::Deleted(reason),
                _ => Fate::Skipped(said),
            },
            Then::Return => Fate::Returned(said),
            Then::Again | Then::Skip | Then::Quarantine => Fate::Skipped(said),
            Then::Retry { .. } => {
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

    /// Keeps a page apart that the program failed on, with its bytes where they are at hand, and
    /// not too many of its host are kept: others are fetched again.
    pub(super) async fn quarantine(&self, url: &Url, page: Option<&Arc<Parked>>, why: &str) -> Result<Fate, Error> {
        if let Some(page) = page {
            let (store, key, page) = (self.parts.store.clone(), url.clone(), Arc::clone(page));
            let keep = move || {
                let of_host = store.list_parked(key.host_str(), None, MOST_OF_HOST)?.len();
                match of_host < MOST_OF_HOST {
                    true => store.park(key.as_str(), &page),
                    false => store.unpark(key.as_str()).map(drop),
                }
            };
            match blocking(keep).await? {
                Err(error) if !error.is_too_large() => return Err(Error::because(error)),
                _ => self.durability.of(&self.parts.database).await?,
            }
        }
        self.end(url, Ack::Quarantined, Account::from(&*format!("the program failed in {why}"))).await?;
        Ok(Fate::Quarantined(why.to_owned()))
    }

    fn fetched_now(&self, page: Arrived) -> Parked {
        let Arrived { body, status, charset, truncated, fetched_at, .. } = page;
        Parked { body, status, charset, fetched_at: fetched_at.unwrap_or_else(|| self.clock.now()), truncated }
    }

    /// When the record of a page was fetched, if there is one.
    async fn fetched_at(&self, url: &Url) -> Result<Option<Timestamp>, Error> {
        let (store, key) = (self.parts.store.clone(), url.clone());
        blocking(move || store.fetched_at(key.as_str())).await?.map_err(Error::because)
    }

    async fn find_parked(&self, url: &Url) -> Result<Option<Parked>, Error> {
        let (store, key) = (self.parts.store.clone(), url.clone());
        blocking(move || store.parked(key.as_str())).await?.map_err(Error::because)
    }

    /// Whether a page may have the record of one that moved to it, until it is visited: it was not
    /// yet. What was visited has a record or a reason for none, and a version that the server would
    /// call unchanged; it is fetched anew, whole.
    async fn takes_record(&self, to: &Url) -> Result<bool, Error> {
        let status = self.parts.frontier.status(to.as_str()).await.map_err(Error::because)?;
        let is_new = status.is_none_or(|status| status.state == UrlState::Discovered);
        if !is_new {
            self.parts.frontier.make_due(to.as_str()).await.map_err(Error::because)?;
        }
        Ok(is_new)
    }

    /// Deletes what is stored of a page, durably; where it moved to, it gets the record, unless it
    /// has one.
    async fn forget(&self, url: &Url, reason: DeletionReason, moved_to: Option<Url>) -> Result<(), Error> {
        let (store, key, now) = (self.parts.store.clone(), url.clone(), self.clock.now());
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

    /// The page is done, and comes again after an interval that follows its changes.
    pub(super) async fn refetch(&self, visit: &PageVisit<'_>, changed: Option<bool>, said: &str) -> Result<(), Error> {
        let ack = Ack::Ok { refetchable_from: self.refetchable_from(visit, changed) };
        self.acknowledge(visit, ack, said).await.map(drop)
    }

    /// After its interval, or when it asks to be stored no more.
    fn refetchable_from(&self, visit: &PageVisit<'_>, changed: Option<bool>) -> Timestamp {
        let interval = self.config.refetch_of(visit.lease.leads).after(visit.lease.interval, changed);
        let from = later(self.clock.now(), interval);
        visit.until.map_or(from, |until| until.min(from))
    }

    async fn acknowledge(&self, visit: &PageVisit<'_>, outcome: Ack, said: &str) -> Result<Acked, Error> {
        self.end(&visit.lease.url, outcome, visit.account(said)).await
    }

    /// Ends the lease, and sees to those who wait for the page: whatever became of it, there is
    /// nothing more to wait for.
    async fn end(&self, url: &Url, outcome: Ack, account: Account) -> Result<Acked, Error> {
        let acked = self.parts.frontier.ack(url.as_str(), outcome, account).await.map_err(Error::because)?;
        if outcome != Ack::Returned {
            self.tell_who_waits(url).await?;
        }
        Ok(acked)
    }
}
