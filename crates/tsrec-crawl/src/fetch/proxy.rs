//! The proxy through which all requests go, if the configuration names one.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::{Host, Url};

/// The address of a proxy, such as `socks5://user:password@127.0.0.1:1080`. It is shown without its
/// password.
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyUrl(Url);

/// Who resolves the names of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamesResolvedBy {
    /// We do, and check their addresses.
    Us,
    /// The proxy does: it gets names.
    Proxy,
}

impl ProxyUrl {
    /// Reads the address of a proxy.
    ///
    /// # Errors
    /// What is wrong with it, and what to write instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wanted = "write http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT";
        let url = Url::parse(text).map_err(|error| format!("it is no address ({error}); {wanted}"))?;
        match url.scheme() {
            "http" | "https" | "socks5" => {}
            "socks5h" | "socks4a" | "socks4" => {
                return Err(format!("`{}` is not supported; write socks5://HOST:PORT", url.scheme()));
            }
            scheme => return Err(format!("its scheme is `{scheme}`; {wanted}")),
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(format!("it names no host; {wanted}"));
        }
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(format!("it goes on after the port; {wanted}"));
        }
        Ok(Self(url))
    }

    /// Who resolves names when this proxy is used.
    pub(super) fn names_resolved_by(&self) -> NamesResolvedBy {
        match self.0.scheme() {
            "socks5" => NamesResolvedBy::Us,
            _ => NamesResolvedBy::Proxy,
        }
    }

    /// The URL as resolvers take it: they know the default ports of http and https alone.
    pub(super) fn url(&self) -> &Url {
        &self.0
    }

    /// The URL for reqwest, with the proxy at this address. A socks5 proxy gets the address for its
    /// name, since reqwest asks the same resolver for the name of the target. The name of the
    /// others stays: the certificate of an https proxy is for the name.
    pub(super) fn at(&self, address: IpAddr) -> Url {
        let mut url = self.0.clone();
        if self.names_resolved_by() == NamesResolvedBy::Us {
            let _ = url.set_host(Some(&host(address))); // An address is a host.
        }
        url
    }

    /// The URL with its password replaced.
    fn shown(&self) -> String {
        let mut url = self.0.clone();
        if url.password().is_some() {
            let _ = url.set_password(Some("...")); // Only URLs without a host fail.
        }
        url.to_string()
    }
}

/// The address as a URL names it.
fn host(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => Host::<&str>::Ipv4(address).to_string(),
        IpAddr::V6(address) => Host::<&str>::Ipv6(address).to_string(),
    }
}

impl fmt::Debug for ProxyUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProxyUrl({})", self.shown())
    }
}

impl fmt::Display for ProxyUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

/// Without the password: `tsrec config show` prints it.
impl Serialize for ProxyUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown())
    }
}

impl<'de> Deserialize<'de> for ProxyUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(|why| serde::de::Error::custom(format!("the proxy cannot be used: {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_read_or_refused_with_the_way_out() {
        for (text, expect) in [
            ("socks5://127.0.0.1:1080", Ok(NamesResolvedBy::Us)),
            ("socks5://user:secret@proxy.example", Ok(NamesResolvedBy::Us)),
            ("socks5://[::1]:1080", Ok(NamesResolvedBy::Us)),
            ("http://proxy.example:3128", Ok(NamesResolvedBy::Proxy)),
            ("http://proxy.example:3128/", Ok(NamesResolvedBy::Proxy)),
            ("https://user:secret@proxy.example", Ok(NamesResolvedBy::Proxy)),
            ("socks5h://127.0.0.1:1080", Err("socks5://")),
            ("socks4://127.0.0.1:1080", Err("socks5://")),
            ("ftp://proxy.example", Err("`ftp`")),
            ("proxy.example:3128", Err("http://HOST:PORT")),
            ("127.0.0.1:3128", Err("http://HOST:PORT")),
            ("", Err("http://HOST:PORT")),
            ("socks5://", Err("no host")),
            ("http://proxy.example/path", Err("after the port")),
            ("http://proxy.example/?a", Err("after the port")),
        ] {
            match (ProxyUrl::parse(text), expect) {
                (Ok(proxy), Ok(by)) => assert_eq!(proxy.names_resolved_by(), by, "{text}"),
                (Err(why), Err(part)) => assert!(why.contains(part), "{text}: {why}"),
                (found, expect) => panic!("{text}: {found:?}, expected {expect:?}"),
            }
        }
    }

    #[test]
    fn the_password_is_shown_nowhere() {
        let proxy = ProxyUrl::parse("socks5://user:secret@127.0.0.1:1080").unwrap();
        let serialized = serde_json::to_string(&proxy).unwrap();
        for text in [format!("{proxy:?}"), proxy.to_string(), serialized] {
            assert!(!text.contains("secret") && text.contains("user") && text.contains("127.0.0.1:1080"), "{text}");
        }
    }

    #[test]
    fn a_socks_proxy_is_asked_at_its_address_and_others_by_their_name() {
        for (text, address, expect) in [
            ("socks5://user:secret@proxy.example:1080", "192.0.2.1", "socks5://user:secret@192.0.2.1:1080"),
            ("socks5://proxy.example", "2001:db8::1", "socks5://[2001:db8::1]"),
            ("https://proxy.example:3128", "192.0.2.1", "https://proxy.example:3128/"),
        ] {
            let url = ProxyUrl::parse(text).unwrap().at(address.parse().unwrap());
            assert_eq!(url.as_str(), expect);
        }
    }
}
