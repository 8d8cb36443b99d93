//! The input of training and prediction: rows of numbers, one column per feature.

/// Rows of equal length. `NAN` stands for an absent value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    columns: usize,
    values: Vec<f32>,
}

impl Rows {
    /// No rows yet, of `columns` columns.
    ///
    /// # Panics
    /// When there is no column.
    pub fn new(columns: usize) -> Rows {
        Rows::with_capacity(columns, 0)
    }

    /// No rows yet, with memory for `rows` rows.
    ///
    /// # Panics
    /// When there is no column.
    pub fn with_capacity(columns: usize, rows: usize) -> Rows {
        assert!(columns > 0, "rows need a column");
        Rows { columns, values: Vec::with_capacity(columns * rows) }
    }

    /// Rows from values stored row after row.
    ///
    /// # Panics
    /// When there is no column, or the last row is not whole.
    pub fn of_values(columns: usize, values: Vec<f32>) -> Rows {
        assert!(columns > 0 && values.len().is_multiple_of(columns), "a row has a value for each column");
        Rows { columns, values }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When it has more or fewer values than there are columns.
    pub fn push(&mut self, row: &[f32]) {
        assert_eq!(row.len(), self.columns, "a row has a value for each column");
        self.values.extend_from_slice(row);
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of values in a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row.
    ///
    /// # Panics
    /// When there is none of this number.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// Every row, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.columns.max(1))
    }

    /// All values, row after row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}
