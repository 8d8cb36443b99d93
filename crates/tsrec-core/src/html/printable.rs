//! Which characters of a page we write: none that control the terminal or editor that shows them.

use std::borrow::Cow;

/// Makes a text safe to show anywhere. It removes control characters other than tab and line feed,
/// and invisible format characters that hide or reorder text ("Trojan Source", Boucher and Anderson
/// 2021). Joiners and marks of direction stay, since they shape letters. Borrowed when nothing
/// changes.
pub fn printable(text: &str) -> Cow<'_, str> {
    if is_printable(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        // CR and LF together are one line end.
        if !(c == '\r' && letters.peek() == Some(&'\n')) {
            out.extend(written_as(c));
        }
    }
    Cow::Owned(out)
}

/// Whether every character is written unchanged. It checks many bytes at a time, and characters
/// only if a byte is in doubt.
fn is_printable(text: &str) -> bool {
    const AT_A_TIME: usize = 256;
    let changes = |at: usize| text[at..].chars().next().is_some_and(|c| written_as(c) != Some(c));
    text.as_bytes().chunks(AT_A_TIME).enumerate().all(|(number, bytes)| {
        let is_in_doubt = bytes.iter().fold(false, |found, &byte| found | begins_one_in_doubt(byte));
        let mut all = (number * AT_A_TIME..).zip(bytes);
        !is_in_doubt || all.all(|(at, &byte)| !begins_one_in_doubt(byte) || !changes(at))
    })
}

/// Whether a character with this first byte may be written differently. True of ASCII control
/// characters, and of first bytes in UTF-8 that such characters have.
fn begins_one_in_doubt(byte: u8) -> bool {
    // There is no branch, so that the compiler can check many bytes in one step.
    (byte < b' ') & (byte != b'\t') & (byte != b'\n')
        | (byte == 0x7f)
        | (byte == 0xc2)
        | (byte == 0xe2)
        | (byte == 0xef)
}

/// What a character is written as. Separators become a space.
fn written_as(c: char) -> Option<char> {
    match c {
        '\t' | '\n' | ' '..='~' => Some(c),
        // Soft hyphen, zero width space, word joiner, byte order mark.
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => None,
        // Embeddings, overrides and isolates (UAX #9, section 2).
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        // ASCII's separators of information.
        '\u{1c}'..='\u{1f}' => Some(' '),
        c if c.is_control() => c.is_whitespace().then_some(' '),
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_or_misleads_is_not_written() {
        for (text, expect) in [
            ("", ""),
            ("a\tb\nc é 漢字", "a\tb\nc é 漢字"),
            ("\u{1b}[31mred\u{9b}0m\u{7f}\0", "[31mred0m"),
            ("one\u{85}two\u{b}three\u{1f}four\rfive\r\nsix", "one two three four five\nsix"),
            ("un\u{ad}broken\u{200b} word\u{2060}s\u{feff}", "unbroken words"),
            ("a\u{202e}b\u{202c}\u{2066}c\u{2069}", "abc"),
            // Persian and emoji need the joiners.
            ("می\u{200c}خواهم 👩\u{200d}🚀 \u{200e}x\u{200f}", "می\u{200c}خواهم 👩\u{200d}🚀 \u{200e}x\u{200f}"),
        ] {
            assert_eq!(printable(text), expect, "{text:?}");
        }
        assert!(matches!(printable("plain “text”, naïve"), Cow::Borrowed(_)));
    }

    /// These bytes begin every character that is written differently.
    #[test]
    fn whatever_is_changed_is_seen() {
        for c in ('\0'..=char::MAX).filter(|&c| written_as(c) != Some(c)) {
            for around in [0, 300] {
                let text = format!("{}{c}x", "y".repeat(around));
                assert_eq!(printable(&text), text.chars().filter_map(written_as).collect::<String>(), "{c:?}");
            }
        }
    }
}
