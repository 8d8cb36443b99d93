//! Trees match the HTML standard: `cargo test --release --features corpora --test trees`.
//!
//! There are two oracles. One is the tree-construction tests of html5lib, in `$TSREC_HTML5LIB`, by
//! default `../shared/html5lib-tests` beside the checkout. The other runs over every page of
//! `$TSREC_CORPORA` (by default `../shared/data`): the tree that html5ever makes with its own
//! tokenizer and its own nodes. Both fail if their files are missing.

mod html5lib;
mod plain;

use std::path::{Path, PathBuf};

use tsrec_core::html::Document;
use tsrec_core::html::document::Edge;

/// A folder beside the checkout, or the one that the variable names.
fn folder(variable: &str, beside: &str) -> PathBuf {
    let folder =
        std::env::var_os(variable).map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(beside), PathBuf::from);
    assert!(folder.is_dir(), "{} is not there: set {variable}", folder.display());
    folder
}

/// A tree in html5lib's notation, without what a [`Document`] leaves out: comments, doctypes,
/// namespaces. Adjacent texts are joined.
#[derive(Default)]
struct Outline {
    lines: Vec<String>,
    /// The depth of the text that the next one may join.
    text: Option<usize>,
}

impl Outline {
    fn element(&mut self, depth: usize, name: &str, mut attributes: Vec<(&str, &str)>) {
        self.text = None;
        self.lines.push(format!("{:indent$}<{name}>", "", indent = 2 * depth));
        attributes.sort_unstable();
        self.lines
            .extend(attributes.iter().map(|(name, value)| format!("{:i$}{name}=\"{value}\"", "", i = 2 * depth + 2)));
    }

    fn text(&mut self, depth: usize, text: &str) {
        match self.lines.last_mut() {
            Some(last) if self.text == Some(depth) => {
                last.truncate(last.len() - 1);
                last.push_str(text);
                last.push('"');
            }
            _ => self.lines.push(format!("{:indent$}\"{text}\"", "", indent = 2 * depth)),
        }
        self.text = Some(depth);
    }

    fn of(document: &Document) -> Outline {
        let mut outline = Outline::default();
        let mut depth = 0;
        for edge in document.walk(document.root()) {
            match edge {
                Edge::Open(node) => {
                    if let Some(text) = document.text(node) {
                        outline.text(depth - 1, text);
                    } else if let Some(name) = document.name(node) {
                        let attributes = document.attributes(node).iter().map(|a| (a.name, a.value)).collect();
                        outline.element(depth - 1, name, attributes);
                    }
                    depth += 1;
                }
                Edge::Close(_) => depth -= 1,
            }
        }
        outline
    }

    fn is_that_of(&self, other: &Outline) -> bool {
        self.lines == other.lines
    }

    /// The first difference between two outlines, for a person to read.
    fn difference(&self, other: &Outline) -> String {
        let at = self.lines.iter().zip(&other.lines).take_while(|(one, two)| one == two).count();
        let line = |outline: &Outline| {
            outline.lines.get(at).map_or("(the end)".to_owned(), |line| line.chars().take(120).collect())
        };
        format!("line {at}: {:?} in place of {:?}", line(self), line(other))
    }
}
