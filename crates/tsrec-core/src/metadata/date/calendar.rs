//! Years and days of other calendars, as days of the Gregorian one.

use super::{day_number, is_day};

/// From a year of the Thai calendar, which counts from the Buddha's death, to ours.
const BUDDHIST: u32 = 543;
/// Thai years that pages name: 1990 to 2099 of ours.
const BUDDHIST_YEARS: std::ops::RangeInclusive<u32> = 2533..=2642;
/// Years of the Persian calendar that pages name: from 1991 on. Judgement about the end.
const PERSIAN_YEARS: std::ops::RangeInclusive<u32> = 1370..=1478;
/// In a cycle of so many Persian years, these are leap years. The rule gives the days of the
/// official calendar from 1244 to 1502.
const PERSIAN_CYCLE: u32 = 33;
const PERSIAN_LEAPS: [u32; 8] = [1, 5, 9, 13, 17, 22, 26, 30];
/// The first day of a Persian year, for counting.
const PERSIAN_FIRST: (u32, &str) = (1370, "1991-03-21");

/// Eras of Japan and of the Republic of China: the name before the year, and the year before the
/// era's first.
const ERAS: [(&str, u32); 8] = [
    ("令和", 2018),
    ("平成", 1988),
    ("昭和", 1925),
    ("大正", 1911),
    ("明治", 1867),
    ("中華民國", 1911),
    ("民國", 1911),
    ("民国", 1911),
];

/// The year that a Thai page calls so. `None` if it is no Thai year.
pub(super) fn of_buddhist(year: u32) -> Option<u32> {
    BUDDHIST_YEARS.contains(&year).then(|| year - BUDDHIST)
}

/// The same for the last two digits of a Thai year: `69` of 2569.
pub(super) fn of_short_buddhist(year: u32) -> Option<u32> {
    of_buddhist(2500 + year)
}

/// The name of an era at the beginning of a text: its length in bytes, and the year before its
/// first.
pub(super) fn era(text: &str) -> Option<(usize, u32)> {
    ERAS.iter().find(|(name, _)| text.starts_with(name)).map(|(name, before)| (name.len(), *before))
}

/// True of a year that may be a Persian one.
pub(super) fn is_persian_year(year: u32) -> bool {
    PERSIAN_YEARS.contains(&year)
}

/// The Gregorian year, month and day of a Persian day. `None` if there is no such day.
pub(super) fn of_persian(year: u32, month: u32, day: u32) -> Option<(u32, u32, u32)> {
    let is_leap = |year: u32| PERSIAN_LEAPS.contains(&(year % PERSIAN_CYCLE));
    let days = match month {
        1..=6 => 31,
        7..=11 => 30,
        12 => 29 + u32::from(is_leap(year)),
        _ => 0,
    };
    if !is_persian_year(year) || !(1..=days).contains(&day) {
        return None;
    }
    let (first, new_year) = PERSIAN_FIRST;
    let years: u32 = (first..year).map(|year| 365 + u32::from(is_leap(year))).sum();
    let months = 31 * (month - 1).min(6) + 30 * (month - 1).saturating_sub(6);
    of_day_number(day_number(new_year)? + u64::from(years + months + day - 1))
}

/// The day with this [`day_number`], in this century or a neighbour.
pub(super) fn of_day_number(number: u64) -> Option<(u32, u32, u32)> {
    const DAYS_OF_CYCLE: u64 = 146_097;
    let numbered = |year: u32, month: u32, day: u32| day_number(&format!("{year:04}-{month:02}-{day:02}"));
    let year = u32::try_from(number * 400 / DAYS_OF_CYCLE).ok()?;
    let year = (year..=year + 1).rev().find(|&year| numbered(year, 1, 1).is_some_and(|first| first <= number))?;
    let month = (1..=12).rev().find(|&month| numbered(year, month, 1).is_some_and(|first| first <= number))?;
    let day = u32::try_from(number - numbered(year, month, 1)?).ok()? + 1;
    is_day(year, month, day).then_some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persian_days_are_gregorian_ones() {
        for (persian, expect) in [
            ((1370, 1, 1), Some((1991, 3, 21))),
            ((1375, 1, 1), Some((1996, 3, 20))),
            ((1376, 1, 1), Some((1997, 3, 21))),
            ((1399, 1, 1), Some((2020, 3, 20))),
            ((1403, 12, 30), Some((2025, 3, 20))),
            ((1404, 1, 1), Some((2025, 3, 21))),
            ((1404, 10, 12), Some((2026, 1, 2))),
            ((1404, 12, 29), Some((2026, 3, 20))),
            ((1404, 12, 30), None),
            ((1404, 7, 31), None),
            ((1447, 13, 1), None),
        ] {
            let (year, month, day) = persian;
            assert_eq!(of_persian(year, month, day), expect, "{persian:?}");
        }
    }

    #[test]
    fn years_are_counted_from_other_beginnings() {
        assert_eq!((of_buddhist(2569), of_buddhist(2026), of_short_buddhist(69)), (Some(2026), None, Some(2026)));
        assert_eq!(
            (era("令和8年"), era("民國115年").map(|(_, before)| before), era("8年")),
            (Some((6, 2018)), Some(1911), None)
        );
    }
}
