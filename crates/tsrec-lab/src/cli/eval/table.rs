//! Tables of figures: what is printed, and what floors are held against.

use std::io::Write;

use anyhow::Result;

/// A table: a row a set, or a group of pages of a set.
pub(super) struct ScoreTable {
    /// What the figures are.
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<ScoreRow>,
}

/// A row.
pub(super) struct ScoreRow {
    /// The set, or the set and the group with a `/` between.
    pub(super) name: String,
    /// One a column.
    pub(super) cells: Vec<ScoreCell>,
}

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ScoreCell {
    /// How many.
    Count(usize),
    /// A score; `None` where there is nothing to measure.
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

    /// Prints the table, columns under their heads.
    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        self.print_headed(out, "dataset")
    }

    /// The same, where the names are those of something else than sets.
    pub(super) fn print_headed(&self, out: &mut impl Write, head: &str) -> Result<()> {
        /// The least width of the names: those of most sets are shorter.
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
    /// As it is printed.
    pub(super) fn shown(&self) -> String {
        match self {
            ScoreCell::Count(count) => count.to_string(),
            ScoreCell::Score(Some(score)) => format!("{score:.4}"),
            ScoreCell::Score(None) => "-".to_owned(),
        }
    }

    /// As JSON.
    pub(super) fn json(&self) -> serde_json::Value {
        match *self {
            ScoreCell::Count(count) => count.into(),
            ScoreCell::Score(score) => score.into(),
        }
    }
}
