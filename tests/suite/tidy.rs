//! Conventions that the compiler does not check: the direction of imports, and text that sources
//! must not contain.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each crate of the workspace with the crates that it may depend on. The root package is the
/// command line and the façade.
const CRATES: [(&str, &[&str]); 10] = [
    ("tsrec-suffixes", &[]),
    ("tsrec-core", &["tsrec-suffixes"]),
    ("tsrec-papers", &["tsrec-core"]),
    ("tsrec-browser", &["tsrec-core", "tsrec-papers"]),
    ("tsrec-store", &["tsrec-core"]),
    ("tsrec-crawl", &["tsrec-core", "tsrec-store"]),
    ("tsrec-server", &["tsrec-core", "tsrec-crawl", "tsrec-store"]),
    ("tsrec-terminal", &["tsrec-browser", "tsrec-core", "tsrec-papers"]),
    ("tsrec-lab", &["tsrec-browser", "tsrec-core", "tsrec-papers", "tsrec-terminal"]),
    (
        "tsrec",
        &[
            "tsrec-browser",
            "tsrec-core",
            "tsrec-crawl",
            "tsrec-papers",
            "tsrec-server",
            "tsrec-store",
            "tsrec-suffixes",
            "tsrec-terminal",
        ],
    ),
];

/// What the core must not depend on.
const NOT_IN_CORE: [&str; 8] =
    ["tokio", "std::fs", "std::net", "std::thread", "std::process", "std::env", "SystemTime", "Instant::now"];

/// The modules of the core, highest first. Each may import those after it. Modules on one line may
/// not import each other.
const LAYERS: [&[&str]; 13] = [
    &["taught"],
    &["annotation", "gold"],
    &["marks"],
    &["extract"],
    &["evidence"],
    &["tsrec", "block", "pairing", "render"],
    &["template"],
    &["metadata"],
    &["page", "analysis"],
    &["html"],
    &["learn"],
    &["words"],
    &["float"],
];

/// The modules of the store, lowest first. Each may import those before it, and itself. Modules of
/// the last line may import each other. `Store` and `Config` are the handle that all layers extend.
const STORE_LAYERS: [&[&str]; 8] = [
    &["error"],
    &["instant", "key", "record"],
    &["log"],
    &["index"],
    &["bodies"],
    &["records"],
    &["feed"],
    &["collect", "database", "losses", "maintenance", "recovery", "verification"],
];

/// The most files of the store that may all reach each other by imports.
const LARGEST_KNOT: usize = 7;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The sources of all crates, with their paths from the root of the workspace.
fn sources() -> Vec<(PathBuf, String)> {
    let crates = CRATES.iter().filter(|(name, _)| *name != "tsrec").map(|(name, _)| format!("crates/{name}/src"));
    let files: Vec<_> = crates.chain(["src".to_owned()]).flat_map(|folder| sources_in(&folder)).collect();
    assert!(files.len() > 50, "{} sources", files.len());
    files
}

fn sources_in(folder: &str) -> Vec<(PathBuf, String)> {
    let mut folders = vec![root().join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path.strip_prefix(root()).unwrap().to_owned(), text));
            }
        }
    }
    files
}

/// The modules of its own crate that a line names: `crate::module`, also in groups.
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

/// The code lines of a source, without its tests.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    code.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// Whether a source has only tests.
fn is_test(path: &Path) -> bool {
    path.iter().any(|part| part == "tests" || part == "tests.rs")
}

/// The crates of the workspace that a manifest depends on, without tests and benches.
fn dependencies(manifest: &str) -> Vec<String> {
    let manifest: toml::Table = manifest.parse().unwrap();
    let names = manifest["dependencies"].as_table().into_iter().flat_map(|table| table.keys());
    names.filter(|name| name.starts_with("tsrec-")).cloned().collect()
}

#[test]
fn dependencies_point_one_way() {
    let members = std::fs::read_dir(root().join("crates")).unwrap().count();
    assert_eq!(members + 1, CRATES.len(), "a crate is not in the table");
    for (name, allowed) in CRATES {
        let folder = if name == "tsrec" { root().to_owned() } else { root().join("crates").join(name) };
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let wrong: Vec<_> = dependencies(&manifest).into_iter().filter(|on| !allowed.contains(&on.as_str())).collect();
        assert!(wrong.is_empty(), "{name} may not depend on {wrong:?}");
    }
}

#[test]
fn the_core_is_pure() {
    for (path, text) in sources_in("crates/tsrec-core/src").into_iter().filter(|(path, _)| !is_test(path)) {
        for line in code(&text) {
            let known = NOT_IN_CORE.iter().find(|name| line.contains(**name));
            assert!(known.is_none(), "{}: {}", path.display(), line.trim());
        }
    }
}

#[test]
fn imports_of_the_core_point_down() {
    let layer = |module: &str| LAYERS.iter().position(|layer| layer.contains(&module));
    let mut wrong = Vec::new();
    for (path, text) in sources_in("crates/tsrec-core/src") {
        let module = path.iter().nth(3).unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        let Some(own) = layer(&module) else {
            assert_eq!(module, "lib", "{} is in no layer", path.display());
            continue;
        };
        for line in code(&text) {
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
fn imports_of_the_store_point_left() {
    let layer = |module: &str| STORE_LAYERS.iter().position(|layer| layer.contains(&module));
    let mut wrong = Vec::new();
    for (path, text) in sources_in("crates/tsrec-store/src").into_iter().filter(|(path, _)| !is_test(path)) {
        let module = path.iter().nth(3).unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        let Some(own) = layer(&module) else {
            assert_eq!(module, "lib", "{} is in no layer", path.display());
            continue;
        };
        let is_top = own == STORE_LAYERS.len() - 1;
        for line in code(&text) {
            for other in imported(line).into_iter().filter(|other| *other != module) {
                if layer(&other).is_some_and(|theirs| theirs > own || theirs == own && !is_top) {
                    wrong.push(format!("{}: {}", path.display(), line.trim()));
                }
            }
            if line.contains("super::super::") {
                wrong.push(format!("{}: write it from `crate`: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that point right:\n{}", wrong.join("\n"));
}

/// The paths that a source names from `crate` or from the module above, with groups taken apart.
fn named_paths(text: &str, parent: &[String]) -> Vec<Vec<String>> {
    let code = code(text).collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for (start, base) in [("crate::", &[][..]), ("super::", parent)] {
        for (at, _) in code.match_indices(start) {
            let rest = &code[at + start.len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(rest.len());
            let path = rest[..end].split("::").filter(|name| !name.is_empty()).map(str::to_owned);
            let path: Vec<String> = base.iter().cloned().chain(path).collect();
            if let Some(group) = rest[end..].strip_prefix('{') {
                for name in group.split('}').next().unwrap_or_default().split(',') {
                    let name = name.trim().split("::").next().unwrap_or_default().to_owned();
                    found.push(path.iter().cloned().chain([name]).collect());
                }
            }
            found.push(path);
        }
    }
    found
}

#[test]
fn files_of_the_store_make_small_knots() {
    let mut modules = BTreeMap::new();
    for (path, text) in sources_in("crates/tsrec-store/src").into_iter().filter(|(path, _)| !is_test(path)) {
        let name: Vec<String> =
            path.iter().skip(3).map(|part| part.to_string_lossy().trim_end_matches(".rs").to_owned()).collect();
        if name != ["lib"] {
            modules.insert(name, text);
        }
    }
    let names: Vec<&Vec<String>> = modules.keys().collect();
    let mut reaches = vec![vec![false; names.len()]; names.len()];
    for (from, (name, text)) in modules.iter().enumerate() {
        for path in named_paths(text, &name[..name.len() - 1]) {
            let of = (1..=path.len()).rev().find_map(|len| names.iter().position(|name| **name == path[..len]));
            of.into_iter().for_each(|to| reaches[from][to] = true);
        }
    }
    assert!(reaches.iter().flatten().filter(|reaches| **reaches).count() > 100, "imports are not read");
    for through in 0..names.len() {
        let next = reaches[through].clone();
        for from in reaches.iter_mut().filter(|from| from[through]) {
            from.iter_mut().zip(&next).for_each(|(reached, next)| *reached |= next);
        }
    }
    for (at, name) in names.iter().enumerate() {
        let knot: Vec<_> = (0..names.len()).filter(|&other| reaches[at][other] && reaches[other][at]).collect();
        let knot: Vec<String> = knot.into_iter().map(|other| names[other].join("::")).collect();
        assert!(knot.len() <= LARGEST_KNOT, "{} is in a knot of {}: {knot:?}", name.join("::"), knot.len());
    }
}

#[test]
fn sled_stays_in_its_place() {
    for (path, text) in sources() {
        let allowed = path.starts_with("crates/tsrec-store");
        assert!(allowed || !code(&text).any(|line| line.contains("sled::")), "{}", path.display());
    }
}

/// What opens connections, or speaks HTTP over them, beside reqwest.
const BESIDE_REQWEST: [&str; 10] = [
    "TcpStream",
    "TcpSocket",
    "UdpSocket",
    "UnixStream",
    "UnixDatagram",
    "hyper_util",
    "hyper::client",
    "h2::client",
    "tokio_rustls",
    "socket2",
];

#[test]
fn the_crawl_opens_connections_through_reqwest_alone() {
    let mut makers = BTreeSet::new();
    for (path, text) in sources_in("crates/tsrec-crawl/src").into_iter().filter(|(path, _)| !is_test(path)) {
        for line in code(&text) {
            let known = BESIDE_REQWEST.iter().find(|name| line.contains(**name));
            assert!(known.is_none(), "{}: {}", path.display(), line.trim());
            let made = ["Client::builder(", " Client::new(", "reqwest::Client::new(", "ClientBuilder", "reqwest::get("];
            if made.iter().any(|made| line.contains(made)) {
                makers.insert(path.clone());
            }
        }
    }
    assert_eq!(makers, BTreeSet::from([PathBuf::from("crates/tsrec-crawl/src/fetch/connection.rs")]));
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

/// How many names two or more types may share, besides [`EVERYWHERE`].
const MOST_SHARED_NAMES: usize = 15;

/// Type names that every module may use.
const EVERYWHERE: [&str; 4] = ["Args", "Config", "Error", "Kind"];

#[test]
fn one_name_is_one_type() {
    let mut files: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for (path, text) in sources().into_iter().filter(|(path, _)| !is_test(path)) {
        for name in code(&text).filter_map(defined) {
            files.entry(name.to_owned()).or_default().insert(path.clone());
        }
    }
    assert!(files.len() > 500, "{} types", files.len());
    let is_shared = |name: &str, files: &BTreeSet<PathBuf>| files.len() > 1 && !EVERYWHERE.contains(&name);
    let shared: Vec<_> = files.iter().filter(|(name, files)| is_shared(name, files)).map(|(name, _)| name).collect();
    assert!(shared.len() <= MOST_SHARED_NAMES, "{} names have several types: {shared:?}", shared.len());
}

/// The type that a line at the top of a module defines.
fn defined(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub(") {
        Some(restricted) => restricted.split_once(") ")?.1,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

/// The column at which comments end. Code, tables, pictures and quoted JSON may be wider.
const COMMENTS_END: usize = 100;

#[test]
fn comments_end_at_column_100() {
    let tests = ["tests", "benches", "examples", "crates/tsrec-lab/tests", "crates/tsrec-lab/benches"]
        .into_iter()
        .flat_map(sources_in);
    let mut wrong = Vec::new();
    for (path, text) in sources().into_iter().chain(tests) {
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            let comment = comment.trim_start_matches(['/', '!']).trim_start();
            is_code ^= comment.starts_with("```");
            if !is_code && !comment.starts_with(['|', '#', '─']) && line.chars().count() > COMMENTS_END {
                wrong.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "comments past column {COMMENTS_END}:\n{}", wrong.join("\n"));
}

/// The files beside a file that it imports by `super::`.
fn siblings(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for statement in code.split("use super::").skip(1).filter_map(|rest| rest.split(';').next()) {
        let names = statement.strip_prefix('{').map_or(vec![statement], |group| group.split(',').collect());
        found.extend(names.iter().map(|name| name.trim().split([':', '}', ' ']).next().unwrap_or_default().to_owned()));
    }
    found
}

/// No file imports itself, directly or through others. So each can be read after the files that it
/// needs.
#[test]
fn the_reports_of_eval_stand_in_no_circle() {
    let files: Vec<(String, Vec<String>)> = sources()
        .into_iter()
        .filter(|(path, _)| path.parent() == Some(Path::new("crates/tsrec-lab/src/cli/eval")))
        .map(|(path, text)| {
            (
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                siblings(text.split("#[cfg(test)]").next().unwrap()),
            )
        })
        .collect();
    let mut left: Vec<&(String, Vec<String>)> = files.iter().collect();
    assert!(left.len() > 10, "{} files", left.len());
    // Files that need none of the remaining files can be read. Repeat until no file is left or none
    // can be read.
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
    let mut recorded = BTreeSet::new();
    for (_, text) in sources() {
        for kind in ["counter!(", "gauge!(", "histogram!("] {
            for (at, _) in text.match_indices(kind) {
                let name = text[at + kind.len()..].trim_start().trim_start_matches('"');
                recorded.insert(name.chars().take_while(|&letter| is_name(letter)).collect::<String>());
            }
        }
    }
    let listed =
        include_str!("../../METRICS.md").lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    assert_eq!(recorded, listed.map(str::to_owned).collect());
    // `/metrics` says what each is.
    let said = include_str!("../../src/cli/telemetry.rs");
    let described = said.split("describe_").skip(1).filter_map(|call| call.split('"').nth(1)).map(str::to_owned);
    assert_eq!(recorded, described.collect());
}

/// The metrics that a text names.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let names = text.match_indices("tsrec_").map(|(at, _)| text[at..].chars().take_while(|&letter| is_name(letter)));
    // The exporter appends the last word to a histogram's name.
    names.map(|name| name.collect::<String>().trim_end_matches("_bucket").to_owned()).collect()
}

#[test]
fn dashboard_and_alerts_name_metrics_that_there_are() {
    let rows = include_str!("../../METRICS.md").lines().filter(|line| line.starts_with("| `"));
    let known = metrics_in(&rows.collect::<String>());
    let dashboard = include_str!("../../monitoring/grafana.json");
    let panels = serde_json::from_str::<serde_json::Value>(dashboard).unwrap()["panels"].as_array().unwrap().clone();
    assert!(panels.iter().all(|panel| panel["targets"][0]["expr"].is_string()) && panels.len() > 10);
    for (file, text) in [("grafana.json", dashboard), ("alerts.yml", include_str!("../../monitoring/alerts.yml"))] {
        let named = metrics_in(text);
        let unknown: Vec<_> = named.difference(&known).collect();
        assert!(unknown.is_empty() && named.len() > 5, "{file} names {unknown:?}");
    }
    // A metric that no dashboard shows is not worth recording.
    let unseen: Vec<_> = known.difference(&metrics_in(dashboard)).cloned().collect();
    assert_eq!(unseen, [""; 0]);
}

/// FAULTS.md names the tests that show each fault to be fixed.
#[test]
fn every_test_that_faults_name_is_there() {
    let tests = ["tests", "crates/tsrec-lab/tests"].into_iter().flat_map(sources_in);
    let sources: String = sources().into_iter().chain(tests).map(|(_, text)| text).collect();
    let named =
        |row: &'static str| row.rsplit('|').nth(1).into_iter().flat_map(|cell| cell.split('`')).skip(1).step_by(2);
    let rows =
        include_str!("../../FAULTS.md").lines().filter(|line| line.starts_with("| ") && !line.starts_with("| |"));
    let mut tests = rows.flat_map(named).filter(|name| !name.contains(' ')).peekable();
    assert!(tests.peek().is_some());
    let missing: Vec<&str> = tests.filter(|name| !sources.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "no test has these names: {missing:?}");
}
