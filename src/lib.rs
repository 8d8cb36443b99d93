//! tsrec takes the boilerplate off web pages by comparing them with each other.

pub mod block;
pub mod html;
pub mod learn;
pub mod page;
pub mod render;
pub mod tsrec;
pub mod words;
