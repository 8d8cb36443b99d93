//! Takes the rules out of the crate `psl`, as cargo has it, and sorts them.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let version = env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let rules = fs::read_to_string(rules_of(&version)).expect("the crate psl has data/rules.txt");
    let mut reversed: Vec<String> = rules.lines().map(reversed).collect();
    reversed.sort_unstable();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("rules.txt"), format!("{}\n", reversed.join("\n"))).expect("OUT_DIR can be written");
    println!("cargo:rerun-if-changed=build.rs");
}

/// `!www.ck` is `ck.!www`.
fn reversed(rule: &str) -> String {
    let (mark, name) = match rule.strip_prefix('!') {
        Some(name) => ("!", name),
        None => ("", rule),
    };
    let mut labels: Vec<String> = name.split('.').map(str::to_owned).collect();
    labels[0].insert_str(0, mark);
    labels.reverse();
    labels.join(".")
}

fn rules_of(version: &str) -> PathBuf {
    let home = env::var_os("CARGO_HOME").map_or_else(
        || Path::new(&env::var_os("HOME").expect("there is a home directory")).join(".cargo"),
        PathBuf::from,
    );
    let sources = home.join("registry/src");
    let registries = fs::read_dir(&sources).into_iter().flatten().flatten();
    let mut found = registries.map(|registry| registry.path().join(format!("psl-{version}/data/rules.txt")));
    found
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("{} has no psl {version}: run cargo fetch in js/psl first", sources.display()))
}
