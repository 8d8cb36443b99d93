//! One page, from its lease to its acknowledgement. What follows from what is [`outcome`]'s to say; here it is done.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;
use tracing::Instrument;
use url::Url;

use super::ask::{Answer, Arrived, without_credentials};
use super::budget::Share;
use super::clock::later;
use super::outcome::{self, Known, Outcome, Record, Then, What};
use super::parsed::Parsed;
use super::work::{Stored, Worked};
use super::{Crawl, Error, Fetch, blocking};
use crate::frontier::{Ack, Acked, Discovered, Frontier, Heard, Lease};
use crate::pairing::registrable_domain;
use crate::store::{NewPage, PageRecord, Parked, Reason};

/// What became of a page.
#[derive(Clone, Debug)]
pub struct Visited {
    /// The page.
    pub url: Url,
    /// What became of it.
    pub fate: Fate,
}

/// What can become of a page.
#[derive(Clone, Debug)]
pub enum Fate {
    /// Its content is in the store.
    Stored {
        /// The record as it was handed to the store.
        page: Box<NewPage>,
        /// False when the content is what it was before.
        changed: bool,
    },
    /// The server says that what is stored is up to date.
    NotModified,
    /// It led elsewhere, for good.
    Redirected(Url),
    /// It is gone, disallowed, unavailable, or asks not to be indexed; a record it had is deleted.
    Deleted(Reason),
    /// It is no page for us, and was not stored: why.
    Skipped(String),
    /// It could not be fetched this time: why.
    Failed(String),
    /// It was not tried, for reasons of our own: why.
    Returned(String),
    /// The program failed on it: how.
    Quarantined(String),
}

impl Fate {
    /// A word for logs and metrics.
    pub fn as_str(&self) -> &'static str {
        match self {
            Fate::Stored { changed: true, .. } => "stored",
            Fate::Stored { changed: false, .. } | Fate::NotModified => "unchanged",
            Fate::Redirected(_) => "redirected",
            Fate::Deleted(_) => "deleted",
            Fate::Skipped(_) => "skipped",
            Fate::Failed(_) => "failed",
            Fate::Returned(_) => "returned",
            Fate::Quarantined(_) => "quarantined",
        }
    }
}

/// How long nothing is leased after a fault of our own. Judgement: files are closed and networks come back within seconds.
const REST: Duration = Duration::from_secs(5);

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

    /// `None` when there is nothing to tell: the page was done already, or has to wait for its turn.
    async fn visit_inside(&self, lease: &Lease) -> Result<Option<Fate>, Error> {
        let url = &lease.url;
        let before = self.fetched_at(url).await?;
        if let Some(from) = before.and_then(|fetched_at| self.is_done(lease, fetched_at)) {
            self.acknowledge(url, Ack::Ok { refetchable_from: from }, "stored before").await?;
            return Ok(None);
        }
        if lease.quarantined
            && let Some(parked) = self.find_parked(url).await?
        {
            return self.page(lease, parked).await.map(Some);
        }
        // What is stored is looked at again; what is new is not worth a request.
        if let (None, Some(pattern)) = (before, self.trap(url)) {
            let said = format!("looks like a trap: the pages of {pattern} are copies");
            self.acknowledge(url, Ack::Skipped, &said).await?;
            return Ok(Some(Fate::Skipped(said)));
        }
        if lease.depth > 0 && !self.scope.allows(url) {
            let said = "the rules of the crawl leave it out".to_owned();
            self.acknowledge(url, Ack::Skipped, &said).await?;
            return Ok(Some(Fate::Skipped(said)));
        }
        let Some((answer, mut body)) = self.ask(lease).await? else { return Ok(None) };
        let failing_for = lease.failing_since.map(|since| self.clock.now().duration_since(since).unsigned_abs());
        let known = Known { stored: before.is_some(), failing_for: failing_for.unwrap_or_default() };
        let outcome = outcome::of(answer.what, known);
        match (outcome.record, answer.page) {
            (Record::Put, Some(page)) => {
                body.shrink(page.body.len());
                self.page(lease, self.fetched_now(page)).await.map(Some)
            }
            (_, _) => {
                drop(body);
                let (said, to) = (answer.said, answer.to);
                self.no_page(lease, answer.what, outcome, known, to, said).await.map(Some)
            }
        }
    }

    /// When a page is to be fetched that has a record, if not now: it was stored by a process that died before its
    /// acknowledgement was durable, or the frontier has forgotten it.
    fn is_done(&self, lease: &Lease, fetched_at: Timestamp) -> Option<Timestamp> {
        let is_new = lease.interval.is_none() && lease.attempts == 0;
        let first_due = later(fetched_at, self.config.refetch_after);
        match fetched_at >= lease.due {
            true => Some(self.refetchable_from(lease, None)),
            false => Some(first_due).filter(|&due| is_new && due > self.clock.now()),
        }
    }

    /// Asks for the page, and tells the frontier what its host learns. `None` if it is not the host's turn at its address.
    async fn ask(&self, lease: &Lease) -> Result<Option<(Answer, Share)>, Error> {
        let (url, frontier) = (&lease.url, &self.parts.frontier);
        if !lease.located
            && let Ok(Some(address)) = tokio::time::timeout(lease.patience, self.parts.fetcher.locate(url)).await
            && !frontier.locate(url.as_str(), address).await.map_err(Error::because)?
        {
            return Ok(None);
        }
        let body = self.budget.body(self.parts.max_body).await;
        let started = Instant::now();
        let answer = match tokio::time::timeout(lease.patience, self.parts.fetcher.fetch(url)).await {
            Ok(answer) => answer,
            Err(_) => Answer::new(What::TimedOut, format!("no answer within {:?}", lease.patience)),
        };
        let answer = self.whose_fault(lease, answer);
        let took = started.elapsed();
        metrics::histogram!("tsrec_fetch_seconds").record(took.as_secs_f64());
        metrics::counter!("tsrec_answers_total", "what" => answer.what.as_str()).increment(1);
        metrics::counter!("tsrec_fetched_bytes_total")
            .increment(answer.page.as_ref().map_or(0, |page| page.body.len() as u64));
        // What the host learns does not hang on what is known of the URL.
        if let Some(health) = outcome::of(answer.what, Known::default()).host {
            let heard = Heard { took, health, asked: answer.asked_delay, address: answer.address };
            frontier.fetched(url.as_str(), &heard).await.map_err(Error::because)?;
            self.news.notify_one();
        }
        Ok(Some((answer, body)))
    }

    /// Whether a failure is our own: then no host is blamed, and the crawl rests for a moment.
    fn whose_fault(&self, lease: &Lease, answer: Answer) -> Answer {
        let host = lease.url.host_str().unwrap_or_default();
        let mut trouble = self.trouble.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_ours = match answer.what {
            What::OwnFault => true,
            What::Unreachable { .. } => trouble.failed(host, lease.answered_before),
            What::TimedOut | What::RefusedAddress | What::RefusedUrl | What::Disallowed | What::Busy => false,
            _ => {
                trouble.answered();
                false
            }
        };
        if !is_ours {
            return answer;
        }
        *self.resting_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Instant::now() + REST);
        Answer::new(What::OwnFault, format!("{}; the fault is taken to be our own", answer.said))
    }

    /// A page that is at hand: parsed, its links followed, extracted, stored, acknowledged.
    async fn page(&self, lease: &Lease, page: Parked) -> Result<Fate, Error> {
        let (url, page) = (&lease.url, Arc::new(page));
        let _room = self.budget.work(page.body.len()).await;
        let parsed = match self.parse(url, &page).await? {
            Worked::Done(parsed) => Arc::new(parsed),
            Worked::Panicked(why) => return self.quarantine(url, Some(&page), &format!("parsing: {why}")).await,
        };
        self.follow_links(lease, &parsed).await?;
        if parsed.metadata.noindex {
            let known = Known { stored: true, ..Known::default() };
            let outcome = outcome::of(What::Noindex, known);
            let said = "asks not to be indexed".to_owned();
            return self.no_page(lease, What::Noindex, outcome, known, None, said).await;
        }
        if let Worked::Panicked(why) = self.hold(url, &parsed).await? {
            return self.quarantine(url, Some(&page), &format!("holding: {why}")).await;
        }
        let sibling = self.sibling_to_wait_for(url, &parsed.links).await?;
        let (record, changed) = match self.extract_and_store(url, &page, &parsed).await? {
            Worked::Done(Stored::Stored(record, changed)) => (record, changed),
            Worked::Done(Stored::Unfit(why)) => {
                self.refetch(lease, None, &why).await?;
                return Ok(Fate::Skipped(why));
            }
            Worked::Panicked(why) => return self.quarantine(url, Some(&page), &format!("extraction: {why}")).await,
        };
        tracing::Span::current().record("method", record.method.as_str());
        if lease.interval.is_none() {
            self.look_for_trap(url, &record.text);
        }
        self.stored.fetch_add(1, Ordering::Relaxed);
        if let Some(sibling) = sibling {
            self.wait_for(url, &page, &sibling).await?;
        }
        let said = format!("stored, by {}", record.method);
        self.refetch(lease, Some(changed), &said).await?;
        Ok(Fate::Stored { page: record, changed })
    }

    /// There is no page: what the table says is done.
    async fn no_page(
        &self,
        lease: &Lease,
        what: What,
        outcome: Outcome,
        known: Known,
        to: Option<Url>,
        said: String,
    ) -> Result<Fate, Error> {
        let url = &lease.url;
        let followed = match to.filter(|_| outcome.follow) {
            Some(to) => self.follow_redirect(lease, to).await?,
            None => None,
        };
        let deleted = match outcome.record {
            Record::Delete(reason) => Some(reason),
            Record::Move => Some(Reason::Redirected),
            Record::Keep | Record::Put => None,
        };
        if let Some(reason) = deleted.filter(|_| known.stored) {
            let target = followed.clone().filter(|_| outcome.record == Record::Move);
            self.forget(url, reason, target).await?;
        }
        if outcome.then == Then::Quarantine {
            return self.quarantine(url, None, &said).await;
        }
        let acked = self.acknowledge(url, outcome.then.ack(self.refetchable_from(lease, None)), &said).await?;
        Ok(match outcome.then {
            Then::Refetch => match (what, followed, deleted.filter(|_| known.stored)) {
                (What::NotModified, ..) => Fate::NotModified,
                (_, Some(to), _) => Fate::Redirected(to),
                (_, _, Some(reason)) => Fate::Deleted(reason),
                _ => Fate::Skipped(said),
            },
            Then::Return => Fate::Returned(said),
            Then::Skip | Then::Quarantine => Fate::Skipped(said),
            Then::Retry { .. } => {
                let then = match acked {
                    Acked::Scheduled { due } => format!("tried again from {due:.0}"),
                    Acked::GivenUp { attempts } => format!("given up after {attempts} attempts"),
                    Acked::Skipped | Acked::NotLeased | Acked::Quarantined => "not tried again".to_owned(),
                };
                Fate::Failed(format!("{said}; {then}"))
            }
        })
    }

    /// Keeps a page apart that the program failed on, with its bytes where they are at hand.
    pub(super) async fn quarantine(&self, url: &Url, page: Option<&Arc<Parked>>, why: &str) -> Result<Fate, Error> {
        if let Some(page) = page {
            let (store, database) = (self.parts.store.clone(), self.parts.database.clone());
            let (key, page) = (url.clone(), Arc::clone(page));
            let kept = blocking(move || store.park(key.as_str(), &page).and_then(|()| database.durable())).await?;
            match kept {
                Err(error) if !error.is_too_large() => return Err(Error::because(error)),
                _ => {}
            }
        }
        self.acknowledge(url, Ack::Quarantined, &format!("the program failed in {why}")).await?;
        Ok(Fate::Quarantined(why.to_owned()))
    }

    fn fetched_now(&self, page: Arrived) -> Parked {
        let Arrived { body, status, charset, truncated } = page;
        Parked { body, status, charset, fetched_at: self.clock.now(), truncated }
    }

    /// When the record of a page was fetched, if there is one.
    async fn fetched_at(&self, url: &Url) -> Result<Option<Timestamp>, Error> {
        let (store, key) = (self.parts.store.clone(), url.clone());
        let record = blocking(move || store.get(key.as_str())).await?.map_err(Error::because)?;
        Ok(record.map(|record| record.fetched_at))
    }

    async fn find_parked(&self, url: &Url) -> Result<Option<Parked>, Error> {
        let (store, key) = (self.parts.store.clone(), url.clone());
        blocking(move || store.parked(key.as_str())).await?.map_err(Error::because)
    }

    async fn follow_links(&self, lease: &Lease, parsed: &Parsed) -> Result<(), Error> {
        if parsed.metadata.nofollow || lease.depth >= self.config.max_depth {
            return Ok(());
        }
        let (trapped, links): (Vec<&Url>, Vec<&Url>) = parsed
            .links
            .iter()
            .filter(|link| self.scope.holds(link, &lease.url))
            .partition(|link| self.trap(link).is_some());
        if !trapped.is_empty() {
            metrics::counter!("tsrec_links_trapped_total").increment(trapped.len() as u64);
        }
        let followed: Vec<Discovered> = links
            .into_iter()
            .map(|link| Discovered { url: link.clone(), depth: lease.depth + 1, found_on: Some(lease.url.clone()) })
            .collect();
        let put = self.parts.frontier.put_discovered(&followed).await.map_err(Error::because)?;
        if put.added + put.revived > 0 {
            self.news.notify_one();
        }
        if put.refused > 0 {
            metrics::counter!("tsrec_links_refused_total").increment(put.refused);
        }
        Ok(())
    }

    fn trap(&self, url: &Url) -> Option<String> {
        self.traps.lock().unwrap_or_else(std::sync::PoisonError::into_inner).trap(url)
    }

    /// Notes the content of a new page, for what it says of those like it.
    fn look_for_trap(&self, url: &Url, text: &str) {
        let caught = self.traps.lock().unwrap_or_else(std::sync::PoisonError::into_inner).note(url, text);
        if let Some(pattern) = caught {
            tracing::warn!(pattern, "a trap: its pages are copies of each other, and no more of them are fetched");
        }
    }

    /// Puts a redirect's target into the frontier, if it is in scope.
    async fn follow_redirect(&self, lease: &Lease, to: Url) -> Result<Option<Url>, Error> {
        let url = &lease.url;
        // A seed may lead to the host that its site prefers.
        let preferred_host = lease.depth == 0 && registrable_domain(url) == registrable_domain(&to);
        if !(self.scope.holds(&to, url) || preferred_host && self.scope.allows(&to)) {
            return Ok(None);
        }
        let target = Discovered { url: to.clone(), depth: lease.depth, found_on: Some(url.clone()) };
        self.parts.frontier.put_discovered(&[target]).await.map_err(Error::because)?;
        Ok(Some(to))
    }

    /// Deletes what is stored of a page, durably; where it moved to, it gets the record, unless it has one.
    async fn forget(&self, url: &Url, reason: Reason, moved_to: Option<Url>) -> Result<(), Error> {
        let (store, database, key) = (self.parts.store.clone(), self.parts.database.clone(), url.clone());
        let now = self.clock.now();
        blocking(move || {
            if let Some(to) = moved_to
                && let Some(record) = store.get(key.as_str())?
                && store.get(to.as_str())?.is_none()
            {
                store.put(&under(record, &to))?;
            }
            store.delete(key.as_str(), reason, now)?;
            database.durable()
        })
        .await?
        .map_err(Error::because)
    }

    /// The page is done, and comes again after an interval that follows its changes.
    async fn refetch(&self, lease: &Lease, changed: Option<bool>, said: &str) -> Result<(), Error> {
        let ack = Ack::Ok { refetchable_from: self.refetchable_from(lease, changed) };
        self.acknowledge(&lease.url, ack, said).await.map(drop)
    }

    fn refetchable_from(&self, lease: &Lease, changed: Option<bool>) -> Timestamp {
        later(self.clock.now(), self.config.refetch().after(lease.interval, changed))
    }

    /// Ends the lease, and sees to those who wait for the page: whatever became of it, there is nothing more to wait for.
    async fn acknowledge(&self, url: &Url, outcome: Ack, said: &str) -> Result<Acked, Error> {
        let acked = self.parts.frontier.ack(url.as_str(), outcome, said).await.map_err(Error::because)?;
        if outcome != Ack::Returned {
            self.tell_who_waits(url).await?;
        }
        Ok(acked)
    }

    pub(super) fn tell(&self, visited: Visited) {
        metrics::counter!("tsrec_pages_total", "fate" => visited.fate.as_str()).increment(1);
        match &visited.fate {
            Fate::Stored { page, changed } => {
                metrics::counter!("tsrec_extractions_total", "method" => page.method.clone()).increment(1);
                tracing::info!(method = %page.method, words = page.words, confidence = page.confidence, changed, "stored");
            }
            Fate::NotModified => tracing::info!("not modified"),
            Fate::Redirected(to) => tracing::info!(to = %without_credentials(to), "redirected"),
            Fate::Deleted(reason) => tracing::info!(?reason, "deleted"),
            Fate::Skipped(why) => tracing::info!(%why, "skipped"),
            Fate::Failed(why) => tracing::warn!(%why, "failed"),
            Fate::Returned(why) => tracing::warn!(%why, "returned"),
            Fate::Quarantined(why) => tracing::error!(%why, "quarantined: the program failed on this page"),
        }
        if let Some(outcomes) = &self.outcomes {
            // Who no longer listens need not be told.
            let _ = outcomes.send(visited);
        }
    }
}

/// A record as one of another URL.
fn under(record: PageRecord, url: &Url) -> NewPage {
    let PageRecord { title, canonical_url, text, words, method, confidence, sibling, gates, labels, .. } = record;
    let PageRecord { fetched_at, status, charset, cut, byline, date, comments, kind, kind_probability, .. } = record;
    NewPage {
        url: url.to_string(),
        title,
        canonical_url,
        byline,
        date,
        comments,
        text,
        words,
        method,
        confidence,
        kind,
        kind_probability,
        sibling,
        gates,
        labels,
        fetched_at,
        status,
        charset,
        cut,
    }
}
