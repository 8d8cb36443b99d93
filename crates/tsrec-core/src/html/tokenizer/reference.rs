//! Character references: the HTML standard, section 13.2.5.72 and those after it.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// What a reference stands for, and how many bytes of the text it is.
pub(super) struct CharacterReference {
    pub(super) characters: [Option<char>; 2],
    pub(super) length: usize,
}

/// References that pages are full of; all others are looked up letter by letter.
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

/// Reads what follows an `&`. `None` where that is no reference, so that the `&` stands for itself.
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

/// The longest name that the text begins with.
fn named(text: &str, in_attribute: bool) -> Option<CharacterReference> {
    let letters = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let most = letters + usize::from(text.as_bytes().get(letters) == Some(&b';'));
    let mut found = None;
    // The table holds every beginning of a name, with no character where no name ends.
    for length in 1..=most {
        match NAMED_ENTITIES.get(&text[..length]) {
            Some((0, _)) => {}
            Some(&characters) => found = Some((length, characters)),
            None => break,
        }
    }
    let (length, (first, second)) = found?;
    let closed = text.as_bytes()[length - 1] == b';';
    let next = text.as_bytes().get(length);
    // For historical reasons: addresses have parameters that are called like characters.
    if in_attribute && !closed && next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric()) {
        return None;
    }
    let second = char::from_u32(second).filter(|character| *character != '\0');
    Some(CharacterReference { characters: [char::from_u32(first), second], length })
}
