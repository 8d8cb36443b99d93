//! The core of tsrec: it reads the bytes of a page and returns the content.
//!
//! It is pure: no clock, no files, no network, no runtime, and no threads of its own. Programs
//! should use the crate `tsrec`.

pub mod analysis;
pub mod annotation;
pub mod block;
pub mod evidence;
pub mod extract;
mod float;
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
