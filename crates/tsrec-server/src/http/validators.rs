//! Conditional requests (RFC 9110, section 13): if a client has the current answer, it gets 304
//! instead.
//!
//! A record has a version of its own. For another answer that is whole in memory, the tag comes
//! from its bytes. An answer that is built while it is sent has no tag.

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use sha2::{Digest, Sha256};

use tsrec_core::learn::model::hex;

/// Bytes of the digest in a tag. Judgement: 128 bits do not collide.
const TAG_BYTES: usize = 16;

/// Tags the answers that can have a tag, and answers 304 if the client has it. It skips health
/// and metrics: they change often, and clients need no cached copy.
pub(super) async fn check(request: Request, next: Next) -> Response {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let seen = request.headers().get(IF_NONE_MATCH).cloned();
    let response = next.run(request).await;
    if !is_read || response.status() != StatusCode::OK {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let (tag, body) = match head.headers.get(ETAG).cloned() {
        Some(tag) => (tag, body),
        None => match tagged(&head.headers, body).await {
            (Some(tag), body) => (tag, body),
            (None, body) => return Response::from_parts(head, body),
        },
    };
    head.headers.insert(ETAG, tag.clone());
    if seen.is_some_and(|seen| names(&seen, &tag)) {
        // The headers that describe the body go with it.
        [CONTENT_LENGTH, CONTENT_TYPE].iter().for_each(|header| drop(head.headers.remove(header)));
        return (StatusCode::NOT_MODIFIED, head.headers, ()).into_response();
    }
    Response::from_parts(head, body)
}

/// The tag of a body that is whole in memory; `None` for any other.
async fn tagged(headers: &HeaderMap, body: Body) -> (Option<HeaderValue>, Body) {
    let is_text = headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if is_text || body.size_hint().exact().is_none() {
        return (None, body);
    }
    match body.collect().await {
        Ok(whole) => {
            let whole = whole.to_bytes();
            let digest = hex(&Sha256::digest(&whole)[..TAG_BYTES]);
            (HeaderValue::from_str(&format!("W/\"{digest}\"")).ok(), Body::from(whole))
        }
        // Reading a body in memory cannot fail.
        Err(_) => (None, Body::empty()),
    }
}

/// Whether a list of tags contains this one, by the weak comparison of RFC 9110, section 8.8.3.2.
fn names(list: &HeaderValue, tag: &HeaderValue) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let (Ok(list), Ok(tag)) = (list.to_str(), tag.to_str()) else { return false };
    list.split(',').any(|one| one.trim() == "*" || opaque(one) == opaque(tag))
}
