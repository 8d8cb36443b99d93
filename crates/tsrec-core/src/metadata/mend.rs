//! Mends JSON as pages write it: comments, line breaks and quotes in strings, surplus or missing
//! commas, values that only scripts know, missing ends, several documents.

use std::iter::Peekable;
use std::str::Chars;

/// Where the mark of XML that hides a script from it ends at the latest. Judgement: a comment may
/// be around it.
const LATEST_CDATA: usize = 32;

/// Mends JSON as far as one look at each character can. What is before the first bracket is
/// dropped, and so are comments. Control characters in strings become spaces. Quotes that end no
/// string are escaped. Commas are added and dropped as needed, as are brackets at the end.
/// Backslashes that escape nothing go, and unknown values become null. Several documents become a
/// list. Linear.
pub(super) fn mend(json: &str) -> String {
    let mut mended = Mended { out: String::with_capacity(json.len()), open: Vec::new(), documents: 0 };
    let begin = json.find("<![CDATA[").map_or(0, |at| at + "<![CDATA[".len());
    let mut letters = json[if begin <= LATEST_CDATA { begin } else { 0 }..].chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '/' if letters.peek() == Some(&'/') => letters.by_ref().take_while(|c| *c != '\n').for_each(drop),
            '/' if letters.peek() == Some(&'*') => skip_comment(&mut letters),
            '{' | '[' => mended.begin_bracket(letter),
            // What is between documents is not JSON.
            _ if mended.open.is_empty() => {}
            '"' | '\'' => mended.string(letter, &mut letters),
            '}' | ']' => mended.end_bracket(letter),
            ',' | ';' => mended.comma(),
            ':' => mended.out.push(':'),
            _ if letter.is_alphabetic() || letter == '_' => mended.word(letter, &mut letters),
            _ if is_of_number(letter) => {
                if !mended.out.ends_with(is_of_number) {
                    mended.begin_value();
                }
                mended.out.push(letter);
            }
            _ => {}
        }
    }
    mended.end()
}

fn is_of_number(letter: char) -> bool {
    letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.')
}

fn skip_comment(letters: &mut Peekable<Chars<'_>>) {
    letters.next();
    let mut last = ' ';
    for letter in letters {
        if (last, letter) == ('*', '/') {
            break;
        }
        last = letter;
    }
}

struct Mended {
    out: String,
    /// The ends of the open brackets.
    open: Vec<char>,
    documents: usize,
}

impl Mended {
    fn last(&self) -> Option<char> {
        self.out.chars().next_back()
    }

    /// Adds the comma that is missing before a value.
    fn begin_value(&mut self) {
        if self.last().is_some_and(|last| !matches!(last, '{' | '[' | ',' | ':')) {
            self.out.push(',');
        }
    }

    fn begin_bracket(&mut self, bracket: char) {
        self.documents += usize::from(self.open.is_empty());
        self.begin_value();
        self.out.push(bracket);
        self.open.push(if bracket == '{' { '}' } else { ']' });
    }

    /// A bracket that closes nothing is dropped.
    fn end_bracket(&mut self, bracket: char) {
        if self.open.last() == Some(&bracket) {
            self.end_value();
            self.out.push(bracket);
            self.open.pop();
        }
    }

    /// Drops a comma after which nothing follows, and adds a value that is missing.
    fn end_value(&mut self) {
        match self.last() {
            Some(',') => self.out.truncate(self.out.len() - 1),
            Some(':') => self.out.push_str("null"),
            _ => {}
        }
    }

    fn comma(&mut self) {
        if self.last() == Some(':') {
            self.out.push_str("null");
        }
        if !matches!(self.last(), None | Some('{' | '[' | ',')) {
            self.out.push(',');
        }
    }

    /// A word outside strings: a value, or a name without quotes.
    fn word(&mut self, first: char, letters: &mut Peekable<Chars<'_>>) {
        let mut word = String::from(first);
        while let Some(letter) = letters.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$')) {
            word.push(letter);
        }
        // The exponent of a number.
        if self.out.ends_with(|c: char| c.is_ascii_digit()) {
            self.out.push_str(&word);
            return;
        }
        self.begin_value();
        match &*word {
            "true" | "false" | "null" => self.out.push_str(&word),
            _ if self.last() == Some(':') || self.open.last() == Some(&']') => self.out.push_str("null"),
            _ => self.out.push_str(&format!("\"{word}\"")),
        }
    }

    fn string(&mut self, quote: char, letters: &mut Peekable<Chars<'_>>) {
        self.begin_value();
        let is_value = self.last() == Some(':') || self.open.last() == Some(&']');
        self.out.push('"');
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => match letters.next_if(|c| matches!(c, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u')) {
                    Some('u') if !is_character(letters.clone()) => {
                        (0..4).take_while(|_| letters.next_if(char::is_ascii_hexdigit).is_some()).for_each(drop);
                        self.out.push('\u{fffd}');
                    }
                    Some(escaped) => self.out.extend(['\\', escaped]),
                    None => {}
                },
                _ if letter == quote && ends_string(letters.clone(), is_value, self.open.last() == Some(&'}')) => break,
                '"' => self.out.push_str("\\\""),
                _ if letter.is_control() => self.out.push(' '),
                _ => self.out.push(letter),
            }
        }
        self.out.push('"');
    }

    fn end(mut self) -> String {
        self.end_value();
        self.out.extend(self.open.into_iter().rev());
        match self.documents {
            0 | 1 => self.out,
            _ => ["[", &self.out, "]"].concat(),
        }
    }
}

/// True if a string ends here, by what follows. In an object a comma is followed by a name.
fn ends_string(mut rest: Peekable<Chars<'_>>, is_value: bool, in_object: bool) -> bool {
    let is_space = |c: &char| c.is_whitespace() || c.is_control();
    let mut is_broken = false;
    while let Some(space) = rest.next_if(is_space) {
        is_broken |= space == '\n';
    }
    match rest.next() {
        None | Some('}' | ']') => true,
        Some(':') => !is_value,
        Some(',') if in_object => match rest.find(|c| !is_space(c)) {
            Some(letter) if letter.is_alphabetic() => rest.find(|c| !c.is_alphanumeric()) == Some(':'),
            next => matches!(next, None | Some('"' | '\'' | '}' | ',' | '/')),
        },
        Some(',' | '/') => true,
        // A comma is missing at the end of a line.
        Some('"') => is_broken,
        _ => false,
    }
}

/// True of four hexadecimal digits that are a character, alone or with the next escape. Half of a
/// pair is none.
fn is_character(mut rest: Peekable<Chars<'_>>) -> bool {
    let digits = |rest: &mut Peekable<Chars<'_>>| {
        let digits: String = rest.by_ref().take(4).collect();
        u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4)
    };
    match digits(&mut rest) {
        Some(0xd800..=0xdbff) => {
            rest.next() == Some('\\') && rest.next() == Some('u') && matches!(digits(&mut rest), Some(0xdc00..=0xdfff))
        }
        found => found.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_json_is_mended() {
        for (json, expect) in [
            (r#"{"a": 1}"#, r#"{"a":1}"#),
            ("{\"a\": \"one\ntwo\"}", r#"{"a":"one two"}"#),
            (r#"{"a": [1, 2, ], }"#, r#"{"a":[1,2]}"#),
            (r#"{"a": "it\'s \"so\""};"#, r#"{"a":"it's \"so\""}"#),
            (r#"{"a": {"b": "c"#, r#"{"a":{"b":"c"}}"#),
            (r#"{"a": 1, "b":"#, r#"{"a":1,"b":null}"#),
            (r#"{"a": 1}}"#, r#"{"a":1}"#),
            ("", ""),
            // What is around the document.
            ("\u{feff}var ld = ({\"a\": 1});", r#"{"a":1}"#),
            ("/*<![CDATA[*/{\"a\": 1}/*]]>*/", r#"{"a":1}"#),
            ("// <![CDATA[\n{\"a\": 1}\n// ]]&gt;", r#"{"a":1}"#),
            // Several documents.
            (r#"{"a": 1} {"b": 2}"#, r#"[{"a":1},{"b":2}]"#),
            (r#"{"a": 1},[2]"#, r#"[{"a":1},[2]]"#),
            // Comments.
            ("{\"a\": 1, // one\n\"b\": 2}", r#"{"a":1,"b":2}"#),
            (r#"{/* * / */"a": "//x.example /* c */"}"#, r#"{"a":"//x.example /* c */"}"#),
            // Commas.
            (r#"{"a": 1,, "b": 2}"#, r#"{"a":1,"b":2}"#),
            ("{\"a\": \"b\"\n\"c\": {}\"d\": [1]}", r#"{"a":"b","c":{},"d":[1]}"#),
            (r#"[{"a": 1}{"b": -2.5e3}]"#, r#"[{"a":1},{"b":-2.5e3}]"#),
            // Values.
            (r#"{"a":, "b": undefined, "c": NaN, "d": true}"#, r#"{"a":null,"b":null,"c":null,"d":true}"#),
            (r#"{a: [x, "y"], b_1: "z"}"#, r#"{"a":[null,"y"],"b_1":"z"}"#),
            // Quotes.
            (r#"{"a": "The "old" wall, "too"", "b": "c"}"#, r#"{"a":"The \"old\" wall, \"too\"","b":"c"}"#),
            (r#"{"a": ""We", he said, "won"", "b": ["c", "d"]}"#, r#"{"a":"\"We\", he said, \"won\"","b":["c","d"]}"#),
            ("{'a': 'it\"s', 'b': 1}", r#"{"a":"it\"s","b":1}"#),
            (r#"{"a": "b", c: "d"}"#, r#"{"a":"b","c":"d"}"#),
            (r#"{"a": "so: "b": c"}"#, r#"{"a":"so: \"b\": c"}"#),
            // Half of a pair of escapes.
            (r#"{"a": "x\ud83d y", "b": "\ud83d\ude00"}"#, "{\"a\":\"x\u{fffd} y\",\"b\":\"\\ud83d\\ude00\"}"),
        ] {
            assert_eq!(mend(json), expect, "{json}");
        }
    }
}
