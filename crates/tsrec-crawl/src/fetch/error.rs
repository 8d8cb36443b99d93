//! The module's only error type.

use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;
use url::Url;

use super::admission::Refusal;
use super::cause::Cause;
use super::failure::Failure;
use super::robots::Rule;
use crate::fault::Fault;

/// Longest part of a URL or header shown in a message, in characters. Judgement: more makes log
/// lines unreadable.
const MAX_SHOWN_CHARS: usize = 300;

/// Why there is no page. It has a [`cause`](Self::cause), and predicates that tell a caller what to
/// do. At most one of [`is_gone`](Self::is_gone), [`is_disallowed`](Self::is_disallowed),
/// [`is_refused`](Self::is_refused), [`is_not_html`](Self::is_not_html) and
/// [`is_transient`](Self::is_transient) is true. None is true for other statuses (such as 403), for
/// redirects that cannot be followed, and for errors of [`Fetcher::new`](super::Fetcher::new).
///
/// The message names the URL, without user name and password, and what went wrong. If there is a
/// way to fix it, the message names that too.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Kind>);

type BoxError = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, thiserror::Error)]
enum Kind {
    #[error("{0}")]
    Setup(String),
    #[error("cannot build the HTTP client; it needs the system's CA certificates (package ca-certificates)")]
    Client(#[source] rustls::Error),
    #[error("refused to fetch {url}: {refusal}")]
    Refused { url: String, refusal: Refusal },
    #[error("{url} is disallowed by its site's robots.txt for `{product_token}` ({rule})")]
    Disallowed { url: String, product_token: String, rule: String },
    #[error("{url} must wait: its site's robots.txt cannot be read, which forbids everything for now (RFC 9309)")]
    RobotsUnreachable { url: String, source: Arc<Error> },
    #[error("{url} must wait {wait:?}: its host, or another on the same address, was asked a moment ago")]
    Busy { url: String, wait: Duration },
    #[error("{url} answered {status}")]
    Status { url: String, status: StatusCode, retry_after: Option<Duration> },
    #[error("{url} answered {status} with nothing in its body")]
    Blank { url: String, status: StatusCode },
    #[error("{url} is not HTML: {found}")]
    NotHtml { url: String, found: String },
    #[error("{url} is no text: there is binary data in it")]
    NoText { url: String },
    #[error("{url} answered {status} without saying where to (no Location header)")]
    NoLocation { url: String, status: StatusCode },
    #[error("{url} answered {status} to {location:?}, which is no URL")]
    BadLocation { url: String, status: StatusCode, location: String, source: url::ParseError },
    #[error("{url} redirects more than {limit} times; at last to {to}")]
    TooManyRedirects { url: String, limit: usize, to: String },
    #[error("{url} redirects in a circle, back to {to}")]
    RedirectLoop { url: String, to: String },
    #[error("cannot fetch {url}: {}", what(*cause))]
    Failed { url: String, cause: Cause, source: Option<BoxError> },
    #[error("{url} came in the content encoding `{encoding}`, which was not asked for")]
    Encoding { url: String, encoding: String },
}

/// Describes a failed request.
fn what(cause: Cause) -> &'static str {
    match cause {
        Cause::NoSuchName => "its host name does not exist",
        Cause::NameService => "its host name could not be resolved",
        Cause::ResolverDown => "no host name can be resolved; is this machine's name service down?",
        Cause::Exhausted => "this machine is out of file descriptors, ports or memory for sockets; raise LimitNOFILE",
        Cause::Offline => "this machine has no way to that network",
        Cause::Proxy => "the proxy cannot be used; see [fetch] proxy",
        Cause::ConnectTimeout => "no connection was made in time",
        Cause::ConnectionRefused => "the connection was refused",
        Cause::Unreachable => "its address cannot be reached",
        Cause::Tls => "TLS could not be agreed on",
        Cause::ResponseTimeout => "no answer came in time",
        Cause::TooSlow => "the answer came too slowly",
        Cause::Timeout => "the answer was not complete in time",
        Cause::Reset => "the connection was reset",
        Cause::Incomplete => "the connection was closed before the answer was complete",
        Cause::HeaderFlood => "the answer's head is too large",
        Cause::BadHttp => "what came is not HTTP",
        Cause::BadCompression => "the body's compression is broken",
        Cause::Interrupted => "the program is ending",
        Cause::NotListing => "it is neither a sitemap nor a feed, nor a list of URLs",
        Cause::Refused => "it cannot be written into a request",
        _ => "it failed",
    }
}

impl Error {
    /// What went wrong, by name.
    pub fn cause(&self) -> Cause {
        match &*self.0 {
            Kind::Setup(_) | Kind::Client(_) => Cause::Setup,
            Kind::Refused { .. } => Cause::Refused,
            Kind::Disallowed { .. } => Cause::Disallowed,
            Kind::RobotsUnreachable { source, .. } => match source.fault() {
                None => source.cause(),
                Some(_) => Cause::RobotsUnreachable,
            },
            Kind::Busy { .. } => Cause::Busy,
            Kind::Status { status, .. } => match *status {
                StatusCode::NOT_FOUND | StatusCode::GONE => Cause::Gone,
                StatusCode::TOO_MANY_REQUESTS => Cause::RateLimited,
                // 408 means "not now": the server waited for our request in vain.
                StatusCode::REQUEST_TIMEOUT => Cause::Timeout,
                status if status.is_success() => Cause::NoContent,
                status if status.is_client_error() => Cause::ClientError,
                status if status.is_server_error() => Cause::ServerError,
                _ => Cause::OddStatus,
            },
            Kind::Blank { .. } => Cause::NoContent,
            Kind::NotHtml { .. } | Kind::NoText { .. } => Cause::NotHtml,
            Kind::NoLocation { .. } | Kind::BadLocation { .. } => Cause::BadRedirect,
            Kind::TooManyRedirects { .. } | Kind::RedirectLoop { .. } => Cause::RedirectLoop,
            Kind::Failed { cause, .. } => *cause,
            Kind::Encoding { .. } => Cause::UnknownEncoding,
        }
    }

    /// Whose fault it is; `None` if it is our own.
    pub fn fault(&self) -> Option<Fault> {
        self.cause().fault()
    }

    /// The reason why the robots.txt cannot be read, if that is the error.
    pub fn robots_cause(&self) -> Option<Cause> {
        match &*self.0 {
            Kind::RobotsUnreachable { source, .. } => Some(source.cause()),
            _ => None,
        }
    }

    /// How long to wait for the turn at the host or its address, if it has not come. No request was
    /// made.
    pub fn busy(&self) -> Option<Duration> {
        match &*self.0 {
            Kind::Busy { wait, .. } => Some(*wait),
            Kind::RobotsUnreachable { source, .. } => source.busy(),
            _ => None,
        }
    }

    /// The page is gone: 404 or 410.
    pub fn is_gone(&self) -> bool {
        self.cause() == Cause::Gone
    }

    /// A robots.txt that was read forbids the page. A robots.txt that cannot be read forbids it
    /// too, but that error is [transient](Self::is_transient) instead.
    pub fn is_disallowed(&self) -> bool {
        self.cause() == Cause::Disallowed
    }

    /// The client refuses the URL for its scheme, user name or password, length, or address.
    pub fn is_refused(&self) -> bool {
        self.cause() == Cause::Refused
    }

    /// The answer is not HTML by its content type, its content encoding, or its bytes.
    pub fn is_not_html(&self) -> bool {
        matches!(self.cause(), Cause::NotHtml | Cause::UnknownEncoding)
    }

    /// A later attempt may work: 5xx, 429, 408, time-outs, the network, the name service, TLS, a
    /// broken or empty body, 202, 204, 205 and 206, a robots.txt that cannot be read, a turn that
    /// has not come.
    pub fn is_transient(&self) -> bool {
        self.cause().is_transient()
    }

    /// The status of the answer, if the status is the error.
    pub fn status(&self) -> Option<u16> {
        match &*self.0 {
            Kind::Status { status, .. }
            | Kind::Blank { status, .. }
            | Kind::NoLocation { status, .. }
            | Kind::BadLocation { status, .. } => Some(status.as_u16()),
            _ => None,
        }
    }

    /// How long the server asked us to wait, with a 429 or 503 for the page or for its site's
    /// robots.txt. At most a day, counted from its answer. Or [how long](Self::busy) to wait for
    /// the turn.
    pub fn retry_after(&self) -> Option<Duration> {
        match &*self.0 {
            Kind::Status { retry_after, .. } => *retry_after,
            Kind::RobotsUnreachable { source, .. } => source.retry_after(),
            Kind::Busy { wait, .. } => Some(*wait),
            _ => None,
        }
    }

    pub(super) fn setup(message: String) -> Self {
        Kind::Setup(message).into()
    }

    pub(super) fn client(source: rustls::Error) -> Self {
        Kind::Client(source).into()
    }

    pub(super) fn refused(url: &Url, refusal: Refusal) -> Self {
        Kind::Refused { url: shown_url(url), refusal }.into()
    }

    pub(super) fn disallowed(url: &Url, product_token: &str, rule: Option<Rule>) -> Self {
        let rule = rule.map_or_else(|| "no rule".to_owned(), |rule| shown(&rule.to_string()));
        Kind::Disallowed { url: shown_url(url), product_token: product_token.to_owned(), rule }.into()
    }

    pub(super) fn robots_unreachable(url: &Url, source: Arc<Error>) -> Self {
        Kind::RobotsUnreachable { url: shown_url(url), source }.into()
    }

    pub(super) fn answered(url: &Url, status: StatusCode, retry_after: Option<Duration>) -> Self {
        Kind::Status { url: shown_url(url), status, retry_after }.into()
    }

    pub(super) fn not_modified(url: &Url) -> Self {
        Self::answered(url, StatusCode::NOT_MODIFIED, None)
    }

    pub(super) fn blank(url: &Url, status: StatusCode) -> Self {
        Kind::Blank { url: shown_url(url), status }.into()
    }

    pub(super) fn not_html(url: &Url, found: &str) -> Self {
        Kind::NotHtml { url: shown_url(url), found: shown(found) }.into()
    }

    pub(super) fn no_text(url: &Url) -> Self {
        Kind::NoText { url: shown_url(url) }.into()
    }

    pub(super) fn no_location(url: &Url, status: StatusCode) -> Self {
        Kind::NoLocation { url: shown_url(url), status }.into()
    }

    pub(super) fn bad_location(url: &Url, status: StatusCode, location: &[u8], source: url::ParseError) -> Self {
        let location = shown(&without_credentials(&String::from_utf8_lossy(location)));
        Kind::BadLocation { url: shown_url(url), status, location, source }.into()
    }

    pub(super) fn too_many_redirects(url: &Url, limit: usize, to: &Url) -> Self {
        Kind::TooManyRedirects { url: shown_url(url), limit, to: shown_url(to) }.into()
    }

    pub(super) fn redirect_loop(url: &Url, to: &Url) -> Self {
        Kind::RedirectLoop { url: shown_url(url), to: shown_url(to) }.into()
    }

    pub(super) fn encoding(url: &Url, encoding: &str) -> Self {
        Kind::Encoding { url: shown_url(url), encoding: shown(encoding) }.into()
    }

    pub(super) fn busy_for(url: &Url, wait: Duration) -> Self {
        Kind::Busy { url: shown_url(url), wait }.into()
    }

    /// A request that failed, or whose name resolves to refused addresses only.
    pub(super) fn failed(url: &Url, failure: Failure) -> Self {
        match failure.refusal {
            Some(refusal) => Self::refused(url, refusal),
            None => Kind::Failed { url: shown_url(url), cause: failure.cause, source: failure.source }.into(),
        }
    }

    /// The reason why the client refuses the URL, if it does.
    pub(super) fn refusal(&self) -> Option<&Refusal> {
        match &*self.0 {
            Kind::Refused { refusal, .. } => Some(refusal),
            _ => None,
        }
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

/// A URL as messages show it, without passwords.
fn shown_url(url: &Url) -> String {
    let mut url = url.clone();
    // Both calls fail only for URLs that cannot have a user name, and so have none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    shown(url.as_str())
}

/// Text that is no URL may still hold a password. This removes everything between `//` and the last
/// `@` before the path.
fn without_credentials(location: &str) -> String {
    let Some(start) = location.find("//").map(|at| at + 2) else { return location.to_owned() };
    let end = location[start..].find(['/', '?', '#']).map_or(location.len(), |at| start + at);
    match location[start..end].rfind('@') {
        Some(at) => format!("{}{}", &location[..start], &location[start + at + 1..]),
        None => location.to_owned(),
    }
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_hide_passwords_and_are_bounded() {
        let url = Url::parse("http://user:secret@example.org/").unwrap();
        let text = Error::refused(&url, Refusal::Credentials).to_string();
        assert!(text.contains("http://example.org/") && !text.contains("secret") && !text.contains("user:"), "{text}");
        let long = Url::parse(&format!("data:text/html,{}", "ä".repeat(10_000))).unwrap();
        assert!(Error::refused(&long, Refusal::Credentials).to_string().chars().count() < 2 * MAX_SHOWN_CHARS);
    }

    #[test]
    fn a_location_that_is_no_url_shows_no_password() {
        for (location, expect) in [
            ("http://user:secret@[broken/a@b", "http://[broken/a@b"),
            ("//user:se@cret@[?x", "//[?x"),
            ("http://[broken/a@b", "http://[broken/a@b"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(without_credentials(location), expect);
        }
    }

    #[test]
    fn a_status_is_one_thing_only() {
        let url = Url::parse("http://example.org/").unwrap();
        for (status, gone, transient) in [
            (404, true, false),
            (410, true, false),
            (408, false, true),
            (429, false, true),
            (500, false, true),
            (503, false, true),
            (400, false, false),
            (403, false, false),
            (451, false, false),
            (304, false, false),
        ] {
            let error = Error::answered(&url, StatusCode::from_u16(status).unwrap(), None);
            assert_eq!((error.is_gone(), error.is_transient(), error.status()), (gone, transient, Some(status)));
            assert!(!error.is_disallowed() && !error.is_refused() && !error.is_not_html());
        }
    }
}
