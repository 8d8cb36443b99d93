//! One posted page, from its bytes to its answer.

use std::time::Instant;

use axum::http::StatusCode;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{Asked, url_of};
use crate::http::flusher::Flusher;
use crate::http::problem::{self, Problem};
use crate::http::routes::ApiContext;
use tsrec_core::extract::auto::Auto;
use tsrec_core::extract::beside::stated;
use tsrec_core::extract::{Extract, Extracted, Recalled, Sibling};
use tsrec_core::html::directives::Directives;
use tsrec_core::html::sniff::not_html;
use tsrec_core::html::{Document, Limits, parse};
use tsrec_core::metadata::Stated;
use tsrec_core::pairing::most_similar_first;
use tsrec_core::template::{Memory, Visit};
use tsrec_crawl::memories::{Learning, SiteMemories};
use tsrec_crawl::pipeline::outcome::rights;
use tsrec_crawl::pipeline::{NotStored, StoredTexts, kind_in_the_way, record};
use tsrec_store::{DeletionReason, NewPage, Parked};

/// The most siblings of a page. Judgement: a crawl tries three.
const MOST_SIBLINGS: usize = 8;

/// The charset of HTML in a JSON string.
const UTF_8: &str = "utf-8";

/// A page as JSON. Other members are ignored.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
pub struct PostedPage {
    /// The page's URL.
    #[serde(default)]
    url: Option<String>,
    /// The page.
    html: String,
    /// The name of the page in the answer; by default its URL.
    #[serde(default)]
    id: Option<String>,
    /// Other pages of its site, to compare it with. At most eight.
    #[serde(default)]
    siblings: Vec<PostedSibling>,
}

/// A page to compare with.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
pub struct PostedSibling {
    /// Its URL.
    #[serde(default)]
    url: Option<String>,
    /// The page.
    html: String,
}

/// A page to extract.
pub(in crate::http) struct PageForm {
    pub(super) id: Option<String>,
    pub(super) url: Option<Url>,
    html: Vec<u8>,
    charset: Option<String>,
    siblings: Vec<(Option<Url>, String)>,
}

/// The line of a page in a batch: its fields, its name, its site, and its content. The field `text`
/// is [`Extracted::text`].
pub fn line(found: &Extracted<'_>, id: Option<&str>, site: Option<&str>, (field, content): (&str, String)) -> Value {
    let mut line = if field == "text" { found.fields_beside(&content) } else { found.fields() };
    line["id"] = json!(id);
    line["site"] = json!(site);
    line[field] = Value::String(content);
    line
}

impl PageForm {
    /// A page whose bytes are the body. Its name is its URL as the client wrote it.
    pub(super) fn of_html(
        html: Vec<u8>,
        charset: Option<String>,
        (id, url): (Option<String>, Option<Url>),
    ) -> PageForm {
        PageForm { id, url, html, charset, siblings: Vec::new() }
    }

    /// The page of a JSON object. `url` is that of the query.
    pub(super) fn of_json(bytes: &[u8], url: Option<Url>) -> Result<PageForm, Problem> {
        let page = PageForm::parse(bytes).map_err(Problem::invalid)?;
        match (url, &page.url) {
            (Some(asked), Some(stated)) if asked != *stated => {
                Err(Problem::invalid(format!("the query says url={asked}, the body {stated}: give one of them")))
            }
            (Some(asked), None) => {
                Ok(PageForm { id: page.id.or_else(|| Some(asked.to_string())), url: Some(asked), ..page })
            }
            _ => Ok(page),
        }
    }

    /// The page of a JSON object.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(super) fn parse(bytes: &[u8]) -> Result<PageForm, String> {
        let example = r#"{"url": "https://example.org/page", "html": "<p>..."}"#;
        let posted: PostedPage = serde_json::from_slice(bytes)
            .map_err(|error| format!("this is no JSON object such as {example}: {error}"))?;
        let PostedPage { url, html, id, siblings } = posted;
        if siblings.len() > MOST_SIBLINGS {
            return Err(format!("the page has {} siblings, at most {MOST_SIBLINGS} are compared", siblings.len()));
        }
        let address = |url: Option<String>| url.as_deref().map(url_of).transpose().map_err(|why| format!("url: {why}"));
        let siblings = siblings.into_iter().map(|sibling| Ok((address(sibling.url)?, sibling.html)));
        let siblings = siblings.collect::<Result<_, String>>()?;
        let id = id.or_else(|| url.clone());
        let charset = Some(UTF_8.to_owned());
        Ok(PageForm { id, url: address(url)?, html: html.into_bytes(), charset, siblings })
    }
}

/// What a page is extracted with.
#[derive(Clone)]
pub(in crate::http) struct Work {
    memories: SiteMemories,
    limits: Limits,
    product_token: Option<String>,
    flusher: Flusher,
    texts: StoredTexts,
    asked: Asked,
    method: Auto,
}

impl Work {
    pub(super) fn new(context: &ApiContext, asked: Asked) -> Work {
        let api = &context.api;
        let method = Auto::shipped().favoring(asked.favor.unwrap_or(api.favor));
        Work {
            memories: api.memories.clone(),
            limits: api.limits.clone(),
            product_token: api.product_token.clone(),
            flusher: context.flusher.clone(),
            texts: context.texts.clone(),
            asked,
            method,
        }
    }

    /// Whether a page must have a URL.
    pub(super) fn needs_url(&self) -> bool {
        self.asked.store
    }

    /// Extracts a page, learns and stores as asked, and makes the answer of its extraction and its
    /// line. Blocks.
    pub(super) fn run<R>(
        &self,
        page: PageForm,
        answer: impl FnOnce(&Extracted<'_>, &Value) -> R,
    ) -> Result<R, Problem> {
        let began = Instant::now();
        let done = self.extract(page, answer);
        let result = if done.is_ok() { "extracted" } else { "failed" };
        metrics::counter!("tsrec_service_pages_total", "result" => result).increment(1);
        metrics::histogram!("tsrec_service_seconds").record(began.elapsed().as_secs_f64());
        done
    }

    fn extract<R>(&self, page: PageForm, answer: impl FnOnce(&Extracted<'_>, &Value) -> R) -> Result<R, Problem> {
        let PageForm { id, url, html, charset, siblings } = page;
        if let Some(what) = not_html(&html, charset.as_deref()) {
            return Err(unprocessable(format!("this is no HTML but {what}")));
        }
        let document = parse(&html, charset.as_deref(), &self.limits);
        let siblings = self.parsed(url.as_ref(), siblings);
        // Pages are known without their fragments.
        let key = url.clone().map(|mut url| {
            url.set_fragment(None);
            url
        });
        let memory_url = key.as_ref().filter(|_| siblings.is_empty());
        let failed = std::cell::Cell::new(None);
        let mut request = Extract::new(&document).name(id.clone().unwrap_or_default()).method(&self.method);
        if let Some(url) = &url {
            request = request.url(url);
        }
        for (name, sibling) in &siblings {
            request = request.against(Sibling::new(name, sibling));
        }
        if let Some(url) = memory_url {
            request = request.site_by(|page, memory| {
                self.recall(url, memory, &stated(page)).unwrap_or_else(|error| {
                    failed.set(Some(error));
                    Recalled { memory: memory.clone(), stated: Default::default() }
                })
            });
        }
        let found = request.run().map_err(|error| Problem::internal(&error))?;
        if let Some(error) = failed.take() {
            return Err(error.into());
        }
        let site = url.as_ref().and_then(Url::host_str);
        let mut line = line(&found, id.as_deref(), site, ("text", found.text()));
        if let Some(url) = key.filter(|_| self.asked.store) {
            line["stored"] = json!(self.put(&url, &found, html, charset)?);
        }
        Ok(answer(&found, &line))
    }

    fn parsed(&self, page: Option<&Url>, siblings: Vec<(Option<Url>, String)>) -> Vec<(String, Document)> {
        let mut siblings = siblings;
        if let Some(page) = page {
            most_similar_first(page, &mut siblings, |(url, _)| url.as_ref());
        }
        let named = siblings.into_iter().enumerate().map(|(at, (url, html))| {
            let name = url.map_or_else(|| format!("sibling {}", at + 1), |url| url.to_string());
            (name, parse(html.as_bytes(), Some(UTF_8), &self.limits))
        });
        named.collect()
    }

    /// What the host of a page knows. It learns from the page, unless it may not, or the page is
    /// learned when it is stored.
    fn recall(&self, url: &Url, memory: &Memory, stated: &Stated) -> Result<Recalled, tsrec_store::Error> {
        if !self.asked.learn || self.asked.store {
            let site = self.memories.site(url.host_str().unwrap_or_default())?;
            return Ok(Recalled { memory: site.known_with(memory), stated: site.stated() });
        }
        let recalled = self.memories.learn_posted(url, memory, stated)?;
        self.flusher.wake();
        Ok(recalled)
    }

    /// Stores a page as a page that was fetched now with status 200. Returns what became of its
    /// record.
    fn put(
        &self,
        url: &Url,
        found: &Extracted<'_>,
        html: Vec<u8>,
        charset: Option<String>,
    ) -> Result<&'static str, Problem> {
        let (store, now) = (self.memories.store(), Timestamp::now());
        let meta = Directives::from_document(found.document(), self.product_token.as_deref());
        if !rights(&Directives::default(), &meta, now).index {
            // A challenge asks not to be indexed, and does not speak for the page.
            if kind_in_the_way(store, url, found.page().analysis())?.is_some() {
                return Ok(DOUBTFUL);
            }
            store.delete(url.as_str(), DeletionReason::Noindex, now)?;
            store.database().durable()?;
            return Ok("noindex");
        }
        if found.steps().is_over() {
            return Ok("over-budget");
        }
        let parked = Parked { body: html, status: 200, charset, fetched_at: now, truncated: false };
        let page = record(&parked, found);
        let page = NewPage { url: url.to_string(), ..page };
        match self.texts.reason_against(store, url, found, &page)? {
            Some(NotStored::Doubtful(_)) => return Ok(DOUBTFUL),
            Some(NotStored::Duplicate(_)) => {
                store.delete(url.as_str(), DeletionReason::Duplicate, now)?;
                store.database().durable()?;
                return Ok("duplicate");
            }
            None => {}
        }
        let (page, put) = if self.asked.learn {
            let before = store.get(url.as_str())?.and_then(|record| record.template);
            let stated = &found.described().stated;
            let visit =
                Visit { before: before.map(|template| template.number), stated: Some(stated), ..Visit::default() };
            let memory = found.memory();
            let learning = Learning { visit, known: found.remembered(), ..Learning::new(&memory) };
            let (page, put, _) = self.memories.learn(page, &learning)?;
            (page, put)
        } else {
            let put = store.put(&page)?;
            (page, put)
        };
        store.database().durable()?;
        self.texts.note(url, &page);
        Ok(if put.changed { "changed" } else { "unchanged" })
    }
}

/// The answer for a page that only says that something went wrong, where a record says more.
const DOUBTFUL: &str = "doubtful";

fn unprocessable(detail: String) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, problem::BLANK, detail)
}
