//! Writes content: what is kept of a page, in the page's order.
//!
//! Each renderer is one walk over the document and the content's pieces, without recursion.

mod alignment;
pub mod cleaneval;
mod code;
mod debris;
mod formula;
mod fragment;
mod gutter;
pub mod html;
mod images;
mod items;
mod kept;
mod labels;
mod language;
mod lazy;
pub mod markdown;
mod notes;
mod outline;
mod quotations;
mod runs;
mod shortcodes;
mod sources;
mod table;
pub mod tei;
pub mod text;
mod written;

pub use fragment::Fragment;
pub use kept::Along;
