//! What can go wrong, by name, and whose fault it is.

use std::fmt;

/// Why there is no page. The names are labels of metrics, and do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The configuration or the machine does not let us fetch at all.
    Setup,
    /// The URL is not asked for: its scheme, its length, a password in it, its address.
    Refused,
    /// A robots.txt that was read forbids it.
    Disallowed,
    /// The robots.txt cannot be read; the error's source says why.
    RobotsUnreachable,
    /// The host or its address was asked a moment ago: its turn has not come. No request was made.
    Busy,
    /// The name does not exist.
    NoSuchName,
    /// The name could not be resolved this time.
    NameService,
    /// No name can be resolved: several different ones failed in a row.
    ResolverDown,
    /// Out of file descriptors, ports or memory for sockets.
    Exhausted,
    /// This machine has no way to the network.
    Offline,
    /// No connection, or no agreement on TLS, in time.
    ConnectTimeout,
    /// Nobody listens at the port.
    ConnectionRefused,
    /// No way to the address.
    Unreachable,
    /// TLS failed: a certificate that is not trusted, or no common version.
    Tls,
    /// The answer's head was not there in time.
    ResponseTimeout,
    /// The body came slower than the least that is waited for.
    TooSlow,
    /// The whole request took too long.
    Timeout,
    /// The connection was reset.
    Reset,
    /// The connection was closed before the answer was whole.
    Incomplete,
    /// The head, with all that was sent before it, is too large.
    HeaderFlood,
    /// What came is not HTTP.
    BadHttp,
    /// The body's compression is broken.
    BadCompression,
    /// The body came in an encoding that was not asked for.
    UnknownEncoding,
    /// The answer is not HTML.
    NotHtml,
    /// The answer is no sitemap, no feed and no list of URLs, where one was asked for.
    NotListing,
    /// 404 or 410.
    Gone,
    /// 429.
    RateLimited,
    /// Another 4xx.
    ClientError,
    /// 5xx.
    ServerError,
    /// A status that means nothing here, such as 300, or 304 without having asked.
    OddStatus,
    /// A redirect without a usable `Location`.
    BadRedirect,
    /// Redirects in a circle, or too many.
    RedirectLoop,
    /// The program was ending, or its threads were gone.
    Interrupted,
}

/// Whose fault a failure is, and so who bears it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The URL's: others of its host may well do. Its host has answered, or was not asked.
    Url,
    /// The host's: it is to be left alone for a while, with all its URLs.
    Host,
    /// Our own, or nobody's: neither the URL nor its host is to suffer for it.
    Own,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 33] = [
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

    /// Whose fault it is.
    pub fn fault(self) -> Fault {
        match self {
            Self::Setup | Self::Busy | Self::ResolverDown | Self::Exhausted | Self::Offline | Self::Interrupted => {
                Fault::Own
            }
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
            | Self::Gone
            | Self::ClientError
            | Self::OddStatus
            | Self::BadRedirect
            | Self::RedirectLoop => Fault::Url,
        }
    }

    /// Whether it may go better later.
    pub fn is_transient(self) -> bool {
        match self.fault() {
            Fault::Host => true,
            Fault::Own => self != Self::Setup,
            Fault::Url => self == Self::BadCompression,
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
            (Cause::Exhausted, Fault::Own, true),
            (Cause::ResolverDown, Fault::Own, true),
            (Cause::Setup, Fault::Own, false),
            (Cause::Busy, Fault::Own, true),
            (Cause::ConnectionRefused, Fault::Host, true),
            (Cause::TooSlow, Fault::Host, true),
            (Cause::BadCompression, Fault::Url, true),
            (Cause::Gone, Fault::Url, false),
            (Cause::NotHtml, Fault::Url, false),
        ] {
            assert_eq!((cause.fault(), cause.is_transient()), (fault, transient), "{cause}");
        }
    }
}
