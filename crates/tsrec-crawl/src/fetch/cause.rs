//! The causes of failures by name, and whose fault each is.

use std::fmt;

use crate::fault::Fault;

/// Why there is no page. The names are labels of metrics and do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The configuration or the machine prevents all fetching.
    Setup,
    /// The client refuses the URL for its scheme, its length, a password in it, or its address.
    Refused,
    /// A robots.txt that was read forbids the URL.
    Disallowed,
    /// The robots.txt cannot be read; the error's source says why.
    RobotsUnreachable,
    /// The host or its address was asked a moment ago, and its turn has not come. No request was
    /// made.
    Busy,
    /// The name does not exist.
    NoSuchName,
    /// The name could not be resolved this time.
    NameService,
    /// No name can be resolved: several different names failed in a row.
    ResolverDown,
    /// Out of file descriptors, ports or memory for sockets.
    Exhausted,
    /// This machine has no route to the network.
    Offline,
    /// The proxy cannot be reached, or does not let us in.
    Proxy,
    /// No connection, or no agreement on TLS, in time.
    ConnectTimeout,
    /// Nobody listens at the port.
    ConnectionRefused,
    /// No route to the address.
    Unreachable,
    /// TLS failed: a certificate that is not trusted, or no common version.
    Tls,
    /// The head of the answer did not come in time.
    ResponseTimeout,
    /// The body came slower than the lowest rate allowed.
    TooSlow,
    /// The whole request took too long.
    Timeout,
    /// The connection was reset.
    Reset,
    /// The connection was closed before the answer was complete.
    Incomplete,
    /// The head, with everything sent before it, is too large.
    HeaderFlood,
    /// The answer is not HTTP.
    BadHttp,
    /// The body's compression is broken.
    BadCompression,
    /// The body came in an encoding that was not asked for.
    UnknownEncoding,
    /// The answer is not HTML.
    NotHtml,
    /// A listing was requested, and the answer is no sitemap, no feed and no list of URLs.
    NotListing,
    /// A success status without a page: 202, 204, 205 and 206, or a body of no text at all.
    NoContent,
    /// 404 or 410.
    Gone,
    /// 429.
    RateLimited,
    /// Another 4xx.
    ClientError,
    /// 5xx.
    ServerError,
    /// A status without a meaning here, such as 300, or 304 to an unconditional request.
    OddStatus,
    /// A redirect without a usable `Location`.
    BadRedirect,
    /// Redirects in a circle, or too many.
    RedirectLoop,
    /// The program was ending, or its threads were gone.
    Interrupted,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 35] = [
        Self::Setup,
        Self::Refused,
        Self::Disallowed,
        Self::RobotsUnreachable,
        Self::Busy,
        Self::NoSuchName,
        Self::NameService,
        Self::ResolverDown,
        Self::Exhausted,
        Self::Offline,
        Self::Proxy,
        Self::ConnectTimeout,
        Self::ConnectionRefused,
        Self::Unreachable,
        Self::Tls,
        Self::ResponseTimeout,
        Self::TooSlow,
        Self::Timeout,
        Self::Reset,
        Self::Incomplete,
        Self::HeaderFlood,
        Self::BadHttp,
        Self::BadCompression,
        Self::UnknownEncoding,
        Self::NotHtml,
        Self::NotListing,
        Self::NoContent,
        Self::Gone,
        Self::RateLimited,
        Self::ClientError,
        Self::ServerError,
        Self::OddStatus,
        Self::BadRedirect,
        Self::RedirectLoop,
        Self::Interrupted,
    ];

    /// The name: lower case, words joined by `-`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Refused => "refused",
            Self::Disallowed => "disallowed",
            Self::RobotsUnreachable => "robots-unreachable",
            Self::Busy => "busy",
            Self::NoSuchName => "no-such-name",
            Self::NameService => "name-service",
            Self::ResolverDown => "resolver-down",
            Self::Exhausted => "exhausted",
            Self::Offline => "offline",
            Self::Proxy => "proxy",
            Self::ConnectTimeout => "connect-timeout",
            Self::ConnectionRefused => "connection-refused",
            Self::Unreachable => "unreachable",
            Self::Tls => "tls",
            Self::ResponseTimeout => "response-timeout",
            Self::TooSlow => "too-slow",
            Self::Timeout => "timeout",
            Self::Reset => "reset",
            Self::Incomplete => "incomplete",
            Self::HeaderFlood => "header-flood",
            Self::BadHttp => "bad-http",
            Self::BadCompression => "bad-compression",
            Self::UnknownEncoding => "unknown-encoding",
            Self::NotHtml => "not-html",
            Self::NotListing => "not-listing",
            Self::NoContent => "no-content",
            Self::Gone => "gone",
            Self::RateLimited => "rate-limited",
            Self::ClientError => "client-error",
            Self::ServerError => "server-error",
            Self::OddStatus => "odd-status",
            Self::BadRedirect => "bad-redirect",
            Self::RedirectLoop => "redirect-loop",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whose fault it is. `None` if it is our own or nobody's: then neither the URL nor its host is
    /// put off.
    pub fn fault(self) -> Option<Fault> {
        let fault = match self {
            Self::Setup
            | Self::Busy
            | Self::ResolverDown
            | Self::Exhausted
            | Self::Offline
            | Self::Proxy
            | Self::Interrupted => return None,
            Self::RobotsUnreachable
            | Self::NoSuchName
            | Self::NameService
            | Self::ConnectTimeout
            | Self::ConnectionRefused
            | Self::Unreachable
            | Self::Tls
            | Self::ResponseTimeout
            | Self::TooSlow
            | Self::Timeout
            | Self::Reset
            | Self::Incomplete
            | Self::HeaderFlood
            | Self::BadHttp
            | Self::RateLimited
            | Self::ServerError => Fault::Host,
            Self::Refused
            | Self::Disallowed
            | Self::BadCompression
            | Self::UnknownEncoding
            | Self::NotHtml
            | Self::NotListing
            | Self::NoContent
            | Self::Gone
            | Self::ClientError
            | Self::OddStatus
            | Self::BadRedirect
            | Self::RedirectLoop => Fault::Url,
        };
        Some(fault)
    }

    /// Whether a later attempt may work.
    pub fn is_transient(self) -> bool {
        match self.fault() {
            Some(Fault::Host) => true,
            Some(Fault::Url) => matches!(self, Self::BadCompression | Self::NoContent),
            None => self != Self::Setup,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_labels_and_each_is_its_own() {
        let names: HashSet<_> = Cause::ALL.iter().map(|cause| cause.as_str()).collect();
        assert_eq!(names.len(), Cause::ALL.len());
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
    }

    #[test]
    fn what_is_ours_is_nobody_elses() {
        for (cause, fault, transient) in [
            (Cause::Exhausted, None, true),
            (Cause::ResolverDown, None, true),
            (Cause::Proxy, None, true),
            (Cause::Setup, None, false),
            (Cause::Busy, None, true),
            (Cause::ConnectionRefused, Some(Fault::Host), true),
            (Cause::TooSlow, Some(Fault::Host), true),
            (Cause::BadCompression, Some(Fault::Url), true),
            (Cause::NoContent, Some(Fault::Url), true),
            (Cause::Gone, Some(Fault::Url), false),
            (Cause::NotHtml, Some(Fault::Url), false),
        ] {
            assert_eq!((cause.fault(), cause.is_transient()), (fault, transient), "{cause}");
        }
    }
}
