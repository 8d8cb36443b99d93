//! The cells of a table of data are content together: one that lacks some of its cells says
//! something else than the page does.

use std::ops::Range;

use crate::analysis::{Analysis, Container, Tag};

/// Rows of two cells and more that make a table one of data. Judgement: a layout is often one row,
/// and two may be a form.
const ROWS: u32 = 3;

/// Words that the longest cell of a table of data has. Judgement: a layout has the page's columns
/// in its cells.
const LONGEST_CELL: u32 = 60;

/// The share of a table's words that are kept where its rows are made whole. Judgement: of one that
/// has less it is not sure that it is content at all.
const MOST: (u64, u64) = (2, 3);

/// Keeps all cells of each row of which some are kept, and of the first, which says what they are,
/// in tables of data that are kept for the most part. Rows of which nothing is kept stay out: links
/// to what can be done with the row above. Linear in the containers and blocks.
pub(super) fn complete_tables(analysis: &Analysis, kept: &mut [bool]) {
    for (table, rows) in data_tables(analysis) {
        let words = |at: &usize| u64::from(analysis.blocks()[*at].text.words);
        let all: u64 = table.clone().map(|at| words(&at)).sum();
        let taken: u64 = table.filter(|&at| kept[at]).map(|at| words(&at)).sum();
        if taken == 0 || MOST.1 * taken < MOST.0 * all {
            continue;
        }
        for (number, row) in rows.into_iter().enumerate() {
            if number == 0 || kept[row.clone()].contains(&true) {
                kept[row].fill(true);
            }
        }
    }
}

/// What is counted of a table.
#[derive(Clone, Default)]
struct TableShape {
    /// The blocks of its rows.
    rows: Vec<Range<usize>>,
    /// Rows of two cells and more.
    wide: u32,
    /// Words of its longest cell.
    longest: u32,
    /// Whether another table stands in it.
    is_around: bool,
}

/// The tables whose cells are many and short, and hold no tables: their blocks, and those of their
/// rows.
fn data_tables(analysis: &Analysis) -> Vec<(Range<usize>, Vec<Range<usize>>)> {
    let containers = analysis.containers();
    if !containers.iter().any(|container| container.tag == Tag::Cell) {
        return Vec::new();
    }
    let mut shapes = vec![TableShape::default(); containers.len()];
    // Of each row its cells.
    let mut cells = vec![0_u32; containers.len()];
    // For each container the element of the innermost table that it stands in, or is; parents come
    // before their children.
    let mut tables: Vec<Option<usize>> = Vec::with_capacity(containers.len());
    for (at, container) in containers.iter().enumerate() {
        let parent = container.parent as usize;
        let (around, parent_tag) = (tables.get(parent).copied().flatten(), containers[parent].tag);
        let is_table = container.tag == Tag::Table && (parent == at || parent_tag != Tag::Table);
        tables.push(if is_table { Some(at) } else { around });
        match around {
            Some(around) if is_table => shapes[around].is_around = true,
            Some(table) if container.tag == Tag::Cell && parent_tag == Tag::Table => {
                let shape = &mut shapes[table];
                cells[parent] += 1;
                match cells[parent] {
                    1 => shape.rows.push(blocks_of(&containers[parent])),
                    2 => shape.wide += 1,
                    _ => {}
                }
                shape.longest = shape.longest.max(container.text.words);
            }
            _ => {}
        }
    }
    let is_data = |shape: &TableShape| shape.wide >= ROWS && shape.longest <= LONGEST_CELL && !shape.is_around;
    let tables = containers.iter().zip(shapes).filter(|(_, shape)| is_data(shape));
    tables.map(|(container, shape)| (blocks_of(container), shape.rows)).collect()
}

fn blocks_of(container: &Container) -> Range<usize> {
    container.blocks.start as usize..container.blocks.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    /// Whether each block is kept, when all were but those with a digit.
    fn completed(page: &str) -> Vec<bool> {
        let document = parse(page.as_bytes(), None, &Default::default());
        let analysis = Analysis::new(&document);
        let mut kept: Vec<bool> = analysis.blocks().iter().map(|block| block.text.digits == 0).collect();
        complete_tables(&analysis, &mut kept);
        kept
    }

    #[test]
    fn the_rows_of_a_table_of_data_are_whole_where_most_of_it_is_kept() {
        let rows = "<tr><td>Ferry to the island of birds<td>730<tr><td>Bus to the harbour and back<td>815<tr><td>Train to the hills and lakes<td>900";
        assert_eq!(completed(&format!("<table>{rows}</table><p>1234")), [true, true, true, true, true, true, false]);
        // The first row says what the others are; one of which nothing is kept is none of them.
        let more = format!("<table><tr><td>1<td>2{rows}<tr><td>3<td>4</table>");
        assert_eq!(completed(&more), [true, true, true, true, true, true, true, true, false, false]);
        // Two rows are a form or a layout; a table in a cell makes one.
        let (two, _) = rows.rsplit_once("<tr>").unwrap();
        assert_eq!(completed(&format!("<table>{two}</table>")), [true, false, true, false]);
        let around = format!("<table>{rows}<tr><td>x<td><table><tr><td>1</table></table>");
        assert_eq!(completed(&around), [true, false, true, false, true, false, true, false]);
    }

    #[test]
    fn a_table_of_which_little_is_kept_and_a_layout_stay_as_they_are() {
        let row = "<tr><td>Ferry<td>1 2 3 4 5";
        assert_eq!(completed(&format!("<table>{row}{row}{row}</table>")), [true, false, true, false, true, false]);
        let long = "word ".repeat(100);
        let row = format!("<tr><td>{long}<td>1");
        assert_eq!(completed(&format!("<table>{row}{row}{row}</table>")), [true, false, true, false, true, false]);
    }
}
