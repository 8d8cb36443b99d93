//! The library's interface: the names at the root of the crate, with the signatures of their items.
//! `tests/interface.txt` holds the last accepted interface. After an intended change,
//! `TSREC_UPDATE=1 cargo test --test suite interface` rewrites it.
//!
//! rustdoc's JSON would also give it, but only on nightly compilers and in an unstable form. This
//! test reads the sources, whose layout rustfmt fixes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Limit on the names at the root: a person must be able to read them in one go.
const MOST_NAMES: usize = 46;

/// A name that the root exports.
#[derive(Debug)]
struct Exported {
    /// Its name at the root.
    name: String,
    /// Its name in its module.
    item: String,
    /// The modules that export it.
    module: Vec<String>,
}

/// The sources of this crate.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The path of a module without its extension, in this crate or another one of the workspace. The
/// root of a crate is its folder.
fn place(module: &[String]) -> PathBuf {
    match module.split_first() {
        Some((first, rest)) if first.starts_with("tsrec_") => {
            let sources = format!("../crates/{}/src", first.replace('_', "-"));
            root().join(sources).join(rest.iter().collect::<PathBuf>())
        }
        _ => root().join(module.iter().collect::<PathBuf>()),
    }
}

/// The module at the top of the crate that contains this module. For a crate root, the crate.
fn top(module: &[String]) -> &[String] {
    let depth = if module[0].starts_with("tsrec_") { 2 } else { 1 };
    &module[..depth.min(module.len())]
}

/// The modules of other crates that the configuration imports, by their names there.
fn imported() -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(root().join("config.rs")).unwrap();
    let imports = text.lines().filter_map(|line| line.strip_prefix("use tsrec_")?.strip_suffix(';')?.split_once("::"));
    let names = |(crate_name, names): (&str, &str)| {
        let crate_name = format!("tsrec_{crate_name}");
        let names: Vec<String> = names.trim_matches(['{', '}']).split(", ").map(str::to_owned).collect();
        names.into_iter().map(move |name| (name.clone(), vec![crate_name.clone(), name]))
    };
    imports.flat_map(names).collect()
}

/// The `pub use` exports of `lib.rs`.
fn exported(lib: &str) -> Vec<Exported> {
    let mut found = Vec::new();
    for line in lib.lines() {
        let Some(path) = line.strip_prefix("pub use ").and_then(|rest| rest.strip_suffix(';')) else {
            continue;
        };
        let (module, names) = match path.split_once('{') {
            Some((module, names)) => (module.trim_end_matches("::"), names.trim_end_matches('}')),
            None => path.rsplit_once("::").expect("a name in a module"),
        };
        for name in names.split(',').map(str::trim) {
            let (item, name) = name.split_once(" as ").unwrap_or((name, name));
            found.push(Exported {
                name: name.to_owned(),
                item: item.to_owned(),
                module: module.split("::").map(str::to_owned).collect(),
            });
        }
    }
    found
}

/// The files of a module and of its submodules.
fn files(module: &[String]) -> Vec<(PathBuf, String)> {
    let path = place(module);
    let is_crate = path.ends_with("src");
    let mut files = if is_crate { Vec::new() } else { vec![path.with_extension("rs")] };
    let mut folders = vec![path];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    files.into_iter().map(|file| (file.clone(), std::fs::read_to_string(&file).unwrap())).collect()
}

/// The items at the top of a file, each with its attributes, as rustfmt lays them out. Tests are
/// left out.
fn items(text: &str) -> Vec<String> {
    let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap();
    let mut items = vec![String::new()];
    for line in code.lines() {
        let is_end = line == "}"
            || line.ends_with("};") && line.starts_with('}')
            || line.ends_with([';', '}']) && !line.starts_with([' ', '}']);
        let item = items.last_mut().unwrap();
        *item += line;
        item.push('\n');
        if is_end {
            items.push(String::new());
        }
    }
    items
}

/// True if a text continues after the name with a character that cannot be part of a name.
fn names(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The line of an item that declares it.
fn head(item: &str) -> &str {
    let is_head = |line: &&str| !line.is_empty() && !line.starts_with([' ', '#', '/', '}', ')', ']']);
    item.lines().find(is_head).unwrap_or_default()
}

fn defines(item: &str, name: &str) -> bool {
    ["pub struct ", "pub enum ", "pub fn ", "pub trait "]
        .iter()
        .any(|kind| head(item).strip_prefix(kind).is_some_and(|rest| names(rest, name)))
}

/// The trait of an `impl` for the type, or an empty string for an inherent one.
fn implements<'i>(item: &'i str, name: &str) -> Option<&'i str> {
    let rest = head(item).strip_prefix("impl")?;
    let rest = match rest.strip_prefix('<') {
        // Parameters may be nested.
        Some(inner) => {
            let mut open = 1;
            let end = inner.find(|c| {
                open += i32::from(c == '<') - i32::from(c == '>');
                open == 0
            })?;
            &inner[end + 1..]
        }
        None => rest,
    };
    let (of, on) = rest.split_once(" for ").unwrap_or(("", rest));
    names(on.trim(), name).then_some(of.trim())
}

/// A signature on one line, without its body.
fn signature(lines: &mut std::iter::Peekable<std::str::Lines<'_>>, first: &str) -> String {
    let mut signature = first.trim().to_owned();
    while !signature.ends_with(['{', ';', '}']) {
        let Some(line) = lines.next() else { break };
        if line.trim().starts_with("//") {
            continue;
        }
        signature += if signature.ends_with('(') { "" } else { " " };
        signature += line.trim();
    }
    signature.trim_end_matches(['{', ';', ' ']).replace(",)", ")").replace(", )", ")")
}

/// The visible parts of a definition: attributes that matter, public fields, variants, a function's
/// signature.
fn definition(item: &str) -> String {
    let mut out = String::new();
    let mut lines = item.lines().peekable();
    let is_struct = head(item).starts_with("pub struct");
    let (mut has_more, mut is_hidden) = (false, false);
    while let Some(line) = lines.next() {
        let text = line.trim();
        if text.is_empty() || text.starts_with("//") {
            continue;
        }
        if std::mem::replace(&mut is_hidden, text == HIDDEN) {
            has_more |= is_struct;
            continue;
        }
        if text.starts_with("#[derive") || text == "#[non_exhaustive]" || text.starts_with("#[must_use") {
            out += &format!("{text}\n");
        } else if line.starts_with("pub ") {
            let signature = signature(&mut lines, line);
            out += &format!("{signature}\n");
            if signature.starts_with("pub fn") {
                break;
            }
        } else if text.starts_with(['#', '}', '{', ')']) {
        } else if is_struct && !text.starts_with("pub ") {
            has_more = true;
        } else if line.starts_with("    ") {
            out += &format!("    {text}\n");
        }
    }
    if has_more {
        out += "    ..\n";
    }
    out
}

/// The public functions of an `impl`.
fn functions(item: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = item.lines().peekable();
    let mut is_hidden = false;
    while let Some(line) = lines.next() {
        let is_public = line.strip_prefix("    pub ").is_some_and(|rest| !rest.starts_with('('));
        if is_public && !is_hidden {
            found.push(format!("    {}", signature(&mut lines, line)));
        }
        is_hidden = line.trim() == HIDDEN;
    }
    found
}

/// True for an `impl` that only the packages of this repository use.
fn is_hidden(item: &str) -> bool {
    item.lines().any(|line| line == HIDDEN)
}

const HIDDEN: &str = "#[doc(hidden)]";

fn interface() -> String {
    let exports = exported(&std::fs::read_to_string(root().join("lib.rs")).unwrap());
    let mut out = String::new();
    let mut seen = BTreeSet::new();
    for Exported { name, item, module } in &exports {
        assert!(seen.insert(name), "{name} is exported twice");
        let inside: Vec<(PathBuf, String)> = files(module)
            .into_iter()
            .flat_map(|(file, text)| items(&text).into_iter().map(move |item| (file.clone(), item)))
            .collect();
        let defined: Vec<&String> = inside.iter().map(|(_, text)| text).filter(|text| defines(text, item)).collect();
        assert_eq!(defined.len(), 1, "{item} is defined {} times in {}", defined.len(), module.join("::"));
        out += &format!("## {name}\n{}", definition(defined[0]));
        // Other files may add to a type: those of its top module and, for the core, those of
        // `extract`.
        let mut whole = files(top(module));
        if module[0] == "tsrec_core" && top(module)[1] != "extract" {
            whole.extend(files(&["tsrec_core".to_owned(), "extract".to_owned()]));
        }
        let (mut traits, mut own) = (BTreeSet::new(), BTreeSet::new());
        for text in whole.iter().flat_map(|(_, text)| items(text)) {
            match implements(&text, item) {
                Some("") if is_hidden(&text) => {}
                Some("") => own.extend(functions(&text)),
                Some(of) => drop(traits.insert(format!("impl {of}"))),
                None => {}
            }
        }
        for line in traits.iter().chain(&own) {
            out += &format!("{line}\n");
        }
        out.push('\n');
    }
    out
}

/// The definition of a type in a module. If submodules have a type of the same name, the module's
/// own file or its `config.rs` counts.
fn settings_type(module: &[String], item: &str) -> Option<String> {
    let own = place(module);
    let own = [own.with_extension("rs"), own.join("config.rs")];
    let all = files(module);
    let (first, others) = all.iter().partition::<Vec<_>, _>(|(file, _)| own.contains(file));
    let mut items = first.into_iter().chain(others).flat_map(|(_, text)| items(text));
    items.find(|text| defines(text, item))
}

/// The settings types that have no name at the root. A program sets them through `Config`, so they
/// are part of the interface. The search goes from field to field, each with its module.
fn settings() -> String {
    let exports = exported(&std::fs::read_to_string(root().join("lib.rs")).unwrap());
    let has_name = |module: &[String], item: &str| {
        exports.iter().any(|export| export.item == item && export.module.starts_with(top(module)))
    };
    let imported = imported();
    let mut next = vec![(vec!["config".to_owned()], "Config".to_owned())];
    let mut found = BTreeMap::new();
    while let Some((module, item)) = next.pop() {
        let path = format!("{}::{item}", module.join("::"));
        let Some(text) = settings_type(&module, &item).filter(|_| !found.contains_key(&path)) else { continue };
        let shown = definition(&text);
        let kinds = shown.lines().filter_map(|line| line.strip_prefix("    pub ")?.split_once(": "));
        for kind in kinds.map(|(_, kind)| kind.trim_end_matches(',')) {
            let (inside, item) = kind.rsplit_once("::").map_or((module.clone(), kind), |(path, item)| {
                let path: Vec<String> = path.split("::").map(str::to_owned).collect();
                (imported.get(&path[0]).cloned().unwrap_or(path), item)
            });
            next.push((inside, item.to_owned()));
        }
        let is_named = module == ["config"] && item == "Config" || module[0] != "config" && has_name(&module, &item);
        found.insert(path, (!is_named).then_some(shown));
    }
    found.iter().filter_map(|(path, shown)| Some(format!("### {path}\n{}\n", shown.as_ref()?))).collect()
}

#[test]
fn the_interface_changes_only_when_it_is_meant_to() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interface.txt");
    let (now, before) = (interface() + &settings(), std::fs::read_to_string(&file).unwrap_or_default());
    if std::env::var_os("TSREC_UPDATE").is_some() {
        std::fs::write(&file, &now).unwrap();
        return;
    }
    let gone: Vec<&str> = before.lines().filter(|line| !now.lines().any(|other| other == *line)).collect();
    let new: Vec<&str> = now.lines().filter(|line| !before.lines().any(|other| other == *line)).collect();
    assert!(
        now == before,
        "the interface is another than tests/interface.txt says. If that is meant, say so in CHANGELOG.md and run\n\
         TSREC_UPDATE=1 cargo test --test suite interface\n- {}\n+ {}",
        gone.join("\n- "),
        new.join("\n+ ")
    );
}

/// A type without visible fields is useless without functions. If none were found, the test missed
/// them. An error may have only its message.
#[test]
fn every_type_shows_what_it_is_for() {
    for of in interface().split("\n## ").map(|of| of.trim_start_matches("## ")) {
        let is_closed = of.lines().all(|line| line == "    .." || !line.starts_with("    "));
        let is_function = of.lines().any(|line| line.starts_with("pub fn"));
        let is_error = of.lines().any(|line| line == "impl std::error::Error");
        assert!(!is_closed || is_function || is_error, "{of}");
    }
}

#[test]
fn the_root_is_small_and_its_signatures_name_no_type_of_another_library() {
    let interface = interface();
    let names: Vec<&str> = interface.lines().filter(|line| line.starts_with("## ")).collect();
    assert!((20..=MOST_NAMES).contains(&names.len()), "{} names", names.len());
    for foreign in ["LocalName", "html5ever", "axum", "tokio", "hyper", "sled"] {
        assert!(!interface.contains(foreign), "{foreign}:\n{interface}");
    }
}

/// A type in a signature is exported at the root too, or belongs to a library named here. A program
/// cannot store a value in a field if its type has no name.
#[test]
fn what_signatures_name_has_a_name() {
    let interface = interface();
    let exports = exported(&std::fs::read_to_string(root().join("lib.rs")).unwrap());
    let own = exports.iter().flat_map(|export| [export.name.as_str(), export.item.as_str()]);
    let of_others = [
        "Self",
        "Range",
        "Option",
        "Result",
        "Vec",
        "String",
        "Box",
        "BTreeMap",
        "Path",
        "PathBuf",
        "Future",
        "Output",
        "Item",
        "Iterator",
        "IntoIterator",
        "Send",
        "Cow",
        "Into",
        "FnOnce",
        // From serde_json, url and jiff.
        "Value",
        "Url",
        "Timestamp",
        // Settings of a part of the daemon, which a program changes in place.
        "Log",
        "Archiving",
        "ExtractConfig",
        "StoreSettings",
    ];
    let known: BTreeSet<&str> = own.chain(of_others).collect();
    let mut unknown = BTreeSet::new();
    for line in interface.lines() {
        let is_told = line.starts_with("    pub ") || line.starts_with("pub fn");
        // A constant's value is not part of its type.
        let told = line.split(" = ").next().unwrap_or(line);
        let words = told.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|_| is_told);
        let is_type =
            |word: &&str| word.len() > 1 && word.starts_with(char::is_uppercase) && *word != word.to_uppercase();
        unknown.extend(words.filter(is_type).filter(|word| !known.contains(word)));
    }
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// The documentation hides all modules, except those that hold the root's exports.
#[test]
fn modules_are_no_part_of_the_interface() {
    let lib = std::fs::read_to_string(root().join("lib.rs")).unwrap();
    let lines: Vec<&str> = lib.lines().collect();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("pub mod ")) {
        let mut above = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
        assert!(above.any(|line| *line == "#[doc(hidden)]"), "{line} is part of the interface");
    }
}
