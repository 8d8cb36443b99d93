//! Names of authors: told from what is none, freed of the words around them, and parted where
//! several stand in one text.

mod words;

use super::date;
use crate::html::strip_and_collapse;
use crate::words::beginning;
use words::{
    ACCOUNTS, AND, BY, GROUPS, LABELS, LONGEST_BY, ORGANISATIONS, PARTICLES, is_other_post, is_post, is_rank,
    is_weekday, is_weekday_alone, is_whereabouts,
};

/// Characters of a name at most. Judgement: a longer one is a sentence.
const LONGEST: usize = 80;
/// Words of a name at most, degrees and posts included. Judgement.
const MOST_WORDS: usize = 12;
/// Bytes of an article at most: `the`, `den`, `les`.
const LONGEST_ARTICLE: usize = 3;
/// Words of a name that nothing but a word for `by` marks. Judgement.
const MOST_PLAIN_WORDS: usize = 5;

/// A name out of a text that is said to be one. `None` of addresses, accounts, numbers, and what is
/// too long.
pub(super) fn clean(text: &str) -> Option<String> {
    let line = strip_and_collapse(text);
    let name = without_by(&line).unwrap_or(&line);
    let name = until_date(name);
    let name = name.split(['|', '·', '•', '»', '«', '\u{2022}', '{', '<', '@']).next().unwrap_or_default();
    let name = [" - ", " – ", " — "].iter().fold(name, |name, dash| name.split(dash).next().unwrap_or_default());
    let name =
        name.trim().trim_matches(|c: char| matches!(c, ',' | ':' | ';' | '-' | '–' | '—' | '/' | '(' | '*')).trim();
    let name = name.strip_suffix('.').filter(|name| !name.contains('.') && name.contains(' ')).unwrap_or(name);
    is_name(name).then(|| name.to_owned())
}

/// True of the name of a host: its last part is one that registries give, and what stands before is
/// no initial.
fn is_domain(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_known = psl::suffix(word.as_bytes()).is_some_and(|suffix| suffix.is_known());
    word.split_once('.').is_some_and(|(before, _)| before.chars().count() > 3) && is_known
}

/// True of what can be a name.
fn is_name(name: &str) -> bool {
    if name.split_whitespace().any(is_domain) {
        return false;
    }
    let lower = name.to_lowercase();
    name.chars().any(char::is_alphabetic)
        && !name.contains("://")
        // Who did what, in a list.
        && !name.contains(": ")
        && !lower.starts_with("www.")
        && name.chars().count() <= LONGEST
        && name.split_whitespace().count() <= MOST_WORDS
        && !ACCOUNTS.contains(&lower.as_str())
        && !BY.contains(&lower.as_str())
        && !name.contains(['?', '!', '=', '%', '$', '€', '£'])
}

/// True of a name that needs no mark: a few words in capitals, with particles between, or a short
/// one in a script without them.
pub(super) fn is_plain(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    if name.chars().any(|c| c.is_ascii_digit())
        || words.len() > MOST_PLAIN_WORDS
        || name.ends_with(['.', ':']) && !name.contains(' ')
    {
        return false;
    }
    if !has_case(name) {
        return name.chars().count() <= 20 && words.len() <= 4;
    }
    let is_capital = |word: &&str| word.chars().next().is_some_and(char::is_uppercase);
    words.iter().any(is_capital)
        && words.iter().all(|word| is_capital(word) || PARTICLES.contains(&word.to_lowercase().as_str()))
}

/// True of a text that names nobody, though a name could stand in its place.
pub(super) fn is_label(text: &str) -> bool {
    let text = text.trim().trim_end_matches([':', ',', '.']).to_lowercase();
    LABELS.contains(&text.as_str())
        || is_weekday_alone(&text)
        || text.starts_with("more about ")
        || text.starts_with("more from ")
}

/// True of a text that is nothing but a word for the author.
pub(super) fn is_author_label(text: &str) -> bool {
    const NOUNS: [&str; 10] =
        ["author", "authors", "autor", "autorin", "autoren", "auteur", "auteurs", "autora", "autore", "contributors"];
    let text = text.trim().trim_end_matches(':');
    NOUNS.iter().any(|noun| noun.eq_ignore_ascii_case(text))
}

/// True of few words, whatever their letters.
pub(super) fn is_short(name: &str) -> bool {
    (1..=MOST_PLAIN_WORDS).contains(&name.split_whitespace().count()) && !is_label(name)
}

/// True of the name of a group that writes: `The … editors`, `… team`.
pub(super) fn is_group(name: &str) -> bool {
    let last = name.split_whitespace().last().unwrap_or_default().to_lowercase();
    is_short(name) && GROUPS.contains(&last.as_str()) && name.starts_with(char::is_uppercase)
}

/// True of what is more likely a person's name than anything else: two to four words with capitals,
/// none of them of a group or an organisation.
pub(super) fn is_person(name: &str) -> bool {
    let words: Vec<String> = name.split_whitespace().map(|word| word.trim_matches(['.', ',']).to_lowercase()).collect();
    let is_other = |word: &String| GROUPS.contains(&word.as_str()) || ORGANISATIONS.contains(&word.as_str());
    (2..=4).contains(&words.len()) && is_plain(name) && !words.iter().any(is_other)
}

/// What follows a word for `by` at the beginning of a text, if there is one; empty where nothing
/// follows.
pub(super) fn without_by(text: &str) -> Option<&str> {
    let start = beginning(text, LONGEST_BY);
    let lower = start.to_lowercase();
    BY.iter().find_map(|by| {
        let rest = lower.strip_prefix(by)?;
        // The lower case of a few letters is longer than they are: such a text has no such word at
        // its start.
        let rest = text.get(start.len().checked_sub(rest.len())?..)?;
        let is_word = by.chars().all(|c| ('\u{2e80}'..='\u{d7ff}').contains(&c));
        let parted =
            rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | '/' | '／'));
        // A particle of a name, or a heading, unless a colon follows or a name does.
        (parted || is_word && rest.starts_with(['：', ':']))
            .then(|| rest.trim_start_matches([':', '：', '/', '／', ' ', '\u{a0}']).trim())
    })
}

/// The same, where the word for `by` is a phrase, such as `written by`: nothing else begins so.
pub(super) fn without_phrase(text: &str) -> Option<&str> {
    let rest = without_by(text)?;
    let before = text.trim_end().strip_suffix(rest).unwrap_or(text).trim_end_matches([':', '：', ' ', '\u{a0}']);
    before.trim().contains(' ').then_some(rest)
}

/// A text up to the date in it, and the word before that.
fn until_date(text: &str) -> &str {
    match date::find(text, false) {
        Some(found) if found.range.start > 0 => {
            let before = text[..found.range.start].trim_end();
            let cut = [
                "on",
                "at",
                "am",
                "le",
                "el",
                "il",
                "em",
                "op",
                "den",
                "updated",
                "published",
                "posted",
                "last updated",
                "last updated on:",
                "updated on",
                "aktualisiert",
                "-",
                "–",
                "|",
            ];
            let mut before = before.trim_end_matches([',', ':', '-', '–', '|', ' ']);
            for word in cut {
                let lower = before.to_lowercase();
                if let Some(rest) = lower.strip_suffix(word).filter(|rest| rest.ends_with(' ') || rest.is_empty())
                    && let Some(kept) = before.get(..rest.len())
                {
                    before = kept.trim_end_matches([',', ':', '-', '–', '|', ' ']);
                }
            }
            without_weekday(before)
        }
        Some(_) => "",
        None => text,
    }
}

/// A text without the day of the week at its end. A name has two words before it: people are called
/// Friday.
fn without_weekday(text: &str) -> &str {
    match text.rsplit_once([' ', ',']) {
        Some((before, last)) if is_weekday(last) && (before.trim().contains(' ') || text.contains(',')) => {
            before.trim_end_matches([',', ':', '-', '–', '|', ' '])
        }
        _ => text,
    }
}

/// The names in a text, each freed of what stands around it.
pub(super) fn all(text: &str) -> Vec<String> {
    split(text).iter().filter_map(|name| clean(name)).map(|name| bare(&name)).collect()
}

/// A name up to what its owner is, where and for whom they write, and when: `Ann Orr, Chief
/// Reporter`, `Ann Orr in Berlin`. A degree behind it stays.
pub(super) fn bare(name: &str) -> String {
    let comma = name.match_indices(',').find(|&(at, _)| begins_no_name(&name[at + 1..]));
    let words: Vec<&str> = comma.map_or(name, |(at, _)| &name[..at]).split_whitespace().collect();
    let end = (1..words.len()).find(|&at| {
        // Less than two words are no name that something could follow, unless their letters are of
        // another kind.
        let is_led_to = || is_whereabouts(words[at]) && is_of_a_place(&words[at + 1..]);
        let leads_on = at > 1 && is_led_to() && is_person(&words[..at].join(" "));
        leads_on || is_title(&words[at..]) && (at > 1 || !has_case(words[at]))
    });
    words[..end.unwrap_or(words.len())].join(" ")
}

/// True of words that begin with a name, or with an article and a name.
fn is_of_a_place(words: &[&str]) -> bool {
    let is_capital = |word: &&str| word.starts_with(char::is_uppercase);
    let is_article = |word: &str| word.len() <= LONGEST_ARTICLE && word.chars().all(char::is_alphabetic);
    words.first().is_some_and(is_capital)
        || words.first().is_some_and(|word| is_article(word)) && words.get(1).is_some_and(is_capital)
}

/// True of words that are a post: one with its ranks before it, or alone in letters without
/// capitals, where nothing else tells a name's end.
fn is_title(words: &[&str]) -> bool {
    let Some((post, ranks)) = words.split_last() else { return false };
    let is_marked = !ranks.is_empty() || !has_case(post);
    is_marked && is_post(post) && ranks.iter().all(|rank| is_rank(rank))
}

fn has_case(word: &str) -> bool {
    word.chars().any(|c| c.is_lowercase() || c.is_uppercase())
}

/// True of what follows a comma in a byline and is no name: a post, a day of the week, or the name
/// of a paper.
fn begins_no_name(text: &str) -> bool {
    let part = text.split(',').next().unwrap_or_default().trim();
    let mut words = part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_paper = part.split_once(' ').is_some_and(|(first, _)| first.eq_ignore_ascii_case("the"));
    is_paper || is_weekday_alone(part.split(' ').next().unwrap_or_default()) || words.any(is_post)
}

/// The names in a text that may hold several: parted by semicolons and words for `and`, and by
/// commas where full names stand on both sides of each. What follows a single comma may be a degree
/// or a post, and stays.
///
/// ```
/// use tsrec_core::metadata::split_authors;
/// assert_eq!(split_authors("Ann Orr and Ben Ley"), ["Ann Orr", "Ben Ley"]);
/// assert_eq!(split_authors("Ann Orr, Ph.D."), ["Ann Orr, Ph.D."]);
/// ```
pub fn split(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split([';', '、', '\n']) {
        let mut name = String::new();
        let mut names = Vec::new();
        let words: Vec<&str> = part.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            let joins = AND.contains(&word.to_lowercase().as_str())
                && name.contains(' ')
                && words[at + 1..].len() > 1
                && words.get(at + 1).is_some_and(|next| next.chars().next().is_some_and(char::is_uppercase));
            match joins {
                true => names.push(std::mem::take(&mut name)),
                false => {
                    if !name.is_empty() {
                        name.push(' ');
                    }
                    name.push_str(word);
                }
            }
        }
        names.push(name);
        for name in names {
            let parts: Vec<&str> = name.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
            let are_names = parts.len() > 1 && parts.iter().all(|part| is_full(part));
            match are_names {
                true => found.extend(parts.iter().map(|&part| part.to_owned())),
                false => {
                    found.extend(Some(name.trim().trim_end_matches(',').to_owned()).filter(|name| !name.is_empty()))
                }
            }
        }
    }
    found
}

/// A first and a last name, not a degree or a post.
fn is_full(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_other = words.iter().any(|word| is_other_post(word));
    (2..=4).contains(&words.len()) && is_plain(name) && !is_other && !begins_no_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_text_has_room_for_each_word_for_by() {
        assert!(BY.iter().all(|by| by.len() <= LONGEST_BY));
        assert_eq!(
            without_by(&format!("By Ann Orr{}", "é".repeat(LONGEST_BY))).map(str::len),
            Some(7 + 2 * LONGEST_BY)
        );
    }

    #[test]
    fn names_are_freed_of_what_stands_around_them() {
        for (text, expect) in [
            (" Ann\n Orr", Some("Ann Orr")),
            ("By Ann Orr", Some("Ann Orr")),
            ("Byron", Some("Byron")),
            ("Written by: Ann Orr", Some("Ann Orr")),
            ("Von Ann Orr am 2. Januar 2026", Some("Ann Orr")),
            ("Ann Orr | 2 January 2026", Some("Ann Orr")),
            ("By Ann Orr Updated January 2, 2026", Some("Ann Orr")),
            ("Post by ann77 » 2 Jan 2026, 10:00", Some("ann77")),
            ("作者：王小明", Some("王小明")),
            ("Автор: Анна Орр", Some("Анна Орр")),
            ("http://x.example/ann", None),
            ("By", None),
            ("admin", None),
            ("2026", None),
            ("2 January 2026", None),
            ("Why did the ferry sail?", None),
            ("", None),
        ] {
            assert_eq!(clean(text).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn a_name_ends_where_its_owners_post_or_place_begins() {
        for (text, expect) in [
            ("Ann Orr, Monday", &["Ann Orr"][..]),
            ("By Ann Orr, Mon., 3 May 2026", &["Ann Orr"]),
            ("Ann Orr Monday 3 May 2026", &["Ann Orr"]),
            ("Von Änne Öhr, Montag, 3. Mai 2026", &["Änne Öhr"]),
            ("By Ann Orr, Chief Reporter", &["Ann Orr"]),
            ("By Ann Orr, Editor-in-Chief, The Courier", &["Ann Orr"]),
            ("Ann Orr Staff Writer", &["Ann Orr"]),
            ("Ann Orr | Science Editor", &["Ann Orr"]),
            ("Ann Orr – Science Editor", &["Ann Orr"]),
            ("Änne Öhr, Redakteurin", &["Änne Öhr"]),
            ("Anne Orre, envoyée spéciale", &["Anne Orre"]),
            ("山田花子 記者", &["山田花子"]),
            ("Ann Orr in Berlin", &["Ann Orr"]),
            ("Ann Orr for The Courier", &["Ann Orr"]),
            ("Änne Öhr für den Kurier", &["Änne Öhr"]),
            ("Ann Orr and Ben Ley, The Courier", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr in Berlin and Ben Ley in Rome", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr, Chief Reporter, and Ben Ley", &["Ann Orr", "Ben Ley"]),
            // Names, and what belongs to them.
            ("Ann Orr, MD", &["Ann Orr, MD"]),
            ("Ann Orr, MD, Staff Writer", &["Ann Orr, MD"]),
            ("Joe Friday", &["Joe Friday"]),
            ("Joe Friday 3 May 2026", &["Joe Friday"]),
            ("Ann in 't Veld", &["Ann in 't Veld"]),
            ("Ann Orr, Shipping Expert", &["Ann Orr, Shipping Expert"]),
            ("Harbour Coalition for Ferries", &["Harbour Coalition for Ferries"]),
            ("Courier Staff", &["Courier Staff"]),
            ("The Courier editors", &["The Courier editors"]),
            ("ann of the quay", &["ann of the quay"]),
        ] {
            assert_eq!(all(text), expect, "{text}");
        }
    }

    #[test]
    fn several_names_are_parted() {
        for (text, expect) in [
            ("Ann Orr", &["Ann Orr"][..]),
            ("Ann Orr, Ben Ley and Cy Moe", &["Ann Orr", "Ben Ley", "Cy Moe"]),
            ("Ann Orr und Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr; Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr & Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr, MD, FOMA", &["Ann Orr, MD, FOMA"]),
            ("Ann Orr, Shipping Expert", &["Ann Orr, Shipping Expert"]),
            ("Ann Orr, The Courier", &["Ann Orr, The Courier"]),
            ("Linny and Peter", &["Linny and Peter"]),
            ("The Ferry and Harbour Team", &["The Ferry", "Harbour Team"]),
            ("", &[]),
        ] {
            assert_eq!(split(text), expect, "{text}");
        }
    }

    #[test]
    fn plain_names_are_told_from_words() {
        for (name, expect) in [
            ("Ann Orr", true),
            ("Ludwig van der Rohe", true),
            ("王小明", true),
            ("the ferry sails", false),
            ("Page 2", false),
            ("The Ferry That Sailed Too Late", false),
        ] {
            assert_eq!(is_plain(name), expect, "{name}");
        }
    }
}
