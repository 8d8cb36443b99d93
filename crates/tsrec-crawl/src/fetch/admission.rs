//! Which URLs the client refuses, as far as it can tell before it resolves any name.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::address;

/// Longest URL requested, in bytes: what a site may list in its sitemap (sitemaps.org protocol,
/// `loc`). A longer one is a trap or an accident, and matching robots.txt rules costs more with
/// length.
const MAX_URL_BYTES: usize = 2048;

/// Why the client refuses a URL. Its text follows "refused to fetch `<url>`: ".
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// Neither http nor https.
    Scheme(String),
    /// A user name or a password in the URL.
    Credentials,
    /// The port is that of another protocol.
    Port(u16),
    /// Longer than [`MAX_URL_BYTES`]; the length in bytes.
    Length(usize),
    /// The host is, or resolves to, only addresses that are not globally reachable. Holds one of
    /// them and its description.
    Address(IpAddr, &'static str),
}

/// Checks everything about a URL that needs no resolved host. An IP literal never reaches the
/// resolver, so its address is checked here.
pub(super) fn admit(url: &Url, allow_private_addresses: bool) -> Result<(), Refusal> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Refusal::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Refusal::Credentials);
    }
    if url.as_str().len() > MAX_URL_BYTES {
        return Err(Refusal::Length(url.as_str().len()));
    }
    let literal = match url.host() {
        Some(Host::Ipv4(address)) => Some(IpAddr::from(address)),
        Some(Host::Ipv6(address)) => Some(IpAddr::from(address)),
        Some(Host::Domain(_)) | None => None,
    };
    if let Some(address) = literal.filter(|_| !allow_private_addresses)
        && let Some(what) = address::refusal(address)
    {
        return Err(Refusal::Address(address, what));
    }
    match url.port() {
        Some(port) if is_bad_port(port) => Err(Refusal::Port(port)),
        _ => Ok(()),
    }
}

/// Whether browsers block this port (Fetch standard, section 2.10). Something else than HTTP
/// listens there. A request could harm it, and any link could make the crawler contact it.
pub(crate) fn is_bad_port(port: u16) -> bool {
    BAD_PORTS.binary_search(&port).is_ok()
}

const BAD_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheme(scheme) => write!(f, "its scheme is `{scheme}`; only http and https are fetched"),
            Self::Credentials => f.write_str("it carries a user name or a password; take them out of the URL"),
            Self::Port(port) => write!(f, "port {port} is that of another protocol, as the Fetch standard lists them"),
            Self::Length(bytes) => write!(f, "it is {bytes} bytes long; at most {MAX_URL_BYTES} are fetched"),
            Self::Address(address, what) => {
                write!(f, "{address} is {what}; to crawl such addresses set `allow_private_addresses`")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expect` is a part of the refusal, or empty for a URL that is admitted.
    fn check(url: &str, expect: &str) {
        match admit(&Url::parse(url).unwrap(), false) {
            Ok(()) => assert!(expect.is_empty(), "{url} is admitted, expected: {expect}"),
            Err(refusal) => {
                let text = refusal.to_string();
                assert!(!expect.is_empty() && text.contains(expect), "{url}: {text}");
            }
        }
    }

    #[test]
    fn urls_are_judged_before_any_name_is_resolved() {
        for (url, expect) in [
            ("http://example.org/", ""),
            ("https://example.org:8443/a?b#c", ""),
            ("http://93.184.215.14/", ""),
            ("http://[2606:4700::1111]/", ""),
            ("ftp://example.org/", "`ftp`"),
            ("file:///etc/passwd", "`file`"),
            ("data:text/html,x", "`data`"),
            ("mailto:a@example.org", "`mailto`"),
            ("http://user@example.org/", "user name"),
            ("http://:secret@example.org/", "user name"),
            ("http://127.0.0.1/", "127.0.0.1 is a loopback"),
            ("http://0x7f.1/", "127.0.0.1 is a loopback"),
            ("http://2130706433/", "127.0.0.1 is a loopback"),
            ("http://127.0.0.1./", "127.0.0.1 is a loopback"),
            ("http://[::1]/", "::1 is the loopback"),
            ("http://[::ffff:7f00:1]/", "loopback"),
            ("http://169.254.169.254/latest/", "`allow_private_addresses`"),
            ("http://example.org:25/", "port 25 is that of another protocol"),
            ("https://93.184.215.14:10080/", "port 10080"),
            ("http://example.org:0/", "port 0"),
            ("http://example.org:26/", ""),
        ] {
            check(url, expect);
        }
        let at_most = format!("http://example.org/{}", "a".repeat(MAX_URL_BYTES - 19));
        check(&at_most, "");
        check(&format!("{at_most}a"), "2049 bytes");
    }

    #[test]
    fn ports_are_in_order() {
        assert!(BAD_PORTS.is_sorted());
        assert!([80, 443, 8080, 8443].iter().all(|&port| !is_bad_port(port)));
    }

    #[test]
    fn private_addresses_are_admitted_on_demand_but_nothing_else_is() {
        let admit = |url| admit(&Url::parse(url).unwrap(), true);
        assert!(admit("http://127.0.0.1/").is_ok());
        assert!(admit("http://[fe80::1]/").is_ok());
        assert!(matches!(admit("http://user@127.0.0.1/"), Err(Refusal::Credentials)));
        assert!(matches!(admit("ftp://127.0.0.1/"), Err(Refusal::Scheme(_))));
        assert!(matches!(admit("http://127.0.0.1:22/"), Err(Refusal::Port(22))));
    }
}
