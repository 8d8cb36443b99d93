//! Evidence by name: a table says of each piece what it is, and how it is read.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kinds of evidence: where a piece comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The block's own text.
    Text,
    /// The elements around it, by their tags.
    Tags,
    /// What else stands in the containers around it.
    Containers,
    /// Where it stands on the page.
    Position,
    /// What the page is.
    Page,
    /// What `class`, `id`, `role` and `itemprop` around it usually name.
    Names,
    /// What its words usually are.
    Words,
    /// The blocks before and after it.
    Neighbours,
    /// What the score of single blocks says of its place.
    Score,
    /// What the pages of the site have at its place.
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

    /// The kind as it is printed.
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

    /// Where it comes from, in words.
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
    /// Where it comes from.
    pub kind: Kind,
    /// What it says, in words.
    pub about: &'static str,
}

/// A table of evidence: each line a name, what it says, and how it is read. Makes `COLUMNS` and
/// `fill`, which cannot disagree.
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

/// A part of a whole; absent where there is no whole.
pub(super) fn share(part: u32, whole: u32) -> f32 {
    if whole == 0 { f32::NAN } else { part as f32 / whole as f32 }
}

/// A number on a scale where doubling it is one step, whatever its size.
pub(super) fn log(value: u32) -> f32 {
    (1.0 + value as f32).log2()
}
