//! The conventions that a compiler does not hold: which way imports point, and what the sources do not say.

use std::path::{Path, PathBuf};

/// The modules, highest first: each may import those after it. Modules on one line may not import each other.
const LAYERS: [&[&str]; 19] = [
    &["cli"],
    &["crawler"],
    &["config"],
    &["crawl", "http"],
    &["browser", "fetch", "frontier"],
    &["store"],
    &["warc"],
    &["extracted"],
    &["eval", "inspector"],
    &["extract"],
    &["evidence"],
    &["tsrec", "block", "pairing", "render"],
    &["style"],
    &["template"],
    &["metadata"],
    &["page", "analysis"],
    &["html"],
    &["learn"],
    &["words"],
];

/// How far down a module stands.
fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

fn sources() -> Vec<(PathBuf, String)> {
    let files = sources_in("src");
    assert!(files.len() > 50, "{} sources", files.len());
    files
}

fn sources_in(folder: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path.strip_prefix(&root).unwrap().to_owned(), text));
            }
        }
    }
    files
}

/// The modules of this crate that a line names: `crate::module`, also in groups.
fn imported(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let rest = &line[at + "crate::".len()..];
        let names = match rest.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or_default(),
            None => rest.split([':', ';', ' ', ',', ')']).next().unwrap_or_default(),
        };
        found.extend(names.split(',').map(|name| name.trim().split(':').next().unwrap_or_default().to_owned()));
    }
    found
}

#[test]
fn imports_point_down() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let module = path.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        let Some(own) = layer(&module) else {
            assert!(matches!(module.as_str(), "lib" | "main"), "{} is in no layer", path.display());
            continue;
        };
        let code = text.split("#[cfg(test)]").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for other in imported(line).into_iter().filter(|other| *other != module) {
                if layer(&other).is_some_and(|theirs| theirs <= own) {
                    wrong.push(format!("{}: {}", path.display(), line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "imports that point up or sideways:\n{}", wrong.join("\n"));
}

#[test]
fn sled_stays_in_its_place() {
    for (path, text) in sources() {
        let allowed = path.starts_with("store") || path.starts_with("store.rs") || path.starts_with("frontier");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        assert!(allowed || !code.into_iter().any(|line| line.contains("sled::")), "{}", path.display());
    }
}

#[test]
fn modules_are_files_and_nothing_is_left_unfinished() {
    for (path, text) in sources() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name != "mod.rs" && name != "utils.rs", "{}", path.display());
        assert!(text.starts_with("//! "), "{} does not say what it is", path.display());
        for word in ["todo!", "unimplemented!", "FIXME", "#[ignore"] {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
    }
}

/// The files of a folder that a file beside them imports, by `super::`.
fn siblings(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for statement in code.split("use super::").skip(1).filter_map(|rest| rest.split(';').next()) {
        let names = statement.strip_prefix('{').map_or(vec![statement], |group| group.split(',').collect());
        found.extend(names.iter().map(|name| name.trim().split([':', '}', ' ']).next().unwrap_or_default().to_owned()));
    }
    found
}

/// What each of the files needs can be read before it: none needs, however far around, itself.
#[test]
fn the_reports_of_eval_stand_in_no_circle() {
    let files: Vec<(String, Vec<String>)> = sources()
        .into_iter()
        .filter(|(path, _)| path.parent() == Some(Path::new("cli/eval")))
        .map(|(path, text)| {
            let code = text.split("#[cfg(test)]").next().unwrap();
            (path.file_stem().unwrap().to_string_lossy().into_owned(), siblings(code))
        })
        .collect();
    let mut left: Vec<&(String, Vec<String>)> = files.iter().collect();
    assert!(left.len() > 10, "{} files", left.len());
    // Files that need none of those that are left can be read; so on, until nothing is left or none can.
    while !left.is_empty() {
        let names: Vec<&String> = left.iter().map(|(name, _)| name).collect();
        let circle: Vec<_> =
            left.iter().copied().filter(|(_, needs)| needs.iter().any(|need| names.contains(&need))).collect();
        assert!(circle.len() < left.len(), "a circle among {names:?}");
        left = circle;
    }
}

#[test]
fn every_metric_is_documented() {
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let mut recorded = std::collections::BTreeSet::new();
    for (_, text) in sources() {
        for kind in ["counter!(", "gauge!(", "histogram!("] {
            for (at, _) in text.match_indices(kind) {
                let name = text[at + kind.len()..].trim_start().trim_start_matches('"');
                recorded.insert(name.chars().take_while(|&letter| is_name(letter)).collect::<String>());
            }
        }
    }
    let listed = include_str!("../METRICS.md").lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    assert_eq!(recorded, listed.map(str::to_owned).collect());
}

/// The metrics that a text names.
fn metrics_in(text: &str) -> std::collections::BTreeSet<String> {
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let names = text.match_indices("tsrec_").map(|(at, _)| text[at..].chars().take_while(|&letter| is_name(letter)));
    // The exporter adds the last word to a histogram's name.
    names.map(|name| name.collect::<String>().trim_end_matches("_bucket").to_owned()).collect()
}

#[test]
fn dashboard_and_alerts_name_metrics_that_there_are() {
    let known = metrics_in(include_str!("../METRICS.md"));
    let dashboard = include_str!("../monitoring/grafana.json");
    let panels = serde_json::from_str::<serde_json::Value>(dashboard).unwrap()["panels"].as_array().unwrap().clone();
    assert!(panels.iter().all(|panel| panel["targets"][0]["expr"].is_string()) && panels.len() > 10);
    for (file, text) in [("grafana.json", dashboard), ("alerts.yml", include_str!("../monitoring/alerts.yml"))] {
        let named = metrics_in(text);
        let unknown: Vec<_> = named.difference(&known).collect();
        assert!(unknown.is_empty() && named.len() > 5, "{file} names {unknown:?}");
    }
    // What is recorded and never looked at is not worth recording.
    let unseen: Vec<_> = known.difference(&metrics_in(dashboard)).cloned().collect();
    assert_eq!(unseen, ["tsrec_training_lessons", "tsrec_training_seconds"]);
}

/// FAULTS.md says by which tests each fault is shown to be mended.
#[test]
fn every_test_that_faults_name_is_there() {
    let sources: String = ["src", "tests"].into_iter().flat_map(sources_in).map(|(_, text)| text).collect();
    let named =
        |row: &'static str| row.rsplit('|').nth(1).into_iter().flat_map(|cell| cell.split('`')).skip(1).step_by(2);
    let rows = include_str!("../FAULTS.md").lines().filter(|line| line.starts_with("| ") && !line.starts_with("| |"));
    let mut tests = rows.flat_map(named).filter(|name| !name.contains(' ')).peekable();
    assert!(tests.peek().is_some());
    let missing: Vec<&str> = tests.filter(|name| !sources.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "no test has these names: {missing:?}");
}
