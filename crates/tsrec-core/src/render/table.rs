//! Tables of data: rows of as many cells each, a line a cell, no spans.

use super::kept::KeptContent;
use crate::html::document::{Document, NodeId};

/// Columns that a cell may span at most: as many as the HTML standard lets it.
const MOST_SPAN: usize = 1000;
/// Cells that spans may add for each that there is. Judgement: beyond, the table is hostile.
const MOST_PADDING: usize = 16;
/// Characters in one cell above which a table with blocks in its cells lays out a page. Judgement.
const LONGEST_CELL: usize = 600;

/// What a table says.
#[derive(Debug, Default)]
pub(super) struct TableRows {
    /// Of as many cells each.
    pub(super) cells: Vec<Vec<String>>,
    /// Whether the first row is the heading of the others.
    pub(super) has_header: bool,
}

/// A table that is being read.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) node: NodeId,
    rows: TableRows,
    row: Vec<String>,
    /// Whether all cells of the row that say something are headings.
    is_headings: bool,
    /// For each column how many more rows a cell above takes of it.
    taken: Vec<usize>,
}

impl Table {
    /// The table, if it holds data: two columns and more, two rows and more, and nothing in its
    /// cells that takes more than a line. Linear in the table.
    pub(super) fn of_data(kept: &KeptContent<'_>, node: NodeId) -> Option<Table> {
        let document = kept.document;
        if matches!(document.attribute(node, "role"), Some("presentation" | "none")) {
            return None;
        }
        let (mut rows, mut columns, mut cells, mut widest) = (0, 0, 0, 0);
        let (mut text, mut blocks) = (0, 0);
        for below in document.descendants(node).skip(1) {
            text += document.text(below).map_or(0, str::len);
            let Some(name) = document.local_name(below).filter(|_| kept.holds(below)) else { continue };
            match &**name {
                "table" | "pre" | "blockquote" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => return None,
                "tr" => {
                    rows += 1;
                    (columns, text, blocks) = (0, 0, 0);
                }
                "td" | "th" => {
                    cells += 1;
                    columns += span(document, below, "colspan");
                    widest = widest.max(columns);
                    (text, blocks) = (0, 0);
                }
                "p" | "div" | "ul" | "ol" | "dl" => blocks += 1,
                _ => {}
            }
            if blocks > 0 && text > LONGEST_CELL {
                return None;
            }
        }
        let is_data = rows >= 2 && widest >= 2 && rows * widest <= MOST_PADDING * cells;
        is_data.then(|| Table {
            node,
            rows: TableRows::default(),
            row: Vec::new(),
            is_headings: true,
            taken: Vec::new(),
        })
    }

    /// The next cell. A cell that spans stands in the first of its places; the others are empty.
    pub(super) fn cell(&mut self, document: &Document, node: NodeId, text: String) {
        self.skip_taken();
        self.is_headings &= text.is_empty() || document.is_element(node, "th") || is_in_head(document, node);
        let (columns, rows) = (span(document, node, "colspan"), span(document, node, "rowspan"));
        for column in 0..columns {
            let at = self.row.len();
            self.row.push(if column == 0 { text.clone() } else { String::new() });
            if rows > 1 {
                self.taken.resize(self.taken.len().max(at + 1), 0);
                // This row takes one off again.
                self.taken[at] = rows;
            }
        }
    }

    fn skip_taken(&mut self) {
        while self.taken.get(self.row.len()).is_some_and(|rows| *rows > 0) {
            self.row.push(String::new());
        }
    }

    pub(super) fn end_row(&mut self) {
        self.skip_taken();
        self.taken.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
        let row = std::mem::take(&mut self.row);
        let is_header = std::mem::replace(&mut self.is_headings, true);
        if row.iter().any(|cell| !cell.is_empty()) {
            self.rows.has_header |= is_header && self.rows.cells.is_empty();
            self.rows.cells.push(row);
        }
    }

    /// Its rows, as long as each other; those without text are left out.
    pub(super) fn finish(mut self) -> TableRows {
        self.end_row();
        let columns = self.rows.cells.iter().map(Vec::len).max().unwrap_or(0);
        self.rows.cells.iter_mut().for_each(|row| row.resize(columns, String::new()));
        self.rows
    }
}

fn is_in_head(document: &Document, cell: NodeId) -> bool {
    document.ancestors(cell).take(2).any(|around| document.is_element(around, "thead"))
}

fn span(document: &Document, node: NodeId, name: &str) -> usize {
    let given = document.attribute(node, name).and_then(|span| span.trim().parse::<usize>().ok());
    given.unwrap_or(1).clamp(1, MOST_SPAN)
}
