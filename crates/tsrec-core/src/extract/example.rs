//! The input of trainers: a page, and the marks of a person on it.

use super::Page;
use crate::evidence::diff::Diffed;
use crate::evidence::kind::PageKind;
use crate::page::Gold;

/// A page with its gold.
#[derive(Clone, Copy, Debug)]
pub struct Example<'d> {
    /// The page.
    pub page: &'d Page<'d>,
    /// The content of the page.
    pub gold: &'d Gold,
    /// The site of the page, if known.
    pub site: Option<&'d str>,
    /// The kind of the page, if a person gave it.
    pub kind: Option<PageKind>,
    /// What the diff with a sibling found, if one passes its gates and the learner
    /// [reads it](super::learner::Learner::reads_diff).
    pub diffed: Option<&'d Diffed>,
}
