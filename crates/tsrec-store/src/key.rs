//! `host\0url`: the key of everything stored about a URL. It sorts the URLs of a host together.

use url::Url;

use crate::error::{Error, Kind};

/// The longest URL that can be a key, in bytes of its serialised form. Judgement: sitemaps.org
/// allows 2,048 characters, and longer URLs in the wild are session state, not pages.
pub const MAX_URL_LEN: usize = 2_048;

/// A checked URL and its host. The bytes of a key are `host\0url`. Neither part can hold a zero
/// byte, since the URL standard's serialisation escapes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    bytes: String,
    host_len: usize,
}

impl Key {
    /// Parses the URL and keeps the URL standard's serialisation, so that two spellings of a URL
    /// give one key.
    pub fn parse(url: &str) -> Result<Key, Error> {
        let parsed = Url::parse(url).map_err(|e| bad(url, e.to_string()))?;
        Key::from_url(&parsed)
    }

    /// The key of a parsed URL.
    pub fn from_url(url: &Url) -> Result<Key, Error> {
        let text = url.as_str();
        if text.len() > MAX_URL_LEN {
            return Err(bad(text, format!("it has {} bytes, at most {MAX_URL_LEN} are possible", text.len())));
        }
        let host =
            url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| bad(text, "it names no host".into()))?;
        Ok(Key { bytes: format!("{host}\0{text}"), host_len: host.len() })
    }

    /// The key of a host itself, without a URL.
    pub fn of_host(host: &str) -> Key {
        Key { bytes: format!("{host}\0"), host_len: host.len() }
    }

    /// The host.
    pub fn host(&self) -> &str {
        &self.bytes[..self.host_len]
    }

    /// The URL, as the URL standard serialises it.
    pub fn url(&self) -> &str {
        &self.bytes[self.host_len + 1..]
    }

    /// `host\0url`.
    pub fn as_str(&self) -> &str {
        &self.bytes
    }

    /// As bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }

    /// The key of a URL in a queue; neither argument holds a zero byte.
    pub fn in_queue(host: &str, url: &str) -> Key {
        Key { bytes: format!("{host}\0{url}"), host_len: host.len() }
    }

    /// Whether this is `host\0url` with a URL that [`Key::parse`] accepts, of any length.
    pub fn is_sound(text: &str) -> bool {
        let Some((host, url)) = text.split_once('\0') else { return false };
        !host.is_empty() && Url::parse(url).is_ok_and(|url| url.host_str() == Some(host))
    }

    /// The key from `host\0url` bytes of a tree. `None` if the bytes are no key.
    pub fn from_bytes(bytes: &[u8]) -> Option<Key> {
        let bytes = std::str::from_utf8(bytes).ok()?.to_owned();
        let host_len = bytes.find('\0')?;
        Some(Key { bytes, host_len })
    }
}

/// The message cuts a long URL, which may be megabytes.
fn bad(url: &str, reason: String) -> Error {
    Kind::Url { url: url.chars().take(200).collect(), reason }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_becomes_its_host_and_itself() {
        for (url, expect) in [
            ("http://example.com", Some("example.com|http://example.com/")),
            ("HTTP://Example.COM:80/A b?q#f", Some("example.com|http://example.com/A%20b?q#f")),
            ("http://example.com:8080/", Some("example.com|http://example.com:8080/")),
            ("https://b\u{fc}cher.example/", Some("xn--bcher-kva.example|https://xn--bcher-kva.example/")),
            ("http://[::1]/x", Some("[::1]|http://[::1]/x")),
            ("http://a/\0b", Some("a|http://a/%00b")),
            ("/relative", None),
            ("mailto:someone@example.com", None),
            ("file:///etc/passwd", None),
            ("", None),
        ] {
            let key = Key::parse(url);
            if let Err(error) = &key {
                assert!(error.is_invalid(), "{url}: {error}");
            }
            let key = key.ok().inspect(|key| assert_eq!(Key::from_bytes(key.as_bytes()).as_ref(), Some(key)));
            assert_eq!(key.map(|key| format!("{}|{}", key.host(), key.url())).as_deref(), expect, "{url}");
        }
    }

    #[test]
    fn a_url_is_as_long_as_the_bound_and_no_longer() {
        let url = format!("http://a/{}", "x".repeat(MAX_URL_LEN - "http://a/".len()));
        assert!(Key::parse(&url).is_ok());
        let error = Key::parse(&format!("{url}x")).unwrap_err();
        assert!(error.is_invalid() && error.to_string().contains("2049 bytes"), "{error}");
    }
}
