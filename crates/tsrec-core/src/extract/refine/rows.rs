//! Rows of tables.
//!
//! The score sees words, and a cell has few. So it drops a name, a number or a declaration and
//! keeps what the other cells say of it, which tells a reader nothing then.

use crate::analysis::{Analysis, Block, Container, Tag};
use crate::evidence::kind::PageKind;
use crate::html::Document;

/// The words of the longest row. Judgement: a longer one may be a layout.
const LONGEST: u32 = 100;
/// The cells of the widest row. Judgement: a row of a calendar or of a menu has more.
const WIDEST: u32 = 12;
/// The least probability that a cell is content. Judgement: what a person labelled as no content
/// has less, and so has a box of the template. From 0.001 to 0.02 it is the same on 14 manuals.
const LEAST_LIKELY: f32 = 0.001;

/// Keeps all cells of rows that are kept in part, on documentation. Elsewhere such tables are often
/// layouts. `likely` has the probability of content for each block. A row of data has
/// few words, so this is O(n · depth) in the blocks.
pub(super) fn keep(
    document: &Document,
    analysis: &Analysis,
    kind: Option<PageKind>,
    likely: &[f32],
    kept: &mut [bool],
) {
    if kind != Some(PageKind::Documentation) {
        return;
    }
    let blocks = analysis.blocks();
    let mut next = 0;
    for at in 0..blocks.len() {
        if at < next || !kept[at] || blocks[at].text.words == 0 {
            continue;
        }
        let Some(row) = row_of(document, analysis, &blocks[at]) else { continue };
        let cells = row.blocks.start as usize..row.blocks.end as usize;
        let is_in_row = |block: &Block| row_of(document, analysis, block).is_some_and(|other| other.node == row.node);
        if is_of_data(analysis, row) && blocks[cells.clone()].iter().all(is_in_row) {
            next = cells.end;
            cells.for_each(|at| kept[at] |= !blocks[at].hidden && likely[at] >= LEAST_LIKELY);
        }
    }
}

/// The innermost row that a block is in.
fn row_of<'a>(document: &Document, analysis: &'a Analysis, block: &Block) -> Option<&'a Container> {
    let mut around = analysis.around(block).map(|(_, container)| container);
    around.find(|part| part.tag == Tag::Table && document.is_element(part.node, "tr"))
}

/// Whether a row has cells of data, and is no layout.
fn is_of_data(analysis: &Analysis, row: &Container) -> bool {
    let inside = analysis.inside(row);
    (2..=WIDEST).contains(&inside.cells) && inside.headings == 0 && inside.controls == 0 && row.text.words <= LONGEST
}
