//! A failed request without its URL, with the causes told apart from what the libraries report.

use std::error::Error as StdError;
use std::io;

use super::admission::Refusal;
use super::cause::Cause;
use super::resolver::Unresolved;

type FailureSource = Box<dyn StdError + Send + Sync>;

/// The cause, and the error behind it.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) cause: Cause,
    pub(super) source: Option<FailureSource>,
    /// Why the client refused, if the cause is [`Cause::Refused`].
    pub(super) refusal: Option<Refusal>,
}

impl Failure {
    pub(super) fn new(cause: Cause, source: impl Into<FailureSource>) -> Self {
        Self { cause, source: Some(source.into()), refusal: None }
    }

    pub(super) fn plain(cause: Cause) -> Self {
        Self { cause, source: None, refusal: None }
    }

    /// A failure of a request that was sent.
    pub(super) fn http(error: reqwest::Error) -> Self {
        let cause = if error.is_builder() { Cause::Refused } else { cause_of(&error) };
        Self::new(cause, error.without_url())
    }

    /// A failure while the body is read.
    pub(super) fn body(error: reqwest::Error) -> Self {
        let failure = Self::http(error);
        // The head has come.
        let cause = if failure.cause == Cause::HeaderFlood { Cause::BadHttp } else { failure.cause };
        Self { cause, ..failure }
    }

    /// A failure to connect to a host, or to agree on TLS with it.
    pub(super) fn connecting(error: reqwest::Error) -> Self {
        let cause = chain(&error).find_map(cause_of_connecting).unwrap_or(Cause::Unreachable);
        Self::new(cause, error.without_url())
    }

    /// A failure to connect by way of a proxy. `has_tunnel`: the proxy opens a connection to the
    /// host, and TLS is agreed on with the host.
    pub(super) fn proxied(error: reqwest::Error, has_tunnel: bool) -> Self {
        let is_exhausted = |error: &(dyn StdError + 'static)| error.downcast_ref().is_some_and(is_exhausted);
        let cause = if chain(&error).any(is_exhausted) {
            Cause::Exhausted
        } else if let Some(cause) = chain(&error).find_map(cause_of_proxy) {
            cause
        } else if has_tunnel && chain(&error).any(<dyn StdError>::is::<rustls::Error>) {
            Cause::Tls
        } else {
            Cause::Proxy
        };
        Self::new(cause, error.without_url())
    }
}

impl From<Unresolved> for Failure {
    fn from(unresolved: Unresolved) -> Self {
        match unresolved {
            Unresolved::Refused(refusal) => Self { cause: Cause::Refused, source: None, refusal: Some(refusal) },
            Unresolved::Failed(cause, error) => Self::new(cause, error),
        }
    }
}

/// The error and those behind it. [`io::Error::source`] passes over the error inside.
fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner as &'a (dyn StdError + 'static)),
        None => error.source(),
    })
}

fn cause_of(error: &(dyn StdError + 'static)) -> Cause {
    let of_type = |error: &(dyn StdError + 'static)| {
        let of_io = error.downcast_ref().and_then(cause_of_io);
        of_io.or_else(|| error.downcast_ref().and_then(cause_of_http2))
    };
    if let Some(cause) = chain(error).find_map(of_type) {
        return cause;
    }
    match chain(error).find_map(|error| error.downcast_ref::<hyper::Error>()) {
        Some(error) if error.is_parse_too_large() => Cause::HeaderFlood,
        Some(error) if error.is_parse() => Cause::BadHttp,
        _ => Cause::Incomplete,
    }
}

fn cause_of_io(error: &io::Error) -> Option<Cause> {
    if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) {
        return Some(Cause::Tls);
    }
    match error.kind() {
        _ if is_exhausted(error) => Some(Cause::Exhausted),
        // The library's own, for a connection of HTTP/2 that was closed.
        io::ErrorKind::BrokenPipe if error.raw_os_error().is_none() => None,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
            Some(Cause::Reset)
        }
        io::ErrorKind::TimedOut => Some(Cause::Timeout),
        _ => None,
    }
}

/// The cause behind an error of HTTP/2. Errors that the server names are ends that it chose. Errors
/// that the library names are broken rules; floods among them have a name of their own (RFC 9113,
/// section 7).
fn cause_of_http2(error: &h2::Error) -> Option<Cause> {
    let reason = error.reason()?;
    Some(match (error.is_remote(), reason) {
        (true, h2::Reason::NO_ERROR) => Cause::Incomplete,
        (true, _) => Cause::Reset,
        // The second is the library's for a list of fields that is too long.
        (false, h2::Reason::ENHANCE_YOUR_CALM | h2::Reason::REFUSED_STREAM) => Cause::HeaderFlood,
        (false, _) => Cause::BadHttp,
    })
}

/// Whether the server wants the request over HTTP/1.1 (RFC 9113, section 7).
pub(super) fn wants_http1(error: &reqwest::Error) -> bool {
    let is_told = |error: &h2::Error| error.is_remote() && error.reason() == Some(h2::Reason::HTTP_1_1_REQUIRED);
    chain(error).any(|error| error.downcast_ref().is_some_and(is_told))
}

fn cause_of_connecting(error: &(dyn StdError + 'static)) -> Option<Cause> {
    if error.is::<rustls::Error>() {
        return Some(Cause::Tls);
    }
    let error = error.downcast_ref::<io::Error>()?;
    match error.kind() {
        _ if is_exhausted(error) => Some(Cause::Exhausted),
        io::ErrorKind::ConnectionRefused => Some(Cause::ConnectionRefused),
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => Some(Cause::Reset),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::NetworkDown => Some(Cause::Offline),
        io::ErrorKind::TimedOut => Some(Cause::ConnectTimeout),
        // The connection was closed while TLS was being agreed on.
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => Some(Cause::Tls),
        _ => None,
    }
}

/// What a proxy says of the host. The library keeps its types to itself and gives these texts.
fn cause_of_proxy(error: &(dyn StdError + 'static)) -> Option<Cause> {
    let text = error.to_string();
    if let Some(said) = text.strip_prefix("SOCKS error: ") {
        return Some(match said {
            "connection refused" => Cause::ConnectionRefused,
            "host unreachable" | "network unreachable" | "ttl expired" => Cause::Unreachable,
            "general server failure" | "address type not supported" => Cause::Unreachable,
            _ => Cause::Proxy,
        });
    }
    match text.strip_prefix("tunnel error: ")? {
        "unsuccessful" => Some(Cause::Unreachable),
        _ => Some(Cause::Proxy),
    }
}

/// Whether this machine, and not the host, ran out: EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL
/// on Linux.
pub(super) fn is_exhausted(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(24 | 23 | 105 | 12 | 99))
}
