//! Dates as pages write them, to dates of ISO 8601.

use super::months::month;

/// Years that a page can be of. Judgement: the web's, and what is announced.
const YEARS: std::ops::RangeInclusive<u32> = 1990..=2099;
/// Years that a page may say outright: old papers are published again.
const STATED_YEARS: std::ops::RangeInclusive<u32> = 1000..=2099;
/// Days that programs write where they know none: the first of their calendars (Unix, in its zone
/// and west of it; NTFS; the classic Mac OS; spreadsheets, counted from 1 and from 0).
const NO_DAYS: [&str; 6] = ["1970-01-01", "1969-12-31", "1601-01-01", "1904-01-01", "1900-01-01", "1899-12-30"];

/// A stated date, as precise as it is: ISO 8601 with or without a time, in the forms that pages
/// write (a space for the `T`, no colon in the offset, fractions of seconds, which are left out),
/// or one written out in any of some twenty languages. `None` of what is none, names no day that
/// there is, or the day with which a calendar begins, which programs write for none (`1970-01-01`).
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

/// A date whose parts stand in ISO 8601's order, so that nothing of it is to be guessed.
pub(super) fn in_order(text: &str) -> Option<String> {
    let text = text.trim();
    iso(text).or_else(|| basic(text))
}

/// ISO 8601's basic format, of a day of the web's years: `20260102`.
fn basic(text: &str) -> Option<String> {
    let (year, month, day) = (number(text.get(..4)?)?, number(text.get(4..6)?)?, number(text.get(6..)?)?);
    let is_date = text.len() == 8 && YEARS.contains(&year) && is_day(year, month, day);
    is_date.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// The days from the first of March of the year 0 to that of a date, where it names a day: what
/// dates are counted apart by.
pub(super) fn day_number(date: &str) -> Option<u64> {
    let part = |range: std::ops::Range<usize>| date.get(range).and_then(number).map(u64::from);
    let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
    // Years that begin in March have their odd day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day)
}

/// True of a date that is before another, wherever on earth each was written.
pub(super) fn is_before(date: &str, other: &str) -> bool {
    match (instant(date), instant(other)) {
        (Some(date), Some(other)) => date < other,
        // Both of one zone, as far as is known: as precisely as both say.
        (None, None) => {
            let length = date.len().min(other.len());
            date.get(..length) < other.get(..length)
        }
        // The day of one of them may be the next one where the other was written.
        _ => day_number(date).zip(day_number(other)).is_some_and(|(date, other)| date + 1 < other),
    }
}

/// Seconds from the day that [`day_number`] counts from; `None` of a date without a time and its
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

/// A date in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InText {
    /// The date, or the month where no day is named.
    pub(super) iso: String,
    /// Where it begins and ends, in bytes.
    pub(super) range: std::ops::Range<usize>,
    /// The day that it is where day and month stand the other way round, if its numbers do not
    /// tell.
    pub(super) or: Option<String>,
}

/// ISO 8601.
fn iso(text: &str) -> Option<String> {
    let (day, rest) = (text.get(..10)?, &text[10..]);
    let mut parts = day.split('-').map(number);
    let (year, month, of_month) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some()
        || day.find('-') != Some(4)
        || !STATED_YEARS.contains(&year)
        || !is_day(year, month, of_month)
        || NO_DAYS.contains(&day)
    {
        return None;
    }
    match rest.bytes().next() {
        Some(b'T' | b't' | b' ') => Some(format!("{day}{}", time(rest[1..].trim_start()).unwrap_or_default())),
        Some(byte) if byte.is_ascii_digit() => None,
        _ => Some(day.to_owned()),
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

/// A part of a text: a number or a word, with what stands between it and the one before.
#[derive(Debug)]
struct DateToken<'t> {
    between: &'t str,
    text: &'t str,
    end: usize,
    begin: usize,
}

impl DateToken<'_> {
    fn number(&self) -> Option<u32> {
        number(self.text)
    }

    /// The number, if it is written with so many digits as a year has.
    fn year(&self) -> Option<u32> {
        self.number().filter(|year| self.text.len() == 4 && YEARS.contains(year))
    }

    /// The year, where the last two digits stand for it: in this century, and in numbers alone.
    fn short_year(&self) -> Option<u32> {
        self.number().filter(|year| self.text.len() == 2 && (5..50).contains(year)).map(|year| 2000 + year)
    }

    fn small(&self) -> Option<u32> {
        self.number().filter(|_| self.text.len() <= 2)
    }

    fn month(&self) -> Option<u32> {
        month(&self.text.to_lowercase())
    }

    /// True of words that stand in the middle of dates and mean nothing: ordinals, articles, the
    /// signs for year, month and day.
    fn is_filler(&self) -> bool {
        const FILLERS: [&str; 24] = [
            "st", "nd", "rd", "th", "er", "de", "del", "of", "the", "den", "º", "ª", "o", "a", "г", "年", "月", "日",
            "년", "월", "일", "e", "ος", "та",
        ];
        FILLERS.contains(&self.text.to_lowercase().as_str())
    }
}

/// Numbers and words. A letter after a digit begins a new one, as in `12th`; each ideograph or
/// syllable after a number stands alone.
fn tokens(text: &str) -> Vec<DateToken<'_>> {
    let mut found: Vec<DateToken<'_>> = Vec::new();
    let mut end = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((begin, first)) = letters.next() {
        if !first.is_alphanumeric() {
            continue;
        }
        let is_digit = first.is_ascii_digit();
        let alone = ('\u{2e80}'..='\u{d7ff}').contains(&first);
        let mut stop = begin + first.len_utf8();
        while let Some(&(at, next)) = letters.peek() {
            if alone || !next.is_alphanumeric() || next.is_ascii_digit() != is_digit {
                break;
            }
            stop = at + next.len_utf8();
            letters.next();
        }
        found.push(DateToken { between: &text[end..begin], text: &text[begin..stop], begin, end: stop });
        end = stop;
    }
    found
}

/// The first date in a text. Where numbers do not tell the day from the month, `month_first` does.
/// Linear.
pub(super) fn find(text: &str, month_first: bool) -> Option<InText> {
    // Every date has a year in digits, and most texts have none.
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let all = tokens(text);
    // Fillers go, but their place keeps numbers that they part from being read together.
    let parts: Vec<&DateToken<'_>> = all.iter().filter(|token| !token.is_filler()).collect();
    let day = (0..parts.len()).find_map(|at| {
        let three = parts.get(at..at + 3)?;
        let (year, month, day) = read_three(three, month_first)?;
        // Digits that go on before or after belong to a number, an address or a version.
        let before = &text[..three[0].begin];
        let after = text[three[2].end..].strip_prefix(['.', '/', '-']).unwrap_or_default();
        let goes_on = after.starts_with(|c: char| c.is_ascii_digit());
        let whole = !goes_on && (!before.ends_with(['.', '/', '-']) || before.len() < 2);
        (whole && is_day(year, month, day)).then(|| InText {
            iso: format!("{year:04}-{month:02}-{day:02}"),
            range: three[0].begin..three[2].end,
            or: read_three(three, !month_first)
                .filter(|other| *other != (year, month, day))
                .map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}")),
        })
    });
    day.or_else(|| {
        (1..parts.len()).find_map(|at| {
            let (named, year) = (parts[at - 1], parts[at]);
            let month = named.month().filter(|_| named.text.chars().count() > 2)?;
            // A day before it that the month does not have makes it none.
            let has_day = at > 1 && parts[at - 2].small().is_some() && close(named);
            let iso = format!("{:04}-{month:02}", year.year()?);
            (close(year) && !has_day).then_some(InText { iso, range: named.begin..year.end, or: None })
        })
    })
}

/// True when little stands between a token and the one before.
fn close(token: &DateToken<'_>) -> bool {
    token.between.chars().count() <= 3 && !token.between.contains(['|', '(', ';', '\n'])
}

/// Year, month and day, in the orders that are written.
fn read_three(three: &[&DateToken<'_>], month_first: bool) -> Option<(u32, u32, u32)> {
    let [a, b, c] = three else { return None };
    if !close(b) || !close(c) {
        return None;
    }
    let alike = b.between == c.between && matches!(b.between.trim(), "." | "/" | "-");
    let is_east_asian = b.between.is_empty() || c.between.is_empty();
    if let (Some(year), Some(month), Some(day)) = (a.year(), b.small(), c.small())
        && (alike || is_east_asian || b.between.trim_start().is_empty())
    {
        return Some((year, month, day));
    }
    if let (Some(year), Some(month), Some(day)) = (a.year(), b.month(), c.small()) {
        return Some((year, month, day));
    }
    let in_numbers = alike && b.between == "/" && a.text.len() == 2 && b.text.len() == 2;
    let year = c.year().or_else(|| c.short_year().filter(|_| in_numbers))?;
    if let (Some(day), Some(month)) = (a.small(), b.month()) {
        return Some((year, month, day));
    }
    if let (Some(month), Some(day)) = (a.month(), b.small()) {
        return Some((year, month, day));
    }
    let (first, second) = (a.small()?, b.small()?);
    match (alike, b.between) {
        (false, _) => None,
        _ if first > 12 => Some((year, second, first)),
        _ if second > 12 => Some((year, first, second)),
        // A full stop parts day and month where the day comes first.
        (true, "." | ". " | "-") => Some((year, second, first)),
        _ if month_first => Some((year, first, second)),
        _ => Some((year, second, first)),
    }
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
            ("1895-03-02", Some("1895-03-02")),
            ("1970-01-01T00:00:00Z", None),
            ("1969-12-31T19:00:00-05:00", None),
            ("Thu, 01 Jan 1970 00:00:00 GMT", None),
            ("0001-01-01T00:00:00", None),
            ("2100-01-01", None),
            ("20261302", None),
            ("12345678", None),
            ("2026010", None),
            ("", None),
        ] {
            assert_eq!(read(text).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn dates_are_read_in_many_languages() {
        for (text, expect) in [
            ("Published on January 2nd, 2026 by Ann", "2026-01-02"),
            ("Jan. 2, 2026", "2026-01-02"),
            ("2 de enero de 2026", "2026-01-02"),
            ("le 2 janvier 2026 à 10h", "2026-01-02"),
            ("Freitag, 2. Januar 2026, 10:30 Uhr", "2026-01-02"),
            ("2 января 2026 г.", "2026-01-02"),
            ("2. tammikuuta 2026", "2026-01-02"),
            ("2026. január 2.", "2026-01-02"),
            ("2 Ocak 2026", "2026-01-02"),
            ("2026年1月2日 発行", "2026-01-02"),
            ("2026년 1월 2일", "2026-01-02"),
            ("2026/01/02", "2026-01-02"),
            ("02.01.2026", "2026-01-02"),
            ("13/01/2026", "2026-01-13"),
            ("01/13/2026", "2026-01-13"),
            ("02/01/2026", "2026-01-02"),
            ("Updated 13/01/26", "2026-01-13"),
            ("December 2025", "2025-12"),
        ] {
            assert_eq!(find(text, false).map(|found| found.iso).as_deref(), Some(expect), "{text}");
        }
        assert_eq!(find("02/01/2026", true).unwrap().iso, "2026-02-01");
        for (text, or) in
            [("02/01/2026", Some("2026-01-02")), ("13/01/2026", None), ("02.01.2026", None), ("2 May 2026", None)]
        {
            assert_eq!(find(text, true).unwrap().or.as_deref(), or, "{text}");
        }
        let found = find("By Ann on 2 May 2026, late", false).unwrap();
        assert_eq!(&"By Ann on 2 May 2026, late"[found.range], "2 May 2026");
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

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "version 1.2.2026.4",
            "12 of 2026 people",
            "call 020 2026",
            "2026",
            "31 April 2026",
            "10.0.0.1",
            "May 20",
            "© 2019 – 2026",
        ] {
            assert_eq!(find(text, false), None, "{text}");
        }
    }
}
