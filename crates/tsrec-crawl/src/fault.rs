//! Whose fault a failure is, as fetching, the crawl and the frontier use the word.

/// Whose fault a failure is. The URL or its host is put off for it. Our own failures are neither's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The URL's fault. Other URLs of the host may work: the host answered, or was not asked.
    Url,
    /// The host's fault. The host and all its URLs are left alone for a while. The URL is given up
    /// only if the host has answered for other URLs since.
    Host,
}
