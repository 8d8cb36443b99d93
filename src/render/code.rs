//! Preformatted text: the language that it is in.

use crate::html::document::{Document, NodeId};

/// The language of preformatted text, as its classes name it: `language-rust`, `lang-rust`, `highlight-source-rust`, or `brush: rust`. Empty where none does.
pub(super) fn language(document: &Document, node: NodeId) -> String {
    /// Elements below that are asked: it is mostly the only child.
    const ASKED: usize = 3;
    let around = document.ancestors(node).take(2);
    let mut nodes =
        document.descendants(node).filter(|node| document.local_name(*node).is_some()).take(ASKED).chain(around);
    let named = nodes.find_map(|node| {
        let given = document.attribute(node, "data-lang").or_else(|| document.attribute(node, "data-language"));
        given.map(str::to_owned).or_else(|| in_classes(document.attribute(node, "class")?))
    });
    let named = named.unwrap_or_default().to_lowercase();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '.' | '_');
    if named.len() <= 32 && named.chars().all(is_name) { named } else { String::new() }
}

fn in_classes(classes: &str) -> Option<String> {
    let prefixes = ["language-", "lang-", "highlight-source-"];
    let mut words = classes.split([' ', '\t', '\n', ';']).peekable();
    while let Some(word) = words.next() {
        if let Some(name) = prefixes.iter().find_map(|prefix| word.strip_prefix(prefix)) {
            return Some(name.to_owned());
        }
        if word == "brush:" {
            return words.next().map(str::to_owned);
        }
    }
    None
}
