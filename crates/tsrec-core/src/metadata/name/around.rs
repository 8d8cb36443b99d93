//! What stands beside names in a byline: other people's parts, times, and a date before the names.

use super::super::date;
use super::words::{OTHERS, is_post};
use super::{bare, begin_in, is_agency, is_person, split, without_by};

/// Most words of a byline. Judgement: ten authors with their posts.
const MOST_WORDS: usize = 60;
/// Most words between a date and a word for `by`. Judgement: a time, its zone and a section.
const MOST_BEFORE_BY: usize = 8;
/// Most bytes of a line with a date before its names. Judgement: a longer one is a story.
const LONGEST_LINE: usize = 400;
/// How many words after the name of another's part a word for `by` may be. Judgement: `additional
/// reporting in Rome by`.
const MOST_OF_PART: usize = 4;
/// Beginnings of words for what others than the writers do.
const PARTS: [&str; 22] = [
    "photo",
    "foto",
    "illustrat",
    "ilustra",
    "graphic",
    "grafik",
    "video",
    "translat",
    "übersetz",
    "tradu",
    "edited",
    "editing",
    "review",
    "medically",
    "fact",
    "additional",
    "images",
    "pictures",
    "bilder",
    "vertaal",
    "översät",
    "redigé",
];
/// Beginnings of words for how long a text takes, or how old it is.
const TIMES: &str = "min|sec|sek|hour|hr|day|week|month|year|std|stund|tag|woche|heure|jour|hora|dia|día|ore|giorni|uur|dag|timm|tim|мин|час|дн";
/// Words before a name, as they follow the name of a part.
const BY: [&str; 10] = ["by", "von", "par", "por", "di", "da", "door", "av", "af", "de"];

/// A byline up to what is not the name of a writer: a post or an agency in brackets, how long it
/// takes to read, or the part of somebody else. Linear: only the first words are read.
pub(super) fn until_aside(text: &str) -> &str {
    let words: Vec<&str> = text.split_whitespace().take(MOST_WORDS).collect();
    let before = |at: usize| {
        let is_mark =
            |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|' | '-' | '–' | '—' | '.' | '·' | '•' | '/' | '&');
        let kept = text[..begin_in(text, words[at])].trim_end_matches(is_mark);
        ["and", "with", "und", "et"].iter().find_map(|word| kept.strip_suffix(word)?.strip_suffix(' ')).unwrap_or(kept)
    };
    let are_persons = |at: usize| at == 0 || split(before(at)).iter().all(|name| is_person(&bare(name)));
    let end = (0..words.len()).find(|&at| {
        let next = || words.get(at + 1).map(|word| word.to_lowercase()).unwrap_or_default();
        let is_number = words[at].starts_with(|c: char| c.is_ascii_digit());
        let is_time = || is_number && TIMES.split('|').any(|time| next().starts_with(time));
        let is_post = || words[at].starts_with('(') && is_of_work(&words[at..]);
        (is_part(&words[at..]) || at > 0 && (is_time() || is_post())) && are_persons(at)
    });
    end.map_or(text, before)
}

/// True of words in brackets that name a post or an agency.
fn is_of_work(words: &[&str]) -> bool {
    let inner = words.iter().take(MOST_OF_PART).map(|word| word.trim_matches(['(', ')', ',']));
    inner.into_iter().any(|word| is_post(word) || is_agency(word))
}

/// True of words that begin with another's part: `photos by`, `Special to the Courier`.
fn is_part(words: &[&str]) -> bool {
    let word = words[0].trim_start_matches('(').to_lowercase();
    let next = words.get(1).copied().unwrap_or_default();
    let has_by = || words.iter().take(MOST_OF_PART).any(|word| BY.contains(&word.to_lowercase().as_str()));
    PARTS.iter().any(|part| word.starts_with(part)) && (word.ends_with(':') || has_by())
        || word == "special" && matches!(next, "to" | "for")
}

/// What follows a word for `by` after a date: `Posted on May 3, 2026 by Ann Orr`.
pub(in crate::metadata) fn after_date(text: &str) -> Option<&str> {
    if text.len() > LONGEST_LINE {
        return None;
    }
    let rest = &text[date::find(text, false)?.range.end..];
    let words = rest.split_whitespace().take(MOST_BEFORE_BY);
    words.map(|word| &rest[begin_in(rest, word)..]).find_map(without_by).filter(|name| !name.is_empty())
}

/// A list of names without the word for more at its end: `Ann Orr et al.`
pub(super) fn without_others(text: &str) -> &str {
    let bare = text.trim_end();
    let found = OTHERS.split('|').find_map(|others| {
        let at = bare.len().checked_sub(others.len())?;
        let end = bare.get(at..)?;
        end.eq_ignore_ascii_case(others).then(|| bare[..at].trim_end_matches([',', ' ']))
    });
    found.unwrap_or(text)
}
