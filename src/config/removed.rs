//! Settings of earlier versions, and what to do about each.

/// A table, or a table and a key, and the advice.
pub(super) const REMOVED: [(&str, Option<&str>, &str); 6] = [
    ("training", None, SELF_TRAINING),
    ("store", Some("max_lessons"), SELF_TRAINING),
    ("store", Some("lessons_per_host"), SELF_TRAINING),
    ("store", Some("max_lesson_bytes"), SELF_TRAINING),
    ("store", Some("raw_bytes"), ONE_BUDGET),
    ("store", Some("max_held_bytes"), ONE_BUDGET),
];

const SELF_TRAINING: &str =
    "a crawl trains no model of its own, since the memory of a site's templates does better; take it out of the file";

const ONE_BUDGET: &str = "pages that wait, siblings and pages as fetched have one budget: set store.bodies_bytes, which is \
                          1 GB where it is left out; with 0 there are no siblings";

/// Advice for the first removed setting. `None` if there is none, or the text is not TOML.
pub(super) fn advice(text: &str) -> Option<String> {
    let file: toml::Table = text.parse().ok()?;
    REMOVED.iter().find_map(|(table, key, advice)| {
        let (found, name) = match key {
            Some(key) => (file.get(*table)?.as_table()?.get(*key), format!("{table}.{key}")),
            None => (file.get(*table), format!("[{table}]")),
        };
        found.map(|_| format!("the setting {name} is gone: {advice}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_that_is_gone_is_named_with_the_way_out() {
        for (table, key, way_out) in REMOVED {
            let text = format!("[{table}]\n{} = 1", key.unwrap_or("every"));
            let said = advice(&text).unwrap();
            assert!(said.contains(table) && said.contains(key.unwrap_or("[")) && said.ends_with(way_out), "{said}");
        }
        assert_eq!(advice("[store]\nbodies_bytes = 1"), None);
        assert_eq!(advice("training"), None);
    }
}
