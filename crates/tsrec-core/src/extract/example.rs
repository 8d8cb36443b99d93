//! The input of trainers: a page, and the marks of a person on it.

use super::Page;
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
}
