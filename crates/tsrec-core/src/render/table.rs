//! Tables of data: rows of equal length, one line per cell, no spans.

use std::collections::BTreeMap;

use super::alignment::{self, ColumnSide};
use super::code::Code;
use super::kept::KeptContent;
use crate::html::document::{Document, NodeId};

/// Most columns that a cell may span: the HTML standard's limit.
const MOST_SPAN: usize = 1000;
/// Most empty cells that spans may add per real cell. Judgement: a table with more is hostile.
const MOST_PADDING: usize = 16;
/// A table with blocks in its cells and more characters than this in one cell is layout. Judgement.
const LONGEST_CELL: usize = 600;

/// The content of a table.
#[derive(Debug, Default)]
pub(super) struct TableRows {
    /// The rows, of equal length.
    pub(super) cells: Vec<Vec<String>>,
    /// Whether the first row is a header.
    pub(super) has_header: bool,
    /// The side that each column is aligned to.
    pub(super) sides: Vec<Option<ColumnSide>>,
}

/// The parts of a table in the order in which browsers show them, wherever they stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum TablePart {
    Head,
    #[default]
    Body,
    Foot,
}

/// Whether preformatted text is one line.
fn is_line(document: &Document, code: NodeId) -> bool {
    let mut lines = Code::default();
    for below in document.descendants(code).skip(1) {
        match (document.text(below), document.name(below)) {
            (Some(text), _) => lines.text(text),
            (None, Some(name)) => _ = lines.boundary(name),
            _ => {}
        }
    }
    !lines.finish().contains('\n')
}

/// A table that is being read.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) node: NodeId,
    rows: Vec<TableRow>,
    row: Vec<String>,
    /// The sides of the row's cells.
    sides: Vec<Option<ColumnSide>>,
    /// The part that the row is in.
    section: TablePart,
    /// Whether all non-empty cells of the row are header cells.
    is_headings: bool,
    /// For each column, the number of further rows that a cell above spans.
    taken: Vec<usize>,
}

/// A row that was read.
#[derive(Debug)]
struct TableRow {
    section: TablePart,
    is_header: bool,
    cells: Vec<String>,
    sides: Vec<Option<ColumnSide>>,
}

impl Table {
    /// The table, if it holds data: at least two columns and two rows, and no cell that needs more
    /// than a line. Headings, quotes and a line of code may be in cells of a table with header
    /// cells. Steps: n log n in the table.
    pub(super) fn of_data(kept: &KeptContent<'_>, node: NodeId) -> Option<Table> {
        let document = kept.document;
        if matches!(document.attribute(node, "role"), Some("presentation" | "none")) {
            return None;
        }
        let (mut widths, mut cells) = (RowWidths::default(), 0);
        let (mut text, mut blocks) = (0, 0);
        let (mut has_parts, mut has_headers) = (false, false);
        for below in document.descendants(node).skip(1) {
            text += document.text(below).map_or(0, str::len);
            let Some(name) = document.local_name(below).filter(|_| kept.holds(below)) else { continue };
            match &**name {
                "table" => return None,
                "pre" if !is_line(document, below) => return None,
                "pre" | "blockquote" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                    has_parts = true;
                    blocks += 1;
                }
                "tr" => {
                    widths.start_row(section(document, below));
                    (text, blocks) = (0, 0);
                }
                "td" | "th" => {
                    cells += 1;
                    has_headers |= &**name == "th";
                    widths.cell(span(document, below, "colspan"), span(document, below, "rowspan"));
                    (text, blocks) = (0, 0);
                }
                "p" | "div" | "ul" | "ol" | "dl" => blocks += 1,
                _ => {}
            }
            if blocks > 0 && text > LONGEST_CELL {
                return None;
            }
        }
        let RowWidths { rows, widest, .. } = widths;
        let is_simple = has_headers || !has_parts;
        let is_data = is_simple && rows >= 2 && widest >= 2 && rows * widest <= MOST_PADDING * cells;
        is_data.then(|| Table {
            node,
            rows: Vec::new(),
            row: Vec::new(),
            sides: Vec::new(),
            section: TablePart::Body,
            is_headings: true,
            taken: Vec::new(),
        })
    }

    /// Adds the next cell. The text of a cell that spans goes into its first place; the others are
    /// empty.
    pub(super) fn cell(&mut self, document: &Document, node: NodeId, text: String) {
        let section = section(document, node);
        if section != self.section {
            // No cell spans from one part into another.
            self.taken.clear();
            self.section = section;
        }
        self.skip_taken();
        let side = alignment::of_cell(document, node);
        self.is_headings &= text.is_empty() || document.is_element(node, "th") || section == TablePart::Head;
        let (columns, rows) = (span(document, node, "colspan"), span(document, node, "rowspan"));
        for column in 0..columns {
            let at = self.row.len();
            self.row.push(if column == 0 { text.clone() } else { String::new() });
            self.sides.resize(at, None);
            self.sides.push(side);
            if rows > 1 {
                self.taken.resize(self.taken.len().max(at + 1), 0);
                // This row subtracts one again.
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
        let cells = std::mem::take(&mut self.row);
        let sides = std::mem::take(&mut self.sides);
        let is_header = std::mem::replace(&mut self.is_headings, true);
        if cells.iter().any(|cell| !cell.is_empty()) {
            self.rows.push(TableRow { section: self.section, is_header, cells, sides });
        }
    }

    /// Its rows, made equally long: the head first, the foot last. Rows without text are left out.
    pub(super) fn finish(mut self) -> TableRows {
        self.end_row();
        self.rows.sort_by_key(|row| row.section);
        let columns = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        let has_header = self.rows.first().is_some_and(|row| row.is_header);
        let side = |column: usize| {
            let cells = self.rows.iter().filter(|row| row.cells.get(column).is_some_and(|cell| !cell.is_empty()));
            let body = cells.clone().skip(usize::from(has_header));
            let side = |row: &TableRow| row.sides.get(column).copied().flatten();
            let sides: Vec<_> =
                if body.clone().next().is_some() { body.map(side).collect() } else { cells.map(side).collect() };
            alignment::of_column(&sides)
        };
        let sides = (0..columns).map(side).collect();
        let cells = self.rows.into_iter().map(|mut row| {
            row.cells.resize(columns, String::new());
            row.cells
        });
        TableRows { cells: cells.collect(), has_header, sides }
    }
}

/// How wide the rows of a table are, with the cells above that span them.
#[derive(Debug, Default)]
struct RowWidths {
    rows: usize,
    widest: usize,
    part: TablePart,
    /// The columns of the row, up to now.
    columns: usize,
    /// The columns that cells of rows above span in the row, and after which row they end.
    spanned: usize,
    ends: BTreeMap<usize, usize>,
}

impl RowWidths {
    fn start_row(&mut self, part: TablePart) {
        self.rows += 1;
        if part != self.part {
            // No cell spans from one part into another.
            (self.part, self.spanned) = (part, 0);
            self.ends.clear();
        }
        while let Some(end) = self.ends.first_entry().filter(|end| *end.key() < self.rows) {
            self.spanned -= end.remove();
        }
        self.columns = self.spanned;
    }

    fn cell(&mut self, columns: usize, rows: usize) {
        self.columns += columns;
        self.widest = self.widest.max(self.columns);
        if rows > 1 {
            self.spanned += columns;
            *self.ends.entry(self.rows + rows - 1).or_default() += columns;
        }
    }
}

/// The part of the table that a row or a cell is in.
fn section(document: &Document, node: NodeId) -> TablePart {
    let around = document.ancestors(node).take(2).find_map(|around| match document.name(around) {
        Some("thead") => Some(TablePart::Head),
        Some("tfoot") => Some(TablePart::Foot),
        _ => None,
    });
    around.unwrap_or(TablePart::Body)
}

fn span(document: &Document, node: NodeId, name: &str) -> usize {
    let given = document.attribute(node, name).and_then(|span| span.trim().parse::<usize>().ok());
    given.unwrap_or(1).clamp(1, MOST_SPAN)
}
