//! tsrec takes the boilerplate off web pages by comparing them with each other.

pub mod block;
#[cfg(feature = "daemon")]
pub mod cli;
pub mod eval;
pub mod extract;
#[cfg(feature = "daemon")]
pub mod fetch;
#[cfg(feature = "daemon")]
pub mod frontier;
pub mod html;
#[cfg(feature = "daemon")]
pub mod http;
pub mod learn;
pub mod page;
pub mod pairing;
pub mod render;
#[cfg(feature = "daemon")]
pub mod store;
pub mod tsrec;
pub mod words;
