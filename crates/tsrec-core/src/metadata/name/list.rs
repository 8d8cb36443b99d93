//! Splits lists of names.

use super::around::without_others;
use super::words::{AND, PHOTOGRAPHERS, SURNAMES, WRITERS, is_other_post};
use super::{bare, begins_no_name, is_east_asian, is_plain, without_emoji};

/// Most names at commas, slashes or bars. Judgement: as many as a page may have.
const MOST: usize = 1_000;

/// Splits a text that may hold several names. Semicolons and words for `and` separate names.
/// Commas, slashes and bars do only between full names. What follows a single comma may be a degree
/// or a job title, and stays.
///
/// ```
/// use tsrec_core::metadata::split_authors;
/// assert_eq!(split_authors("Ann Orr and Ben Ley"), ["Ann Orr", "Ben Ley"]);
/// assert_eq!(split_authors("Ann Orr / Ben Ley"), ["Ann Orr", "Ben Ley"]);
/// assert_eq!(split_authors("Ann Orr, Ph.D."), ["Ann Orr, Ph.D."]);
/// ```
pub fn split(text: &str) -> Vec<String> {
    let text = without_emoji(text);
    let parts = without_others(&text).split([';', '；', '、', '，', '\n']).take(MOST);
    let names = parts.flat_map(by_and).flat_map(|name| by_marks(&name));
    names.map(|name| name.trim().trim_end_matches(',').to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Splits at words for `and` between two full names.
fn by_and(part: &str) -> Vec<String> {
    let words: Vec<&str> = part.split_whitespace().collect();
    let mut names = vec![String::new()];
    for (at, word) in words.iter().enumerate() {
        let name = names.last_mut().expect("there is one");
        let next = words.get(at + 1);
        // A single capital is an initial.
        let is_and =
            AND.contains(&word.to_lowercase().as_str()) && (word.len() > 1 || !word.starts_with(char::is_uppercase));
        let is_latin = || name.contains(' ') && words.len() > at + 2 && next.is_some_and(|next| is_name_like(next));
        let is_east = || !name.is_empty() && is_east_asian(name) && next.is_some_and(|next| is_east_asian(next));
        if is_and && (is_latin() || is_east()) {
            names.push(String::new());
            continue;
        }
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
    }
    names
}

/// True of a word with which a name begins: with a capital, or in letters that have none.
fn is_name_like(word: &str) -> bool {
    word.starts_with(char::is_uppercase) || !word.chars().any(|c| c.is_lowercase() || c.is_ascii())
}

/// Splits at commas, slashes and bars between full names. What is beside the name of one writer
/// only says what he does or for whom.
fn by_marks(name: &str) -> Vec<String> {
    let parts = |mark: fn(char) -> bool| -> Vec<String> {
        let parts = name.split(mark).take(MOST).map(str::trim).filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let at_commas = parts(|c| c == ',');
    if at_commas.len() > 1 && at_commas.iter().all(|part| is_full(&bare(part))) {
        return at_commas;
    }
    if let Some(names) = by_roles(name) {
        return names;
    }
    // `林小明／台北報導`: the place from which he reports.
    let is_report =
        |part: &String| part.trim_end_matches(['】', '）']).ends_with(['導', '导', '道', '電', '电', '讯', '訊']);
    let mut at_bars = parts(|c| matches!(c, '/' | '／' | '|' | '｜' | '·' | '•' | '&' | '+'));
    if let [name, report] = &at_bars[..]
        && is_east_asian(name)
        && is_report(report)
    {
        at_bars.pop();
        return at_bars;
    }
    if at_bars.len() > 1 && !name.contains("://") {
        if at_bars.iter().all(|part| is_full(part) || is_east_asian(part)) {
            return at_bars;
        }
        if let [name, agency] = &at_bars[..]
            && is_full(name)
            && is_agency(agency)
        {
            return vec![name.clone()];
        }
    }
    by_surnames(name).unwrap_or_else(|| vec![name.to_owned()])
}

/// The writers of `林小明/文 王芳/图`: each name has its owner's part beside it.
fn by_roles(text: &str) -> Option<Vec<String>> {
    let mut writers = Vec::new();
    let mut has_roles = false;
    for word in text.split_whitespace() {
        let (name, role) = word.split_once(['/', '／'])?;
        let is_role = |text: &str| WRITERS.contains(&text) || PHOTOGRAPHERS.contains(&text);
        let (name, role) = if is_role(name) { (role, name) } else { (name, role) };
        if !is_role(role) || !is_east_asian(name) {
            return None;
        }
        has_roles = true;
        if WRITERS.contains(&role) {
            writers.push(name.to_owned());
        }
    }
    has_roles.then_some(writers)
}

/// Chinese names with a space between: each begins with a usual family name. A Japanese name has a
/// space within.
fn by_surnames(text: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_name = |word: &&str| {
        (2..=4).contains(&word.chars().count()) && is_east_asian(word) && word.starts_with(|c| SURNAMES.contains(c))
    };
    (words.len() > 1 && words.iter().all(is_name)).then(|| words.iter().map(|&word| word.to_owned()).collect())
}

/// True of what may be a news agency's short name: `dpa`, `AFP`, `Reuters`.
fn is_agency(text: &str) -> bool {
    text.chars().count() <= 8 && !text.contains(' ') && text.chars().all(char::is_alphabetic)
}

/// A first and a last name, not a degree or a job title.
fn is_full(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_other = words.iter().any(|word| is_other_post(word));
    (2..=4).contains(&words.len()) && is_plain(name) && !is_other && !begins_no_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_names_are_parted() {
        for (text, expect) in [
            ("Ann Orr", &["Ann Orr"][..]),
            ("Ann Orr, Ben Ley and Cy Moe", &["Ann Orr", "Ben Ley", "Cy Moe"]),
            ("Ann Orr , Ben Ley, and Cy Moe", &["Ann Orr", "Ben Ley", "Cy Moe"]),
            ("Ann Orr und Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("Ana Ortega y Eva Ruiz", &["Ana Ortega", "Eva Ruiz"]),
            ("Anna Orr oraz Jan Lej", &["Anna Orr", "Jan Lej"]),
            ("Ann Orr; Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr & Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr / Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr/Ben Ley/Cy Moe", &["Ann Orr", "Ben Ley", "Cy Moe"]),
            ("Ann Orr | Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr · Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr + Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("Ann Orr/dpa", &["Ann Orr"]),
            ("✍️ Ann Orr 🌊", &["Ann Orr"]),
            ("👩\u{200d}💻 Ann Orr, 🇫🇮 Ben Ley", &["Ann Orr", "Ben Ley"]),
            ("王小明、林芳", &["王小明", "林芳"]),
            ("王小明，林芳", &["王小明", "林芳"]),
            ("王小明 林芳", &["王小明", "林芳"]),
            ("王小明 和 林芳", &["王小明", "林芳"]),
            ("林小明/文 王芳/图", &["林小明"]),
            ("文/林小明", &["林小明"]),
            ("林小明／台北報導】", &["林小明"]),
            (
                "Ann Orr in Skerry, Ben Ley in Rome and Cy Moe in Berlin",
                &["Ann Orr in Skerry", "Ben Ley in Rome", "Cy Moe in Berlin"],
            ),
            ("Ann Orr in Berlin, Germany", &["Ann Orr in Berlin, Germany"]),
            ("山田 花子", &["山田 花子"]),
            ("山田花子／鈴木一郎", &["山田花子", "鈴木一郎"]),
            ("علی رضایی و مریم احمدی", &["علی رضایی", "مریم احمدی"]),
            // No names, or names that belong together.
            ("Ann Orr, MD, FOMA", &["Ann Orr, MD, FOMA"]),
            ("Ann Orr, Shipping Expert", &["Ann Orr, Shipping Expert"]),
            ("Ann Orr, The Courier", &["Ann Orr, The Courier"]),
            ("Ann / Harbour Tidings", &["Ann / Harbour Tidings"]),
            ("Linny and Peter", &["Linny and Peter"]),
            ("The Ferry and Harbour Team", &["The Ferry", "Harbour Team"]),
            ("🌊", &[]),
            ("", &[]),
        ] {
            assert_eq!(split(text), expect, "{text}");
        }
    }
}
