//! Rows of comma-separated values (RFC 4180).

use std::io::{self, Write};

use serde_json::Value;

/// Writes a row.
pub(super) fn row<'v>(out: &mut impl Write, cells: impl IntoIterator<Item = &'v str>) -> io::Result<()> {
    for (at, cell) in cells.into_iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        match cell.contains(['"', ',', '\n', '\r']) {
            true => write!(out, "{comma}\"{}\"", cell.replace('"', "\"\""))?,
            false => write!(out, "{comma}{cell}")?,
        }
    }
    out.write_all(b"\r\n")
}

/// Some members of a JSON object as a row. The texts of a list are parted by semicolons.
pub(super) fn object_row(out: &mut impl Write, object: &Value, names: &[&str]) -> io::Result<()> {
    let cells: Vec<String> = names.iter().map(|name| cell(&object[*name])).collect();
    row(out, cells.iter().map(String::as_str))
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(cell).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let object = serde_json::json!({ "a": "x, \"y\"\nz", "b": ["p", "q"], "c": 0.5, "d": null, "e": "\u{e4}" });
        let mut out = Vec::new();
        object_row(&mut out, &object, &["a", "b", "c", "d", "e", "f"]).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "\"x, \"\"y\"\"\nz\",p; q,0.5,,\u{e4},\r\n");
    }
}
