//! tsrec takes the boilerplate off web pages by comparing them with each other.

pub mod html;
