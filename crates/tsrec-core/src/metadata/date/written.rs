//! Finds dates as people write them in a text.

use super::calendar;
use super::digits::{digit, han_digit, han_number, number, roman_month};
use super::{YEARS, is_day};
use crate::metadata::months::{self, month};
use crate::words::{is_ideograph, is_word_char};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// A date in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::metadata) struct InText {
    /// The date, or the month if no day is named.
    pub(in crate::metadata) iso: String,
    /// Where it begins and ends, in bytes.
    pub(in crate::metadata) range: std::ops::Range<usize>,
    /// The day if day and month are swapped, for numbers that allow both.
    pub(in crate::metadata) or: Option<String>,
}

/// Most dates of a text. Judgement: a line names the publication, a change, and the day of the
/// review.
const MOST_DATES: usize = 8;
/// Letters that only Persian has, of those in Arabic script.
const PERSIAN_LETTERS: [char; 4] = ['پ', 'چ', 'ژ', 'گ'];

/// The first date in a text. `month_first` decides if day and month are ambiguous. Linear.
pub(in crate::metadata) fn find(text: &str, month_first: bool) -> Option<InText> {
    some(text, month_first, 1).into_iter().next()
}

/// All dates in a text, in order, up to [`MOST_DATES`]. A month without a day counts only if the
/// text names no day. Linear.
pub(in crate::metadata) fn all(text: &str, month_first: bool) -> Vec<InText> {
    some(text, month_first, MOST_DATES)
}

/// Whether a text may have a date. Every date has a year: in a text of ASCII four digits, or two
/// behind the sign that parts numbers. Quick, and false of most lines.
pub(in crate::metadata) fn may_have_date(text: &str) -> bool {
    if !text.is_ascii() {
        return text.chars().any(|c| digit(c).is_some() || han_digit(c).is_some());
    }
    let mut before = b' ';
    let mut runs = text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    runs.any(|run| {
        let is_parted = matches!(std::mem::replace(&mut before, run[run.len() - 1]), b'/' | b'.');
        run[0].is_ascii_digit() && (run.len() == 4 || run.len() == 2 && is_parted)
    })
}

fn some(text: &str, month_first: bool, most: usize) -> Vec<InText> {
    if !may_have_date(text) {
        return Vec::new();
    }
    let all = tokens(text);
    // Fillers are dropped, but still separate the numbers around them.
    let parts: Vec<&DateToken<'_>> = all.iter().filter(|token| !token.is_filler()).collect();
    let is_persian = text.contains(PERSIAN_LETTERS) || text.chars().any(|c| ('۰'..='۹').contains(&c));
    let mut days = Vec::new();
    let mut at = 0;
    while days.len() < most && at + 3 <= parts.len() {
        let found = day_at(text, &parts[at..at + 3], month_first, is_persian);
        at += if found.is_some() { 3 } else { 1 };
        days.extend(found);
    }
    if days.is_empty() { (1..parts.len()).find_map(|at| month_at(&parts, at)).into_iter().collect() } else { days }
}

fn day_at(text: &str, three: &[&DateToken<'_>], month_first: bool, is_persian: bool) -> Option<InText> {
    let persian = || read_persian(three).filter(|_| is_persian);
    let (year, month, day) = read_three(three, month_first).or_else(persian)?;
    // Digits directly before or after belong to a number, an address or a version.
    let before = &text[..three[0].begin];
    let after = text[three[2].end..].strip_prefix(['.', '/', '-']).unwrap_or_default();
    let goes_on = after.starts_with(|c: char| digit(c).is_some());
    let whole = !goes_on && (!before.ends_with(['.', '/', '-']) || before.len() < 2);
    // The word for day belongs to it.
    let sign = ["日", "일", "号", "號"]
        .iter()
        .find(|sign| text[three[2].end..].starts_with(**sign))
        .map_or(0, |sign| sign.len());
    let written = |(year, month, day): (u32, u32, u32)| format!("{year:04}-{month:02}-{day:02}");
    (whole && is_day(year, month, day)).then(|| InText {
        iso: written((year, month, day)),
        range: three[0].begin..three[2].end + sign,
        or: read_three(three, !month_first).filter(|other| *other != (year, month, day)).map(written),
    })
}

/// A month and its year.
fn month_at(parts: &[&DateToken<'_>], at: usize) -> Option<InText> {
    let (named, year) = (parts[at - 1], parts[at]);
    let month = named.month().filter(|_| named.text.chars().count() > 2)?;
    // If the month does not have the day before it, this is not a date.
    let has_day = at > 1 && parts[at - 2].small().is_some() && close(named);
    let iso = format!("{:04}-{month:02}", year.year()?);
    (close(year) && !has_day).then_some(InText { iso, range: named.begin..year.end, or: None })
}

/// A number or a word of a text, with the characters since the one before.
#[derive(Debug)]
struct DateToken<'t> {
    between: &'t str,
    text: &'t str,
    begin: usize,
    end: usize,
    /// The value of a number, and how many digits it has.
    value: Option<(u32, usize)>,
}

impl DateToken<'_> {
    /// The number, if it has as many digits as a year.
    fn year(&self) -> Option<u32> {
        let year = self.value.filter(|(_, digits)| *digits == 4)?.0;
        Some(year).filter(|year| YEARS.contains(year)).or_else(|| calendar::of_buddhist(year))
    }

    /// The year, from its last two digits: in this century, and only in all-numeric dates.
    fn short_year(&self) -> Option<u32> {
        self.value.filter(|(year, digits)| *digits == 2 && (5..50).contains(year)).map(|(year, _)| 2000 + year)
    }

    /// The year, from the last two digits of a Thai one.
    fn short_thai_year(&self) -> Option<u32> {
        self.value.filter(|(_, digits)| *digits == 2).and_then(|(year, _)| calendar::of_short_buddhist(year))
    }

    fn persian_year(&self) -> Option<u32> {
        self.value.map(|(year, _)| year).filter(|&year| calendar::is_persian_year(year))
    }

    fn small(&self) -> Option<u32> {
        self.value.filter(|(_, digits)| *digits <= 2).map(|(number, _)| number)
    }

    fn month(&self) -> Option<u32> {
        match self.value {
            Some(_) => None,
            None => month(&self.text.to_lowercase()),
        }
    }

    fn is_thai(&self) -> bool {
        self.text.starts_with(is_thai)
    }

    /// True of words without meaning inside dates: ordinals, articles, the words for year, month
    /// and day.
    fn is_filler(&self) -> bool {
        const FILLERS: [&str; 46] = [
            "st",
            "nd",
            "rd",
            "th",
            "er",
            "de",
            "del",
            "of",
            "the",
            "den",
            "º",
            "ª",
            "o",
            "a",
            "г",
            "年",
            "月",
            "日",
            "년",
            "월",
            "일",
            "e",
            "ος",
            "та",
            "号",
            "號",
            "d",
            "m",
            "gada",
            "ko",
            "року",
            "года",
            "рік",
            "р",
            "оны",
            "сарын",
            "жылғы",
            "ngày",
            "năm",
            "พ.ศ",
            "ค.ศ",
            "ماه",
            "سال",
            "عام",
            "سنة",
            "ב",
        ];
        self.value.is_none() && FILLERS.contains(&self.text.to_lowercase().as_str())
    }
}

fn is_thai(c: char) -> bool {
    ('\u{e01}'..='\u{e4e}').contains(&c)
}

/// True of a letter, a digit or a mark on a letter.
fn is_of_word(c: char) -> bool {
    is_word_char(c) && c != '_' || !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Mark
}

/// Numbers and words. A letter after a digit begins a new token, as in `12th`. Each ideograph or
/// syllable is a token, but a Chinese number is one, and so is a year of an era, a Thai
/// abbreviation, and a month of two words.
fn tokens(text: &str) -> Vec<DateToken<'_>> {
    let mut found: Vec<DateToken<'_>> = Vec::new();
    let (mut end, mut at) = (0, 0);
    while let Some(first) = text[at..].chars().next() {
        if !is_of_word(first) && first != '○' {
            at += first.len_utf8();
            continue;
        }
        let (length, value) = token_at(&text[at..], first);
        found.push(DateToken {
            between: &text[end..at],
            text: &text[at..at + length],
            begin: at,
            end: at + length,
            value,
        });
        at += length;
        end = at;
    }
    found
}

/// The length of the token that begins a text, and its value if it is a number.
fn token_at(text: &str, first: char) -> (usize, Option<(u32, usize)>) {
    let while_all = |is: &dyn Fn(char) -> bool| text.find(|c| !is(c)).unwrap_or(text.len());
    if digit(first).is_some() {
        let length = while_all(&|c| digit(c).is_some());
        return (length, number(&text[..length]));
    }
    if let Some((value, length)) = year_of_era(text) {
        return (length, Some((value, 4)));
    }
    if is_ideograph(first) || ('\u{ac00}'..='\u{d7ff}').contains(&first) || first == '○' {
        let numerals = while_all(&|c| han_digit(c).is_some());
        let is_counted = numerals > 0 && text[numerals..].trim_start().starts_with(['年', '月', '日', '号', '號']);
        return match han_number(&text[..numerals]).filter(|_| is_counted) {
            Some(value) => (numerals, Some(value)),
            None => (first.len_utf8(), None),
        };
    }
    if is_thai(first) {
        let length = while_all(&|c| is_thai(c) || c == '.');
        return (text[..length].trim_end_matches('.').len().max(first.len_utf8()), None);
    }
    (months::of_two_words(text).unwrap_or_else(|| while_all(&|c| is_of_word(c) && digit(c).is_none())), None)
}

/// A year after the name of an era: `令和8`, `令和元`. The year and its length in bytes.
fn year_of_era(text: &str) -> Option<(u32, usize)> {
    let (name, before) = calendar::era(text)?;
    let rest = text[name..].trim_start();
    let begin = text.len() - rest.len();
    if rest.starts_with('元') {
        return Some((before + 1, begin + '元'.len_utf8()));
    }
    let length = rest.find(|c| digit(c).is_none() && han_digit(c).is_none()).unwrap_or(rest.len());
    let (year, _) = number(&rest[..length]).or_else(|| han_number(&rest[..length]))?;
    (year < 1000).then_some((before + year, begin + length))
}

/// True if only a few characters separate a token from the one before.
fn close(token: &DateToken<'_>) -> bool {
    token.between.chars().count() <= 3 && !token.between.contains(['|', '(', ';', '\n'])
}

/// Year, month and day, in the orders that pages use.
fn read_three(three: &[&DateToken<'_>], month_first: bool) -> Option<(u32, u32, u32)> {
    let [a, b, c] = three else { return None };
    if !close(b) || !close(c) {
        return None;
    }
    let alike = b.between == c.between && matches!(b.between.trim(), "." | "/" | "-" | "–" | "．" | "／" | "－");
    let is_east_asian = b.between.is_empty() || c.between.is_empty();
    if let (Some(year), Some(month), Some(day)) = (a.year(), b.small(), c.small())
        && (alike || is_east_asian || b.between.trim_start().is_empty())
    {
        return Some((year, month, day));
    }
    // A year of the Republic of China: `115年1月2日`.
    if let (Some((year @ 100..=199, 3)), Some(month), Some(day)) = (a.value, b.small(), c.small())
        && b.between.is_empty()
        && c.between.is_empty()
    {
        return Some((1911 + year, month, day));
    }
    if let Some(year) = a.year() {
        if let Some(month) = b.month() {
            return Some((year, month, c.small()?));
        }
        if let (Some(day), Some(month)) = (b.small(), c.month()) {
            return Some((year, month, day));
        }
    }
    let are_padded = a.text.len() == 2 && b.text.len() == 2;
    let in_numbers = alike && (b.between == "/" || b.between == "." && are_padded);
    let is_thai = b.is_thai() && b.month().is_some();
    let short = || c.short_year().filter(|_| in_numbers).or_else(|| c.short_thai_year().filter(|_| is_thai));
    let year = c.year().or_else(short)?;
    if let (Some(day), Some(month)) = (a.small(), b.month().or_else(|| roman_month(b.text))) {
        return Some((year, month, day));
    }
    if let (Some(month), Some(day)) = (a.month(), b.small()) {
        return Some((year, month, day));
    }
    let (first, second) = (a.small()?, b.small()?);
    match (alike, b.between) {
        // `2/1 2026`, as in Denmark.
        (false, "/") if c.between == " " => Some((year, second, first)),
        (false, _) => None,
        _ if first > 12 => Some((year, second, first)),
        _ if second > 12 => Some((year, first, second)),
        // In dates with full stops and a whole year the day comes first.
        (true, "." | ". " | "-") if c.year().is_some() => Some((year, second, first)),
        _ if month_first => Some((year, first, second)),
        _ => Some((year, second, first)),
    }
}

/// The same in the Persian calendar: day, month and year, the month by name, or year, month and day
/// in numbers.
fn read_persian(three: &[&DateToken<'_>]) -> Option<(u32, u32, u32)> {
    let [a, b, c] = three else { return None };
    if !close(b) || !close(c) {
        return None;
    }
    if let (Some(day), Some(month), Some(year)) = (a.small(), months::persian(b.text), c.persian_year()) {
        return calendar::of_persian(year, month, day);
    }
    let in_numbers = b.between == c.between && matches!(b.between.trim(), "/" | "-" | ".");
    let (year, month, day) = (a.persian_year()?, b.small()?, c.small()?);
    calendar::of_persian(year, month, day).filter(|_| in_numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("02–01–2026", "2026-01-02"),
            ("2026–01–02", "2026-01-02"),
            ("13/01/2026", "2026-01-13"),
            ("01/13/2026", "2026-01-13"),
            ("02/01/2026", "2026-01-02"),
            ("Updated 13/01/26", "2026-01-13"),
            ("13.01.26, 08:30 Uhr", "2026-01-13"),
            ("1/13/26", "2026-01-13"),
            ("2/1 2026", "2026-01-02"),
            ("2. I. 2026", "2026-01-02"),
            ("2 XII 2026", "2026-12-02"),
            ("2 Μαϊ 2026", "2026-05-02"),
            ("115年1月2日", "2026-01-02"),
            ("December 2025", "2025-12"),
            // Other scripts, digits and calendars.
            ("2 يناير 2026", "2026-01-02"),
            ("٢ يناير ٢٠٢٦", "2026-01-02"),
            ("2 كانون الثاني 2026", "2026-01-02"),
            ("12 رجب 1447 هـ - 2 يناير 2026", "2026-01-02"),
            ("۱۲ دی ۱۴۰۴", "2026-01-02"),
            ("۱۲ دی ماه ۱۴۰۴ - ۰۸:۳۰", "2026-01-02"),
            ("جمعه ۱۲ دی ۱۴۰۴", "2026-01-02"),
            ("۱۴۰۴/۱۰/۱۲", "2026-01-02"),
            ("۲ ژانویه ۲۰۲۶", "2026-01-02"),
            ("2 جنوری 2026", "2026-01-02"),
            ("2 มกราคม 2569", "2026-01-02"),
            ("2 มกราคม พ.ศ. 2569", "2026-01-02"),
            ("๒ มกราคม ๒๕๖๙", "2026-01-02"),
            ("2 ม.ค. 2569 08:30 น.", "2026-01-02"),
            ("2 ม.ค. 69", "2026-01-02"),
            ("2/1/2569", "2026-01-02"),
            ("令和8年1月2日（金）", "2026-01-02"),
            ("令和８年１月２日", "2026-01-02"),
            ("平成31年4月30日", "2019-04-30"),
            ("令和元年5月1日", "2019-05-01"),
            ("民國115年1月2日", "2026-01-02"),
            ("二〇二六年一月二日", "2026-01-02"),
            ("二零二六年十二月三十一日", "2026-12-31"),
            ("２０２６年１月２日", "2026-01-02"),
            ("2026 年 1 月 2 日", "2026-01-02"),
            ("2026.01.02 08:30", "2026-01-02"),
            ("입력 2026.01.02. 08:30", "2026-01-02"),
            ("2026. 1. 2. 오후 3:00", "2026-01-02"),
            ("2 जनवरी 2026", "2026-01-02"),
            ("२ जनवरी २०२६", "2026-01-02"),
            ("২ জানুয়ারি ২০২৬", "2026-01-02"),
            ("ஜனவரி 2, 2026", "2026-01-02"),
            ("2 בינואר 2026", "2026-01-02"),
            ("ngày 2 tháng 1 năm 2026", "2026-01-02"),
            ("2 Tháng 1, 2026", "2026-01-02"),
            ("2 იანვარი 2026", "2026-01-02"),
            ("2 հունվարի 2026", "2026-01-02"),
            ("2. januára 2026", "2026-01-02"),
            ("2. siječnja 2026.", "2026-01-02"),
            ("2. јануар 2026.", "2026-01-02"),
            ("2 януари 2026 г.", "2026-01-02"),
            ("2 студзеня 2026", "2026-01-02"),
            ("2026 m. sausio 2 d.", "2026-01-02"),
            ("2026. gada 2. janvāris", "2026-01-02"),
            ("2. jaanuar 2026", "2026-01-02"),
            ("2 de gener de 2026", "2026-01-02"),
            ("2 d'abril de 2026", "2026-04-02"),
            ("2026ko urtarrilaren 2a", "2026-01-02"),
            ("2. janúar 2026", "2026-01-02"),
            ("2 yanvar 2026", "2026-01-02"),
            ("2026 жылғы 2 қаңтар", "2026-01-02"),
            ("2026 оны 1-р сарын 2", "2026-01-02"),
        ] {
            assert_eq!(find(text, false).map(|found| found.iso).as_deref(), Some(expect), "{text}");
        }
        assert_eq!(find("02/01/2026", true).unwrap().iso, "2026-02-01");
        for (text, or) in [
            ("02/01/2026", Some("2026-01-02")),
            ("02.01.26", Some("2026-01-02")),
            ("13/01/2026", None),
            ("02.01.2026", None),
            ("2 May 2026", None),
        ] {
            assert_eq!(find(text, true).unwrap().or.as_deref(), or, "{text}");
        }
        let found = find("By Ann on 2 May 2026, late", false).unwrap();
        assert_eq!(&"By Ann on 2 May 2026, late"[found.range], "2 May 2026");
    }

    #[test]
    fn all_dates_of_a_text_are_found() {
        let found = |text: &str| all(text, false).into_iter().map(|found| found.iso).collect::<Vec<_>>();
        assert_eq!(found("Published 2 May 2026, updated 2026-05-03 08:30"), ["2026-05-02", "2026-05-03"]);
        assert_eq!(found("May 2026, and 3 May 2026"), ["2026-05-03"]);
        assert_eq!(found(&"2 May 2026, ".repeat(100)).len(), MOST_DATES);
        assert_eq!(found("May 2026"), ["2026-05"]);
    }

    #[test]
    fn most_lines_with_numbers_are_passed_over() {
        for text in ["12 comments", "Page 3 of 10", "5 min read", "Win 32/1", "v1.2.3", "20 000 km", "12345"] {
            assert!(!may_have_date(text), "{text}");
        }
        for text in ["2 May 2026", "3/4/26", "03.04.26", "May 2026", "令和8年5月2日", "二〇二六年五月二日"]
        {
            assert!(may_have_date(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "version 1.2.2026.4",
            "version 1.2.26",
            "12年1月2日",
            "Ramses II 2026",
            "12 of 2026 people",
            "call 020 2026",
            "2026",
            "31 April 2026",
            "10.0.0.1",
            "May 20",
            "© 2019 – 2026",
            "1404/10/12",
            "12 رجب 1447",
            "第二十三回",
            "一二三四五六七八九",
            "令和の時代",
            "3 มกราคม",
        ] {
            assert_eq!(find(text, false), None, "{text}");
        }
    }
}
