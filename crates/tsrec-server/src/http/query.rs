//! Request parameters. A value out of range is refused with its range. An unknown parameter is
//! probably a typo, and is refused too.

use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::problem::Problem;
use tsrec_store::Cursor;

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
    after: Option<String>,
    limit: Option<String>,
}

/// The selection of `/v1/pages`.
pub(super) enum PagesOf {
    Url(String),
    AllHosts(ListingQuery),
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
    pub(super) after: Option<String>,
    pub(super) limit: usize,
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
        match self {
            PagesQuery { url: Some(url), after: None, limit: None } => Ok(PagesOf::Url(url)),
            PagesQuery { url: Some(_), .. } => {
                Err(Problem::invalid("url asks for one page, after and limit for a listing: give one or the other"))
            }
            PagesQuery { url: None, after: None, limit: None } => {
                Err(Problem::invalid("url is missing: give the page's URL, or limit (and after) for a listing"))
            }
            PagesQuery { url: None, after, limit } => Ok(PagesOf::AllHosts(HostPages { after, limit }.check()?)),
        }
    }
}

impl HostPages {
    pub(super) fn check(self) -> Result<ListingQuery, Problem> {
        Ok(ListingQuery { after: self.after, limit: limit(self.limit.as_deref(), MAX_LIMIT)? })
    }
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
