//! Extraction of the content of a page. [`Extract`] is the entry point. An [`Extractor`] is a
//! method, and each method has its own file.
//!
//! Extraction is total: every page gives an [`Extraction`], which may be empty. It says which
//! method made it, which gates passed or failed, and the label of every element. A method gets
//! siblings and the memory of the site from the [`PageContext`], which loads them on first use.

pub mod auto;
pub mod beside;
pub mod blocks;
pub mod choice;
mod comparison;
mod context;
pub mod example;
mod extracted;
mod extraction;
pub mod gates;
pub mod learner;
pub mod longest;
mod method;
pub mod mss;
mod page;
mod refine;
pub mod report;
mod request;
pub mod scored;
mod segment;
mod sibling;
pub mod starts;
pub mod template;
pub mod template_or_mss;
pub mod template_paper;

use std::fmt::Debug;

use self::scored::Scored;
use crate::html::Document;

pub use context::{PageContext, Recalled};
pub use extracted::{Extracted, Finding};
pub use extraction::{Attempt, Elements, Extraction, ScoreReport};
pub use gates::Gate;
pub use method::{Method, UnknownMethod};
pub use page::Page;
pub use request::{Extract, NoSibling};
pub use sibling::Sibling;

/// A method to find the content of a page, with its model. One extractor can serve any number of
/// pages, from any number of threads.
pub trait Extractor: Debug + Send + Sync {
    /// Extracts the content of the page.
    ///
    /// # Errors
    ///
    /// The method compares the page with a sibling, and there is none.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling>;

    /// The score that uses the memory of other pages of the site. `None` if the method does not.
    #[doc(hidden)]
    fn score(&self) -> Option<&Scored> {
        None
    }

    /// True if the method learns from the pages of a source, without labels (Pasternack, Roth 2009,
    /// section 6.2.4). It uses the pages given to [`learn`](Extractor::learn), else the page and
    /// its siblings.
    #[doc(hidden)]
    fn learns(&self) -> bool {
        false
    }

    /// Learns from the pages of some sources, if the method does so. Call it before the first
    /// extraction.
    #[doc(hidden)]
    fn learn(&mut self, _sources: &[Vec<&Document>]) {}
}

impl<E: Extractor + ?Sized> Extractor for &E {
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        (**self).extract(context)
    }

    fn score(&self) -> Option<&Scored> {
        (**self).score()
    }

    fn learns(&self) -> bool {
        (**self).learns()
    }
}

impl<E: Extractor + ?Sized> Extractor for Box<E> {
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        (**self).extract(context)
    }

    fn score(&self) -> Option<&Scored> {
        (**self).score()
    }

    fn learns(&self) -> bool {
        (**self).learns()
    }

    fn learn(&mut self, sources: &[Vec<&Document>]) {
        (**self).learn(sources);
    }
}
