//! The evidence of a page's blocks in batches of rows. All rows of a page together would take two
//! thousand bytes for each block.

use std::ops::Range;


use super::reader::{Above, EvidenceReader, OuterContainers};
use super::tables::Tables;
use super::{OWN, TAKEN, columns, containers, names, neighbours, page, position, tags, text, words};
use crate::analysis::Analysis;
use crate::learn::boosting::Rows;

/// Rows in a batch. Judgement: this many fill half of a processor's second-level cache while the
/// trees read them.
const BATCH: usize = 256;

/// Passes the evidence of every block to `take`, in order and in batches of rows. A row has
/// [`columns`] numbers. Linear in the page.
pub(super) fn each_batch(analysis: &Analysis, tables: &Tables, mut take: impl FnMut(&Rows)) {
    let reader = EvidenceReader::new(analysis, tables);
    let blocks = analysis.blocks().len();
    let mut own = Own::new(&reader, tables);
    let mut rows = Rows::with_capacity(columns().len(), BATCH.min(blocks));
    let mut row = Vec::with_capacity(columns().len());
    for start in (0..blocks).step_by(BATCH) {
        let batch = start..blocks.min(start + BATCH);
        own.move_to(start.saturating_sub(neighbours::REACH)..blocks.min(batch.end + neighbours::REACH));
        rows.clear();
        for number in batch {
            row.clear();
            row.extend_from_slice(own.row(number).expect("a block of the batch"));
            neighbours::fill(&mut row, |step| own.row(number.checked_add_signed(step)?), &TAKEN);
            rows.push(&row);
        }
        take(&rows);
    }
}

/// The columns that all blocks of a page share. Linear in the page.
pub(super) fn page_columns(analysis: &Analysis, tables: &Tables) -> Vec<f32> {
    let mut columns = Vec::new();
    page::fill(&mut columns, &EvidenceReader::new(analysis, tables));
    columns
}

/// The own evidence of the blocks in a stretch of the page.
struct Own<'a> {
    page: &'a EvidenceReader<'a>,
    tables: &'a Tables,
    /// The page's columns.
    whole: Vec<f32>,
    stretch: Range<usize>,
    values: Vec<f32>,
}

impl<'a> Own<'a> {
    fn new(page: &'a EvidenceReader<'a>, tables: &'a Tables) -> Self {
        let mut whole = Vec::new();
        page::fill(&mut whole, page);
        let most = page.analysis.blocks().len().min(BATCH + 2 * neighbours::REACH);
        Own { page, tables, whole, stretch: 0..0, values: Vec::with_capacity(most * *OWN) }
    }

    /// Moves forward. Rows that both stretches have are kept.
    fn move_to(&mut self, stretch: Range<usize>) {
        self.values.drain(..(stretch.start - self.stretch.start) * *OWN);
        for number in self.stretch.end..stretch.end {
            self.read(number);
        }
        self.stretch = stretch;
    }

    fn read(&mut self, number: usize) {
        let Own { page, tables, whole, values, .. } = self;
        let (block, number) = (&page.analysis.blocks()[number], number as u32);
        text::fill(values, page, number, block);
        tags::fill(values, &Above::new(page, block));
        containers::fill(values, &OuterContainers::new(page, number, block));
        position::fill(values, &position::Standing::new(page, number, block));
        values.extend_from_slice(whole);
        names::fill(values, &names::Named::new(page, block));
        words::fill(values, &tables.word_odds(page.analysis.words(block)));
    }

    /// The row of a block. `None` outside the stretch.
    fn row(&self, number: usize) -> Option<&[f32]> {
        let at = number.checked_sub(self.stretch.start)? * *OWN;
        self.values.get(at..at + *OWN)
    }
}
