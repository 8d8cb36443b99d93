//! Content to output: what is kept of a page, in the page's own order.
//!
//! Each renderer is one walk over the document with the content's pieces beside it; nothing
//! recurses.

pub mod cleaneval;
mod code;
mod fragment;
mod gutter;
pub mod html;
mod items;
mod kept;
mod lazy;
pub mod markdown;
mod notes;
mod outline;
mod quotations;
mod runs;
mod table;
pub mod tei;
pub mod text;
mod written;

pub use fragment::Fragment;
pub use kept::Along;
