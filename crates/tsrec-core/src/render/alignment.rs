//! The side that the columns of a table are aligned to.

use crate::html::document::{Document, NodeId};
use crate::html::is_space;

/// A side of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnSide {
    Left,
    Center,
    Right,
}

/// How many elements around a cell may align it: the row, its group, the table's own `align` is for
/// the table.
const AROUND: usize = 2;

impl ColumnSide {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            ColumnSide::Left => "left",
            ColumnSide::Center => "center",
            ColumnSide::Right => "right",
        }
    }

    fn from_word(word: &str) -> Option<ColumnSide> {
        Some(match word.trim().to_ascii_lowercase().as_str() {
            "left" | "start" => ColumnSide::Left,
            "center" | "middle" => ColumnSide::Center,
            "right" | "end" => ColumnSide::Right,
            _ => return None,
        })
    }
}

/// The side that a cell, its row or their group names: in `align`, in the style, or in a class.
pub(super) fn of_cell(document: &Document, cell: NodeId) -> Option<ColumnSide> {
    let is_part = |&node: &NodeId| matches!(document.name(node), Some("tr" | "thead" | "tbody" | "tfoot"));
    let around = document.ancestors(cell).take(AROUND).take_while(is_part);
    std::iter::once(cell).chain(around).find_map(|node| own(document, node))
}

fn own(document: &Document, node: NodeId) -> Option<ColumnSide> {
    let declared = document.attribute(node, "style").and_then(|style| {
        let declarations = style.split(';').filter_map(|one| one.split_once(':'));
        let sides = declarations.filter(|(name, _)| name.trim().eq_ignore_ascii_case("text-align"));
        sides.filter_map(|(_, value)| ColumnSide::from_word(value.split('!').next()?)).next_back()
    });
    let named = || document.attribute(node, "class")?.split(is_space).find_map(of_class);
    declared.or_else(|| ColumnSide::from_word(document.attribute(node, "align")?)).or_else(named)
}

/// The side in a class such as `text-right`, `align-center` or `has-text-align-left`.
fn of_class(class: &str) -> Option<ColumnSide> {
    let prefixes = ["has-text-align-", "text-align-", "text-", "align-", "ta-", "u-text-"];
    prefixes.iter().find_map(|prefix| class.strip_prefix(prefix)).and_then(ColumnSide::from_word)
}

/// The alignment of a column, if more than half of its cells with text agree.
pub(super) fn of_column(cells: &[Option<ColumnSide>]) -> Option<ColumnSide> {
    let sides = [ColumnSide::Left, ColumnSide::Center, ColumnSide::Right];
    sides.into_iter().find(|side| 2 * cells.iter().filter(|cell| **cell == Some(*side)).count() > cells.len())
}
