//! The core of tsrec: bytes of a page in, its content out.
//!
//! Pure: no clock, no files, no network, no runtime, no threads of its own. The crate `tsrec` is
//! the way in for programs.

pub mod analysis;
pub mod annotation;
pub mod block;
pub mod evidence;
pub mod extract;
pub mod extracted;
pub mod gold;
pub mod html;
pub mod learn;
pub mod marks;
pub mod metadata;
pub mod page;
pub mod pairing;
pub mod render;
pub mod taught;
pub mod template;
pub mod tsrec;
pub mod words;
