//! Completes data tables. The cells of a row belong together: a row without some of its cells has
//! another meaning.

use std::ops::Range;

use crate::analysis::{Analysis, Container, Tag};

/// The least number of rows with two or more cells in a data table. Judgement: a layout is often
/// one row, and two rows may be a form.
const ROWS: u32 = 3;

/// The greatest number of words in a cell of a data table. Judgement: the cells of a layout hold
/// the columns of the page.
const LONGEST_CELL: u32 = 60;

/// The least share of a table's words that must be kept before its rows are completed. Judgement: a
/// table with less may not be content at all.
const MOST: (u64, u64) = (2, 3);

/// The least share of the words of a table inside the text, with kept text before and after it in
/// the box around it. Judgement: a table that an article has is part of what it tells.
const SOME: (u64, u64) = (1, 4);

/// Completes data tables. It keeps a table inside the text whole if some of it is kept. Of another
/// table that is mostly kept, it keeps all cells of each row that is kept in part, and of the first
/// row, which names the columns. Rows without any kept cell stay out: they are links for actions on
/// the row above. Linear in the containers and blocks.
pub(super) fn complete_tables(analysis: &Analysis, kept: &mut [bool]) {
    for DataTable { blocks, around, rows } in data_tables(analysis) {
        let words = |at: &usize| u64::from(analysis.blocks()[*at].text.words);
        let all: u64 = blocks.clone().map(|at| words(&at)).sum();
        let taken: u64 = blocks.clone().filter(|&at| kept[at]).map(|at| words(&at)).sum();
        let has = |(part, whole): (u64, u64)| taken > 0 && whole * taken >= part * all;
        let is_kept = |at: usize| around.contains(&at) && kept[at] && words(&at) > 0;
        let is_inside = blocks.start.checked_sub(1).is_some_and(is_kept) && is_kept(blocks.end);
        if is_inside && has(SOME) {
            kept[blocks].fill(true);
            continue;
        }
        if !has(MOST) {
            continue;
        }
        for (number, row) in rows.into_iter().enumerate() {
            if number == 0 || kept[row.clone()].contains(&true) {
                kept[row].fill(true);
            }
        }
    }
}

/// Counts of a table.
#[derive(Clone, Default)]
struct TableShape {
    /// The ranges of blocks of its rows.
    rows: Vec<Range<usize>>,
    /// Rows with two or more cells.
    wide: u32,
    /// Words in its longest cell.
    longest: u32,
    /// Whether it contains another table.
    is_around: bool,
}

/// A table with many short cells and without inner tables.
struct DataTable {
    blocks: Range<usize>,
    /// The blocks of the nearest box with more than the table.
    around: Range<usize>,
    /// The blocks of each row.
    rows: Vec<Range<usize>>,
}

fn data_tables(analysis: &Analysis) -> Vec<DataTable> {
    let containers = analysis.containers();
    if !containers.iter().any(|container| container.tag == Tag::Cell) {
        return Vec::new();
    }
    let mut shapes = vec![TableShape::default(); containers.len()];
    // For each row the number of its cells.
    let mut cells = vec![0_u32; containers.len()];
    // For each container the innermost table that it is or is in. Parents come before their
    // children.
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
    let table = |(container, shape): (&Container, TableShape)| {
        let larger = analysis.upwards(container.parent).find(|(_, around)| around.blocks != container.blocks);
        let around = larger.map_or(0..0, |(_, around)| blocks_of(around));
        DataTable { blocks: blocks_of(container), around, rows: shape.rows }
    };
    tables.map(table).collect()
}

fn blocks_of(container: &Container) -> Range<usize> {
    container.blocks.start as usize..container.blocks.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    /// Whether each block is kept, if at first all blocks without a digit were kept.
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
        // The first row names the columns. A row without any kept cell stays out.
        let more = format!("<table><tr><td>1<td>2{rows}<tr><td>3<td>4</table>");
        assert_eq!(completed(&more), [true, true, true, true, true, true, true, true, false, false]);
        // Two rows are a form or a layout, and a table with an inner table is a layout.
        let (two, _) = rows.rsplit_once("<tr>").unwrap();
        assert_eq!(completed(&format!("<table>{two}</table>")), [true, false, true, false]);
        let around = format!("<table>{rows}<tr><td>x<td><table><tr><td>1</table></table>");
        assert_eq!(completed(&around), [true, false, true, false, true, false, true, false]);
    }

    #[test]
    fn a_table_inside_the_text_is_whole_if_some_of_it_is_kept() {
        let row = "<tr><td>Ferry<td>1 2";
        let table = format!("<table>{row}{row}{row}</table>");
        assert_eq!(completed(&format!("<main><p>a</p>{table}<p>b</main>")), [true; 8]);
        assert_eq!(completed(&format!("<main><p>a</p><div><div>{table}</div></div><p>b</main>")), [true; 8]);
        // Text on one side alone, or in another box.
        let some = [true, false, true, false, true, false];
        assert_eq!(completed(&format!("<main><p>a</p>{table}</main>"))[1..], some);
        assert_eq!(completed(&format!("<main><p>a</p><div><h4>1</h4>{table}</div><p>b</main>"))[2..8], some);
        // None of it is kept.
        let none = "<tr><td>1<td>2".repeat(3);
        assert_eq!(completed(&format!("<main><p>a</p><table>{none}</table><p>b</main>"))[1..7], [false; 6]);
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
