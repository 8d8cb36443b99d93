//! The first page. It has a search over URLs and titles, hosts and newest changes. It plots
//! methods, confidence and speed, and lists the sections that take no new links.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use jiff::Timestamp;
use serde::Deserialize;

use super::catalogue::{CatalogueQuery, CatalogueState as Held, MOST_HELD, SearchResult};
use super::sections::Refusing;
use super::{answer, encoded, link, plot};
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::routes::{ApiContext, host_of, read};
use crate::inspector::escaped;
use tsrec_core::words::number_of;
use tsrec_store::{Change, ChangeKind, Error, PageSummary, Store};

/// Pages shown at a time.
const SHOWN: usize = 50;
/// Changes shown.
const NEWEST: usize = 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OverviewQuery {
    q: Option<String>,
    host: Option<String>,
    after: Option<String>,
}

pub(super) async fn overview(
    State(context): State<ApiContext>,
    Query(asked): Query<OverviewQuery>,
) -> Result<Response, Problem> {
    let host = asked.host.as_deref().filter(|host| !host.is_empty()).map(host_of).transpose()?;
    let (catalogue, minutes) = (Arc::clone(&context.catalogue), context.api.pace.minutes(Timestamp::now()));
    let (words, after) = (asked.q.unwrap_or_default(), asked.after.filter(|after| !after.is_empty()));
    let refusing = Refusing::of(&context, host.clone()).await?;
    let seen = read(&context, move |store| {
        let held = catalogue.catch_up(store)?;
        let wanted = CatalogueQuery { words: &words, host: host.as_deref(), after: after.as_deref(), limit: SHOWN };
        let found = catalogue.find(&wanted);
        let pages = summaries(store, &found)?;
        Ok(Overview { held, pages, found, newest: store.newest_changes(NEWEST)?, refusing, host, words, minutes })
    });
    let seen = seen.await?;
    if !seen.held.is_whole {
        let (catalogue, store) = (Arc::clone(&context.catalogue), context.api.store().clone());
        tokio::task::spawn_blocking(move || catalogue.fill(&store));
    }
    Ok(answer("tsrec", &seen.html()))
}

/// The current summaries of the pages; omits those that have gone meanwhile.
fn summaries(store: &Store, found: &SearchResult) -> Result<Vec<PageSummary>, Error> {
    found.urls.iter().filter_map(|url| store.summary(url).transpose()).collect()
}

struct Overview {
    held: Held,
    found: SearchResult,
    pages: Vec<PageSummary>,
    newest: Vec<Change>,
    refusing: Option<Refusing>,
    host: Option<String>,
    words: String,
    minutes: Vec<u32>,
}

impl Overview {
    fn html(&self) -> String {
        let rows: String = self.pages.iter().map(row).collect();
        let nothing = if rows.is_empty() { "<p>None." } else { "" };
        let changes: String = self.newest.iter().map(change).collect();
        format!(
            "<header><h1>tsrec</h1><p>{}. <a href=/docs>The API</a></header>{}{}\
             <main class=overview><section aria-labelledby=pages><h2 id=pages>{}</h2><table><thead><tr><th scope=col>page<th scope=col>kind\
             <th scope=col>method<th scope=col>confidence<tbody>{rows}</table>{nothing}{}</section>\
             <div>{}{}{}{}{}<section aria-labelledby=changes><h2 id=changes>Newest changes</h2><ul>{changes}</ul></section></div></main>",
            number_of(self.held.pages, "page"),
            self.search(),
            self.unread(),
            self.heading(),
            self.next(),
            plot::speed(&self.minutes),
            plot::bars("Confidence", self.tenths(), None),
            plot::bars("Methods", counted(&self.found.methods), None),
            plot::bars("Hosts", counted(&self.found.hosts), Some("/?host=")),
            self.refusing.as_ref().map_or_else(String::new, |refusing| refusing.html(Timestamp::now())),
        )
    }

    fn search(&self) -> String {
        format!(
            "<search><form action=/ method=get><label>URL or title <input name=q type=search value=\"{}\"></label> \
             <label>Host <input name=host value=\"{}\"></label> <button>Search</button></form></search>",
            escaped(&self.words),
            escaped(self.host.as_deref().unwrap_or_default())
        )
    }

    /// A note that the store has more than was searched.
    fn unread(&self) -> String {
        match self.held {
            Held { is_whole: false, pages, .. } => {
                format!("<p role=status>The store is being read: {pages} pages so far. Search again for the rest.")
            }
            Held { is_cut: true, .. } => {
                format!(
                    "<p role=status>The first {MOST_HELD} pages are searched, in the order of their hosts; the API lists all."
                )
            }
            _ => String::new(),
        }
    }

    fn heading(&self) -> String {
        match (self.words.trim().is_empty(), &self.host) {
            (true, None) => "Pages".to_owned(),
            (true, Some(host)) => format!("{} of {}", number_of(self.found.matching, "page"), escaped(host)),
            _ => format!("{} found", number_of(self.found.matching, "page")),
        }
    }

    fn next(&self) -> String {
        let Some(last) = self.found.urls.last().filter(|_| self.found.more) else { return String::new() };
        let (words, host) = (encoded(&self.words), encoded(self.host.as_deref().unwrap_or_default()));
        format!("<p><a rel=next href=\"/?q={words}&amp;host={host}&amp;after={}\">The next {SHOWN}</a>", encoded(last))
    }

    fn tenths(&self) -> Vec<(String, usize)> {
        let name = |tenth: usize| format!("0.{tenth} to {:.1}", (tenth + 1) as f64 / 10.0);
        self.found.tenths.iter().enumerate().map(|(tenth, &count)| (name(tenth), count)).collect()
    }
}

fn counted(counts: &std::collections::BTreeMap<String, usize>) -> Vec<(String, usize)> {
    counts.iter().map(|(name, &count)| (name.clone(), count)).collect()
}

fn row(page: &PageSummary) -> String {
    let PageSummary { url, title, method, confidence, kind, .. } = page;
    let kind = kind.as_deref().unwrap_or("–");
    format!(
        "<tr><td>{}<br><small>{}</small><td>{}<td>{}<td>{confidence:.2}",
        link(url, title.as_deref().unwrap_or("untitled")),
        escaped(url),
        escaped(kind),
        escaped(method)
    )
}

fn change(change: &Change) -> String {
    let what = match (change.kind, change.reason) {
        (ChangeKind::Upsert, _) => link(&change.url, &change.url),
        (ChangeKind::Delete, reason) => {
            let reason = reason.and_then(|reason| serde_json::to_value(reason).ok());
            let reason = reason.as_ref().and_then(serde_json::Value::as_str).unwrap_or("deleted").to_owned();
            format!("<s>{}</s> {}", escaped(&change.url), escaped(&reason))
        }
    };
    format!("<li><time>{}</time> {what}", change.at.strftime("%F %T"))
}
