//! `X-Robots-Tag`: a header in which a site tells indexers what they may do with a page.
//!
//! Each header is a list of words, parted by commas or semicolons (see [`Directives`]). A crawler's
//! name before a word limits that word and all after it to that crawler, as in `examplebot:
//! noindex, nofollow`.

use jiff::Timestamp;
use reqwest::header::HeaderMap;

use super::dates::date;
use tsrec_core::html::directives::Directives;

const HEADER: &str = "x-robots-tag";

/// Words that have a value of their own, and so are not names of crawlers.
const WORDS_WITH_VALUES: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// Most headers read. Judgement: no site needs more.
const MAX_HEADERS: usize = 32;

/// The directives in the headers for the crawler with this product token. A date that has passed is
/// `noindex`.
pub(super) fn directives(headers: &HeaderMap, product_token: &str, now: Timestamp) -> Directives {
    let mut directives = Directives::default();
    for value in headers.get_all(HEADER).iter().take(MAX_HEADERS) {
        let value = String::from_utf8_lossy(value.as_bytes());
        directives.add(&for_us(&value, product_token));
    }
    directives.noindex |= unavailable_from(directives.unavailable_after.as_deref()).is_some_and(|date| date <= now);
    directives
}

/// The date of `unavailable_after`, from which a page must not be indexed. An unreadable date is
/// ignored.
pub fn unavailable_from(written: Option<&str>) -> Option<Timestamp> {
    written.and_then(date)
}

/// The words of one header that apply to every crawler, or to us.
fn for_us(value: &str, product_token: &str) -> String {
    let mut applies = true;
    let mut words = Vec::new();
    for word in value.split([',', ';']) {
        let mut rest = word.trim();
        if let Some((name, value)) = rest.split_once(':') {
            let name = name.trim();
            if !WORDS_WITH_VALUES.iter().any(|word| word.eq_ignore_ascii_case(name)) && is_name(name) {
                applies = name == "*" || name.eq_ignore_ascii_case(product_token);
                rest = value.trim();
            }
        }
        if applies {
            words.push(rest);
        }
    }
    words.join(",")
}

/// Whether this is a crawler's name, and not the start of a date such as `25 Jun 2025 15:00:00`.
fn is_name(name: &str) -> bool {
    name == "*" || (!name.is_empty() && name.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_')))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn read(values: &[&str]) -> Directives {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(HEADER, HeaderValue::from_str(value).unwrap());
        }
        directives(&headers, "examplebot", "2026-01-01T00:00:00Z".parse().unwrap())
    }

    #[test]
    fn what_is_for_us_counts() {
        for (values, noindex, nofollow) in [
            (&[][..], false, false),
            (&["noindex"], true, false),
            (&["none"], true, true),
            (&["noarchive", "nofollow"], false, true),
            (&["examplebot: noindex"], true, false),
            (&["ExampleBot : noindex, nofollow"], true, true),
            (&["otherbot: noindex, nofollow"], false, false),
            (&["otherbot: noindex, examplebot: nofollow"], false, true),
            (&["nofollow, otherbot: noindex"], false, true),
            (&["otherbot: noindex", "nofollow"], false, true),
            (&["*: noindex"], true, false),
            (&["max-snippet: 0, noindex"], true, false),
            (&["noindex nofollow"], true, true),
            (&["noindex; nofollow"], true, true),
            (&["otherbot: noindex; nofollow"], false, false),
            (&["otherbot: noindex; examplebot: nofollow"], false, true),
            (&["examplebot: noindex nofollow"], true, true),
            (&["unavailable_after: 25 Jun 2035 15:00:00 GMT; noindex"], true, false),
        ] {
            let found = read(values);
            assert_eq!((found.noindex, found.nofollow), (noindex, nofollow), "{values:?}");
        }
    }

    #[test]
    fn a_date_that_has_passed_is_noindex() {
        for (date, expect) in [
            ("2025-12-31", true),
            ("2026-01-01", true),
            ("2026-01-02", false),
            ("2025-12-31T23:59:59Z", true),
            ("2026-01-01T00:30:00+01:00", true),
            ("2026-01-01T00:00:01Z", false),
            ("2025-12-31 23:59", true),
            ("25 Jun 2025 15:00:00 GMT", true),
            ("Wed, 25 Jun 2025 15:00:00 GMT", true),
            ("Friday, 25-Jun-27 15:00:00 GMT", false),
            ("25-Aug-2007 15:00:00 EST", true),
            ("25 Aug 2007 15:00:00", true),
            ("soon", false),
            ("", false),
        ] {
            assert_eq!(read(&[&format!("unavailable_after: {date}")]).noindex, expect, "{date}");
            assert_eq!(read(&[&format!("examplebot: unavailable_after: {date}")]).noindex, expect, "{date}");
            assert!(!read(&[&format!("otherbot: unavailable_after: {date}")]).noindex, "{date}");
        }
    }
}
