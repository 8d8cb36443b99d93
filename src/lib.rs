//! tsrec takes the boilerplate off web pages by comparing them with each other.

#[cfg(feature = "daemon")]
pub mod frontier;
#[cfg(feature = "daemon")]
pub mod store;
