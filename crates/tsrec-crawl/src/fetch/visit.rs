//! The input of a request, and its result.

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

use super::Error;
use super::robots::RobotsDecision;
use tsrec_core::html::directives::Directives;
use tsrec_core::html::refresh::Refresh;

/// Default limit on the wait for the turn at a host or an address. Judgement: the default delay
/// between robots.txt and the first page. For longer waits, the crawl has other work.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(2);

/// Delays between all requests, whoever makes them, including those for robots.txt and its
/// redirects. None by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// From the end of one request to an origin (scheme, host, port) to the start of the next. A
    /// longer `Crawl-delay` replaces it.
    pub origin: Duration,
    /// From the start of one request to an address to the start of the next, for origins that share
    /// the address. At most the origin's own delay.
    pub address: Duration,
}

/// A request for a page.
#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    pub(super) url: &'a Url,
    pub(super) validators: Option<&'a Validators>,
    pub(super) timeout: Option<Duration>,
    pub(super) max_wait: Duration,
    pub(super) delay: Option<Duration>,
}

impl<'a> FetchRequest<'a> {
    /// Requests the page at `url`, whatever version it is.
    pub fn new(url: &'a Url) -> Self {
        Self { url, validators: None, timeout: None, max_wait: MAX_WAIT, delay: None }
    }

    /// Requests the page only if it differs from the version with these validators.
    pub fn unless(self, validators: &'a Validators) -> Self {
        Self { validators: Some(validators), ..self }
    }

    /// Limits the wait for the page to this, and to [`Config::timeout`](super::Config::timeout).
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// Leaves the page's origin alone for this long afterwards, instead of [`Delays::origin`]. The
    /// delay that robots.txt asks for still applies.
    pub fn with_delay(self, delay: Duration) -> Self {
        Self { delay: Some(delay), ..self }
    }

    /// Limits the wait for the turn at the host and at its address; by default 2 s. If the turn
    /// comes later, no request is made, and [`Error::busy`] says how long the wait is.
    pub fn with_max_wait(self, max_wait: Duration) -> Self {
        Self { max_wait, ..self }
    }
}

/// The result of a request for a page (or for `T`), and what was noticed on the way.
#[derive(Debug)]
pub struct FetchResult<T = FetchedPage> {
    /// The answer.
    pub result: Result<Fetched<T>, Error>,
    /// Total time, with robots.txt and the waits for turns.
    pub took: Duration,
    /// The part of `took` spent on waits for turns at the URL's own host. It says nothing about how
    /// busy the host is.
    pub waited: Duration,
    /// Time from the request to the head of its answer, which shows how busy the host is. If there
    /// was no other request, the time of robots.txt.
    pub response_time: Option<Duration>,
    /// The address that was asked, or would have been; `None` if the name was not resolved.
    pub address: Option<IpAddr>,
    /// Requests made to the URL's own host, robots.txt included. 0: the host noticed nothing.
    pub requests: u32,
    /// Whether robots.txt was tried. Otherwise its outcome is an earlier one, which was kept.
    pub robots_tried: bool,
    /// The delay that the origin's current robots.txt asks for, cut to a limit. `None` if it asks
    /// for none, even if it asked for one before.
    pub crawl_delay: Option<Duration>,
    /// The decision of robots.txt on the URL; `None` if it was not asked, or could not be read.
    pub robots: Option<RobotsDecision>,
}

impl<T> FetchResult<T> {
    /// The same with another answer, if there is one.
    pub(super) fn map<U>(self, answer: impl FnOnce(T) -> U) -> FetchResult<U> {
        let FetchResult { result, took, waited, response_time, address, requests, robots_tried, crawl_delay, robots } =
            self;
        let result = result.map(|fetched| match fetched {
            Fetched::Page(page) => Fetched::Page(answer(page)),
            Fetched::NotModified { validators, directives } => Fetched::NotModified { validators, directives },
            Fetched::Redirect { to, status } => Fetched::Redirect { to, status },
        });
        FetchResult { result, took, waited, response_time, address, requests, robots_tried, crawl_delay, robots }
    }
}

/// The result of one request.
#[derive(Clone, Debug, PartialEq)]
pub enum Fetched<T = FetchedPage> {
    /// A page, or a listing if one was requested.
    Page(T),
    /// The page has not changed since the validators were sent.
    NotModified {
        /// Keep these from now on, unless they are empty.
        validators: Validators,
        /// The current `X-Robots-Tag` directives.
        directives: Directives,
    },
    /// The page redirects.
    Redirect {
        /// The target, without fragment, user name and password. It is checked only when it is
        /// requested.
        to: Url,
        /// 301, 302, 303, 307 or 308; see [`is_permanent`].
        status: u16,
    },
}

/// Whether a redirect is permanent (RFC 9110, section 15.4): 301 and 308.
pub fn is_permanent(status: u16) -> bool {
    matches!(status, 301 | 308)
}

/// Validators of a version of a page (RFC 9110, section 8.8): the values of the headers as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether there are no validators.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// A redirect that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The URL requested.
    pub url: Url,
    /// The status of its answer: see [`is_permanent`].
    pub status: u16,
}

/// An HTML page as sent, with its content encoding undone.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchedPage {
    /// The URL of the page; after redirects, the last one.
    pub url: Url,
    /// 200 to 299.
    pub status: u16,
    /// `text/html`, `application/xhtml+xml`, or the type of XML that is XHTML; `None` if the server
    /// sent none, or one that says that it does not know.
    pub content_type: Option<String>,
    /// The charset parameter of the content type, as given. It may name a charset that does not
    /// exist.
    pub charset: Option<String>,
    /// The body, at most [`Config::max_body_bytes`](super::Config::max_body_bytes) long.
    pub body: Vec<u8>,
    /// Whether the body is cut off.
    pub truncated: bool,
    /// The validators of this version.
    pub validators: Validators,
    /// The `X-Robots-Tag` directives; a date that has passed is `noindex`.
    pub directives: Directives,
    /// The address that the `Link` header calls canonical.
    pub canonical: Option<Url>,
    /// What its `Refresh` header asks for.
    pub refresh: Option<Refresh>,
    /// The redirects that [`Fetcher::follow`](super::Fetcher::follow) followed, in order.
    pub via: Vec<Hop>,
    /// The request and the head of the answer, if the client
    /// [keeps](super::Fetcher::with_exchanges) them.
    pub exchange: Option<Box<Exchange>>,
}

/// A request, and the head of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The request, as it was sent.
    pub request: Vec<u8>,
    /// The first line of the answer.
    pub status_line: String,
    /// The headers of the answer, in order; their names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Whether they were sent in frames of HTTP/2. They are given in the form of HTTP/1.1.
    pub is_http2: bool,
}

impl Exchange {
    /// The head of the answer, for a body of this length whose chunks and content encoding are
    /// undone. Headers that contradict this are renamed `X-Crawl-…`, as other crawlers do in
    /// archives.
    pub fn head(&self, body_length: usize) -> Vec<u8> {
        let mut head = format!("{}\r\n", self.status_line).into_bytes();
        for (name, value) in &self.headers {
            if matches!(name.as_str(), "content-encoding" | "content-length" | "transfer-encoding") {
                head.extend(b"x-crawl-");
            }
            head.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        head.extend(format!("content-length: {body_length}\r\n\r\n").bytes());
        head
    }
}
