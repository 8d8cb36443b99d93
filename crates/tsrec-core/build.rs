//! Writes the names of character references as a sorted table. html5ever's own table holds every
//! prefix of a name and is five times as large.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A prefix that is not a name has no character.
    let named: BTreeMap<_, _> =
        web_atoms::NAMED_ENTITIES.entries().filter(|(_, characters)| **characters != (0, 0)).collect();
    let rows: String =
        named.iter().map(|(name, (first, second))| format!("({name:?}, {first}, {second}),\n")).collect();
    let table = format!(
        "/// Each name in order, with its code points. The second one may be 0.\n\
         static NAMES: &[(&str, u32, u32)] = &[\n{rows}];\n"
    );
    let folder = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&folder).join("references.rs"), table).expect("the folder of the build can be written");
}
