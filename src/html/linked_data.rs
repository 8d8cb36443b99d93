//! Who wrote a page and when, as schema.org's JSON-LD says it.

use std::collections::VecDeque;

use serde_json::Value;

/// Author and date in one script of a page.
#[derive(Debug, Default, PartialEq)]
pub(super) struct LinkedData {
    pub(super) author: Option<String>,
    pub(super) published: Option<String>,
}

/// Types that have authors and dates of their own, which are not the page's.
const BESIDE: [&str; 11] = [
    "Answer",
    "AggregateRating",
    "BreadcrumbList",
    "Comment",
    "ImageObject",
    "Organization",
    "Person",
    "Rating",
    "Review",
    "VideoObject",
    "WebSite",
];
/// Names of authors that are read. Judgement: a longer list is of an organisation.
const MOST_AUTHORS: usize = 8;

/// Reads a script: what the outermost object says that is about the page. Nothing where it is no JSON. Linear.
pub(super) fn read(json: &str) -> LinkedData {
    let mut found = LinkedData::default();
    let root: Value = serde_json::from_str(json.trim()).unwrap_or_default();
    let mut waiting = VecDeque::from([&root]);
    while let Some(value) = waiting.pop_front() {
        match value {
            Value::Array(values) => waiting.extend(values),
            Value::Object(object) if !is_beside(object.get("@type")) => {
                found.author = found.author.or_else(|| object.get("author").and_then(names));
                let date = object.get("datePublished").and_then(Value::as_str);
                found.published = found.published.or_else(|| date.map(str::to_owned));
                waiting.extend(object.iter().filter(|(key, _)| *key != "author").map(|(_, value)| value));
            }
            _ => {}
        }
    }
    found
}

fn is_beside(kind: Option<&Value>) -> bool {
    match kind {
        Some(Value::String(kind)) => BESIDE.contains(&kind.as_str()),
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| is_beside(Some(kind))),
        _ => false,
    }
}

/// The name of an author, or of several with commas between.
fn names(author: &Value) -> Option<String> {
    match author {
        Value::String(name) => Some(name.clone()),
        Value::Object(object) => object.get("name").and_then(Value::as_str).map(str::to_owned),
        Value::Array(authors) => {
            let names: Vec<String> = authors.iter().take(MOST_AUTHORS).filter_map(names).collect();
            (!names.is_empty()).then(|| names.join(", "))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_and_dates_are_those_of_the_page() {
        for (json, author, published) in [
            (r#"{"author": "Ann", "datePublished": "2026-01-02"}"#, Some("Ann"), Some("2026-01-02")),
            (r#"{"@graph": [{"@type": "Person", "author": "no"}, {"author": {"name": "Ann"}}]}"#, Some("Ann"), None),
            (r#"[{"author": [{"name": "Ann"}, {"name": "Ben"}, {}]}]"#, Some("Ann, Ben"), None),
            (r#"{"comment": [{"@type": "Comment", "author": "no", "datePublished": "no"}]}"#, None, None),
            (r#"{"@type": ["Review", "Thing"], "author": "no"}"#, None, None),
            (r#"{"a": {"author": "inner"}, "author": "outer"}"#, Some("outer"), None),
            (r#"{"author": 7}"#, None, None),
            ("{\"author\": \"Ann\"", None, None),
        ] {
            let expect = LinkedData { author: author.map(str::to_owned), published: published.map(str::to_owned) };
            assert_eq!(read(json), expect, "{json}");
        }
    }
}
