//! The dates of a line that exists to give them, and the words beside each.
//!
//! A line may name several days: `Published 10 January 2020 · Updated 12 January 2020`. The word
//! for a day is before it, or after it if the line begins with a day: `2020年1月10日 公開`. Bars and
//! dashes end a part of a line. A range of days is no date.

use super::super::date::{InText, may_have_date};
use super::super::months;
use super::order::Order;
use crate::words::{self, is_ideograph};

/// Most words of a part of a line with a date. Judgement: in a longer one the date is part of the
/// story.
const MOST_WORDS: usize = 14;
/// Most words of a line. Judgement: in a longer one a bar or a dash belongs to the story.
const MOST_OF_LINE: usize = 40;
/// The same where a word says what the date is of, directly before it. Judgement: two authors with
/// their posts.
const MOST_LABELLED: usize = 30;
/// How many words before a date are its label in such a part. Judgement: `published on Tuesday`.
const LABEL: usize = 5;
/// Most bytes of a line. Judgement: a longer one is a story.
const LONGEST: usize = 1_000;
/// Letters that count as a word where there are no spaces. Judgement: a Chinese line of three names
/// and a day has some twenty-five.
const LETTERS_A_WORD: usize = 2;
/// What ends a part of a line.
const BARS: [&str; 9] = ["|", "·", "•", "｜", "丨", " – ", " — ", " - ", " / "];

/// A date of a line.
#[derive(Debug)]
pub(super) struct LineDate<'t> {
    pub(super) found: InText,
    /// The text that says what the day is of.
    pub(super) label: &'t str,
    /// How many words are beside it in its part of the line, without the time of day.
    pub(super) beside: usize,
}

/// The dates of a line in order. `is_label` is true of words that say what a date is of. Empty for
/// running text. Linear in the text.
pub(super) fn dates<'t>(text: &'t str, order: &Order<'_>, is_label: impl Fn(&str) -> bool) -> Vec<LineDate<'t>> {
    if text.len() > LONGEST || !may_have_date(text) || text.contains('©') || length(text) > MOST_OF_LINE {
        return Vec::new();
    }
    let found = order.all(text);
    let (Some(first), Some(last)) = (found.first(), found.last()) else { return Vec::new() };
    let begins_with_date = !text[..first.range.start].contains(char::is_alphanumeric);
    let labels_follow = begins_with_date && is_label(&text[last.range.end..]);
    let ends: Vec<(usize, usize)> = found.iter().map(|date| (date.range.start, date.range.end)).collect();
    let is_range: Vec<bool> = ends.iter().map(|&(start, end)| is_of_range(text, start, end)).collect();
    let is_unspaced = text.contains(is_ideograph);
    let mut dates = Vec::new();
    for (at, found) in found.into_iter().enumerate() {
        let after_last = at.checked_sub(1).map_or(0, |last| ends[last].1);
        let before_next = ends.get(at + 1).map_or(text.len(), |next| next.0);
        let (before, after) = (&text[after_last..found.range.start], &text[found.range.end..before_next]);
        let label = if labels_follow { after } else { before };
        let begin = BARS.iter().filter_map(|bar| Some(before.rfind(bar)? + bar.len())).max().unwrap_or(0);
        let end = BARS.iter().filter_map(|bar| after.find(bar)).min().unwrap_or(after.len());
        let around = match is_unspaced {
            // There, a space parts a line.
            true => [last_part(&before[begin..]), first_part(&after[..end])],
            false => [&before[begin..], &after[..end]],
        };
        let beside = around.iter().flat_map(|text| text.split_whitespace()).filter(|word| !is_clock(word)).count();
        let letters = around.iter().map(|text| length(text)).sum::<usize>();
        let words = length(&text[found.range.clone()]) + if is_unspaced { letters } else { beside };
        let is_told =
            || words <= MOST_LABELLED && is_label(last_words(label)) && !text.ends_with(['.', '!', '?', '。']);
        if !is_range[at] && (words <= MOST_WORDS || is_told()) {
            dates.push(LineDate { found, label, beside });
        }
    }
    dates
}

/// The number of words, also in scripts without spaces.
fn length(text: &str) -> usize {
    text.split_whitespace().count().max(words::count(text) / LETTERS_A_WORD)
}

/// A text after its last space, but for one at its end.
fn last_part(text: &str) -> &str {
    text.trim_end().rfind(char::is_whitespace).map_or(text, |at| text[at..].trim_start())
}

/// A text before its first space, but for one at its beginning.
fn first_part(text: &str) -> &str {
    let text = text.trim_start();
    text.find(char::is_whitespace).map_or(text, |at| &text[..at])
}

/// The last words of a text.
fn last_words(text: &str) -> &str {
    let begin =
        text.split_whitespace().rev().nth(LABEL - 1).map(|word| word.as_ptr() as usize - text.as_ptr() as usize);
    &text[begin.unwrap_or(0)..]
}

/// True of a time of day, or a word beside one: `08:30`, `6h00`, `Uhr`, `am`.
fn is_clock(word: &str) -> bool {
    const WORDS: [&str; 14] =
        ["at", "à", "um", "kl", "uhr", "am", "pm", "a.m", "p.m", "gmt", "utc", "bst", "est", "edt"];
    let word = word.trim_matches(|c: char| matches!(c, ',' | '.' | '(' | ')'));
    let is_time = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains([':', 'h', '.']);
    is_time || WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// True of a date that begins or ends a range of days: `2 – 4 May 2026`, `2 May 2026 – 4 May 2026`.
fn is_of_range(text: &str, start: usize, end: usize) -> bool {
    const DASHES: [char; 2] = ['–', '—'];
    const TO: [&str; 13] = [
        " to ",
        " until ",
        " till ",
        " through ",
        " bis ",
        " au ",
        " al ",
        " a ",
        " até ",
        " tot ",
        " til ",
        " do ",
        " по ",
    ];
    let is_month = |word: &str| months::month(&word.to_lowercase()).is_some();
    let is_day = |word: &str| word.len() <= 4 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let before = text[..start].trim_end().strip_suffix(DASHES);
    let before = before.or_else(|| TO.iter().find_map(|to| text[..start].strip_suffix(to)));
    let before = before.and_then(|before| before.split_whitespace().next_back());
    let after = text[end..].trim_start().strip_prefix(DASHES);
    let after = after.or_else(|| TO.iter().find_map(|to| text[end..].strip_prefix(to))).unwrap_or_default();
    let mut after = after.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let (first, second) = (after.next().unwrap_or_default(), after.next().unwrap_or_default());
    let begins_day = is_month(first) || is_day(first) && is_month(second);
    let ends_day = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        is_day(word) || is_month(word)
    };
    before.is_some_and(ends_day) || begins_day
}

#[cfg(test)]
mod tests {
    use super::super::super::{Sort, Stated, Subject, statements};
    use super::*;
    use crate::analysis::Analysis;

    /// The dates of a line with their labels, and how many words are beside them.
    fn read(line: &str) -> Vec<(String, String, usize)> {
        let document = crate::html::parse(b"<html lang=en-GB>", None, &Default::default());
        let analysis = Analysis::new(&document);
        let statements = &statements::collect(&document, &analysis);
        let siblings = &Stated::default();
        let subject =
            Subject { document: &document, analysis: &analysis, statements, url: None, sort: Sort::Text, siblings };
        let is_label = |text: &str| {
            ["ublished", "pdated", "公開", "更新", "Publié", "Mis à jour"].iter().any(|word| text.contains(word))
        };
        let found = dates(line, &Order::from_subject(&subject), is_label);
        found.into_iter().map(|date| (date.found.iso, date.label.trim().to_owned(), date.beside)).collect()
    }

    #[test]
    fn each_date_of_a_line_has_its_label() {
        let long = "By Ann Orr, our correspondent for the outer islands and their lighthouses since the storm of the year before last, published on 2 May 2026";
        let prose = "She sails again on Monday, 4 May 2026, after a winter in which nobody saw her.";
        for (line, expect) in [
            ("2 May 2026", &[("2026-05-02", "", 0)][..]),
            ("By Ann Orr – 2 May 2026", &[("2026-05-02", "By Ann Orr –", 0)]),
            ("2 May 2026 – 08:30", &[("2026-05-02", "", 0)]),
            ("2 May 2026 – 5 min read", &[("2026-05-02", "", 0)]),
            (
                "Published 2 May 2026 · Updated 4 May 2026",
                &[("2026-05-02", "Published", 1), ("2026-05-04", "· Updated", 1)],
            ),
            (
                "Published 2 May 2026 Updated 4 May 2026",
                &[("2026-05-02", "Published", 2), ("2026-05-04", "Updated", 1)],
            ),
            (
                "Published 2 May 2026 – Updated 4 May 2026",
                &[("2026-05-02", "Published", 1), ("2026-05-04", "– Updated", 1)],
            ),
            (
                "Publié le 06 mai 2020 à 06h00 - Mis à jour le 07 mai 2020 à 10h30",
                &[("2020-05-06", "Publié le", 2), ("2020-05-07", "à 06h00 - Mis à jour le", 3)],
            ),
            ("2026年5月2日 公開 2026年5月4日 更新", &[("2026-05-02", "公開", 1), ("2026-05-04", "更新", 2)]),
            (
                "News | Harbour | Weather | By Ann Orr and Ben Ley | 2 May 2026 | 12 comments | Share this story",
                &[("2026-05-02", "News | Harbour | Weather | By Ann Orr and Ben Ley |", 0)],
            ),
            (long, &[("2026-05-02", &long[..long.len() - 11], 22)]),
            // Ranges of days, and days of something else.
            ("2 – 4 May 2026", &[]),
            ("28 April – 2 May 2026", &[]),
            ("2 May 2026 – 4 May 2026", &[]),
            ("© 2 May 2026", &[]),
            (prose, &[]),
            ("新图书馆将于2026年5月2日重新开放，这座建于上世纪三十年代的建筑因为屋顶漏水已经关闭了将近四年之久", &[]),
        ] {
            let expect: Vec<_> =
                expect.iter().map(|&(iso, label, beside)| (iso.to_owned(), label.to_owned(), beside)).collect();
            assert_eq!(read(line), expect, "{line}");
        }
    }
}
