//! Dates of records.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// A date in the forms of WARC 1.0 (whole seconds) and WARC 1.1 (a year up to nanoseconds), and in
/// those of writers that leave out the `Z` or write 14 digits, as in indexes. What is missing is
/// the first of its kind: 2016 is the beginning of that year. Times are in UTC.
pub fn date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let in_utc = |date: DateTime| date.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    if let Ok(moment) = text.parse() {
        return Some(moment);
    }
    if !text.is_empty() && text.len() <= 14 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return in_utc(digits(text)?);
    }
    let without_zone = text.trim_end_matches(['Z', 'z']);
    if let Ok(date) = without_zone.parse::<DateTime>() {
        return in_utc(date);
    }
    let mut parts = without_zone.split('-');
    let (year, month) = (number(parts.next()?, 4)?, number(parts.next()?, 2)?);
    match parts.next() {
        None => in_utc(Date::new(year, month as i8, 1).ok()?.to_datetime(jiff::civil::Time::midnight())),
        Some(_) => None,
    }
}

/// A year, and pairs of digits after it.
fn digits(text: &str) -> Option<DateTime> {
    let year = number(text.get(..4)?, 4)?;
    let pair = |at: usize, absent: i16| match text.get(4 + 2 * at..) {
        None | Some("") => Some(absent),
        Some(rest) => number(rest.get(..2)?, 2),
    };
    let [month, day, hour, minute, second] = [pair(0, 1)?, pair(1, 1)?, pair(2, 0)?, pair(3, 0)?, pair(4, 0)?];
    DateTime::new(year, month as i8, day as i8, hour as i8, minute as i8, second as i8, 0).ok()
}

fn number(text: &str, digits: usize) -> Option<i16> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_dates_are_read() {
        for (text, expect) in [
            ("2016-09-19T17:20:24Z", "2016-09-19T17:20:24Z"),
            ("2016", "2016-01-01T00:00:00Z"),
            ("2016-09", "2016-09-01T00:00:00Z"),
            ("2016-09-19", "2016-09-19T00:00:00Z"),
            ("2016-09-19T17:20Z", "2016-09-19T17:20:00Z"),
            ("2016-09-19T17:20:24.9Z", "2016-09-19T17:20:24.9Z"),
            ("2016-09-19T17:20:24.123456789Z", "2016-09-19T17:20:24.123456789Z"),
            ("2016-09-19T17:20:24", "2016-09-19T17:20:24Z"),
            ("2016-09-19T17:20", "2016-09-19T17:20:00Z"),
            ("2016-09-19t17:20:24z", "2016-09-19T17:20:24Z"),
            ("2016-09-19 17:20:24", "2016-09-19T17:20:24Z"),
            ("2016-09-19T19:20:24+02:00", "2016-09-19T17:20:24Z"),
            ("20160919172024", "2016-09-19T17:20:24Z"),
            ("20160919", "2016-09-19T00:00:00Z"),
            (" 2016-12-31T23:59:60Z ", "2016-12-31T23:59:59Z"),
        ] {
            assert_eq!(date(text).map(|date| date.to_string()).as_deref(), Some(expect), "{text}");
        }
        for none in ["", "today", "2016-13", "2016-09-19T", "99999999999999", "2016-9", "201", "-2016", "2016-09-31"] {
            assert_eq!(date(none), None, "{none}");
        }
    }
}
