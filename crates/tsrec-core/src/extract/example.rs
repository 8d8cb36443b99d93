//! What trainers learn from: a page, and what a person marked on it.

use super::Page;
use crate::evidence::kind::PageKind;
use crate::page::Gold;

/// A page with its gold.
#[derive(Clone, Copy, Debug)]
pub struct Example<'d> {
    /// The page.
    pub page: &'d Page<'d>,
    /// What is content on it.
    pub gold: &'d Gold,
    /// The site it is from, where that is known.
    pub site: Option<&'d str>,
    /// What kind of page it is, where a person said so.
    pub kind: Option<PageKind>,
}
