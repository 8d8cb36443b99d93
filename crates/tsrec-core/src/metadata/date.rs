//! Reads dates as pages write them, and gives ISO 8601 dates.

mod calendar;
mod digits;
mod written;

pub(super) use written::{InText, all, find, may_have_date};

/// The years a page may have. Judgement: since the web began, and announced events.
const YEARS: std::ops::RangeInclusive<u32> = 1990..=2099;
/// The years a page may state explicitly: old papers are published again.
const STATED_YEARS: std::ops::RangeInclusive<u32> = 1000..=2099;
/// Days that programs write for an unknown date: the first of their calendars (Unix, in its zone
/// and west of it; NTFS; the classic Mac OS; spreadsheets, counted from 1 and from 0).
const NO_DAYS: [&str; 6] = ["1970-01-01", "1969-12-31", "1601-01-01", "1904-01-01", "1900-01-01", "1899-12-30"];

/// A stated date, as precise as it is. It is ISO 8601 with or without a time, or a date in words in
/// some sixty languages, in the digits of any, and in the Gregorian, the Thai, the Persian or an
/// East Asian calendar. Accepted variants of ISO 8601: a space for the `T`, no colon in the offset,
/// fractions of seconds (dropped). `None` if it is not a date, if the day does not exist, or if it
/// is a calendar's first day, which programs write for no date (`1970-01-01`).
///
/// ```
/// use tsrec_core::metadata::read_date;
/// assert_eq!(read_date("2026-01-02T03:04:05.678+0100").as_deref(), Some("2026-01-02T03:04:05+01:00"));
/// assert_eq!(read_date("2. Januar 2026").as_deref(), Some("2026-01-02"));
/// assert_eq!(read_date("2026-02-30"), None);
/// ```
pub fn read(text: &str) -> Option<String> {
    in_order(text).or_else(|| find(text, false).map(|found| found.iso))
}

/// A date whose parts are in ISO 8601's order, so that nothing is guessed.
pub(super) fn in_order(text: &str) -> Option<String> {
    let text = text.trim();
    iso(text).or_else(|| basic(text)).or_else(|| unix(text))
}

/// Seconds or milliseconds since 1970, in the web's years.
fn unix(text: &str) -> Option<String> {
    let seconds = match text.len() {
        10 => text,
        13 => &text[..10],
        _ => return None,
    };
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = seconds.parse::<u64>().ok().filter(|_| is_number)?;
    let (year, month, day) = calendar::of_day_number(day_number("1970-01-01")? + seconds / 86_400)?;
    let (hours, minutes, seconds) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    let time = format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z");
    YEARS.contains(&year).then_some(time)
}

/// ISO 8601's basic format for a day in the web's years: `20260102`.
fn basic(text: &str) -> Option<String> {
    let (year, month, day) = (number(text.get(..4)?)?, number(text.get(4..6)?)?, number(text.get(6..)?)?);
    let is_date = text.len() == 8 && YEARS.contains(&year) && is_day(year, month, day);
    is_date.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// The days from 1 March of the year 0 to this date, if it names a day. Used for the distance
/// between dates.
pub(super) fn day_number(date: &str) -> Option<u64> {
    let part = |range: std::ops::Range<usize>| date.get(range).and_then(number).map(u64::from);
    let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
    // If years begin in March, the leap day is at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day)
}

/// True if a date is before another, in any time zones.
pub(super) fn is_before(date: &str, other: &str) -> bool {
    match (instant(date), instant(other)) {
        (Some(date), Some(other)) => date < other,
        // Both are in one zone, as far as we know. Compare the digits that both have.
        (None, None) => {
            let length = date.len().min(other.len());
            date.get(..length) < other.get(..length)
        }
        // One of them may be the next day in the other's zone.
        _ => day_number(date).zip(day_number(other)).is_some_and(|(date, other)| date + 1 < other),
    }
}

/// Seconds from the day that [`day_number`] counts from. `None` for a date without a time or
/// offset.
fn instant(date: &str) -> Option<i64> {
    const LOCAL: usize = "2026-01-02T03:04:05".len();
    let (local, zone) = (date.get(..LOCAL)?, date.get(LOCAL..).filter(|zone| !zone.is_empty())?);
    let part = |text: &str, range: std::ops::Range<usize>| text.get(range).and_then(number).map(i64::from);
    let offset = match zone {
        "Z" => 0,
        _ => 60 * (60 * part(zone, 1..3)? + part(zone, 4..6)?) * if zone.starts_with('-') { -1 } else { 1 },
    };
    let of_day = 60 * (60 * part(local, 11..13)? + part(local, 14..16)?) + part(local, 17..19)?;
    Some(86_400 * i64::try_from(day_number(date)?).ok()? + of_day - offset)
}

/// ISO 8601.
fn iso(text: &str) -> Option<String> {
    let (day, rest) = (text.get(..10)?, &text[10..]);
    let mut parts = day.split('-').map(number);
    let (stated, month, of_month) = (parts.next()??, parts.next()??, parts.next()??);
    let year = calendar::of_buddhist(stated).unwrap_or(stated);
    if parts.next().is_some()
        || day.find('-') != Some(4)
        || !STATED_YEARS.contains(&year)
        || !is_day(year, month, of_month)
        || NO_DAYS.contains(&day)
    {
        return None;
    }
    let day = format!("{year:04}{}", &day[4..]);
    match rest.bytes().next() {
        Some(b'T' | b't' | b' ') => Some(format!("{day}{}", time(rest[1..].trim_start()).unwrap_or_default())),
        Some(byte) if byte.is_ascii_digit() => None,
        _ => Some(day),
    }
}

/// `T03:04:05+01:00`, of a time with or without seconds and offset.
fn time(text: &str) -> Option<String> {
    let hours = text.get(..2).and_then(number).filter(|hours| *hours < 24)?;
    let minutes = text.get(2..5)?.strip_prefix(':').and_then(number).filter(|minutes| *minutes < 60)?;
    let mut rest = &text[5..];
    let mut seconds = 0;
    if let Some(given) =
        rest.strip_prefix(':').and_then(|rest| rest.get(..2)).and_then(number).filter(|given| *given < 61)
    {
        seconds = given;
        rest = &rest[3..];
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    Some(format!("T{hours:02}:{minutes:02}:{seconds:02}{}", offset(rest.trim()).unwrap_or_default()))
}

fn offset(text: &str) -> Option<String> {
    if text.eq_ignore_ascii_case("z") || text.eq_ignore_ascii_case("utc") || text.eq_ignore_ascii_case("gmt") {
        return Some("Z".to_owned());
    }
    let sign = text.chars().next().filter(|sign| matches!(sign, '+' | '-'))?;
    let digits: String = text[1..].chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) = (digits.get(..2).and_then(number)?, digits.get(2..4).map_or(Some(0), number)?);
    (hours < 15 && minutes < 60 && digits.len() <= 4).then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

fn number(digits: &str) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.len() < 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

fn is_day(year: u32, month: u32, day: u32) -> bool {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_dates_are_as_precise_as_found() {
        for (text, expect) in [
            ("2026-01-02", Some("2026-01-02")),
            (" 2026-01-02T03:04:05+01:00", Some("2026-01-02T03:04:05+01:00")),
            ("2026-01-02 03:04", Some("2026-01-02T03:04:00")),
            ("2026-01-02T03:04:05.123Z", Some("2026-01-02T03:04:05Z")),
            ("2026-01-02T03:04:05-0500", Some("2026-01-02T03:04:05-05:00")),
            ("2026-01-02Tnoon", Some("2026-01-02")),
            ("Fri, 19 Dec 2025 10:00:00 GMT", Some("2025-12-19")),
            ("2025-12", None),
            ("2026-13-02", None),
            ("2025-02-29", None),
            ("2024-02-29", Some("2024-02-29")),
            ("2026-01-0\u{e9}", None),
            ("20260102", Some("2026-01-02")),
            ("2569-01-02T03:04:05+07:00", Some("2026-01-02T03:04:05+07:00")),
            ("۱۴۰۴/۱۰/۱۲", Some("2026-01-02")),
            ("1895-03-02", Some("1895-03-02")),
            ("1970-01-01T00:00:00Z", None),
            ("1969-12-31T19:00:00-05:00", None),
            ("Thu, 01 Jan 1970 00:00:00 GMT", None),
            ("0001-01-01T00:00:00", None),
            ("2100-01-01", None),
            ("1767323045", Some("2026-01-02T03:04:05Z")),
            ("1767323045678", Some("2026-01-02T03:04:05Z")),
            ("0567323045", None),
            ("176732304é", None),
            ("20261302", None),
            ("12345678", None),
            ("2026010", None),
            ("", None),
        ] {
            assert_eq!(read(text).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn days_are_counted_apart() {
        for (a, b, apart) in [
            ("2026-01-02", "2026-01-02T23:00:00Z", 0),
            ("2025-12-31", "2026-01-01", 1),
            ("2024-02-28", "2024-03-01", 2),
            ("2023-02-28", "2023-03-01", 1),
            ("2000-01-01", "2001-01-01", 366),
        ] {
            assert_eq!(day_number(b).unwrap() - day_number(a).unwrap(), apart, "{a} {b}");
        }
        assert_eq!(day_number("2026-01"), None);
    }

    #[test]
    fn dates_are_put_in_order_as_far_as_they_tell() {
        for (a, b, expect) in [
            ("2026-01-01", "2026-01-02", true),
            ("2026-01-02", "2026-01-02", false),
            ("2025-12", "2026-01-02", true),
            ("2026-01", "2026-01-02", false),
            ("2026-01-02T03:04:05", "2026-01-02T03:04:06", true),
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", true),
            // The same instant.
            ("2026-01-01T22:04:05-05:00", "2026-01-02T03:04:05Z", false),
            ("2026-01-02T04:34:05+01:30", "2026-01-02T03:04:06Z", true),
            // A day is another one elsewhere.
            ("2026-01-01", "2026-01-02T03:04:05Z", false),
            ("2026-01-01", "2026-01-03T03:04:05Z", true),
        ] {
            assert_eq!(is_before(a, b), expect, "{a} {b}");
        }
    }
}
