//! Dates as servers and sites write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::{Offset, TimeZone};

static HTTP_DATE: DateTimeParser = DateTimeParser::new();

/// A date of HTTP: as RFC 1123, RFC 850 or C's `asctime` write it.
pub(super) fn http_date(text: &str) -> Option<Timestamp> {
    // RFC 850 writes 06-Nov-94 and the full name of the day. RFC 822 knows neither.
    let from_digit = text.find(|c: char| c.is_ascii_digit()).map_or(text, |at| &text[at..]);
    let spaced = from_digit.replacen('-', " ", 2);
    let spellings = [from_digit.to_owned(), format!("{from_digit} GMT"), format!("{spaced} GMT"), spaced];
    let read = |text: &String| HTTP_DATE.parse_timestamp(text).ok();
    spellings.iter().find_map(read).or_else(|| read(&from_asctime(text)?))
}

/// `Sun Nov  6 08:49:37 1994` as `6 Nov 1994 08:49:37 GMT`.
fn from_asctime(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [_, month, day, time, rest @ ..] = words.as_slice() else { return None };
    // Some write a zone before the year.
    let year = rest.last()?;
    time.contains(':').then(|| format!("{day} {month} {year} {time} GMT"))
}

/// A date as sites write it in sitemaps, feeds and headers: RFC 822, RFC 850, ISO 8601, and other
/// forms whose meaning is certain. `05/06/2025` is not read, since it is of May or of June.
///
/// Without a zone it is UTC. Without a time it is the beginning of the day, month or year.
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
    http_date(text).or_else(|| loose(text))
}

/// English names of months, by their first letters.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The longest date read, in bytes. Judgement: with the names of a day, a month and a zone.
const MAX_LEN: usize = 64;

/// A part of a date.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part<'t> {
    /// A number as written, and the letter before it.
    Number(&'t str, char),
    Word(&'t str),
}

/// A date in another form than those of the standards: numbers, names of months, and a zone.
fn loose(text: &str) -> Option<Timestamp> {
    let parts = parts(text)?;
    let numbers: Vec<(&str, char)> = parts
        .iter()
        .filter_map(|part| if let Part::Number(n, before) = part { Some((*n, *before)) } else { None })
        .collect();
    if let [(seconds, _)] = numbers.as_slice()
        && parts.len() == 1
    {
        return lone(seconds);
    }
    let month = parts.iter().find_map(|part| if let Part::Word(word) = part { month(word) } else { None });
    let is_time =
        |at: usize| numbers.get(at).is_some_and(|n| n.1 == ':') || numbers.get(at + 1).is_some_and(|n| n.1 == ':');
    let first_time = (0..numbers.len()).find(|&at| is_time(at));
    let is_zone = |at: usize| first_time.is_some_and(|first| at > first && matches!(numbers[at].1, '+' | '-'));
    let zone = (0..numbers.len()).find(|&at| is_zone(at));
    let days: Vec<&str> = (0..numbers.len())
        .filter(|&at| !is_time(at) && zone.is_none_or(|zone| at < zone || at > zone + 1))
        .map(|at| numbers[at].0)
        .collect();
    let date = match (days.as_slice(), month) {
        ([day, year] | [year, day], Some(month)) if year.len() == 4 => civil(year, month, day)?,
        ([compact, ..], None) if compact.len() == 8 => {
            civil(&compact[..4], compact[4..6].parse().ok()?, &compact[6..])?
        }
        ([year, month, day], None) if year.len() == 4 => civil(year, month.parse().ok()?, day)?,
        ([one, other, year], None) if year.len() == 4 => {
            let slashed = text.contains('/');
            let (one, other): (i8, i8) = (one.parse().ok()?, other.parse().ok()?);
            match (one > 12, other > 12) {
                (true, false) => civil(year, other, &one.to_string())?,
                (false, true) => civil(year, one, &other.to_string())?,
                (false, false) if one == other || !slashed => civil(year, other, &one.to_string())?,
                _ => return None,
            }
        }
        _ => return None,
    };
    let time = match first_time {
        Some(at) => {
            let is_late =
                |word: &str| parts.iter().any(|part| matches!(part, Part::Word(w) if w.eq_ignore_ascii_case(word)));
            let number =
                |n: usize| numbers.get(n).filter(|_| n == at || is_time(n) && numbers[n].1 == ':').map(|n| n.0);
            let hour: i8 = number(at)?.parse().ok()?;
            let hour = match hour {
                12 if is_late("am") => 0,
                1..=11 if is_late("pm") => hour + 12,
                hour => hour,
            };
            let second = number(at + 2).map_or(Some(0), |second| second.parse().ok())?;
            Time::new(hour, number(at + 1)?.parse().ok()?, second, 0).ok()?
        }
        None => Time::midnight(),
    };
    let offset = zone.map_or(Some(Offset::UTC), |at| {
        let (digits, sign) = numbers[at];
        let minutes = numbers.get(at + 1).filter(|next| next.1 == ':').map_or("", |next| next.0);
        let digits = format!("{digits}{minutes}");
        let minutes =
            digits.get(..2)?.parse::<i32>().ok()? * 60 + digits.get(2..4).map_or(Some(0), |m| m.parse().ok())?;
        Offset::from_seconds(minutes * if sign == '-' { -60 } else { 60 }).ok()
    })?;
    offset.to_timestamp(date.to_datetime(time)).ok()
}

/// A single number: a year, a day, or the time since 1970 in seconds or milliseconds.
fn lone(digits: &str) -> Option<Timestamp> {
    let in_utc = |date: Date| date.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    match digits.len() {
        4 => in_utc(civil(digits, 1, "1")?),
        8 => in_utc(civil(&digits[..4], digits[4..6].parse().ok()?, &digits[6..])?),
        10 => Timestamp::from_second(digits.parse().ok()?).ok(),
        13 => Timestamp::from_millisecond(digits.parse().ok()?).ok(),
        _ => None,
    }
}

fn civil(year: &str, month: i8, day: &str) -> Option<Date> {
    let year = year.parse().ok().filter(|year| *year > 0)?;
    Date::new(year, month, day.parse().ok()?).ok()
}

fn month(word: &str) -> Option<i8> {
    let begin = word.get(..3)?.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| *month == begin)?;
    i8::try_from(at + 1).ok()
}

/// The parts of a date. `None` if it is too long, or a sign of what is no date is in it. A comment
/// in brackets ends it.
fn parts(text: &str) -> Option<Vec<Part<'_>>> {
    let text = text.split('(').next().unwrap_or_default();
    if text.len() > MAX_LEN || text.starts_with('-') {
        return None;
    }
    let mut parts = Vec::new();
    let (mut rest, mut before) = (text, ' ');
    while let Some(first) = rest.chars().next() {
        let length = rest
            .find(|c: char| c.is_ascii_digit() != first.is_ascii_digit() || c.is_alphabetic() != first.is_alphabetic());
        let (part, after) = rest.split_at(length.unwrap_or(rest.len()));
        match first {
            // A fraction of a second.
            _ if first.is_ascii_digit() && matches!(before, '.' | ',') && is_fraction(&parts) => {}
            _ if first.is_ascii_digit() => parts.push(Part::Number(part, before)),
            _ if first.is_alphabetic() => parts.push(Part::Word(part)),
            _ => {}
        }
        (before, rest) = (part.chars().next_back().unwrap_or(' '), after);
    }
    Some(parts)
}

/// Whether the last part is the seconds of a time.
fn is_fraction(parts: &[Part<'_>]) -> bool {
    matches!(parts, [.., Part::Number(_, ':'), Part::Number(_, ':')])
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("2025", Some("2025-01-01T00:00:00Z")),
            ("2025-06-25T10:00:00+0200", Some("2025-06-25T08:00:00Z")),
            ("2025-06-25 10:00:00 +02:00", Some("2025-06-25T08:00:00Z")),
            ("2025-06-25 10:00:00", Some("2025-06-25T10:00:00Z")),
            ("2025-06-25 10:00:00 UTC", Some("2025-06-25T10:00:00Z")),
            ("2025-06-25 10:00", Some("2025-06-25T10:00:00Z")),
            ("2025-06-25t10:00:00z", Some("2025-06-25T10:00:00Z")),
            ("2025-06-25T10:00:00.123456+00:00", Some("2025-06-25T10:00:00.123456Z")),
            ("2025-06-25T10:00:00,5Z", Some("2025-06-25T10:00:00.5Z")),
            ("2025-06-25T24:00:00Z", None),
            ("2025-6-5", Some("2025-06-05T00:00:00Z")),
            ("2025/06/25", Some("2025-06-25T00:00:00Z")),
            ("2025.06.25", Some("2025-06-25T00:00:00Z")),
            ("20250625", Some("2025-06-25T00:00:00Z")),
            ("20250625T100000Z", Some("2025-06-25T10:00:00Z")),
            ("25.06.2025", Some("2025-06-25T00:00:00Z")),
            ("25.6.2025 10:00", Some("2025-06-25T10:00:00Z")),
            ("25/06/2025", Some("2025-06-25T00:00:00Z")),
            ("06/25/2025", Some("2025-06-25T00:00:00Z")),
            ("06/25/2025 10:00:00 PM", Some("2025-06-25T22:00:00Z")),
            ("06/25/2025 12:30 AM", Some("2025-06-25T00:30:00Z")),
            ("05/06/2025", None),
            ("05/05/2025", Some("2025-05-05T00:00:00Z")),
            ("25-06-2025", Some("2025-06-25T00:00:00Z")),
            ("June 25, 2025", Some("2025-06-25T00:00:00Z")),
            ("Jun 25, 2025 10:00 pm", Some("2025-06-25T22:00:00Z")),
            ("25 June 2025", Some("2025-06-25T00:00:00Z")),
            ("25-Jun-2025", Some("2025-06-25T00:00:00Z")),
            ("Wed Jun 25 10:00:00 2025", Some("2025-06-25T10:00:00Z")),
            ("Wed Jun 25 10:00:00 UTC 2025", Some("2025-06-25T10:00:00Z")),
            ("Wed Jun 25 2025 10:00:00 GMT+0200 (CEST)", Some("2025-06-25T08:00:00Z")),
            ("Wed, 25 Jun 2025 10:00:00 Z", Some("2025-06-25T10:00:00Z")),
            ("Wed, 25 Jun 2025 10:00:00", Some("2025-06-25T10:00:00Z")),
            ("1750845600", Some("2025-06-25T10:00:00Z")),
            ("1750845600000", Some("2025-06-25T10:00:00Z")),
            ("0000-00-00", None),
            ("0000-00-00 00:00:00", None),
            ("-0001-11-30T00:00:00+00:00", None),
            ("25 Quintember 2025", None),
            ("12:00", None),
            ("2025-06-25T25:00:00Z", None),
            ("1 2 3 4 5 6 7 8 9 10", None),
            ("2025-13", None),
            ("2025-06-31", None),
            ("äöü-öäüäöü", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(date(text), expect.map(|date| date.parse().unwrap()), "{text}");
        }
    }
}
