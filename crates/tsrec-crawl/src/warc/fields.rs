//! Blocks of media type `application/warc-fields`.

use serde_json::{Map, Value};

/// The fields of a page's record that are no metadata: the content has a record of its own.
const CONTENT: [&str; 2] = ["text", "html"];

/// A record of the store as fields, each on a line: `name: value`. Names are those of the record's
/// JSON. A list has a line for each entry, and an object is JSON. What is absent has no line. Line
/// ends within a value are continued on the next line, after a blank (ISO 28500, section 4).
pub fn fields(record: &Map<String, Value>) -> Vec<u8> {
    let mut block = String::new();
    for (name, value) in record.iter().filter(|(name, _)| !CONTENT.contains(&name.as_str())) {
        match value {
            Value::Array(values) if values.iter().all(|value| !value.is_object()) => {
                values.iter().for_each(|value| field(&mut block, name, value));
            }
            value => field(&mut block, name, value),
        }
    }
    block.into_bytes()
}

fn field(block: &mut String, name: &str, value: &Value) {
    let text = match value {
        Value::Null => return,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let lines = text.lines().map(|line| line.chars().filter(|c| !c.is_control()).collect::<String>());
    let lines: Vec<String> = lines.filter(|line| !line.trim().is_empty()).collect();
    if !lines.is_empty() {
        block.push_str(&format!("{name}: {}\r\n", lines.join("\r\n ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_lines_of_names_and_values() {
        let record = serde_json::json!({
            "title": "A\u{9b}b", "authors": ["Ann", "Ben"], "tags": [], "license": null, "text": "no", "html": "no",
            "comments": "one\n\ntwo\nHost: three", "words": 4, "confidence": 0.5, "gates": [{"gate": "overlap"}], "cut": ["nodes"],
        });
        let block = String::from_utf8(fields(record.as_object().unwrap())).unwrap();
        let mut lines: Vec<&str> = block.split("\r\n").collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            [
                "",
                " Host: three",
                " two",
                "authors: Ann",
                "authors: Ben",
                "comments: one",
                "confidence: 0.5",
                "cut: nodes",
                "gates: [{\"gate\":\"overlap\"}]",
                "title: Ab",
                "words: 4"
            ]
        );
    }
}
