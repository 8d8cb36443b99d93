//! Request parameters. A value out of range is refused with its range. An unknown parameter is
//! probably a typo, and is refused too.

use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::problem::Problem;
use super::routes::host_of;
use tsrec_store::{Cursor, PageOrder, Selection};

/// The most pages or changes in one answer. Judgement: a few hundred kilobytes.
pub const MAX_LIMIT: usize = 1_000;

/// The most changes in one answer that carries their records.
pub const MAX_LIMIT_WITH_CONTENT: usize = 100;

/// The default number of pages or changes.
pub(super) const DEFAULT_LIMIT: usize = 100;

/// The query, with errors as problems.
pub(super) struct Query<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = axum::extract::Query::from_request_parts(parts, state).await;
        query.map(|query| Query(query.0)).map_err(|rejection| Problem::invalid(rejection.body_text()))
    }
}

/// The query of `/v1/pages`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PagesQuery {
    url: Option<String>,
    host: Option<String>,
    after: Option<String>,
    limit: Option<String>,
    kind: Option<String>,
    method: Option<String>,
    language: Option<String>,
    least_confidence: Option<f64>,
    most_confidence: Option<f64>,
    from: Option<String>,
    before: Option<String>,
    sort: Option<String>,
}

/// The selection of `/v1/pages`.
pub(super) enum PagesOf {
    Url(String),
    Listing(ListingQuery),
}

/// The query of `/v1/hosts/HOST/pages`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostPages {
    after: Option<String>,
    limit: Option<String>,
}

/// The requested part of a listing.
pub(super) struct ListingQuery {
    pub(super) host: Option<String>,
    pub(super) after: Option<String>,
    pub(super) limit: usize,
    pub(super) selection: Selection,
}

/// The query of `/v1/changes`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangesQuery {
    since: Option<String>,
    limit: Option<String>,
    wait: Option<String>,
    content: Option<String>,
}

/// The requested changes, and how long to wait for them.
pub(super) struct ChangesWanted {
    pub(super) since: Option<Cursor>,
    pub(super) limit: usize,
    pub(super) wait: Duration,
    pub(super) content: bool,
}

impl PagesQuery {
    pub(super) fn check(self) -> Result<PagesOf, Problem> {
        let PagesQuery { url, host, after, limit, kind, method, language, least_confidence, most_confidence, .. } =
            self;
        let (from, before, sort) = (self.from, self.before, self.sort);
        let words = [&host, &after, &limit, &kind, &method, &language, &from, &before, &sort];
        let is_listing = words.iter().any(|word| word.is_some()) || least_confidence.or(most_confidence).is_some();
        match (url, is_listing) {
            (Some(url), false) => return Ok(PagesOf::Url(url)),
            (Some(_), true) => {
                return Err(Problem::invalid(
                    "url asks for one page, after, limit and the others for a listing: give one or the other",
                ));
            }
            (None, false) => {
                return Err(Problem::invalid(
                    "url is missing: give the page's URL, or limit (and after) for a listing",
                ));
            }
            (None, true) => {}
        }
        for (name, value) in [("least_confidence", least_confidence), ("most_confidence", most_confidence)] {
            if let Some(value) = value.filter(|value| !(0.0..=1.0).contains(value)) {
                return Err(out_of_range(name, &value.to_string(), "a number from 0 to 1, such as 0.5"));
            }
        }
        let (order, is_descending) = sort.map_or_else(|| Ok(Default::default()), |sort| order(&sort))?;
        let selection = Selection {
            kind,
            method,
            language,
            least_confidence,
            most_confidence,
            fetched_from: from.map(|from| date("from", &from)).transpose()?,
            fetched_before: before.map(|before| date("before", &before)).transpose()?,
            order,
            is_descending,
        };
        let host = host.as_deref().map(host_of).transpose()?;
        Ok(PagesOf::Listing(ListingQuery { host, after, limit: self::limit(limit.as_deref(), MAX_LIMIT)?, selection }))
    }
}

impl HostPages {
    pub(super) fn check(self, host: String) -> Result<ListingQuery, Problem> {
        let limit = limit(self.limit.as_deref(), MAX_LIMIT)?;
        Ok(ListingQuery { host: Some(host), after: self.after, limit, selection: Selection::default() })
    }
}

/// The orders of a listing. With a minus before it, an order is reversed.
pub const ORDERS: [&str; 14] = [
    "url",
    "-url",
    "confidence",
    "-confidence",
    "fetched",
    "-fetched",
    "words",
    "-words",
    "kind",
    "-kind",
    "method",
    "-method",
    "language",
    "-language",
];

fn order(text: &str) -> Result<(PageOrder, bool), Problem> {
    let (name, is_descending) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
    let order = match name {
        "url" => PageOrder::Url,
        "confidence" => PageOrder::Confidence,
        "fetched" => PageOrder::Fetched,
        "words" => PageOrder::Words,
        "kind" => PageOrder::Kind,
        "method" => PageOrder::Method,
        "language" => PageOrder::Language,
        _ => return Err(out_of_range("sort", text, &format!("one of {}", ORDERS.join(", ")))),
    };
    Ok((order, is_descending))
}

/// A date (UTC), or a time with its offset.
fn date(name: &str, text: &str) -> Result<Timestamp, Problem> {
    let day = || text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok().map(|day| day.timestamp());
    let time = text.parse::<Timestamp>().ok().or_else(day);
    time.ok_or_else(|| out_of_range(name, text, "a date such as 2026-11-21 or 2026-11-21T12:00:00Z"))
}

impl ChangesQuery {
    pub(super) fn check(self, max_wait: Duration) -> Result<ChangesWanted, Problem> {
        let content = match self.content.as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(other) => return Err(out_of_range("content", other, "true or false")),
        };
        let most = if content { MAX_LIMIT_WITH_CONTENT } else { MAX_LIMIT };
        Ok(ChangesWanted {
            since: self.since.map(|cursor| cursor.parse()).transpose()?,
            limit: limit(self.limit.as_deref(), most)?,
            wait: wait(self.wait.as_deref(), max_wait)?,
            content,
        })
    }
}

pub(super) fn limit(text: Option<&str>, most: usize) -> Result<usize, Problem> {
    let Some(text) = text else { return Ok(DEFAULT_LIMIT.min(most)) };
    let limit = text.parse().ok().filter(|limit| (1..=most).contains(limit));
    limit.ok_or_else(|| out_of_range("limit", text, &format!("a whole number from 1 to {most}")))
}

fn wait(text: Option<&str>, most: Duration) -> Result<Duration, Problem> {
    let seconds = match text {
        None => Some(Duration::ZERO),
        Some("max") => Some(most),
        Some(text) => text.parse().ok().map(Duration::from_secs).filter(|wait| *wait <= most),
    };
    let range = || format!("a whole number of seconds from 0 to {}, or max", most.as_secs());
    seconds.ok_or_else(|| out_of_range("wait", text.unwrap_or_default(), &range()))
}

/// Cuts a long value, which may be kilobytes.
fn out_of_range(name: &str, value: &str, range: &str) -> Problem {
    let value: String = value.chars().take(80).collect();
    Problem::invalid(format!("{name} is {value:?}, it must be {range}"))
}
