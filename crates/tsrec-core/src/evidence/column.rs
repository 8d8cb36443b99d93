//! Columns of evidence: a table gives for each its name, its description, and the code that reads
//! it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::float::log2_count;

/// The kinds of evidence: the source of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The block's own text.
    Text,
    /// The elements around it, by their tags.
    Tags,
    /// The other text and elements in the containers around it.
    Containers,
    /// Its position on the page.
    Position,
    /// The page as a whole.
    Page,
    /// The usual meaning of the words in `class`, `id`, `role` and `itemprop` around it.
    Names,
    /// The usual meaning of its words.
    Words,
    /// The blocks before and after it.
    Neighbours,
    /// The first-stage score of the blocks at its place.
    Score,
    /// The blocks that the pages of the site have at its place.
    Site,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 10] = [
        Kind::Text,
        Kind::Tags,
        Kind::Containers,
        Kind::Position,
        Kind::Page,
        Kind::Names,
        Kind::Words,
        Kind::Neighbours,
        Kind::Score,
        Kind::Site,
    ];

    /// The printed name of the kind.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Tags => "tags",
            Kind::Containers => "containers",
            Kind::Position => "position",
            Kind::Page => "page",
            Kind::Names => "names",
            Kind::Words => "words",
            Kind::Neighbours => "neighbours",
            Kind::Score => "score",
            Kind::Site => "site",
        }
    }

    /// The description of the source.
    pub fn about(self) -> &'static str {
        match self {
            Kind::Text => "The block's own text",
            Kind::Tags => "The elements around it, by their tags",
            Kind::Containers => "What else stands in the containers around it",
            Kind::Position => "Where it stands on the page",
            Kind::Page => "What the page is",
            Kind::Names => "What class, id, role and itemprop around it usually name",
            Kind::Words => "What its words usually are",
            Kind::Neighbours => "The blocks before and after it",
            Kind::Score => "What the score of single blocks says of its place",
            Kind::Site => "What the pages of the site have at its place",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A piece of evidence: a column of numbers, one a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, unique.
    pub name: &'static str,
    /// Its source.
    pub kind: Kind,
    /// Its description.
    pub about: &'static str,
}

/// A table of evidence. Each line has a name, a description, and the expression for the value. It
/// makes both `COLUMNS` and `fill`, so that they always agree.
macro_rules! evidence {
    ($kind:ident, |$($argument:ident: $type:ty),*| { $($name:literal, $about:literal, $value:expr;)* }) => {
        pub(super) const COLUMNS: &[crate::evidence::column::Column] = &[$(crate::evidence::column::Column {
            name: $name,
            kind: crate::evidence::column::Kind::$kind,
            about: $about,
        }),*];

        /// Appends this table's evidence of a block.
        #[allow(clippy::cast_precision_loss, reason = "counts of a page fit")]
        pub(super) fn fill(row: &mut Vec<f32>, $($argument: $type),*) {
            row.extend_from_slice(&[$($value as f32),*]);
        }
    };
}
pub(super) use evidence;

/// A yes or no as a number.
pub(super) fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

/// A part of a whole. Absent if the whole is 0.
pub(super) fn share(part: u32, whole: u32) -> f32 {
    if whole == 0 { f32::NAN } else { part as f32 / whole as f32 }
}

/// The logarithm of a number, so that doubling it is always one step.
pub(super) fn log(value: u32) -> f32 {
    log2_count(value)
}
