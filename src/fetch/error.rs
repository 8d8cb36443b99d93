//! The one error of the module.

use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;
use url::Url;

use super::admission::Refusal;
use super::resolver::AllRefused;
use super::robots::Rule;

/// Longest part of a URL or header shown in a message, in characters. Judgement: more makes log lines unreadable.
const MAX_SHOWN_CHARS: usize = 300;

/// Why there is no page. What a caller does about it hangs on the predicates, of which at most one of
/// [`is_gone`](Self::is_gone), [`is_disallowed`](Self::is_disallowed), [`is_refused`](Self::is_refused),
/// [`is_not_html`](Self::is_not_html) and [`is_transient`](Self::is_transient) is true. None is for other statuses
/// (such as 403), for redirects that lead nowhere, and for what [`Fetcher::new`](super::Fetcher::new) complains about.
///
/// The message names the URL, without user name and password, and, where there is one, the way out.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Kind>);

#[derive(Debug, thiserror::Error)]
enum Kind {
    #[error("{0}")]
    Setup(String),
    #[error("cannot build the HTTP client; it needs the system's CA certificates (package ca-certificates)")]
    Client(#[source] reqwest::Error),
    #[error("refused to fetch {url}: {refusal}")]
    Refused { url: String, refusal: Refusal },
    #[error("{url} is disallowed by its site's robots.txt for `{product_token}` ({rule})")]
    Disallowed { url: String, product_token: String, rule: String },
    #[error("{url} must wait: its site's robots.txt cannot be read, which forbids everything for now (RFC 9309)")]
    RobotsUnreachable { url: String, source: Arc<Error> },
    #[error("{url} answered {status}")]
    Status { url: String, status: StatusCode, retry_after: Option<Duration> },
    #[error("{url} is not HTML: {found}")]
    NotHtml { url: String, found: String },
    #[error("{url} answered {status} without saying where to (no Location header)")]
    NoLocation { url: String, status: StatusCode },
    #[error("{url} answered {status} to {location:?}, which is no URL")]
    BadLocation { url: String, status: StatusCode, location: String, source: url::ParseError },
    #[error("{url} redirects more than {limit} times; at last to {to}")]
    TooManyRedirects { url: String, limit: usize, to: String },
    #[error("{url} redirects in a circle, back to {to}")]
    RedirectLoop { url: String, to: String },
    #[error("cannot fetch {url}")]
    Transport { url: String, source: reqwest::Error },
    #[error("{url} could not be read within {limit:?}")]
    Timeout { url: String, limit: Duration },
    #[error("{url} came in the content encoding `{encoding}`, which was not asked for")]
    Encoding { url: String, encoding: String },
    #[error("{url} was given up: the robots.txt rules could not be worked on, as when the program ends")]
    Interrupted { url: String, source: tokio::task::JoinError },
}

impl Error {
    /// The page is not there any more: 404 or 410.
    pub fn is_gone(&self) -> bool {
        matches!(&*self.0, Kind::Status { status, .. } if matches!(*status, StatusCode::NOT_FOUND | StatusCode::GONE))
    }

    /// A robots.txt that was read forbids the page. One that cannot be read forbids it too, but is
    /// [transient](Self::is_transient) instead.
    pub fn is_disallowed(&self) -> bool {
        matches!(&*self.0, Kind::Disallowed { .. })
    }

    /// The URL is not asked for: its scheme, user name or password, length, or address.
    pub fn is_refused(&self) -> bool {
        matches!(&*self.0, Kind::Refused { .. })
    }

    /// The answer is not HTML, by its content type, its content encoding, or its first bytes.
    pub fn is_not_html(&self) -> bool {
        matches!(&*self.0, Kind::NotHtml { .. } | Kind::Encoding { .. })
    }

    /// It may go better later: 5xx, 429, 408, time-outs, the network, the name service, TLS, a broken body, a
    /// robots.txt that cannot be read.
    pub fn is_transient(&self) -> bool {
        match &*self.0 {
            Kind::Status { status, .. } => {
                status.is_server_error()
                    || matches!(*status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT)
            }
            Kind::Transport { source, .. } => !source.is_builder(), // A URL that the client cannot ask for stays so.
            Kind::Timeout { .. } | Kind::Interrupted { .. } | Kind::RobotsUnreachable { .. } => true,
            _ => false,
        }
    }

    /// The status of the answer, when there was one and it is what went wrong.
    pub fn status(&self) -> Option<u16> {
        match &*self.0 {
            Kind::Status { status, .. } | Kind::NoLocation { status, .. } | Kind::BadLocation { status, .. } => {
                Some(status.as_u16())
            }
            _ => None,
        }
    }

    /// How long the server asked to be left alone, with a 429 or 503 for the page or for its site's robots.txt; at most
    /// a day, counted from when it answered.
    pub fn retry_after(&self) -> Option<Duration> {
        match &*self.0 {
            Kind::Status { retry_after, .. } => *retry_after,
            Kind::RobotsUnreachable { source, .. } => source.retry_after(),
            _ => None,
        }
    }

    pub(super) fn setup(message: String) -> Self {
        Kind::Setup(message).into()
    }

    pub(super) fn client(source: reqwest::Error) -> Self {
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

    pub(super) fn not_html(url: &Url, found: &str) -> Self {
        Kind::NotHtml { url: shown_url(url), found: shown(found) }.into()
    }

    pub(super) fn no_location(url: &Url, status: StatusCode) -> Self {
        Kind::NoLocation { url: shown_url(url), status }.into()
    }

    pub(super) fn bad_location(url: &Url, status: StatusCode, location: &[u8], source: url::ParseError) -> Self {
        let location = shown(&String::from_utf8_lossy(location));
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

    pub(super) fn interrupted(url: &Url, source: tokio::task::JoinError) -> Self {
        Kind::Interrupted { url: shown_url(url), source }.into()
    }

    pub(super) fn timeout(url: &Url, limit: Duration) -> Self {
        Kind::Timeout { url: shown_url(url), limit }.into()
    }

    /// What the HTTP client says, without its own mention of the URL; a refusal by the resolver is found in it.
    pub(super) fn transport(url: &Url, source: reqwest::Error) -> Self {
        match refused_by_resolver(&source) {
            Some(AllRefused { address, what }) => Self::refused(url, Refusal::Address(address, what)),
            None => Kind::Transport { url: shown_url(url), source: source.without_url() }.into(),
        }
    }

    /// The reason why the URL is not asked for, when it is that.
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

fn refused_by_resolver(error: &reqwest::Error) -> Option<AllRefused> {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if let Some(refused) = error.downcast_ref::<AllRefused>() {
            return Some(*refused);
        }
        source = error.source();
    }
    None
}

/// A URL as messages show it: passwords do not belong in logs.
fn shown_url(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for URLs that cannot have a user name, and so have none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    shown(url.as_str())
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
