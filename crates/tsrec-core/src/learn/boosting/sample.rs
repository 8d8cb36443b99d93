//! The bins that one tree reads: those of its rows and of its columns. They are copied for each
//! tree, so that its histograms read nothing else.

use super::bins::BinnedRows;
use crate::learn::parallel::{self, Workers};

/// How many columns are stored side by side. A row's index and derivatives are read once for all of
/// them, and their histograms (eight times 128 times 16 bytes) fit in the first-level cache.
pub(super) const LANES: usize = 8;

/// The bins of a tree's rows, in the columns that it may use.
pub(super) struct SampledBins {
    /// The columns, ascending.
    pub(super) columns: Vec<usize>,
    /// Where each column's bins begin in a histogram, and the end of the last.
    pub(super) offsets: Vec<usize>,
    /// For each group of [`LANES`] columns, the bins of each row.
    pub(super) blocks: Vec<Vec<[u8; LANES]>>,
}

impl SampledBins {
    /// Copies the bins. O(rows · columns).
    pub(super) fn new(table: &BinnedRows, rows: &[u32], columns: Vec<usize>, workers: &dyn Workers) -> SampledBins {
        let mut offsets = vec![0];
        for &column in &columns {
            offsets.push(offsets[offsets.len() - 1] + table.edges[column].len() + 1);
        }
        let groups: Vec<&[usize]> = columns.chunks(LANES).collect();
        let blocks = parallel::map(workers, groups, |group| {
            // The last group is filled up with its first column, which nobody reads there.
            let lanes: [&[u8]; LANES] =
                std::array::from_fn(|lane| &*table.columns[*group.get(lane).unwrap_or(&group[0])]);
            rows.iter().map(|&row| lanes.map(|bins| bins[row as usize])).collect()
        });
        SampledBins { columns, offsets, blocks }
    }

    /// The block of a column, and its lane there.
    pub(super) fn lane(&self, column: usize) -> (&[[u8; LANES]], usize) {
        let at = self.columns.binary_search(&column).expect("a tree splits by its own columns");
        (&self.blocks[at / LANES], at % LANES)
    }

    /// The length of a histogram.
    pub(super) fn bins(&self) -> usize {
        self.offsets[self.offsets.len() - 1]
    }
}
