//! Template memory: what a site has at each of its places.
//!
//! A place is where a template puts things: the tag, the first classes and the id of a block's
//! elements, digits folded. What stands there on other pages of the site says what a page alone
//! cannot: which text repeats, which differs everywhere, and where the score is sure on one page
//! and in doubt on the next. A [`Memory`] adds this up, page by page. It holds counts and hashes,
//! no text, and is bounded in bytes.
//!
//! With one other page it is the pairwise comparison of Li et al.; with many it is what they say
//! together, for the cost of reading one page.

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
pub use memory::{EVIDENCE, LEAST_ALIKE, Memory, OfPage, Place, SeenBlock};
pub use site::{Bounds, ENOUGH_PAGES, Learned, Site, Template, Visit};
pub use teach::Objection;
