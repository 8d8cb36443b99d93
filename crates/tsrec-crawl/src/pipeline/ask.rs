//! [`Fetch`]: the crawl's requests to the network, as a trait. The HTTP client implements it, web
//! archives do (`archive`), and in tests a script does. This file also translates the client's
//! results and errors into [`Answer`]s.

use std::future::Future;
use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;
use url::{Host, Url};

use super::memo::to_memo;
use super::method::ExtractConfig;
use super::outcome::{AnswerKind, NoPage};
use crate::fetch::listing::{EntrySender, ListingEnd};
use crate::fetch::robots::RobotsDecision;
use crate::fetch::{
    Cause, Error, Exchange, FetchRequest, FetchResult, Fetched, FetchedPage, Fetcher, Validators, is_bad_port,
    is_permanent,
};
use crate::frontier::Leads;
use tsrec_core::html::directives::Directives;
use tsrec_core::html::refresh::Refresh;

/// A request of the crawl.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest<'a> {
    /// The URL.
    pub url: &'a Url,
    /// Whether a page or a listing is expected.
    pub expects: Expected<'a>,
    /// The validators of the version that we have (ETag, Last-Modified).
    pub unless: Option<&'a Validators>,
    /// How long to leave its host alone afterwards, at least.
    pub delay: Duration,
    /// How long to wait for the page, once its turn has come.
    pub patience: Duration,
}

/// What a request is for.
#[derive(Clone, Copy, Debug)]
pub enum Expected<'a> {
    /// A page.
    Page,
    /// A listing, whose entries are handed on as they arrive.
    Listing(&'a EntrySender),
}

impl PageRequest<'_> {
    /// Whether a page or a listing is expected.
    pub fn leads(&self) -> Leads {
        match self.expects {
            Expected::Page => Leads::ToPage,
            Expected::Listing(_) => Leads::ToListing,
        }
    }
}

/// Fetches one URL.
pub trait Fetch: Send + Sync + 'static {
    /// Fetches a URL, under the rules of the implementation. A redirect is an answer. The future
    /// may be dropped at any time.
    fn fetch(&self, asked: &PageRequest<'_>) -> impl Future<Output = FetchResponse> + Send;

    /// The address of the URL's host, if it is known. Only for politeness: the client decides where
    /// it connects to.
    fn locate(&self, url: &Url) -> impl Future<Output = Option<IpAddr>> + Send;

    /// The sitemaps that the site's robots.txt names, if that was read. Makes no request.
    fn sitemaps(&self, url: &Url) -> Vec<Url>;

    /// The crawler's name in `<meta>`, besides the names for all crawlers.
    fn product_token(&self) -> &str;
}

/// The answer for a URL, with information on the request.
#[derive(Clone, Debug)]
pub struct FetchResponse {
    /// The answer.
    pub answer: Answer,
    /// What the answer shows of our own connection to the network.
    pub reached: Reached,
    /// The answer in words, for the log and for explanations.
    pub said: String,
    /// Why there is no answer, by the client's name for it, which is more exact than the answer.
    pub cause: Option<Cause>,
    /// The decision of robots.txt on the URL, with the rule.
    pub robots: Option<String>,
    /// The delay that robots.txt asks for.
    pub asked_delay: Option<Duration>,
    /// The address that answered.
    pub address: Option<IpAddr>,
    /// How long the request waited for its turn at the host. This does not show how busy the host
    /// is.
    pub waited: Duration,
}

/// The answer for a URL.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A page.
    Page {
        /// The page.
        page: Box<Arrived>,
        /// The validators of this version.
        validators: Validators,
    },
    /// A sitemap or a feed, whose entries were handed on.
    Listing(ListingEnd),
    /// The version that we have is up to date.
    NotModified {
        /// Its validators.
        validators: Validators,
        /// The directives in the head of the answer.
        directives: Directives,
    },
    /// A redirect.
    Redirect {
        /// The target.
        to: Url,
        /// Whether it is permanent.
        permanent: bool,
    },
    /// Nothing readable.
    NoPage(NoPage),
}

impl Answer {
    /// The row of the table of [outcomes](super::outcome::outcome) for this answer, before the page
    /// is read.
    pub fn kind(&self) -> AnswerKind {
        match self {
            Answer::Page { .. } => AnswerKind::Page,
            Answer::Listing(_) => AnswerKind::Listing,
            Answer::NotModified { .. } => AnswerKind::NotModified,
            Answer::Redirect { permanent: true, .. } => AnswerKind::MovedPermanently,
            Answer::Redirect { permanent: false, .. } => AnswerKind::MovedTemporarily,
            Answer::NoPage(why) => AnswerKind::NoPage(*why),
        }
    }

    /// What to remember until the next visit: see [`crate::frontier::Account::memo`].
    pub(super) fn memo(&self, depth: u32, extract: ExtractConfig) -> Option<Vec<u8>> {
        match self {
            Answer::Page { validators, .. } => Some(to_memo(validators, depth, extract)),
            Answer::Listing(_) => Some(Vec::new()),
            Answer::NotModified { validators, .. } => {
                Some(to_memo(validators, depth, extract)).filter(|memo| !memo.is_empty())
            }
            Answer::Redirect { .. } | Answer::NoPage(_) => None,
        }
    }
}

/// Whether a request reached a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A server answered, whatever it said.
    Somebody,
    /// No connection was made.
    Nobody,
    /// Unknown: no connection was tried, or the server accepted it and gave no answer.
    Unknown,
}

impl Reached {
    /// What the answer alone shows.
    fn from_answer(answer: &Answer) -> Reached {
        let Answer::NoPage(why) = answer else { return Reached::Somebody };
        match why {
            NoPage::Unreachable { .. } => Reached::Nobody,
            NoPage::TimedOut
            | NoPage::RefusedAddress
            | NoPage::RefusedUrl
            | NoPage::Disallowed
            | NoPage::Busy
            | NoPage::OwnFault => Reached::Unknown,
            NoPage::Gone
            | NoPage::Denied
            | NoPage::NoContent { .. }
            | NoPage::Erring
            | NoPage::Strained { .. }
            | NoPage::NotHtml => Reached::Somebody,
        }
    }

    /// What the cause of a failure shows, after this many requests. For names that do not resolve,
    /// the resolver itself says whether it is down.
    fn after(cause: Cause, requests: u32) -> Reached {
        match cause {
            _ if requests == 0 => Reached::Unknown,
            Cause::ConnectTimeout | Cause::ConnectionRefused | Cause::Unreachable => Reached::Nobody,
            Cause::ResponseTimeout | Cause::Timeout | Cause::Reset | Cause::Incomplete => Reached::Unknown,
            _ if cause.fault().is_none() => Reached::Unknown,
            _ => Reached::Somebody,
        }
    }
}

/// A page as fetched.
#[derive(Clone, Debug, Default)]
pub struct Arrived {
    /// The body, its content encoding undone.
    pub body: Vec<u8>,
    /// 200 to 299.
    pub status: u16,
    /// The charset of the content type.
    pub charset: Option<String>,
    /// Whether the body is cut off.
    pub truncated: bool,
    /// The directives in the head of the answer.
    pub directives: Directives,
    /// The address that the head of the answer calls canonical.
    pub canonical: Option<Url>,
    /// What its `Refresh` header asks for.
    pub refresh: Option<Refresh>,
    /// When it was fetched, if that was not just now.
    pub fetched_at: Option<Timestamp>,
    /// The request and the head of the answer, if they are kept.
    pub exchange: Option<Box<Exchange>>,
}

impl FetchResponse {
    /// An answer with its words.
    pub fn new(answer: Answer, said: impl Into<String>) -> FetchResponse {
        FetchResponse {
            reached: Reached::from_answer(&answer),
            answer,
            said: said.into(),
            cause: None,
            robots: None,
            asked_delay: None,
            address: None,
            waited: Duration::ZERO,
        }
    }

    /// A page with its validators.
    pub fn page(page: Arrived, validators: Validators) -> FetchResponse {
        FetchResponse::new(Answer::Page { page: Box::new(page), validators }, "a page")
    }

    /// The end of a sitemap or a feed, whose entries were handed on.
    pub fn listing(end: ListingEnd) -> FetchResponse {
        FetchResponse::new(Answer::Listing(end), "a listing")
    }

    /// The version that we have is up to date.
    pub fn not_modified(validators: Validators, directives: Directives) -> FetchResponse {
        FetchResponse::new(Answer::NotModified { validators, directives }, "not modified")
    }

    /// A redirect.
    pub fn redirect(to: Url, permanent: bool) -> FetchResponse {
        let said = format!("redirected to {}", without_credentials(&to));
        FetchResponse::new(Answer::Redirect { to, permanent }, said)
    }

    /// Nothing readable, with the reason.
    pub fn no_page(why: NoPage, said: impl Into<String>) -> FetchResponse {
        FetchResponse::new(Answer::NoPage(why), said)
    }
}

impl Fetch for Fetcher {
    async fn fetch(&self, asked: &PageRequest<'_>) -> FetchResponse {
        let request = FetchRequest::new(asked.url).with_delay(asked.delay).with_timeout(asked.patience);
        let request = asked.unless.map_or(request, |validators| request.unless(validators));
        match asked.expects {
            Expected::Page => response(asked.url, self.visit(&request).await, arrived),
            Expected::Listing(entries) => {
                response(asked.url, self.visit_entries(&request, entries).await, FetchResponse::listing)
            }
        }
    }

    async fn locate(&self, url: &Url) -> Option<IpAddr> {
        Fetcher::locate(self, url).await.ok()
    }

    fn sitemaps(&self, url: &Url) -> Vec<Url> {
        Fetcher::sitemaps(self, url)
    }

    fn product_token(&self) -> &str {
        Fetcher::product_token(self)
    }
}

fn arrived(page: FetchedPage) -> FetchResponse {
    let FetchedPage { body, status, charset, truncated, validators, directives, canonical, refresh, exchange, .. } =
        page;
    let fetched_at = None;
    let arrived = Arrived { body, status, charset, truncated, directives, canonical, refresh, fetched_at, exchange };
    FetchResponse::page(arrived, validators)
}

/// Translates a visit of the client for the crawl.
fn response<T>(url: &Url, visit: FetchResult<T>, read: impl FnOnce(T) -> FetchResponse) -> FetchResponse {
    let robots = match &visit.result {
        Err(error) if error.robots_cause().is_some() => Some("it cannot be read".to_owned()),
        _ => visit.robots.as_ref().map(verdict),
    };
    let response = match visit.result {
        Ok(Fetched::Page(came)) => read(came),
        Ok(Fetched::NotModified { validators, directives }) => FetchResponse::not_modified(validators, directives),
        Ok(Fetched::Redirect { to, status }) => FetchResponse::redirect(to, is_permanent(status)),
        // A robots.txt that failed a moment ago, and is not asked for again yet, is no new failure.
        Err(error) if !visit.robots_tried && error.robots_cause().is_some_and(|cause| cause.fault().is_some()) => {
            FetchResponse::no_page(NoPage::Busy, with_causes(&error))
        }
        Err(error) => {
            let cause = error.robots_cause().unwrap_or_else(|| error.cause());
            let reached = Reached::after(cause, visit.requests);
            let no_page = FetchResponse::no_page(no_page(url, &error), with_causes(&error));
            FetchResponse { cause: Some(cause), reached, ..no_page }
        }
    };
    let FetchResult { crawl_delay: asked_delay, address, waited, .. } = visit;
    FetchResponse { asked_delay, address, waited, robots, ..response }
}

/// The decision of robots.txt in words.
fn verdict(decision: &RobotsDecision) -> String {
    let allowed = if decision.allowed { "allowed" } else { "disallowed" };
    decision.rule.as_ref().map_or_else(|| format!("{allowed}: no rule"), |rule| format!("{allowed} by {rule}"))
}

/// Translates an error of the client for the crawl.
fn no_page(url: &Url, error: &Error) -> NoPage {
    let retry_after = error.retry_after();
    match error.cause() {
        Cause::Busy => NoPage::Busy,
        _ if error.fault().is_none() => NoPage::OwnFault,
        Cause::Gone => NoPage::Gone,
        Cause::Disallowed => NoPage::Disallowed,
        Cause::Refused if is_name(url) => NoPage::RefusedAddress,
        Cause::Refused => NoPage::RefusedUrl,
        Cause::NotHtml | Cause::UnknownEncoding | Cause::NotListing => NoPage::NotHtml,
        Cause::NoContent => NoPage::NoContent { status: error.status().unwrap_or_default() },
        Cause::RateLimited => NoPage::Strained { retry_after },
        Cause::ServerError if error.status() == Some(503) => NoPage::Strained { retry_after },
        Cause::ServerError => NoPage::Erring,
        Cause::ClientError | Cause::OddStatus | Cause::BadRedirect | Cause::RedirectLoop | Cause::BadCompression => {
            NoPage::Denied
        }
        cause if is_timeout(cause) || error.robots_cause().is_some_and(is_timeout) => NoPage::TimedOut,
        _ => NoPage::Unreachable { retry_after },
    }
}

fn is_timeout(cause: Cause) -> bool {
    matches!(cause, Cause::ConnectTimeout | Cause::ResponseTimeout | Cause::TooSlow | Cause::Timeout)
}

/// A name that leads to a refused address today may lead elsewhere tomorrow. A refused address,
/// scheme, port or length stays refused.
fn is_name(url: &Url) -> bool {
    let plain = !url.port().is_some_and(is_bad_port)
        && matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none();
    plain && matches!(url.host(), Some(Host::Domain(_)))
}

fn causes<'e>(error: &'e Error) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(std::error::Error::source(error), |cause| cause.source())
}

/// The error and its causes in one line, each once.
fn with_causes(error: &Error) -> String {
    let mut line = error.to_string();
    for cause in causes(error).map(ToString::to_string) {
        if !line.contains(&cause) {
            line = format!("{line}: {cause}");
        }
    }
    line
}

/// A URL for the log, without passwords.
pub(super) fn without_credentials(url: &Url) -> Url {
    let mut url = url.clone();
    // Both calls fail only for URLs that cannot have a user name, and so have none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn passwords_in_redirects_are_not_said() {
        let response = FetchResponse::redirect("http://user:secret@a.example/x".parse().unwrap(), false);
        assert_eq!(response.said, "redirected to http://a.example/x");
    }

    #[test]
    fn who_answers_is_there_and_what_was_not_asked_says_nothing() {
        for (cause, requests, expect) in [
            (Cause::ServerError, 1, Reached::Somebody),
            (Cause::RateLimited, 1, Reached::Somebody),
            (Cause::UnknownEncoding, 1, Reached::Somebody),
            (Cause::Tls, 1, Reached::Somebody),
            (Cause::Disallowed, 1, Reached::Somebody),
            (Cause::ConnectTimeout, 1, Reached::Nobody),
            (Cause::ConnectionRefused, 1, Reached::Nobody),
            (Cause::Unreachable, 2, Reached::Nobody),
            (Cause::ResponseTimeout, 1, Reached::Unknown),
            // A cached verdict of an earlier request.
            (Cause::ConnectionRefused, 0, Reached::Unknown),
            (Cause::ServerError, 0, Reached::Unknown),
            (Cause::Disallowed, 0, Reached::Unknown),
            (Cause::NoSuchName, 0, Reached::Unknown),
            (Cause::Exhausted, 1, Reached::Unknown),
        ] {
            assert_eq!(Reached::after(cause, requests), expect, "{cause} {requests}");
        }
    }

    #[tokio::test]
    async fn what_cannot_be_unpacked_is_the_pages_failure() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let page = format!("http://{}/page", listener.local_addr().unwrap()).parse().unwrap();
        let server = tokio::spawn(async move {
            let page =
                b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n<p>Hi";
            for answer in [&b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"[..], page] {
                let mut stream = listener.accept().await.unwrap().0;
                let mut head = vec![0; 4096];
                while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                    assert!(stream.read(&mut head).await.unwrap() > 0);
                }
                stream.write_all(answer).await.unwrap();
            }
        });
        let config = crate::fetch::Config { allow_private_addresses: true, ..Default::default() };
        let patience = Duration::from_secs(30);
        let asked = PageRequest { url: &page, expects: Expected::Page, unless: None, delay: Duration::ZERO, patience };
        let response = Fetch::fetch(&Fetcher::new(&config, "test").unwrap(), &asked).await;
        let expect = (AnswerKind::NoPage(NoPage::Denied), Some(Cause::BadCompression));
        assert_eq!((response.answer.kind(), response.cause), expect, "{response:?}");
        server.await.unwrap();
    }

    /// Otherwise a hiccup of a few seconds would put off its host for minutes, without a request.
    #[tokio::test]
    async fn a_robots_txt_that_failed_a_moment_ago_is_no_new_failure() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let page = format!("http://{}/page", listener.local_addr().unwrap()).parse().unwrap();
        let server = tokio::spawn(async move {
            let mut stream = listener.accept().await.unwrap().0;
            let mut head = vec![0; 4096];
            while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                assert!(stream.read(&mut head).await.unwrap() > 0);
            }
            let answer = b"HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(answer).await.unwrap();
        });
        let config = crate::fetch::Config { allow_private_addresses: true, ..Default::default() };
        let patience = Duration::from_secs(30);
        let asked = PageRequest { url: &page, expects: Expected::Page, unless: None, delay: Duration::ZERO, patience };
        let fetcher = Fetcher::new(&config, "test").unwrap();
        for expect in [NoPage::Unreachable { retry_after: None }, NoPage::Busy, NoPage::Busy] {
            let response = Fetch::fetch(&fetcher, &asked).await;
            assert_eq!(response.answer.kind(), expect.into(), "{response:?}");
        }
        server.await.unwrap();
    }

    #[test]
    fn a_port_of_another_protocol_is_refused_for_good() {
        for (url, expect) in
            [("http://a.example/", true), ("http://a.example:25/", false), ("http://192.0.2.1/", false)]
        {
            assert_eq!(is_name(&url.parse().unwrap()), expect, "{url}");
        }
    }

    #[tokio::test]
    async fn an_address_is_its_own_location() {
        let config = crate::fetch::Config { allow_private_addresses: true, ..Default::default() };
        let fetcher = Fetcher::new(&config, "test").unwrap();
        for (url, expect) in
            [("http://192.0.2.1:8080/", Some("192.0.2.1")), ("http://[2001:db8::1]/", Some("2001:db8::1"))]
        {
            let located = Fetch::locate(&fetcher, &url.parse().unwrap()).await;
            assert_eq!(located, expect.map(|address| address.parse().unwrap()), "{url}");
        }
    }
}
