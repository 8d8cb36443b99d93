//! One request under the address rules: what pages and robots.txt have in common.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{ACCEPT, CONTENT_ENCODING, LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode, redirect};
use url::Url;

use super::admission::admit;
use super::resolver::Resolver;
use super::user_agent::UserAgent;
use super::{Config, Error, headers};

/// Idle connections are closed after this time. Judgement: a robots.txt and the page behind it share one connection,
/// while polite delays between pages do not hold thousands of sockets open.
const IDLE_CONNECTION_TIMEOUT: Duration = Duration::from_secs(20);

/// Idle connections kept to one host. Judgement: a polite crawler has no use for more.
const IDLE_CONNECTIONS_PER_HOST: usize = 2;

/// The HTTP client behind pages and robots.txt. Cheap to clone; clones share their connections.
#[derive(Clone, Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    allow_private_addresses: bool,
}

/// An answer that leads on; all others are errors.
pub(super) enum Answer {
    /// 200 to 299, its body not read yet.
    Success(Response),
    /// 301, 302, 303, 307 or 308, and where to, without fragment.
    Redirect {
        /// The `Location`, resolved against the URL asked for.
        to: Url,
        /// The status.
        status: u16,
    },
}

impl Client {
    pub(super) fn new(config: &Config, user_agent: &UserAgent) -> Result<Self, Error> {
        // reqwest takes the process-wide provider, and panics without one. Failing means that somebody else was faster.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .user_agent(user_agent.header.clone())
            .connect_timeout(config.connect_timeout)
            .timeout(config.timeout)
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .dns_resolver(Resolver::new(config.allow_private_addresses))
            .pool_idle_timeout(IDLE_CONNECTION_TIMEOUT)
            .pool_max_idle_per_host(IDLE_CONNECTIONS_PER_HOST)
            .build()
            .map_err(Error::client)?;
        Ok(Self { http, allow_private_addresses: config.allow_private_addresses })
    }

    /// Refuses what must not be asked for, without asking.
    pub(super) fn admit(&self, url: &Url) -> Result<(), Error> {
        admit(url, self.allow_private_addresses).map_err(|refusal| Error::refused(url, refusal))
    }

    /// Asks for `url`, with `accept` as its Accept header.
    pub(super) async fn get(&self, url: &Url, accept: &'static str) -> Result<Answer, Error> {
        self.admit(url)?;
        let request = self.http.get(url.clone()).header(ACCEPT, accept);
        let response = request.send().await.map_err(|source| Error::transport(url, source))?;
        match response.status() {
            status if status.is_success() => Ok(Answer::Success(response)),
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT => redirect(url, &response),
            status => Err(Error::answered(url, status, retry_after(&response))),
        }
    }
}

fn redirect(url: &Url, response: &Response) -> Result<Answer, Error> {
    let status = response.status();
    let location = response.headers().get(LOCATION).ok_or_else(|| Error::no_location(url, status))?.as_bytes();
    let to = headers::location(url, location).map_err(|source| Error::bad_location(url, status, location, source))?;
    Ok(Answer::Redirect { to, status: status.as_u16() })
}

/// Only these two statuses are about waiting; elsewhere the header means something else (RFC 9110, section 10.2.3).
fn retry_after(response: &Response) -> Option<Duration> {
    if !matches!(response.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return None;
    }
    headers::retry_after(response.headers().get(RETRY_AFTER)?.as_bytes(), Timestamp::now())
}

/// The encoding that a body is still in, because the server chose one that was not offered to it.
pub(super) fn unknown_encoding(response: &Response) -> Option<String> {
    // The client takes the header away when it decodes the body.
    let encoding = String::from_utf8_lossy(response.headers().get(CONTENT_ENCODING)?.as_bytes()).into_owned();
    (!encoding.trim().is_empty() && !encoding.trim().eq_ignore_ascii_case("identity")).then_some(encoding)
}

/// Appends to `body` until it has at least `enough` decoded bytes, or the response ends.
///
/// It may overshoot by one chunk: what the network gave at once, or one buffer of the decoder.
pub(super) async fn read(url: &Url, response: &mut Response, body: &mut Vec<u8>, enough: usize) -> Result<(), Error> {
    while body.len() < enough {
        match response.chunk().await.map_err(|source| Error::transport(url, source))? {
            Some(chunk) => body.extend_from_slice(&chunk),
            None => break,
        }
    }
    Ok(())
}
