//! tsrec takes the boilerplate off web pages by comparing them with each other.

pub mod html;
pub mod tsrec;
pub mod words;
