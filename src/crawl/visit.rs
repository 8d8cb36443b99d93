//! One page, from its lease to its acknowledgement.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use jiff::Timestamp;
use tokio::sync::OwnedSemaphorePermit;
use tracing::Instrument;
use url::Url;

use super::parsed::Parsed;
use super::training::schedule::Tutor;
use super::{Crawl, Error, blocking, pair};
use crate::extract::cascade::Cascade;
use crate::extract::labelled::Labelled;
use crate::extract::report::gates;
use crate::extract::{Extraction, Extractor, Method, Page, Sibling};
use crate::fetch::{self, Fetched};
use crate::frontier::{Ack, Acked, Discovered, Frontier, Lease, State};
use crate::pairing::registrable_domain;
use crate::render;
use crate::store::{NewPage, Parked, Reason, Store};

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
    /// It led elsewhere.
    Redirected(Url),
    /// It is gone, disallowed, or asks not to be indexed; a record it had is deleted.
    Deleted(Reason),
    /// It is no page for us, and was not stored: why.
    Skipped(String),
    /// It could not be fetched this time: why.
    Failed(String),
}

impl Fate {
    /// A word for logs and metrics.
    pub fn as_str(&self) -> &'static str {
        match self {
            Fate::Stored { changed: true, .. } => "stored",
            Fate::Stored { changed: false, .. } => "unchanged",
            Fate::Redirected(_) => "redirected",
            Fate::Deleted(_) => "deleted",
            Fate::Skipped(_) => "skipped",
            Fate::Failed(_) => "failed",
        }
    }
}

impl<F: Frontier> Crawl<F> {
    /// Takes one leased page through the pipeline. The permit is given back while the page waits for a sibling.
    pub(super) async fn visit(self: &Arc<Self>, lease: Lease, permit: OwnedSemaphorePermit) -> Result<(), Error> {
        let span = tracing::info_span!(
            "page",
            url = %lease.url,
            host = lease.url.host_str().unwrap_or_default(),
            method = tracing::field::Empty
        );
        async {
            let url = lease.url.clone();
            if let Some(fate) = self.visit_inside(lease, permit).await? {
                self.tell(Visited { url, fate });
            }
            Ok(())
        }
        .instrument(span)
        .await
    }

    /// `None` when there is nothing to tell: the page was done already, or the crawl is stopping and the page stays parked (its lease is void
    /// at the next start, and it comes again).
    async fn visit_inside(self: &Arc<Self>, lease: Lease, permit: OwnedSemaphorePermit) -> Result<Option<Fate>, Error> {
        let url = lease.url.clone();
        if let Some(refetchable_from) = self.stored_until(&url).await? {
            self.acknowledge(&url, Ack::Ok { refetchable_from }).await?;
            return Ok(None);
        }
        let (page, is_parked) = match self.find_parked(&url).await? {
            Some(parked) => {
                // No request is made, and while the page waits again its sibling must be able to come.
                self.parts.frontier.fetched(url.as_str()).await.map_err(Error::because)?;
                (parked, true)
            }
            None => match self.fetch(&lease).await? {
                Ok(page) => (page, false),
                Err(fate) => return Ok(Some(fate)),
            },
        };
        let page = Arc::new(page);
        let parsed = Arc::new(self.parse(&url, &page).await?);
        self.follow_links(&lease, &parsed).await?;
        if parsed.metadata.noindex {
            return self.delete(&url, Reason::Noindex).await.map(Some);
        }
        self.hold(&url, &parsed).await?;
        let Some(sibling) = self.sibling_to_wait_for(&url, &parsed).await? else {
            return self.finish(&url, &page, parsed, permit).await.map(Some);
        };
        if !is_parked && self.park(&url, &page).await?.is_err() {
            return self.finish(&url, &page, parsed, permit).await.map(Some);
        }
        match self.wait_for_sibling(&sibling, permit).await? {
            Some(permit) => self.finish(&url, &page, parsed, permit).await.map(Some),
            None => Ok(None),
        }
    }

    async fn finish(
        &self,
        url: &Url,
        page: &Arc<Parked>,
        parsed: Arc<Parsed>,
        permit: OwnedSemaphorePermit,
    ) -> Result<Fate, Error> {
        let fate = self.extract_and_store(url, page, parsed).await?;
        drop(permit);
        self.acknowledge(url, self.refetch()).await?;
        Ok(fate)
    }

    /// The date from which a stored page is worth fetching again, if that is still to come. Then it was stored by a process that died before its
    /// acknowledgement was durable, and need not be fetched a second time.
    async fn stored_until(&self, url: &Url) -> Result<Option<Timestamp>, Error> {
        let (store, key) = (self.parts.store.clone(), url.clone());
        let record = blocking(move || store.get(key.as_str())).await?.map_err(Error::because)?;
        let due = record.map(|record| record.fetched_at + self.config.refetch_after);
        Ok(due.filter(|&due| due > Timestamp::now()))
    }

    async fn find_parked(&self, url: &Url) -> Result<Option<Parked>, Error> {
        let (store, key) = (self.parts.store.clone(), url.clone());
        blocking(move || store.parked(key.as_str())).await?.map_err(Error::because)
    }

    /// Fetches the page; or deals with why there is none.
    async fn fetch(&self, lease: &Lease) -> Result<Result<Parked, Fate>, Error> {
        let url = &lease.url;
        self.ask_for_delay(url).await?;
        let fetched = self.parts.fetcher.fetch(url).await;
        let asked = !matches!(&fetched, Err(error) if error.is_disallowed() || error.is_refused());
        if asked {
            self.parts.frontier.fetched(url.as_str()).await.map_err(Error::because)?;
        }
        Ok(match fetched {
            Ok(Fetched::Page(page)) if page.directives.noindex => Err(self.delete(url, Reason::Noindex).await?),
            Ok(Fetched::Page(page)) => Ok(Parked {
                body: page.body,
                status: page.status,
                charset: page.charset,
                fetched_at: Timestamp::now(),
                truncated: page.truncated,
            }),
            Ok(Fetched::Redirect { to, .. }) => Err(self.redirect(lease, to).await?),
            Ok(Fetched::NotModified(_)) => {
                self.acknowledge(url, self.refetch()).await?;
                Err(Fate::Skipped("it has not changed".to_owned()))
            }
            Err(error) if error.is_gone() => Err(self.delete(url, Reason::Gone).await?),
            Err(error) if error.is_disallowed() => Err(self.delete(url, Reason::Disallowed).await?),
            Err(error) if error.is_not_html() || error.is_refused() => {
                self.acknowledge(url, Ack::Skipped).await?;
                Err(Fate::Skipped(error.to_string()))
            }
            Err(error) => Err(self.failed(url, &error).await?),
        })
    }

    /// Asks robots.txt for a delay, once an origin and process, and keeps the longer of that and our own.
    async fn ask_for_delay(&self, url: &Url) -> Result<(), Error> {
        let origin = url.origin().ascii_serialization();
        let first = self.delays_asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(origin);
        if first && let Some(delay) = self.parts.fetcher.crawl_delay(url).await {
            let queue = url.host_str().unwrap_or_default();
            self.parts.frontier.set_delay(queue, delay.max(self.delay)).await.map_err(Error::because)?;
        }
        Ok(())
    }

    async fn failed(&self, url: &Url, error: &fetch::Error) -> Result<Fate, Error> {
        let retry_after = error.retry_after();
        if let Some(wait) = retry_after {
            let queue = url.host_str().unwrap_or_default();
            let until = Timestamp::now() + wait;
            self.parts.frontier.block_queue_until(queue, until).await.map_err(Error::because)?;
        }
        let acked = self.acknowledge(url, Ack::Fail { retry_after }).await?;
        let then = match acked {
            Acked::Scheduled { due } => format!("tried again from {due:.0}"),
            Acked::GivenUp { attempts } => format!("given up after {attempts} attempts"),
            Acked::Skipped | Acked::NotLeased => "not tried again".to_owned(),
        };
        Ok(Fate::Failed(format!("{error}; {then}")))
    }

    async fn redirect(&self, lease: &Lease, to: Url) -> Result<Fate, Error> {
        let url = &lease.url;
        // A seed may lead to the host that its site prefers.
        let preferred_host = lease.depth == 0 && registrable_domain(url) == registrable_domain(&to);
        if self.in_scope(&to, url) || preferred_host {
            let target = Discovered { url: to.clone(), depth: lease.depth };
            self.parts.frontier.put_discovered(&[target]).await.map_err(Error::because)?;
        }
        self.forget(url, Reason::Redirected).await?;
        self.acknowledge(url, self.refetch()).await?;
        Ok(Fate::Redirected(to))
    }

    async fn delete(&self, url: &Url, reason: Reason) -> Result<Fate, Error> {
        self.forget(url, reason).await?;
        self.acknowledge(url, self.refetch()).await?;
        Ok(Fate::Deleted(reason))
    }

    /// Deletes what is stored of a page, durably.
    async fn forget(&self, url: &Url, reason: Reason) -> Result<(), Error> {
        let (store, database, key) = (self.parts.store.clone(), self.parts.database.clone(), url.clone());
        blocking(move || {
            store.delete(key.as_str(), reason, Timestamp::now())?;
            database.durable()
        })
        .await?
        .map_err(Error::because)
    }

    async fn parse(&self, url: &Url, page: &Arc<Parked>) -> Result<Parsed, Error> {
        let (url, page) = (url.clone(), Arc::clone(page));
        let (limits, most_links) = (self.parts.limits.clone(), self.config.max_links);
        blocking(move || Parsed::new(&page.body, page.charset.as_deref(), &url, &limits, most_links)).await
    }

    async fn follow_links(&self, lease: &Lease, parsed: &Parsed) -> Result<(), Error> {
        if parsed.metadata.nofollow || lease.depth >= self.config.max_depth {
            return Ok(());
        }
        let followed: Vec<Discovered> = parsed
            .links
            .iter()
            .filter(|link| self.in_scope(link, &lease.url))
            .map(|link| Discovered { url: link.clone(), depth: lease.depth + 1 })
            .collect();
        let put = self.parts.frontier.put_discovered(&followed).await.map_err(Error::because)?;
        if put.added > 0 {
            self.news.notify_one();
        }
        Ok(())
    }

    async fn hold(&self, url: &Url, parsed: &Arc<Parsed>) -> Result<(), Error> {
        let (store, key, page) = (self.parts.store.clone(), url.clone(), Arc::clone(parsed));
        blocking(move || pair::hold(&store, &key, &page.sequence)).await?.map_err(Error::because)?;
        self.waiting.wake(url.as_str());
        Ok(())
    }

    /// Waits until a sibling can be compared with, or never will be, or the deadline is over. Gives the permit back meanwhile; `None`
    /// when the crawl is stopping.
    async fn wait_for_sibling(
        &self,
        sibling: &Url,
        permit: OwnedSemaphorePermit,
    ) -> Result<Option<OwnedSemaphorePermit>, Error> {
        let arrival = self.waiting.wait_for(sibling.as_str());
        let status = self.parts.frontier.status(sibling.as_str()).await.map_err(Error::because)?;
        if status.is_none_or(|status| status.state != State::Discovered) {
            return Ok(Some(permit)); // it came while we looked away
        }
        // One that is in flight cannot be promoted, nor need it be.
        self.parts.frontier.promote(sibling.as_str()).await.map_err(Error::because)?;
        drop(permit);
        self.news.notify_one();
        tracing::debug!(%sibling, "waiting for a sibling");
        let mut stopping = self.stopping.subscribe();
        self.waiting_now.fetch_add(1, Ordering::Relaxed);
        let stop = tokio::select! {
            _ = tokio::time::timeout(self.config.sibling_wait, arrival) => false,
            _ = stopping.wait_for(|&stop| stop) => true,
        };
        self.waiting_now.fetch_sub(1, Ordering::Relaxed);
        if stop {
            return Ok(None);
        }
        Arc::clone(&self.permits).acquire_owned().await.map(Some).map_err(Error::because)
    }

    /// The page worth waiting for, unless too many wait already.
    async fn sibling_to_wait_for(&self, url: &Url, parsed: &Parsed) -> Result<Option<Url>, Error> {
        if *self.stopping.borrow() || self.waiting_now.load(Ordering::Relaxed) >= self.config.max_waiting {
            return Ok(None);
        }
        let (store, key) = (self.parts.store.clone(), url.clone());
        let held = blocking(move || pair::held(&store, &key)).await?.map_err(Error::because)?;
        pair::worth_waiting_for(&*self.parts.frontier, url, &parsed.links, held.first()).await.map_err(Error::because)
    }

    /// Parks the page, durably. The inner error is a page too large to park, which then does not wait.
    async fn park(&self, url: &Url, page: &Arc<Parked>) -> Result<Result<(), ()>, Error> {
        let (store, database) = (self.parts.store.clone(), self.parts.database.clone());
        let (key, page) = (url.clone(), Arc::clone(page));
        let parked = blocking(move || store.park(key.as_str(), &page).and_then(|()| database.durable())).await?;
        match parked {
            Ok(()) => Ok(Ok(())),
            Err(error) if error.is_too_large() => Ok(Err(())),
            Err(error) => Err(Error::because(error)),
        }
    }

    async fn extract_and_store(&self, url: &Url, page: &Arc<Parked>, parsed: Arc<Parsed>) -> Result<Fate, Error> {
        let (store, database, most) =
            (self.parts.store.clone(), self.parts.database.clone(), self.config.siblings_tried.max(1));
        let (url, page, tutor) = (url.clone(), Arc::clone(page), self.tutor.clone());
        let span = tracing::Span::current();
        let stored = blocking(move || {
            let started = Instant::now();
            let (record, lesson) = extract(&store, &url, &page, &parsed, most, tutor.as_deref())?;
            metrics::histogram!("tsrec_extract_seconds").record(started.elapsed().as_secs_f64());
            let put = match lesson {
                Some(lesson) => store.put_with_lesson(&record, &lesson)?,
                None => store.put(&record)?,
            };
            database.durable()?;
            Ok::<_, crate::store::Error>((record, put.changed))
        })
        .await?;
        match stored {
            Ok((page, changed)) => {
                span.record("method", page.method.as_str());
                self.stored.fetch_add(1, Ordering::Relaxed);
                Ok(Fate::Stored { page: Box::new(page), changed })
            }
            Err(error) if error.is_too_large() || error.is_invalid() => Ok(Fate::Skipped(error.to_string())),
            Err(error) => Err(Error::because(error)),
        }
    }

    fn refetch(&self) -> Ack {
        Ack::Ok { refetchable_from: Timestamp::now() + self.config.refetch_after }
    }

    /// Ends the lease, and wakes those who wait for the page: whatever became of it, there is nothing more to wait for.
    async fn acknowledge(&self, url: &Url, outcome: Ack) -> Result<Acked, Error> {
        let acked = self.parts.frontier.ack(url.as_str(), outcome).await.map_err(Error::because)?;
        self.waiting.wake(url.as_str());
        Ok(acked)
    }

    fn tell(&self, visited: Visited) {
        metrics::counter!("tsrec_pages_total", "fate" => visited.fate.as_str()).increment(1);
        match &visited.fate {
            Fate::Stored { page, changed } => {
                metrics::counter!("tsrec_extractions_total", "method" => page.method.clone()).increment(1);
                tracing::info!(method = %page.method, words = page.words, confidence = page.confidence, changed, "stored");
            }
            Fate::Redirected(to) => tracing::info!(%to, "redirected"),
            Fate::Deleted(reason) => tracing::info!(?reason, "deleted"),
            Fate::Skipped(why) => tracing::info!(%why, "skipped"),
            Fate::Failed(why) => tracing::warn!(%why, "failed"),
        }
        if let Some(outcomes) = &self.outcomes {
            // Who no longer listens need not be told.
            let _ = outcomes.send(visited);
        }
    }
}

/// Extracts a page against its best held siblings, and says what it teaches. Blocks for some milliseconds.
fn extract(
    store: &Store,
    url: &Url,
    page: &Parked,
    parsed: &Parsed,
    most_siblings: usize,
    tutor: Option<&Tutor>,
) -> Result<(NewPage, Option<Vec<u8>>), crate::store::Error> {
    let mut sequences = Vec::new();
    for rated in pair::held(store, url)?.into_iter().take(most_siblings) {
        if let Some(sequence) = pair::load(store, &rated.candidate)? {
            sequences.push((rated.candidate, sequence));
        }
    }
    let siblings = sequences
        .iter()
        .map(|(url, sequence)| Sibling { name: url.to_string(), sequence, trace: None })
        .collect::<Vec<_>>();
    let subject = Page::new(&parsed.document);
    let model = tutor.and_then(|tutor| tutor.fallback.for_host(url.host_str().unwrap_or_default()));
    let extraction = Cascade::new(siblings).with_model(model.as_deref()).extract(&subject);
    let lesson = match tutor {
        Some(tutor) if store.keeps_lessons() => lesson(&subject, &extraction, tutor.config.least_confidence),
        _ => None,
    };
    Ok((record(url, page, parsed, &extraction), lesson))
}

/// What a page teaches: its content, where the template diff was sure of it.
fn lesson(page: &Page<'_>, extraction: &Extraction, least_confidence: f64) -> Option<Vec<u8>> {
    let is_sure = extraction.method == Method::Template && extraction.confidence >= least_confidence;
    let labelled = if is_sure { Labelled::new(page, &extraction.content) } else { None };
    labelled.map(|labelled| labelled.to_bytes())
}

fn record(url: &Url, page: &Parked, parsed: &Parsed, extraction: &Extraction) -> NewPage {
    let Parsed { document, metadata, .. } = parsed;
    let mut cut: Vec<String> = document.cuts().iter().map(ToString::to_string).collect();
    if page.truncated {
        cut.push("body".to_owned());
    }
    let labels = extraction.label_counts().into_iter().map(|(label, n)| (label.to_string(), n as u64)).collect();
    NewPage {
        url: url.to_string(),
        title: metadata.title.clone(),
        canonical_url: metadata.canonical_url(url).map(String::from),
        text: render::text::text(document, &extraction.content),
        words: extraction.content.words(document) as u64,
        method: extraction.method.to_string(),
        confidence: extraction.confidence,
        sibling: extraction.sibling().map(str::to_owned),
        gates: gates(&extraction.attempts),
        labels,
        fetched_at: page.fetched_at,
        status: page.status,
        charset: Some(document.encoding().to_owned()),
        cut,
    }
}
