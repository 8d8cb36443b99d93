//! What is done to a page off the async threads: extracted against its siblings, made a record,
//! stored.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use url::Url;

use super::again::{MOST_OF_HOST, MOST_PARKED, is_served};
use super::budget::WorkPermit;
use super::canonical::are_alike;
use super::echoes::PageText;
use super::parsed::{ParseSettings, Parsed};
use super::traps::fingerprint;
use super::{Crawl, Error, Fetch, pair};
use crate::frontier::Frontier;
use tsrec_core::extract::beside;
use tsrec_core::extract::cascade::Cascade;
use tsrec_core::extract::report::gates;
use tsrec_core::extract::scored::{Reading, Scored};
use tsrec_core::extract::{Extraction, Page, Sibling};
use tsrec_core::html::links;
use tsrec_core::metadata::{Described, Stated};
use tsrec_core::pairing::pattern::pattern_hash;
use tsrec_core::render;
use tsrec_core::render::Along;
use tsrec_core::template::{Learned, Memory, Redesign, Visit};
use tsrec_core::words::beginning;
use tsrec_store::{Learning, NewPage, PageRecord, Parked, Put, Store, UntilKnown};

/// What became of work that may panic.
pub(super) enum Worked<T> {
    /// It was done.
    Done(T),
    /// It panicked, with this message.
    Panicked(String),
}

/// A page that was stored, or why it cannot be.
pub(super) enum StoreOutcome {
    /// It is stored.
    Stored(StoredPage),
    /// It is too large, or its URL no key.
    Unfit(String),
    /// It was not stored, since its content has a record under another URL.
    Elsewhere,
    /// It was not stored, since it says what pages of two other patterns of its host say.
    Echo,
    /// It was not stored again: it was fetched anew, or deleted, meanwhile.
    Superseded,
}

/// What was stored.
pub(super) struct StoredPage {
    /// The record as it was handed in.
    pub(super) record: Box<NewPage>,
    /// Whether its content is news.
    pub(super) changed: bool,
    /// The [fingerprint] of what it says.
    pub(super) print: Option<u64>,
    /// Whether the page is kept, to be extracted again when its template is known, or a better
    /// sibling comes.
    pub(super) is_parked: bool,
}

/// Runs work that blocks off the async threads, and survives its panic.
pub(super) async fn may_panic<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<Worked<R>, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(Worked::Done(done)),
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => Ok(Worked::Panicked(message(&*panic))),
            Err(cancelled) => Err(Error::because(cancelled)),
        },
    }
}

/// What a panic said.
pub(super) fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
    said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".to_owned())
}

/// Why a page is extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtractionRun {
    /// It has come.
    Fetch {
        /// Whether it may be kept as it came: see
        /// [`Rights::archive`](super::outcome::Rights::archive).
        may_be_kept: bool,
    },
    /// More is known than when it was extracted before.
    Repeat,
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    pub(super) async fn parse(&self, url: &Url, page: &Arc<Parked>) -> Result<Worked<Parsed>, Error> {
        let (url, page, parse) = (url.clone(), Arc::clone(page), self.parse);
        let (limits, most_links) = (self.parts.limits.clone(), self.config.max_links);
        let product_token = self.parts.fetcher.product_token().to_owned();
        may_panic(move || {
            let started = Instant::now();
            let settings = ParseSettings { limits: &limits, most_links, product_token: &product_token };
            let parsed = parse(&page.body, page.charset.as_deref(), &url, &settings);
            metrics::histogram!("tsrec_parse_seconds").record(started.elapsed().as_secs_f64());
            parsed
        })
        .await
    }

    /// Extracts a page from memory, or against the siblings that are held, and stores it, durably,
    /// with what it teaches; unless `other`, the record of its canonical page, has its content, or
    /// it is an [echo](super::echoes). Lets go of the document, unless the caller keeps it, and of
    /// the permit before it waits for the disk.
    pub(super) async fn extract_and_store(
        &self,
        url: &Url,
        page: &Arc<Parked>,
        (parsed, permit): (Arc<Parsed>, WorkPermit),
        other: Option<Box<PageRecord>>,
        run: ExtractionRun,
    ) -> Result<Worked<StoreOutcome>, Error> {
        let (store, most) = (self.parts.store.clone(), self.config.siblings_tried.max(1));
        let (key, page) = (url.clone(), Arc::clone(page));
        let (echoes, most_waiting) = (Arc::clone(&self.echoes), self.config.max_waiting as u64);
        let stored = may_panic(move || {
            let url = key;
            let started = Instant::now();
            let subject = Page::new(&parsed.document).at(Some(&url));
            let reading = Scored::shipped().read(&subject);
            let found = find(&store, &subject, &reading, &url, most)?;
            let (record, stated) = record(&url, &page, &parsed, &subject, &found);
            metrics::histogram!("tsrec_extract_seconds").record(started.elapsed().as_secs_f64());
            if other.is_some_and(|other| are_alike(&record.text, &other.text)) {
                return Ok(StoreOutcome::Elsewhere);
            }
            let print = fingerprint(record.metadata.title.as_deref(), &record.text);
            let text = print.map(|print| PageText::new(&url, print));
            let is_echo = text.is_some_and(|text| echoes.lock().unwrap_or_else(PoisonError::into_inner).has(text));
            if is_echo && is_news(&store, &record)? {
                return Ok(StoreOutcome::Echo);
            }
            // Where memory serves, no sibling will be asked what this page says.
            let held = (!found.from_memory).then(|| pair::to_bytes(subject.sequence(), reading.memory()));
            let may_be_parked = !found.from_memory && page.body.len() <= MOST_PARKED;
            // What is parked of this page itself is no other's room, unless it goes meanwhile.
            let own = u64::from(store.parked_at(url.as_str())?.is_some());
            let has_room = store.counts().parked.saturating_sub(own) < most_waiting;
            let parked = (may_be_parked && has_room).then_some(&*page);
            let until_known = UntilKnown { held: held.as_deref(), parked, most_parked: MOST_OF_HOST };
            let memory = reading.into_memory();
            drop(subject);
            drop((parsed, permit));
            let is_new = store.fetched_at(url.as_str())? != Some(page.fetched_at);
            let put =
                remember(&store, &url, record, &found, (&memory, &stated), until_known, run == ExtractionRun::Repeat);
            let (record, put) = match put {
                // What is kept by now is not of this fetch.
                Err(error) if error.is_superseded() => return Ok(StoreOutcome::Superseded),
                put => put.inspect_err(|_| drop(store.unpark(url.as_str())))?,
            };
            if is_new && run == (ExtractionRun::Fetch { may_be_kept: true }) {
                keep_raw(&store, &url, &page);
            }
            let stored = StoredPage { record: Box::new(record), changed: put.changed, print, is_parked: put.parked };
            Ok::<_, tsrec_store::Error>(StoreOutcome::Stored(stored))
        });
        match stored.await? {
            Worked::Panicked(why) => Ok(Worked::Panicked(why)),
            Worked::Done(Ok(outcome)) => {
                if let StoreOutcome::Stored(stored) = &outcome {
                    self.settle(url, stored).await?;
                }
                Ok(Worked::Done(outcome))
            }
            Worked::Done(Err(error)) if error.is_too_large() || error.is_invalid() => {
                Ok(Worked::Done(StoreOutcome::Unfit(error.to_string())))
            }
            Worked::Done(Err(error)) => Err(Error::because(error)),
        }
    }
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Returns when a page that was stored is durable; what repeats it is an echo from then on.
    async fn settle(&self, url: &Url, stored: &StoredPage) -> Result<(), Error> {
        let written = Instant::now();
        self.durability.of(&self.parts.database).await?;
        metrics::histogram!("tsrec_durable_seconds").record(written.elapsed().as_secs_f64());
        if let Some(print) = stored.print {
            self.echoes.lock().unwrap_or_else(PoisonError::into_inner).note(PageText::new(url, print));
        }
        Ok(())
    }

    /// Makes what is held of a page anew.
    pub(super) async fn hold(&self, url: &Url, parsed: Parsed) -> Result<Worked<()>, Error> {
        let (store, url) = (self.parts.store.clone(), url.clone());
        let held = may_panic(move || {
            let page = Page::new(&parsed.document).at(Some(&url));
            pair::hold(&store, &url, page.sequence(), &Scored::shipped().remember(&page))
        });
        match held.await? {
            Worked::Done(held) => held.map(Worked::Done).map_err(Error::because),
            Worked::Panicked(why) => Ok(Worked::Panicked(why)),
        }
    }
}

/// Whether a page says something else than its record does, or has none.
fn is_news(store: &Store, page: &NewPage) -> Result<bool, tsrec_store::Error> {
    Ok(store.get(&page.url)?.is_none_or(|stored| stored.page.text != page.text))
}

/// Keeps a page for [`reextract`](Crawl::reextract), where that is wanted. What cannot be kept is
/// no reason not to store the page.
fn keep_raw(store: &Store, url: &Url, page: &Parked) {
    if let Err(error) = store.keep_raw(url.as_str(), page) {
        tracing::warn!(%error, "the page is not kept as it was fetched");
    }
}

/// Bytes of readers' comments that a record has at most: they are not what it is about. Judgement:
/// some hundred comments.
const MOST_COMMENTS: usize = 256 * 1024;

/// Bytes of markup that a record has at most; one with more has its text alone. Judgement: a
/// hundred times that of an article, and a fourth of what a record may have by default.
const MOST_HTML: usize = 4 << 20;

/// What was found on a page.
struct PageContent {
    extraction: Extraction,
    from_memory: bool,
    /// What is remembered that the site's pages state.
    siblings: Stated,
}

/// Extracts a page by what is remembered of its site; where that does not know its template,
/// against its best held siblings. Blocks for some milliseconds.
fn find(
    store: &Store,
    subject: &Page<'_>,
    reading: &Reading<'_, '_>,
    url: &Url,
    most_siblings: usize,
) -> Result<PageContent, tsrec_store::Error> {
    let host = url.host_str().unwrap_or_default();
    let site = store.site(host)?;
    let known = Cascade::default().with_site(Some(&site)).from_memory(reading);
    let from_memory = known.is_some();
    let extraction = match known {
        Some(extraction) => extraction,
        None => against_held(store, subject, reading, url, most_siblings)?,
    };
    measure(&extraction);
    Ok(PageContent { extraction, from_memory, siblings: site.stated() })
}

fn against_held(
    store: &Store,
    subject: &Page<'_>,
    reading: &Reading<'_, '_>,
    url: &Url,
    most_siblings: usize,
) -> Result<Extraction, tsrec_store::Error> {
    let mut held = Vec::new();
    for rated in pair::held(store, url)?.into_iter().take(most_siblings) {
        if let Some(sibling) = pair::load(store, &rated.candidate)? {
            held.push((rated.candidate, sibling));
        }
    }
    let siblings = held
        .iter()
        .map(|(url, (sequence, memory))| Sibling { name: url.to_string(), sequence, memory: Some(memory) })
        .collect::<Vec<_>>();
    Ok(Cascade::new(siblings).extract_read(subject, reading))
}

/// Stores a page with what it teaches, and says what that changed of the site's templates.
fn remember(
    store: &Store,
    url: &Url,
    record: NewPage,
    found: &PageContent,
    (memory, stated): (&Memory, &Stated),
    until_known: UntilKnown<'_>,
    is_again: bool,
) -> Result<(NewPage, Put), tsrec_store::Error> {
    let before = store.get(url.as_str())?.and_then(|record| record.template);
    let before = before.map(|template| template.number);
    let waits = until_known.held.is_some();
    let learning = Learning {
        memory,
        visit: Visit { pattern: Some(pattern_hash(url)), before, stated: Some(stated) },
        known: found.extraction.remembered,
        is_again,
        until_known,
    };
    let (record, put, learned) = store.put_learned(record, &learning)?;
    let host = url.host_str().unwrap_or_default();
    tell(host, &learned);
    // The template may have become known while the page was extracted.
    if learned.begins_to_serve || (waits && is_served(&*store.site(host)?, Some(learned.number))) {
        store.look_again(host);
    }
    Ok((record, put))
}

/// What is news of a site's templates, to log and metrics.
fn tell(host: &str, learned: &Learned) {
    let count = |event: &'static str| metrics::counter!("tsrec_templates_total", "event" => event).increment(1);
    let number = learned.number;
    if learned.is_new {
        count("begun");
        tracing::debug!(host, number, "a template that was not known");
    }
    if learned.begins_to_serve {
        count("serving");
        tracing::info!(host, number, "the template is known: its pages need no sibling any more");
    }
    if let Some(Redesign { from, to, .. }) = learned.redesign {
        count("replaced");
        tracing::warn!(host, from, to, "a redesign: pages are of another template than those before them");
    }
    for number in &learned.forgotten {
        count("forgotten");
        tracing::info!(host, number, "the template is not served any more, and forgotten");
    }
}

/// Tells the metrics how sure an extraction is, and what its comparisons came to.
fn measure(extraction: &Extraction) {
    metrics::histogram!("tsrec_confidence").record(extraction.confidence);
    for gate in extraction.attempts.iter().flat_map(|attempt| &attempt.gates) {
        let labels = [("gate", gate.name.to_string()), ("passed", gate.passed().to_string())];
        metrics::counter!("tsrec_gates_total", &labels).increment(1);
    }
}

/// The page as it is stored, and what it states of itself.
fn record(url: &Url, page: &Parked, parsed: &Parsed, subject: &Page<'_>, found: &PageContent) -> (NewPage, Stated) {
    let (document, extraction) = (&parsed.document, &found.extraction);
    let mut cut: Vec<String> = document.cuts().iter().map(ToString::to_string).collect();
    if page.truncated {
        cut.push("body".to_owned());
    }
    let Described { metadata, stated, .. } = beside::metadata(subject, extraction.kind, &found.siblings);
    let mut comments = render::text::text(document, &beside::comments(subject, &extraction.content));
    if comments.len() > MOST_COMMENTS {
        comments.truncate(beginning(&comments, MOST_COMMENTS).len());
        cut.push("comments".to_owned());
    }
    let base = links::base_url(document, url);
    let html = render::html::html(document, &extraction.content, Some(&base), Along::default());
    let html = Some(html).filter(|html| html.len() <= MOST_HTML);
    if html.is_none() {
        cut.push("html".to_owned());
    }
    let labels = extraction.label_counts(subject).into_iter().map(|(label, n)| (label.to_string(), n as u64)).collect();
    let record = NewPage {
        url: url.to_string(),
        metadata,
        comments,
        text: render::text::text(document, &extraction.content),
        html,
        words: extraction.content.words(document) as u64,
        method: extraction.method.to_string(),
        confidence: extraction.confidence,
        kind: extraction.kind.map(|(kind, _)| kind.to_string()),
        kind_probability: extraction.kind.map(|(_, probability)| f64::from(probability)),
        sibling: extraction.sibling().map(str::to_owned),
        template: None, // said when it is remembered
        gates: gates(&extraction.attempts),
        labels,
        fetched_at: page.fetched_at,
        status: page.status,
        charset: Some(document.encoding().to_owned()),
        cut,
    };
    (record, stated)
}
