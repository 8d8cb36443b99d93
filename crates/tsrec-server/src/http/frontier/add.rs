//! URLs that an operator puts into the crawl: one, or a million.

use std::collections::HashSet;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{ask, crawled};
use crate::http::extract::{NDJSON, media_type, url_of};
use crate::http::lines::Lines;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::routes::ApiContext;
use tsrec_crawl::frontier::{Discovered, Embedded, Error, Frontier, PutSummary};

/// The most bytes of a line. Judgement: a URL may have 2,048, which JSON makes six times as long.
const LONGEST_LINE: usize = 16 << 10;

/// URLs put at a time. Judgement: their transactions take some tenths of a second.
const PUT_AT_A_TIME: usize = 1_000;

/// Refused lines that an answer names. The rest are counted. Judgement: as many as a person reads.
const NAMED: usize = 10;

/// A URL to add, as `POST /v1/frontier` takes it, one on each line.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddedUrl {
    /// The URL.
    pub url: String,
}

/// What became of the URLs of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Added {
    /// URLs that the frontier did not know.
    pub new: u64,
    /// URLs that were given up or skipped, and are due again.
    pub revived: u64,
    /// URLs that the frontier knew.
    pub known: u64,
    /// Refused URLs, by reason.
    pub refused: RefusedLines,
    /// The first refused lines: those that are no URL, or whose host is outside the crawl.
    pub examples: Vec<RefusedLine>,
}

/// Refused URLs, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RefusedLines {
    /// The line has no http or https URL.
    pub invalid: u64,
    /// The crawl does not have the URL's host. `seed=true` takes it in.
    pub outside: u64,
    /// An operator dropped the host.
    pub dropped: u64,
    /// The host is full (`frontier.max_urls_per_queue`).
    pub full: u64,
    /// The pattern or folder is full (`frontier.max_urls_per_section`).
    pub section: u64,
    /// The frontier is full (`frontier.max_urls`).
    pub frontier: u64,
}

impl RefusedLines {
    /// Each reason in words, with its number.
    pub fn by_reason(&self) -> [(&'static str, u64); 6] {
        let RefusedLines { invalid, outside, dropped, full, section, frontier } = *self;
        [
            ("no http or https URL", invalid),
            ("outside the crawl's hosts (--seed takes them in)", outside),
            ("on dropped hosts (tsrec frontier resume HOST)", dropped),
            ("on full hosts (frontier.max_urls_per_queue)", full),
            ("in full sections (frontier.max_urls_per_section)", section),
            ("past frontier.max_urls", frontier),
        ]
    }

    /// The sum of all.
    pub fn sum(&self) -> u64 {
        self.by_reason().iter().map(|(_, count)| count).sum()
    }
}

/// A refused line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RefusedLine {
    /// Its number, from 1.
    pub line: u64,
    /// Why it is refused.
    pub reason: String,
}

impl Added {
    /// Adds the counts of the following lines, after so many.
    pub fn add(&mut self, more: Added, lines: u64) {
        let Added { new, revived, known, refused, examples } = more;
        (self.new, self.revived, self.known) = (self.new + new, self.revived + revived, self.known + known);
        let sum = &mut self.refused;
        sum.invalid += refused.invalid;
        sum.outside += refused.outside;
        sum.dropped += refused.dropped;
        sum.full += refused.full;
        sum.section += refused.section;
        sum.frontier += refused.frontier;
        let room = NAMED.saturating_sub(self.examples.len());
        let examples = examples.into_iter().take(room);
        self.examples.extend(examples.map(|one| RefusedLine { line: one.line + lines, ..one }));
    }

    fn refuse(&mut self, line: u64, reason: String) {
        if self.examples.len() < NAMED {
            self.examples.push(RefusedLine { line, reason });
        }
    }

    fn count(&mut self, put: &PutSummary) {
        self.new += put.added;
        self.revived += put.revived;
        self.known += put.known + put.renewed;
        let sum = &mut self.refused;
        sum.invalid += put.refused.unfit;
        sum.dropped += put.refused.dropped;
        sum.full += put.refused.full;
        sum.section += put.refused.section;
        sum.frontier += put.refused.frontier;
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AddQuery {
    seed: Option<bool>,
}

/// Reads the lines of a body, and puts their URLs.
pub(super) async fn add(
    State(context): State<ApiContext>,
    query: Result<Query<AddQuery>, Problem>,
    request: Request<Body>,
) -> Result<Json<Added>, Problem> {
    let Query(AddQuery { seed }) = query?;
    let seed = seed.unwrap_or(false);
    crawled(&context)?;
    let (head, body) = request.into_parts();
    media_type(&head.headers, &[NDJSON])?;
    let mut lines = Lines::new(body, LONGEST_LINE, "");
    let (mut added, mut urls) = (Added::default(), Vec::new());
    while let Some((number, line)) = lines.next().await {
        match line.and_then(|line| parse(&line)) {
            Ok(url) => urls.push((number, url)),
            Err(reason) => {
                added.refused.invalid += 1;
                added.refuse(number, reason);
            }
        }
        if urls.len() >= PUT_AT_A_TIME {
            added = put(&context, std::mem::take(&mut urls), added, seed).await?;
        }
    }
    added = put(&context, urls, added, seed).await?;
    let database = context.api.store().database().clone();
    let flushed = tokio::task::spawn_blocking(move || database.durable()).await;
    flushed.map_err(|error| Problem::internal(&error))??;
    tracing::info!(new = added.new, known = added.known, refused = added.refused.sum(), "an operator added URLs");
    (context.api.added)();
    Ok(Json(added))
}

fn parse(line: &[u8]) -> Result<Url, String> {
    let read: AddedUrl = serde_json::from_slice(line)
        .map_err(|error| format!(r#"this is no JSON object such as {{"url": "https://example.org/page"}}: {error}"#))?;
    let mut url = url_of(&read.url)?;
    url.set_fragment(None);
    Ok(url)
}

/// Puts URLs as seeds, so that no rule of the crawl leaves them out. Hosts that the frontier does
/// not have are outside, unless they are to be taken in.
async fn put(context: &ApiContext, urls: Vec<(u64, Url)>, mut added: Added, seed: bool) -> Result<Added, Problem> {
    if urls.is_empty() {
        return Ok(added);
    }
    let seeded = context.api.seeded.clone();
    ask(context, move |frontier| {
        let urls = within(frontier, urls, &mut added, seed);
        if seed {
            let firsts = first_of_hosts(&urls);
            firsts.iter().filter_map(Url::host_str).try_for_each(|host| frontier.take_in(host))?;
            seeded(&firsts);
        }
        let found: Vec<Discovered> = urls.into_iter().map(|url| Discovered::page(url, 0, None)).collect();
        let put = tokio::runtime::Handle::current().block_on(frontier.put_discovered(&found))?;
        added.count(&put);
        Ok::<Added, Error>(added)
    })
    .await
}

/// The URLs whose host the crawl has.
fn within(frontier: &Embedded, urls: Vec<(u64, Url)>, added: &mut Added, seed: bool) -> Vec<Url> {
    let has_host = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        frontier.host(host).is_some() || frontier.is_dropped(host)
    };
    let (within, outside): (Vec<_>, Vec<_>) = urls.into_iter().partition(|(_, url)| seed || has_host(url));
    added.refused.outside += outside.len() as u64;
    for (number, url) in outside {
        let host = url.host_str().unwrap_or_default();
        added.refuse(number, format!("the crawl has no host {host}: seed=true (--seed) takes it in"));
    }
    within.into_iter().map(|(_, url)| url).collect()
}

fn first_of_hosts(urls: &[Url]) -> Vec<Url> {
    let mut hosts = HashSet::new();
    urls.iter().filter(|url| hosts.insert(url.host_str())).cloned().collect()
}
