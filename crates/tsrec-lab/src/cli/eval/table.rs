//! Tables of figures, to print and to compare with floors.

use std::io::Write;

use anyhow::Result;

/// A table: one row per set, or per group of pages of a set.
pub(super) struct ScoreTable {
    /// The names of the figures.
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<ScoreRow>,
}

/// A row.
pub(super) struct ScoreRow {
    /// The set, or the set and the group with a `/` between.
    pub(super) name: String,
    /// One per column.
    pub(super) cells: Vec<ScoreCell>,
}

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ScoreCell {
    /// A count.
    Count(usize),
    /// A score; `None` if there is nothing to measure.
    Score(Option<f64>),
}

impl ScoreTable {
    /// The figure in this row and column.
    pub(super) fn value(&self, row: &str, column: &str) -> Option<f64> {
        let at = self.columns.iter().position(|name| *name == column)?;
        match self.rows.iter().find(|found| found.name == row)?.cells[at] {
            ScoreCell::Count(count) => Some(count as f64),
            ScoreCell::Score(score) => score,
        }
    }

    /// Prints the table with its column heads.
    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        self.print_headed(out, "dataset")
    }

    /// Prints the table with this head over the names, if they are not names of sets.
    pub(super) fn print_headed(&self, out: &mut impl Write, head: &str) -> Result<()> {
        /// The least width of the names: most names of sets are shorter.
        const NAME: usize = 17;
        let width = self.rows.iter().map(|row| row.name.chars().count()).fold(NAME, usize::max);
        let line = |name: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!(" {cell:>7}")).collect();
            format!("{name:<width$}{cells}")
        };
        writeln!(out, "{}", line(head, self.columns.iter().map(|&name| name.to_owned()).collect()))?;
        for row in &self.rows {
            writeln!(out, "{}", line(&row.name, row.cells.iter().map(ScoreCell::shown).collect()))?;
        }
        Ok(())
    }
}

impl ScoreCell {
    /// The figure as printed text.
    pub(super) fn shown(&self) -> String {
        match self {
            ScoreCell::Count(count) => count.to_string(),
            ScoreCell::Score(Some(score)) => format!("{score:.4}"),
            ScoreCell::Score(None) => "-".to_owned(),
        }
    }

    /// The figure as JSON.
    pub(super) fn json(&self) -> serde_json::Value {
        match *self {
            ScoreCell::Count(count) => count.into(),
            ScoreCell::Score(score) => score.into(),
        }
    }
}
