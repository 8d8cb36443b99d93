//! Content to output: what is kept of a page, in the page's own order.
//!
//! Each renderer is one walk over the document with the content's pieces beside it; nothing recurses.

pub mod cleaneval;
mod code;
mod fragment;
pub mod html;
mod kept;
pub mod markdown;
mod notes;
mod outline;
mod runs;
mod table;
pub mod tei;
pub mod text;

pub use fragment::Fragment;
pub use kept::Along;
