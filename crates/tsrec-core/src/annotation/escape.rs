//! Escapes text of a page so that it is safe to show and fits on one line.
//!
//! A hostile page may hold characters that steer a terminal (escape sequences), that end a line, or
//! that turn the direction of the text after them. They are written by their number, as `\u{1b}`. A
//! backslash is written `\\`, so that the text can be restored. Joiners stay as they are: Persian
//! and emoji need them, and they only shape their neighbours.

use std::fmt::Write as _;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The text with each unsafe character written by its number. Linear.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            c if is_safe(c) => out.push(c),
            // Writing to a string cannot fail.
            c => _ = write!(out, "\\u{{{:x}}}", u32::from(c)),
        }
    }
    out
}

/// Reverses [`escape`]. The error is a backslash that begins no escape, with the letter after it.
pub(super) fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let (c, tail) = escaped(after).ok_or_else(|| format!("\\{}", escape(after.get(..1).unwrap_or_default())))?;
        out.push(c);
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

/// The character that an escape stands for, and the text after it.
fn escaped(text: &str) -> Option<(char, &str)> {
    if let Some(tail) = text.strip_prefix('\\') {
        return Some(('\\', tail));
    }
    let (number, tail) = text.strip_prefix("u{")?.split_once('}')?;
    let c = u32::from_str_radix(number, 16).ok().and_then(char::from_u32)?;
    Some((c, tail))
}

/// These are not safe: control characters, characters that end lines or change the direction of
/// writing, and other invisible ones.
fn is_safe(c: char) -> bool {
    const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];
    let steers = matches!(
        c.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    );
    !steers || JOINERS.contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_by_its_number() {
        for (text, expect) in [
            ("plain text, naïve 漢字 🦀", "plain text, naïve 漢字 🦀"),
            ("\u{1b}[2J\u{7}gone", "\\u{1b}[2J\\u{7}gone"),
            ("C1: \u{9b}31m", "C1: \\u{9b}31m"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("a\nb\u{2028}c\u{85}d", "a\\u{a}b\\u{2028}c\\u{85}d"),
            ("Donau\u{ad}dampfer", "Donau\\u{ad}dampfer"),
            ("C:\\u{41}", "C:\\\\u{41}"),
            ("نمی\u{200c}خواهم", "نمی\u{200c}خواهم"),
        ] {
            assert_eq!(escape(text), expect);
            assert_eq!(unescape(expect).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_no_escape_is_named() {
        for (text, wrong) in [("a\\", "\\"), ("a\\n", "\\n"), ("\\u41", "\\u"), ("\\u{d800}", "\\u"), ("\\u{41", "\\u")]
        {
            assert_eq!(unescape(text), Err(wrong.to_owned()), "{text}");
        }
    }
}
