//! The evidence of a page's blocks, a few rows at a time: all rows of a page together would take
//! two thousand bytes a block.

use std::ops::Range;

use url::Url;

use super::reader::{Above, EvidenceReader, OuterContainers};
use super::tables::Tables;
use super::{OWN, TAKEN, columns, containers, names, neighbours, page, position, tags, text, words};
use crate::analysis::Analysis;
use crate::learn::boosting::Rows;

/// Rows that are made and asked together. Judgement: so many fill half of a processor's second
/// cache, and trees go over them while they are there.
const BATCH: usize = 256;

/// Gives the evidence of every block to `take`, in order, some rows at a time, [`columns`] numbers
/// a row. Linear in the page.
pub(super) fn each_batch(analysis: &Analysis, url: Option<&Url>, tables: &Tables, mut take: impl FnMut(&Rows)) {
    let reader = EvidenceReader::new(analysis, url, tables);
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

/// The blocks' own evidence, of a stretch of the page.
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

    /// Moves forward; what both stretches have is kept.
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

    /// That of a block; `None` outside the stretch.
    fn row(&self, number: usize) -> Option<&[f32]> {
        let at = number.checked_sub(self.stretch.start)? * *OWN;
        self.values.get(at..at + *OWN)
    }
}
