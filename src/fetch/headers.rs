//! The two response headers that need more than copying: `Location` and `Retry-After`.

use std::fmt::Write;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use url::{ParseError, Url};

/// Longest wait reported from a `Retry-After` header. Judgement: a longer one is a mistake, or a way to be forgotten; a
/// day is also how long robots.txt may be cached (RFC 9309, section 2.4).
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

static HTTP_DATE: DateTimeParser = DateTimeParser::new();

/// The URL that a `Location` header points to (RFC 9110, section 10.2.2), without its fragment, which is never sent.
///
/// Bytes outside ASCII are percent-encoded as they are, as browsers do: right for UTF-8 and for older encodings alike.
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
    Ok(to)
}

/// The wait that a `Retry-After` header asks for (RFC 9110, section 10.2.3), in seconds or until a date, at most
/// [`MAX_RETRY_AFTER`]. `None` when it is neither. The two obsolete date formats are not read.
pub(super) fn retry_after(value: &[u8], now: Timestamp) -> Option<Duration> {
    let value = std::str::from_utf8(value).ok()?.trim();
    let wait = if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        Duration::from_secs(value.parse().unwrap_or(u64::MAX)) // Only an overflow fails: digits, but too many.
    } else {
        let until = HTTP_DATE.parse_timestamp(value).ok()?;
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
            ("Tue, 06 Nov 2096 08:49:37 GMT", Some(86400)),
            ("", None),
            ("-1", None),
            ("soon", None),
        ] {
            assert_eq!(retry_after(value.as_bytes(), now), expect.map(Duration::from_secs), "{value}");
        }
    }
}
