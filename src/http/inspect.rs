//! The inspector: the store for people, as pages of HTML at `/`, without a script or anything from elsewhere.
//!
//! `/` has hosts, the newest changes, a search over URLs and titles, and plots of what was found how surely. `/page` has a record beside the page that it was made from, where that is
//! kept. Of stored pages there is text alone, escaped; their markup is shown from a closed list of elements, in a frame that may do nothing.

use std::collections::BTreeMap;
use std::fmt::Write;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use url::form_urlencoded::byte_serialize;

use super::problem::{self, Problem};
use super::query::Query;
use super::route::{self, Route};
use super::routes::{Context, host_of, read};
use super::templates::{TemplateRow, Templates};
use crate::extract::cascade::Cascade;
use crate::extract::report::Report;
use crate::extract::scored::Scored;
use crate::extract::{Extractor, Page};
use crate::html::{Limits, parse};
use crate::inspector::{self, escaped};
use crate::store::{Change, ChangeKind, Error, PageRecord, Parked, Store, Summary};

/// Pages that an overview looks at. Judgement: their heads are read in some tenths of a second; what the rest is like shows in those of one host.
const MOST_LOOKED_AT: usize = 20_000;
/// Pages that are read at a time.
const BATCH: usize = 1_000;
/// Pages that a search shows.
const MOST_FOUND: usize = 100;
/// Changes that are shown.
const NEWEST: usize = 20;

const HTML: (HeaderName, &str) = (CONTENT_TYPE, "text/html; charset=utf-8");

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/", "The inspector: the store for people", overview)
            .may("q", route::any(), "Pages whose URL or title has these words, in any case of letters.")
            .may("host", route::any(), "Pages of this host alone.")
            .gives_as("text/html", "Hosts, newest changes, a search, plots."),
        Route::get("/page", "A record for people, beside its page", record)
            .must("url", route::url(), "The page.")
            .gives_as("text/html", "The record; its elements with labels and evidence where the page's bytes are kept.")
            .refuses(&[404]),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    q: Option<String>,
    host: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfUrl {
    url: String,
}

/// A page of ours, which may do nothing but look as it does.
fn answer(title: &str, body: &str) -> Response {
    ([HTML, (CONTENT_SECURITY_POLICY, &inspector::policy("'self'"))], inspector::page(title, "'self'", body))
        .into_response()
}

async fn overview(State(context): State<Context>, Query(asked): Query<Asked>) -> Result<Response, Problem> {
    let host = asked.host.as_deref().filter(|host| !host.is_empty()).map(host_of).transpose()?;
    let words = asked.q.unwrap_or_default();
    let (given, of) = (words.clone(), host.clone());
    let (found, newest, pages) = read(&context, move |store| {
        Ok((Overview::read(store, of.as_deref(), &given)?, store.newest_changes(NEWEST)?, store.counts().pages))
    })
    .await?;
    Ok(answer("tsrec", &found.html(host.as_deref(), &words, &newest, pages)))
}

/// What the pages of a store, or of a host, come to.
#[derive(Default)]
struct Overview {
    looked_at: usize,
    /// Whether there are more.
    is_cut: bool,
    hosts: BTreeMap<String, usize>,
    methods: BTreeMap<String, usize>,
    /// Pages by the tenth of their confidence.
    tenths: [usize; 10],
    found: Vec<Summary>,
}

impl Overview {
    /// Reads at most [`MOST_LOOKED_AT`] heads. Blocks.
    fn read(store: &Store, host: Option<&str>, words: &str) -> Result<Overview, Error> {
        let words: Vec<String> = words.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let mut overview = Overview::default();
        let mut after: Option<String> = None;
        loop {
            let pages = store.list(host, after.as_deref(), BATCH)?;
            let Some(last) = pages.last() else { return Ok(overview) };
            after = Some(last.url.clone());
            if overview.looked_at >= MOST_LOOKED_AT {
                overview.is_cut = true;
                return Ok(overview);
            }
            pages.into_iter().for_each(|page| overview.add(page, &words));
        }
    }

    fn add(&mut self, page: Summary, words: &[String]) {
        self.looked_at += 1;
        let host = url::Url::parse(&page.url).ok().and_then(|url| url.host_str().map(str::to_owned));
        *self.hosts.entry(host.unwrap_or_default()).or_default() += 1;
        *self.methods.entry(page.method.clone()).or_default() += 1;
        self.tenths[((page.confidence * 10.0) as usize).min(9)] += 1;
        let text = format!("{} {}", page.url, page.title.as_deref().unwrap_or_default()).to_lowercase();
        if self.found.len() < MOST_FOUND && words.iter().all(|word| text.contains(word)) {
            self.found.push(page);
        }
    }

    fn html(&self, host: Option<&str>, words: &str, newest: &[Change], pages: u64) -> String {
        let mut html = format!(
            "<header><h1>tsrec</h1><p>{pages} pages. <a href=/docs>The API</a></header>\
             <search><form action=/ method=get><label for=q>URL or title</label> <input id=q name=q type=search value=\"{}\">\
             <label for=host>Host</label> <input id=host name=host value=\"{}\"> <button>Search</button></form></search>",
            escaped(words),
            escaped(host.unwrap_or_default())
        );
        if self.is_cut {
            let _ = write!(html, "<p>Of the first {} pages; name a host for those of one.", self.looked_at);
        }
        let rows: String = self.found.iter().map(summary).collect();
        let nothing = if rows.is_empty() { "<p>None." } else { "" };
        let _ = write!(
            html,
            "<main class=overview><section aria-labelledby=pages><h2 id=pages>Pages</h2><table><thead><tr><th>page<th>kind<th>method<th>confidence\
             <tbody>{rows}</table>{nothing}</section><div>"
        );
        let tenths = self
            .tenths
            .iter()
            .enumerate()
            .map(|(tenth, &count)| (format!("0.{tenth} to {:.1}", (tenth + 1) as f64 / 10.0), count));
        html += &plot("Confidence", tenths.collect(), None);
        html += &plot("Methods", self.methods.iter().map(|(name, &count)| (name.clone(), count)).collect(), None);
        html +=
            &plot("Hosts", self.hosts.iter().map(|(name, &count)| (name.clone(), count)).collect(), Some("/?host="));
        let changes: String = newest.iter().map(change).collect();
        let _ = write!(
            html,
            "<section aria-labelledby=changes><h2 id=changes>Newest changes</h2><ul>{changes}</ul></section></div></main>"
        );
        html
    }
}

/// Where a page's record is shown.
fn link(url: &str) -> String {
    format!("<a href=\"/page?url={}\" dir=auto>", byte_serialize(url.as_bytes()).collect::<String>())
}

fn summary(page: &Summary) -> String {
    let Summary { url, title, method, confidence, kind, .. } = page;
    let kind = kind.as_deref().unwrap_or("–");
    format!(
        "<tr><td>{}{}</a><br><small>{}</small><td>{}<td>{}<td>{confidence:.2}",
        link(url),
        escaped(title.as_deref().unwrap_or("untitled")),
        escaped(url),
        escaped(kind),
        escaped(method)
    )
}

fn change(change: &Change) -> String {
    let what = match (change.kind, change.reason) {
        (ChangeKind::Upsert, _) => format!("{}{}</a>", link(&change.url), escaped(&change.url)),
        (ChangeKind::Delete, reason) => {
            let reason = reason.and_then(|reason| serde_json::to_value(reason).ok());
            let reason = reason.as_ref().and_then(serde_json::Value::as_str).unwrap_or("deleted").to_owned();
            format!("<s>{}</s> {}", escaped(&change.url), escaped(&reason))
        }
    };
    format!("<li><time>{}</time> {what}", change.at.strftime("%F %T"))
}

/// Bars with their numbers, which a screen reader reads as a table; their names lead somewhere, if they do.
fn plot(name: &str, bars: Vec<(String, usize)>, to: Option<&str>) -> String {
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let row = |(bar, count): &(String, usize)| {
        let bar = match to {
            Some(to) => {
                format!("<a href=\"{to}{}\">{}</a>", byte_serialize(bar.as_bytes()).collect::<String>(), escaped(bar))
            }
            None => escaped(bar),
        };
        format!("<tr><th scope=row>{bar}<td>{count}<td><meter aria-hidden=true min=0 max={most} value={count}></meter>")
    };
    let rows: String = bars.iter().map(row).collect();
    format!("<section class=plot><h2>{name}</h2><table><tbody>{rows}</table></section>")
}

async fn record(State(context): State<Context>, Query(OfUrl { url }): Query<OfUrl>) -> Result<Response, Problem> {
    let absent = Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, format!("{url} is not in the store"));
    let found = read(&context, move |store| {
        let Some(record) = store.get(&url)? else { return Ok(None) };
        let templates = Templates::of(&record.host, &*store.site(&record.host)?);
        let page = bytes_of(store, &record)?;
        let elements = page.map(|page| elements(store, &record, &page)).transpose()?;
        Ok(Some(view(&record, &templates, elements)))
    });
    let (title, body) = found.await?.ok_or(absent)?;
    Ok(answer(&title, &body))
}

/// The page as it was fetched, where it is kept; what is kept of many pages is read through. Blocks.
fn bytes_of(store: &Store, record: &PageRecord) -> Result<Option<Parked>, Error> {
    if let Some(parked) = store.parked(&record.url)? {
        return Ok(Some(parked));
    }
    let mut found = None;
    store.raw_pages(|url, page| {
        found = (url == record.url).then_some(page);
        found.is_none()
    })?;
    Ok(found)
}

/// The page's elements with their labels and evidence, and its markup in a frame. Blocks.
fn elements(store: &Store, record: &PageRecord, parked: &Parked) -> Result<String, Error> {
    let document = parse(&parked.body, parked.charset.as_deref(), &Limits::default());
    let url = url::Url::parse(&record.url).ok();
    let page = Page::new(&document).at(url.as_ref());
    let site = store.site(&record.host)?;
    let scored = Scored::shipped().explaining();
    let extraction = Cascade::default().with_site(Some(&site)).with_score(&scored).extract(&page);
    let report = Report {
        name: &record.url,
        url: url.as_ref(),
        page: &page,
        extraction: &extraction,
        explain: true,
        siblings: &[],
    };
    let said =
        "<p>As they are told now, with what is remembered of the site: the record is of when the page was fetched.";
    Ok(said.to_owned() + &inspector::elements(&report) + &inspector::frame(&page))
}

/// A record for people: its title, and the rest.
fn view(record: &PageRecord, templates: &Templates, elements: Option<String>) -> (String, String) {
    let title = record.metadata.title.clone().unwrap_or_else(|| record.url.clone());
    let facts = facts(record).into_iter().map(|(name, value)| format!("<div><dt>{name}<dd dir=auto>{value}</div>"));
    let rows: String = templates.templates.iter().map(template).collect();
    let elements = elements.unwrap_or_else(|| {
        "<p>The page's bytes are not kept, so that its elements cannot be shown: set <code>raw_bytes</code> in <code>[store]</code>, and they will be.".to_owned()
    });
    let body = format!(
        "<header><p><a href=/>tsrec</a> / <a href=\"/?host={host}\">{host}</a><h1 dir=auto>{title}</h1><dl>{facts}</dl></header>\
         <main><section class=page aria-labelledby=page><h2 id=page>The page's elements</h2>{elements}</section>\
         <section aria-labelledby=kept><h2 id=kept>What is kept</h2><pre class=text dir=auto>{text}</pre></section></main>\
         <section aria-labelledby=templates><h2 id=templates>Templates of {host}</h2><table><thead><tr><th>template<th>pages<th>places<th>serves<th>taught\
         <th>replaced by<tbody>{rows}</table></section>",
        host = escaped(&record.host),
        title = escaped(&title),
        facts = facts.collect::<String>(),
        text = escaped(&record.text),
    );
    (title, body)
}

fn facts(record: &PageRecord) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("URL", escaped(&record.url)),
        ("method", escaped(&record.method)),
        ("confidence", format!("{:.2}", record.confidence)),
        ("words", record.words.to_string()),
        ("fetched", record.fetched_at.strftime("%F %T").to_string()),
        ("changed", record.changed_at.strftime("%F %T").to_string()),
        ("change", record.seq.to_string()),
    ];
    let metadata = &record.metadata;
    let authors = Some(metadata.authors.join(", ")).filter(|authors| !authors.is_empty());
    let said = [
        ("kind", &record.kind),
        ("published", &metadata.published),
        ("authors", &authors),
        ("language", &metadata.language),
    ];
    facts.extend(said.into_iter().filter_map(|(name, value)| Some((name, escaped(value.as_deref()?)))));
    facts.extend(
        record.sibling.as_deref().map(|sibling| ("against", format!("{}{}</a>", link(sibling), escaped(sibling)))),
    );
    facts.extend(
        record
            .template
            .map(|template| ("template", format!("{} ({} other pages known)", template.number, template.pages))),
    );
    facts
}

fn template(row: &TemplateRow) -> String {
    let TemplateRow { number, pages, places, serves, taught, replaced_by, .. } = row;
    let yes = |is: &bool| if *is { "yes" } else { "no" };
    let by = replaced_by.map_or_else(|| "–".to_owned(), |by| by.to_string());
    format!("<tr><th scope=row>{number}<td>{pages}<td>{places}<td>{}<td>{}<td>{by}", yes(serves), yes(taught))
}
