//! Character references: the HTML standard, section 13.2.5.72 and those after it.

use std::borrow::Cow;

use html5ever::data::C1_REPLACEMENTS;

include!(concat!(env!("OUT_DIR"), "/references.rs"));

/// What a reference stands for, and its length in bytes.
pub(in crate::html) struct CharacterReference {
    pub(in crate::html) characters: [Option<char>; 2],
    pub(in crate::html) length: usize,
}

/// The most frequent references. All others are looked up letter by letter.
const USUAL: [(&str, char); 8] = [
    ("amp;", '&'),
    ("nbsp;", '\u{a0}'),
    ("quot;", '"'),
    ("lt;", '<'),
    ("gt;", '>'),
    ("#39;", '\''),
    ("#x27;", '\''),
    ("rsquo;", '\u{2019}'),
];

/// Reads what follows an `&`. `None` if it is not a reference and the `&` stands for itself.
pub(super) fn read(text: &str, in_attribute: bool) -> Option<CharacterReference> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'#' => numeric(bytes),
        first if first.is_ascii_alphanumeric() => {
            let usual = USUAL.iter().find(|(name, _)| bytes.starts_with(name.as_bytes()));
            usual.map(|&(name, character)| one(character, name.len())).or_else(|| named(text, in_attribute))
        }
        _ => None,
    }
}

/// A text with its closed references resolved, which some pages leave in JSON and in `<meta>`.
/// Linear.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match read(rest, true).filter(|found| rest[..found.length].ends_with(';')) {
            Some(found) => {
                out.extend(found.characters.into_iter().flatten());
                rest = &rest[found.length..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn one(character: char, length: usize) -> CharacterReference {
    CharacterReference { characters: [Some(character), None], length }
}

fn numeric(bytes: &[u8]) -> Option<CharacterReference> {
    let (base, begin) = if matches!(bytes.get(1), Some(b'x' | b'X')) { (16, 2) } else { (10, 1) };
    let digits = bytes[begin..].iter().take_while(|byte| char::from(**byte).is_digit(base)).count();
    if digits == 0 {
        return None;
    }
    let end = begin + digits;
    let number = bytes[begin..end].iter().fold(0_u32, |number, &byte| {
        number.saturating_mul(base).saturating_add(char::from(byte).to_digit(base).unwrap_or_default())
    });
    Some(one(character(number), end + usize::from(bytes.get(end) == Some(&b';'))))
}

/// The standard's "numeric character reference end state".
fn character(number: u32) -> char {
    match number {
        0 => char::REPLACEMENT_CHARACTER,
        0x80..=0x9f => {
            let control = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            C1_REPLACEMENTS[number as usize - 0x80].unwrap_or(control)
        }
        _ => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// The longest name that the text begins with. Takes the logarithm of all names for each letter.
fn named(text: &str, in_attribute: bool) -> Option<CharacterReference> {
    let letters = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let most = letters + usize::from(text.as_bytes().get(letters) == Some(&b';'));
    let mut found = None;
    // What is left of the table begins with the first name that can begin with the letters so far.
    let mut names = NAMES;
    for length in 1..=most {
        let prefix = &text[..length];
        names = &names[names.partition_point(|(name, ..)| *name < prefix)..];
        match names.first() {
            Some(&(name, first, second)) if name == prefix => found = Some((length, (first, second))),
            Some((name, ..)) if name.starts_with(prefix) => {}
            _ => break,
        }
    }
    let (length, (first, second)) = found?;
    let closed = text.as_bytes()[length - 1] == b';';
    let next = text.as_bytes().get(length);
    // For historical reasons: URLs have parameters that are named like characters.
    if in_attribute && !closed && next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric()) {
        return None;
    }
    let second = char::from_u32(second).filter(|character| *character != '\0');
    Some(CharacterReference { characters: [char::from_u32(first), second], length })
}

#[cfg(test)]
mod tests {
    use html5ever::data::NAMED_ENTITIES;

    use super::{decode, read};

    #[test]
    fn the_names_are_those_of_the_reference() {
        let mut count = 0;
        for (name, &(first, second)) in NAMED_ENTITIES.entries().filter(|(_, characters)| **characters != (0, 0)) {
            let found = read(&format!("{name} a"), false).unwrap_or_else(|| panic!("{name} is not known"));
            let expect = [char::from_u32(first), char::from_u32(second).filter(|&character| character != '\0')];
            assert_eq!((found.characters, found.length), (expect, name.len()), "{name}");
            count += 1;
        }
        // The HTML standard, section 13.5.
        assert_eq!(count, 2231);
    }

    #[test]
    fn closed_references_are_resolved() {
        for (text, expect) in [
            ("Se&aacute;n O&#039;Vale", "Seán O'Vale"),
            ("A &amp; B", "A & B"),
            ("&#x41;&#66;&NotEqualTilde;", "AB\u{2242}\u{338}"),
            ("R&D, AT&T; &copy=1 &", "R&D, AT&T; &copy=1 &"),
            ("plain", "plain"),
            ("&é; &#; &x;", "&é; &#; &x;"),
        ] {
            assert_eq!(decode(text), expect, "{text}");
        }
    }
}
