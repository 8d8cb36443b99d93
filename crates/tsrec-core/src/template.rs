//! Template memory: what a site's pages have at each place.
//!
//! A place is where a template puts things: the tag, the first classes and the id of a block's
//! elements, with digits folded. Other pages of the site tell what one page cannot. They show which
//! text repeats, which differs on every page, and where a doubtful score is clear elsewhere. A
//! [`Memory`] sums this up page by page. It holds counts and hashes but no text, and its size in
//! bytes is limited.
//!
//! With one other page this is the pairwise comparison of Li et al. With many pages it combines
//! them all, for the cost of reading one page.

mod drift;
mod fading;
mod file;
mod memory;
mod site;
mod sums;
mod teach;
mod texts;

pub use drift::{NOTICED_AFTER, Redesign};
pub use file::Error;
pub use memory::{DiffedWords, EVIDENCE, LEAST_ALIKE, Memory, OfPage, Place, SeenBlock};
pub use site::{Bounds, ENOUGH_PAGES, Learned, Site, Template, Visit};
pub use teach::Objection;
