//! Mends JSON as pages write it: line breaks in strings, surplus commas, missing ends.

/// Mends JSON as far as one look at each character can. Control characters in strings become
/// spaces. Commas before a closing bracket and backslashes that escape nothing are dropped. What is
/// open at the end is closed. Linear.
pub(super) fn mend(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut open = Vec::new();
    let mut in_string = false;
    let mut letters = json.trim().trim_end_matches(';').chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if in_string => {
                if let Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u') = letters.peek() {
                    out.push('\\');
                    out.extend(letters.next());
                }
            }
            '"' => {
                in_string = !in_string;
                out.push('"');
            }
            _ if letter.is_control() => out.push(' '),
            _ if in_string => out.push(letter),
            '{' | '[' => {
                open.push(if letter == '{' { '}' } else { ']' });
                out.push(letter);
            }
            '}' | ']' => {
                drop_comma(&mut out);
                // A bracket that closes nothing is dropped.
                if open.last() == Some(&letter) {
                    open.pop();
                    out.push(letter);
                }
            }
            _ => out.push(letter),
        }
    }
    if in_string {
        out.push('"');
    }
    drop_comma(&mut out);
    if out.trim_end().ends_with(':') {
        out.push_str("null");
    }
    out.extend(open.into_iter().rev());
    out
}

fn drop_comma(out: &mut String) {
    let end = out.trim_end().len();
    if out[..end].ends_with(',') {
        out.truncate(end - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_json_is_mended() {
        for (json, expect) in [
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            ("{\"a\": \"one\ntwo\"}", r#"{"a": "one two"}"#),
            (r#"{"a": [1, 2, ], }"#, r#"{"a": [1, 2]}"#),
            (r#"{"a": "it\'s \"so\""};"#, r#"{"a": "it's \"so\""}"#),
            (r#"{"a": {"b": "c"#, r#"{"a": {"b": "c"}}"#),
            (r#"{"a": 1, "b":"#, r#"{"a": 1, "b":null}"#),
            (r#"{"a": 1}}"#, r#"{"a": 1}"#),
            ("", ""),
        ] {
            assert_eq!(mend(json), expect, "{json}");
        }
    }
}
