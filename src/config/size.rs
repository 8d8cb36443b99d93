//! Sizes and times as people write them.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// The settings in bytes: table and key.
const SIZES: [(&str, &str); 12] = [
    ("html", "bytes"),
    ("fetch", "max_body_bytes"),
    ("store", "cache_capacity"),
    ("store", "max_parked_bytes"),
    ("store", "max_record_bytes"),
    ("store", "bodies_bytes"),
    ("store", "max_template_bytes"),
    ("store", "site_cache_bytes"),
    ("crawl", "memory"),
    ("crawl", "least_free"),
    ("warc", "max_bytes"),
    ("http", "max_answers_bytes"),
];

/// Units and their bytes.
const UNITS: [(&str, u64); 10] = [
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

/// The bytes of a size such as `1GB`, `1.5 MiB` or `65536`; `None` if it is none.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit_at = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let unit = unit.trim().to_ascii_lowercase();
    let (_, of_unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(*of_unit);
    }
    let part = number.parse::<f64>().ok()? * *of_unit as f64;
    // Larger ones could not be written as integers of TOML, either.
    (0.0..i64::MAX as f64).contains(&part).then_some(part as u64)
}

/// The text with the sizes that are written as strings replaced by their bytes.
///
/// # Errors
///
/// A string that is no size, with its key.
pub(super) fn in_bytes(text: &str) -> Result<Cow<'_, str>, String> {
    // What is no TOML is told by whoever reads it next.
    let Ok(table) = DeTable::parse(text) else { return Ok(Cow::Borrowed(text)) };
    let mut replaced: Vec<(Range<usize>, u64)> = Vec::new();
    for (name, key) in SIZES {
        let Some(DeValue::Table(settings)) = table.get_ref().get(name).map(|found| found.get_ref()) else { continue };
        let Some(value) = settings.get(key) else { continue };
        let DeValue::String(written) = value.get_ref() else { continue };
        let size = bytes(written).filter(|size| i64::try_from(*size).is_ok());
        let size = size
            .ok_or_else(|| format!("{name}.{key} is {written:?}: write a size such as \"1GB\", \"512MiB\" or 65536"))?;
        replaced.push((value.span(), size));
    }
    replaced.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = Cow::Borrowed(text);
    for (span, size) in replaced {
        text.to_mut().replace_range(span, &size.to_string());
    }
    Ok(text)
}

/// An example for an error about a time, if it is one.
pub(super) fn example(error: &str) -> Option<&'static str> {
    error.contains("a duration").then_some("write a time such as \"500ms\", \"2s\", \"1h 30m\" or \"90days\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, expect) in [
            ("0", Some(0)),
            ("65536", Some(65_536)),
            ("1GB", Some(1_000_000_000)),
            ("1 gb", Some(1_000_000_000)),
            ("1.5MiB", Some(1_572_864)),
            ("512 KiB", Some(524_288)),
            ("7b", Some(7)),
            ("", None),
            ("GB", None),
            ("1G", None),
            ("-1", None),
            ("1.2.3MB", None),
            ("1 apple", None),
            ("99999999999TB", None),
            ("ä", None),
        ] {
            assert_eq!(bytes(text), expect, "{text}");
        }
    }

    #[test]
    fn every_setting_in_bytes_takes_them() {
        let with = |name: &str, key: &str, value: &str| {
            Config::parse(&format!("# a note\n[{name}]\n{key} = {value} # as is\n"))
        };
        for (name, key) in SIZES {
            let whole = with(name, key, "67108864").unwrap();
            assert_eq!(with(name, key, "'64MiB'").unwrap(), whole, "{name}.{key}");
            let error = with(name, key, "'large'").unwrap_err().to_string();
            assert!(error.contains(&format!("{name}.{key}")) && error.contains("1GB"), "{error}");
        }
        let in_file = include_str!("../../config.toml").lines().filter(|line| !line.starts_with('#'));
        let keys = in_file.filter(|line| line.split(" = ").next().is_some_and(|key| key.ends_with("bytes"))).count();
        assert_eq!(keys, SIZES.iter().filter(|(_, key)| key.ends_with("bytes")).count(), "a setting is missing above");
    }

    #[test]
    fn an_error_about_a_time_has_an_example() {
        for value in ["'soon'", "'90'", "'1 moon'"] {
            let error = Config::parse(&format!("[frontier]\ndelay = {value}")).unwrap_err().to_string();
            assert!(error.contains("90days") && error.contains("delay"), "{error}");
        }
        assert!(Config::parse("[frontier]\nforget_after = '90days'").is_ok());
    }
}
