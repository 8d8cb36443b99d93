//! Line numbers beside code, which are not code: in their own cell, or at the beginning of each
//! line.

use std::collections::HashMap;

use crate::html::document::{Document, Edge, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};

/// Most cells in a row of numbers and code: both, and a margin. Judgement.
const MOST_CELLS: usize = 3;
/// Beginnings of the class of an element that holds line numbers.
const NAMES: [&str; 4] = ["line-number", "linenumber", "lineno", "linenum"];
/// How many elements around a number may have such a class. Judgement.
const AROUND: usize = 3;

/// Results so far, so that each cell and each code element is examined once.
#[derive(Debug, Default)]
pub(super) struct Gutters {
    cells: HashMap<NodeId, bool>,
    codes: HashMap<NodeId, bool>,
}

impl Gutters {
    /// Whether a text is one line number or several. Quick for text that is not a number. Otherwise
    /// linear in its depth and in the cells and code around it, each once.
    pub(super) fn hold(&mut self, document: &Document, node: NodeId) -> bool {
        if !document.text(node).is_some_and(are_numbers) {
            return false;
        }
        if is_named(document, node) {
            return true;
        }
        let mut around = document.ancestors(node);
        let Some(near) = around.find(|&near| is_one_of(document, near, &["td", "pre"])) else { return false };
        let (cell, code) = match document.is_element(near, "td") {
            true => (Some(near), around.find(|&around| document.is_element(around, "pre"))),
            false => (around.find(|&around| document.is_element(around, "td")), Some(near)),
        };
        cell.is_some_and(|cell| *self.cells.entry(cell).or_insert_with(|| is_gutter(document, cell)))
            || code.is_some_and(|code| {
                is_own(document, node) && *self.codes.entry(code).or_insert_with(|| has_numbered_lines(document, code))
            })
    }
}

/// Whether an element around a number is named for line numbers. Code and tables with such a name
/// have them within.
fn is_named(document: &Document, number: NodeId) -> bool {
    let mut around = document.ancestors(number).take(AROUND);
    around.any(|around| {
        let classes = document.attribute(around, "class").unwrap_or_default().to_ascii_lowercase();
        let is_named = |class: &str| NAMES.iter().any(|name| class.starts_with(name));
        is_one_of(document, around, &["span", "div", "td", "a"]) && classes.split_ascii_whitespace().any(is_named)
    })
}

fn is_one_of(document: &Document, node: NodeId, names: &[&str]) -> bool {
    document.name(node).is_some_and(|name| names.contains(&name))
}

fn are_numbers(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace())
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// A cell that counts lines, beside a cell with code, in a table whose other rows have headings
/// only. A single 1 may be a value beside a short code.
fn is_gutter(document: &Document, cell: NodeId) -> bool {
    let Some(row) = document.parent(cell) else { return false };
    let mut rows = document.parent(row).into_iter().flat_map(|rows| document.children(rows));
    let has_cells = |row: NodeId| document.children(row).any(|one| document.is_element(one, "td"));
    let is_alone = rows.by_ref().filter(|&one| has_cells(one)).nth(1).is_none();
    let cells: Vec<NodeId> =
        document.children(row).filter(|&one| is_one_of(document, one, &["td", "th"])).take(MOST_CELLS + 1).collect();
    let words = document.descendants(cell).filter_map(|node| document.text(node)).flat_map(str::split_ascii_whitespace);
    let numbers: Vec<Option<u64>> = words.map(|word| word.parse().ok()).collect();
    let of_code: &[&str] = if numbers.len() > 1 { &["pre", "code"] } else { &["pre"] };
    let has_code = |&one: &NodeId| document.descendants(one).any(|node| is_one_of(document, node, of_code));
    is_alone
        && cells.len() <= MOST_CELLS
        && count_on(numbers.into_iter())
        && cells.iter().filter(|one| **one != cell).any(has_code)
}

/// Whether numbers are consecutive: several, or a single 1.
fn count_on(mut numbers: impl Iterator<Item = Option<u64>>) -> bool {
    let Some(Some(first)) = numbers.next() else { return false };
    let mut expected = first;
    let is_counted = numbers.all(|number| {
        expected = expected.saturating_add(1);
        number == Some(expected)
    });
    is_counted && (expected > first || first == 1)
}

/// Whether a text is all the text of an element within code.
fn is_own(document: &Document, text: NodeId) -> bool {
    document.parent(text).is_some_and(|parent| {
        !is_one_of(document, parent, &["pre", "code"]) && document.children(parent).nth(1).is_none()
    })
}

/// Whether each non-empty line of preformatted text begins with its number in its own element.
fn has_numbered_lines(document: &Document, code: NodeId) -> bool {
    let (mut numbers, mut at_start, mut has_code) = (Vec::new(), true, false);
    for edge in document.walk(code) {
        let (Edge::Open(node) | Edge::Close(node)) = edge;
        let Some(text) = document.text(node).filter(|_| matches!(edge, Edge::Open(_))) else {
            at_start |= ends_line(document, node);
            continue;
        };
        if at_start && are_numbers(text) && is_own(document, node) {
            numbers.push(text.trim().parse().ok());
            at_start = text.ends_with('\n');
            continue;
        }
        let mut lines = text.split('\n');
        let is_blank = |line: &str| line.trim().is_empty();
        let goes_on = lines.next().is_none_or(is_blank);
        has_code |= !goes_on;
        if at_start && !goes_on || lines.clone().any(|line| !is_blank(line)) {
            return false;
        }
        at_start &= goes_on;
        at_start |= lines.next().is_some();
    }
    has_code && numbers.len() > 1 && count_on(numbers.into_iter())
}

/// Cells are side by side; other blocks end a line.
fn ends_line(document: &Document, node: NodeId) -> bool {
    document.name(node).is_some_and(|name| {
        name == "br" || default_display(name) == DefaultDisplay::Block && !matches!(name, "td" | "th")
    })
}
