//! Headers that need parsing: locations, waits, cookies and refreshes.

use std::fmt::Write;
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderValue, REFRESH, SET_COOKIE};
use url::{ParseError, Url};

use super::dates::http_date;
use tsrec_core::html::refresh::{Refresh, refresh_header};

/// Longest wait reported from a `Retry-After` header. Judgement: a longer one is a mistake, or
/// would make us forget the URL. A day is also how long robots.txt may be cached (RFC 9309, section
/// 2.4).
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// The URL that a `Location` header points to (RFC 9110, section 10.2.2). It drops the fragment,
/// which is never sent, and the user name and password, which are never sent or shown.
///
/// Bytes outside ASCII are percent-encoded as they are, as browsers do. This is right for UTF-8 and
/// for older encodings.
pub(super) fn location(base: &Url, value: &[u8]) -> Result<Url, ParseError> {
    let mut reference = String::with_capacity(value.len());
    for &byte in value {
        if byte.is_ascii() {
            reference.push(char::from(byte));
        } else {
            let _ = write!(reference, "%{byte:02X}"); // Writing to a string cannot fail.
        }
    }
    let mut to = base.join(&reference)?;
    to.set_fragment(None);
    // Both calls fail only for URLs that cannot have a user name, and so have none.
    let _ = to.set_username("");
    let _ = to.set_password(None);
    Ok(to)
}

/// What the first `Refresh` header asks for.
pub(super) fn refresh(page: &Url, headers: &HeaderMap) -> Option<Refresh> {
    refresh_header(&String::from_utf8_lossy(headers.get(REFRESH)?.as_bytes()), page)
}

/// Most bytes of cookies sent back. Judgement: browsers send 4 KB of each.
const MAX_COOKIE_BYTES: usize = 4 << 10;

/// The cookies that an answer sets, as a request sends them (RFC 6265, section 4.2.1). `None` if it
/// sets none. Their attributes are not looked at: they go to the same URL at once, and nowhere
/// else.
pub(super) fn cookie(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut pairs: Vec<&[u8]> = Vec::new();
    let mut left = MAX_COOKIE_BYTES;
    for value in headers.get_all(SET_COOKIE) {
        let pair = value.as_bytes().split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
        let is_pair = pair.iter().position(|&byte| byte == b'=').is_some_and(|at| at > 0);
        if !is_pair || pair.len() > left {
            continue;
        }
        left -= pair.len();
        pairs.push(pair);
    }
    if pairs.is_empty() { None } else { HeaderValue::from_bytes(&pairs.join(&b"; "[..])).ok() }
}

/// The wait that a `Retry-After` header asks for (RFC 9110, section 10.2.3), in seconds or until a
/// date in any of the three forms of section 5.6.7, at most [`MAX_RETRY_AFTER`]. `None` if it is
/// neither.
pub(super) fn retry_after(value: &[u8], now: Timestamp) -> Option<Duration> {
    let value = std::str::from_utf8(value).ok()?.trim();
    let wait = if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        Duration::from_secs(value.parse().unwrap_or(u64::MAX)) // Only an overflow fails: digits, but too many.
    } else {
        let until = http_date(value)?;
        Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO) // A date in the past: no wait.
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_resolved_and_lose_their_fragment() {
        let base = Url::parse("http://example.org/a/b?c").unwrap();
        for (value, expect) in [
            (&b"d"[..], "http://example.org/a/d"),
            (b"/d#e", "http://example.org/d"),
            (b"//other.example/", "http://other.example/"),
            (b"https://example.org/#top", "https://example.org/"),
            (b"//user:secret@example.org/a", "http://example.org/a"),
            (b"mailto:someone@example.org", "mailto:someone@example.org"),
            (b"?x", "http://example.org/a/b?x"),
            (b"", "http://example.org/a/b?c"),
            ("/ü".as_bytes(), "http://example.org/%C3%BC"),
            (b"/\xFC", "http://example.org/%FC"),
            ("http://b\u{fc}cher.example/".as_bytes(), "http://xn--bcher-kva.example/"),
        ] {
            assert_eq!(location(&base, value).unwrap().as_str(), expect);
        }
        assert!(location(&base, b"http://[::/").is_err());
    }

    #[test]
    fn waits_are_seconds_or_a_date_and_bounded() {
        let now: Timestamp = "1994-11-06T08:49:00Z".parse().unwrap();
        for (value, expect) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("86401", Some(86400)),
            ("99999999999999999999999", Some(86400)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(37)),
            ("Sun, 06 Nov 1994 08:48:37 GMT", Some(0)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(37)),
            ("Sun Nov  6 08:49:37 1994", Some(37)),
            ("Sun Nov 06 08:49:37 1994", Some(37)),
            ("Sun Nov  6 08:49:37 GMT 1994", Some(37)),
            ("Sun, 6 Nov 1994 08:49:37 GMT", Some(37)),
            ("Sun, 06 Nov 1994 08:49:37 UTC", Some(37)),
            ("Sun, 06-Nov-1994 08:49:37 GMT", Some(37)),
            ("06 Nov 1994 08:49:37 GMT", Some(37)),
            ("120, 60", None),
            ("1.5", None),
            ("Tue, 06 Nov 2096 08:49:37 GMT", Some(86400)),
            ("", None),
            ("-1", None),
            ("soon", None),
        ] {
            assert_eq!(retry_after(value.as_bytes(), now), expect.map(Duration::from_secs), "{value}");
        }
    }
}
