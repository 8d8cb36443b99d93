//! HTTP errors: problem details, RFC 9457.

use axum::Json;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

/// The `type` of a missing page.
pub const NO_SUCH_PAGE: &str = "urn:tsrec:problem:no-such-page";
/// The `type` of a cursor whose past the store has forgotten.
pub const CURSOR_GONE: &str = "urn:tsrec:problem:cursor-gone";
/// The `type` of an invalid request.
pub const INVALID_REQUEST: &str = "urn:tsrec:problem:invalid-request";
/// The `type` of a daemon that is not ready.
pub const NOT_READY: &str = "urn:tsrec:problem:not-ready";
/// The `type` of a request without the token.
pub const UNAUTHORIZED: &str = "urn:tsrec:problem:unauthorized";
/// The `type` of a request for a host that is not ours.
pub const WRONG_HOST: &str = "urn:tsrec:problem:wrong-host";
/// The `type` of a record that damage has taken.
pub const STORE_DAMAGED: &str = "urn:tsrec:problem:store-damaged";
/// The `type` of a lesson with objections.
pub const LESSON_REFUSED: &str = "urn:tsrec:problem:lesson-refused";
/// The `type` of a request for which there is no room now. `Retry-After` says when to come again.
pub const BUSY: &str = "urn:tsrec:problem:busy";
/// The `type` of a change to a frontier that no crawl uses.
pub const NO_CRAWL: &str = "urn:tsrec:problem:no-crawl";
/// The `type` of a problem that its status describes well enough (RFC 9457, section 4.2.1).
pub const BLANK: &str = "about:blank";

/// When to come again, in seconds. Judgement: pages take milliseconds.
const SECONDS: &str = "1";

/// An error answer (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Problem {
    /// The kind of problem, as a stable URI. Compare it; do not fetch it.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong with this request, and how to fix it.
    pub detail: String,
}

impl Problem {
    pub(super) fn new(status: StatusCode, kind: &str, detail: impl Into<String>) -> Problem {
        Problem {
            kind: kind.to_owned(),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
        }
    }

    pub(super) fn invalid(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, INVALID_REQUEST, detail)
    }

    /// 503 for a request that may come again soon.
    pub(super) fn busy(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, BUSY, detail)
    }

    /// Logs an error for the daemon's operator. The client need not know its details.
    pub(super) fn internal(error: &(dyn std::error::Error + 'static)) -> Problem {
        tracing::error!(error, "a request could not be answered");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, BLANK, "the daemon could not read its store; its log says more")
    }
}

impl From<tsrec_store::Error> for Problem {
    fn from(error: tsrec_store::Error) -> Problem {
        match () {
            () if error.is_gone() => Problem::new(StatusCode::GONE, CURSOR_GONE, error.to_string()),
            () if error.is_invalid() => Problem::invalid(error.to_string()),
            () if error.is_damaged() => {
                tracing::error!(%error, "a request met damage");
                Problem::new(StatusCode::INTERNAL_SERVER_ERROR, STORE_DAMAGED, error.to_string())
            }
            () => Problem::internal(&error),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let content_type = HeaderValue::from_static("application/problem+json");
        let is_busy = self.kind == BUSY;
        let mut response = (status, [(CONTENT_TYPE, content_type)], Json(self)).into_response();
        if is_busy {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(SECONDS));
        }
        response
    }
}
