//! The blocking work on a page: extracts it with its site's memory or siblings, makes a record, and
//! stores it.
//!
//! `extract_and_store` is the whole of it, in this order:
//!
//! 1. `find` extracts the page, and `record` makes its record.
//! 2. A page that repeats its canonical page, or is an echo, is not stored.
//! 3. The store keeps the page's body, unless the page asks for no copy. If memory did not serve,
//!    the page is *held* as a sibling, and *parked* for a second extraction, if there is room.
//! 4. `remember` stores all this with what the site learns, in one transaction.
//! 5. `settle` waits until that is durable.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use url::Url;

use super::again::{MOST_OF_HOST, MOST_PARKED, is_served};
use super::budget::WorkPermit;
use super::method::{CrawlMethod, ExtractConfig};
use super::net::may_fail;
use super::numbers::own_numbers;
use super::parsed::{Parsed, Parsing};
use super::recent::RecentSiblings;
use super::traps::{PagePrint, fingerprint};
use super::unstored::{Compared, NotStored};
use super::{Crawl, Error, Fetch, pair};
use crate::frontier::Frontier;
use crate::memories::{Learning, SiteMemories};
use tsrec_core::extract::auto::Auto;
use tsrec_core::extract::report::gates;
use tsrec_core::extract::template_or_mss::TemplateOrMss;
use tsrec_core::extract::{Extract, Extracted, Extraction, Sibling};
use tsrec_core::html::Document;
use tsrec_core::html::links::MostLinks;
use tsrec_core::metadata::Stated;
use tsrec_core::pairing::Rated;
use tsrec_core::pairing::pattern::pattern_hash;
use tsrec_core::render::Along;
use tsrec_core::template::{Learned, Memory, Redesign, Visit};
use tsrec_core::words::beginning;
use tsrec_store::{KeptBody, NewPage, PageRecord, Parked, Put, PutExtras, Store};

/// Why a page is in quarantine that takes more steps than the budget allows.
pub(super) const TOO_MUCH_WORK: &str = "it takes more steps than html.steps allows";

/// The result of work that may fail.
pub(super) enum Worked<T> {
    /// It was done.
    Done(T),
    /// It panicked, with this message, or took too long.
    Panicked(String),
}

/// A page that was stored, or why it cannot be.
pub(super) enum StoreOutcome {
    /// It is stored.
    Stored(StoredPage),
    /// It is too large, or its URL cannot be a key.
    Unfit(String),
    /// It was not stored, for what it says.
    NotStored(NotStored),
    /// It takes more steps than the budget allows: see [`tsrec_core::html::PageSteps`].
    TooMuchWork,
    /// A second extraction was not stored, since the page was fetched anew, or deleted, meanwhile.
    Superseded,
}

/// The stored page.
pub(super) struct StoredPage {
    /// The record as it was given to the store.
    pub(super) record: Box<NewPage>,
    /// Whether its content changed.
    pub(super) changed: bool,
    /// What it says, for comparisons.
    pub(super) print: PagePrint,
    /// Whether the page is kept for a second extraction: when its template is known, or a better
    /// sibling comes.
    pub(super) is_parked: bool,
}

/// The message of a panic.
pub(super) fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
    said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".to_owned())
}

/// Why a page is extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtractionRun {
    /// It was fetched.
    Fetch {
        /// Whether it may be kept as fetched: see
        /// [`Rights::archive`](super::outcome::Rights::archive).
        may_be_kept: bool,
        /// Whether it is stored whatever it says: see [`Doubt`](super::doubt::Doubt).
        is_settled: bool,
    },
    /// More is known than at its last extraction.
    Repeat,
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Parses a page. If it takes long, its permit is lent to others.
    pub(super) async fn parse(
        &self,
        url: &Url,
        page: &Arc<Parked>,
        permit: Option<&WorkPermit>,
    ) -> Result<Worked<Parsed>, Error> {
        let (url, page, parsing) = (url.clone(), Arc::clone(page), self.parsing());
        may_fail(self.most_cpu, permit, move |_| {
            let started = Instant::now();
            let parsed = parsing.parse(&page, &url);
            metrics::histogram!("tsrec_parse_seconds").record(started.elapsed().as_secs_f64());
            parsed
        })
        .await
    }

    fn parsing(&self) -> Parsing {
        Parsing {
            parse: self.parse,
            limits: self.parts.limits.clone(),
            most_links: MostLinks { within: self.config.max_links_within, beyond: self.config.max_links },
            product_token: self.parts.fetcher.product_token().to_owned(),
        }
    }

    /// Extracts a page from memory, or against the held siblings, and stores it, durably, with what
    /// it teaches. It is not stored if `other`, the record of its canonical page, has its content,
    /// or if it is an [echo](super::echoes). Drops the document (unless the caller keeps it) and
    /// the permit before it stores the page.
    pub(super) async fn extract_and_store(
        &self,
        url: &Url,
        page: &Arc<Parked>,
        (parsed, permit): (Arc<Parsed>, WorkPermit),
        other: Option<Box<PageRecord>>,
        run: ExtractionRun,
    ) -> Result<Worked<StoreOutcome>, Error> {
        let (memories, most, parsing) =
            (self.parts.memories.clone(), self.config.siblings_tried.max(1), self.parsing());
        let (extract, recent) = (self.parts.extract, Arc::clone(&self.recent));
        let method = extract.method;
        let (key, page) = (url.clone(), Arc::clone(page));
        let (texts, most_waiting) = (self.texts.clone(), self.config.max_waiting as u64);
        let lent = permit.clone();
        let stored = may_fail(self.most_cpu, Some(&lent), move |page_run| {
            let (url, store) = (key, memories.store());
            let started = Instant::now();
            let found = find((&memories, &recent), &parsed.document, &url, (extract, most, &parsing))?;
            let record = record(&page, &found);
            if found.steps().is_over() {
                return Ok(StoreOutcome::TooMuchWork);
            }
            metrics::histogram!("tsrec_extract_seconds").record(started.elapsed().as_secs_f64());
            let title = record.metadata.title.as_deref();
            let numbers = own_numbers(&url, title, &record.text);
            let print = PagePrint { words: fingerprint(title, &record.text), numbers };
            let is_settled = !matches!(run, ExtractionRun::Fetch { is_settled: false, .. });
            let compared = Compared { canonical: other.as_deref(), is_settled };
            if let Some(why) = texts.reason(store, &url, (&found, &record, print.words), compared)? {
                return Ok(StoreOutcome::NotStored(why));
            }
            let is_compared = is_compared(method, found.extraction());
            let is_auto = method == CrawlMethod::Auto;
            let memory = if is_auto { found.memory().into_owned() } else { Memory::default() };
            let is_again = run == ExtractionRun::Repeat;
            let raw = matches!(run, ExtractionRun::Fetch { may_be_kept: true, .. });
            let sequence = is_compared.then(|| pair::to_bytes(found.page().sequence(), &memory));
            let sibling = is_compared && page.body.len() <= MOST_PARKED;
            let may_be_parked = sibling && (is_auto || !is_again);
            // This page's own parked body does not count against the limit, unless it goes
            // meanwhile.
            let own = u64::from(store.parked_at(url.as_str())?.is_some());
            let has_room = store.counts().parked.saturating_sub(own) < most_waiting;
            let kept = (sibling || raw).then_some(KeptBody {
                page: &page,
                waits: may_be_parked && has_room,
                most_parked: MOST_OF_HOST,
                sibling,
                raw,
                sequence: sequence.as_deref().filter(|_| !raw),
            });
            let (known, stated) = (found.remembered(), found.described().stated.clone());
            drop(found);
            drop((parsed, permit));
            if page_run.is_abandoned() {
                return Ok(StoreOutcome::Superseded);
            }
            let put = match method {
                CrawlMethod::Auto => remember(&memories, &url, record, known, (&memory, &stated), kept, is_again),
                CrawlMethod::Template | CrawlMethod::Mss => {
                    store.put_with(&record, PutExtras { memory: None, kept, is_again }).map(|put| (record, put))
                }
            };
            let (record, put) = match put {
                // The body kept by now is from another fetch.
                Err(error) if error.is_superseded() => return Ok(StoreOutcome::Superseded),
                put => put.inspect_err(|_| drop(store.unpark(url.as_str())))?,
            };
            // Without its bytes it would be read from the store anyway.
            if let Some(sequence) = sequence.filter(|_| sibling && raw) {
                recent.note(url.as_str(), page.fetched_at, sequence);
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
    /// Waits until a stored page is durable. From then on pages that repeat it are echoes.
    async fn settle(&self, url: &Url, stored: &StoredPage) -> Result<(), Error> {
        let written = Instant::now();
        self.durability.of(&self.parts.database).await?;
        metrics::histogram!("tsrec_durable_seconds").record(written.elapsed().as_secs_f64());
        self.texts.note_words(url, stored.print.words);
        Ok(())
    }
}

/// Most bytes of readers' comments in a record: they are not its main content. Judgement: some
/// hundred comments.
const MOST_COMMENTS: usize = 256 * 1024;

/// Most bytes of markup in a record. A page with more gets its text alone. Judgement: a hundred
/// times that of an article, and a fourth of what a record may have by default.
const MOST_HTML: usize = 4 << 20;

/// Whether siblings are compared with a page, now or later: not if memory serves, since its site's
/// pages need none.
fn is_compared(method: CrawlMethod, extraction: &Extraction) -> bool {
    match method {
        CrawlMethod::Auto => !extraction.is_from_memory(),
        CrawlMethod::Template => true,
        CrawlMethod::Mss => false,
    }
}

/// Extracts a page as configured: see [`ExtractConfig`]. `auto` loads siblings only if the
/// memory of the site does not know the page's template. Blocks for some milliseconds.
fn find<'d>(
    (memories, recent): (&SiteMemories, &RecentSiblings),
    document: &'d Document,
    url: &'d Url,
    (extract, most_siblings, parsing): (ExtractConfig, usize, &Parsing),
) -> Result<Extracted<'d>, tsrec_store::Error> {
    let failed = Cell::new(None);
    let siblings = || {
        let held = held_siblings((memories.store(), recent), url, most_siblings, (parsing, extract.method));
        held.unwrap_or_else(|error| {
            failed.set(Some(error));
            Vec::new()
        })
    };
    let site;
    let request = Extract::new(document).url(url);
    let found = match extract.method {
        CrawlMethod::Auto => {
            site = memories.site(url.host_str().unwrap_or_default())?;
            request.site(&site).siblings(siblings).method(Auto::shipped().favoring(extract.favor)).run()
        }
        CrawlMethod::Template => request.siblings(siblings).method(TemplateOrMss).run(),
        CrawlMethod::Mss => request.method(TemplateOrMss).run(),
    };
    match failed.take() {
        Some(error) => Err(error),
        None => Ok(found.expect("no such method needs a sibling")).inspect(|found| measure(found.extraction())),
    }
}

/// The most similar held siblings, the best first. One that the program fails on is held no more.
fn held_siblings<'s>(
    (store, recent): (&Store, &RecentSiblings),
    url: &Url,
    most: usize,
    (parsing, method): (&Parsing, CrawlMethod),
) -> Result<Vec<Sibling<'s>>, tsrec_store::Error> {
    let rated = pair::held(store, url)?.into_iter().take(most);
    let load = |Rated { candidate: sibling, .. }: Rated<Url>| {
        let loaded = catch_unwind(AssertUnwindSafe(|| pair::load((store, recent), &sibling, parsing, method)));
        let loaded = loaded.unwrap_or_else(|panic| {
            tracing::error!(%sibling, why = message(&*panic), "the program failed on a sibling, and it is held no more");
            store.let_go([sibling.as_str()]).map(|()| None)
        });
        loaded.transpose()
    };
    rated.filter_map(load).collect()
}

/// Stores a page with what it teaches, and returns how that changed the site's templates.
fn remember(
    memories: &SiteMemories,
    url: &Url,
    record: NewPage,
    known: u32,
    (memory, stated): (&Memory, &Stated),
    kept: Option<KeptBody<'_>>,
    is_again: bool,
) -> Result<(NewPage, Put), tsrec_store::Error> {
    let before = memories.store().get(url.as_str())?.and_then(|record| record.template);
    let before = before.map(|template| template.number);
    let is_sibling = kept.is_some_and(|kept| kept.sibling);
    let learning = Learning {
        memory,
        visit: Visit { pattern: Some(pattern_hash(url)), before, stated: Some(stated) },
        known,
        is_again,
        kept,
    };
    let (record, put, learned) = memories.learn(record, &learning)?;
    let host = url.host_str().unwrap_or_default();
    tell(host, &learned);
    // The template may have become known while the page was extracted.
    if learned.begins_to_serve || (is_sibling && is_served(&*memories.site(host)?, Some(learned.number))) {
        memories.look_again(host);
    }
    Ok((record, put))
}

/// Reports changes of a site's templates to log and metrics.
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

/// Reports the confidence and the comparisons of an extraction to the metrics.
fn measure(extraction: &Extraction) {
    metrics::histogram!("tsrec_confidence").record(extraction.confidence);
    for gate in extraction.attempts.iter().flat_map(|attempt| &attempt.gates) {
        let labels = [("gate", gate.name.to_string()), ("passed", gate.passed().to_string())];
        metrics::counter!("tsrec_gates_total", &labels).increment(1);
    }
}

/// The page as it is stored.
pub fn record(page: &Parked, found: &Extracted<'_>) -> NewPage {
    let (document, extraction) = (found.document(), found.extraction());
    let (mut comments, text, html) = (found.comments(), found.text(), found.html(Along::default()));
    let metadata = found.described().metadata.clone();
    // Renderers and metadata may exceed the budget, too.
    let mut cut: Vec<String> = found.cuts().iter().map(ToString::to_string).collect();
    if page.truncated {
        cut.push("body".to_owned());
    }
    if comments.len() > MOST_COMMENTS {
        comments.truncate(beginning(&comments, MOST_COMMENTS).len());
        cut.push("comments".to_owned());
    }
    let html = Some(html).filter(|html| html.len() <= MOST_HTML);
    if html.is_none() {
        cut.push("html".to_owned());
    }
    let labels = extraction.label_counts(found.page()).into_iter();
    NewPage {
        url: found.name().to_owned(),
        metadata,
        comments,
        text,
        html,
        words: found.words() as u64,
        method: found.method().to_string(),
        confidence: found.confidence(),
        kind: found.kind().map(|(kind, _)| kind.to_string()),
        kind_probability: found.kind().map(|(_, probability)| f64::from(probability)),
        sibling: extraction.sibling().map(str::to_owned),
        template: None, // said when it is remembered
        gates: gates(&extraction.attempts),
        labels: labels.map(|(label, count)| (label.to_string(), count as u64)).collect(),
        fetched_at: page.fetched_at,
        status: page.status,
        charset: Some(document.encoding().to_owned()),
        cut,
    }
}
