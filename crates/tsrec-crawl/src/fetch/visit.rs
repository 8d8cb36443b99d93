//! What a request is given, and what it gives.

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

use super::Error;
use super::robots::RobotsDecision;
use tsrec_core::html::directives::Directives;

/// How long the turn at a host or an address is waited for, where nothing else is said. Judgement:
/// the delay between robots.txt and the first page, as it is by default; for longer, there is
/// something else to do.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(2);

/// The distance that all requests keep, whoever makes them: also those for robots.txt, and those
/// that it redirects to. None by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// From the end of one request to an origin (scheme, host, port) to the start of the next; a
    /// longer `Crawl-delay` takes its place.
    pub origin: Duration,
    /// From the start of one request to an address to the start of the next, for origins that share
    /// it; no longer than the origin's own.
    pub address: Duration,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    pub(super) url: &'a Url,
    pub(super) validators: Option<&'a Validators>,
    pub(super) timeout: Option<Duration>,
    pub(super) max_wait: Duration,
    pub(super) delay: Option<Duration>,
}

impl<'a> FetchRequest<'a> {
    /// Asks for the page at `url`, as it is now.
    pub fn new(url: &'a Url) -> Self {
        Self { url, validators: None, timeout: None, max_wait: MAX_WAIT, delay: None }
    }

    /// Asks for it only if it is no longer the one that these came with.
    pub fn unless(self, validators: &'a Validators) -> Self {
        Self { validators: Some(validators), ..self }
    }

    /// Waits for the page no longer than this, and than
    /// [`Config::timeout`](super::Config::timeout).
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// Leaves the page's origin alone for so long afterwards, and not for [`Delays::origin`]; what
    /// robots.txt asks for is kept as well.
    pub fn with_delay(self, delay: Duration) -> Self {
        Self { delay: Some(delay), ..self }
    }

    /// Waits for the turn at the host and at its address no longer than this; by default 2 s. If it
    /// would take longer, no request is made, and [`Error::busy`] says how long.
    pub fn with_max_wait(self, max_wait: Duration) -> Self {
        Self { max_wait, ..self }
    }
}

/// What became of a request for a page, or for what else it says, and what was noticed on the way.
#[derive(Debug)]
pub struct FetchResult<T = FetchedPage> {
    /// What it gave.
    pub result: Result<Fetched<T>, Error>,
    /// From beginning to end, with robots.txt and the waits for its turn.
    pub took: Duration,
    /// How much of that were the waits for its turn, at the URL's own host: no sign of how busy it
    /// is.
    pub waited: Duration,
    /// From the request to its answer's head: how busy the host is. Of robots.txt, when no other
    /// request was made.
    pub response_time: Option<Duration>,
    /// The address that was asked, or the one that would have been; `None` when the name was not
    /// resolved.
    pub address: Option<IpAddr>,
    /// Requests made of the URL's own host, robots.txt included; 0: it noticed nothing.
    pub requests: u32,
    /// The delay that the origin's robots.txt asks for as it is known now, at most 60 s. `None`
    /// when it asks for none: also where it did before.
    pub crawl_delay: Option<Duration>,
    /// What robots.txt said to the URL; `None` where it was not asked, or could not be read.
    pub robots: Option<RobotsDecision>,
}

/// What one request gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Fetched<T = FetchedPage> {
    /// A page; or a listing, where one was asked for.
    Page(T),
    /// The page is the one that the validators came with.
    NotModified {
        /// These are to be kept from now on, where they are not empty.
        validators: Validators,
        /// What `X-Robots-Tag` asks for now.
        directives: Directives,
    },
    /// The page is elsewhere.
    Redirect {
        /// Where to, without fragment, user name and password. Not checked yet: asking for it
        /// checks it.
        to: Url,
        /// 301, 302, 303, 307 or 308; see [`is_permanent`].
        status: u16,
    },
}

/// Whether a redirect says that the page has moved for good (RFC 9110, section 15.4): 301 and 308.
pub fn is_permanent(status: u16) -> bool {
    matches!(status, 301 | 308)
}

/// What a version of a page is known by (RFC 9110, section 8.8): the headers' values as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether there is nothing to know it by.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// A redirect that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// What was asked for.
    pub url: Url,
    /// What it answered: see [`is_permanent`].
    pub status: u16,
}

/// An HTML page as it came, its content encoding undone.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchedPage {
    /// The URL that gave it: after redirects, the last.
    pub url: Url,
    /// 200 to 299.
    pub status: u16,
    /// `text/html` or `application/xhtml+xml`; `None` when the server did not say.
    pub content_type: Option<String>,
    /// The charset parameter of the content type, as given: a label, not checked to be one that
    /// exists.
    pub charset: Option<String>,
    /// The body, at most [`Config::max_body_bytes`](super::Config::max_body_bytes) long.
    pub body: Vec<u8>,
    /// Whether the body went on.
    pub truncated: bool,
    /// What this version is known by.
    pub validators: Validators,
    /// What `X-Robots-Tag` asks for; a date that has passed is `noindex`.
    pub directives: Directives,
    /// The redirects that [`Fetcher::follow`](super::Fetcher::follow) followed, in order.
    pub via: Vec<Hop>,
    /// What went over the line before the body, where the client
    /// [keeps](super::Fetcher::with_exchanges) that.
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
}

impl Exchange {
    /// The head of the answer, to stand before a body of so many bytes whose chunks and content
    /// encoding are undone. Headers that say otherwise are called `X-Crawl-…`, as archives of other
    /// crawlers have them.
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
