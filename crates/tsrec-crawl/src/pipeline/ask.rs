//! What the crawl asks the network, as a trait: the HTTP client answers it, and in tests a script
//! does.

use std::future::Future;
use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;
use url::{Host, Url};

use super::outcome::AnswerKind;
use crate::fetch::listing::SiteListing;
use crate::fetch::robots::RobotsDecision;
use crate::fetch::{
    Cause, Error, Exchange, Fault, FetchRequest, FetchResult, Fetched, FetchedPage, Fetcher, Validators, is_bad_port,
    is_permanent,
};
use crate::frontier::Leads;
use tsrec_core::html::directives::Directives;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest<'a> {
    /// The URL.
    pub url: &'a Url,
    /// What it leads to.
    pub leads: Leads,
    /// What need not be sent, since it is here.
    pub unless: Option<&'a Validators>,
    /// How long its host is left alone afterwards, at least.
    pub delay: Duration,
    /// How long the page is waited for, once its turn has come.
    pub patience: Duration,
}

/// Asks for one URL.
pub trait Fetch: Send + Sync + 'static {
    /// Asks for a URL, under the rules of whoever implements it; a redirect is an answer. It may be
    /// dropped at any time.
    fn fetch(&self, asked: &PageRequest<'_>) -> impl Future<Output = Answer> + Send;

    /// The address that the URL's host lies at, if that can be told. Only for politeness: what is
    /// connected to is the client's to decide.
    fn locate(&self, url: &Url) -> impl Future<Output = Option<IpAddr>> + Send;

    /// The sitemaps that the URL's site names in its robots.txt, as far as that was read. Asks for
    /// nothing.
    fn sitemaps(&self, url: &Url) -> Vec<Url>;

    /// The name that `<meta>` knows the crawler by, besides those that all know.
    fn product_token(&self) -> &str;
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// In one word.
    pub what: AnswerKind,
    /// What it says of our own way to the network.
    pub reached: Reached,
    /// The page, if it is one.
    pub page: Option<Arrived>,
    /// What is listed, if it is a sitemap or a feed.
    pub listing: Option<SiteListing>,
    /// What the version is known by that came, or that is up to date.
    pub validators: Validators,
    /// What the head of an answer without a page asks for: that nothing has changed.
    pub directives: Directives,
    /// Where to, if it is a redirect.
    pub to: Option<Url>,
    /// In words, for the log and for whoever asks why.
    pub said: String,
    /// Why nothing came, in one word of the client's; it says more than `what`.
    pub cause: Option<&'static str>,
    /// What robots.txt says to the URL, and by which rule.
    pub robots: Option<String>,
    /// The delay that robots.txt asks for.
    pub asked_delay: Option<Duration>,
    /// Who answered.
    pub address: Option<IpAddr>,
    /// How long the request waited for its turn at the host: no sign of how busy that is.
    pub waited: Duration,
}

/// Whether a request found anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// An answer came, whatever it says.
    Somebody,
    /// No connection came about.
    Nobody,
    /// It says nothing: none was asked for, or who took the connection gave no answer.
    Unknown,
}

impl Reached {
    /// What follows from what came, where no more is known.
    fn from_answer(what: AnswerKind) -> Reached {
        match what {
            AnswerKind::Unreachable { .. } => Reached::Nobody,
            AnswerKind::TimedOut
            | AnswerKind::RefusedAddress
            | AnswerKind::RefusedUrl
            | AnswerKind::Disallowed
            | AnswerKind::Busy
            | AnswerKind::OwnFault
            | AnswerKind::Panicked => Reached::Unknown,
            _ => Reached::Somebody,
        }
    }

    /// What follows from the cause of a failure, after so many requests. Of names that lead nowhere
    /// the resolver says itself whether it is down.
    fn after(cause: Cause, requests: u32) -> Reached {
        match cause {
            _ if requests == 0 => Reached::Unknown,
            Cause::ConnectTimeout | Cause::ConnectionRefused | Cause::Unreachable => Reached::Nobody,
            Cause::ResponseTimeout | Cause::Timeout | Cause::Reset | Cause::Incomplete => Reached::Unknown,
            _ if cause.fault() == Fault::Own => Reached::Unknown,
            _ => Reached::Somebody,
        }
    }
}

/// A page as it came.
#[derive(Clone, Debug, Default)]
pub struct Arrived {
    /// The body, its content encoding undone.
    pub body: Vec<u8>,
    /// 200 to 299.
    pub status: u16,
    /// The charset of the content type.
    pub charset: Option<String>,
    /// Whether the body went on.
    pub truncated: bool,
    /// What the head of the answer asks for.
    pub directives: Directives,
    /// When it came, if that was not just now.
    pub fetched_at: Option<Timestamp>,
    /// What went over the line before the body, where that is kept.
    pub exchange: Option<Box<Exchange>>,
}

impl Answer {
    /// An answer without page or target.
    pub fn new(what: AnswerKind, said: impl Into<String>) -> Answer {
        Answer {
            what,
            reached: Reached::from_answer(what),
            page: None,
            listing: None,
            validators: Validators::default(),
            directives: Directives::default(),
            to: None,
            said: said.into(),
            cause: None,
            robots: None,
            asked_delay: None,
            address: None,
            waited: Duration::ZERO,
        }
    }

    /// A sitemap or a feed.
    pub fn listing(listing: SiteListing) -> Answer {
        Answer { listing: Some(listing), ..Answer::new(AnswerKind::Listing, "a listing") }
    }

    /// A page.
    pub fn page(page: Arrived) -> Answer {
        Answer { page: Some(page), ..Answer::new(AnswerKind::Page, "a page") }
    }

    /// A redirect.
    pub fn redirect(to: Url, permanent: bool) -> Answer {
        let what = if permanent { AnswerKind::MovedPermanently } else { AnswerKind::MovedTemporarily };
        Answer { said: format!("redirected to {}", without_credentials(&to)), to: Some(to), ..Answer::new(what, "") }
    }
}

impl Fetch for Fetcher {
    async fn fetch(&self, asked: &PageRequest<'_>) -> Answer {
        let request = FetchRequest::new(asked.url).with_delay(asked.delay).with_timeout(asked.patience);
        let request = asked.unless.map_or(request, |validators| request.unless(validators));
        match asked.leads {
            Leads::ToPage => answer(asked.url, self.visit(&request).await, arrived),
            Leads::ToListing => answer(asked.url, self.visit_listing(&request).await, Answer::listing),
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

fn arrived(page: FetchedPage) -> Answer {
    let FetchedPage { body, status, charset, truncated, validators, directives, exchange, .. } = page;
    let arrived = Arrived { body, status, charset, truncated, directives, fetched_at: None, exchange };
    Answer { validators, ..Answer::page(arrived) }
}

/// What a visit of the client means to the crawl.
fn answer<T>(url: &Url, visit: FetchResult<T>, read: impl FnOnce(T) -> Answer) -> Answer {
    let robots = match &visit.result {
        Err(error) if error.robots_cause().is_some() => Some("it cannot be read".to_owned()),
        _ => visit.robots.as_ref().map(verdict),
    };
    let answer = match visit.result {
        Ok(Fetched::Page(came)) => read(came),
        Ok(Fetched::NotModified { validators, directives }) => {
            Answer { validators, directives, ..Answer::new(AnswerKind::NotModified, "not modified") }
        }
        Ok(Fetched::Redirect { to, status }) => Answer::redirect(to, is_permanent(status)),
        Err(error) => {
            let cause = error.robots_cause().unwrap_or_else(|| error.cause());
            let reached = Reached::after(cause, visit.requests);
            Answer { cause: Some(cause.as_str()), reached, ..Answer::new(what(url, &error), with_causes(&error)) }
        }
    };
    Answer { asked_delay: visit.crawl_delay, address: visit.address, waited: visit.waited, robots, ..answer }
}

/// What robots.txt says, in words.
fn verdict(decision: &RobotsDecision) -> String {
    let allowed = if decision.allowed { "allowed" } else { "disallowed" };
    decision.rule.as_ref().map_or_else(|| format!("{allowed}: no rule"), |rule| format!("{allowed} by {rule}"))
}

/// What is remembered of a version until the next visit, and at which depth its links were offered:
/// see [`crate::frontier::Account::memo`].
pub(super) fn to_memo(validators: &Validators, depth: u32) -> Vec<u8> {
    // It fails for what cannot be written only, and strings can.
    if validators.is_empty() { Vec::new() } else { postcard::to_stdvec(&(validators, depth)).unwrap_or_default() }
}

/// What [`to_memo`] wrote; nothing where that was nothing, or of another version of the program.
/// Nor where a shorter way to the page was found since: it is wanted whole once more, since its
/// links are nearer, too, and were perhaps not offered at all.
pub(super) fn from_memo(memo: &[u8], depth: u32) -> Option<Validators> {
    let (validators, offered_at) = postcard::from_bytes::<(Validators, u32)>(memo).ok()?;
    (!validators.is_empty() && offered_at <= depth).then_some(validators)
}

/// An error of the client in one word.
fn what(url: &Url, error: &Error) -> AnswerKind {
    let retry_after = error.retry_after();
    match error.cause() {
        Cause::Busy => AnswerKind::Busy,
        _ if error.fault() == Fault::Own => AnswerKind::OwnFault,
        Cause::Gone => AnswerKind::Gone,
        Cause::Disallowed => AnswerKind::Disallowed,
        Cause::Refused if is_name(url) => AnswerKind::RefusedAddress,
        Cause::Refused => AnswerKind::RefusedUrl,
        Cause::NotHtml | Cause::UnknownEncoding | Cause::NotListing => AnswerKind::NotHtml,
        Cause::RateLimited => AnswerKind::Strained { retry_after },
        Cause::ServerError if error.status() == Some(503) => AnswerKind::Strained { retry_after },
        Cause::ServerError => AnswerKind::Erring,
        Cause::ClientError | Cause::OddStatus | Cause::BadRedirect | Cause::RedirectLoop | Cause::BadCompression => {
            AnswerKind::Denied
        }
        cause if is_timeout(cause) || error.robots_cause().is_some_and(is_timeout) => AnswerKind::TimedOut,
        _ => AnswerKind::Unreachable { retry_after },
    }
}

fn is_timeout(cause: Cause) -> bool {
    matches!(cause, Cause::ConnectTimeout | Cause::ResponseTimeout | Cause::TooSlow | Cause::Timeout)
}

/// A name that leads to a refused address today may lead elsewhere tomorrow; an address, a scheme,
/// a port or a length stays.
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

/// The error and its causes in one line, each said once.
fn with_causes(error: &Error) -> String {
    let mut line = error.to_string();
    for cause in causes(error).map(ToString::to_string) {
        if !line.contains(&cause) {
            line = format!("{line}: {cause}");
        }
    }
    line
}

/// A URL for the log: passwords do not belong there.
pub(super) fn without_credentials(url: &Url) -> Url {
    let mut url = url.clone();
    // Both fail only for URLs that cannot have a user name, and so have none.
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
        let answer = Answer::redirect("http://user:secret@a.example/x".parse().unwrap(), false);
        assert_eq!(answer.said, "redirected to http://a.example/x");
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
            // A verdict that is kept of an earlier request.
            (Cause::ConnectionRefused, 0, Reached::Unknown),
            (Cause::ServerError, 0, Reached::Unknown),
            (Cause::Disallowed, 0, Reached::Unknown),
            (Cause::NoSuchName, 0, Reached::Unknown),
            (Cause::Exhausted, 1, Reached::Unknown),
        ] {
            assert_eq!(Reached::after(cause, requests), expect, "{cause} {requests}");
        }
    }

    #[test]
    fn validators_are_remembered() {
        let etag = |etag: &str| Validators { etag: Some(etag.to_owned()), last_modified: None };
        for (depth, expect) in [(3, true), (4, true), (2, false)] {
            let expect = expect.then(|| etag("W/\"1\""));
            assert_eq!(from_memo(&to_memo(&etag("W/\"1\""), 3), depth), expect, "{depth}");
        }
        assert_eq!(to_memo(&Validators::default(), 3), Vec::<u8>::new());
        let without_depth = postcard::to_stdvec(&etag("1")).unwrap();
        for memo in [&b""[..], b"\x07", b"\x00\x00\x00", &without_depth] {
            assert_eq!(from_memo(memo, 3), None);
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
        let asked = PageRequest { url: &page, leads: Leads::ToPage, unless: None, delay: Duration::ZERO, patience };
        let answer = Fetch::fetch(&Fetcher::new(&config, "test").unwrap(), &asked).await;
        assert_eq!((answer.what, answer.cause), (AnswerKind::Denied, Some("bad-compression")), "{answer:?}");
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
