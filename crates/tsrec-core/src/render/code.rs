//! Preformatted text: its lines, and the language that it is in.

use crate::html::document::{Document, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::is_space;

/// Preformatted text, as it comes together. Blocks within it are lines.
#[derive(Debug, Default)]
pub(super) struct Code {
    text: String,
}

impl Code {
    /// Text, or white space between texts; before the first that is layout.
    pub(super) fn text(&mut self, text: &str) {
        if !self.text.is_empty() || !text.chars().all(is_space) {
            self.text.push_str(text);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// An element begins or ends: a block ends a line once, a line break each time. True where a
    /// line is ended.
    pub(super) fn boundary(&mut self, name: &str) -> bool {
        let is_due = name == "br" || default_display(name) == DefaultDisplay::Block && !self.text.ends_with('\n');
        let is_ended = is_due && !self.text.is_empty();
        self.text.push_str(if is_ended { "\n" } else { "" });
        is_ended
    }

    /// All of it, without empty lines at its ends.
    pub(super) fn finish(&self) -> &str {
        self.text.trim_start_matches('\n').trim_end()
    }
}

/// Names that pages give to code of no language, or of one that a program guessed.
const NO_LANGUAGES: [&str; 13] = [
    "auto",
    "code",
    "default",
    "hljs",
    "no-highlight",
    "nohighlight",
    "none",
    "plain",
    "plaintext",
    "text",
    "txt",
    "undefined",
    "unknown",
];

/// The language of preformatted text, as its classes name it: `language-rust`, `lang-rust`,
/// `highlight-source-rust`, or `brush: rust`. Empty where none does, or what they name is none.
pub(super) fn language(document: &Document, node: NodeId) -> String {
    /// Elements below that are asked: it is mostly the only child.
    const ASKED: usize = 3;
    let around = document.ancestors(node).take(2);
    let nodes =
        document.descendants(node).filter(|node| document.local_name(*node).is_some()).take(ASKED).chain(around);
    let named = nodes.filter_map(|node| {
        let given = document.attribute(node, "data-lang").or_else(|| document.attribute(node, "data-language"));
        given.map(str::to_owned).or_else(|| in_classes(document.attribute(node, "class")?))
    });
    let mut known = named.map(|name| name.to_lowercase()).filter(|name| !NO_LANGUAGES.contains(&name.as_str()));
    let named = known.next().unwrap_or_default();
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
