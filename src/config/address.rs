//! Addresses as people write them, often without a scheme.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use url::{Host, Url};

/// Reads a URL.
///
/// # Errors
///
/// If it is not a URL. The error suggests the intended one, if possible.
pub(crate) fn parse_url(given: &str) -> Result<Url, String> {
    let meant = || with_scheme(given).map(|url| format!(": did you mean {url}?")).unwrap_or_default();
    match Url::parse(given) {
        // `localhost:8000/` is a URL by the standard, with the scheme `localhost`.
        Ok(url) if !url.has_host() && with_scheme(given).is_some() => {
            Err(format!("{given:?} has no scheme{}", meant()))
        }
        Ok(url) => Ok(url),
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            Err(format!("{given:?} has no scheme, as https://example.org/ has{}", meant()))
        }
        Err(error) => Err(format!("{given:?} is no URL: {error}")),
    }
}

/// The intended address, if the scheme was left out: the text begins with a name with a dot, or
/// with a local machine.
pub(crate) fn with_scheme(given: &str) -> Option<Url> {
    if given.contains("://") {
        return None;
    }
    let url = Url::parse(&format!("https://{given}")).ok()?;
    match url.host()? {
        Host::Domain("localhost") => Url::parse(&format!("http://{given}")).ok(),
        Host::Domain(domain) => domain.trim_matches('.').contains('.').then_some(url),
        // A plain number is an address by the standard, too.
        address if given.contains(&address.to_string()) => Url::parse(&format!("http://{given}")).ok(),
        _ => None,
    }
}

/// True if the host is an IP address or `localhost`, or if the public suffix list knows its end. So
/// `page.html` is not a host.
pub(crate) fn has_public_suffix(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain("localhost")) => true,
        Some(Host::Domain(domain)) => tsrec_suffixes::has_known_suffix(domain),
        address => address.is_some(),
    }
}

/// A list of URLs in a configuration.
pub(super) fn urls<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<Url>, D::Error> {
    let given = Vec::<String>::deserialize(list)?;
    given.iter().map(|given| parse_url(given).map_err(D::Error::custom)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_that_was_left_out_is_said() {
        for (given, meant) in [
            ("example.org/a", Some("https://example.org/a")),
            ("www.example.co.uk", Some("https://www.example.co.uk/")),
            ("example.org:8443/a?b", Some("https://example.org:8443/a?b")),
            ("localhost:8000/", Some("http://localhost:8000/")),
            ("127.0.0.1:8000/a", Some("http://127.0.0.1:8000/a")),
            ("x.example/a", Some("https://x.example/a")),
            ("pages/page.html", None),
            ("../page.html", None),
            ("org", None),
            ("7", None),
            ("", None),
        ] {
            assert_eq!(with_scheme(given).as_ref().map(Url::as_str), meant, "{given}");
            let error = parse_url(given).unwrap_err();
            assert_eq!(error.contains("did you mean"), meant.is_some(), "{given}: {error}");
        }
        for (host, is_public) in
            [("example.co.uk", true), ("localhost", true), ("127.0.0.1", true), ("page.html", false)]
        {
            assert_eq!(has_public_suffix(&with_scheme(host).unwrap()), is_public, "{host}");
        }
        for good in ["https://example.org/a", "http://localhost:8000/", "urn:example:a"] {
            assert_eq!(parse_url(good).unwrap().as_str(), good);
        }
    }
}
