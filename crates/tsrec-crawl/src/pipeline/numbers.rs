//! The numbers of a page that are its own: the second signal on [traps](super::traps).
//!
//! Products, tide tables and price lists may say the same words on each page. Their numbers differ:
//! prices, sizes, times. An endless calendar says the same words, too, and its numbers follow from
//! its URL and its date. A page with a session id in its URL has the numbers of the others. So
//! numbers of the URL (and their neighbours), of dates, and a single time do not count. Pure.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use url::{Position, Url};

/// Numbers that may be of a date or a time of day, on a page that shows a date.
const MOST_OF_DATE: u64 = 59;

/// Days of a month.
const MOST_OF_MONTH: u64 = 31;

/// How far a day and its year may be apart, in bytes: `5 September 2031`.
const NEAR: usize = 20;

/// Numbers looked at. Judgement: a table of a year's tides has some thousand.
const MOST_NUMBERS: usize = 10_000;

/// A number of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PageNumber<'t> {
    Whole(u64),
    /// With a point or a comma in it.
    Decimal(&'t str),
    /// With a colon in it.
    Time(&'t str),
}

/// A hash of the numbers that are a page's own, whatever their order. `None` if there are none.
pub(super) fn own_numbers(url: &Url, title: Option<&str>, text: &str) -> Option<u64> {
    let title = title.unwrap_or_default();
    let address = &url[Position::BeforePath..Position::AfterQuery];
    let of_url: HashSet<u64> = wholes(address).flat_map(|n| [n.saturating_sub(1), n, n.saturating_add(1)]).collect();
    let has_date = wholes(address).chain(wholes(title)).any(is_year) || shows_date(text);
    let counts = |number: &PageNumber<'_>| match number {
        PageNumber::Whole(n) => !of_url.contains(n) && !(has_date && (*n <= MOST_OF_DATE || is_year(*n))),
        PageNumber::Decimal(_) => true,
        PageNumber::Time(_) => false,
    };
    let all: Vec<PageNumber<'_>> =
        numbers(title).chain(numbers(text)).map(|(_, number)| number).take(MOST_NUMBERS).collect();
    let mut times: Vec<&str> =
        all.iter().filter_map(|n| if let PageNumber::Time(time) = n { Some(*time) } else { None }).collect();
    times.sort_unstable();
    times.dedup();
    if times.len() == 1 {
        times.clear(); // it may be that of the request
    }
    let own = all.iter().filter(|number| counts(number)).map(|number| match number {
        PageNumber::Whole(n) => n.to_string(),
        PageNumber::Decimal(text) | PageNumber::Time(text) => (*text).to_owned(),
    });
    let mut own: Vec<String> = own.chain(times.iter().map(ToString::to_string)).collect();
    if own.is_empty() {
        return None;
    }
    own.sort_unstable();
    let mut hasher = DefaultHasher::new();
    own.hash(&mut hasher);
    Some(hasher.finish())
}

fn is_year(number: u64) -> bool {
    (1900..2200).contains(&number)
}

fn wholes(text: &str) -> impl Iterator<Item = u64> {
    numbers(text)
        .filter_map(|(_, number)| if let PageNumber::Whole(n) = number { Some(n) } else { None })
        .take(MOST_NUMBERS)
}

/// Whether a text has a year next to a day or a month.
fn shows_date(text: &str) -> bool {
    let mut before: Option<(usize, u64)> = None;
    for (at, number) in numbers(text).take(MOST_NUMBERS) {
        let PageNumber::Whole(n) = number else { continue };
        if let Some((at_before, other)) = before.replace((at, n)) {
            let is_pair = is_year(n) && other <= MOST_OF_MONTH || is_year(other) && n <= MOST_OF_MONTH;
            if is_pair && at - at_before <= NEAR {
                return true;
            }
        }
    }
    false
}

/// The numbers of a text, with their places. Dates such as `5.5.2031` are three. Linear.
fn numbers(text: &str) -> impl Iterator<Item = (usize, PageNumber<'_>)> {
    let bytes = text.as_bytes();
    let (mut at, mut end_of_date) = (0, 0);
    std::iter::from_fn(move || {
        let begin = at + bytes[at..].iter().position(u8::is_ascii_digit)?;
        let in_date = begin < end_of_date;
        let is_joint = |end: usize| {
            !in_date && matches!(bytes[end], b'.' | b',' | b':') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
        };
        let mut end = begin;
        while end < bytes.len() && (bytes[end].is_ascii_digit() || is_joint(end)) {
            end += 1;
        }
        let token = &text[begin..end];
        let points = token.matches('.').count();
        if points >= 2 && !token.contains(':') {
            end_of_date = end;
        }
        let first = token.split(['.', ',', ':']).next().unwrap_or_default();
        let (number, length) = match () {
            () if token.contains(':') => (PageNumber::Time(token), token.len()),
            () if points >= 2 || token.len() == first.len() => {
                // Longer ones are codes, of which the end is enough.
                (PageNumber::Whole(first[first.len().saturating_sub(18)..].parse().unwrap_or(u64::MAX)), first.len())
            }
            () => (PageNumber::Decimal(token), token.len()),
        };
        at = begin + length;
        Some((begin, number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(path: &str, text: &str) -> Option<u64> {
        own_numbers(&format!("http://a.example{path}").parse().unwrap(), None, text)
    }

    #[test]
    fn numbers_are_found_in_texts() {
        let found: Vec<PageNumber<'_>> =
            numbers("12 mm, 48.50 euro, at 9:30 on 5.5.2031, no. 1,234 (7)").map(|(_, n)| n).collect();
        use PageNumber::{Decimal, Time, Whole};
        let expect =
            [Whole(12), Decimal("48.50"), Time("9:30"), Whole(5), Whole(5), Whole(2031), Decimal("1,234"), Whole(7)];
        assert_eq!(found, expect);
        assert_eq!(numbers("").count() + numbers("none").count(), 0);
    }

    #[test]
    fn pages_differ_where_their_own_numbers_do() {
        for (one, other, expect) in [
            (("/product/17", "Rope of 12 mm for 48 euro"), ("/product/18", "Rope of 14 mm for 52 euro"), true),
            (("/product/17", "Product 17 for 48 euro"), ("/product/18", "Product 18 for 48 euro"), false),
            (("/tides/2026-05-04", "3:12 and 15:40"), ("/tides/2026-05-05", "4:01 and 16:22"), true),
            (("/tides/2026-05-04", "4.7 m, then 1.2 m"), ("/tides/2026-05-05", "4.9 m, then 1.1 m"), true),
            (("/list?p=1", "48, 52, 96"), ("/list?p=2", "17, 21, 96"), true),
            (("/list?sort=up", "48, 52, 96"), ("/list?sort=down", "96, 52, 48"), false),
            (("/day/17", "5 May 2031: no events"), ("/day/18", "6 May 2031: no events"), false),
            (("/day/17", "2031-05-05: no events"), ("/day/18", "2031-05-06: no events"), false),
            (("/calendar/2031/05", "Week 18: 5 6 7 8 9"), ("/calendar/2031/06", "Week 22: 2 3 4 5"), false),
            (("/page?sid=ab12", "48 euro"), ("/page?sid=cd34", "48 euro"), false),
            (("/a/1", "at 12:03"), ("/a/2", "at 12:04"), false),
            (("/a/1", "No numbers here"), ("/a/2", "No numbers here"), false),
        ] {
            let differ = own(one.0, one.1) != own(other.0, other.1);
            assert_eq!(differ, expect, "{one:?} {other:?}");
        }
    }
}
