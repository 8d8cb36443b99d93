//! What headers say that needs more than copying: where to, how long, and since when.

use std::fmt::Write;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;
use url::{ParseError, Url};

/// Longest wait reported from a `Retry-After` header. Judgement: a longer one is a mistake, or a
/// way to be forgotten; a day is also how long robots.txt may be cached (RFC 9309, section 2.4).
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

static HTTP_DATE: DateTimeParser = DateTimeParser::new();

/// The URL that a `Location` header points to (RFC 9110, section 10.2.2), without its fragment,
/// which is never sent, and without the user name and password, which are neither sent nor shown to
/// anybody.
///
/// Bytes outside ASCII are percent-encoded as they are, as browsers do: right for UTF-8 and for
/// older encodings alike.
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
    // Both fail only for URLs that cannot have a user name, and so have none.
    let _ = to.set_username("");
    let _ = to.set_password(None);
    Ok(to)
}

/// The wait that a `Retry-After` header asks for (RFC 9110, section 10.2.3), in seconds or until a
/// date, at most [`MAX_RETRY_AFTER`]. `None` when it is neither. The two obsolete date formats are
/// not read.
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

/// A date as sites write them, in sitemaps, feeds and headers: RFC 822, RFC 850, and ISO 8601 down
/// to the month.
///
/// Without a zone it is UTC, without a time the beginning of the day or month.
pub(super) fn date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp);
    }
    let in_utc = |time: DateTime| time.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    if let Ok(time) = text.parse::<DateTime>() {
        return in_utc(time);
    }
    let month = text.len() == 7 && text.as_bytes()[4] == b'-';
    if let Ok(day) = if month { format!("{text}-01").parse::<Date>() } else { text.parse() } {
        return in_utc(day.at(0, 0, 0, 0));
    }
    // RFC 850 writes 25-Jun-25 and the day's name in full, which RFC 822 does not know.
    let from_digit = text.find(|c: char| c.is_ascii_digit()).map_or(text, |at| &text[at..]);
    let spaced = from_digit.replacen('-', " ", 2);
    let spellings = [from_digit.to_owned(), format!("{from_digit} GMT"), format!("{spaced} GMT"), spaced];
    spellings.iter().find_map(|text| HTTP_DATE.parse_timestamp(text).ok())
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
    fn dates_are_read_as_sites_write_them() {
        for (text, expect) in [
            ("2025-06", Some("2025-06-01T00:00:00Z")),
            (" 2025-06-25 ", Some("2025-06-25T00:00:00Z")),
            ("2025-06-25T10:00Z", Some("2025-06-25T10:00:00Z")),
            ("2025-06-25T10:00:00.5+02:00", Some("2025-06-25T08:00:00.5Z")),
            ("2025-06-25T10:00:00", Some("2025-06-25T10:00:00Z")),
            ("Wed, 25 Jun 2025 10:00:00 +0200", Some("2025-06-25T08:00:00Z")),
            ("Wednesday, 25-Jun-25 10:00:00 GMT", Some("2025-06-25T10:00:00Z")),
            ("25 Jun 2025 10:00:00 EST", Some("2025-06-25T15:00:00Z")),
            ("Wed, 25 Jun 2025 10:00:00 -0500", Some("2025-06-25T15:00:00Z")),
            ("2025-13", None),
            ("2025-06-31", None),
            ("äöü-öäüäöü", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(date(text), expect.map(|date| date.parse().unwrap()), "{text}");
        }
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
