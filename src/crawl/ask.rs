//! What the crawl asks the network, as a trait: the HTTP client answers it, and in tests a script does.

use std::future::Future;
use std::net::IpAddr;
use std::time::Duration;

use url::{Host, Url};

use super::outcome::What;
use crate::fetch::{Cause, Error, Fault, Fetched, Fetcher, Request, is_permanent};

/// Asks for one URL.
pub trait Fetch: Send + Sync + 'static {
    /// Asks for a URL, under the rules of whoever implements it; a redirect is an answer. It may be dropped at any time.
    fn fetch(&self, url: &Url) -> impl Future<Output = Answer> + Send;

    /// The address that the URL's host lies at, if that can be told. Only for politeness: what is connected to is the
    /// client's to decide.
    fn locate(&self, url: &Url) -> impl Future<Output = Option<IpAddr>> + Send;
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// In one word.
    pub what: What,
    /// The page, if it is one.
    pub page: Option<Arrived>,
    /// Where to, if it is a redirect.
    pub to: Option<Url>,
    /// In words, for the log and for whoever asks why.
    pub said: String,
    /// The delay that robots.txt asks for.
    pub asked_delay: Option<Duration>,
    /// Who answered.
    pub address: Option<IpAddr>,
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
}

impl Answer {
    /// An answer without page or target.
    pub fn new(what: What, said: impl Into<String>) -> Answer {
        Answer { what, page: None, to: None, said: said.into(), asked_delay: None, address: None }
    }

    /// A page.
    pub fn page(page: Arrived) -> Answer {
        Answer { page: Some(page), ..Answer::new(What::Page, "a page") }
    }

    /// A redirect.
    pub fn redirect(to: Url, permanent: bool) -> Answer {
        let what = if permanent { What::MovedPermanently } else { What::MovedTemporarily };
        Answer { said: format!("redirected to {}", without_credentials(&to)), to: Some(to), ..Answer::new(what, "") }
    }
}

impl Fetch for Fetcher {
    async fn fetch(&self, url: &Url) -> Answer {
        let visit = self.visit(&Request::new(url)).await;
        let answer = match visit.result {
            Ok(Fetched::Page(page)) if page.directives.noindex => {
                Answer::new(What::Noindex, "X-Robots-Tag asks not to index it")
            }
            Ok(Fetched::Page(page)) => Answer::page(Arrived {
                body: page.body,
                status: page.status,
                charset: page.charset,
                truncated: page.truncated,
            }),
            Ok(Fetched::NotModified(_)) => Answer::new(What::NotModified, "not modified"),
            Ok(Fetched::Redirect { to, status }) => Answer::redirect(to, is_permanent(status)),
            Err(error) => Answer::new(what(url, &error), with_causes(&error)),
        };
        Answer { asked_delay: visit.crawl_delay, address: visit.address, ..answer }
    }

    async fn locate(&self, url: &Url) -> Option<IpAddr> {
        Fetcher::locate(self, url).await.ok()
    }
}

/// An error of the client in one word.
fn what(url: &Url, error: &Error) -> What {
    let retry_after = error.retry_after();
    match error.cause() {
        Cause::Busy => What::Busy,
        _ if error.fault() == Fault::Own => What::OwnFault,
        Cause::Gone => What::Gone,
        Cause::Disallowed => What::Disallowed,
        Cause::Refused if is_name(url) => What::RefusedAddress,
        Cause::Refused => What::RefusedUrl,
        Cause::NotHtml | Cause::UnknownEncoding | Cause::NotListing => What::NotHtml,
        Cause::RateLimited => What::Strained { retry_after },
        Cause::ServerError if error.status() == Some(503) => What::Strained { retry_after },
        Cause::ServerError => What::Erring,
        Cause::ClientError | Cause::OddStatus | Cause::BadRedirect | Cause::RedirectLoop => What::Denied,
        cause if is_timeout(cause) || error.robots_cause().is_some_and(is_timeout) => What::TimedOut,
        _ => What::Unreachable { retry_after },
    }
}

fn is_timeout(cause: Cause) -> bool {
    matches!(cause, Cause::ConnectTimeout | Cause::ResponseTimeout | Cause::TooSlow | Cause::Timeout)
}

/// A name that leads to a refused address today may lead elsewhere tomorrow; an address, a scheme or a length stays.
fn is_name(url: &Url) -> bool {
    let plain = matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
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
    use super::*;

    #[test]
    fn passwords_in_redirects_are_not_said() {
        let answer = Answer::redirect("http://user:secret@a.example/x".parse().unwrap(), false);
        assert_eq!(answer.said, "redirected to http://a.example/x");
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
