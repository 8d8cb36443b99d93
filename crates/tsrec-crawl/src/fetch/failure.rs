//! A failed request without its URL, with the causes told apart from what the libraries report.

use std::error::Error as _;
use std::io;

use super::admission::Refusal;
use super::cause::Cause;
use super::connection::is_exhausted;
use super::resolver::Unresolved;
use super::wire::Flood;

type FailureSource = Box<dyn std::error::Error + Send + Sync>;

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

    /// A failure from an error of the HTTP library.
    pub(super) fn http(error: hyper::Error) -> Self {
        Self::new(cause_of(&error), error)
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

fn cause_of(error: &hyper::Error) -> Cause {
    let mut source = error.source();
    while let Some(found) = source {
        if let Some(cause) = found.downcast_ref::<io::Error>().and_then(cause_of_io) {
            return cause;
        }
        source = found.source();
    }
    match error {
        error if error.is_parse_too_large() => Cause::HeaderFlood,
        error if error.is_parse() => Cause::BadHttp,
        _ => Cause::Incomplete,
    }
}

fn cause_of_io(error: &io::Error) -> Option<Cause> {
    if error.get_ref().is_some_and(|inner| inner.is::<Flood>()) {
        return Some(Cause::HeaderFlood);
    }
    if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) {
        return Some(Cause::Tls);
    }
    match error.kind() {
        _ if is_exhausted(error) => Some(Cause::Exhausted),
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
            Some(Cause::Reset)
        }
        io::ErrorKind::TimedOut => Some(Cause::Timeout),
        _ => None,
    }
}
